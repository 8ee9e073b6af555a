/* SPDX-License-Identifier: BSD-2-Clause */
/* The main figures of runs of all methods, from their trees. */

#include "bench/figures.h"

#include <string.h>

#include "support/tests.h"

static json_t *run;

static void
load(const char *text)
{
	json_error_t e;

	run = json_loads(text, 0, &e);
	ck_assert_msg(run != NULL, "%s", e.text);
}

/* Figure F of repetition I; -1 if there is none. UNIT is the run's. */
static double
figure(enum bench_figure_name f, size_t i, const char *unit)
{
	struct bench_figure_value v;

	if (!bench_figures_read(run, f, i, &v))
		return -1;
	ck_assert_str_eq(v.unit, unit);
	return v.value;
}

/* The trial that passed at the rate of its repetition has the other figures, no other trial. */
START_TEST(search_has_its_repetitions)
{
	load("{ \"findings\": [ { \"name\": \"highest rate\", \"value\": 7, \"unit\": \"1/s\" } ],"
	     "\"tables\": ["
	     "{ \"name\": \"searches\", \"columns\": ["
	     "{ \"name\": \"repetition\" }, { \"name\": \"rate_passed\", \"unit\": \"1/s\" } ],"
	     "\"rows\": [ [ 1, 200 ], [ 2, 300 ], [ 3, 0 ] ] },"
	     "{ \"name\": \"trials\", \"columns\": ["
	     "{ \"name\": \"repetition\" }, { \"name\": \"rate\" }, { \"name\": \"verdict\" },"
	     "{ \"name\": \"rtt_p50\" }, { \"name\": \"rtt_p99\" },"
	     "{ \"name\": \"server_cpu_per_answer\" } ],"
	     "\"rows\": [ [ 0, 200, \"passed\", 1, 1, null ], [ 1, 100, \"passed\", 2, 2, 2 ],"
	     "[ 1, 200, \"passed\", 30, 40, 5.5 ], [ 1, 300, \"failed\", 9, 9, 9 ],"
	     "[ 2, 300, \"tester\", 8, 8, 8 ], [ 2, 300, \"passed\", 31, null, 5.6 ],"
	     "[ 2, 400, \"failed\", 7, 7, 7 ] ] } ] }");
	ck_assert_uint_eq(bench_figures_repetitions(run), 3);
	ck_assert_double_eq(figure(BENCH_FIGURE_RATE, 0, "1/s"), 200);
	ck_assert_double_eq(figure(BENCH_FIGURE_RATE, 1, "1/s"), 300);
	ck_assert_double_eq(figure(BENCH_FIGURE_RATE, 2, "1/s"), -1); /* no ratio to that */
	ck_assert_double_eq(figure(BENCH_FIGURE_RATE, 3, "1/s"), -1);
	ck_assert_double_eq(figure(BENCH_FIGURE_RTT_MEDIAN, 0, "us"), 30);
	ck_assert_double_eq(figure(BENCH_FIGURE_RTT_MEDIAN, 1, "us"), 31);
	ck_assert_double_eq(figure(BENCH_FIGURE_RTT_P99, 0, "us"), 40);
	ck_assert_double_eq(figure(BENCH_FIGURE_RTT_P99, 1, "us"), -1);
	ck_assert_double_eq(figure(BENCH_FIGURE_CPU, 1, "us"), 5.6);
	ck_assert_double_eq(figure(BENCH_FIGURE_MEMORY, 0, "MiB"), -1); /* no such column */
	json_decref(run);
}
END_TEST

/* Of a matrix each cell has its own trials; another order of cells does not fit. */
START_TEST(cells_are_told_apart)
{
	static const char run_text[] =
	    "{ \"tables\": ["
	    "{ \"name\": \"searches\", \"columns\": [ { \"name\": \"hits\" },"
	    "{ \"name\": \"repetition\" }, { \"name\": \"rate_passed\" } ],"
	    "\"rows\": [ [ %d, 1, 200 ], [ 50, 1, 200 ] ] },"
	    "{ \"name\": \"trials\", \"columns\": ["
	    "{ \"name\": \"hits\" }, { \"name\": \"repetition\" },"
	    "{ \"name\": \"verdict\" }, { \"name\": \"rtt_p50\" } ],"
	    "\"rows\": [ [ 0, 1, \"passed\", 10 ], [ 0, 1, \"passed\", 11 ],"
	    "[ 0, 1, \"failed\", 12 ], [ 50, 1, \"passed\", 20 ] ] } ] }";
	char text[sizeof(run_text) + 8];

	(void)snprintf(text, sizeof(text), run_text, 20);
	load(text);
	json_t *other = run;
	(void)snprintf(text, sizeof(text), run_text, 0);
	load(text);
	ck_assert_uint_eq(bench_figures_repetitions(run), 2);
	ck_assert_double_eq(figure(BENCH_FIGURE_RTT_MEDIAN, 0, "us"), 11);
	ck_assert_double_eq(figure(BENCH_FIGURE_RTT_MEDIAN, 1, "us"), 20);
	ck_assert(bench_figures_fit(run, run));
	ck_assert(!bench_figures_fit(run, other));
	json_decref(other);
	json_decref(run);
}
END_TEST

/* The trials of a sweep, in any order: by rate, then by repetition. Its rate is no figure. */
START_TEST(sweep_has_its_trials)
{
	static const char run_text[] =
	    "{ \"tables\": ["
	    "{ \"name\": \"sweep\", \"columns\": [ { \"name\": \"rate\" } ],"
	    "\"rows\": [ [ 100 ], [ %d ] ] },"
	    "{ \"name\": \"trials\", \"columns\": ["
	    "{ \"name\": \"repetition\" }, { \"name\": \"rate\" },"
	    "{ \"name\": \"verdict\" }, { \"name\": \"rtt_p50\" } ],"
	    "\"rows\": [ [ 1, 200, \"passed\", 21 ], [ 1, 100, \"passed\", 11 ],"
	    "[ 2, 100, \"failed\", 12 ], [ 2, 200, \"tester\", 9 ] ] } ] }";
	char text[sizeof(run_text) + 8];

	(void)snprintf(text, sizeof(text), run_text, 300);
	load(text);
	json_t *other = run;
	(void)snprintf(text, sizeof(text), run_text, 200);
	load(text);
	ck_assert_uint_eq(bench_figures_repetitions(run), 4);
	ck_assert_double_eq(figure(BENCH_FIGURE_RTT_MEDIAN, 0, "us"), 11);
	ck_assert_double_eq(figure(BENCH_FIGURE_RTT_MEDIAN, 1, "us"), 12);
	ck_assert_double_eq(figure(BENCH_FIGURE_RTT_MEDIAN, 2, "us"), 21);
	ck_assert_double_eq(figure(BENCH_FIGURE_RTT_MEDIAN, 3, "us"), -1);
	ck_assert_double_eq(figure(BENCH_FIGURE_RTT_MEDIAN, 4, "us"), -1);
	ck_assert_double_eq(figure(BENCH_FIGURE_RATE, 0, "1/s"), -1);
	ck_assert(bench_figures_fit(run, run));
	ck_assert(!bench_figures_fit(run, other));
	json_decref(other);
	json_decref(run);
}
END_TEST

START_TEST(rate_has_findings)
{
	load("{ \"findings\": ["
	     "{ \"name\": \"sent\", \"value\": 9, \"unit\": \"\" },"
	     "{ \"name\": \"valid per second\", \"value\": 1000.5, \"unit\": \"1/s\" },"
	     "{ \"name\": \"rtt median\", \"value\": 25, \"unit\": \"ms\" },"
	     "{ \"name\": \"rtt p99\", \"value\": \"no\", \"unit\": \"us\" },"
	     "{ \"name\": \"server RSS\", \"value\": 12, \"unit\": \"MiB\" } ], \"tables\": [] }");
	ck_assert_uint_eq(bench_figures_repetitions(run), 1);
	ck_assert_double_eq(figure(BENCH_FIGURE_RATE, 0, "1/s"), 1000.5);
	ck_assert_double_eq(figure(BENCH_FIGURE_RATE, 1, "1/s"), -1);
	ck_assert_double_eq(figure(BENCH_FIGURE_RTT_MEDIAN, 0, "ms"), 25);
	ck_assert_double_eq(figure(BENCH_FIGURE_RTT_P99, 0, ""), -1);
	ck_assert_double_eq(figure(BENCH_FIGURE_CPU, 0, ""), -1);
	ck_assert_double_eq(figure(BENCH_FIGURE_MEMORY, 0, "MiB"), 12);
	json_decref(run);
}
END_TEST

/* Of steps the one with the highest rate; of experiments the table of RTTs. */
START_TEST(closed_has_its_best_step)
{
	load("{ \"findings\": [ { \"name\": \"highest rate\", \"value\": 70, \"unit\": \"1/s\" } ],"
	     "\"tables\": [ { \"name\": \"steps\", \"columns\": [ { \"name\": \"clients\" },"
	     "{ \"name\": \"rate\", \"unit\": \"1/s\" },"
	     "{ \"name\": \"rtt_p50\", \"unit\": \"us\" } ],"
	     "\"rows\": [ [ 1, 50, 3 ], [ 2, 70, 4 ], [ 4, 60, 5 ] ] },"
	     "{ \"name\": \"rtt\", \"columns\": [ { \"name\": \"percentile\" },"
	     "{ \"name\": \"rtt\", \"unit\": \"us\" } ],"
	     "\"rows\": [ [ 50.0, 6 ], [ 99, 8 ], [ 99.9, 9 ] ] } ] }");
	ck_assert_double_eq(figure(BENCH_FIGURE_RATE, 0, "1/s"), 70);
	ck_assert_double_eq(figure(BENCH_FIGURE_RTT_MEDIAN, 0, "us"), 4);
	ck_assert_double_eq(figure(BENCH_FIGURE_RTT_P99, 0, "us"), 8); /* no such column */
	struct bench_figure_value v;
	const struct bench_figure_curve rtt = { "rtt", "percentile", "rtt" },
					rates = { "steps", "clients", "rate" },
					none = { "steps", "clients", "time" };
	ck_assert(bench_figures_at(run, &rtt, 99.9, &v));
	ck_assert_double_eq(v.value, 9);
	ck_assert(!bench_figures_at(run, &rtt, 99.99, &v));
	ck_assert(bench_figures_at(run, &rates, 2, &v));
	ck_assert_double_eq(v.value, 70);
	ck_assert(!bench_figures_at(run, &none, 2, &v));
	struct bench_column c = bench_figures_column(bench_run_table_of(run, "steps"), "rtt_p50");
	ck_assert_str_eq(c.unit, "us");
	json_decref(run);
}
END_TEST

START_TEST(names_are_found)
{
	for (unsigned f = 0; f < BENCH_FIGURES; f++) {
		const char *name = bench_figures_words((enum bench_figure_name)f)->name;

		ck_assert_uint_eq(bench_figures_find(name, strlen(name)), f);
	}
	ck_assert_uint_eq(bench_figures_find("rate < 1", 4), BENCH_FIGURE_RATE);
	ck_assert_uint_eq(bench_figures_find("rat", 3), BENCH_FIGURES);
	ck_assert_uint_eq(bench_figures_find("rates", 5), BENCH_FIGURES);
	ck_assert_uint_eq(bench_figures_find("", 0), BENCH_FIGURES);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_test(tc, search_has_its_repetitions);
	tcase_add_test(tc, cells_are_told_apart);
	tcase_add_test(tc, sweep_has_its_trials);
	tcase_add_test(tc, rate_has_findings);
	tcase_add_test(tc, closed_has_its_best_step);
	tcase_add_test(tc, names_are_found);
}
