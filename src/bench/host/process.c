/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/host/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

static int
set_attributes(posix_spawnattr_t *attr, bool own_group)
{
	short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
	sigset_t none, all;

	(void)sigemptyset(&none);
	(void)sigfillset(&all);
	int err = posix_spawnattr_setsigmask(attr, &none);
	if (err == 0)
		err = posix_spawnattr_setsigdefault(attr, &all);
	if (err == 0 && own_group)
		err = posix_spawnattr_setpgroup(attr, 0);
	if (own_group)
		flags |= POSIX_SPAWN_SETPGROUP;
	return err == 0 ? posix_spawnattr_setflags(attr, flags) : err;
}

static int
set_files(posix_spawn_file_actions_t *files, const int fd[static 3])
{
	int err = 0;

	for (int i = 0; i < 3 && err == 0; i++) {
		if (fd[i] >= 0)
			err = posix_spawn_file_actions_adddup2(files, fd[i], i);
		else
			err = posix_spawn_file_actions_addopen(files, i, "/dev/null", O_RDWR, 0);
	}
	return err;
}

int
bench_process_start(char *const argv[], const int fd[static 3], bool own_group, pid_t *pid)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	int err = posix_spawn_file_actions_init(&files);

	if (err != 0)
		return err;
	err = posix_spawnattr_init(&attr);
	if (err == 0) {
		err = set_attributes(&attr, own_group);
		if (err == 0)
			err = set_files(&files, fd);
		if (err == 0)
			err = posix_spawnp(pid, argv[0], &files, &attr, argv, environ);
		(void)posix_spawnattr_destroy(&attr);
	}
	(void)posix_spawn_file_actions_destroy(&files);
	return err;
}

/* --- For what it prints ----------------------------------------------------------------------- */

#define END_POLL_MS 5 /* between two checks whether a silent program has ended */

/* Read what the program writes. False if it was silent for WAIT_MS; *fd becomes -1 at the end. */
static bool
listen_to(int *fd, int wait_ms, struct bench_output *output)
{
	struct pollfd p = { .fd = *fd, .events = POLLIN };
	char beyond[512];
	size_t room = BENCH_OUTPUT_MAX - output->len;
	char *to = room > 0 ? output->text + output->len : beyond;

	if (poll(&p, 1, wait_ms) <= 0)
		return false;
	ssize_t n = read(*fd, to, room > 0 ? room : sizeof(beyond));
	if (n == 0)
		*fd = -1;
	if (n > 0 && room > 0)
		output->len += (size_t)n;
	return n > 0;
}

/*
 * Until it has ended, which is not when it closes its output: that may be held open by what it has
 * started, or closed long before.
 */
static int
follow(pid_t pid, int fd, uint64_t deadline_ns, struct bench_output *output)
{
	bool timely = true;
	int status;

	for (;;) {
		timely = timely && clock_now_ns() < deadline_ns;
		if (!timely)
			(void)kill(pid, SIGKILL);
		pid_t r = waitpid(pid, &status, timely ? WNOHANG : 0);
		if (r == pid)
			break;
		if (r < 0 && errno != EINTR)
			return -errno;
		(void)listen_to(&fd, END_POLL_MS, output);
	}
	while (output->len < BENCH_OUTPUT_MAX && listen_to(&fd, 0, output))
		continue;
	if (!timely)
		return -ETIMEDOUT;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int
bench_process_run(char *const argv[], unsigned limit_ms, struct bench_output *output)
{
	uint64_t deadline_ns = clock_now_ns() + limit_ms * NS_PER_MS;
	pid_t pid;
	int pipes[2];

	if (pipe2(pipes, O_CLOEXEC) < 0)
		return -errno;
	const int fd[3] = { -1, pipes[1], pipes[1] };
	int r = bench_process_start(argv, fd, false, &pid);
	(void)close(pipes[1]);
	output->len = 0;
	r = r == 0 ? follow(pid, pipes[0], deadline_ns, output) : -r;
	output->text[output->len] = '\0';
	(void)close(pipes[0]);
	return r;
}

/* --- A command of the user -------------------------------------------------------------------- */

#define LOOK_NS (5 * NS_PER_MS) /* between two checks whether it has ended */

/* Start the shell; what it prints goes to standard error, as ours is for results. 0 or an errno. */
static int
start(const char *command, pid_t *pid)
{
	char shell[] = "/bin/sh", option[] = "-c";
	char *const argv[] = { shell, option, (char *)(uintptr_t)command, NULL };
	const int fd[3] = { -1, STDERR_FILENO, STDERR_FILENO };

	return bench_process_start(argv, fd, true, pid);
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
