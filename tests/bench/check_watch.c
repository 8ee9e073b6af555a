/* SPDX-License-Identifier: BSD-2-Clause */
/* What the server used, as columns and findings; here the server is this process, or a child. */

#include "bench/watch.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "bench/host/dut.h"
#include "support/benchrig.h"
#include "support/tests.h"

static const struct bench_column columns[] = { { "n", "n", "", 0 } };

static uint64_t
cpu_ns(void)
{
	struct timespec t;

	ck_assert_int_eq(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t), 0);
	return (uint64_t)t.tv_sec * NS_PER_SEC + (uint64_t)t.tv_nsec;
}

/* NS of CPU time. */
static void
work_for(uint64_t ns)
{
	uint64_t end_ns = cpu_ns() + ns;

	while (cpu_ns() < end_ns)
		continue;
}

static struct benchrig rig;
static struct bench_watch watch;

static void
set_up(void)
{
	benchrig_begin(&rig, "rate -r 1 -n 1");
}

static void
tear_down(void)
{
	benchrig_stop(&rig, NULL);
}

static void
add_row(struct bench_table *t, bool spread)
{
	json_t *row = json_pack("[i]", 1);

	bench_watch_row(&watch, row, 100, spread);
	bench_table_add(t, row);
}

/* A quarter of a second of work in the first of some seconds, and none in the others. */
START_TEST(seconds_have_their_deviation)
{
	bench_watch_begin(&watch, &rig.job); /* nobody knows whom to watch */
	bench_watch_sample(&watch);
	ck_assert_double_lt(bench_watch_deviation(&watch), 0);
	benchrig_watch(&rig);
	struct bench_table *t = bench_watch_table(&rig.job, "t", "T", columns, 1, true);
	bench_watch_begin(&watch, &rig.job);
	bench_watch_sample(&watch); /* less than a second */
	ck_assert_uint_eq(watch.n, 0);
	add_row(t, true);
	work_for(NS_PER_SEC / 4);
	for (int i = 0; i < 2; i++) {
		ck_assert_double_lt(bench_watch_deviation(&watch), 0);
		(void)nanosleep(&(struct timespec){ .tv_sec = 1 }, NULL);
		bench_watch_sample(&watch);
	}
	ck_assert_uint_eq(watch.n, 2);
	double deviation = bench_watch_deviation(&watch);
	ck_assert_double_gt(deviation, 1);
	bench_watch_find(&watch, 100, true);
	ck_assert_double_eq(benchrig_finding(&rig, "server CPU deviation"), deviation);
	add_row(t, true);
	ck_assert_double_eq_tol(benchrig_cell(&rig, 0, 1, "server_cpu_deviation"), deviation, 1e-9);
	bench_watch_restart(&watch); /* another step has spans of its own */
	ck_assert_double_lt(bench_watch_deviation(&watch), 0);
}
END_TEST

/* Seconds after the end of a trial, in which late replies are waited for, are none of the load. */
START_TEST(waiting_is_no_load)
{
	struct bench_tally *t = calloc(1, sizeof(*t));

	ck_assert_ptr_nonnull(t);
	t->sent = 2;
	t->last_ns = clock_now_ns() - 2 * NS_PER_SEC;
	ck_assert_uint_gt(bench_watch_end(t), t->last_ns + 2 * NS_PER_SEC - 1); /* all answered */
	t->overdue = 1;
	ck_assert_uint_eq(bench_watch_end(t), t->last_ns);
	t->heard_ns = t->last_ns + NS_PER_SEC / 2; /* it was at work until then */
	ck_assert_uint_eq(bench_watch_end(t), t->heard_ns);
	benchrig_watch(&rig);
	bench_watch_begin(&watch, &rig.job);
	uint64_t begin_ns = clock_now_ns();
	work_for(60 * NS_PER_MS);
	uint64_t end_ns = clock_now_ns();
	(void)nanosleep(&(struct timespec){ .tv_nsec = 300 * NS_PER_MS }, NULL);
	bench_watch_step(&watch, end_ns);
	ck_assert_uint_le(watch.step.time_ns, end_ns - begin_ns + 20 * NS_PER_MS);
	ck_assert_uint_le(watch.used.time_ns, end_ns - begin_ns + 20 * NS_PER_MS);
	free(t);
}
END_TEST

START_TEST(without_a_server_nothing_is_watched)
{
	bench_watch_begin(&watch, &rig.job);
	bench_watch_restart(&watch);
	bench_watch_step(&watch, clock_now_ns());
	/* A row with the server's columns would not fit into the table, which would abort. */
	add_row(bench_watch_table(&rig.job, "t", "T", columns, 1, true), true);
	bench_watch_find(&watch, 100, true);
	ck_assert_uint_eq(benchrig_rows(&rig, 0), 1);
	ck_assert_uint_eq(benchrig_rows(&rig, 1), 0);
	ck_assert_double_lt(benchrig_finding(&rig, "server RSS"), 0);
	ck_assert_ptr_null(benchrig_failed(&rig, 0));
}
END_TEST

/* 100 answers in the CPU time of two steps; each step has its own, and the findings have both. */
START_TEST(steps_and_sum)
{
	benchrig_watch(&rig);
	bench_watch_begin(&watch, &rig.job);
	struct bench_table *t = bench_watch_table(&rig.job, "t", "T", columns, 1, false);
	for (int i = 0; i < 2; i++) {
		work_for(60 * NS_PER_MS);
		bench_watch_step(&watch, clock_now_ns());
		add_row(t, false);
	}
	bench_watch_find(&watch, 100, false);
	double one = benchrig_cell(&rig, 0, 0, "server_cpu_per_answer");
	double other = benchrig_cell(&rig, 0, 1, "server_cpu_per_answer");
	ck_assert_double_ge(one, 590); /* us */
	ck_assert_double_ge(other, 590);
	ck_assert_double_eq_tol(benchrig_finding(&rig, "server CPU per answer"), one + other, 1);
	ck_assert_double_gt(benchrig_cell(&rig, 0, 0, "server_cpu"), 0);
	ck_assert_double_gt(benchrig_cell(&rig, 0, 0, "server_rss"), 1);
	ck_assert_double_ge(benchrig_finding(&rig, "server context switches"), 0);
	ck_assert_ptr_null(benchrig_failed(&rig, 0));
	/* What happens between two steps is in neither. */
	work_for(60 * NS_PER_MS);
	bench_watch_restart(&watch);
	bench_watch_step(&watch, clock_now_ns());
	ck_assert_uint_lt(watch.step.cpu_ns, 59 * NS_PER_MS);
}
END_TEST

START_TEST(gone_server_is_told)
{
	char error[BENCH_DUT_ERROR], pid[16];
	pid_t child = fork();

	if (child == 0) {
		(void)pause();
		_exit(0);
	}
	ck_assert_int_gt(child, 0);
	(void)snprintf(pid, sizeof(pid), "%d", (int)child);
	rig.job.dut = bench_dut_new("", BENCH_DUT_BY_PIDS, pid, error);
	ck_assert_msg(rig.job.dut != NULL, "%s", error);
	bench_watch_begin(&watch, &rig.job);
	ck_assert_int_eq(kill(child, SIGKILL), 0);
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
	bench_watch_step(&watch, clock_now_ns());
	bench_watch_find(&watch, 100, false);
	ck_assert_str_eq(benchrig_failed(&rig, 0), "the server's processes have ended");
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_set_timeout(tc, 60);
	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, seconds_have_their_deviation);
	tcase_add_test(tc, waiting_is_no_load);
	tcase_add_test(tc, without_a_server_nothing_is_watched);
	tcase_add_test(tc, steps_and_sum);
	tcase_add_test(tc, gone_server_is_told);
}
