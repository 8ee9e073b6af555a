/* SPDX-License-Identifier: BSD-2-Clause */
/* HTML pages of runs, and the pieces that they are made of. */

#include "bench/result/report.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/result/plot.h"
#include "support/scratch.h"
#include "support/tests.h"
#include "support/text.h"

/* --- html ------------------------------------------------------------------------------------- */

/* Pieces of a page: nothing is obeyed, and pictures do not share names. */

#define TEXT 2048

static FILE *
file_of(const char *text)
{
	FILE *f = tmpfile();

	ck_assert_ptr_nonnull(f);
	(void)fputs(text, f);
	rewind(f);
	return f;
}

START_TEST(text_is_escaped)
{
	FILE *f = tmpfile();
	char text[TEXT];

	ck_assert_ptr_nonnull(f);
	bench_report_text(f, "<a href='x' title=\"y\">&amp;\n\x01\x7f\xc3\xa9");
	ck_assert_str_eq(text_of(f, text, TEXT),
	    "&lt;a href=&#39;x&#39; title=&quot;y&quot;&gt;&amp;amp;   \xc3\xa9");
}
END_TEST

START_TEST(picture_gets_identifiers_of_its_own)
{
	FILE *in = file_of("<?xml version=\"1.0\"?>\n<svg \n width=\"1\">\n<title>Gnuplot</title>\n"
			   "<g id=\"a\" ><title>b</title><use xlink:href='#gpDot' id='c'/></g>\n"
			   "<g fill=\"url(#d)\"/><text>id=1</text>\n</svg>\n"),
	     *out = tmpfile();
	char text[TEXT];

	ck_assert_ptr_nonnull(out);
	bench_report_svg(out, in, 7);
	(void)fclose(in);
	ck_assert_str_eq(text_of(out, text, TEXT),
	    "<svg \n width=\"1\">\n\n<g id=\"p7-a\" ><use xlink:href='#p7-gpDot' id='p7-c'/></g>\n"
	    "<g fill=\"url(#p7-d)\"/><text>id=1</text>\n</svg>\n");
}
END_TEST

START_TEST(what_is_no_picture_is_left_out)
{
	FILE *in = file_of("something else\n<title>\n"), *out = tmpfile();
	char text[TEXT];

	bench_report_svg(out, in, 1);
	(void)fclose(in);
	ck_assert_str_eq(text_of(out, text, TEXT), "");
}
END_TEST

static void
add_html(TCase *tc)
{
	tcase_add_test(tc, text_is_escaped);
	tcase_add_test(tc, picture_gets_identifiers_of_its_own);
	tcase_add_test(tc, what_is_no_picture_is_left_out);
}

/* --- report ----------------------------------------------------------------------------------- */

/* The page of some runs: all that is in them, nothing that a browser would obey. */

#define PAGE 400000
#define EVIL "<script>alert('1')</script>&\""

static const struct bench_column columns[] = {
	{ "clients", "clients", "", 0 },
	{ "rtt_p50", "p50 " EVIL, "ms", 3 },
	{ "who", EVIL, "", 0 },
};

/* A run with a table of N rows, and an evil mind in all its texts. */
static struct bench_run *
new_run(int n)
{
	char name[] = "dns64bench", evil[] = EVIL;
	char *argv[] = { name, evil, NULL };
	struct bench_run *r = bench_run_new("rate" EVIL, 2, argv);

	ck_assert_ptr_nonnull(r);
	bench_run_set(r, EVIL, json_string(EVIL));
	bench_run_set(r, "list", json_pack("[s,i]", EVIL, 1));
	bench_run_find(r, "highest " EVIL, json_string(EVIL), EVIL);
	bench_run_find(r, "loss", json_real(12.5), "%");
	struct bench_table *t = bench_run_table(r, EVIL, "Table " EVIL, columns, 3);
	for (int i = 1; i <= n; i++)
		bench_table_add(t, json_pack("[i,f,s]", i, 1.0 / i, EVIL));
	return r;
}

/* The page of N runs, which are called "old", "new" and "<b>", the caller's. */
static char *
page_of(struct bench_run *const *runs, size_t n)
{
	static const char *const names[] = { "old", "new", "<b>" };
	struct bench_plot_run named[3];
	char *page = malloc(PAGE);
	FILE *f = tmpfile();

	ck_assert_ptr_nonnull(page);
	ck_assert_ptr_nonnull(f);
	for (size_t i = 0; i < n; i++)
		named[i] = (struct bench_plot_run){ bench_run_tree(runs[i]), names[i] };
	bench_report_page(f, named, n);
	(void)text_of(f, page, PAGE);
	return page;
}

START_TEST(text_of_a_run_cannot_be_markup)
{
	struct bench_run *r = new_run(3);

	bench_run_fail(r, "reason " EVIL);
	char *page = page_of(&r, 1);
	text_lacks(page, "<script");
	text_lacks(page, "</script");
	text_contains(page, "Content-Security-Policy\" content=\"default-src 'none';");
	text_contains(page, "<td>rate&lt;script&gt;");
	text_contains(page, "<li>reason &lt;script&gt;");
	text_contains(page, "<h2>Table &lt;script&gt;");
	text_contains(page, "<th>p50 &lt;script&gt;");
	text_contains(page, "<td class=\"word\">&lt;script&gt;");
	text_contains(page, "<th>highest &lt;script&gt;");
	text_contains(page, "dns64bench &#39;&lt;script&gt;alert(");
	/* Nothing is fetched from elsewhere; the names of XML are not addresses. */
	text_lacks(page, "src=");
	text_lacks(page, "@import");
	text_lacks(page, "href=\"http");
	free(page);
	bench_run_free(r);
}
END_TEST

START_TEST(page_has_settings_and_tables)
{
	struct bench_run *r = new_run(3);
	char *page = page_of(&r, 1);

	text_contains(page, "<span class=\"good\">good</span>");
	text_contains(page, "<tr><th>loss</th><td>12.5 %</td></tr>");
	text_contains(page, "<tr><td>2</td><td>0.500</td>");
	text_contains(page, "<tr><th>list</th>");
	text_contains(page, "<tr><th>kernel</th>");
	text_contains(page, "<tr><th>command</th><td><code>dns64bench ");
	text_contains(page, "<h2>Settings and machine</h2>");
	text_contains(page, "<small>ms</small>");
	text_lacks(page, "<details>");
	text_lacks(page, "<a href");
	text_contains(page, "</body>\n</html>\n");
	free(page);
	bench_run_free(r);
}
END_TEST

START_TEST(several_runs_stand_beside_each_other)
{
	struct bench_run *runs[] = { new_run(41), new_run(1), new_run(0) };

	bench_run_interrupted(runs[0]);
	bench_run_fail(runs[1], "too slow");
	bench_run_set(runs[0], "threads", json_integer(1));
	bench_run_set(runs[1], "threads", json_integer(2));
	bench_run_find(runs[1], "loss", json_real(1.5), "%");
	bench_run_find(runs[2], "rtt", json_real(3), "us");
	char *page = page_of(runs, 3);
	text_contains(page, "<th></th><th>old</th><th>new</th><th>&lt;b&gt;</th>");
	text_contains(page, "<span class=\"bad\">interrupted</span>");
	text_contains(page, "<span class=\"bad\">failed</span><ul><li>too slow</li></ul>");
	/* What differs is above, what does not is folded. */
	const char *folded = strstr(page, "the same in all runs");
	ck_assert_ptr_nonnull(folded);
	text_lacks(folded, "<th>threads</th>");
	text_contains(page,
	    "<th>threads</th><td><span>1</span></td><td><span>2</span></td>"
	    "<td><span>-</span></td>");
	text_contains(folded, "<tr><th>list</th><td><span>");
	text_contains(folded, "<tr><th>kernel</th><td><span>");
	ck_assert_ptr_null(strstr(strstr(folded, "<th>list</th>") + 1, "<th>list</th>"));
	/* Each finding once; the second of a name is another one. */
	text_contains(page, "<th>loss</th><td>12.5 %</td><td>12.5 %</td><td>12.5 %</td></tr>");
	text_contains(page, "<th>loss</th><td>- </td><td>1.5 %</td><td>- </td></tr>");
	text_contains(page, "<th>rtt</th><td>- </td><td>- </td><td>3 us</td></tr>");
	/* The table once, with those that have rows; long ones are folded. */
	const char *title = strstr(page, "<h2>Table ");
	ck_assert_ptr_nonnull(title);
	text_lacks(title + 1, "<h2>Table ");
	text_contains(title, "<h3>old</h3><details><summary>41 rows</summary>");
	text_contains(title, "<h3>new</h3>");
	text_lacks(title, "<h3>&lt;b&gt;</h3>");
	free(page);
	for (size_t i = 0; i < 3; i++)
		bench_run_free(runs[i]);
}
END_TEST

START_TEST(without_gnuplot_there_is_a_note)
{
	struct bench_run *r = new_run(3);
	char saved[4096];

	(void)snprintf(saved, sizeof(saved), "%s", getenv("PATH"));
	ck_assert_int_eq(setenv("PATH", "/nowhere", 1), 0);
	char *page = page_of(&r, 1);
	(void)setenv("PATH", saved, 1);
	text_contains(page, "<p class=\"note\">No picture: there is no gnuplot");
	text_contains(page, "<td>0.500</td>");
	text_lacks(page, "<svg");
	free(page);
	bench_run_free(r);
}
END_TEST

/* How often WORD is in TEXT. */
static size_t
count(const char *text, const char *word)
{
	size_t n = 0;

	for (; (text = strstr(text, word)) != NULL; text++)
		n++;
	return n;
}

START_TEST(pictures_are_of_all_runs)
{
	struct bench_run *runs[] = { new_run(3), new_run(4) };
	char *one = page_of(runs, 1), *page = page_of(runs, 2);

	/* One chart, of one run or of two. */
	ck_assert_uint_eq(count(one, "<figure>"), 1);
	ck_assert_uint_eq(count(page, "<figure>"), 1);
	text_contains(page, "<figure>\n<svg");
	text_contains(page, ">old</text>");
	text_contains(page, ">new</text>");
	text_contains(page, "id='p1-gpDot'");
	text_lacks(page, "id='gpDot'");
	text_lacks(page, "<?xml");
	text_lacks(page, "No picture");
	/* It has no ground of its own: by dark the page's is seen. */
	text_lacks(page, "fill=\"#ffffff\"");
	free(one);
	free(page);
	bench_run_free(runs[0]);
	bench_run_free(runs[1]);
}
END_TEST

START_TEST(pictures_have_different_identifiers)
{
	struct bench_run *r = new_run(3);
	struct bench_table *t = bench_run_table(r, "other", "Other", columns, 3);

	bench_table_add(t, json_pack("[i,f,s]", 1, 1.0, "x"));
	bench_table_add(t, json_pack("[i,f,s]", 2, 1.0, "x"));
	char *page = page_of(&r, 1);
	text_contains(page, "id='p1-gpDot'");
	text_contains(page, "id='p2-gpDot'");
	text_lacks(page, "id='gpDot'");
	free(page);
	bench_run_free(r);
}
END_TEST

/* The run in JSON with one octet changed: a page, or a message; never anything else. */
START_TEST(damaged_run_gives_a_page_or_a_message)
{
	static const char odd[] = "\"{}[]:,0-xn";
	struct bench_run *r = new_run(2);
	char path[SCRATCH_PATH], error[BENCH_RUN_ERROR], text[8192];
	size_t n_pages = 0;

	ck_assert_int_eq(setenv("PATH", "/nowhere", 1), 0);
	(void)close(scratch_file(path));
	ck_assert_int_eq(bench_run_write_json(r, path), 0);
	bench_run_free(r);
	size_t n = strlen(text_read(path, text, sizeof(text)));
	for (size_t i = 0; i < n; i++) {
		char saved = text[i];

		text[i] = odd[i % (sizeof(odd) - 1)];
		text_write(path, text, n);
		text[i] = saved;
		r = bench_run_read(path, error);
		if (r == NULL)
			continue;
		char *page = page_of(&r, 1);
		text_contains(page, "</html>");
		text_lacks(page, "<script");
		free(page);
		bench_run_free(r);
		n_pages++;
	}
	ck_assert_uint_gt(n_pages, 100);
	(void)unlink(path);
}
END_TEST

/* bench_report with the words of LINE; what it tells, to ERRORS. */
static int
report(char *const *paths, size_t n, const char *out, char errors[static 1024])
{
	FILE *f = tmpfile();

	ck_assert_ptr_nonnull(f);
	const struct bench_plot_wish to = { .path = out };
	int code = bench_report(&to, paths, n, f);
	(void)text_of(f, errors, 1024);
	return code;
}

START_TEST(bad_file_leaves_no_page)
{
	char run[SCRATCH_PATH], out[SCRATCH_PATH], bad[SCRATCH_PATH], errors[1024];
	char *good_and_bad[] = { run, bad }, *twice[] = { run, run };
	struct bench_run *r = new_run(2);

	(void)close(scratch_file(run));
	(void)close(scratch_file(out));
	(void)close(scratch_file(bad));
	ck_assert_int_eq(bench_run_write_json(r, run), 0);
	bench_run_free(r);
	text_write(bad, "{\n]", 3);

	/* Nothing is written when one of the files is bad. */
	ck_assert_int_eq(report(good_and_bad, 2, out, errors), 2);
	text_contains(errors, bad);
	text_contains(errors, ":2: ");
	char *page = malloc(PAGE);
	ck_assert_ptr_nonnull(page);
	ck_assert_str_eq(text_read(out, page, PAGE), "");
	ck_assert_int_eq(report(twice, 2, out, errors), 0);
	ck_assert_str_eq(errors, "");
	text_contains(text_read(out, page, PAGE), " (2)</th>");
	free(page);
	ck_assert_int_eq(report(twice, 1, "/dev/full", errors), 1);
	text_contains(errors, "/dev/full: No space left");
	(void)unlink(run);
	(void)unlink(out);
	(void)unlink(bad);
}
END_TEST

START_TEST(runs_are_called_as_wished)
{
	char run[SCRATCH_PATH], out[SCRATCH_PATH], named[SCRATCH_PATH + 8], errors[1024];
	char *words[] = { named, run };
	struct bench_run *r = new_run(2);

	(void)close(scratch_file(run));
	(void)close(scratch_file(out));
	ck_assert_int_eq(bench_run_write_json(r, run), 0);
	bench_run_free(r);
	(void)snprintf(named, sizeof(named), "mine=%s", run);
	ck_assert_int_eq(report(words, 2, out, errors), 0);
	char *page = malloc(PAGE);
	ck_assert_ptr_nonnull(page);
	text_contains(text_read(out, page, PAGE), "<th></th><th>mine</th>");
	text_contains(page, strrchr(run, '/') + 1);
	free(page);
	(void)unlink(run);
	(void)unlink(out);
}
END_TEST

START_TEST(report_may_be_a_picture)
{
	char dir[SCRATCH_PATH], run[SCRATCH_PATH], out[2 * SCRATCH_PATH], errors[1024];
	char *words[] = { run, run };
	struct bench_run *r = new_run(2);

	scratch_dir(dir);
	(void)close(scratch_file(run));
	ck_assert_int_eq(bench_run_write_json(r, run), 0);
	bench_run_free(r);
	(void)snprintf(out, sizeof(out), "%s/x.pdf", dir);
	ck_assert_int_eq(report(words, 2, out, errors), 0);
	ck_assert_str_eq(errors, "");
	ck_assert_int_eq(unlink(out), 0);
	ck_assert_int_eq(rmdir(dir), 0);
	ck_assert_int_eq(report(words, 2, out, errors), 1);
	text_contains(errors, "x.pdf: No such file");
	(void)unlink(run);
}
END_TEST

static void
add_report(TCase *tc)
{
	char error[BENCH_PLOT_ERROR];

	tcase_add_test(tc, text_of_a_run_cannot_be_markup);
	tcase_add_test(tc, page_has_settings_and_tables);
	tcase_add_test(tc, several_runs_stand_beside_each_other);
	tcase_add_test(tc, without_gnuplot_there_is_a_note);
	if (bench_plot_ready("x.svg", error)) {
		tcase_add_test(tc, pictures_are_of_all_runs);
		tcase_add_test(tc, pictures_have_different_identifiers);
		tcase_add_test(tc, report_may_be_a_picture);
	} else {
		(void)printf("no pictures: %s\n", error);
	}
	tcase_add_test(tc, bad_file_leaves_no_page);
	tcase_add_test(tc, runs_are_called_as_wished);
	tcase_add_test(tc, damaged_run_gives_a_page_or_a_message); /* the last: it leaves no PATH */
}

void
tests_add(TCase *tc)
{
	add_html(tc);
	add_report(tc);
}
