/* SPDX-License-Identifier: BSD-2-Clause */
/* Latency by rate: the order of trials, the knee; of a server that is made up. */

#include "bench/sweep.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/madeup.h"
#include "bench/played.h"
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

	double base;
	ck_assert_uint_eq(bench_sweep_knee(cases[_i].points, cases[_i].n, &base), cases[_i].knee);
	ck_assert_double_eq_tol(base, cases[_i].base, 1e-9);
}
END_TEST

/* --- Runs ------------------------------------------------------------------------------------- */

#define RATES 6
#define REPETITIONS 5

static struct madeup sweep;
static uint32_t spoilt;      /* a rate at which the tester is at fault, */
static unsigned spoilt_left; /* so many times */
static uint32_t asked[REPETITIONS][RATES];

/* RTT 100 us, 10 us more each repetition; from 16000 on ten times that, from 32000 on with losses.
 */
static json_t *
measure(const struct bench_job *job, struct bench_probe *p, enum bench_outcome *outcome)
{
	double rtt = (50.0 + 5 * p->repetition) * (p->rate >= 16000 ? 10 : 1);
	json_int_t valid = (json_int_t)(p->rate >= 32000 ? p->n / 2 : p->n);

	(void)job;
	ck_assert_uint_eq(p->n, p->rate);
	*outcome = valid == (json_int_t)p->n ? BENCH_PASSED : BENCH_FAILED;
	if (p->rate == spoilt && spoilt_left > 0) {
		spoilt_left--;
		*outcome = BENCH_NO_VERDICT;
		rtt = 1e6;
	}
	for (size_t i = 0; i < RATES && *outcome != BENCH_NO_VERDICT; i++) {
		if (asked[p->repetition - 1][i] == 0) {
			asked[p->repetition - 1][i] = p->rate;
			break;
		}
	}
	return json_pack("{sI,sI,sf}", "sent", (json_int_t)p->n, "valid", valid, "rtt_p50", rtt);
}

static void
set_up(void)
{
	madeup_begin(&sweep,
	    "sweep -s 192.0.2.1 --rates 1000-32000/6 --repetitions 5 -d 1 --seed 5", measure);
	spoilt = spoilt_left = 0;
	memset(asked, 0, sizeof(asked));
}

static void
tear_down(void)
{
	madeup_end(&sweep);
}

/* Run it to its end; how many trials it has measured and has in its table. */
static void
check_run(unsigned measured, size_t trials)
{
	struct bench_run *r;

	sweep.n_measured = sweep.end_at = 0;
	r = madeup_run(&sweep, bench_sweep);
	ck_assert_str_eq(played_failure(r), "");
	ck_assert_uint_eq(sweep.n_measured, measured);
	ck_assert_uint_eq(played_rows(r, "trials"), trials);
	ck_assert_double_eq_tol(played_value(r, "knee"), 16000, 1e-9);
	ck_assert_double_eq_tol(played_value(r, "below the knee"), 8000, 1e-9);
	ck_assert_str_eq(
	    played_text(r, "knee by"), "median RTT over twice that at the lowest rates");
	ck_assert_double_eq_tol(played_value(r, "RTT at the lowest rates"), 65, 1e-9);
	if (trials > RATES * REPETITIONS)
		ck_assert_double_eq_tol(played_value(r, "trials spoilt by the tester"),
		    (double)trials - RATES * REPETITIONS, 1e-9);
	bench_run_free(r);
}

START_TEST(rates_are_asked_in_the_order_of_the_seed)
{
	check_run(RATES * REPETITIONS, (size_t)RATES * REPETITIONS);
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
		madeup_again(&sweep);
		sweep.end_at = at;
		bench_run_free(madeup_run(&sweep, bench_sweep));
		check_run(RATES * REPETITIONS - at + 1, (size_t)RATES * REPETITIONS);
	}
}
END_TEST

/* More repetitions may follow: those before have the same order. */
START_TEST(repetitions_may_be_added)
{
	madeup_edit(&sweep, "--repetitions 5", "--repetitions 2");
	bench_run_free(madeup_run(&sweep, bench_sweep));
	ck_assert_uint_eq(sweep.n_measured, 2 * RATES);
	madeup_edit(&sweep, "--repetitions 2", "--repetitions 5");
	check_run((REPETITIONS - 2) * RATES, (size_t)RATES * REPETITIONS);
}
END_TEST

START_TEST(state_of_another_order_is_refused)
{
	sweep.end_at = 3;
	bench_run_free(madeup_run(&sweep, bench_sweep));
	madeup_edit(&sweep, "--seed 5", "--seed 6");
	struct bench_run *r = madeup_run(&sweep, bench_sweep);
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
	check_run(RATES * REPETITIONS + 5, (size_t)RATES * REPETITIONS + 5);
	check_run(0, (size_t)RATES * REPETITIONS + 5); /* of what the state file has */
}
END_TEST

/* A rate that the tester cannot do has no figures, and the run says so. */
START_TEST(rate_without_verdict_is_told)
{
	spoilt = 32000;
	spoilt_left = 100;
	struct bench_run *r = madeup_run(&sweep, bench_sweep);

	ck_assert_str_eq(
	    played_failure(r), "the tester is the limit: no trial at 1 of 6 rates has a verdict");
	ck_assert_uint_eq(sweep.n_measured, RATES * REPETITIONS + 5 * REPETITIONS);
	ck_assert_double_eq_tol(played_value(r, "knee"), 16000, 1e-9);
	bench_run_free(r);
}
END_TEST

/* Interrupted: what there is, is told. */
START_TEST(interrupted_sweep_has_what_there_is)
{
	sweep.end_at = 4;
	sweep.stop = _i == 1;
	struct bench_run *r = madeup_run(&sweep, bench_sweep);

	ck_assert_str_eq(played_failure(r),
	    _i == 1 ? "" : "the tester is the limit: no trial at 3 of 6 rates has a verdict");
	ck_assert_uint_eq(played_rows(r, "trials"), 3);
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
	struct bench_settings settings;
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
	tcase_add_test(tc, rates_are_asked_in_the_order_of_the_seed);
	tcase_add_test(tc, goes_on_after_every_trial);
	tcase_add_test(tc, repetitions_may_be_added);
	tcase_add_test(tc, state_of_another_order_is_refused);
	tcase_add_test(tc, spoilt_trial_is_repeated);
	tcase_add_test(tc, rate_without_verdict_is_told);
	tcase_add_loop_test(tc, interrupted_sweep_has_what_there_is, 0, 2);
	tcase_add_loop_test(tc, names_are_counted, 0, 4);
}
