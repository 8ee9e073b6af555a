/* SPDX-License-Identifier: BSD-2-Clause */
/* Latency by rate: the order of trials, their spread, the knee; of a server that is made up. */

#include "bench/sweep.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bench/method.h"
#include "bench/played.h"
#include "support/scratch.h"
#include "support/tests.h"

/* --- Order ------------------------------------------------------------------------------------ */

#define N 40

/* Every rate once in each repetition, in another order each time, but the same for the same seed.
 */
START_TEST(order_is_drawn_by_the_seed)
{
	size_t one[N], again[N], next[N], other[N];
	bool seen[N] = { false };

	bench_sweep_order(7, 1, N, one);
	bench_sweep_order(7, 1, N, again);
	bench_sweep_order(7, 2, N, next);
	bench_sweep_order(8, 1, N, other);
	ck_assert_mem_eq(one, again, sizeof(one));
	ck_assert_mem_ne(one, next, sizeof(one));
	ck_assert_mem_ne(one, other, sizeof(one));
	for (size_t i = 0; i < N; i++) {
		ck_assert_uint_lt(one[i], N);
		ck_assert(!seen[one[i]]);
		seen[one[i]] = true;
	}
}
END_TEST

/* Each rate comes at each place about as often. */
START_TEST(no_place_is_preferred)
{
	unsigned count[4][4] = { { 0 } };
	size_t order[4];

	for (unsigned i = 0; i < 4000; i++) {
		bench_sweep_order(1, i, 4, order);
		for (size_t k = 0; k < 4; k++)
			count[k][order[k]]++;
	}
	for (size_t k = 0; k < 16; k++) {
		ck_assert_uint_gt(count[k / 4][k % 4], 850);
		ck_assert_uint_lt(count[k / 4][k % 4], 1150);
	}
}
END_TEST

/* --- Knee ------------------------------------------------------------------------------------- */

START_TEST(knee_is_where_it_stays_slow)
{
	static const struct {
		struct bench_sweep_point points[7];
		size_t n, knee;
		double base;
	} cases[] = {
		/* Over twice the median of the three lowest, and so on. */
		{ { { 1, 100, 90 }, { 2, 100, 100 }, { 3, 100, 300 }, { 4, 100, 200 },
		      { 5, 100, 201 }, { 6, 100, 999 } },
		    6, 4, 100 },
		/* One slow rate below good ones is not it. */
		{ { { 1, 100, 100 }, { 2, 100, 100 }, { 3, 100, 100 }, { 4, 100, 500 },
		      { 5, 100, 100 }, { 6, 100, 500 } },
		    6, 5, 100 },
		/* Losses, however fast the others come. */
		{ { { 1, 100, 100 }, { 2, 100, 100 }, { 3, 100, 100 }, { 4, 99.9, 100 },
		      { 5, 80, 50 } },
		    5, 3, 100 },
		{ { { 1, 100, 100 }, { 2, 100, 100 }, { 3, 100, 100 }, { 4, 100, 150 } }, 4, 4,
		    100 },
		/* Rates without an answer are left out. */
		{ { { 1, 100, (double)NAN }, { 2, 100, 100 }, { 3, 100, 100 }, { 4, 100, 100 },
		      { 5, 100, 300 } },
		    5, 4, 100 },
		{ { { 1, 100, 100 }, { 2, 100, 100 }, { 3, 100, 100 }, { 4, 0, (double)NAN } }, 4,
		    3, 100 },
		/* From the lowest on. */
		{ { { 1, 99, 100 }, { 2, 99, 100 }, { 3, 99, 100 }, { 4, 90, 150 } }, 4, 0, 100 },
		/* Too few to tell. */
		{ { { 1, 100, 100 }, { 2, 100, 100 }, { 3, 50, 9000 } }, 3, 3, 100 },
		{ { { 1, 100, 100 }, { 2, 50, 300 } }, 2, 2, 200 },
	};

	ck_assert_uint_eq(bench_sweep_knee(cases[_i].points, cases[_i].n), cases[_i].knee);
	ck_assert_double_eq_tol(
	    bench_sweep_base(cases[_i].points, cases[_i].n), cases[_i].base, 1e-9);
}
END_TEST

/* --- Runs ------------------------------------------------------------------------------------- */

#define RATES 6
#define REPETITIONS 5

static char path[SCRATCH_PATH], line[500];
static struct bench_settings settings;
static atomic_bool stop;
static unsigned n_measured, end_at;
static uint32_t spoilt;      /* a rate at which the tester is at fault, */
static unsigned spoilt_left; /* so many times */
static uint64_t next_name;
static uint32_t asked[REPETITIONS][RATES];

static void
set_up(void)
{
	(void)close(scratch_file(path));
	(void)snprintf(line, sizeof(line),
	    "sweep -s 192.0.2.1 --rates 1000-32000/6 --repetitions 5 -d 1 --seed 5 --state %s",
	    path);
	n_measured = end_at = 0;
	spoilt = spoilt_left = 0;
	next_name = 0;
	memset(asked, 0, sizeof(asked));
	stop = false;
}

static void
tear_down(void)
{
	(void)unlink(path);
}

/* RTT 100 us, 10 us more each repetition; from 16000 on ten times that, from 32000 on with losses.
 */
static json_t *
measure(const struct bench_job *job, struct bench_probe *p, enum bench_outcome *outcome)
{
	double p99 = (100.0 + 10 * p->repetition) * (p->rate >= 16000 ? 10 : 1);
	json_int_t valid = (json_int_t)(p->rate >= 32000 ? p->n / 2 : p->n);

	(void)job;
	if (++n_measured == end_at)
		return NULL;
	ck_assert_uint_eq(p->n, p->rate);
	ck_assert_uint_ge(p->first, next_name);
	next_name = p->first + p->n;
	p->passed_s = 1;
	*outcome = valid == (json_int_t)p->n ? BENCH_PASSED : BENCH_FAILED;
	if (p->rate == spoilt && spoilt_left > 0) {
		spoilt_left--;
		*outcome = BENCH_NO_VERDICT;
		p99 = 1e6;
	}
	for (size_t i = 0; i < RATES && *outcome != BENCH_NO_VERDICT; i++) {
		if (asked[p->repetition - 1][i] == 0) {
			asked[p->repetition - 1][i] = p->rate;
			break;
		}
	}
	json_t *f = json_pack("{sI,sI,sf,sf,s[f,f,i,i]}", "sent", (json_int_t)p->n, "valid", valid,
	    "rtt_p50", p99 / 2, "rtt_p99", p99, "server", p->rate / 1000.0, 40.0 - p->repetition, 1,
	    1);
	if (p->rate > 1000)
		(void)json_object_set_new(f, "rtt_p999", json_real(2 * p99));
	return f;
}

static struct bench_run *
run(void)
{
	played_settings(line, &settings);
	return played_run(bench_sweep, &settings, measure, &stop, true);
}

static void
check_rows(const struct bench_run *r)
{
	ck_assert_str_eq(played_failure(r), "");
	ck_assert_uint_eq(played_rows(r, "sweep"), RATES);
	for (size_t i = 0; i < RATES; i++) {
		double by = i >= 4 ? 10 : 1;

		ck_assert_double_eq_tol(played_number(r, "sweep", i, "rate"), 1000 << i, 1e-9);
		ck_assert_double_eq_tol(played_number(r, "sweep", i, "trials"), REPETITIONS, 1e-9);
		ck_assert_double_eq_tol(
		    played_number(r, "sweep", i, "valid_median"), i == 5 ? 50 : 100, 1e-9);
		ck_assert_double_eq_tol(
		    played_number(r, "sweep", i, "rtt_p99_median"), 130 * by, 1e-9);
		ck_assert_double_eq_tol(
		    played_number(r, "sweep", i, "rtt_p99_min"), 110 * by, 1e-9);
		ck_assert_double_eq_tol(
		    played_number(r, "sweep", i, "rtt_p99_max"), 150 * by, 1e-9);
		ck_assert_double_eq_tol(
		    played_number(r, "sweep", i, "rtt_p50_median"), 65 * by, 1e-9);
		if (i == 0)
			ck_assert(json_is_null(played_cell(r, "sweep", i, "rtt_p999_median")));
		else
			ck_assert_double_eq_tol(
			    played_number(r, "sweep", i, "rtt_p999_median"), 260 * by, 1e-9);
		ck_assert_double_eq_tol(
		    played_number(r, "sweep", i, "server_cpu_median"), 1 << i, 1e-9);
		ck_assert_double_eq_tol(
		    played_number(r, "sweep", i, "server_cpu_per_answer_median"), 37, 1e-9);
	}
	ck_assert_int_eq(json_integer_value(played_found(r, "knee")), 16000);
	ck_assert_int_eq(json_integer_value(played_found(r, "below the knee")), 8000);
	ck_assert_double_eq_tol(json_number_value(json_object_get(
				    json_object_get(played_table(r, "sweep"), "mark"), "at")),
	    16000, 1e-9);
	ck_assert_str_eq(json_string_value(played_found(r, "knee by")),
	    "median RTT over twice that at the lowest rates");
	ck_assert_double_eq_tol(
	    json_number_value(played_found(r, "RTT at the lowest rates")), 65, 1e-9);
}

START_TEST(rates_have_their_medians)
{
	struct bench_run *r = run();

	check_rows(r);
	ck_assert_uint_eq(played_rows(r, "trials"), (size_t)RATES * REPETITIONS);
	/* The second row of the second rate: p99 is the third figure of the first rate's five. */
	ck_assert_str_eq(json_string_value(played_cell(r, "spread", 2, "figure")), "RTT p99 (us)");
	ck_assert_double_eq_tol(played_number(r, "spread", 2, "q1"), 120, 1e-9);
	ck_assert_double_eq_tol(played_number(r, "spread", 2, "q3"), 140, 1e-9);
	ck_assert_uint_eq(played_rows(r, "spread"), RATES * 6 - 1);
	bench_run_free(r);
	/* In the order that the seed gives. */
	for (unsigned k = 0; k < REPETITIONS; k++) {
		size_t order[RATES];

		bench_sweep_order(5, k + 1, RATES, order);
		for (size_t i = 0; i < RATES; i++)
			ck_assert_uint_eq(asked[k][i], 1000U << order[i]);
	}
}
END_TEST

START_TEST(goes_on_after_every_trial)
{
	for (unsigned at = 1; at <= RATES * REPETITIONS; at++) {
		ck_assert_int_eq(truncate(path, 0), 0);
		n_measured = 0;
		next_name = 0;
		end_at = at;
		bench_run_free(run());
		end_at = n_measured = 0;
		next_name++; /* the names of the trial that was cut off may have been asked for */
		struct bench_run *r = run();
		check_rows(r);
		ck_assert_uint_eq(n_measured, RATES * REPETITIONS - at + 1);
		bench_run_free(r);
	}
}
END_TEST

/* More repetitions may follow: those before have the same order. */
START_TEST(repetitions_may_be_added)
{
	memcpy(strstr(line, "--repetitions 5"), "--repetitions 2", 15);
	bench_run_free(run());
	ck_assert_uint_eq(n_measured, 2 * RATES);
	memcpy(strstr(line, "--repetitions 2"), "--repetitions 5", 15);
	struct bench_run *r = run();
	check_rows(r);
	ck_assert_uint_eq(n_measured, REPETITIONS * RATES);
	bench_run_free(r);
}
END_TEST

START_TEST(state_of_another_order_is_refused)
{
	end_at = 3;
	bench_run_free(run());
	memcpy(strstr(line, "--seed 5"), "--seed 6", 8);
	struct bench_run *r = run();
	ck_assert_msg(
	    strstr(played_failure(r), "seed was 5 and is 6 now") != NULL, "%s", played_failure(r));
	bench_run_free(r);
}
END_TEST

/* A trial that the tester spoilt is repeated up to five times, and its figures do not count. */
START_TEST(spoilt_trial_is_repeated)
{
	spoilt = 4000;
	spoilt_left = 5;
	struct bench_run *r = run();
	check_rows(r);
	ck_assert_uint_eq(n_measured, RATES * REPETITIONS + 5);
	ck_assert_int_eq(json_integer_value(played_found(r, "trials spoilt by the tester")), 5);
	bench_run_free(r);
	n_measured = 0;
	r = run(); /* of what the state file has */
	check_rows(r);
	ck_assert_uint_eq(n_measured, 0);
	bench_run_free(r);
}
END_TEST

/* A rate that the tester cannot do has no figures, and the run says so. */
START_TEST(rate_without_verdict_is_told)
{
	spoilt = 32000;
	spoilt_left = 100;
	struct bench_run *r = run();

	ck_assert_str_eq(
	    played_failure(r), "the tester is the limit: no trial at 1 of 6 rates has a verdict");
	ck_assert_uint_eq(n_measured, RATES * REPETITIONS + 5 * REPETITIONS);
	ck_assert_double_eq_tol(played_number(r, "sweep", 5, "trials"), 0, 1e-9);
	ck_assert(json_is_null(played_cell(r, "sweep", 5, "rtt_p99_median")));
	ck_assert_int_eq(json_integer_value(played_found(r, "knee")), 16000);
	bench_run_free(r);
}
END_TEST

/* Interrupted: what there is, is told. */
START_TEST(interrupted_sweep_has_what_there_is)
{
	end_at = 4;
	struct bench_run *r = run();

	ck_assert_str_eq(
	    played_failure(r), "the tester is the limit: no trial at 3 of 6 rates has a verdict");
	bench_run_free(r);
	ck_assert_int_eq(truncate(path, 0), 0);
	n_measured = 0;
	next_name = 0;
	stop = true;
	r = run();
	ck_assert_str_eq(played_failure(r), "");
	ck_assert_uint_eq(played_rows(r, "trials"), 3);
	ck_assert_uint_eq(played_rows(r, "sweep"), RATES);
	bench_run_free(r);
}
END_TEST

START_TEST(names_are_counted)
{
	static const struct {
		const char *options;
		bool fit;
	} cases[] = {
		{ "--rates 100 --repetitions 1 -d 1 --namespace 10.0.0.0/24", true },
		{ "--rates 100,101 --repetitions 1 -d 1 --namespace 10.0.0.0/24", false },
		{ "--rates 100,101 --repetitions 9 -d 1 --namespace 10.0.0.0/24 --restart true",
		    true },
		{ "--rates 100,300 --repetitions 1 -d 1 --namespace 10.0.0.0/24 --restart true",
		    false },
	};
	char text[300];
	FILE *null = fopen("/dev/null", "we");

	(void)snprintf(text, sizeof(text), "sweep -s 192.0.2.1 %s", cases[_i].options);
	played_settings(text, &settings);
	ck_assert_int_eq(bench_sweep_fits(&settings, null), cases[_i].fit);
	(void)fclose(null);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_set_timeout(tc, 120);
	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, order_is_drawn_by_the_seed);
	tcase_add_test(tc, no_place_is_preferred);
	tcase_add_loop_test(tc, knee_is_where_it_stays_slow, 0, 9);
	tcase_add_test(tc, rates_have_their_medians);
	tcase_add_test(tc, goes_on_after_every_trial);
	tcase_add_test(tc, repetitions_may_be_added);
	tcase_add_test(tc, state_of_another_order_is_refused);
	tcase_add_test(tc, spoilt_trial_is_repeated);
	tcase_add_test(tc, rate_without_verdict_is_told);
	tcase_add_test(tc, interrupted_sweep_has_what_there_is);
	tcase_add_loop_test(tc, names_are_counted, 0, 4);
}
