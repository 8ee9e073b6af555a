/* SPDX-License-Identifier: BSD-2-Clause */
/* Who is there and has used what, reading after reading, in a /proc of our own; differences. */

#include "bench/host/dut.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/scratch.h"
#include "support/tests.h"
#include "support/tree.h"

/* --- usage ------------------------------------------------------------------------------------ */

/* Sums and differences of what was used. */

static const struct bench_usage early = { .time_ns = 1000,
	.cpu_ns = 100,
	.switches = 7,
	.preemptions = 3,
	.rss = 4096,
	.processes = 1,
	.threads = 2,
	.descriptors = 9 };
static const struct bench_usage later = { .time_ns = 3000,
	.cpu_ns = 1100,
	.switches = 17,
	.preemptions = 4,
	.rss = 1024,
	.processes = 3,
	.threads = 4,
	.descriptors = 5,
	.uncounted = 6,
	.left_out = 8 };

START_TEST(difference_of_two_readings)
{
	struct bench_usage d;

	bench_usage_since(&early, &later, &d);
	ck_assert_uint_eq(d.time_ns, 2000);
	ck_assert_uint_eq(d.cpu_ns, 1000);
	ck_assert_uint_eq(d.switches, 10);
	ck_assert_uint_eq(d.preemptions, 1);
	ck_assert_uint_eq(d.rss, 1024);
	ck_assert_uint_eq(d.processes, 3);
	ck_assert_uint_eq(d.threads, 4);
	ck_assert_uint_eq(d.descriptors, 5);
	ck_assert_uint_eq(d.uncounted, 6);
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
	ck_assert_uint_eq(d.preemptions, 0);
	ck_assert_uint_eq(d.rss, 4096);
	ck_assert_double_eq(bench_usage_load(&d), 0);
}
END_TEST

START_TEST(sum_of_two_readings)
{
	struct bench_usage sum = early;

	bench_usage_add(&sum, &later);
	ck_assert_uint_eq(sum.cpu_ns, 1200);
	ck_assert_uint_eq(sum.switches, 24);
	ck_assert_uint_eq(sum.preemptions, 7);
	ck_assert_uint_eq(sum.rss, 4096);
	ck_assert_uint_eq(sum.threads, 2);
}
END_TEST

START_TEST(counters_rise_to_what_was_seen)
{
	struct bench_usage u = early;
	const struct bench_usage seen = { .cpu_ns = 99, .switches = 8 }, more = { .cpu_ns = 110 };

	bench_usage_raise(&u, &seen);
	ck_assert_uint_eq(u.cpu_ns, 100);
	ck_assert_uint_eq(u.switches, 8);
	ck_assert_uint_eq(u.preemptions, 3);
	ck_assert_uint_eq(u.rss, 4096);
	bench_usage_raise(&u, &more);
	ck_assert_uint_eq(u.cpu_ns, 110);
	ck_assert_uint_eq(u.switches, 8);
}
END_TEST

static void
add_usage(TCase *tc)
{
	tcase_add_test(tc, difference_of_two_readings);
	tcase_add_test(tc, never_below_zero);
	tcase_add_test(tc, sum_of_two_readings);
	tcase_add_test(tc, counters_rise_to_what_was_seen);
}

/* --- tasks ------------------------------------------------------------------------------------ */

/* Who is there and has used what, reading after reading, in a /proc of our own. */

#define MS UINT64_C(1000000)

static char root[SCRATCH_PATH];
static struct bench_tasks tasks;
static struct bench_row rows[BENCH_TASKS_MAX];

static void
setup(void)
{
	scratch_dir(root);
	ck_assert(bench_tasks_init(&tasks, root));
}

static void
teardown(void)
{
	tree_remove(root, "");
}

/* A process or thread as /proc shows it. */
struct made {
	int pid, tid; /* no tid: the process */
	const char *name;
	char state;
	unsigned user, system; /* ticks */
	unsigned threads, start;
	unsigned cpu_ns, switches, preemptions, rss_kib; /* not told if 0 */
};

static void
make(const struct made *m)
{
	char dir[64], path[96], text[256];
	int len = snprintf(dir, sizeof(dir), "proc/%d", m->pid);

	if (m->tid > 0)
		(void)snprintf(dir + len, sizeof(dir) - (size_t)len, "/task/%d", m->tid);
	(void)snprintf(path, sizeof(path), "%s/stat", dir);
	(void)snprintf(text, sizeof(text),
	    "%d (%s) %c 1 1 1 0 -1 0 0 0 0 0 %u %u 0 0 20 0 %u 0 %u 0\n", m->pid, m->name, m->state,
	    m->user, m->system, m->threads, m->start);
	tree_write(root, path, text);
	if (m->cpu_ns > 0) {
		(void)snprintf(path, sizeof(path), "%s/schedstat", dir);
		(void)snprintf(text, sizeof(text), "%u 0 0\n", m->cpu_ns);
		tree_write(root, path, text);
	}
	len = m->rss_kib > 0 ? snprintf(text, sizeof(text), "VmRSS: %u kB\n", m->rss_kib) : 0;
	(void)snprintf(text + len, sizeof(text) - (size_t)len,
	    "voluntary_ctxt_switches: %u\nnonvoluntary_ctxt_switches: %u\n", m->switches,
	    m->preemptions);
	(void)snprintf(path, sizeof(path), "%s/status", dir);
	tree_write(root, path, text);
}

static void
drop(int pid, int tid)
{
	char path[64];

	(void)snprintf(path, sizeof(path), tid > 0 ? "proc/%d/task/%d" : "proc/%d", pid, tid);
	tree_remove(root, path);
}

/* A reading of the process PIDS (0 at their end). */
static struct bench_usage
reading(const int *pids, bool adopt)
{
	struct bench_usage u;

	bench_tasks_begin(&tasks);
	for (; *pids != 0; pids++)
		bench_tasks_visit(&tasks, *pids, adopt);
	bench_tasks_finish(&tasks, &u);
	return u;
}

static uint64_t
ticks(uint64_t n)
{
	return n * (1000000000 / (uint64_t)sysconf(_SC_CLK_TCK));
}

/* Process 120 with two threads. */
static struct made process = { .pid = 120,
	.name = "dns64d",
	.state = 'S',
	.user = 5,
	.system = 2,
	.threads = 2,
	.start = 900,
	.rss_kib = 3000 };
static struct made main_thread = { .pid = 120,
	.tid = 120,
	.name = "dns64d",
	.state = 'S',
	.user = 1,
	.threads = 2,
	.start = 900,
	.cpu_ns = 19 * MS,
	.switches = 10,
	.preemptions = 3,
	.rss_kib = 3000 };
static struct made loop_thread = { .pid = 120,
	.tid = 121,
	.name = "loop 0",
	.state = 'R',
	.user = 4,
	.system = 2,
	.threads = 2,
	.start = 901,
	.cpu_ns = 68 * MS,
	.switches = 20,
	.preemptions = 4,
	.rss_kib = 3000 };
static const int one[] = { 120, 0 };

static void
make_all(void)
{
	make(&process);
	make(&main_thread);
	make(&loop_thread);
	tree_write(root, "proc/120/fd/0", "");
	tree_write(root, "proc/120/fd/1", "");
}

START_TEST(all_that_proc_tells_is_read)
{
	make_all();
	struct bench_usage u = reading(one, true);

	ck_assert_uint_eq(u.cpu_ns, 87 * MS); /* schedstat is more exact than ticks */
	ck_assert_uint_eq(u.switches, 30);
	ck_assert_uint_eq(u.preemptions, 7);
	ck_assert_uint_eq(u.rss, 3000 * 1024);
	ck_assert_uint_eq(u.processes, 1);
	ck_assert_uint_eq(u.threads, 2);
	ck_assert_uint_eq(u.descriptors, 2);
	ck_assert_uint_eq(u.uncounted, 0);
	ck_assert_uint_eq(u.left_out, 0);
	ck_assert_uint_gt(u.time_ns, 0);

	ck_assert_uint_eq(bench_tasks_processes(&tasks, rows, 10), 1);
	ck_assert_int_eq(rows[0].pid, 120);
	ck_assert_int_eq(rows[0].tid, 0);
	ck_assert_str_eq(rows[0].name, "dns64d");
	ck_assert_uint_eq(rows[0].used.cpu_ns, 87 * MS);
	ck_assert_uint_eq(bench_tasks_threads(&tasks, rows, 10), 2);
	struct bench_row *loop = &rows[rows[0].tid == 120];
	ck_assert_int_eq(loop->tid, 121);
	ck_assert_str_eq(loop->name, "loop 0");
	ck_assert_uint_eq(loop->used.cpu_ns, 68 * MS);
	ck_assert_uint_eq(loop->used.switches, 20);
	ck_assert_uint_eq(loop->used.threads, 1);
	ck_assert(!loop->ended);
	ck_assert_uint_eq(bench_tasks_threads(&tasks, rows, 1), 1);
}
END_TEST

/* Without schedstat, ticks are all there is. */
START_TEST(without_schedstat_ticks_count)
{
	make(&process);
	struct made m = main_thread;
	m.cpu_ns = 0;
	make(&m);
	struct bench_usage u = reading(one, true);

	ck_assert_uint_eq(u.cpu_ns, ticks(7));
	ck_assert_uint_eq(bench_tasks_threads(&tasks, rows, 10), 1);
	ck_assert_uint_eq(rows[0].used.cpu_ns, ticks(1));
}
END_TEST

/* What may not be read is left away, and the rest is told. */
START_TEST(what_may_not_be_read_is_left_out)
{
	char page[64];

	tree_write(root, "proc/120/fd", "not for us");
	make(&process);
	tree_remove(root, "proc/120/status");
	(void)snprintf(page, sizeof(page), "9 3 1 0 0 0 0\n");
	tree_write(root, "proc/120/statm", page);
	struct bench_usage u = reading(one, true);

	ck_assert_uint_eq(u.cpu_ns, ticks(7));
	ck_assert_uint_eq(u.rss, 3 * (uint64_t)sysconf(_SC_PAGESIZE));
	ck_assert_uint_eq(u.descriptors, 0);
	ck_assert_uint_eq(u.uncounted, 1);
	ck_assert_uint_eq(u.threads, 2);
	ck_assert_uint_eq(u.processes, 1);
}
END_TEST

START_TEST(ended_thread_stays_counted)
{
	make_all();
	(void)reading(one, true);
	bench_tasks_mark(&tasks);
	drop(120, 121);
	struct made m = process;
	m.threads = 1;
	m.user = 6;
	make(&m);
	struct bench_usage u = reading(one, true);

	ck_assert_uint_eq(u.switches, 30);
	ck_assert_uint_eq(u.preemptions, 7);
	ck_assert_uint_eq(u.cpu_ns, 87 * MS);
	ck_assert_uint_eq(u.threads, 1);
	m.user = 50; /* what it did after the last look at it */
	make(&m);
	struct made busy = main_thread;
	busy.switches = 15;
	make(&busy);
	u = reading(one, true);
	ck_assert_uint_eq(u.cpu_ns, ticks(52));
	ck_assert_uint_eq(u.switches, 35);

	ck_assert_uint_eq(bench_tasks_threads(&tasks, rows, 10), 2);
	struct bench_row *loop = &rows[rows[0].tid == 120], *first = &rows[rows[0].tid != 120];
	ck_assert(loop->ended && !first->ended);
	ck_assert_uint_eq(loop->used.switches, 0);
	ck_assert_uint_eq(loop->used.threads, 0);
	ck_assert_uint_eq(first->used.switches, 5);
	bench_tasks_mark(&tasks);
	ck_assert_uint_eq(bench_tasks_threads(&tasks, rows, 10), 1);
	ck_assert_uint_eq(reading(one, true).switches, 35);
}
END_TEST

/* A new thread may get the number of one that has ended. */
START_TEST(thread_number_again)
{
	make_all();
	(void)reading(one, true);
	struct made m = loop_thread;
	m.start = 950;
	m.user = m.system = 0;
	m.switches = 1;
	m.cpu_ns = MS;
	make(&m);
	struct bench_usage u = reading(one, true);

	ck_assert_uint_eq(u.switches, 31);
	ck_assert_uint_eq(u.cpu_ns, 88 * MS);
	ck_assert_uint_eq(bench_tasks_threads(&tasks, rows, 10), 3);
}
END_TEST

START_TEST(ended_process_stays_counted)
{
	make_all();
	struct made other = {
		.pid = 130, .name = "other", .state = 'S', .user = 1, .threads = 1, .start = 5
	};
	const int both[] = { 120, 130, 0 };
	make(&other);
	struct bench_usage before = reading(both, true);
	bench_tasks_mark(&tasks);
	ck_assert_uint_eq(before.processes, 2);
	ck_assert_uint_eq(before.cpu_ns, 87 * MS + ticks(1));
	drop(120, 0);
	struct bench_usage after = reading(both, true);

	ck_assert_uint_eq(after.processes, 1);
	ck_assert_uint_eq(after.threads, 1);
	ck_assert_uint_eq(after.rss, 0);
	ck_assert_uint_eq(after.descriptors, 0);
	ck_assert_uint_eq(after.cpu_ns, before.cpu_ns);
	ck_assert_uint_eq(after.switches, before.switches);
	ck_assert_uint_eq(reading(both, true).cpu_ns, before.cpu_ns); /* counted once */
	ck_assert_uint_eq(bench_tasks_processes(&tasks, rows, 10), 2);
	ck_assert(rows[0].ended && !rows[1].ended);
	ck_assert_uint_eq(rows[0].used.processes, 0);
	bench_tasks_mark(&tasks);
	ck_assert_uint_eq(bench_tasks_processes(&tasks, rows, 10), 1);
	drop(130, 0);
	ck_assert_uint_eq(reading(both, true).processes, 0);
}
END_TEST

/* A zombie tells its last times, once. */
START_TEST(zombie_is_counted_once)
{
	make_all();
	(void)reading(one, true);
	struct made m = process;
	m.state = 'Z';
	m.threads = 1;
	m.user = 99;
	make(&m);
	for (int i = 0; i < 3; i++) {
		struct bench_usage u = reading(one, true);

		ck_assert_uint_eq(u.cpu_ns, ticks(101));
		ck_assert_uint_eq(u.switches, 30);
		ck_assert_uint_eq(u.processes, 0);
		bench_tasks_mark(&tasks);
	}
	drop(120, 0);
	ck_assert_uint_eq(reading(one, true).cpu_ns, ticks(101));
}
END_TEST

/* The first thread has ended, and shows no memory; the others go on. */
START_TEST(first_thread_ends)
{
	make_all();
	struct made m = process, t = main_thread;
	m.state = t.state = 'Z';
	m.rss_kib = t.rss_kib = 0;
	make(&m);
	make(&t);
	struct bench_usage u = reading(one, true);

	ck_assert_uint_eq(u.processes, 1);
	ck_assert_uint_eq(u.rss, 3000 * 1024);
	ck_assert_uint_eq(u.switches, 30);
}
END_TEST

/* A number that is given again: another process, which is ours or not. */
START_TEST(process_number_again)
{
	make_all();
	(void)reading(one, true);
	struct made m = process, t = main_thread, l = loop_thread;
	m.start = t.start = 2000;
	l.start = 2001;
	m.user = m.system = t.user = l.user = l.system = 0;
	t.cpu_ns = l.cpu_ns = MS;
	t.switches = l.switches = 1;
	make(&m);
	make(&t);
	make(&l);
	struct bench_usage u = reading(one, false);
	ck_assert_uint_eq(u.processes, 0);
	ck_assert_uint_eq(u.switches, 30);
	ck_assert_uint_eq(u.cpu_ns, 87 * MS);
	u = reading(one, true);
	ck_assert_uint_eq(u.processes, 1);
	ck_assert_uint_eq(u.switches, 32);
	ck_assert_uint_eq(u.cpu_ns, 89 * MS);
}
END_TEST

/* The same, seen in one reading. */
START_TEST(replaced_process_stays_counted)
{
	make_all();
	(void)reading(one, true);
	drop(120, 121);
	struct made m = process, t = main_thread;
	m.start = t.start = 2000;
	m.user = m.system = t.user = 0;
	t.cpu_ns = MS;
	t.switches = 1;
	make(&m);
	make(&t);
	struct bench_usage u = reading(one, true);

	ck_assert_uint_eq(u.processes, 1);
	ck_assert_uint_eq(u.switches, 31);
	ck_assert_uint_eq(u.cpu_ns, 88 * MS);
	/* Its threads did not end with those of the one before. */
	t.switches = 5;
	make(&t);
	ck_assert_uint_eq(reading(one, true).switches, 35);
}
END_TEST

/* A process that is not listed any more, but there, is still the one that it was. */
START_TEST(unlisted_process_is_still_the_same)
{
	static const int none[] = { 0 };

	make_all();
	(void)reading(one, true);
	struct made t = main_thread;
	t.switches = 11;
	make(&t);
	ck_assert_uint_eq(reading(none, true).switches, 31);
	/* It has ended, and its number is that of a process which is not listed. */
	struct made m = process;
	m.start = 2000;
	make(&m);
	ck_assert_uint_eq(reading(none, true).processes, 0);
}
END_TEST

/* A file that cannot be read, for another reason than its process's end, changes nothing. */
START_TEST(unreadable_file_changes_nothing)
{
	make_all();
	struct bench_usage before = reading(one, true);
	tree_remove(root, "proc/120/task/121/stat");
	tree_write(root, "proc/120/task/121/stat/is/a/directory", "");
	struct bench_usage u = reading(one, true);
	ck_assert_uint_eq(u.switches, 30);
	ck_assert_uint_eq(bench_tasks_threads(&tasks, rows, 10), 2);
	ck_assert(!rows[0].ended && !rows[1].ended);
	tree_write(root, "proc/120/stat", "120 (dns6");
	u = reading(one, true);
	ck_assert_uint_eq(u.processes, 1);
	ck_assert_uint_eq(u.cpu_ns, before.cpu_ns);
	ck_assert_uint_eq(u.rss, before.rss);
}
END_TEST

/* A kernel may tell less than before: counters stay. */
START_TEST(counters_never_go_back)
{
	make_all();
	(void)reading(one, true);
	struct made m = process, t = loop_thread;
	m.user = 1;
	t.switches = t.preemptions = 1;
	t.cpu_ns = MS;
	make(&m);
	make(&t);
	struct bench_usage u = reading(one, true);

	ck_assert_uint_eq(u.cpu_ns, 87 * MS);
	ck_assert_uint_eq(u.switches, 30);
	ck_assert_uint_eq(u.preemptions, 7);
}
END_TEST

START_TEST(process_named_twice_counts_once)
{
	static const int twice[] = { 120, 120, 0 };

	make_all();
	ck_assert_uint_eq(reading(twice, true).switches, 30);
}
END_TEST

START_TEST(processes_over_the_limit_are_told)
{
	static int pids[BENCH_TASKS_MAX + 3];

	for (int i = 0; i < BENCH_TASKS_MAX + 2; i++) {
		struct made m = { .pid = 1000 + i,
			.name = "p",
			.state = 'S',
			.user = 1,
			.threads = 1,
			.start = 1 };

		pids[i] = m.pid;
		make(&m);
	}
	struct bench_usage u = reading(pids, true);
	ck_assert_uint_eq(u.processes, BENCH_TASKS_MAX);
	ck_assert_uint_eq(u.left_out, 2);
	/* Two end, and their places are taken. */
	drop(1000, 0);
	drop(1001, 0);
	(void)reading(pids, true);
	u = reading(pids, true);
	ck_assert_uint_eq(u.processes, BENCH_TASKS_MAX);
	ck_assert_uint_eq(u.left_out, 0);
	ck_assert_uint_eq(u.cpu_ns, ticks(BENCH_TASKS_MAX + 2));
}
END_TEST

START_TEST(threads_over_the_limit_are_told)
{
	make(&process);
	for (int i = 0; i < BENCH_TASKS_MAX; i++) { /* one more than places beside the process */
		char path[64];

		(void)snprintf(path, sizeof(path), "proc/120/task/%d/stat", 1000 + i);
		tree_write(root, path, "1 (t) S 1 1 1 0 -1 0 0 0 0 0 1 0 0 0 20 0 1 0 7 0\n");
	}
	struct bench_usage u = reading(one, true);
	ck_assert_uint_eq(u.left_out, 1);
	ck_assert_uint_eq(u.cpu_ns, ticks(BENCH_TASKS_MAX - 1));
	ck_assert_uint_eq(bench_tasks_threads(&tasks, rows, BENCH_TASKS_MAX), BENCH_TASKS_MAX - 1);
	drop(120, 1000);
	drop(120, 1001);
	(void)reading(one, true);
	ck_assert_uint_eq(reading(one, true).left_out, 0);
}
END_TEST

START_TEST(root_longer_than_the_limit_is_refused)
{
	char longer[BENCH_TASKS_ROOT + 1];

	memset(longer, 'a', sizeof(longer));
	longer[BENCH_TASKS_ROOT] = '\0';
	ck_assert(!bench_tasks_init(&tasks, longer));
	longer[BENCH_TASKS_ROOT - 1] = '\0';
	ck_assert(bench_tasks_init(&tasks, longer));
}
END_TEST

static void
add_tasks(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, all_that_proc_tells_is_read);
	tcase_add_test(tc, without_schedstat_ticks_count);
	tcase_add_test(tc, what_may_not_be_read_is_left_out);
	tcase_add_test(tc, ended_thread_stays_counted);
	tcase_add_test(tc, thread_number_again);
	tcase_add_test(tc, ended_process_stays_counted);
	tcase_add_test(tc, zombie_is_counted_once);
	tcase_add_test(tc, first_thread_ends);
	tcase_add_test(tc, process_number_again);
	tcase_add_test(tc, replaced_process_stays_counted);
	tcase_add_test(tc, unlisted_process_is_still_the_same);
	tcase_add_test(tc, unreadable_file_changes_nothing);
	tcase_add_test(tc, counters_never_go_back);
	tcase_add_test(tc, process_named_twice_counts_once);
	tcase_add_test(tc, processes_over_the_limit_are_told);
	tcase_add_test(tc, threads_over_the_limit_are_told);
	tcase_add_test(tc, root_longer_than_the_limit_is_refused);
}

void
tests_add(TCase *tc)
{
	add_usage(tc);
	add_tasks(tests_case("tree"));
}
