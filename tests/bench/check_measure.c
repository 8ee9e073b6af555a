/* SPDX-License-Identifier: BSD-2-Clause */
/* The outcome of a trial: what it says of the server, and when it says nothing. */

#include "bench/measure.h"

#include "base/clock.h"
#include "support/tests.h"

#define RATE 1000
#define N 500

static struct bench_tally tally;
static const struct bench_plan plan = {
	.transport = &bench_udp, .burst = 1, .timeout_ns = NS_PER_SEC
};

/* N questions at RATE, all answered. */
static void
set_up(void)
{
	bench_tally_clear(&tally);
	tally.sent = N;
	tally.replies[BENCH_VALID] = N;
	tally.first_ns = NS_PER_SEC;
	tally.last_ns = NS_PER_SEC + (N - 1) * NS_PER_MS;
	tally.end_ns = 2 * NS_PER_SEC;
}

static enum bench_outcome
outcome(void)
{
	return bench_measure_outcome(&tally, RATE, &plan);
}

START_TEST(all_answered_passes)
{
	ck_assert_int_eq(outcome(), BENCH_PASSED);
}
END_TEST

/* One answer of all that is missing, late, wrong or too many is enough (paper, section 4.3.2). */
START_TEST(one_bad_answer_fails)
{
	tally.replies[BENCH_VALID]--;
	ck_assert_int_eq(outcome(), BENCH_FAILED);
	tally.late++;
	ck_assert_int_eq(outcome(), BENCH_FAILED);
	set_up();
	tally.replies[BENCH_VALID]--;
	tally.replies[BENCH_VALID + 1]++;
	ck_assert_int_eq(outcome(), BENCH_FAILED);
	set_up();
	tally.duplicate++;
	ck_assert_int_eq(outcome(), BENCH_FAILED);
}
END_TEST

/* A tester that sent too slowly, not all or lost replies cannot judge, also if all was well. */
START_TEST(has_no_verdict)
{
	switch (_i) {
	case 0:
		tally.last_ns += 6 * NS_PER_MS;
		break;
	case 1:
		tally.last_ns -= 6 * NS_PER_MS;
		break;
	case 2:
		tally.faults.dropped++;
		break;
	case 3:
		tally.faults.unsent++;
		break;
	case 4:
		bench_tally_clear(&tally);
		break;
	case 5:
		tally.faults.no_port++;
		break;
	case 6:
		tally.pauses++;
		break;
	case 7: /* others sent to its ports, and all else was well */
		tally.malformed = N + 1;
		break;
	default:
		for (unsigned i = 0; i < N; i++)
			bench_histogram_add(&tally.lag, 150 * NS_PER_MS);
	}
	ck_assert_int_eq(outcome(), BENCH_NO_VERDICT);
	tally.replies[BENCH_VALID] = 0;
	ck_assert_int_eq(outcome(), BENCH_NO_VERDICT);
}
END_TEST

/* Some questions of a crowd are missing, which the tester sent; or more than those. */
START_TEST(crowd_of_the_tester_has_no_verdict)
{
	tally.replies[BENCH_VALID] -= 280;
	tally.missing_behind = tally.overdue_at_once = 280;
	ck_assert_int_eq(outcome(), BENCH_NO_VERDICT);
	tally.replies[BENCH_VALID] -= 3; /* others, more than one in 100 of them */
	ck_assert_int_eq(outcome(), BENCH_FAILED);
	tally.replies[BENCH_VALID] = N;
	ck_assert_int_eq(outcome(), BENCH_PASSED);
}
END_TEST

/* A wrong answer is the server's, whatever the tester did besides. */
START_TEST(wrong_answer_has_failed)
{
	tally.pauses = tally.faults.dropped = 1;
	ck_assert_int_eq(outcome(), BENCH_NO_VERDICT);
	tally.replies[BENCH_VALID]--;
	tally.replies[BENCH_RCODE]++;
	ck_assert_int_eq(outcome(), BENCH_FAILED);
}
END_TEST

/* Where questions waited for answers to earlier ones the server is too slow, not the tester. */
START_TEST(waits_for_the_server)
{
	tally.no_room = 1;
	ck_assert_int_eq(outcome(), BENCH_PASSED); /* their answers were in time all the same */
	tally.last_ns += 6 * NS_PER_MS;
	ck_assert_int_eq(outcome(), BENCH_FAILED);
	for (unsigned i = 0; i < N; i++) /* others were late by the tester */
		bench_histogram_add(&tally.lag, 150 * NS_PER_MS);
	ck_assert_int_eq(outcome(), BENCH_NO_VERDICT);
	set_up();
	tally.no_room = 1;
	tally.faults.unsent++;
	ck_assert_int_eq(outcome(), BENCH_FAILED);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, set_up, NULL);
	tcase_add_test(tc, all_answered_passes);
	tcase_add_test(tc, one_bad_answer_fails);
	tcase_add_loop_test(tc, has_no_verdict, 0, 9);
	tcase_add_test(tc, crowd_of_the_tester_has_no_verdict);
	tcase_add_test(tc, wrong_answer_has_failed);
	tcase_add_test(tc, waits_for_the_server);
}
