/* SPDX-License-Identifier: BSD-2-Clause */
/* The server under test: who it is, and that its work is seen. We are it ourselves here. */

#include "bench/host/dut.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "support/scratch.h"
#include "support/tests.h"
#include "support/tree.h"

static char root[SCRATCH_PATH], error[BENCH_DUT_ERROR];
static struct bench_row rows[BENCH_TASKS_MAX];

static void
setup(void)
{
	scratch_dir(root);
}

static void
teardown(void)
{
	tree_remove(root, "");
}

/* CPU time of this thread until it is MS more. */
static void
burn(uint64_t ms)
{
	struct timespec begin, now;

	ck_assert_int_eq(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin), 0);
	do {
		ck_assert_int_eq(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now), 0);
	} while ((uint64_t)(now.tv_sec - begin.tv_sec) * NS_PER_SEC + (uint64_t)now.tv_nsec <
	    (uint64_t)begin.tv_nsec + ms * NS_PER_MS);
}

/* Ourselves and OTHER, if it is not 0. */
static struct bench_dut *
dut_of(pid_t pid, pid_t other)
{
	char pids[32];
	int len = snprintf(pids, sizeof(pids), "%d", (int)pid);

	if (other != 0)
		(void)snprintf(pids + len, sizeof(pids) - (size_t)len, ",%d", (int)other);
	struct bench_dut *s = bench_dut_new_pids("", pids, error);
	ck_assert_msg(s != NULL, "%s", error);
	return s;
}

START_TEST(own_cpu_time_is_counted)
{
	struct bench_dut *s = dut_of(getpid(), 0);
	struct bench_usage before, after, d;

	bench_dut_read(s, &before);
	ck_assert_uint_eq(before.processes, 1);
	ck_assert_uint_ge(before.threads, 1);
	ck_assert_uint_gt(before.rss, 65536);
	ck_assert_uint_ge(before.descriptors, 3);
	ck_assert_uint_eq(before.uncounted, 0);
	burn(200);
	bench_dut_read(s, &after);
	bench_usage_since(&before, &after, &d);
	ck_assert_uint_ge(d.cpu_ns, 200 * NS_PER_MS);
	ck_assert_uint_ge(d.time_ns, 200 * NS_PER_MS);
	ck_assert_double_gt(bench_usage_load(&d), 0);

	ck_assert_uint_ge(bench_dut_threads(s, rows, BENCH_TASKS_MAX), 1);
	ck_assert_int_eq(rows[0].pid, getpid());
	ck_assert_int_eq(rows[0].tid, getpid());
	ck_assert_uint_ge(rows[0].used.cpu_ns, 150 * NS_PER_MS);
	ck_assert_uint_ge(rows[0].used.time_ns, 200 * NS_PER_MS);
	ck_assert_uint_eq(bench_dut_processes(s, rows, 10), 1);
	ck_assert_uint_ge(rows[0].used.cpu_ns, 200 * NS_PER_MS);
	bench_dut_mark(s);
	ck_assert_uint_eq(bench_dut_processes(s, rows, 10), 1);
	ck_assert_uint_eq(rows[0].used.cpu_ns, 0);
	bench_dut_free(s);
}
END_TEST

/* Memory, descriptors and waiting are seen too. */
START_TEST(own_memory_and_waits_are_counted)
{
	const size_t len = 32 << 20;
	const struct timespec moment = { .tv_nsec = 1000000 };
	struct bench_dut *s = dut_of(getpid(), 0);
	struct bench_usage before, after, d;

	bench_dut_read(s, &before);
	char *memory = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(memory, MAP_FAILED);
	memset(memory, 1, len);
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	for (int i = 0; i < 20; i++)
		(void)nanosleep(&moment, NULL);
	bench_dut_read(s, &after);
	bench_usage_since(&before, &after, &d);
	ck_assert_uint_ge(after.rss, before.rss + len / 4 * 3);
	ck_assert_uint_eq(after.descriptors, before.descriptors + 1);
	ck_assert_uint_ge(d.switches, 20);
	ck_assert_int_eq(munmap(memory, len), 0);
	(void)close(fd);
	bench_dut_free(s);
}
END_TEST

static void *
burner(void *pipes)
{
	char byte;

	ck_assert_int_eq(pthread_setname_np(pthread_self(), "(a b) c)"), 0);
	burn(100);
	ck_assert_int_eq(write(((int *)pipes)[1], "x", 1), 1);
	ck_assert_int_eq(read(((int *)pipes)[2], &byte, 1), 1);
	return NULL;
}

/* A thread with a name of its own, which then ends. */
START_TEST(thread_of_its_own_is_counted_past_its_end)
{
	const struct timespec moment = { .tv_nsec = 1000000 };
	int done[2], leave[2];
	struct bench_dut *s = dut_of(getpid(), 0);
	struct bench_usage u, last;
	pthread_t thread;
	char byte;

	ck_assert_int_eq(pipe(done), 0);
	ck_assert_int_eq(pipe(leave), 0);
	int pipes[] = { done[0], done[1], leave[0] };
	ck_assert_int_eq(pthread_create(&thread, NULL, burner, pipes), 0);
	ck_assert_int_eq(read(done[0], &byte, 1), 1);
	bench_dut_read(s, &u);
	ck_assert_uint_ge(u.threads, 2);
	size_t n = bench_dut_threads(s, rows, BENCH_TASKS_MAX), at = 0;
	while (at < n && strcmp(rows[at].name, "(a b) c)") != 0)
		at++;
	ck_assert_uint_lt(at, n);
	ck_assert_int_ne(rows[at].tid, getpid());
	ck_assert_uint_ge(rows[at].used.cpu_ns, 70 * NS_PER_MS);
	ck_assert(!rows[at].ended);
	ck_assert_int_eq(write(leave[1], "x", 1), 1);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	/* The kernel lists it for a moment still. */
	const uint64_t deadline_ns = clock_now_ns() + 20 * NS_PER_SEC;
	do {
		(void)nanosleep(&moment, NULL);
		bench_dut_read(s, &last);
	} while (last.threads == u.threads && clock_now_ns() < deadline_ns);
	ck_assert_uint_eq(last.threads, u.threads - 1);
	ck_assert_uint_ge(last.cpu_ns, u.cpu_ns);
	ck_assert_uint_ge(last.switches, u.switches);
	for (int i = 0; i < 2; i++) {
		(void)close(done[i]);
		(void)close(leave[i]);
	}
	bench_dut_free(s);
}
END_TEST

/* A process that ends, is a zombie, and is gone: what it used stays counted. */
START_TEST(what_a_dead_child_used_stays_counted)
{
	int done[2];
	struct bench_usage u, zombie, gone;
	char byte;

	ck_assert_int_eq(pipe(done), 0);
	pid_t pid = fork();
	if (pid == 0) {
		burn(100);
		(void)!write(done[1], "x", 1);
		(void)pause();
		_exit(0);
	}
	struct bench_dut *s = dut_of(getpid(), pid);
	ck_assert_int_eq(read(done[0], &byte, 1), 1);
	bench_dut_read(s, &u);
	ck_assert_uint_eq(u.processes, 2);
	ck_assert_int_eq(kill(pid, SIGKILL), 0);
	siginfo_t info;
	ck_assert_int_eq(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	bench_dut_read(s, &zombie);
	ck_assert_uint_eq(zombie.processes, 1);
	ck_assert_uint_ge(zombie.cpu_ns, u.cpu_ns);
	ck_assert_uint_ge(zombie.cpu_ns, 100 * NS_PER_MS);
	ck_assert_uint_ge(zombie.switches, u.switches);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	bench_dut_read(s, &gone);
	ck_assert_uint_eq(gone.processes, 1);
	ck_assert_uint_ge(gone.cpu_ns, zombie.cpu_ns);
	(void)close(done[0]);
	(void)close(done[1]);
	bench_dut_free(s);
}
END_TEST

/* A process of our own making. */
static void
make(int pid, unsigned user, unsigned start, const char *status)
{
	char path[64], text[128];

	(void)snprintf(path, sizeof(path), "proc/%d/stat", pid);
	(void)snprintf(text, sizeof(text), "%d (s) S 1 1 1 0 -1 0 0 0 0 0 %u 0 0 0 20 0 1 0 %u 0\n",
	    pid, user, start);
	tree_write(root, path, text);
	(void)snprintf(path, sizeof(path), "proc/%d/status", pid);
	tree_write(root, path, status);
}

static uint64_t
ticks(uint64_t n)
{
	return n * (NS_PER_SEC / (uint64_t)sysconf(_SC_CLK_TCK));
}

/* A list of processes and what is wrong with it. */
static const char *const faults[][2] = {
	{ "", "\"\" is not the number of a process" },
	{ "12x", "\"12x\" is not the number of a process" },
	{ "120,", "\"\" is not the number of a process" },
	{ ",120", "\"\" is not the number of a process" },
	{ "120, 130", "\" 130\" is not the number of a process" },
	{ "0", "\"0\" is not the number of a process" },
	{ "-1", "\"-1\" is not the number of a process" },
	{ "4194305", "\"4194305\" is not the number of a process" },
	{ "99999999999999999999", "\"99999999999999999999\" is not the number of a process" },
	{ "120,130,120", "process 120 is named twice" },
	{ "120,140", "process 140: there is none, or /proc hides it" },
	{ "150", "process 150: Is a directory" },
	{ "160", "process 160 has ended and waits for its parent" },
	{ "170", "170 is not a process but a thread of process 120" },
};

START_TEST(wrong_process_numbers_are_refused)
{
	make(120, 1, 1, "Tgid: 120\n");
	make(130, 1, 1, "Tgid: 130\n");
	tree_write(root, "proc/150/stat/none", "");
	tree_write(root, "proc/160/stat", "1 (a) Z 1 1 1 0 -1 0 0 0 0 0 1 2 0 0 20 0 1 0 7 0\n");
	tree_write(root, "proc/160/status", "Tgid: 160\n");
	make(170, 1, 1, "Tgid: 120\n");
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		error[0] = '\0';
		ck_assert_msg(
		    bench_dut_new_pids(root, faults[i][0], error) == NULL, "%s", faults[i][0]);
		ck_assert_str_eq(error, faults[i][1]);
	}
}
END_TEST

START_TEST(too_many_pids)
{
	char text[8 * BENCH_DUT_PIDS] = "", longer[1024];
	size_t len = 0;

	for (int i = 0; i <= BENCH_DUT_PIDS; i++) {
		make(1000 + i, 1, 1, "");
		len += (size_t)snprintf(text + len, sizeof(text) - len, ",%d", 1000 + i);
	}
	ck_assert_ptr_null(bench_dut_new_pids(root, text + 1, error));
	ck_assert_str_eq(error, "more than 64 processes");
	*strrchr(text, ',') = '\0';
	struct bench_dut *s = bench_dut_new_pids(root, text + 1, error);
	ck_assert_ptr_nonnull(s);
	bench_dut_free(s);

	memset(longer, 'a', sizeof(longer));
	longer[sizeof(longer) - 1] = '\0';
	ck_assert_ptr_null(bench_dut_new_pids(longer, "1000", error));
	ck_assert_ptr_nonnull(strstr(error, "too long a path"));
}
END_TEST

/* A process with the number of one that has ended was not given to us. */
START_TEST(pid_of_another)
{
	struct bench_usage u;

	make(120, 5, 1, "");
	struct bench_dut *s = bench_dut_new_pids(root, "120", error);
	ck_assert_ptr_nonnull(s);
	make(120, 90, 2, "");
	bench_dut_read(s, &u);
	ck_assert_uint_eq(u.processes, 0);
	ck_assert_uint_eq(u.cpu_ns, ticks(5));
	bench_dut_free(s);
}
END_TEST

/* The file names another process after a restart, and none while nobody runs. */
START_TEST(pid_file_restarts)
{
	char path[512];
	struct bench_usage u;

	(void)snprintf(path, sizeof(path), "%s/u.pid", root);
	ck_assert_ptr_null(bench_dut_new_pid_file(root, path, error));
	ck_assert_ptr_nonnull(strstr(error, "no process number in file"));
	tree_write(root, "u.pid", "not yet\n");
	ck_assert_ptr_null(bench_dut_new_pid_file(root, path, error));
	tree_write(root, "u.pid", "120\n");
	ck_assert_ptr_null(bench_dut_new_pid_file(root, path, error));
	ck_assert_ptr_nonnull(strstr(error, "process 120"));

	make(120, 5, 1, "");
	struct bench_dut *s = bench_dut_new_pid_file(root, path, error);
	ck_assert_msg(s != NULL, "%s", error);
	bench_dut_read(s, &u);
	ck_assert_uint_eq(u.processes, 1);
	tree_remove(root, "u.pid");
	tree_remove(root, "proc/120");
	bench_dut_read(s, &u);
	ck_assert_uint_eq(u.processes, 0);
	make(130, 3, 50, "");
	tree_write(root, "u.pid", "130 and more");
	bench_dut_read(s, &u);
	ck_assert_uint_eq(u.processes, 1);
	ck_assert_uint_eq(u.cpu_ns, ticks(8));
	bench_dut_free(s);
}
END_TEST

static void
systemctl(const char *does)
{
	char text[512];

	(void)snprintf(text, sizeof(text), "#!/bin/sh\n%s\n", does);
	tree_write(root, "systemctl", text);
	(void)snprintf(text, sizeof(text), "%s/systemctl", root);
	ck_assert_int_eq(chmod(text, 0700), 0);
	ck_assert_int_eq(setenv("PATH", root, 1), 0);
}

/* Its processes are those that are in its group at the time. */
START_TEST(restarted_unit_is_followed_by_its_group)
{
	struct bench_usage u;

	systemctl("echo /s/u.service");
	make(120, 5, 1, "");
	make(121, 7, 1, "");
	tree_write(root, "sys/fs/cgroup/s/u.service/cgroup.procs", "120\n121\n");
	struct bench_dut *s = bench_dut_new_unit(root, "u", error);
	ck_assert_msg(s != NULL, "%s", error);
	bench_dut_read(s, &u);
	ck_assert_uint_eq(u.processes, 2);
	ck_assert_uint_eq(u.cpu_ns, ticks(12));

	tree_remove(root, "sys/fs/cgroup/s/u.service");
	tree_remove(root, "proc/120");
	tree_remove(root, "proc/121");
	bench_dut_read(s, &u);
	ck_assert_uint_eq(u.processes, 0);
	ck_assert_uint_eq(u.cpu_ns, ticks(12));

	make(130, 3, 50, "");
	make(120, 1, 51, ""); /* the number of one before */
	tree_write(root, "sys/fs/cgroup/s/u.service/cgroup.procs", "130\n120\n");
	bench_dut_read(s, &u);
	ck_assert_uint_eq(u.processes, 2);
	ck_assert_uint_eq(u.cpu_ns, ticks(16));
	ck_assert_uint_eq(bench_dut_processes(s, rows, 10), 4);
	bench_dut_free(s);
}
END_TEST

START_TEST(unit_too_large)
{
	char list[8 * BENCH_DUT_PIDS] = "";
	struct bench_usage u;
	size_t len = 0;

	systemctl("echo /u");
	for (int i = 0; i < BENCH_DUT_PIDS + 3; i++) {
		make(1000 + i, 1, 1, "");
		len += (size_t)snprintf(list + len, sizeof(list) - len, "%d\n", 1000 + i);
	}
	tree_write(root, "sys/fs/cgroup/u/cgroup.procs", list);
	struct bench_dut *s = bench_dut_new_unit(root, "u", error);
	ck_assert_ptr_nonnull(s);
	bench_dut_read(s, &u);
	ck_assert_uint_eq(u.processes, BENCH_DUT_PIDS);
	ck_assert_uint_eq(u.left_out, 3);
	bench_dut_free(s);
}
END_TEST

START_TEST(unit_that_does_not_run_is_refused)
{
	systemctl("echo");
	ck_assert_ptr_null(bench_dut_new_unit(root, "u", error));
	ck_assert_str_eq(error, "unit u has no control group: it does not run");
	systemctl("echo /s/u.service");
	ck_assert_ptr_null(bench_dut_new_unit(root, "u", error));
	ck_assert_str_eq(error, "unit u: no process in control group /s/u.service");
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, own_cpu_time_is_counted);
	tcase_add_test(tc, own_memory_and_waits_are_counted);
	tcase_add_test(tc, thread_of_its_own_is_counted_past_its_end);
	tcase_add_test(tc, what_a_dead_child_used_stays_counted);
	tcase_add_test(tc, wrong_process_numbers_are_refused);
	tcase_add_test(tc, too_many_pids);
	tcase_add_test(tc, pid_of_another);
	tcase_add_test(tc, restarted_unit_is_followed_by_its_group);
	tcase_add_test(tc, pid_file_restarts);
	tcase_add_test(tc, unit_too_large);
	tcase_add_test(tc, unit_that_does_not_run_is_refused);
}
