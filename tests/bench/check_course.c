/* SPDX-License-Identifier: BSD-2-Clause */
/* When a trial begins, and who looks at it while it lasts. */

#include "bench/course.h"

#include <string.h>

#include "base/clock.h"
#include "support/benchrig.h"
#include "support/tests.h"

static struct benchrig rig;

static void
set_up(void)
{
	benchrig_begin(&rig, "rate --aaaa 100 -r 1000 -n 400 --timeout 20 -t 2");
}

static void
tear_down(void)
{
	benchrig_stop(&rig, NULL);
}

START_TEST(without_a_time_it_begins_at_once)
{
	uint64_t start_ns = 1;

	ck_assert(bench_course_await(&rig.job, 0, &start_ns));
	ck_assert_uint_eq(start_ns, 0);
	rig.stop = true;
	ck_assert(!bench_course_await(&rig.job, 0, &start_ns));
}
END_TEST

START_TEST(it_waits_for_its_time)
{
	uint64_t start_ns;

	rig.settings.start_at_ns = clock_wall_ns() + 300 * NS_PER_MS;
	uint64_t begin_ns = clock_now_ns();
	ck_assert(bench_course_await(&rig.job, 100 * NS_PER_MS, &start_ns));
	uint64_t now_ns = clock_now_ns();
	ck_assert_uint_ge(now_ns - begin_ns, 190 * NS_PER_MS);
	ck_assert_uint_ge(start_ns - begin_ns, 290 * NS_PER_MS);
	ck_assert_uint_le(start_ns - begin_ns, 310 * NS_PER_MS + (now_ns - begin_ns) / 10);
}
END_TEST

START_TEST(time_that_has_passed_is_told)
{
	uint64_t start_ns;

	rig.settings.start_at_ns = clock_wall_ns() - NS_PER_SEC;
	ck_assert(!bench_course_await(&rig.job, 0, &start_ns));
	ck_assert_int_eq(strncmp(benchrig_failed(&rig, 0), "--start-at was 1.0", 18), 0);
}
END_TEST

START_TEST(signal_ends_the_wait)
{
	uint64_t start_ns;

	rig.settings.start_at_ns = clock_wall_ns() + 3600 * NS_PER_SEC;
	rig.stop = true;
	ck_assert(!bench_course_await(&rig.job, 0, &start_ns));
	ck_assert_ptr_null(benchrig_failed(&rig, 0));
}
END_TEST

/* A look takes what there is; the rest is for the end. */
struct looks {
	struct bench_trial *trial;
	struct bench_tally tally, sum;
	unsigned n;
};

static void
look(void *ctx, uint64_t now_ns)
{
	struct looks *l = ctx;

	ck_assert_uint_gt(now_ns, 0);
	bench_trial_take(l->trial, &l->tally);
	bench_tally_merge(&l->sum, &l->tally);
	l->n++;
}

START_TEST(looks_and_the_rest_have_all)
{
	static struct looks l;
	struct bench_course c = { .n = 400, .look = look, .ctx = &l };

	ck_assert_int_eq(bench_trial_new(&rig.settings.plan, &l.trial), 0);
	bench_tally_clear(&l.sum);
	l.n = 0;
	rig.settings.start_at_ns = clock_wall_ns() + 100 * NS_PER_MS;
	ck_assert(bench_course_await(&rig.job, BENCH_COURSE_EARLY_NS, &c.start_ns));
	c.length_ns = 400 * NS_PER_MS;
	c.interval_ns = 100 * NS_PER_MS;
	ck_assert_int_eq(bench_course_run(&rig.job, l.trial, &c, &l.tally), 0);
	bench_tally_merge(&l.sum, &l.tally);
	ck_assert_uint_eq(l.n, 3); /* the fourth interval ends with the trial */
	ck_assert_uint_eq(l.sum.sent + l.sum.paused, 400);
	ck_assert_uint_ge(l.sum.first_ns, c.start_ns);
	bench_trial_free(l.trial);
}
END_TEST

/* It asks until all is asked, however long that was thought to take. */
START_TEST(trial_that_has_ended_is_not_waited_for)
{
	static struct looks l;
	struct bench_course c = { .n = 10,
		.length_ns = 3600 * NS_PER_SEC,
		.interval_ns = 1800 * NS_PER_SEC,
		.look = look,
		.ctx = &l };

	ck_assert_int_eq(bench_trial_new(&rig.settings.plan, &l.trial), 0);
	ck_assert_int_eq(bench_course_run(&rig.job, l.trial, &c, &l.tally), 0);
	ck_assert_uint_eq(l.n, 0);
	ck_assert_uint_eq(l.tally.sent + l.tally.paused, 10);
	bench_trial_free(l.trial);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_set_timeout(tc, 120);
	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, without_a_time_it_begins_at_once);
	tcase_add_test(tc, it_waits_for_its_time);
	tcase_add_test(tc, time_that_has_passed_is_told);
	tcase_add_test(tc, signal_ends_the_wait);
	tcase_add_test(tc, looks_and_the_rest_have_all);
	tcase_add_test(tc, trial_that_has_ended_is_not_waited_for);
}
