/* SPDX-License-Identifier: BSD-2-Clause */
/* Pictures: which charts a table makes, the script for gnuplot, and gnuplot itself where it is
 * there. */

#include "bench/result/plot.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/scratch.h"
#include "support/text.h"

/* --- plot ------------------------------------------------------------------------------------- */

/* The script for gnuplot is a function of the run; and if gnuplot is there, it draws by it. */

#define TEXT 8192

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

/* The script for the run's tables from FIRST, N of them. */
static size_t
script(size_t first, size_t n, enum bench_plot_format format, char text[static TEXT])
{
	struct bench_run *r = new_run();
	json_t *tables = json_array();
	FILE *f = tmpfile();

	ck_assert_ptr_nonnull(f);
	for (size_t i = first; i < first + n; i++)
		(void)json_array_append(
		    tables, json_array_get(json_object_get(bench_run_tree(r), "tables"), i));
	size_t n_charts = bench_plot_script(f, tables, format, true);
	(void)text_of(f, text, TEXT);
	json_decref(tables);
	bench_run_free(r);
	return n_charts;
}

START_TEST(curves_are_drawn_by_rate)
{
	char text[TEXT];

	ck_assert_uint_eq(script(0, 1, BENCH_PLOT_SVG, text), 2);
	text_contains(text, "set terminal svg size 720,500 noenhanced");
	text_contains(text, "set multiplot layout 2,1\n");
	text_contains(text,
	    "$t1 << END\n1 100 90 110 50.5 2 80\n2 NaN NaN NaN 60.5 3 90\n"
	    "3 300 290 310 70.5 4 99\nEND\n");
	text_contains(text, "set xrange [0.96:3.04]\n");
	text_contains(text, "set ylabel 'rate (1/s)'\n");
	text_contains(
	    text, "plot $t1 using 1:2:3:4 with yerrorlines lt 1 title 'rate (bars: p1 to p99)'\n");
	text_contains(text, "set xlabel 'clients'\nset ylabel 'RTT (µs)'\n");
	text_contains(text,
	    "plot $t1 using 1:5:6 with yerrorlines lt 1 title "
	    "'mean (bars: standard deviation)', \\\n"
	    "    $t1 using 1:7 with linespoints lt 2 title 'it''s ''<p99>'' '\n");
	/* The title stands once, what is along the x axis below the last chart only. */
	text_contains(text, "unset xlabel\nset title 'Steps'\nset ylabel 'rate");
	text_contains(text, "set title ''\nset xlabel");
}
END_TEST

START_TEST(percentiles_have_a_log_axis)
{
	char text[TEXT];

	ck_assert_uint_eq(script(1, 1, BENCH_PLOT_PNG, text), 1);
	text_contains(text, "set terminal pngcairo size 1440,500 noenhanced");
	text_contains(text, "$t1 << END\n2 0.1\n1000 0.5\nNaN 1.5\nEND\n");
	text_contains(text, "set logscale x\nset xtics ('0' 1, '50' 2, ");
	text_contains(text, "set xlabel 'percentile (%)'\nset ylabel 'RTT (ms)'\n");
	text_contains(text, "set key off\n");
}
END_TEST

START_TEST(words_become_bars)
{
	char text[TEXT];

	ck_assert_uint_eq(script(2, 1, BENCH_PLOT_SVG, text), 1);
	text_contains(text, "$t1 << END\n0 10 9 11 20\n1 5 4 6 9\nEND\n");
	text_contains(text, "set xtics ('one''s' 0, '$t; !touch x' 1)\nset xrange [-0.6:1.6]\n");
	text_contains(text,
	    "plot $t1 using ($1+-0.2000):2:(0.3600) with boxes lt 1 title "
	    "'rate (bars: p1 to p99)', \\\n"
	    "    $t1 using ($1+-0.2000):3:(0):($4-$3) with vectors");
	text_contains(text, "    $t1 using ($1+0.2000):5:(0.3600) with boxes lt 2 title 'hits'\n");
	text_lacks(text, "\nset xlabel");
}
END_TEST

START_TEST(table_without_figures_is_not_drawn)
{
	char text[TEXT];

	ck_assert_uint_eq(script(3, 1, BENCH_PLOT_SVG, text), 0);
	ck_assert_str_eq(text, "");
	ck_assert_uint_eq(script(0, 4, BENCH_PLOT_SVG, text), 4);
	text_contains(text, "set multiplot layout 4,1\n");
}
END_TEST

START_TEST(file_name_gives_the_format)
{
	char error[BENCH_PLOT_ERROR] = "";

	ck_assert_int_eq(bench_plot_format("a.png"), BENCH_PLOT_PNG);
	ck_assert_int_eq(bench_plot_format("a.png.svg"), BENCH_PLOT_SVG);
	ck_assert_int_eq(bench_plot_format("png"), BENCH_PLOT_UNKNOWN);
	ck_assert_int_eq(bench_plot_format("a.pdf"), BENCH_PLOT_UNKNOWN);
	ck_assert(!bench_plot_ready("a.pdf", error));
	text_contains(error, "a.pdf: pictures end in .png or .svg");
}
END_TEST

START_TEST(without_gnuplot_it_is_told_before_the_run)
{
	char path[] = "/nowhere/x.svg", error[BENCH_PLOT_ERROR] = "", saved[4096];
	struct bench_run *r = new_run();

	(void)snprintf(saved, sizeof(saved), "%s", getenv("PATH"));
	ck_assert_int_eq(setenv("PATH", "/nowhere", 1), 0);
	ck_assert(!bench_plot_ready(path, error));
	text_contains(error, "there is no gnuplot");
	error[0] = '\0';
	ck_assert(!bench_plot_write(r, path, error));
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

START_TEST(pictures_are_written)
{
	char dir[SCRATCH_PATH], png[2 * SCRATCH_PATH], svg[2 * SCRATCH_PATH],
	    error[BENCH_PLOT_ERROR] = "", head[8] = "";
	struct bench_run *r = new_run();

	scratch_dir(dir);
	ck_assert_msg(bench_plot_write(r, in(dir, "x.png", png), error), "%s", error);
	ck_assert_msg(bench_plot_write(r, in(dir, "x.svg", svg), error), "%s", error);
	FILE *f = fopen(png, "r");
	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fread(head, 1, sizeof(head), f), sizeof(head));
	(void)fclose(f);
	ck_assert_mem_eq(head, "\x89PNG\r\n\x1a\n", 8);
	char *text = calloc(1, 1000000);
	ck_assert_ptr_nonnull(text);
	(void)text_read(svg, text, 1000000);
	text_contains(text, "</svg>");
	text_contains(text, ">RTT (µs)<");
	text_contains(text, ">it's '&lt;p99");
	text_lacks(text, "<p99>");
	free(text);
	/* The picture is all that was left behind. */
	ck_assert_int_eq(unlink(png), 0);
	ck_assert_int_eq(unlink(svg), 0);
	ck_assert_int_eq(rmdir(dir), 0);
	ck_assert(!bench_plot_write(r, png, error));
	text_contains(error, "x.png: No such file or directory");
	bench_run_free(r);
}
END_TEST

static void
add_plot(Suite *s)
{
	TCase *tc = tcase_create("plot");
	char error[BENCH_PLOT_ERROR];

	tcase_add_test(tc, curves_are_drawn_by_rate);
	tcase_add_test(tc, percentiles_have_a_log_axis);
	tcase_add_test(tc, words_become_bars);
	tcase_add_test(tc, table_without_figures_is_not_drawn);
	tcase_add_test(tc, file_name_gives_the_format);
	tcase_add_test(tc, without_gnuplot_it_is_told_before_the_run);
	if (bench_plot_ready("x.svg", error))
		tcase_add_test(tc, pictures_are_written);
	else
		(void)printf("not drawn: %s\n", error);
	suite_add_tcase(s, tc);
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

	ck_assert(!bench_plot_can("/nowhere/gnuplot", error, SAID));
	text_contains(error, "there is no /nowhere/gnuplot");
	text_contains(error, "gnuplot-nox");
	error[0] = '\0';
	ck_assert_ptr_null(bench_plot_run("/nowhere/gnuplot", script, error, SAID));
	text_contains(error, "there is no /nowhere/gnuplot");
	ck_assert(!bench_plot_can("/", error, SAID));
	(void)fclose(script);
}
END_TEST

START_TEST(working_gnuplot_is_found)
{
	char path[SCRATCH_PATH], error[SAID] = "";

	program("#!/bin/sh\ntest \"$*\" = --version\n", path);
	ck_assert_msg(bench_plot_can(path, error, SAID), "%s", error);
	(void)unlink(path);
}
END_TEST

static void
add_gnuplot(Suite *s)
{
	TCase *tc = tcase_create("gnuplot");

	tcase_add_test(tc, script_reaches_gnuplot);
	tcase_add_test(tc, failing_gnuplot_is_told_in_its_words);
	tcase_add_test(tc, missing_gnuplot_is_told);
	tcase_add_test(tc, working_gnuplot_is_found);
	suite_add_tcase(s, tc);
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

/* The figure in a line: for each chart label, unit, "log" and curves "value:low:high:deviation". */
static const char *
figure_of(const char *columns, const char *rows, char text[static 1024])
{
	json_t *table = table_of(columns, rows);
	struct bench_figure f;
	FILE *out = fmemopen(text, 1024, "w");

	ck_assert_ptr_nonnull(out);
	text[0] = '\0';
	bench_plot_choose(&f, table);
	for (size_t i = 0; i < f.n; i++) {
		const struct bench_chart *p = &f.charts[i];

		(void)fprintf(out, "%s%s %s%s", i > 0 ? "; " : "", p->label, p->unit,
		    p->logarithmic ? " log" : "");
		for (size_t k = 0; k < p->n; k++) {
			const struct bench_curve *c = &p->curves[k];

			(void)fprintf(
			    out, " %zu:%zu:%zu:%zu", c->value, c->low, c->high, c->deviation);
		}
	}
	(void)fclose(out);
	json_decref(table);
	return text;
}

static const struct {
	const char *columns, *rows, *figure;
} figures[] = {
	/* One row is no curve, counts are not drawn, neither are words. */
	{ "rate 1/s,valid 1/s", "[[1, 2]]", "" },
	{ "rate 1/s,valid ", "[[1, 2], [2, 3]]", "" },
	{ "rate 1/s,who 1/s", "[[1, \"x\"], [2, \"y\"]]", "" },
	{ "rate 1/s,valid 1/s", "[[1, null], [2, null]]", "" },
	{ "rate 1/s,valid 1/s", "[[null, 1], [null, 2]]", "" },
	{ "rate 1/s,valid 1/s", "[[1, 2], [2, null]]", "[valid] 1/s 1:0:0:0" },
	{ "who ,rate 1/s", "[[\"a\", 2], [\"b\", 3]]", "[rate] 1/s 1:0:0:0" },
	/* The same unit and first word: one chart. */
	{ "n ,rtt_p50 ms,cpu_user %,rtt_p99 ms,cpu_system %,loss %",
	    "[[1, 1, 1, 1, 1, 1], [2, 2, 2, 2, 2, 2]]",
	    "RTT ms 1:0:0:0 3:0:0:0; CPU % 2:0:0:0 4:0:0:0; [loss] % 5:0:0:0" },
	{ "n ,throughput_a 1/s,throughput_b 1/s", "[[1, 1, 1], [2, 2, 2]]",
	    "rate 1/s 1:0:0:0 2:0:0:0" },
	{ "n ,throughput_a bit/s,throughput_b bit/s", "[[1, 1, 1], [2, 2, 2]]",
	    "throughput bit/s 1:0:0:0 2:0:0:0" },
	/* Spread. */
	{ "n ,rate_median 1/s,rate_p1 1/s,rate_p99 1/s", "[[1, 1, 1, 1], [2, 2, 2, 2]]",
	    "[rate_median] 1/s 1:2:3:0" },
	{ "n ,rate_p1 1/s,rate_p99 1/s,rate 1/s", "[[1, 1, 1, 1], [2, 2, 2, 2]]",
	    "[rate] 1/s 3:1:2:0" },
	{ "n ,time_mean s,time_deviation s", "[[1, 1, 1], [2, 2, 2]]", "[time_mean] s 1:0:0:2" },
	/* A p99 without p1 is a curve like any other. */
	{ "n ,rtt_mean us,rtt_p99 us", "[[1, 1, 1], [2, 2, 2]]", "RTT us 1:0:0:0 2:0:0:0" },
	/* The ends of a few trials, unless there is a better measure; one end alone is none. */
	{ "n ,rtt_median us,rtt_min ,rtt_max ", "[[1, 1, 1, 1], [2, 2, 2, 2]]",
	    "[rtt_median] us 1:2:3:0" },
	{ "n ,rtt us,rtt_min ,rtt_max ,rtt_deviation us", "[[1, 1, 1, 1, 1], [2, 2, 2, 2, 2]]",
	    "[rtt] us 1:0:0:4" },
	{ "n ,rtt us,rtt_min ,rtt_max ,rtt_p1 ,rtt_p99 ",
	    "[[1, 1, 1, 1, 1, 1], [2, 2, 2, 2, 2, 2]]", "[rtt] us 1:4:5:0" },
	{ "n ,rtt us,rtt_max ", "[[1, 1, 1], [2, 2, 2]]", "[rtt] us 1:0:0:0" },
	{ "n ,rtt_deviation us", "[[1, 1], [2, 2]]", "[rtt_deviation] us 1:0:0:0" },
	/* Times that span much, but not from zero; other units never. */
	{ "n ,rtt_p50 ms,rtt_p99 ms", "[[1, 1, 10], [2, 2, 50]]", "RTT ms log 1:0:0:0 2:0:0:0" },
	{ "n ,rtt_p50 ms,rtt_p99 ms", "[[1, 1, 10], [2, 2, 49]]", "RTT ms 1:0:0:0 2:0:0:0" },
	{ "n ,rtt_p50 ms,rtt_p99 ms", "[[1, 0, 10], [2, 2, 50]]", "RTT ms 1:0:0:0 2:0:0:0" },
	{ "n ,rate 1/s", "[[1, 1], [2, 1000]]", "[rate] 1/s 1:0:0:0" },
	/* As many as can be told apart, and as fit a page. */
	{ "n ,a_1 s,a_2 s,a_3 s,a_4 s,a_5 s,a_6 s,a_7 s,a_8 s,a_9 s",
	    "[[1, 1, 1, 1, 1, 1, 1, 1, 1, 1], [2, 1, 1, 1, 1, 1, 1, 1, 1, 1]]",
	    "A s 1:0:0:0 2:0:0:0 3:0:0:0 4:0:0:0 5:0:0:0 6:0:0:0 7:0:0:0 8:0:0:0" },
	{ "n ,a s,b s,c s,d s,e s,f s,g s", "[[1, 1, 1, 1, 1, 1, 1, 1], [2, 1, 1, 1, 1, 1, 1, 1]]",
	    "[a] s 1:0:0:0; [b] s 2:0:0:0; [c] s 3:0:0:0; [d] s 4:0:0:0; [e] s 5:0:0:0; "
	    "[f] s 6:0:0:0" },
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
	bool doubling;
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
	{ "percentile %", "[[50, 1], [99, 1]]", BENCH_AXIS_PERCENTILES, false, 1, "%" },
	{ "who ", "[[\"a\", 1], [\"b\", 1]]", BENCH_AXIS_WORDS, false, 1, "" },
	{ "clients ", "[[1, 1]]", BENCH_AXIS_NONE, false, 1, "" },
	{ "clients ", "[]", BENCH_AXIS_NONE, false, 1, "" },
	{ "clients ", "[[1, null], [2, null]]", BENCH_AXIS_NONE, false, 1, "" },
};

START_TEST(axis_is_chosen_by_the_values)
{
	char columns[64];
	struct bench_figure f;

	(void)snprintf(columns, sizeof(columns), "%s,rate 1/s", axes[_i].column);
	json_t *table = table_of(columns, axes[_i].rows);
	bench_plot_choose(&f, table);
	ck_assert_int_eq(f.axis, axes[_i].axis);
	ck_assert_int_eq(f.doubling, axes[_i].doubling);
	ck_assert_double_eq(f.x_divisor, axes[_i].divisor);
	ck_assert_str_eq(f.x_unit, axes[_i].unit);
	json_decref(table);
}
END_TEST

static void
add_chart(Suite *s)
{
	TCase *tc = tcase_create("charts");

	tcase_add_loop_test(
	    tc, figure_is_chosen_by_the_columns, 0, sizeof(figures) / sizeof(figures[0]));
	tcase_add_loop_test(tc, axis_is_chosen_by_the_values, 0, sizeof(axes) / sizeof(axes[0]));
	suite_add_tcase(s, tc);
}

int
main(void)
{
	Suite *s = suite_create("bench_plot");

	add_chart(s);
	add_plot(s);
	add_gnuplot(s);

	SRunner *sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	int failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}