/* SPDX-License-Identifier: BSD-2-Clause */
/* Pictures: which charts a table makes, the script for gnuplot, and gnuplot itself where it is
 * there. */

#include "bench/result/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/result/text.h"
#include "support/scratch.h"
#include "support/tests.h"
#include "support/text.h"

/* --- plot ------------------------------------------------------------------------------------- */

/* The script for gnuplot is a function of the run; and if gnuplot is there, it draws by it. */

#define TEXT 16000

static const struct bench_column steps[] = {
	{ "clients", "clients", "", 0 },
	{ "rate_median", "rate", "1/s", 0 },
	{ "rate_p1", "p1", "1/s", 0 },
	{ "rate_p99", "p99", "1/s", 0 },
	{ "rtt_mean", "mean", "us", 1 },
	{ "rtt_deviation", "deviation", "us", 1 },
	{ "rtt_p99", "it's '<p99>'\n", "us", 1 },
};
static const struct bench_column distribution[] = {
	{ "percentile", "percentile", "%", 1 },
	{ "rtt", "RTT", "ms", 3 },
};
static const struct bench_column servers[] = {
	{ "server", "server", "", 0 },
	{ "rate_median", "rate", "1/s", 0 },
	{ "rate_p1", "p1", "1/s", 0 },
	{ "rate_p99", "p99", "1/s", 0 },
	{ "rate_hits", "hits", "1/s", 0 },
};

static struct bench_run *
new_run(void)
{
	char name[] = "dns64bench";
	char *argv[] = { name, NULL };
	struct bench_run *r = bench_run_new("closed", 1, argv);

	ck_assert_ptr_nonnull(r);
	struct bench_table *t = bench_run_table(r, "steps", "Steps", steps, 7);
	bench_table_add(t, json_pack("[i,i,i,i,f,f,f]", 1, 100, 90, 110, 50.5, 2.0, 80.0));
	bench_table_add(t, json_pack("[i,n,n,n,f,f,f]", 2, 60.5, 3.0, 90.0));
	bench_table_add(t, json_pack("[i,i,i,i,f,f,f]", 3, 300, 290, 310, 70.5, 4.0, 99.0));
	t = bench_run_table(r, "rtt", "Distribution", distribution, 2);
	bench_table_add(t, json_pack("[i,f]", 50, 0.1));
	bench_table_add(t, json_pack("[f,f]", 99.9, 0.5));
	bench_table_add(t, json_pack("[i,f]", 100, 1.5));
	t = bench_run_table(r, "servers", "Servers", servers, 5);
	bench_table_add(t, json_pack("[s,i,i,i,i]", "one's", 10, 9, 11, 20));
	bench_table_add(t, json_pack("[s,i,i,i,i]", "$t; !touch x", 5, 4, 6, 9));
	t = bench_run_table(r, "counts", "Counts", steps, 1);
	bench_table_add(t, json_pack("[i]", 1));
	bench_table_add(t, json_pack("[i]", 2));
	return r;
}

/* The script for the run's N tables from FIRST; chart ONLY of the first. Returns their charts. */
static size_t
script_only(size_t first, size_t n, size_t only, bool titles, char text[static TEXT])
{
	struct bench_run *r = new_run();
	struct bench_figure *figures[4];
	const struct bench_picture p = {
		.figures = figures, .n = n, .only = only, .format = BENCH_PLOT_SVG, .titles = titles
	};
	FILE *f = tmpfile();
	size_t n_charts = 0;

	ck_assert_ptr_nonnull(f);
	for (size_t i = 0; i < n; i++) {
		const struct bench_plot_source of = {
			json_array_get(json_object_get(bench_run_tree(r), "tables"), first + i), ""
		};
		figures[i] = bench_plot_choose(&of, 1);
		ck_assert_ptr_nonnull(figures[i]);
		n_charts += figures[i]->n;
	}
	bench_plot_script(f, &p);
	(void)text_of(f, text, TEXT);
	for (size_t i = 0; i < n; i++)
		bench_plot_drop(figures[i]);
	bench_run_free(r);
	return n_charts;
}

static size_t
script(size_t first, size_t n, char text[static TEXT])
{
	return script_only(first, n, BENCH_PLOT_ALL, false, text);
}

START_TEST(curves_are_drawn_by_rate)
{
	char text[TEXT];

	ck_assert_uint_eq(script(0, 1, text), 2);
	text_contains(text, "set terminal svg size 333,");
	/* A value and its bar; where there is none, nothing. */
	text_contains(text,
	    "$d1 << END\n1 100 90 110 NaN NaN\n2 NaN NaN NaN NaN NaN\n3 300 290 310 NaN "
	    "NaN\nEND\n");
	text_contains(text,
	    "plot $d1 using 1:2 with linespoints lt 1 notitle, \\\n"
	    "    $d1 using 1:3:(0):($4-$3) with vectors heads");
	/* Few clients: a tick for each. The axis of rates begins at zero and ends at a tick. */
	text_contains(text, "set xrange [0.94:3.06]\nset xtics norotate ('1' 1, '2' 2, '3' 3)\n");
	text_contains(text,
	    "set yrange [0:400]\nset ytics norotate ('0' 0, '100' 100, '200' 200, '300' 300, "
	    "'400' 400)\n");
	text_contains(text, "set label 'rate (1/s)' at screen");
	text_contains(text, "set label 'bars: p1 to p99' at screen");
	text_contains(text, "set label 'RTT (µs)' at screen");
	/* Of two curves with different bars each says what they are. */
	text_contains(text, "set label 'mean (bars: standard deviation)' at screen");
	text_contains(text, "set label 'it''s ''<p99>'' ' at screen");
	text_lacks(text, "'Steps'");
	/* What is along the x axis stands below the last chart only. */
	const char *first = strstr(text, "set label 'clients'");
	ck_assert_ptr_nonnull(first);
	text_lacks(first + strlen("set label 'c"), "'clients'");
	ck_assert_ptr_nonnull(strstr(first, "'RTT (µs)'"));
}
END_TEST

START_TEST(one_panel_has_all_that_it_needs)
{
	char text[TEXT];

	(void)script_only(0, 1, 0, true, text);
	text_contains(text, "set label 'Steps' at screen");
	text_contains(text, "set label 'clients' at screen");
	text_contains(text, "set label 'rate (1/s)' at screen");
	text_contains(text, "set xtics offset"); /* that of SVG has them far below */
	text_lacks(text, "RTT");
}
END_TEST

START_TEST(percentiles_have_a_log_axis)
{
	char text[TEXT];

	ck_assert_uint_eq(script(1, 1, text), 1);
	text_contains(text, "\n2 0.1 0.1 0.1 NaN NaN\n1000 0.5 0.5 0.5 NaN NaN\nNaN 1.5 ");
	text_contains(text,
	    "set logscale x\nset xrange [1.75999824:1120.00112]\n"
	    "set xtics norotate ('50' 2, '90' 10, '99' 100, '99.9' 1000)\n");
	text_contains(text, "set label 'percentile (%)'");
	text_contains(text, "set label 'RTT (ms)'");
}
END_TEST

START_TEST(words_become_bars)
{
	char text[TEXT];

	ck_assert_uint_eq(script(2, 1, text), 1);
	text_contains(text, "$d1 << END\n-0.2 10 9 11 NaN NaN\n0.8 5 4 6 NaN NaN\nEND\n");
	text_contains(text, "('one''s' 0, '$t; !touch x' 1)\n");
	text_contains(text, "plot $d1 using 1:2:(0.3680) with boxes lc '#0072b2'");
	text_contains(text, "    $d2 using 1:2:(0.3680) with boxes lc '#d55e00'");
	text_contains(text, "set object rectangle");
	text_contains(text, "set label 'hits' at screen");
	text_lacks(text, "set label 'server'");
}
END_TEST

START_TEST(table_without_figures_is_not_drawn)
{
	char text[TEXT];

	ck_assert_uint_eq(script(3, 1, text), 0);
	text_lacks(text, "plot $");
	ck_assert_uint_eq(script(0, 4, text), 4);
}
END_TEST

START_TEST(file_name_gives_the_format)
{
	char error[BENCH_PLOT_ERROR] = "";

	ck_assert_int_eq(bench_plot_format("a.png"), BENCH_PLOT_PNG);
	ck_assert_int_eq(bench_plot_format("a.png.svg"), BENCH_PLOT_SVG);
	ck_assert_int_eq(bench_plot_format("png"), BENCH_PLOT_UNKNOWN);
	ck_assert_int_eq(bench_plot_format("a.b/c.pdf"), BENCH_PLOT_PDF);
	ck_assert_int_eq(bench_plot_format("a.eps"), BENCH_PLOT_UNKNOWN);
	ck_assert(!bench_plot_ready("a.eps", error));
	text_contains(error, "a.eps: pictures end in .png, .svg or .pdf");
}
END_TEST

/* Is the run R drawn to PATH? */
static bool
written(
    const struct bench_run *r, const char *path, bool panels, char error[static BENCH_PLOT_ERROR])
{
	const struct bench_plot_run run = { bench_run_tree(r), "" };
	const struct bench_plot_wish wish = { path, false, panels };

	return bench_plot_write(&run, 1, &wish, error);
}

START_TEST(without_gnuplot_it_is_told_before_the_run)
{
	char path[] = "/nowhere/x.svg", error[BENCH_PLOT_ERROR] = "", saved[4096];
	struct bench_run *r = new_run();

	(void)snprintf(saved, sizeof(saved), "%s", getenv("PATH"));
	ck_assert_int_eq(setenv("PATH", "/nowhere", 1), 0);
	ck_assert(!bench_plot_ready(path, error));
	text_contains(error, "there is no gnuplot");
	error[0] = '\0';
	ck_assert(!written(r, path, false, error));
	text_contains(error, "there is no gnuplot");
	(void)setenv("PATH", saved, 1);
	bench_run_free(r);
}
END_TEST

/* A path in the directory DIR, to PATH. */
static const char *
in(const char *dir, const char *name, char path[static 2 * SCRATCH_PATH])
{
	(void)snprintf(path, 2 * SCRATCH_PATH, "%s/%s", dir, name);
	return path;
}

/* Does the file NAME in DIR begin with HEAD? It is removed then. */
static bool
begins(const char *dir, const char *name, const char *head)
{
	char path[2 * SCRATCH_PATH], octets[8] = "";
	FILE *f = fopen(in(dir, name, path), "r");
	size_t n = strlen(head);

	if (f == NULL)
		return false;
	ck_assert_uint_eq(fread(octets, 1, n, f), n);
	(void)fclose(f);
	return memcmp(octets, head, n) == 0 && unlink(path) == 0;
}

START_TEST(pictures_are_written)
{
	char dir[SCRATCH_PATH], path[2 * SCRATCH_PATH], error[BENCH_PLOT_ERROR] = "";
	struct bench_run *r = new_run();

	scratch_dir(dir);
	ck_assert_msg(written(r, in(dir, "x.png", path), false, error), "%s", error);
	ck_assert_msg(written(r, in(dir, "x.pdf", path), false, error), "%s", error);
	ck_assert_msg(written(r, in(dir, "x.svg", path), false, error), "%s", error);
	char *text = calloc(1, 1000000);
	ck_assert_ptr_nonnull(text);
	(void)text_read(path, text, 1000000);
	text_contains(text, "</svg>");
	text_contains(text, ">RTT (µs)<");
	text_contains(text, ">it's '&lt;p99");
	text_lacks(text, "<p99>");
	free(text);
	ck_assert(begins(dir, "x.png", "\x89PNG\r\n"));
	ck_assert(begins(dir, "x.pdf", "%PDF-1"));
	ck_assert(begins(dir, "x.svg", "<?xml"));
	/* The picture is all that was left behind. */
	ck_assert_int_eq(rmdir(dir), 0);
	ck_assert(!written(r, in(dir, "x.png", path), false, error));
	text_contains(error, "x.png: No such file or directory");
	bench_run_free(r);
}
END_TEST

START_TEST(panels_are_files_called_by_what_they_show)
{
	char dir[SCRATCH_PATH], path[2 * SCRATCH_PATH], error[BENCH_PLOT_ERROR] = "";
	struct bench_run *r = new_run();

	scratch_dir(dir);
	ck_assert_msg(written(r, in(dir, "x.y.svg", path), true, error), "%s", error);
	ck_assert(begins(dir, "x.y-steps-rate.svg", "<?xml"));
	ck_assert(begins(dir, "x.y-steps-rtt.svg", "<?xml"));
	ck_assert(begins(dir, "x.y-rtt.svg", "<?xml"));
	ck_assert(begins(dir, "x.y-servers.svg", "<?xml"));
	ck_assert_int_eq(rmdir(dir), 0);
	bench_run_free(r);
}
END_TEST

static void
add_plot(TCase *tc)
{
	char error[BENCH_PLOT_ERROR];

	tcase_add_test(tc, curves_are_drawn_by_rate);
	tcase_add_test(tc, one_panel_has_all_that_it_needs);
	tcase_add_test(tc, percentiles_have_a_log_axis);
	tcase_add_test(tc, words_become_bars);
	tcase_add_test(tc, table_without_figures_is_not_drawn);
	tcase_add_test(tc, file_name_gives_the_format);
	tcase_add_test(tc, without_gnuplot_it_is_told_before_the_run);
	if (bench_plot_ready("x.svg", error)) {
		tcase_add_test(tc, pictures_are_written);
		tcase_add_test(tc, panels_are_files_called_by_what_they_show);
	} else {
		(void)printf("not drawn: %s\n", error);
	}
}

/* --- gnuplot ---------------------------------------------------------------------------------- */

/* A program that draws: there or not, good or not. Other programs play its part. */

#define SAID 1024

static FILE *
script_of(const char *text)
{
	FILE *f = tmpfile();

	ck_assert_ptr_nonnull(f);
	(void)fputs(text, f);
	return f;
}

/* A program of a new name that does BODY, to PATH. */
static void
program(const char *body, char path[static SCRATCH_PATH])
{
	(void)close(scratch_file(path));
	text_write(path, body, strlen(body));
	ck_assert_int_eq(chmod(path, 0700), 0);
}

/* What the program with BODY says when it has to draw; the picture to SAID. */
static bool
draws(const char *body, char text[static SAID], char error[static SAID])
{
	FILE *script = script_of("the script");
	char path[SCRATCH_PATH];

	program(body, path);
	error[0] = '\0';
	FILE *picture = bench_plot_run(path, script, error, SAID);
	(void)fclose(script);
	(void)unlink(path);
	if (picture != NULL)
		(void)text_of(picture, text, SAID);
	return picture != NULL;
}

START_TEST(script_reaches_gnuplot)
{
	char text[SAID], error[SAID];

	ck_assert(draws("#!/bin/sh\necho \"$@\"\nexec cat\n", text, error));
	ck_assert_str_eq(text, "-d -\nthe script");
}
END_TEST

START_TEST(failing_gnuplot_is_told_in_its_words)
{
	char text[SAID], error[SAID];

	ck_assert(!draws("#!/bin/sh\necho half\necho 'plot x' >&2\n"
			 "echo '     ^' >&2\necho '  no such thing' >&2\necho >&2\nexit 3\n",
	    text, error));
	text_contains(error, "ended with 3: no such thing");
	ck_assert(!draws("#!/bin/sh\nexit 1\n", text, error));
	text_contains(error, "ended with 1: it said nothing");
	ck_assert(!draws("#!/bin/sh\nkill -9 $$\n", text, error));
	text_contains(error, "ended by signal 9");
	ck_assert(!draws("#!/bin/sh\nexit 0\n", text, error));
	text_contains(error, "drew nothing");
}
END_TEST

START_TEST(missing_gnuplot_is_told)
{
	FILE *script = script_of("");
	char error[SAID] = "";

	ck_assert(!bench_plot_can("/nowhere/gnuplot", "svg", error, SAID));
	text_contains(error, "there is no /nowhere/gnuplot");
	text_contains(error, "gnuplot-nox");
	error[0] = '\0';
	ck_assert_ptr_null(bench_plot_run("/nowhere/gnuplot", script, error, SAID));
	text_contains(error, "there is no /nowhere/gnuplot");
	ck_assert(!bench_plot_can("/", "svg", error, SAID));
	(void)fclose(script);
}
END_TEST

START_TEST(working_gnuplot_is_found)
{
	char path[SCRATCH_PATH], error[SAID] = "";

	program(
	    "#!/bin/sh\n[ \"$*\" = --version ] || [ \"$*\" = '-d -e set terminal svg' ]\n", path);
	ck_assert_msg(bench_plot_can(path, "svg", error, SAID), "%s", error);
	ck_assert(!bench_plot_can(path, "pdfcairo", error, SAID));
	text_contains(error, "has no terminal \"pdfcairo\"");
	(void)unlink(path);
}
END_TEST

static void
add_gnuplot(TCase *tc)
{
	tcase_add_test(tc, script_reaches_gnuplot);
	tcase_add_test(tc, failing_gnuplot_is_told_in_its_words);
	tcase_add_test(tc, missing_gnuplot_is_told);
	tcase_add_test(tc, working_gnuplot_is_found);
}

/* --- chart ------------------------------------------------------------------------------------ */

/* What a table makes one draw, by its columns. */

/* A table of COLUMNS ("name unit", ...) and ROWS (JSON). Titles are names in brackets. */
static json_t *
table_of(const char *columns, const char *rows)
{
	char copy[512], *rest = copy;
	json_t *list = json_array();

	(void)strncpy(copy, columns, sizeof(copy) - 1);
	copy[sizeof(copy) - 1] = '\0';
	for (char *part; (part = strsep(&rest, ",")) != NULL;) {
		char *unit = strchr(part, ' ');

		ck_assert_ptr_nonnull(unit);
		*unit++ = '\0';
		(void)json_array_append_new(list,
		    json_pack(
			"{ss,ss+++,ss}", "name", part, "title", "[", part, "]", "", "unit", unit));
	}
	json_t *table = json_pack("{so,so}", "columns", list, "rows", json_loads(rows, 0, NULL));
	ck_assert_ptr_nonnull(table);
	return table;
}

/* The figure in a line: for each chart label, unit, "log" and curves "value:low:high". */
static const char *
figure_of(const char *columns, const char *rows, char text[static 1024])
{
	json_t *table = table_of(columns, rows);
	const struct bench_plot_source of = { table, "" };
	struct bench_figure *f = bench_plot_choose(&of, 1);
	FILE *out = fmemopen(text, 1024, "w");

	ck_assert_ptr_nonnull(out);
	ck_assert_ptr_nonnull(f);
	text[0] = '\0';
	for (size_t i = 0; i < f->n; i++) {
		const struct bench_chart *p = &f->charts[i];

		(void)fprintf(out, "%s%s %s%s", i > 0 ? "; " : "", p->label, p->shown,
		    p->y.logarithmic ? " log" : "");
		for (size_t k = 0; k < p->n; k++) {
			const struct bench_curve *c = &p->curves[k];

			(void)fprintf(out, " %zu", c->value);
			if (c->spread != BENCH_SPREAD_NONE)
				(void)fprintf(out, ":%zu:%zu", c->low, c->high);
			if (c->q1 != 0)
				(void)fprintf(out, "(%zu:%zu)", c->q1, c->q3);
			(void)fputs(c->ideal ? " ideal" : "", out);
		}
	}
	(void)fclose(out);
	bench_plot_drop(f);
	json_decref(table);
	return text;
}

static const struct {
	const char *columns, *rows, *figure;
} figures[] = {
	/* Counts are not drawn, neither are words. */
	{ "n ,valid ", "[[1, 2], [2, 3]]", "" },
	{ "n ,who 1/s", "[[1, \"x\"], [2, \"y\"]]", "" },
	{ "n ,valid 1/s", "[[1, null], [2, null]]", "" },
	{ "n ,valid 1/s", "[[null, 1], [null, 2]]", "" },
	{ "n ,valid 1/s", "[]", "" },
	{ "n ,valid 1/s", "[[1, 2]]", "[valid] 1/s 1" },
	{ "n ,valid 1/s", "[[1, 2], [2, null]]", "[valid] 1/s 1" },
	{ "who ,rate 1/s", "[[\"a\", 2], [\"b\", 3]]", "[rate] 1/s 1" },
	/* The same unit and first word: one chart. */
	{ "n ,rtt_p50 ms,cpu_user %,rtt_p99 ms,cpu_system %,loss %",
	    "[[1, 1, 1, 1, 1, 1], [2, 2, 2, 2, 2, 2]]", "RTT ms 1 3; CPU % 2 4; [loss] % 5" },
	{ "n ,throughput_a 1/s,throughput_b 1/s", "[[1, 1, 1], [2, 2, 2]]", "rate 1/s 1 2" },
	{ "n ,throughput_a bit/s,throughput_b bit/s", "[[1, 1, 1], [2, 2, 2]]",
	    "throughput bit/s 1 2" },
	{ "n ,rtt-p99_1 us,rtt-p99_2 us", "[[1, 1, 1], [2, 2, 2]]", "RTT p99 µs 1 2" },
	{ "n ,CPU-per-answer_1 us,CPU-per-answer_2 us", "[[1, 1, 1], [2, 2, 2]]",
	    "CPU per answer µs 1 2" },
	{ "n ,server_cpu %,server_cpu_per_loop %", "[[1, 1, 1], [2, 2, 2]]", "[server_cpu] % 1 2" },
	{ "n ,server_cpu %,server_cpus %", "[[1, 1, 1], [2, 2, 2]]", "share % 1 2" },
	/* Spread: the best that there is, and has values. */
	{ "n ,r_median 1/s,r_p1 1/s,r_p99 1/s", "[[1, 1, 1, 1], [2, 2, 2, 2]]",
	    "[r_median] 1/s 1:2:3" },
	{ "n ,r_p1 1/s,r_p99 1/s,r 1/s", "[[1, 1, 1, 1], [2, 2, 2, 2]]", "[r] 1/s 3:1:2" },
	{ "n ,time_mean s,time_deviation s", "[[1, 1, 1], [2, 2, 2]]", "[time_mean] s 1:2:2" },
	{ "n ,t_mean s,t_deviation s,t_p1 s,t_p99 s", "[[1, 1, 1, 1, 1], [2, 2, 2, 2, 2]]",
	    "[t_mean] s 1:2:2" },
	{ "n ,t s,t_deviation s,t_p1 s,t_p99 s,t_min s,t_max s",
	    "[[1, 1, 1, 1, 1, 1, 1], [2, 2, 2, 2, 2, 2, 2]]", "[t] s 1:3:4" },
	{ "n ,t s,t_deviation s,t_p1 s,t_p99 s,t_min s,t_max s",
	    "[[1, 1, 1, null, null, 1, 1], [2, 2, 2, null, null, 2, 2]]", "[t] s 1:2:2" },
	{ "n ,t_median s,t_min ,t_max ", "[[1, 1, 1, 1], [2, 2, 2, 2]]", "[t_median] s 1:2:3" },
	{ "n ,t s,t_p1 s,t_p99 s,t_q1 s,t_q3 s", "[[1, 1, 1, 1, 1, 1], [2, 2, 2, 2, 2, 2]]",
	    "[t] s 1:2:3(4:5)" },
	{ "n ,t s,t_q1 s,t_q3 s,t_mad s,t_margin s", "[[1, 1, 1, 1, 1, 1], [2, 2, 2, 2, 2, 2]]",
	    "[t] s 1:2:3(2:3)" },
	/* An end alone is a curve like any other. */
	{ "n ,rtt_mean us,rtt_p99 us", "[[1, 1, 1], [2, 2, 2]]", "RTT µs 1 2" },
	{ "n ,rtt_p50 us,rtt_max us", "[[1, 1, 1], [2, 2, 2]]", "RTT µs 1 2" },
	{ "n ,rtt_deviation us", "[[1, 1], [2, 2]]", "[rtt_deviation] µs 1" },
	{ "n ,rate_median 1/s,rate_ideal 1/s", "[[1, 1, 1], [2, 2, 2]]",
	    "[rate_median] 1/s 1 2 ideal" },
	/* Large values have a larger unit. */
	{ "n ,rtt us", "[[1, 9999], [2, 9999]]", "[rtt] µs 1" },
	{ "n ,rtt us", "[[1, 9999], [2, 10000]]", "[rtt] ms 1" },
	{ "n ,rtt ms,memory KiB", "[[1, 12000, 20480], [2, 12000, 20480]]",
	    "[rtt] s 1; [memory] MiB 2" },
	{ "n ,rate 1/s", "[[1, 99999], [2, 100000]]", "[rate] 1/s 1" },
	/* Times that span much, but not from zero; rates only over a logarithmic axis. */
	{ "n ,rtt_p50 ms,rtt_p99 ms", "[[1, 1, 10], [2, 2, 50]]", "RTT ms log 1 2" },
	{ "n ,rtt_p50 ms,rtt_p99 ms", "[[1, 1, 10], [2, 2, 49]]", "RTT ms 1 2" },
	{ "n ,rtt_p50 ms,rtt_p99 ms", "[[1, 0, 10], [2, 2, 50]]", "RTT ms 1 2" },
	{ "n ,rate 1/s", "[[1, 1], [2, 1000]]", "[rate] 1/s 1" },
	{ "n ,rate 1/s", "[[1, 1], [2, 3], [4, 7], [8, 10]]", "[rate] 1/s log 1" },
	/* What no logarithmic axis can show is not drawn. */
	{ "n ,rtt_mean us,rtt_deviation us,rtt_p99 us", "[[1, 1, 2, 10], [2, 2, 1, 99]]",
	    "RTT µs log 1 3" },
	{ "n ,rtt_mean us,rtt_deviation us,rtt_p99 us", "[[1, 2, 1, 10], [2, 2, 1, 100]]",
	    "RTT µs log 1:2:2 3" },
	{ "n ,rate 1/s,share %", "[[1, 1, 1], [2, 3, 3], [4, 7, 7], [8, 9, 10]]",
	    "[rate] 1/s 1; [share] % 2" },
	{ "who ,rtt_p50 ms,rtt_p99 ms", "[[\"a\", 1, 10], [\"b\", 2, 50]]", "RTT ms 1 2" },
	/* As many as can be told apart, and as fit a page. */
	{ "n ,a_1 s,a_2 s,a_3 s,a_4 s,a_5 s,a_6 s,a_7 s,a_8 s,a_9 s",
	    "[[1, 1, 1, 1, 1, 1, 1, 1, 1, 1], [2, 1, 1, 1, 1, 1, 1, 1, 1, 1]]",
	    "A s 1 2 3 4 5 6 7 8" },
};

START_TEST(figure_is_chosen_by_the_columns)
{
	char text[1024];

	ck_assert_str_eq(
	    figure_of(figures[_i].columns, figures[_i].rows, text), figures[_i].figure);
}
END_TEST

static const struct {
	const char *column, *rows;
	enum bench_axis axis;
	bool logarithmic;
	double divisor;
	const char *unit;
} axes[] = {
	{ "clients ", "[[1, 1], [2, 1], [3, 1], [4, 1]]", BENCH_AXIS_NUMBERS, false, 1, "" },
	{ "clients ", "[[1, 1], [2, 1], [4, 1], [8, 1], [16, 1], [32, 1], [64, 1]]",
	    BENCH_AXIS_NUMBERS, true, 1, "" },
	{ "clients ", "[[0, 1], [2, 1], [4, 1], [8, 1], [16, 1], [32, 1], [64, 1]]",
	    BENCH_AXIS_NUMBERS, false, 1, "" },
	{ "time s", "[[0, 1], [599, 1]]", BENCH_AXIS_NUMBERS, false, 1, "s" },
	{ "time s", "[[0, 1], [600, 1]]", BENCH_AXIS_NUMBERS, false, 60, "min" },
	{ "time s", "[[0, 1], [14400, 1]]", BENCH_AXIS_NUMBERS, false, 3600, "h" },
	{ "percentile %", "[[50, 1], [99, 1]]", BENCH_AXIS_PERCENTILES, true, 1, "%" },
	{ "clients ", "[[1, 1], [2, 1], [4, 1], [8, 1]]", BENCH_AXIS_NUMBERS, true, 1, "" },
	{ "clients ", "[[1, 1], [2, 1], [4, 1]]", BENCH_AXIS_NUMBERS, false, 1, "" },
	{ "who ", "[[\"a\", 1], [\"b\", 1]]", BENCH_AXIS_BARS, false, 1, "" },
	{ "clients ", "[[1, 1]]", BENCH_AXIS_BARS, false, 1, "" },
	{ "who ", "[[\"a\", 1]]", BENCH_AXIS_NONE, false, 1, "" },
	{ "clients ", "[[3, 1], [3, 2]]", BENCH_AXIS_BARS, false, 1, "" },
	{ "clients ", "[]", BENCH_AXIS_NONE, false, 1, "" },
	{ "clients ", "[[1, null], [2, null]]", BENCH_AXIS_NONE, false, 1, "" },
};

START_TEST(axis_is_chosen_by_the_values)
{
	char columns[64];

	(void)snprintf(columns, sizeof(columns), "%s,rate 1/s", axes[_i].column);
	json_t *table = table_of(columns, axes[_i].rows);
	const struct bench_plot_source of = { table, "" };
	struct bench_figure *f = bench_plot_choose(&of, 1);
	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(f->axis, axes[_i].axis);
	ck_assert_int_eq(f->x.logarithmic, axes[_i].logarithmic);
	ck_assert_double_eq(f->x_divisor, axes[_i].divisor);
	ck_assert_str_eq(f->x_unit, axes[_i].unit);
	bench_plot_drop(f);
	json_decref(table);
}
END_TEST

/* What is along the x axis, and where; what the table says goes before what its values suggest. */
START_TEST(categories_are_made_of_numbers_on_wish)
{
	json_t *table = table_of("n ,rate 1/s", "[[1, 100], [2, 101], [5, 102]]");
	const struct bench_plot_source of = { table, "" };

	(void)json_object_set_new(table, "axis", json_string("categories"));
	struct bench_figure *f = bench_plot_choose(&of, 1);
	ck_assert_int_eq(f->axis, BENCH_AXIS_CATEGORIES);
	ck_assert_uint_eq(json_array_size(f->words), 3);
	ck_assert_double_eq(
	    bench_plot_place(f, json_array_get(json_object_get(table, "rows"), 2)), 2);
	/* The axis is about the values, and they do not look more different than they are. */
	ck_assert_double_eq(f->charts[0].y.low, 94);
	ck_assert_double_eq(f->charts[0].y.high, 108);
	ck_assert_double_eq(bench_plot_median(f, &f->charts[0]), 101);
	bench_plot_drop(f);
	(void)json_object_set_new(table, "axis", json_string("bars"));
	f = bench_plot_choose(&of, 1);
	ck_assert_int_eq(f->axis, BENCH_AXIS_BARS);
	ck_assert_str_eq(f->charts[0].label, "rate");
	ck_assert_double_eq(f->charts[0].y.low, 0);
	ck_assert(isnan(bench_plot_median(f, &f->charts[0])));
	bench_plot_drop(f);
	json_decref(table);
}
END_TEST

/* The script for the N tables OF. */
static const char *
script_over(const struct bench_plot_source *of, size_t n, char text[static TEXT])
{
	struct bench_figure *f = bench_plot_choose(of, n);
	const struct bench_picture p = {
		.figures = &f, .n = 1, .only = BENCH_PLOT_ALL, .format = BENCH_PLOT_SVG
	};
	FILE *out = tmpfile();

	ck_assert_ptr_nonnull(f);
	ck_assert_ptr_nonnull(out);
	bench_plot_script(out, &p);
	bench_plot_drop(f);
	return text_of(out, text, TEXT);
}

#define MARK(at) "set arrow from first " at ", graph 0 to first " at ", graph 1 nohead back lc "

static json_t *
marked(double at)
{
	json_t *table =
	    table_of("time s,rtt_p50 us,rtt_p99 us,valid %", "[[0, 1, 2, 9], [1200, 1, 2, 9]]");

	(void)json_object_set_new(
	    table, "mark", json_pack("{s:f,s:s}", "at", at, "name", "it's here"));
	return table;
}

/* A mark is one line in each chart, in the unit of the axis; of several tables each has its own. */
START_TEST(mark_is_a_line_across_each_chart)
{
	json_t *table = marked(600), *other = marked(300), *outside = marked(1300);
	const struct bench_plot_source of[] = { { table, "a" }, { other, "b" }, { outside, "c" } };
	char text[TEXT];

	const char *at = strstr(script_over(of, 1, text), MARK("10") "'#555555'");
	ck_assert_ptr_nonnull(at);
	at = strstr(at + 1, "set arrow from first");
	ck_assert_ptr_nonnull(at);
	text_contains(at, MARK("10") "'#555555'");
	text_lacks(at + 1, "set arrow from first");
	text_contains(text, "set label 'it''s here' at screen");
	(void)script_over(of, 2, text);
	text_contains(text, MARK("10") "'#0072b2'");
	text_contains(text, MARK("5") "'#d55e00'");
	text_lacks(script_over(&of[2], 1, text), "set arrow from first");
	text_lacks(text, "it''s");
	(void)json_object_set_new(table, "axis", json_string("bars"));
	text_lacks(script_over(of, 1, text), "set arrow from first");
	json_decref(table);
	json_decref(other);
	json_decref(outside);
}
END_TEST

/* What is no number below zero has no axis there, however far the values are apart. */
START_TEST(categories_do_not_go_below_zero)
{
	json_t *table = table_of("n ,rtt us", "[[1, 1], [2, 100], [3, 1]]");
	const struct bench_plot_source of = { table, "" };

	(void)json_object_set_new(table, "axis", json_string("categories"));
	struct bench_figure *f = bench_plot_choose(&of, 1);
	ck_assert_double_eq(f->charts[0].y.low, 0);
	ck_assert_double_eq(f->charts[0].y.high, 100);
	bench_plot_drop(f);
	json_decref(table);
}
END_TEST

START_TEST(deviation_does_not_go_below_zero)
{
	json_t *table = table_of("n ,rtt_mean us,rtt_deviation us,t_mean us,t_deviation us",
	    "[[1, 1, 3, -1, 3], [2, 1, 3, -1, 3]]");
	const struct bench_plot_source of = { table, "" };
	struct bench_figure *f = bench_plot_choose(&of, 1);

	ck_assert_uint_eq(f->n, 2);
	ck_assert_double_eq(f->charts[0].y.low, 0);
	ck_assert_double_eq(f->charts[0].y.high, 4);
	ck_assert_double_eq(f->charts[1].y.low, -4);
	bench_plot_drop(f);
	json_decref(table);
}
END_TEST

START_TEST(tables_are_drawn_over_each_other)
{
	json_t *one = table_of(
		   "n ,rtt_p50 us,rtt_p99 us,rtt_ideal us", "[[1, 1, 2, 1], [2, 3, 4, 1]]"),
	       *other = table_of("n ,rtt_p99 us,loss %", "[[2, 5, 0], [3, 6, 1]]");
	const struct bench_plot_source of[] = { { one, "old" }, { other, "new" } };
	struct bench_figure *f = bench_plot_choose(of, 2);

	/* A chart for each column of the first, a curve for each table that has it. */
	ck_assert_uint_eq(f->n, 3);
	ck_assert_uint_eq(f->charts[0].n, 1);
	ck_assert_uint_eq(f->charts[1].n, 2);
	ck_assert_str_eq(f->charts[1].label, "[rtt_p99]");
	ck_assert_str_eq(f->charts[1].curves[0].title, "old");
	ck_assert_str_eq(f->charts[1].curves[1].title, "new");
	ck_assert_uint_eq(f->charts[1].curves[1].value, 1);
	ck_assert(f->x.low < 1 && f->x.high > 3);
	bench_plot_drop(f);
	json_decref(one);
	json_decref(other);
}
END_TEST

/* --- axes ------------------------------------------------------------------------------------- */

/* An axis in a line: "low..high: tick tick", "." for one without a label. */
static const char *
scale_of(const struct bench_scale *s, char text[static 512])
{
	size_t len = (size_t)snprintf(text, 512, "%.10g..%.10g:", s->low, s->high);

	for (size_t i = 0; i < s->n; i++)
		len += (size_t)snprintf(text + len, 512 - len, " %s",
		    s->ticks[i].text[0] != '\0' ? s->ticks[i].text : ".");
	return text;
}

static const struct {
	bool logarithmic;
	double min, max;
	struct bench_scale_wish wish;
	const char *scale;
} scales[] = {
	{ false, 0, 100, { .room = 99, .rounded = true }, "0..100: 0 20 40 60 80 100" },
	{ false, 0, 12345, { .room = 99, .rounded = true }, "0..15000: 0 5,000 10,000 15,000" },
	{ false, 0, 1.1, { .room = 99, .rounded = true }, "0..1.2: 0.0 0.2 0.4 0.6 0.8 1.0 1.2" },
	{ false, -3, 3, { .room = 99, .rounded = true }, "-3..3: -3 -2 -1 0 1 2 3" },
	{ false, 0, 0, { .room = 99, .rounded = true }, "0..1: 0.0 0.2 0.4 0.6 0.8 1.0" },
	{ false, 100, 200, { .room = 99, .rounded = true, .least = 0.1 },
	    "80..220: 80 100 120 140 160 180 200 220" },
	{ false, 100, 101, { .room = 99, .rounded = true, .least = 0.1 },
	    "94..106: 94 96 98 100 102 104 106" },
	{ false, 1, 4, { .room = 99, .margin = 0.1, .integers = true }, "0.7..4.3: 1 2 3 4" },
	{ false, 0, 10, { .room = 99, .margin = 0.03 }, "-0.3..10.3: 0 2 4 6 8 10" },
	{ false, 0, 6000000, { .room = 20 }, "0..6000000: 0 5,000,000" },
	{ true, 3, 3, { .room = 99, .rounded = true }, "2..5: 2 5" },
	{ true, 10, 10, { .room = 99, .rounded = true }, "5..20: 5 10 20" },
	{ true, 1, 90, { .room = 99, .rounded = true }, "1..100: 1 2 5 10 20 50 100" },
	{ true, 25, 4000, { .room = 99, .rounded = true },
	    "20..5000: 20 50 100 200 500 1,000 2,000 5,000" },
	{ true, 0.3, 900, { .room = 99, .rounded = true },
	    "0.2..1000: . . 1 . . 10 . . 100 . . 1,000" },
	{ true, 1, 1e6, { .room = 40, .rounded = true }, "1..1000000: 1 . . 1,000 . . 1,000,000" },
};

START_TEST(ticks_are_round_and_have_room)
{
	struct bench_scale s;
	char text[512];

	if (scales[_i].logarithmic)
		bench_plot_logarithmic(&s, scales[_i].min, scales[_i].max, &scales[_i].wish);
	else
		bench_plot_linear(&s, scales[_i].min, scales[_i].max, &scales[_i].wish);
	ck_assert_str_eq(scale_of(&s, text), scales[_i].scale);
}
END_TEST

/* Whatever the values: within the axis, and one can read it. */
START_TEST(log_axis_does_not_fall_off)
{
	const struct bench_scale_wish wish = { .room = 200, .rounded = true };
	struct bench_scale s;

	for (double min = 1e-7; min < 1e7; min *= 1.7) {
		for (double span = 1; span < 1e24; span = span * 1.9 + 0.001) {
			size_t n = 0;

			bench_plot_logarithmic(&s, min, min * span, &wish);
			for (size_t i = 0; i < s.n; i++)
				n += s.ticks[i].text[0] != '\0';
			ck_assert_msg(s.low > 0 && s.low <= min * (1 + 1e-9) &&
				s.high >= min * span * (1 - 1e-9) && n >= 2,
			    "%g to %g: %g to %g, %zu labels", min, min * span, s.low, s.high, n);
		}
	}
}
END_TEST

/* A file may have any number: an axis is made of it, and ends. */
START_TEST(axis_of_absurd_numbers_has_an_end)
{
	static const double ends[][2] = { { 1e17, 1e17 + 16 }, { 1e308, 1e308 }, { -1e308, 1e308 },
		{ 5e-324, 1e308 }, { 1, 1e30 }, { 1, 1e308 }, { 0, 5e-324 },
		{ 1, (double)INFINITY }, { -5, -5 } };
	const struct bench_scale_wish wishes[] = { { .room = 38, .margin = 0.03 },
		{ .room = 200, .rounded = true },
		{ .room = 200, .rounded = true, .least = 0.1, .integers = true } };

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		for (size_t k = 0; k < sizeof(wishes) / sizeof(wishes[0]); k++) {
			struct bench_scale s;

			bench_plot_linear(&s, ends[i][0], ends[i][1], &wishes[k]);
			ck_assert_uint_le(s.n, BENCH_TICKS_MAX);
			if (ends[i][0] > 0)
				bench_plot_logarithmic(&s, ends[i][0], ends[i][1], &wishes[k]);
			ck_assert_uint_le(s.n, BENCH_TICKS_MAX);
		}
	}
}
END_TEST

START_TEST(ticks_stand_at_the_values_if_they_have_room)
{
	static const double few[] = { 1, 2, 32 }, close[] = { 100, 101, 1000 };
	const struct bench_scale_wish wish = { .room = 38 };
	struct bench_scale s = { .low = 0, .high = 33 };
	char text[512];

	ck_assert(!bench_plot_at(&s, few, 3, &wish));
	ck_assert_uint_eq(s.n, 0);
	s = (struct bench_scale){ .low = 0.9, .high = 36, .logarithmic = true };
	ck_assert(bench_plot_at(&s, few, 3, &wish));
	ck_assert_str_eq(scale_of(&s, text), "0.9..36: 1 2 32");
	s = (struct bench_scale){ .low = 90, .high = 1100, .logarithmic = true };
	ck_assert(!bench_plot_at(&s, close, 3, &wish));
	ck_assert(!bench_plot_at(&s, close, 0, &wish));
}
END_TEST

/* --- places ----------------------------------------------------------------------------------- */

START_TEST(legend_stays_in_the_picture)
{
	json_t *table =
	    table_of("n ,rate_aaaaaaaaaaaaaaaaaaaa 1/s,rate_b 1/s,rate_ccccccccccccccc 1/s,"
		     "rate_ddd 1/s",
		"[[1, 1, 1, 1, 1], [2, 1, 1, 1, 1]]");
	const struct bench_plot_source of = { table, "" };
	struct bench_figure *f = bench_plot_choose(&of, 1);
	struct bench_legend l = bench_plot_legend(f, &f->charts[0], 15);
	struct bench_place with = bench_plot_layout(f, 0, false, true),
			   titled = bench_plot_layout(f, 0, true, true),
			   inner = bench_plot_layout(f, 0, false, false);

	ck_assert_uint_eq(l.n, 4);
	ck_assert_uint_eq(l.rows, 2);
	for (size_t i = 0; i < l.n; i++)
		ck_assert(l.entries[i].x +
			BENCH_PLOT_LETTER * (double)bench_text_letters(l.entries[i].text) <
		    BENCH_PLOT_WIDTH);
	ck_assert_uint_eq(l.entries[0].row, 0);
	ck_assert_uint_eq(l.entries[3].row, 1);
	ck_assert(with.height > inner.height && titled.height > with.height);
	ck_assert(with.top - with.bottom == titled.top - titled.bottom);
	bench_plot_drop(f);
	json_decref(table);
}
END_TEST

static void
add_chart(TCase *tc)
{
	tcase_add_loop_test(
	    tc, figure_is_chosen_by_the_columns, 0, sizeof(figures) / sizeof(figures[0]));
	tcase_add_loop_test(tc, axis_is_chosen_by_the_values, 0, sizeof(axes) / sizeof(axes[0]));
	tcase_add_test(tc, categories_are_made_of_numbers_on_wish);
	tcase_add_test(tc, mark_is_a_line_across_each_chart);
	tcase_add_test(tc, categories_do_not_go_below_zero);
	tcase_add_test(tc, deviation_does_not_go_below_zero);
	tcase_add_test(tc, tables_are_drawn_over_each_other);
	tcase_add_loop_test(
	    tc, ticks_are_round_and_have_room, 0, sizeof(scales) / sizeof(scales[0]));
	tcase_add_test(tc, log_axis_does_not_fall_off);
	tcase_add_test(tc, axis_of_absurd_numbers_has_an_end);
	tcase_add_test(tc, ticks_stand_at_the_values_if_they_have_room);
	tcase_add_test(tc, legend_stays_in_the_picture);
}

void
tests_add(TCase *tc)
{
	add_chart(tc);
	add_plot(tc);
	add_gnuplot(tc);
}
