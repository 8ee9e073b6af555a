/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs that are run: what they say, how they end, that they do. */

#include "bench/host/command.h"

#include <check.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

static struct bench_file output;

/* TEXT in a shell, within LIMIT_MS. */
static int
shell(const char *text, unsigned limit_ms)
{
	char sh[] = "sh", c[] = "-c", script[256];
	char *argv[] = { sh, c, script, NULL };

	ck_assert_uint_lt(strlen(text), sizeof(script));
	memcpy(script, text, strlen(text) + 1);
	return bench_command_run(argv, limit_ms, &output);
}

START_TEST(output_of_both_streams_is_kept)
{
	ck_assert_int_eq(shell("echo one; echo two >&2; sleep 0.05; echo three", 100000), 0);
	ck_assert_str_eq(output.text, "one\ntwo\nthree\n");
	ck_assert_uint_eq(output.len, 14);
	ck_assert_int_eq(shell(":", 100000), 0);
	ck_assert_str_eq(output.text, "");
}
END_TEST

START_TEST(words_are_not_expanded)
{
	char echo[] = "echo", word[] = "$HOME; *";
	char *argv[] = { echo, word, NULL };

	ck_assert_int_eq(bench_command_run(argv, 10000, &output), 0);
	ck_assert_str_eq(output.text, "$HOME; *\n");
}
END_TEST

START_TEST(exit_code_and_signal_are_returned)
{
	char none[] = "/no-such-directory/program";
	char *argv[] = { none, NULL };

	ck_assert_int_eq(shell("echo why; exit 3", 100000), 3);
	ck_assert_str_eq(output.text, "why\n");
	ck_assert_int_eq(shell("kill -TERM $$", 100000), 128 + SIGTERM);
	int r = bench_command_run(argv, 10000, &output);
	ck_assert(r == -ENOENT || r == 127); /* see bench_spawn */
	ck_assert_str_eq(output.text, "");
}
END_TEST

START_TEST(command_has_no_input)
{
	ck_assert_int_eq(shell("cat; echo done", 100000), 0);
	ck_assert_str_eq(output.text, "done\n");
}
END_TEST

START_TEST(long_output_is_cut_at_the_limit)
{
	ck_assert_int_eq(shell("head -c 300000 /dev/zero | tr '\\0' x; exit 4", 100000), 4);
	ck_assert_uint_eq(output.len, BENCH_FILE_MAX);
	ck_assert_uint_eq(strspn(output.text, "x"), BENCH_FILE_MAX);
}
END_TEST

START_TEST(endless_command_is_killed_in_time)
{
	uint64_t begin_ns = clock_now_ns();
	unsigned limit_ms = 200;

	/* A busy machine may need longer even to begin. */
	do {
		ck_assert_int_eq(shell("echo before; exec sleep 300", limit_ms), -ETIMEDOUT);
		limit_ms *= 4;
	} while (output.len == 0 && limit_ms < 60000);
	ck_assert_str_eq(output.text, "before\n");
	ck_assert_int_eq(shell("exec >&- 2>&-; exec sleep 300", 100), -ETIMEDOUT);
	ck_assert_int_eq(shell("while :; do echo on and on; done", 100), -ETIMEDOUT);
	ck_assert_uint_lt(clock_now_ns() - begin_ns, 200 * NS_PER_SEC);
}
END_TEST

/* As a script that starts a daemon. */
START_TEST(what_it_leaves_running_is_not_waited_for)
{
	uint64_t begin_ns = clock_now_ns();

	ck_assert_int_eq(shell("sleep 200 & echo $!", 300000), 0);
	ck_assert_uint_lt(clock_now_ns() - begin_ns, 100 * NS_PER_SEC);
	pid_t other = (pid_t)strtol(output.text, NULL, 10);
	ck_assert_int_gt(other, 1);
	ck_assert_int_eq(kill(other, SIGKILL), 0); /* it is still there */
}
END_TEST

/* What we block and ignore is not for it. */
START_TEST(blocked_and_ignored_signals_are_reset)
{
	sigset_t set;

	ck_assert_int_eq(sigemptyset(&set), 0);
	ck_assert_int_eq(sigaddset(&set, SIGTERM), 0);
	ck_assert_int_eq(sigprocmask(SIG_BLOCK, &set, NULL), 0);
	ck_assert(signal(SIGUSR1, SIG_IGN) != SIG_ERR);
	ck_assert_int_eq(shell("kill -TERM $$; sleep 2", 100000), 128 + SIGTERM);
	ck_assert_int_eq(shell("kill -USR1 $$; sleep 2", 100000), 128 + SIGUSR1);
	ck_assert_int_eq(sigprocmask(SIG_UNBLOCK, &set, NULL), 0);
	ck_assert(signal(SIGUSR1, SIG_DFL) != SIG_ERR);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("bench_command");
	TCase *tc = tcase_create("command");

	tcase_add_test(tc, output_of_both_streams_is_kept);
	tcase_add_test(tc, words_are_not_expanded);
	tcase_add_test(tc, exit_code_and_signal_are_returned);
	tcase_add_test(tc, command_has_no_input);
	tcase_add_test(tc, long_output_is_cut_at_the_limit);
	tcase_add_test(tc, endless_command_is_killed_in_time);
	tcase_add_test(tc, what_it_leaves_running_is_not_waited_for);
	tcase_add_test(tc, blocked_and_ignored_signals_are_reset);
	tcase_set_timeout(tc, 300);
	suite_add_tcase(s, tc);

	SRunner *sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	int failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
