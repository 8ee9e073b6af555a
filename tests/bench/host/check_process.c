/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs that are started: what they say, how they end, that they do. */

#include "bench/host/process.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "support/scratch.h"
#include "support/tests.h"

/* --- shell ------------------------------------------------------------------------------------ */

/* The user's command: its end, its faults, its time, and what it leaves behind. */

static char error[BENCH_PROCESS_ERROR];
static atomic_bool stop;

static bool
run(const char *command, double limit)
{
	stop = false;
	error[0] = '\0';
	return bench_process_shell(command, limit, &stop, error);
}

START_TEST(exit_code_and_signal_are_told)
{
	ck_assert_msg(run("exit 0", 100), "%s", error);
	ck_assert(!run("exit 3", 100));
	ck_assert_ptr_nonnull(strstr(error, "exit code 3"));
	ck_assert(!run("kill -9 $$", 100));
	ck_assert_ptr_nonnull(strstr(error, "signal 9"));
	ck_assert(!run("/nowhere/at/all 2>/dev/null", 100));
	ck_assert_ptr_nonnull(strstr(error, "exit code 127"));
}
END_TEST

/* It is the shell's: pipes, variables, several commands. */
START_TEST(command_may_use_pipes_and_variables)
{
	ck_assert_msg(run("a=1; echo $a | grep -q 1 && test $a = 1", 100), "%s", error);
}
END_TEST

static bool
is_empty(const char *path)
{
	struct stat st;

	ck_assert_int_eq(stat(path, &st), 0);
	return st.st_size == 0;
}

/* What does not end is killed, children too. */
START_TEST(endless_command_is_killed_with_its_children)
{
	char path[SCRATCH_PATH], command[200];

	(void)close(scratch_file(path));
	(void)snprintf(command, sizeof(command), "sleep 600 & echo $! >%s; wait", path);
	uint64_t begin_ns = clock_now_ns();
	ck_assert(!run(command, 0.2));
	ck_assert_uint_lt(clock_now_ns() - begin_ns, 100 * NS_PER_SEC);
	ck_assert_ptr_nonnull(strstr(error, "more than 0.2 s"));
	for (double limit = 1; is_empty(path) && limit < 30; limit *= 4)
		ck_assert(!run(command, limit)); /* on a busy machine */
	ck_assert(!is_empty(path));
	/* The child is gone, or a zombie of init. */
	(void)snprintf(command, sizeof(command),
	    "for i in $(seq 200); do"
	    " grep -sq 'State:.[RS]' /proc/$(cat %s)/status || exit 0; sleep 0.2; done; exit 1",
	    path);
	ck_assert_msg(run(command, 100), "%s", error);
	(void)unlink(path);
}
END_TEST

START_TEST(stop_interrupts_the_command)
{
	stop = true;
	uint64_t begin_ns = clock_now_ns();
	ck_assert(!bench_process_shell("sleep 60", 60, &stop, error));
	ck_assert_uint_lt(clock_now_ns() - begin_ns, 30 * NS_PER_SEC);
	ck_assert_ptr_nonnull(strstr(error, "interrupted"));
}
END_TEST

/* All signals are blocked here; a server that it starts must be able to get them. */
START_TEST(server_it_starts_gets_all_signals)
{
	sigset_t all, before;

	(void)sigfillset(&all);
	ck_assert_int_eq(sigprocmask(SIG_BLOCK, &all, &before), 0);
	bool good = run("grep -q 'SigBlk:[[:blank:]]*0*$' /proc/self/status", 100);
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
	ck_assert_msg(good, "%s", error);
}
END_TEST

/* What it leaves in the background goes on: that is the server. */
START_TEST(leaves_a_server)
{
	char path[SCRATCH_PATH], command[200];

	(void)close(scratch_file(path));
	(void)snprintf(command, sizeof(command), "sleep 60 & echo $! >%s", path);
	ck_assert_msg(run(command, 100), "%s", error);
	(void)snprintf(command, sizeof(command), "kill $(cat %s)", path);
	ck_assert_msg(run(command, 100), "%s", error);
	(void)unlink(path);
}
END_TEST

static void
add_shell(TCase *tc)
{
	tcase_add_test(tc, exit_code_and_signal_are_told);
	tcase_add_test(tc, command_may_use_pipes_and_variables);
	tcase_add_test(tc, endless_command_is_killed_with_its_children);
	tcase_add_test(tc, stop_interrupts_the_command);
	tcase_add_test(tc, server_it_starts_gets_all_signals);
	tcase_add_test(tc, leaves_a_server);
	tcase_set_timeout(tc, 300);
}

void
tests_add(TCase *tc)
{
	add_shell(tc);
}
