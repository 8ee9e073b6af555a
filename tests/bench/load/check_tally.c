/* SPDX-License-Identifier: BSD-2-Clause */
/* What became of the questions: sums of several threads, and what is made of them. */

#include "bench/load/tally.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dns/wire.h"
#include "fakedns/answer.h"
#include "support/scratch.h"
#include "support/tests.h"

static struct bench_tally a, b; /* every test runs in a process of its own */

static void
fill(struct bench_tally *t, uint64_t unit)
{
	bench_tally_clear(t);
	t->sent = 1000 * unit;
	t->burst = 3;
	for (unsigned i = 0; i < BENCH_VERDICTS; i++)
		t->replies[i] = (i + 1) * unit;
	t->rcodes[DNS_SERVFAIL] = 7 * unit;
	t->late = 10 * unit;
	t->duplicate = 20 * unit;
	t->other = 30 * unit;
	t->stray = 40 * unit;
	t->malformed = 50 * unit;
	t->no_reply = 51 * unit;
	t->missing_behind = 49 * unit;
	t->overdue_at_once = 53 * unit;
	t->crowd = 54 * unit;
	t->no_room = 55 * unit;
	t->faults = (struct bench_faults){ .unsent = 60 * unit,
		.refused = 70 * unit,
		.dropped = 80 * unit,
		.closed = 90 * unit,
		.stalled = 91 * unit,
		.no_port = 92 * unit,
		.connections = 93 * unit };
	bench_histogram_add(&t->rtt, 100 * unit);
	bench_histogram_add(&t->lag, 200 * unit);
	bench_histogram_add(&t->gaps, 300 * unit);
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
	ck_assert_uint_eq(a.no_reply, 5151);
	ck_assert_uint_eq(a.missing_behind, 4949);
	ck_assert_uint_eq(a.overdue_at_once, 5300); /* the most */
	ck_assert_uint_eq(a.crowd, 5400);
	ck_assert_uint_eq(bench_tally_foreign(&a), 3030 + 4040 + 5050 + 5151);
	ck_assert_uint_eq(a.faults.unsent, 6060);
	ck_assert_uint_eq(a.faults.refused, 7070);
	ck_assert_uint_eq(a.faults.dropped, 8080);
	ck_assert_uint_eq(a.faults.closed, 9090);
	ck_assert_uint_eq(a.faults.stalled, 9191);
	ck_assert_uint_eq(a.faults.no_port, 9292);
	ck_assert_uint_eq(a.faults.connections, 9393);
	ck_assert_uint_eq(a.no_room, 5555);
	ck_assert_uint_eq(a.rcodes[DNS_SERVFAIL], 707);
	ck_assert_uint_eq(a.first_ns, 4000);
	ck_assert_uint_eq(a.last_ns, 9000);
	ck_assert_uint_eq(a.end_ns, 9900);
	ck_assert_uint_eq(a.rtt.n, 2);
	ck_assert_uint_eq(a.rtt.max_ns, 10000);
	ck_assert_uint_eq(a.lag.min_ns, 200);
	ck_assert_uint_eq(a.gaps.n, 2);
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

/* Good is: all answered, right and in time, and once. What others send is no question's. */
START_TEST(good_is_all_answered_in_time_and_once)
{
	uint64_t *const faults[] = { &a.duplicate, &a.faults.unsent };

	bench_tally_clear(&a);
	a.sent = a.replies[BENCH_VALID] = 100;
	ck_assert(bench_tally_good(&a));
	a.other = a.stray = a.malformed = a.no_reply = a.faults.elsewhere = 7;
	ck_assert(bench_tally_good(&a));
	ck_assert_uint_eq(bench_tally_foreign(&a), 35);
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
	a.paused = 1000; /* half of the time the tester paused */
	ck_assert_double_eq_tol(bench_tally_rate(&a), 1000, 1e-9);
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

/* --- What becomes of a question, by its reply and the time ------------------------------------ */

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

	return bench_tally_reply(&plan, START, &lane, &view, &t);
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
		ck_assert_uint_eq(bench_tally_expire(&plan, &lane, START - 1, START + 600, &t), 0);
		t.overdue += bench_tally_expire(&plan, &lane, START, START + 600, &t);
		ck_assert_uint_eq(t.end_ns, START + 600);
		ck_assert_uint_eq(t.overdue, 1);
	}
	ck_assert(take(START + TIMEOUT + 200) == (_i == 0));
	expect(0, 0, 1, 1);
	ck_assert_uint_eq(lane.asked.n_open, 0);
	ck_assert(!take(START + TIMEOUT + 201));
	expect(0, 0, 1, 1);
	expect_beside(1, 0, 0, 0);
	ck_assert_uint_eq(t.missing_behind, 0);
}
END_TEST

/* The same of one that left late: it is missing once, and that is known. */
START_TEST(question_that_left_late_is_missing_once)
{
	bench_inflight_behind(&lane.asked, 1);
	if (_i == 1)
		t.overdue += bench_tally_expire(&plan, &lane, START, START + 600, &t);
	ck_assert(take(START + TIMEOUT + 200) == (_i == 0));
	t.sent = 1;
	ck_assert_uint_eq(bench_tally_missing(&t), 1);
	ck_assert_uint_eq(t.missing_behind, 1);
}
END_TEST

/* By the kernel's clock it came in time, but the tester has given up before it looked. */
START_TEST(reply_after_giving_up_is_late_whenever_it_came)
{
	t.overdue += bench_tally_expire(&plan, &lane, START, START + 600, &t);
	ck_assert(!take(START + TIMEOUT));
	expect(0, 0, 1, 1);
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
	reply[2] &= 0x7f; /* a question */
	ck_assert(!take(START + 1));
	expect_beside(0, 0, 1, 0);
	ck_assert_uint_eq(t.no_reply, 1);
	reply_len = 11;
	ck_assert(!take(START + 1));
	expect_beside(0, 0, 1, 1);
	ck_assert_uint_eq(t.no_reply, 1);
	expect(0, 0, 0, 0);
	ck_assert_uint_eq(lane.asked.n_open, 1);
}
END_TEST

START_TEST(questions_of_an_earlier_run_are_not_counted)
{
	lane.asked.ring[0].sent_ns = START - 1;
	ck_assert_uint_eq(bench_tally_expire(&plan, &lane, START, START, &t), 1);
	ck_assert(!take(START + 1));
	expect(0, 0, 0, 0);
	expect_beside(0, 0, 0, 0);
}
END_TEST

/* --- The raw file ----------------------------------------------------------------------------- */

#define HEAD "sent_ns,name,type,outcome,rtt_ns\n"
#define THREADS 4
#define LINES 20000 /* of each thread: more than fit into the buffer */

static struct bench_load load;

START_TEST(each_question_is_one_line)
{
	char path[SCRATCH_PATH], text[1000];
	struct bench_asked asked = { .sent_ns = 1000, .question = { BENCH_NEW, 1 } };
	struct bench_raw *r;
	int fd = scratch_file(path);

	bench_load_init(&load);
	load.numbers = (struct bench_range){ 0, 99, 2 };
	ck_assert_int_eq(bench_raw_open(path, &r), 0);
	bench_raw_add(r, &load, &asked, 1234, "valid");
	asked.question = (struct bench_question){ BENCH_MISSING, 2 };
	asked.sent_ns = UINT64_MAX - 5;
	/* Its answer had come when the call that sent it returned. */
	bench_raw_add(r, &load, &asked, UINT64_MAX - 9, "wrong rcode");
	asked.question = (struct bench_question){ BENCH_NUMBER, 64 };
	asked.sent_ns = 0;
	bench_raw_add(r, &load, &asked, 1000000000000, "lost");
	ck_assert_int_eq(bench_raw_close(r), 0);
	ssize_t n = read(fd, text, sizeof(text) - 1);
	ck_assert_int_gt(n, 0);
	text[n] = '\0';
	ck_assert_str_eq(text,
	    HEAD "1000,010-000-000-001.dns64perf.test.,28,valid,234\n"
		 "18446744073709551610,nx-010-000-000-002.dns64perf.test.,28,wrong rcode,0\n"
		 "0,4.6.e164.arpa.,35,lost,1000000000000\n");
	(void)close(fd);
	(void)unlink(path);
}
END_TEST

START_TEST(file_that_cannot_open_is_an_error)
{
	struct bench_raw *r;

	ck_assert_int_eq(bench_raw_open("/nonexistent/file", &r), -ENOENT);
	ck_assert_int_eq(bench_raw_open("/", &r), -EISDIR);
}
END_TEST

/* A full disk is told in the end, whether the last line or one long before did not fit. */
START_TEST(full_disk_is_told_at_the_end)
{
	struct bench_asked asked = { .sent_ns = 1000, .question = { BENCH_NEW, 1 } };
	struct bench_raw *r;

	bench_load_init(&load);
	ck_assert_int_eq(bench_raw_open("/dev/full", &r), 0);
	ck_assert_int_eq(bench_raw_close(r), -ENOSPC);
	ck_assert_int_eq(bench_raw_open("/dev/full", &r), 0);
	for (unsigned i = 0; i < 50000; i++)
		bench_raw_add(r, &load, &asked, 1234, "valid");
	ck_assert_int_lt(bench_raw_close(r), 0);
}
END_TEST

static void *
add_many(void *arg)
{
	struct bench_asked asked = { .sent_ns = 1000, .question = { BENCH_NEW, 1 } };

	for (unsigned i = 0; i < LINES; i++)
		bench_raw_add(arg, &load, &asked, 1234, "valid");
	return NULL;
}

/* Lines of several threads stay whole. */
START_TEST(lines_of_threads_stay_whole)
{
	char path[SCRATCH_PATH], line[200];
	pthread_t thread[THREADS];
	struct bench_raw *r;
	unsigned n = 0;

	bench_load_init(&load);
	(void)close(scratch_file(path));
	ck_assert_int_eq(bench_raw_open(path, &r), 0);
	for (unsigned i = 0; i < THREADS; i++)
		ck_assert_int_eq(pthread_create(&thread[i], NULL, add_many, r), 0);
	for (unsigned i = 0; i < THREADS; i++)
		ck_assert_int_eq(pthread_join(thread[i], NULL), 0);
	ck_assert_int_eq(bench_raw_close(r), 0);
	FILE *f = fopen(path, "r");
	ck_assert_ptr_nonnull(f);
	ck_assert_ptr_nonnull(fgets(line, sizeof(line), f));
	ck_assert_str_eq(line, HEAD);
	for (; fgets(line, sizeof(line), f) != NULL; n++)
		ck_assert_str_eq(line, "1000,010-000-000-001.dns64perf.test.,28,valid,234\n");
	ck_assert_uint_eq(n, THREADS * LINES);
	(void)fclose(f);
	(void)unlink(path);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_test(tc, empty_tally_is_all_zero_and_not_good);
	tcase_add_test(tc, merged_tally_is_the_sum);
	tcase_add_test(tc, merged_with_nothing);
	tcase_add_test(tc, wrong_replies_are_not_lost);
	tcase_add_test(tc, good_is_all_answered_in_time_and_once);
	tcase_add_test(tc, sending_time_is_from_first_to_last);
	tcase_add_test(tc, rate_with_losses_ends_at_the_last_question);
	tcase_add_test(tc, received_counts_every_reply);
	tcase_add_test(tc, rtt_percentiles_are_in_microseconds);

	tc = tests_case("outcome");
	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, reply_at_the_timeout_is_in_time);
	tcase_add_test(tc, wrong_answer_is_counted_by_its_verdict);
	tcase_add_loop_test(tc, late_reply_is_overdue_once, 0, 2);
	tcase_add_loop_test(tc, question_that_left_late_is_missing_once, 0, 2);
	tcase_add_test(tc, reply_after_giving_up_is_late_whenever_it_came);
	tcase_add_test(tc, reply_with_another_name_leaves_the_question_open);
	tcase_add_test(tc, stray_and_malformed);
	tcase_add_test(tc, questions_of_an_earlier_run_are_not_counted);

	tc = tests_case("lines");
	tcase_add_test(tc, each_question_is_one_line);
	tcase_add_test(tc, file_that_cannot_open_is_an_error);
	tcase_add_test(tc, full_disk_is_told_at_the_end);
	tcase_add_test(tc, lines_of_threads_stay_whole);
}
