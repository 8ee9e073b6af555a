/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/host/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

#define LOOK_NS (5 * NS_PER_MS) /* between two checks whether it has ended */

/* A group of its own, so that all can be killed; no signal is blocked or ignored there. */
static int
set_attributes(posix_spawnattr_t *attr)
{
	const short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP;
	sigset_t none, all;

	(void)sigemptyset(&none);
	(void)sigfillset(&all);
	int err = posix_spawnattr_setsigmask(attr, &none);
	if (err == 0)
		err = posix_spawnattr_setsigdefault(attr, &all);
	if (err == 0)
		err = posix_spawnattr_setpgroup(attr, 0);
	return err == 0 ? posix_spawnattr_setflags(attr, flags) : err;
}

/* Start the shell; what it prints goes to standard error, as ours is for results. 0 or an errno. */
static int
start(const char *command, pid_t *pid)
{
	char shell[] = "/bin/sh", option[] = "-c";
	char *const argv[] = { shell, option, (char *)(uintptr_t)command, NULL };
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;

	int err = posix_spawn_file_actions_init(&files);
	if (err != 0)
		return err;
	err = posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	if (err == 0)
		err = posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
	if (err == 0)
		err = posix_spawnattr_init(&attr);
	if (err == 0) {
		err = set_attributes(&attr);
		if (err == 0)
			err = posix_spawn(pid, shell, &files, &attr, argv, environ);
		(void)posix_spawnattr_destroy(&attr);
	}
	(void)posix_spawn_file_actions_destroy(&files);
	return err;
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
	int status = 0;
	pid_t pid;
	int err = start(command, &pid);

	if (err != 0) {
		(void)snprintf(
		    error, BENCH_PROCESS_ERROR, "it cannot be started: %s", strerror(err));
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
