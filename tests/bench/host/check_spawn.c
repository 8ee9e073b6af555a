/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/host/spawn.h"

#include <check.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* What the shell command WHAT writes, to OUT; its exit code. */
static int
shell(const char *what, bool own_group, char out[static 128])
{
	char sh[] = "sh", option[] = "-c", command[256];
	char *const argv[] = { sh, option, command, NULL };
	int pipes[2], status;
	size_t len = 0;
	ssize_t n;
	pid_t pid;

	(void)strcpy(command, what);
	ck_assert_int_eq(pipe(pipes), 0);
	const int fd[3] = { -1, pipes[1], pipes[1] };
	ck_assert_int_eq(bench_spawn(argv, fd, own_group, &pid), 0);
	(void)close(pipes[1]);
	while (len < 127 && (n = read(pipes[0], out + len, 127 - len)) > 0)
		len += (size_t)n;
	out[len] = '\0';
	(void)close(pipes[0]);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

START_TEST(output_and_status)
{
	char out[128];

	ck_assert_int_eq(shell("echo out; echo err >&2; exit 7", false, out), 7);
	ck_assert_str_eq(out, "out\nerr\n");
	ck_assert_int_eq(shell("cat; echo end", false, out), 0); /* nothing to read */
	ck_assert_str_eq(out, "end\n");
}
END_TEST

/* What is blocked and ignored here is neither there. */
START_TEST(blocked_and_ignored_signals_are_reset)
{
	char out[128];
	sigset_t all, before;

	(void)sigfillset(&all);
	(void)sigprocmask(SIG_BLOCK, &all, &before);
	(void)signal(SIGUSR1, SIG_IGN);
	ck_assert_int_eq(shell("kill -TERM $$; echo alive", false, out), 128 + SIGTERM);
	ck_assert_int_eq(shell("kill -USR1 $$; echo alive", false, out), 128 + SIGUSR1);
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
}
END_TEST

START_TEST(group_of_its_own_when_asked)
{
	char out[128];

	ck_assert_int_eq(shell("test $$ = $(ps -o pgid= -p $$)", true, out), 0);
	ck_assert_int_eq(shell("test $$ = $(ps -o pgid= -p $$)", false, out), 1);
}
END_TEST

START_TEST(missing_program_is_an_error)
{
	char name[] = "/no-such-directory/program";
	char *const argv[] = { name, NULL };
	const int fd[3] = { -1, -1, -1 };
	int status;
	pid_t pid;

	int err = bench_spawn(argv, fd, false, &pid);
	if (err ==
	    0) { /* a system that cannot tell (valgrind): POSIX has the process itself do so */
		ck_assert_int_eq(waitpid(pid, &status, 0), pid);
		ck_assert_int_eq(WEXITSTATUS(status), 127);
	} else {
		ck_assert_int_eq(err, ENOENT);
	}
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("bench_spawn");
	TCase *tc = tcase_create("bench_spawn");

	tcase_add_test(tc, output_and_status);
	tcase_add_test(tc, blocked_and_ignored_signals_are_reset);
	tcase_add_test(tc, group_of_its_own_when_asked);
	tcase_add_test(tc, missing_program_is_an_error);
	suite_add_tcase(s, tc);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
