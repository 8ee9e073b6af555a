/* SPDX-License-Identifier: BSD-2-Clause */
#include "daemon/pidfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

/* The process ID in the file, or -EWOULDBLOCK if there is none. */
static int
holder(int fd)
{
	char text[16] = "";
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);
	long pid = n > 0 ? strtol(text, NULL, 10) : 0;

	return pid > 0 && pid <= INT_MAX ? (int)pid : -EWOULDBLOCK;
}

int
pidfile_open(struct pidfile *p, const char *path)
{
	char text[16];
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);

	if (fd < 0)
		return -errno;
	if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
		int rc = errno == EWOULDBLOCK ? holder(fd) : -errno;

		close(fd);
		return rc;
	}
	int n = snprintf(text, sizeof(text), "%ld\n", (long)getpid());
	if (ftruncate(fd, 0) != 0 || pwrite(fd, text, (size_t)n, 0) != n) {
		int rc = errno != 0 ? -errno : -EIO;

		close(fd);
		return rc;
	}
	p->fd = fd;
	snprintf(p->path, sizeof(p->path), "%s", path);
	return 0;
}

void
pidfile_close(struct pidfile *p)
{
	if (p->fd < 0)
		return;
	/* Where neither is permitted the old number stays, and means nothing without the lock. */
	if (ftruncate(p->fd, 0) == 0)
		(void)unlink(p->path);
	close(p->fd);
	p->fd = -1;
}
