/* SPDX-License-Identifier: BSD-2-Clause */
/* The server under test: who it is, and that its work is seen. We are it ourselves here. */

#include "bench/host/dut.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "support/scratch.h"
#include "support/tests.h"
#include "support/tree.h"

static char root[SCRATCH_PATH], error[BENCH_DUT_ERROR];

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

/* --- Usage ------------------------------------------------------------------------------------ */

static const struct bench_usage early = {
	.time_ns = 1000, .cpu_ns = 100, .switches = 7, .rss = 4096, .processes = 1
};
static const struct bench_usage later = {
	.time_ns = 3000, .cpu_ns = 1100, .switches = 17, .rss = 1024, .processes = 3, .left_out = 8
};

START_TEST(difference_of_two_readings)
{
	struct bench_usage d;

	bench_usage_since(&early, &later, &d);
	ck_assert_uint_eq(d.time_ns, 2000);
	ck_assert_uint_eq(d.cpu_ns, 1000);
	ck_assert_uint_eq(d.switches, 10);
	ck_assert_uint_eq(d.rss, 1024);
	ck_assert_uint_eq(d.processes, 3);
	ck_assert_uint_eq(d.left_out, 8);
	ck_assert_double_eq(bench_usage_load(&d), 0.5);
}
END_TEST

START_TEST(never_below_zero)
{
	struct bench_usage d = early;

	bench_usage_since(&later, &d, &d);
	ck_assert_uint_eq(d.time_ns, 0);
	ck_assert_uint_eq(d.cpu_ns, 0);
	ck_assert_uint_eq(d.switches, 0);
	ck_assert_uint_eq(d.rss, 4096);
	ck_assert_double_eq(bench_usage_load(&d), 0);
}
END_TEST

/* --- Real processes --------------------------------------------------------------------------- */

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
	static char pids[32];
	int len = snprintf(pids, sizeof(pids), "%d", (int)pid);

	if (other != 0)
		(void)snprintf(pids + len, sizeof(pids) - (size_t)len, ",%d", (int)other);
	struct bench_dut *s = bench_dut_new("", BENCH_DUT_BY_PIDS, pids, error);
	ck_assert_msg(s != NULL, "%s", error);
	return s;
}

static void *
burner(void *arg)
{
	burn(100);
	return arg;
}

/* That of threads that have ended, too. */
START_TEST(own_cpu_time_is_counted)
{
	struct bench_dut *s = dut_of(getpid(), 0);
	struct bench_usage before, after, d;
	pthread_t thread;

	bench_dut_read(s, &before);
	ck_assert_uint_eq(before.processes, 1);
	ck_assert_uint_gt(before.rss, 65536);
	burn(100);
	ck_assert_int_eq(pthread_create(&thread, NULL, burner, NULL), 0);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	bench_dut_read(s, &after);
	bench_usage_since(&before, &after, &d);
	ck_assert_uint_ge(d.cpu_ns, 200 * NS_PER_MS);
	ck_assert_uint_ge(d.time_ns, 100 * NS_PER_MS);
	ck_assert_double_gt(bench_usage_load(&d), 0);
	bench_dut_free(s);
}
END_TEST

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
	for (int i = 0; i < 20; i++)
		(void)nanosleep(&moment, NULL);
	bench_dut_read(s, &after);
	bench_usage_since(&before, &after, &d);
	ck_assert_uint_ge(after.rss, before.rss + len / 4 * 3);
	ck_assert_uint_ge(d.switches, 20);
	ck_assert_int_eq(munmap(memory, len), 0);
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

/* --- Processes of our own making -------------------------------------------------------------- */

static void
make(int pid, unsigned user, unsigned start, const char *status)
{
	char path[64], text[128];

	(void)snprintf(path, sizeof(path), "proc/%d/stat", pid);
	(void)snprintf(text, sizeof(text),
	    "%d (a b) c)) S 1 1 1 0 -1 0 0 0 0 0 %u 0 0 0 20 0 1 0 %u 0\n", pid, user, start);
	tree_write(root, path, text);
	(void)snprintf(path, sizeof(path), "proc/%d/status", pid);
	tree_write(root, path, status);
}

/* A thread of it, with its memory and context switches. */
static void
make_thread(int pid, int tid, unsigned kib, unsigned waited, unsigned preempted)
{
	char path[64], text[160];

	(void)snprintf(path, sizeof(path), "proc/%d/task/%d/status", pid, tid);
	(void)snprintf(text, sizeof(text),
	    "Name:\tVmRSS:\nVmRSS:\t%u kB\nvoluntary_ctxt_switches:\t%u\n"
	    "nonvoluntary_ctxt_switches:\t%u\n",
	    kib, waited, preempted);
	tree_write(root, path, text);
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
	{ "120,140", "process 140: there is none, or /proc hides it" },
	{ "150", "process 150: Is a directory" },
	{ "160", "process 160 has ended and waits for its parent" },
	{ "170", "170 is not a process but a thread of process 120" },
	{ "180", "process 180: Bad message" },
};

START_TEST(wrong_process_numbers_are_refused)
{
	make(120, 1, 1, "Tgid: 120\n");
	make(130, 1, 1, "Tgid: 130\n");
	tree_write(root, "proc/150/stat/none", "");
	tree_write(root, "proc/160/stat", "1 (a) Z 1 1 1 0 -1 0 0 0 0 0 1 2 0 0 20 0 1 0 7 0\n");
	tree_write(root, "proc/160/status", "Tgid: 160\n");
	make(170, 1, 1, "Tgid: 120\n");
	tree_write(root, "proc/180/stat", "1 (a) S 1 1 1 0 -1 0 0 0 0 0 1 2 0 0 20 0 1 0");
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		error[0] = '\0';
		ck_assert_msg(bench_dut_new(root, BENCH_DUT_BY_PIDS, faults[i][0], error) == NULL,
		    "%s", faults[i][0]);
		ck_assert_str_eq(error, faults[i][1]);
	}
}
END_TEST

START_TEST(too_many_pids)
{
	char text[8 * BENCH_DUT_PIDS] = "";
	struct bench_usage u;
	size_t len = 0;

	for (int i = 0; i <= BENCH_DUT_PIDS; i++) {
		make(1000 + i, 1, 1, "");
		len += (size_t)snprintf(text + len, sizeof(text) - len, ",%d", 1000 + i);
	}
	ck_assert_ptr_null(bench_dut_new(root, BENCH_DUT_BY_PIDS, text + 1, error));
	ck_assert_str_eq(error, "more than 64 processes");
	*strrchr(text, ',') = '\0';
	struct bench_dut *s = bench_dut_new(root, BENCH_DUT_BY_PIDS, text + 1, error);
	ck_assert_ptr_nonnull(s);
	bench_dut_read(s, &u);
	ck_assert_uint_eq(u.processes, BENCH_DUT_PIDS);
	bench_dut_free(s);
}
END_TEST

/* The threads of a process share its memory, and each has waited for itself. */
START_TEST(threads_add_up)
{
	struct bench_usage u;

	make(120, 5, 1, "");
	make(130, 5, 1, "");
	make_thread(120, 120, 0, 3, 4); /* the first one has ended: it shows no memory */
	make_thread(120, 121, 2048, 10, 20);
	make_thread(130, 130, 1024, 100, 200);
	struct bench_dut *s = bench_dut_new(root, BENCH_DUT_BY_PIDS, "120,130,120", error);
	ck_assert_msg(s != NULL, "%s", error);
	bench_dut_read(s, &u);
	ck_assert_uint_eq(u.processes, 2);
	ck_assert_uint_eq(u.rss, 3072 * 1024);
	ck_assert_uint_eq(u.switches, 337);
	tree_remove(root, "proc/120/task/121");
	bench_dut_read(s, &u);
	ck_assert_uint_eq(u.rss, 1024 * 1024);
	ck_assert_uint_eq(u.switches, 337); /* it does not go down */
	bench_dut_free(s);
}
END_TEST

/* A process whose first thread has ended is no zombie while there are others. */
START_TEST(zombie_only_without_other_threads)
{
	struct bench_usage u;

	tree_write(root, "proc/120/stat", "1 (a) Z 1 1 1 0 -1 0 0 0 0 0 1 2 0 0 20 0 2 0 7 0\n");
	tree_write(root, "proc/120/status", "");
	struct bench_dut *s = bench_dut_new(root, BENCH_DUT_BY_PIDS, "120", error);
	ck_assert_msg(s != NULL, "%s", error);
	tree_write(root, "proc/120/stat", "1 (a) X 1 1 1 0 -1 0 0 0 0 0 1 3 0 0 20 0 0 0 7 0\n");
	bench_dut_read(s, &u);
	ck_assert_uint_eq(u.processes, 0);
	ck_assert_uint_eq(u.cpu_ns, ticks(4));
	bench_dut_free(s);
}
END_TEST

/* A process with the number of one that has ended was not given to us. */
START_TEST(pid_of_another)
{
	struct bench_usage u;

	make(120, 5, 1, "");
	struct bench_dut *s = bench_dut_new(root, BENCH_DUT_BY_PIDS, "120", error);
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
	ck_assert_ptr_null(bench_dut_new(root, BENCH_DUT_BY_FILE, path, error));
	ck_assert_ptr_nonnull(strstr(error, "no process has the number that it begins with"));
	tree_write(root, "u.pid", "not yet\n");
	ck_assert_ptr_null(bench_dut_new(root, BENCH_DUT_BY_FILE, path, error));
	tree_write(root, "u.pid", "120\n");
	ck_assert_ptr_null(bench_dut_new(root, BENCH_DUT_BY_FILE, path, error));

	make(120, 5, 1, "");
	struct bench_dut *s = bench_dut_new(root, BENCH_DUT_BY_FILE, path, error);
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
	/* The same number again, of a process that began later. */
	make(130, 2, 60, "");
	bench_dut_read(s, &u);
	ck_assert_uint_eq(u.cpu_ns, ticks(10));
	bench_dut_free(s);
}
END_TEST

static void
put_in(int pid, const char *groups)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "proc/%d/cgroup", pid);
	tree_write(root, path, groups);
}

/* Its processes are those that are in its group at the time. */
START_TEST(restarted_unit_is_followed_by_its_group)
{
	struct bench_usage u;

	make(120, 5, 1, "");
	put_in(120, "0::/system.slice/u.service\n");
	make(121, 7, 1, "");
	put_in(121, "9:cpu:/other\n1:name=systemd:/system.slice/u.service/inner\n");
	make(122, 90, 1, "");
	put_in(122, "0::/system.slice/uu.service\n1:name=systemd:/u.service2\n");
	make(123, 90, 1, "");
	struct bench_dut *s = bench_dut_new(root, BENCH_DUT_BY_UNIT, "u", error);
	ck_assert_msg(s != NULL, "%s", error);
	bench_dut_read(s, &u);
	ck_assert_uint_eq(u.processes, 2);
	ck_assert_uint_eq(u.cpu_ns, ticks(12));

	tree_remove(root, "proc/120");
	tree_remove(root, "proc/121");
	bench_dut_read(s, &u);
	ck_assert_uint_eq(u.processes, 0);
	ck_assert_uint_eq(u.cpu_ns, ticks(12));

	make(130, 3, 50, "");
	put_in(130, "0::/system.slice/u.service\n");
	make(120, 1, 51, ""); /* the number of one before */
	put_in(120, "0::/system.slice/u.service\n");
	bench_dut_read(s, &u);
	ck_assert_uint_eq(u.processes, 2);
	ck_assert_uint_eq(u.cpu_ns, ticks(16));
	bench_dut_free(s);
}
END_TEST

START_TEST(unit_too_large)
{
	struct bench_usage u;

	make(1, 1, 1, "");
	put_in(1, "0::/u.scope\n");
	struct bench_dut *s = bench_dut_new(root, BENCH_DUT_BY_UNIT, "u.scope", error);
	ck_assert_msg(s != NULL, "%s", error);
	for (int i = 1; i < BENCH_DUT_PIDS + 3; i++) {
		make(1000 + i, 1, 1, "");
		put_in(1000 + i, "0::/u.scope\n");
	}
	bench_dut_read(s, &u);
	ck_assert_uint_eq(u.processes, BENCH_DUT_PIDS);
	ck_assert_uint_eq(u.left_out, 3);
	bench_dut_free(s);
}
END_TEST

START_TEST(unit_that_does_not_run_is_refused)
{
	make(120, 5, 1, "");
	put_in(120, "0::/system.slice/other.service\n");
	ck_assert_ptr_null(bench_dut_new(root, BENCH_DUT_BY_UNIT, "u", error));
	ck_assert_str_eq(error, "unit u has no process: it does not run");
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, difference_of_two_readings);
	tcase_add_test(tc, never_below_zero);
	tcase_add_test(tc, own_cpu_time_is_counted);
	tcase_add_test(tc, own_memory_and_waits_are_counted);
	tcase_add_test(tc, what_a_dead_child_used_stays_counted);
	tcase_add_test(tc, wrong_process_numbers_are_refused);
	tcase_add_test(tc, too_many_pids);
	tcase_add_test(tc, threads_add_up);
	tcase_add_test(tc, zombie_only_without_other_threads);
	tcase_add_test(tc, pid_of_another);
	tcase_add_test(tc, restarted_unit_is_followed_by_its_group);
	tcase_add_test(tc, pid_file_restarts);
	tcase_add_test(tc, unit_too_large);
	tcase_add_test(tc, unit_that_does_not_run_is_refused);
}
