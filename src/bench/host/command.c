/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/host/command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "bench/host/spawn.h"

#define END_POLL_MS 5 /* between two checks whether a silent program has ended */

/* Read what the program writes. False if it was silent for WAIT_MS; *fd becomes -1 at the end. */
static bool
listen_to(int *fd, int wait_ms, struct bench_file *output)
{
	struct pollfd p = { .fd = *fd, .events = POLLIN };
	char beyond[512];
	size_t room = BENCH_FILE_MAX - output->len;
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
follow(pid_t pid, int fd, uint64_t deadline_ns, struct bench_file *output)
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
	while (output->len < BENCH_FILE_MAX && listen_to(&fd, 0, output))
		continue;
	if (!timely)
		return -ETIMEDOUT;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int
bench_command_run(char *const argv[], unsigned limit_ms, struct bench_file *output)
{
	uint64_t deadline_ns = clock_now_ns() + limit_ms * NS_PER_MS;
	pid_t pid;
	int pipes[2];

	if (pipe2(pipes, O_CLOEXEC) < 0)
		return -errno;
	const int fd[3] = { -1, pipes[1], pipes[1] };
	int r = bench_spawn(argv, fd, false, &pid);
	(void)close(pipes[1]);
	output->len = 0;
	r = r == 0 ? follow(pid, pipes[0], deadline_ns, output) : -r;
	output->text[output->len] = '\0';
	(void)close(pipes[0]);
	return r;
}
