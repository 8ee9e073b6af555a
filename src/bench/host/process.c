/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/host/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

#define LOOK_NS (5 * NS_PER_MS) /* between two checks whether it has ended */
#define NOT_STARTED 126         /* the exit code of a shell that cannot execute something */

/*
 * Start the shell in a group of its own, so that all can be killed; no signal is blocked or ignored
 * there. What it prints goes to standard error, as ours is for results. -1: it cannot be started.
 */
static pid_t
start(const char *command)
{
	pid_t pid = fork();

	if (pid != 0) {
		if (pid > 0)
			(void)setpgid(pid, pid); /* whoever of the two is first */
		return pid;
	}
	sigset_t none;
	(void)sigemptyset(&none);
	for (int sig = 1; sig < NSIG; sig++)
		(void)signal(sig, SIG_DFL);
	(void)setpgid(0, 0);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	int null = open("/dev/null", O_RDONLY);
	if (null >= 0 && dup2(null, STDIN_FILENO) >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0)
		(void)execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(NOT_STARTED);
}

/* Wait until the process ends, for GIVE_UP_NS or *stop. Did it end? */
static bool
wait_for(pid_t pid, uint64_t give_up_ns, const atomic_bool *stop, int *status)
{
	static const struct timespec look = { .tv_nsec = LOOK_NS };
	pid_t done;

	while ((done = waitpid(pid, status, WNOHANG)) == 0 || (done < 0 && errno == EINTR)) {
		if (*stop || clock_now_ns() >= give_up_ns)
			return false;
		(void)nanosleep(&look, NULL);
	}
	return true;
}

static bool
judge(int status, char error[static BENCH_PROCESS_ERROR])
{
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return true;
	if (WIFEXITED(status))
		(void)snprintf(
		    error, BENCH_PROCESS_ERROR, "it ended with exit code %d", WEXITSTATUS(status));
	else
		(void)snprintf(
		    error, BENCH_PROCESS_ERROR, "it was ended by signal %d", WTERMSIG(status));
	return false;
}

bool
bench_process_shell(const char *command, double limit, const atomic_bool *stop,
    char error[static BENCH_PROCESS_ERROR])
{
	uint64_t give_up_ns = clock_now_ns() + (uint64_t)(limit * (double)NS_PER_SEC);
	pid_t pid = start(command);
	int status = 0;

	if (pid < 0) {
		(void)snprintf(
		    error, BENCH_PROCESS_ERROR, "it cannot be started: %s", strerror(errno));
		return false;
	}
	if (wait_for(pid, give_up_ns, stop, &status))
		return judge(status, error);
	(void)kill(-pid, SIGKILL);
	(void)waitpid(pid, &status, 0);
	if (*stop)
		(void)snprintf(error, BENCH_PROCESS_ERROR, "it was interrupted");
	else
		(void)snprintf(
		    error, BENCH_PROCESS_ERROR, "it took more than %g s and was killed", limit);
	return false;
}
