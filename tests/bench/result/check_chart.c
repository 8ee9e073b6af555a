/* SPDX-License-Identifier: BSD-2-Clause */
/* What a table makes one draw, by its columns. */

#include "bench/result/chart.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

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
	bench_chart_choose(&f, table);
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
	bench_chart_choose(&f, table);
	ck_assert_int_eq(f.axis, axes[_i].axis);
	ck_assert_int_eq(f.doubling, axes[_i].doubling);
	ck_assert_double_eq(f.x_divisor, axes[_i].divisor);
	ck_assert_str_eq(f.x_unit, axes[_i].unit);
	json_decref(table);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("bench_chart");
	TCase *tc = tcase_create("charts");

	tcase_add_loop_test(
	    tc, figure_is_chosen_by_the_columns, 0, sizeof(figures) / sizeof(figures[0]));
	tcase_add_loop_test(tc, axis_is_chosen_by_the_values, 0, sizeof(axes) / sizeof(axes[0]));
	suite_add_tcase(s, tc);

	SRunner *sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	int failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
