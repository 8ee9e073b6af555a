/* SPDX-License-Identifier: BSD-2-Clause */
/* What becomes of a question, by its reply and the time. */

#include "bench/load/outcome.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "dns/wire.h"
#include "fakedns/answer.h"

#define ID 4711
#define START 1000
#define TIMEOUT 500

static struct bench_plan plan;
static struct bench_lane lane;
static struct bench_tally t;
static uint8_t reply[1232];
static size_t reply_len;

/*
 * The answer of fakedns to the N-th question, which has AAAA, with the ID of the one asked first.
 */
static void
answer(uint64_t n)
{
	static struct fake_policy policy = { .ttl = 300 };
	uint8_t question[BENCH_QUESTION_MAX];
	struct fake_question q = { .bytes = question };
	enum fake_verdict v;

	policy.zone = plan.load.zone;
	q.len = bench_load_write(&plan.load, bench_load_question(&plan.load, n), ID, question);
	reply_len = fake_answer(&policy, &q, reply, sizeof(reply), &v);
	ck_assert_int_eq(v, FAKE_ANSWERED);
}

/* Question 7 was asked when the run began. */
static void
set_up(void)
{
	memset(&plan, 0, sizeof(plan));
	memset(&lane, 0, sizeof(lane));
	bench_load_init(&plan.load);
	plan.load.zone.aaaa_percent = 100;
	plan.timeout_ns = TIMEOUT;
	bench_tally_clear(&t);
	ck_assert_int_eq(bench_inflight_init(&lane.asked, 16, ID), 0);
	bench_inflight_add(&lane.asked, bench_load_question(&plan.load, 7), START);
	answer(7);
}

static void
tear_down(void)
{
	bench_inflight_fini(&lane.asked);
}

static bool
take(uint64_t came_ns)
{
	struct bench_view view = { reply, reply_len, came_ns };

	return bench_outcome_reply(&plan, START, &lane, &view, &t);
}

static void
expect(uint64_t valid, uint64_t wrong, uint64_t overdue, uint64_t late)
{
	ck_assert_uint_eq(t.replies[BENCH_VALID], valid);
	ck_assert_uint_eq(bench_tally_wrong(&t), wrong);
	ck_assert_uint_eq(t.overdue, overdue);
	ck_assert_uint_eq(t.late, late);
	ck_assert_uint_eq(t.rtt.n, valid);
}

static void
expect_beside(uint64_t duplicate, uint64_t other, uint64_t stray, uint64_t malformed)
{
	ck_assert_uint_eq(t.duplicate, duplicate);
	ck_assert_uint_eq(t.other, other);
	ck_assert_uint_eq(t.stray, stray);
	ck_assert_uint_eq(t.malformed, malformed);
}

START_TEST(reply_at_the_timeout_is_in_time)
{
	ck_assert(take(START + TIMEOUT));
	expect(1, 0, 0, 0);
	ck_assert_uint_eq(t.rtt.max_ns, TIMEOUT);
	ck_assert_uint_eq(t.end_ns, START + TIMEOUT);
	ck_assert_uint_eq(lane.asked.n_open, 0);
	/* Once more. */
	ck_assert(!take(START + TIMEOUT));
	expect(1, 0, 0, 0);
	expect_beside(1, 0, 0, 0);
}
END_TEST

START_TEST(wrong_answer_is_counted_by_its_verdict)
{
	reply[3] = (uint8_t)(reply[3] | 2); /* SERVFAIL */
	ck_assert(take(START + 1));
	expect(0, 1, 0, 0);
	ck_assert_uint_eq(t.replies[BENCH_RCODE], 1);
}
END_TEST

/* Late before anybody looked, or after it was given up: overdue once, and open no more. */
START_TEST(late_reply_is_overdue_once)
{
	if (_i == 1) {
		ck_assert_uint_eq(
		    bench_outcome_expire(&plan, &lane, START - 1, START + 600, &t), 0);
		t.overdue += bench_outcome_expire(&plan, &lane, START, START + 600, &t);
		ck_assert_uint_eq(t.end_ns, START + 600);
		ck_assert_uint_eq(t.overdue, 1);
	}
	ck_assert(take(START + TIMEOUT + 200) == (_i == 0));
	expect(0, 0, 1, 1);
	ck_assert_uint_eq(lane.asked.n_open, 0);
	ck_assert(!take(START + TIMEOUT + 201));
	expect(0, 0, 1, 1);
	expect_beside(1, 0, 0, 0);
}
END_TEST

/* The ID of an open question with another name, then that ID when it was answered. */
START_TEST(reply_with_another_name_leaves_the_question_open)
{
	answer(8);
	ck_assert(!take(START + 1));
	expect(0, 0, 0, 0);
	expect_beside(0, 1, 0, 0);
	ck_assert_uint_eq(lane.asked.n_open, 1);
	answer(7);
	ck_assert(take(START + 2));
	answer(8);
	ck_assert(!take(START + 3));
	expect(1, 0, 0, 0);
	expect_beside(0, 1, 1, 0);
}
END_TEST

START_TEST(stray_and_malformed)
{
	wire_set_u16(reply, ID + 1);
	ck_assert(!take(START + 1));
	expect_beside(0, 0, 1, 0);
	reply_len = 11;
	ck_assert(!take(START + 1));
	expect_beside(0, 0, 1, 1);
	expect(0, 0, 0, 0);
	ck_assert_uint_eq(lane.asked.n_open, 1);
}
END_TEST

START_TEST(questions_of_an_earlier_run_are_not_counted)
{
	lane.asked.ring[0].sent_ns = START - 1;
	ck_assert_uint_eq(bench_outcome_expire(&plan, &lane, START, START, &t), 1);
	ck_assert(!take(START + 1));
	expect(0, 0, 0, 0);
	expect_beside(0, 0, 0, 0);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("bench_outcome");
	TCase *tc = tcase_create("outcome");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, reply_at_the_timeout_is_in_time);
	tcase_add_test(tc, wrong_answer_is_counted_by_its_verdict);
	tcase_add_loop_test(tc, late_reply_is_overdue_once, 0, 2);
	tcase_add_test(tc, reply_with_another_name_leaves_the_question_open);
	tcase_add_test(tc, stray_and_malformed);
	tcase_add_test(tc, questions_of_an_earlier_run_are_not_counted);
	suite_add_tcase(s, tc);

	SRunner *sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	int failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
