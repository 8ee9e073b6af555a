/* SPDX-License-Identifier: BSD-2-Clause */
/* What a lane must remember, and how many questions may be open on it. */

#include "bench/load/plan.h"

#include <check.h>
#include <stdlib.h>

#include "base/clock.h"
#include "bench/load/stream.h"

START_TEST(window_is_the_transports_unless_told)
{
	struct bench_plan p = { .transport = &bench_tcp };

	ck_assert_uint_eq(bench_plan_window(&p), BENCH_STREAM_WINDOW);
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
}
END_TEST

/* The threads of all testers: each turn is one thread's, and what is due in a row comes from all.
 */
START_TEST(testers_take_turns)
{
	struct bench_plan p = { .transport = &bench_udp,
		.n_threads = 3,
		.n_lanes = 1,
		.rate = 6000,
		.timeout_ns = NS_PER_SEC };
	uint64_t alone = bench_plan_capacity(&p);
	bool taken[12] = { false };

	ck_assert_uint_eq(bench_plan_turns(&p), 3);
	ck_assert_uint_eq(bench_plan_turn(&p, 2), 2);
	p.testers = 4;
	ck_assert_uint_eq(bench_plan_turns(&p), 12);
	for (p.tester = 0; p.tester < 4; p.tester++) {
		ck_assert_uint_eq(bench_plan_turn(&p, 0), p.tester);
		for (unsigned i = 0; i < 3; i++) {
			unsigned turn = bench_plan_turn(&p, i);

			ck_assert(turn < 12 && !taken[turn]);
			taken[turn] = true;
		}
	}
	/* So each remembers a part of what one alone would. */
	ck_assert_uint_le(bench_plan_capacity(&p), alone / 3);
}
END_TEST

START_TEST(transports_have_names)
{
	ck_assert_ptr_eq(bench_plan_transport("udp"), &bench_udp);
	ck_assert_ptr_eq(bench_plan_transport("tcp"), &bench_tcp);
	ck_assert_ptr_null(bench_plan_transport("quic"));
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

int
main(void)
{
	Suite *s = suite_create("bench_plan");
	TCase *tc = tcase_create("plan");

	tcase_add_test(tc, window_is_the_transports_unless_told);
	tcase_add_test(tc, lane_remembers_twice_the_timeout);
	tcase_add_test(tc, testers_take_turns);
	tcase_add_test(tc, transports_have_names);
	tcase_add_test(tc, client_remembers_some_windows);
	tcase_add_test(tc, clients_ask_in_turn);
	tcase_add_test(tc, recording_decides_how_many);
	suite_add_tcase(s, tc);

	SRunner *sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	int failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
