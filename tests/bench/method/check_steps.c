/* SPDX-License-Identifier: BSD-2-Clause */
/* More and more clients in a closed loop, in front of a fakedns. */

#include "bench/method/steps.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "support/benchrig.h"

/* The rows together are the whole, and fakedns saw as many. */
START_TEST(rows_add_up_to_the_whole)
{
	struct fake_counters c;
	struct benchrig rig;
	double sum = 0;

	benchrig_init(&rig);
	benchrig_start(&rig, "closed --aaaa 100 --clients 1,4,2 -d 0.15 --timeout 20");
	benchrig_watch(&rig);
	bench_steps(&rig.job, 1 << 20);
	ck_assert_uint_eq(benchrig_rows(&rig, 0), 3);
	ck_assert_double_eq(benchrig_cell(&rig, 0, 1, "clients"), 4);
	for (size_t i = 0; i < 3; i++) {
		double rate = benchrig_cell(&rig, 0, i, "rate");

		sum += rate * 0.15;
		ck_assert_double_gt(rate, 0);
		ck_assert_double_le(rate, benchrig_finding(&rig, "highest rate"));
		ck_assert_double_gt(benchrig_cell(&rig, 0, i, "rtt_p50"), 1);
		ck_assert_double_le(
		    benchrig_cell(&rig, 0, i, "rtt_p50"), benchrig_cell(&rig, 0, i, "rtt_p99"));
		ck_assert_double_gt(benchrig_cell(&rig, 0, i, "server_cpu_per_answer"), 0.1);
	}
	ck_assert_double_eq(benchrig_finding(&rig, "sent"), benchrig_finding(&rig, "valid"));
	/* Each step takes its time, and the last answers longer, on a busy machine much. */
	ck_assert_double_le(sum, benchrig_finding(&rig, "valid") * 1.01);
	ck_assert_double_ge(sum, benchrig_finding(&rig, "valid") * 0.05);
	ck_assert_ptr_null(benchrig_failed(&rig, 0));
	double sent = benchrig_finding(&rig, "sent");
	benchrig_stop(&rig, &c);
	ck_assert_double_eq(sent, (double)c.questions);
}
END_TEST

/* Several threads, several questions open on each client: no question is asked twice. */
START_TEST(numbers_suffice_or_not)
{
	struct fake_counters c;
	struct benchrig rig;

	benchrig_init(&rig);
	benchrig_start(&rig, "closed --aaaa 100 --clients 2,4 -t 2 -d 30 --window 3 --timeout 20");
	bench_steps(&rig.job, 501);
	ck_assert_double_eq(benchrig_finding(&rig, "sent"), 501);
	ck_assert_uint_eq(benchrig_rows(&rig, 0), 1);
	ck_assert_str_eq(
	    benchrig_failed(&rig, 0), "there were not names enough for so many questions");
	benchrig_stop(&rig, &c);
	ck_assert_uint_eq(c.questions, 501);
}
END_TEST

/*
 * Replies after the timeout: each is counted as such, and its client has long gone on. They would
 * stop it for good if they counted down its open questions once more.
 */
START_TEST(late_replies_do_not_stop_their_client)
{
	struct benchrig rig;

	benchrig_init(&rig);
	rig.fake.pattern.delay_ms = 30;
	benchrig_start(&rig, "closed --aaaa 100 --clients 1 -d 1 --timeout 0.02");
	bench_steps(&rig.job, 1 << 20);
	ck_assert_double_ge(benchrig_finding(&rig, "sent"), 5);
	ck_assert_double_ge(benchrig_cell(&rig, 0, 0, "late"), 2);
	ck_assert_double_eq(benchrig_cell(&rig, 0, 0, "lost") + benchrig_cell(&rig, 0, 0, "late") +
		benchrig_finding(&rig, "valid"),
	    benchrig_finding(&rig, "sent"));
	ck_assert_ptr_nonnull(strstr(benchrig_failed(&rig, 0), "no valid answer in time"));
	benchrig_stop(&rig, NULL);
}
END_TEST

START_TEST(lost_replies_do_not_stop_their_client)
{
	struct fake_counters c;
	struct benchrig rig;

	benchrig_init(&rig);
	rig.fake.pattern.loss = 30 * FAKE_LOSS_ALL / 100;
	benchrig_start(&rig, "closed --aaaa 100 --clients 8 -d 0.3 --timeout 3");
	bench_steps(&rig.job, 1 << 20);
	double lost = benchrig_cell(&rig, 0, 0, "lost"), late = benchrig_cell(&rig, 0, 0, "late");
	ck_assert_ptr_nonnull(strstr(benchrig_failed(&rig, 0), "no valid answer in time"));
	benchrig_stop(&rig, &c);
	ck_assert_double_gt(lost, 0);
	ck_assert_double_eq(lost + late, (double)c.lost + late);
}
END_TEST

START_TEST(told_to_stop_it_writes_no_row)
{
	struct benchrig rig;

	benchrig_init(&rig);
	benchrig_start(&rig, "closed --aaaa 100 --clients 1,2 -d 30");
	benchrig_watch(&rig); /* it has not ended, though no step looked at it */
	rig.stop = true;
	bench_steps(&rig.job, 1 << 20);
	ck_assert_uint_eq(benchrig_rows(&rig, 0), 0);
	ck_assert_ptr_null(benchrig_failed(&rig, 0));
	benchrig_stop(&rig, NULL);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("bench_steps");
	TCase *tc = tcase_create("steps");

	tcase_set_timeout(tc, 300);
	tcase_add_test(tc, rows_add_up_to_the_whole);
	tcase_add_test(tc, numbers_suffice_or_not);
	tcase_add_test(tc, late_replies_do_not_stop_their_client);
	tcase_add_test(tc, lost_replies_do_not_stop_their_client);
	tcase_add_test(tc, told_to_stop_it_writes_no_row);
	suite_add_tcase(s, tc);

	SRunner *sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	int failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
