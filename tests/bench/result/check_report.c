/* SPDX-License-Identifier: BSD-2-Clause */
/* HTML pages of runs, and the pieces that they are made of. */

#include "bench/result/report.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/result/plot.h"
#include "support/scratch.h"
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
add_html(Suite *s)
{
	TCase *tc = tcase_create("HTML");

	tcase_add_test(tc, text_is_escaped);
	tcase_add_test(tc, picture_gets_identifiers_of_its_own);
	tcase_add_test(tc, what_is_no_picture_is_left_out);
	suite_add_tcase(s, tc);
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

/* The page of N runs, the caller's. */
static char *
page_of(struct bench_run *const *runs, size_t n)
{
	char *page = malloc(PAGE);
	FILE *f = tmpfile();

	ck_assert_ptr_nonnull(page);
	ck_assert_ptr_nonnull(f);
	bench_report_page(f, runs, n);
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
	text_contains(page, "<h2>rate&lt;script&gt;");
	text_contains(page, "<li>reason &lt;script&gt;");
	text_contains(page, "<h3>Table &lt;script&gt;");
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
	text_contains(page, "<tr><th>machine of the tester</th>");
	text_contains(page, "<small>ms</small>");
	text_lacks(page, "<details>");
	text_lacks(page, "<a href");
	text_contains(page, "</body>\n</html>\n");
	free(page);
	bench_run_free(r);
}
END_TEST

START_TEST(several_runs_are_on_one_page)
{
	struct bench_run *runs[] = { new_run(41), new_run(1) };

	bench_run_interrupted(runs[0]);
	bench_run_fail(runs[1], "too slow");
	char *page = page_of(runs, 2);
	text_contains(page, "<a href=\"#run1\">");
	text_contains(page, "<section id=\"run2\">");
	text_contains(page, "<span class=\"bad\">interrupted</span>");
	text_contains(page, "<span class=\"bad\">failed</span>");
	text_contains(page, "<li>too slow</li>");
	/* Long tables are folded. */
	text_contains(page, "<details><summary>41 rows</summary>");
	free(page);
	bench_run_free(runs[0]);
	bench_run_free(runs[1]);
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

START_TEST(pictures_have_different_identifiers)
{
	struct bench_run *runs[] = { new_run(3), new_run(4) };
	char *page = page_of(runs, 2);

	text_contains(page, "<figure>\n<svg");
	text_contains(page, "id='p1-gpDot'");
	text_contains(page, "id='p2-gpDot'");
	text_lacks(page, "id='gpDot'");
	text_lacks(page, "<?xml");
	text_lacks(page, "No picture");
	free(page);
	bench_run_free(runs[0]);
	bench_run_free(runs[1]);
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
	int code = bench_report(out, paths, n, f);
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
	text_contains(text_read(out, page, PAGE), "<section id=\"run2\">");
	free(page);
	ck_assert_int_eq(report(twice, 1, "/dev/full", errors), 1);
	text_contains(errors, "/dev/full: No space left");
	(void)unlink(run);
	(void)unlink(out);
	(void)unlink(bad);
}
END_TEST

static void
add_report(Suite *s)
{
	TCase *tc = tcase_create("report");
	char error[BENCH_PLOT_ERROR];

	tcase_add_test(tc, text_of_a_run_cannot_be_markup);
	tcase_add_test(tc, page_has_settings_and_tables);
	tcase_add_test(tc, several_runs_are_on_one_page);
	tcase_add_test(tc, without_gnuplot_there_is_a_note);
	if (bench_plot_ready("x.svg", error))
		tcase_add_test(tc, pictures_have_different_identifiers);
	else
		(void)printf("no pictures: %s\n", error);
	tcase_add_test(tc, bad_file_leaves_no_page);
	tcase_add_test(tc, damaged_run_gives_a_page_or_a_message); /* the last: it leaves no PATH */
	suite_add_tcase(s, tc);
}

int
main(void)
{
	Suite *s = suite_create("bench_report");

	add_html(s);
	add_report(s);

	SRunner *sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	int failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
