/* SPDX-License-Identifier: BSD-2-Clause */
/* What became of the questions: sums of several threads, and what is made of them. */

#include "bench/load/tally.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static struct bench_tally a, b; /* every test runs in a process of its own */

static void
fill(struct bench_tally *t, uint64_t unit)
{
	bench_tally_clear(t);
	t->sent = 1000 * unit;
	t->burst = 3;
	for (unsigned i = 0; i < BENCH_VERDICTS; i++)
		t->replies[i] = (i + 1) * unit;
	t->late = 10 * unit;
	t->duplicate = 20 * unit;
	t->other = 30 * unit;
	t->stray = 40 * unit;
	t->malformed = 50 * unit;
	t->no_room = 55 * unit;
	t->spoilt = 56 * unit;
	t->faults = (struct bench_faults){ .unsent = 60 * unit,
		.refused = 70 * unit,
		.dropped = 80 * unit,
		.closed = 90 * unit,
		.stalled = 91 * unit,
		.no_port = 92 * unit,
		.connections = 93 * unit };
	bench_histogram_add(&t->rtt, 100 * unit);
	bench_histogram_add(&t->lag, 200 * unit);
}

START_TEST(empty_tally_is_all_zero_and_not_good)
{
	bench_tally_clear(&a);
	ck_assert_uint_eq(a.first_ns, UINT64_MAX);
	ck_assert_uint_eq(bench_tally_wrong(&a), 0);
	ck_assert_uint_eq(bench_tally_lost(&a), 0);
	ck_assert_uint_eq(bench_tally_send_ns(&a), 0);
	ck_assert(!bench_tally_good(&a)); /* nothing asked is not good */
}
END_TEST

START_TEST(merged_tally_is_the_sum)
{
	fill(&a, 1);
	fill(&b, 100);
	a.first_ns = 5000;
	a.last_ns = 9000;
	a.end_ns = 9500;
	b.first_ns = 4000;
	b.last_ns = 8000;
	b.end_ns = 9900;
	b.burst = 8;
	bench_tally_merge(&a, &b);
	ck_assert_uint_eq(a.sent, 101000);
	ck_assert_uint_eq(a.burst, 8);
	for (unsigned i = 0; i < BENCH_VERDICTS; i++)
		ck_assert_uint_eq(a.replies[i], (i + 1) * 101);
	ck_assert_uint_eq(a.late, 1010);
	ck_assert_uint_eq(a.duplicate, 2020);
	ck_assert_uint_eq(a.other, 3030);
	ck_assert_uint_eq(a.stray, 4040);
	ck_assert_uint_eq(a.malformed, 5050);
	ck_assert_uint_eq(a.faults.unsent, 6060);
	ck_assert_uint_eq(a.faults.refused, 7070);
	ck_assert_uint_eq(a.faults.dropped, 8080);
	ck_assert_uint_eq(a.faults.closed, 9090);
	ck_assert_uint_eq(a.faults.stalled, 9191);
	ck_assert_uint_eq(a.faults.no_port, 9292);
	ck_assert_uint_eq(a.faults.connections, 9393);
	ck_assert_uint_eq(a.no_room, 5555);
	ck_assert_uint_eq(a.spoilt, 5656);
	ck_assert_uint_eq(a.first_ns, 4000);
	ck_assert_uint_eq(a.last_ns, 9000);
	ck_assert_uint_eq(a.end_ns, 9900);
	ck_assert_uint_eq(a.rtt.n, 2);
	ck_assert_uint_eq(a.rtt.max_ns, 10000);
	ck_assert_uint_eq(a.lag.min_ns, 200);
	ck_assert_uint_eq(bench_tally_send_ns(&a), 5000);
}
END_TEST

/* A thread that asked nothing changes nothing. */
START_TEST(merged_with_nothing)
{
	fill(&a, 1);
	a.first_ns = 5000;
	a.last_ns = 9000;
	b = a;
	struct bench_tally *empty = malloc(sizeof(*empty));
	ck_assert_ptr_nonnull(empty);
	bench_tally_clear(empty);
	bench_tally_merge(&a, empty);
	ck_assert_mem_eq(&a, &b, sizeof(a));
	bench_tally_merge(empty, &b);
	ck_assert_uint_eq(empty->first_ns, 5000);
	ck_assert_uint_eq(empty->rtt.min_ns, 100);
	free(empty);
}
END_TEST

START_TEST(wrong_replies_are_not_lost)
{
	bench_tally_clear(&a);
	a.sent = 100;
	a.replies[BENCH_VALID] = 80;
	a.replies[BENCH_TRUNCATED] = 1;
	a.replies[BENCH_RCODE] = 2;
	a.replies[BENCH_NO_DATA] = 3;
	a.replies[BENCH_WRONG_DATA] = 4;
	a.late = 5;
	ck_assert_uint_eq(bench_tally_wrong(&a), 10);
	ck_assert_uint_eq(bench_tally_lost(&a), 5);
	ck_assert(!bench_tally_good(&a));
}
END_TEST

/* Good is: all answered, right and in time, once, and nothing else came. */
START_TEST(good_is_all_answered_in_time_and_once)
{
	uint64_t *const faults[] = { &a.duplicate, &a.other, &a.stray, &a.malformed,
		&a.faults.unsent };

	bench_tally_clear(&a);
	a.sent = a.replies[BENCH_VALID] = 100;
	ck_assert(bench_tally_good(&a));
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		*faults[i] = 1;
		ck_assert_msg(!bench_tally_good(&a), "%zu", i);
		*faults[i] = 0;
	}
	a.replies[BENCH_VALID] = 99;
	ck_assert(!bench_tally_good(&a));
	a.late = 1;
	ck_assert(!bench_tally_good(&a));
	a.late = 0;
	a.replies[BENCH_RCODE] = 1;
	ck_assert(!bench_tally_good(&a));
}
END_TEST

START_TEST(sending_time_is_from_first_to_last)
{
	bench_tally_clear(&a);
	a.sent = 1;
	a.first_ns = a.last_ns = 7000;
	ck_assert_uint_eq(bench_tally_send_ns(&a), 0);
	a.sent = 2;
	a.last_ns = 7100;
	ck_assert_uint_eq(bench_tally_send_ns(&a), 100);
}
END_TEST

/* With losses the end is the last question: when the last one was given up says nothing. */
START_TEST(rate_with_losses_ends_at_the_last_question)
{
	bench_tally_clear(&a);
	ck_assert_double_eq_tol(bench_tally_rate(&a), 0, 1e-9);
	a.sent = 1000;
	a.replies[BENCH_VALID] = 500;
	a.first_ns = 1000000000;
	a.last_ns = 2000000000;
	a.end_ns = 3000000000;
	ck_assert_double_eq_tol(bench_tally_rate(&a), 250, 1e-9);
	a.overdue = 500;
	ck_assert_double_eq_tol(bench_tally_rate(&a), 500, 1e-9);
}
END_TEST

START_TEST(received_counts_every_reply)
{
	bench_tally_clear(&a);
	a.sent = 100;
	a.replies[BENCH_VALID] = 1;
	a.replies[BENCH_RCODE] = 2;
	a.late = 4;
	a.duplicate = 8;
	a.other = 16;
	a.stray = 32;
	a.malformed = 64;
	ck_assert_uint_eq(bench_tally_received(&a), 127);
}
END_TEST

START_TEST(rtt_percentiles_are_in_microseconds)
{
	bench_tally_clear(&a);
	for (uint64_t i = 1; i <= 100; i++)
		bench_histogram_add(&a.rtt, i * 1000);
	ck_assert_double_eq_tol(bench_tally_rtt_us(&a, 50), 50, 0.5);
	ck_assert_double_eq_tol(bench_tally_rtt_us(&a, 100), 100, 1e-9);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("bench_tally");
	TCase *tc = tcase_create("tally");

	tcase_add_test(tc, empty_tally_is_all_zero_and_not_good);
	tcase_add_test(tc, merged_tally_is_the_sum);
	tcase_add_test(tc, merged_with_nothing);
	tcase_add_test(tc, wrong_replies_are_not_lost);
	tcase_add_test(tc, good_is_all_answered_in_time_and_once);
	tcase_add_test(tc, sending_time_is_from_first_to_last);
	tcase_add_test(tc, rate_with_losses_ends_at_the_last_question);
	tcase_add_test(tc, received_counts_every_reply);
	tcase_add_test(tc, rtt_percentiles_are_in_microseconds);
	suite_add_tcase(s, tc);

	SRunner *sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	int failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
