/* SPDX-License-Identifier: BSD-2-Clause */
/* A rate that grows: where answers fall behind, and what a whole ramp has in its rows. */

#include "bench/ramp.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "bench/method.h"
#include "bench/played.h"
#include "support/benchrig.h"
#include "support/tests.h"

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))

/* --- Where answers fall behind ---------------------------------------------------------------- */

START_TEST(behind_is_the_first_of_two)
{
	struct bench_ramp_second s[] = { { 100, 100 }, { 200, 189 }, { 300, 300 }, { 400, 380 },
		{ 500, 474 }, { 600, 400 }, { 700, 700 } };

	ck_assert_uint_eq(bench_ramp_behind(s, N_OF(s)), 4);
	ck_assert_uint_eq(bench_ramp_behind(s, 4), 4); /* 95 % are not behind */
	ck_assert_uint_eq(bench_ramp_behind(s, 5), 4); /* the last one counts by itself */
	s[4].valid = 500;
	ck_assert_uint_eq(bench_ramp_behind(s, N_OF(s)), N_OF(s));
	ck_assert_uint_eq(bench_ramp_behind(s, 0), 0);
}
END_TEST

/* --- A whole one ------------------------------------------------------------------------------ */

static struct benchrig rig;

/* Every question is asked once, and each second has more than the one before. */
START_TEST(rows_grow)
{
	double sent;

	benchrig_init(&rig);
	benchrig_start(&rig, "ramp --aaaa 100 --high 2000 -d 3 --timeout 10 -t 2");
	benchrig_watch(&rig);
	bench_ramp(&rig.job);
	ck_assert_uint_eq(benchrig_rows(&rig, 0), 3);
	for (size_t i = 0; i < 3; i++)
		ck_assert_double_eq(benchrig_cell(&rig, 0, i, "elapsed"), (double)i + 1);
	sent = benchrig_finding(&rig, "sent");
	ck_assert_double_eq(
	    sent + benchrig_finding(&rig, "taken out"), 3000); /* half of 3 s of 2,000 */
	ck_assert_double_eq(benchrig_finding(&rig, "valid"), sent);
	if (benchrig_finding(&rig, "taken out") == 0)
		ck_assert_double_lt(
		    benchrig_cell(&rig, 0, 0, "asked"), benchrig_cell(&rig, 0, 2, "asked"));
	ck_assert_double_gt(benchrig_finding(&rig, "most answers"), 0);
	benchrig_stop(&rig, NULL);
}
END_TEST

/* From the beginning on, of a server that leaves one question in five without an answer. */
START_TEST(losses_are_found)
{
	benchrig_init(&rig);
	rig.fake.pattern.loss = FAKE_LOSS_ALL / 5;
	benchrig_start(&rig, "ramp --aaaa 100 --high 1000 -d 2 --timeout 1");
	bench_ramp(&rig.job);
	ck_assert_uint_eq(benchrig_rows(&rig, 0), 2);
	ck_assert_double_gt(benchrig_finding(&rig, "lost"), 0);
	/* Of a second that a busy machine took from the tester nothing was due. */
	if (benchrig_finding(&rig, "taken out") == 0)
		ck_assert_double_gt(benchrig_finding(&rig, "answers fall behind"), 0);
	benchrig_stop(&rig, NULL);
}
END_TEST

static void *
stop_soon(void *arg)
{
	const struct timespec pause = { .tv_sec = 1, .tv_nsec = 500000000 };

	(void)nanosleep(&pause, NULL);
	atomic_store((atomic_bool *)arg, true);
	return NULL;
}

/* One that was cut short knows nothing of the rates that were to come. */
START_TEST(interrupted_ramp_has_no_verdict)
{
	pthread_t thread;

	benchrig_init(&rig);
	benchrig_start(&rig, "ramp --aaaa 100 --high 100 -d 60 --timeout 10");
	ck_assert_int_eq(pthread_create(&thread, NULL, stop_soon, &rig.stop), 0);
	bench_ramp(&rig.job);
	(void)pthread_join(thread, NULL);
	const json_t *found = played_found(rig.job.run, "answers fall behind");
	ck_assert(found == NULL ||
	    strncmp(json_string_value(found), "not up to ", strlen("not up to ")) == 0);
	benchrig_stop(&rig, NULL);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_test(tc, behind_is_the_first_of_two);
	tcase_add_test(tc, rows_grow);
	tcase_add_test(tc, losses_are_found);
	tcase_add_test(tc, interrupted_ramp_has_no_verdict);
}
