/* SPDX-License-Identifier: BSD-2-Clause */
#include "daemon/background.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/* Wait until the daemon CHILD writes to the pipe FD or ends, and exit with 0 or with its code. */
static _Noreturn void
wait_and_exit(int fd, pid_t child)
{
	char word;
	ssize_t n;
	int status;

	do
		n = read(fd, &word, 1);
	while (n < 0 && errno == EINTR);
	if (n == 1)
		_exit(EXIT_SUCCESS);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		continue;
	_exit(WIFEXITED(status) && WEXITSTATUS(status) != 0 ? WEXITSTATUS(status) : 3);
}

void
background_fill(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

int
background_fork(struct background *b)
{
	int fds[2];
	pid_t child;

	if (pipe2(fds, O_CLOEXEC) != 0)
		return -errno;
	child = fork();
	if (child < 0) {
		int rc = -errno;

		close(fds[0]);
		close(fds[1]);
		return rc;
	}
	if (child > 0) {
		close(fds[1]);
		wait_and_exit(fds[0], child);
	}
	close(fds[0]);
	b->fd = fds[1];
	b->null = open("/dev/null", O_RDWR | O_CLOEXEC);
	(void)setsid(); /* cannot fail: a new process leads no group */
	return 0;
}

/* Redirect standard input, output and error away from the terminal. */
static void
leave_terminal(int null, bool keep_stderr)
{
	(void)dup2(null, STDIN_FILENO);
	(void)dup2(null, STDOUT_FILENO);
	if (!keep_stderr)
		(void)dup2(null, STDERR_FILENO);
	if (null > STDERR_FILENO)
		close(null);
}

void
background_ready(struct background *b, bool keep_stderr)
{
	if (b->fd < 0)
		return;
	if (b->null >= 0)
		leave_terminal(b->null, keep_stderr);
	/* A failure means that the waiting process was killed, which does not matter. */
	if (write(b->fd, "r", 1) != 1)
		errno = 0;
	close(b->fd);
	b->fd = -1;
}
