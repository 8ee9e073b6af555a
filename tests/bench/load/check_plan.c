/* SPDX-License-Identifier: BSD-2-Clause */
/* What a lane must remember, how many questions may be open on it, and when questions are due. */

#include "bench/load/plan.h"

#include <stdbool.h>

#include "base/clock.h"
#include "support/tests.h"

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))

START_TEST(window_is_the_transports_unless_told)
{
	struct bench_plan p = { .transport = &bench_tcp };

	ck_assert_uint_eq(bench_plan_window(&p), BENCH_TCP_WINDOW);
	p.window = 7;
	ck_assert_uint_eq(bench_plan_window(&p), 7);
	p = (struct bench_plan){ .transport = &bench_udp };
	ck_assert_uint_eq(bench_plan_window(&p), 0);
}
END_TEST

/* At a rate: the questions of twice the timeout, so that late replies are known. */
START_TEST(lane_remembers_twice_the_timeout)
{
	struct bench_plan p = { .transport = &bench_udp,
		.n_threads = 2,
		.n_lanes = 5,
		.rate = 100000,
		.timeout_ns = 3 * NS_PER_SEC };

	ck_assert_uint_ge(bench_plan_capacity(&p), 2 * 3 * 100000 / 2 / 5);
	ck_assert_uint_le(bench_plan_capacity(&p), 2 * 4 * 100000 / 2 / 5);
	/* and a burst, which is due at once */
	p.rate = 100;
	p.burst = 10000;
	ck_assert_uint_ge(bench_plan_capacity(&p), 10000 / 2 / 5);
}
END_TEST

START_TEST(transports_have_names)
{
	ck_assert_ptr_eq(bench_plan_transport("udp"), &bench_udp);
	ck_assert_ptr_eq(bench_plan_transport("tcp"), &bench_tcp);
	ck_assert_ptr_null(bench_plan_transport("quic"));
	ck_assert(bench_udp.port > 0 && bench_tcp.port > 0);
}
END_TEST

/* In a closed loop: whole windows several times, and not without end. */
START_TEST(client_remembers_some_windows)
{
	struct bench_plan p = { .transport = &bench_udp, .n_threads = 1, .window = 1 };

	p.n_lanes = 1;
	ck_assert_uint_eq(bench_plan_capacity(&p), 65536);
	p.n_lanes = 1000;
	ck_assert_uint_eq(bench_plan_capacity(&p), 262);
	p.window = 1000;
	ck_assert_uint_eq(bench_plan_capacity(&p), 4000);
}
END_TEST

/* Many clients ask in turn, not each a batch; those of a closed loop ask when they like. */
START_TEST(clients_ask_in_turn)
{
	struct bench_plan p = { .n_lanes = 3, .rate = 100 };
	struct netaddr a = bench_plan_source(&p, 1, 2), b;

	ck_assert_int_eq(a.family, NETADDR_NONE);
	ck_assert_uint_eq(bench_plan_batch(&p), BENCH_BATCH);
	ck_assert(bench_clients_parse("192.0.2.0/24", &p.clients.network[0]));
	p.clients.n = 1;
	ck_assert_uint_eq(bench_plan_batch(&p), 1);
	a = bench_plan_source(&p, 1, 2);
	b = bench_clients_address(&p.clients, 5);
	ck_assert(netaddr_equal(&a, &b));
	p.rate = 0;
	ck_assert_uint_eq(bench_plan_batch(&p), BENCH_BATCH);
}
END_TEST

/* As recorded: for the busiest time, and questions before the end of the time. */
START_TEST(recording_decides_how_many)
{
	static struct bench_recorded q[1000];
	const struct bench_replay r = { .question = q, .n = 1000, .span_ns = 100 * NS_PER_SEC };
	struct bench_plan p = { .transport = &bench_udp,
		.n_threads = 1,
		.n_lanes = 2,
		.rate = 10,
		.timing = &r,
		.timeout_ns = NS_PER_SEC };

	q[999].due_ns = 50 * NS_PER_SEC;
	ck_assert_uint_eq(bench_plan_capacity(&p), 999 / 2 + 2 * BENCH_BATCH);
	ck_assert_uint_eq(bench_plan_questions(&p, 50), 999);
	ck_assert_uint_eq(bench_plan_questions(&p, 100), 1000);
	ck_assert_uint_eq(bench_plan_questions(&p, 100.5), 1999);
	p.timing = NULL;
	ck_assert_uint_eq(bench_plan_questions(&p, 100.5), 1005);
}
END_TEST

/* --- When questions are due ------------------------------------------------------------------- */

#define START 987654321987ULL
#define DAY (86400 * NS_PER_SEC)

__extension__ typedef unsigned __int128 wide;

static const uint32_t rates[] = { 1, 2, 3, 7, 999, 1000, 7919, 299993, 300000, 999999999 / 10 - 1,
	BENCH_RATE_MAX - 1, BENCH_RATE_MAX };
static const uint32_t bursts[] = { 1, 2, 3, 64, 1000, 1000003 };

/* ck_assert notes where it is each time, which takes long in a loop. */
static void
must(bool ok, const char *what, const struct bench_pace *p, uint64_t n)
{
	if (!ok)
		ck_abort_msg("%s: question %ju at %u/s, bursts of %u", what, (uintmax_t)n, p->rate,
		    p->burst);
}

/* Times and numbers are each other's inverse at question N. */
static void
expect_inverse(const struct bench_pace *p, uint64_t n)
{
	uint64_t first = n - n % p->burst;
	uint64_t due_ns = p->start_ns + (uint64_t)((wide)first * NS_PER_SEC / p->rate);
	uint64_t time_ns = bench_pace_time(p, n);

	uint64_t due = bench_pace_due(p, time_ns);

	must(time_ns == due_ns, "time", p, n);
	/*
	 * At its time all of its burst is due, and those of the same nanosecond; before, none is.
	 */
	must(due >= first + p->burst, "due at its time", p, n);
	must(due % p->burst == 0, "whole bursts", p, n);
	must(first == 0 || bench_pace_due(p, time_ns - 1) <= first, "due before", p, n);
	/* What is due at a time is due until then, and the next one is later. */
	must(bench_pace_time(p, due - 1) <= time_ns, "the last that is due", p, n);
	must(bench_pace_time(p, due) > time_ns, "the next", p, n);
}

START_TEST(time_and_number_of_a_question_are_inverse)
{
	for (size_t b = 0; b < N_OF(bursts); b++) {
		struct bench_pace p = { .start_ns = START, .rate = rates[_i], .burst = bursts[b] };

		for (uint64_t n = 0; n < 3000; n++)
			expect_inverse(&p, n);
		for (uint64_t n = 3000; n < 366ULL * 86400 * p.rate; n = n * 3 + 1)
			expect_inverse(&p, n);
	}
}
END_TEST

START_TEST(nothing_is_due_before_the_start)
{
	struct bench_pace p = { .start_ns = START, .rate = 300000, .burst = 1 };

	ck_assert_uint_eq(bench_pace_due(&p, START - 1), 0);
	ck_assert_uint_eq(bench_pace_due(&p, START), 1);
	ck_assert_uint_eq(bench_pace_due(&p, START + 3333), 2); /* floor(10^9 / 300000) */
	ck_assert_uint_eq(bench_pace_due(&p, START + 3332), 1);
}
END_TEST

/* After 100 days at 300,000/s, question for question, not a nanosecond is lost. */
START_TEST(pace_does_not_drift_in_100_days)
{
	struct bench_pace p = { .start_ns = START, .rate = 300000, .burst = 1 };
	uint64_t per_day = 300000ULL * 86400;

	for (uint64_t day = 1; day <= 100; day++) {
		ck_assert_uint_eq(bench_pace_time(&p, day * per_day), START + day * DAY);
		ck_assert_uint_eq(bench_pace_due(&p, START + day * DAY), day * per_day + 1);
		ck_assert_uint_eq(bench_pace_due(&p, START + day * DAY - 1), day * per_day);
	}
	p.rate = 299993; /* that divides nothing */
	per_day = 299993ULL * 86400;
	ck_assert_uint_eq(bench_pace_time(&p, 100 * per_day), START + 100 * DAY);
	ck_assert_uint_eq(bench_pace_due(&p, START + 100 * DAY - 1), 100 * per_day);
}
END_TEST

/* The largest numbers that options allow: 10^8/s for a year, on a machine that is up for years. */
START_TEST(largest_rate_and_time_do_not_overflow)
{
	struct bench_pace p = { .start_ns = 3650 * DAY, .rate = BENCH_RATE_MAX, .burst = 1 };
	uint64_t n = 366ULL * 86400 * BENCH_RATE_MAX;

	ck_assert_uint_eq(bench_pace_time(&p, n), p.start_ns + 366 * DAY);
	ck_assert_uint_eq(bench_pace_time(&p, n - 1), p.start_ns + 366 * DAY - 10);
	ck_assert_uint_eq(bench_pace_due(&p, p.start_ns + 366 * DAY - 1), n);
	p.burst = BENCH_RATE_MAX;
	ck_assert_uint_eq(bench_pace_time(&p, n - 1), p.start_ns + 366 * DAY - NS_PER_SEC);
	ck_assert_uint_eq(bench_pace_due(&p, p.start_ns + 366 * DAY - 1), n);
}
END_TEST

/* Each question of a run is one thread's, and due to it when it is due. */
START_TEST(threads_take_turns)
{
	struct bench_turns t[3];
	const uint64_t n = 1000; /* of the run */

	for (unsigned i = 0; i < 3; i++)
		t[i] =
		    (struct bench_turns){ .pace = { .start_ns = START, .rate = 7919, .burst = 64 },
			    .index = i,
			    .n_threads = 3,
			    .share = n / 3 + (i < n % 3),
			    .until_ns = UINT64_MAX };
	for (uint64_t q = 0; q < n; q++) {
		ck_assert_uint_eq(bench_turns_question(&t[q % 3], q / 3), q);
		ck_assert_uint_eq(
		    bench_turns_time(&t[q % 3], q / 3), bench_pace_time(&t[0].pace, q));
	}
	for (uint64_t ns = START - 1; ns < START + NS_PER_SEC / 4; ns += NS_PER_MS / 3) {
		uint64_t due = bench_pace_due(&t[0].pace, ns), sum = 0;

		for (unsigned i = 0; i < 3; i++)
			sum += bench_turns_due(&t[i], ns);
		ck_assert_uint_eq(sum, due < n ? due : n);
	}
}
END_TEST

/* Nothing is due after the end, nor more than the share. */
START_TEST(turns_end)
{
	struct bench_turns t = { .pace = { .start_ns = START, .rate = 1000, .burst = 1 },
		.n_threads = 1,
		.share = 100,
		.until_ns = START + 50 * NS_PER_MS };

	ck_assert_uint_eq(bench_turns_due(&t, START + DAY), 50);
	ck_assert(bench_turns_left(&t, START + 50 * NS_PER_MS - 1));
	ck_assert(!bench_turns_left(&t, START + 50 * NS_PER_MS));
	t.until_ns = UINT64_MAX;
	ck_assert_uint_eq(bench_turns_due(&t, START + DAY), 100);
	ck_assert(bench_turns_left(&t, START + DAY));
	t.n_asked = 100;
	ck_assert(!bench_turns_left(&t, START + DAY));
}
END_TEST

/* Questions of threads in turn, due as they were recorded. */
START_TEST(recorded_times_are_kept)
{
	struct bench_recorded q[] = { { .due_ns = 0 }, { .due_ns = 7 }, { .due_ns = 7 } };
	const struct bench_replay r = { .question = q, .n = 3, .timed = true, .span_ns = 10 };
	struct bench_turns t = {
		.pace = { .start_ns = START, .rate = 5, .burst = 64, .timing = &r },
		.index = 1,
		.n_threads = 2,
		.share = 100,
		.until_ns = UINT64_MAX
	};

	ck_assert_uint_eq(bench_pace_time(&t.pace, 2), START + 7);
	ck_assert_uint_eq(bench_pace_time(&t.pace, 3), START + 10);
	ck_assert_uint_eq(bench_pace_due(&t.pace, START - 1), 0);
	ck_assert_uint_eq(bench_pace_due(&t.pace, START), 1);
	ck_assert_uint_eq(bench_pace_due(&t.pace, START + 17), 6);
	/* 1, 3 and 5 are the second thread's */
	ck_assert_uint_eq(bench_turns_time(&t, 0), START + 7);
	ck_assert_uint_eq(bench_turns_time(&t, 2), START + 17);
	ck_assert_uint_eq(bench_turns_due(&t, START + 10), 2);
}
END_TEST

/* At PACE, which is not even: times ascend, and each question is due at its time and not before. */
static void
expect_turn(const struct bench_pace *p, uint64_t n)
{
	uint64_t time_ns = bench_pace_time(p, n);

	must(bench_pace_due(p, time_ns) > n, "due at its time", p, n);
	must(time_ns == START || bench_pace_due(p, time_ns - 1) <= n, "due before", p, n);
	must(bench_pace_time(p, n + 1) >= time_ns, "the next", p, n);
}

/* By chance: as many as evenly in each round of the drawn times, and some way off within one. */
START_TEST(arrivals_by_chance)
{
	struct bench_arrivals *a = bench_arrivals_new(1);
	struct bench_pace even = { .start_ns = START, .rate = rates[_i], .burst = 1 }, p = even;
	double most = 0;

	ck_assert_ptr_nonnull(a);
	p.arrivals = a;
	ck_assert_uint_eq(bench_pace_due(&p, START - 1), 0);
	for (uint64_t round = 0; round < 1000; round = round * 10 + 1) {
		uint64_t first = round * BENCH_ARRIVALS;

		ck_assert_uint_eq(bench_pace_time(&p, first), bench_pace_time(&even, first));
		for (uint64_t n = first > 0 ? first - 1 : 0; n < first + BENCH_ARRIVALS; n += 997) {
			double off =
			    (double)bench_pace_time(&p, n) - (double)bench_pace_time(&even, n);

			expect_turn(&p, n);
			most = off > most ? off : most;
			most = -off > most ? -off : most;
		}
	}
	most = most * rates[_i] / (double)NS_PER_SEC; /* in mean gaps: of a bridge of 2^20 */
	ck_assert_double_gt(most, 100);
	ck_assert_double_lt(most, 5000);
	bench_arrivals_free(a);
}
END_TEST

/* From 0 to 1,000/s in a minute: half of it after 0.7 of the time, and all at its end. */
START_TEST(rate_of_a_ramp_grows)
{
	struct bench_plan plan = { .rate = 1000, .burst = 1, .ramp_ns = 60 * NS_PER_SEC };
	struct bench_pace p = bench_pace_of(&plan, 1000, START);

	ck_assert_uint_eq(bench_plan_questions(&plan, 60), 30000);
	ck_assert_uint_eq(bench_pace_due(&p, START - 1), 0);
	ck_assert_uint_eq(bench_pace_time(&p, 0), START);
	ck_assert_uint_eq(bench_pace_time(&p, 7500), START + 30 * NS_PER_SEC);
	ck_assert_uint_eq(bench_pace_time(&p, 30000), START + 60 * NS_PER_SEC);
	ck_assert_uint_eq(bench_pace_due(&p, START + 60 * NS_PER_SEC - 1), 30000);
	for (uint64_t n = 0; n < 30000; n++)
		expect_turn(&p, n);
	/* The last second has as many as its rate. */
	uint64_t before = bench_pace_due(&p, START + 59 * NS_PER_SEC);
	ck_assert_uint_ge(30000 - before, 990);
	ck_assert_uint_le(30000 - before, 1000);
}
END_TEST

/* --- Catching up ------------------------------------------------------------------------------ */

/* The first of N threads that ask RATE questions a second. */
static struct bench_turns
turns_of(uint32_t rate, unsigned n)
{
	const struct bench_plan p = { .rate = rate,
		.burst = 1,
		.n_threads = n,
		.n_questions = UINT64_MAX,
		.duration_ns = UINT64_MAX };

	return bench_turns_of(&p, 0, START);
}

/* One that does it alone, and has asked those that are due at NOW_NS. */
static struct bench_turns
turns_at(uint32_t rate, uint64_t now_ns)
{
	struct bench_turns t = turns_of(rate, 1);

	t.n_asked = bench_turns_due(&t, now_ns);
	return t;
}

START_TEST(slack_is_a_millisecond_or_a_batch)
{
	ck_assert_uint_eq(turns_of(1000, 1).slack_ns, NS_PER_MS);
	ck_assert_uint_eq(turns_of(1000, 1).credit_ns, 128 * NS_PER_MS);
	ck_assert_uint_eq(turns_of(128000, 1).slack_ns, NS_PER_MS / 2);
	ck_assert_uint_eq(turns_of(128000, 1).credit_ns, NS_PER_MS);
	ck_assert_uint_eq(turns_of(128000, 2).slack_ns, NS_PER_MS); /* each asks half of it */
	ck_assert_uint_eq(turns_of(128000, 2).credit_ns, NS_PER_MS);
	ck_assert_uint_eq(turns_of(0, 1).slack_ns, 0);
}
END_TEST

/* Without a pause nothing is late, and all that is due may leave. */
START_TEST(who_is_not_late_asks_all)
{
	struct bench_turns t = turns_at(10000, START);

	for (uint64_t now_ns = START; now_ns < START + NS_PER_SEC; now_ns += 234567) {
		ck_assert_uint_eq(bench_turns_catch_up(&t, now_ns), 0);
		ck_assert_uint_eq(bench_turns_may(&t, now_ns), bench_turns_due(&t, now_ns));
		t.n_asked = bench_turns_due(&t, now_ns);
		ck_assert_uint_eq(
		    bench_turns_leaves(&t, t.n_asked), bench_turns_time(&t, t.n_asked));
	}
}
END_TEST

/* After 35 ms at twice the pace; with another 20 ms in between, too. */
START_TEST(late_questions_leave_at_twice_the_pace)
{
	uint64_t now_ns = START + 100 * NS_PER_MS, begin_ns = 0, before;
	struct bench_turns t = turns_at(10000, now_ns);

	for (unsigned pause = 0; pause < 2; pause++) {
		now_ns += (pause == 0 ? 35 : 20) * NS_PER_MS;
		ck_assert_uint_ge(bench_turns_catch_up(&t, now_ns), pause == 0 ? 340 : 310);
		begin_ns = now_ns;
		before = t.n_asked;
		for (unsigned ms = 0; ms < 10; ms++, now_ns += NS_PER_MS) {
			ck_assert_uint_gt(bench_turns_catch_up(&t, now_ns), 0);
			uint64_t may = bench_turns_may(&t, now_ns), most = before + 129 + 20 * ms;

			ck_assert_uint_le(may, most);
			ck_assert_uint_ge(may, most - 2);
			ck_assert_uint_le(bench_turns_leaves(&t, may - 1), now_ns);
			ck_assert_uint_gt(bench_turns_leaves(&t, may), now_ns);
			t.n_asked = may;
		}
	}
	/*
	 * Of 35 ms 12.8 left at once, and 10 were caught up; of 20 more likewise: 9.4 are left, of
	 * which one is no lag.
	 */
	while (bench_turns_catch_up(&t, now_ns) > 0 && now_ns < begin_ns + NS_PER_SEC) {
		t.n_asked = bench_turns_may(&t, now_ns);
		now_ns += NS_PER_MS / 10;
	}
	ck_assert_uint_ge(now_ns, begin_ns + 17 * NS_PER_MS);
	ck_assert_uint_le(now_ns, begin_ns + 21 * NS_PER_MS);
	/* A millisecond's worth is left, which may leave at once. */
	ck_assert_uint_ge(bench_turns_may(&t, now_ns) + 11, bench_turns_due(&t, now_ns));
}
END_TEST

/* One that is always late, as it is too slow, asks a batch each time. */
START_TEST(who_is_too_slow_asks_batches)
{
	struct bench_turns t = turns_at(1000000, START);
	uint64_t now_ns = START;

	for (unsigned i = 0; i < 100; i++) {
		now_ns += NS_PER_MS / 2;
		ck_assert_uint_gt(bench_turns_catch_up(&t, now_ns), 0);
		uint64_t may = bench_turns_may(&t, now_ns);
		ck_assert_uint_ge(may, t.n_asked + BENCH_CROWD);
		ck_assert_uint_le(may, t.n_asked + BENCH_CROWD + 1);
		t.n_asked = may;
	}
}
END_TEST

/* A burst that has begun is not late, but those behind it are. */
START_TEST(burst_that_has_begun_is_not_late)
{
	struct bench_turns t = turns_at(1000, START);

	t.pace.burst = 500;
	for (t.index = 0; t.index < 2; t.index++) {
		t.n_threads = 2;
		t.n_asked = 0; /* none has left: it is late as a whole */
		ck_assert_uint_eq(bench_turns_begun(&t), 0);
		ck_assert_uint_eq(bench_turns_catch_up(&t, START + NS_PER_MS / 2), 0);
		ck_assert_uint_eq(bench_turns_catch_up(&t, START + 100 * NS_PER_MS), 250);
		t.n_asked = 64;
		ck_assert_uint_eq(bench_turns_begun(&t), 250);
		ck_assert_uint_eq(bench_turns_catch_up(&t, START + 100 * NS_PER_MS), 0);
		ck_assert_uint_eq(bench_turns_catch_up(&t, START + 600 * NS_PER_MS), 250);
		t.n_asked = 250;
		ck_assert_uint_eq(bench_turns_begun(&t), 250);
		t.n_asked = 251;
		ck_assert_uint_eq(bench_turns_begun(&t), 500);
	}
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_loop_test(tc, arrivals_by_chance, 0, N_OF(rates));
	tcase_add_test(tc, rate_of_a_ramp_grows);
	tcase_add_test(tc, slack_is_a_millisecond_or_a_batch);
	tcase_add_test(tc, who_is_not_late_asks_all);
	tcase_add_test(tc, late_questions_leave_at_twice_the_pace);
	tcase_add_test(tc, who_is_too_slow_asks_batches);
	tcase_add_test(tc, burst_that_has_begun_is_not_late);
	tcase_add_test(tc, window_is_the_transports_unless_told);
	tcase_add_test(tc, lane_remembers_twice_the_timeout);
	tcase_add_test(tc, transports_have_names);
	tcase_add_test(tc, client_remembers_some_windows);
	tcase_add_test(tc, clients_ask_in_turn);
	tcase_add_test(tc, recording_decides_how_many);
	tcase_add_loop_test(tc, time_and_number_of_a_question_are_inverse, 0, N_OF(rates));
	tcase_add_test(tc, nothing_is_due_before_the_start);
	tcase_add_test(tc, threads_take_turns);
	tcase_add_test(tc, turns_end);
	tcase_add_test(tc, pace_does_not_drift_in_100_days);
	tcase_add_test(tc, largest_rate_and_time_do_not_overflow);
	tcase_add_test(tc, recorded_times_are_kept);
}
