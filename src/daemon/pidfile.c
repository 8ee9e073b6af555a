/* SPDX-License-Identifier: BSD-2-Clause */
#include "daemon/pidfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/number.h"

#define USUAL_NAME "/dns64d.pid"

/* A prefix such as /usr/local seldom has a directory of its own for run-time files. */
const char *
pidfile_usual(void)
{
	static const char configured[] = RUNSTATEDIR USUAL_NAME, common[] = "/run" USUAL_NAME;

	return access(RUNSTATEDIR, F_OK) == 0 ? configured : common;
}

const char *
pidfile_path(const struct settings *s, bool foreground)
{
	if (strcmp(s->pidfile, "auto") == 0)
		return foreground ? NULL : pidfile_usual();
	return s->pidfile[0] == '/' ? s->pidfile : NULL;
}

/* Read the process ID from the file. Returns -EWOULDBLOCK if there is none. */
static int
holder(int fd)
{
	char text[16] = "";
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);
	uint64_t pid;

	if (n <= 0 || number_prefix(text, (size_t)n, INT_MAX, &pid) == 0 || pid == 0)
		return -EWOULDBLOCK;
	return (int)pid;
}

/* Write our process ID through FD, to an empty file. Returns 0 or -errno. */
static int
write_number(int fd)
{
	char text[16];
	int n = snprintf(text, sizeof(text), "%ld\n", (long)getpid());

	errno = 0;
	if (ftruncate(fd, 0) == 0 && pwrite(fd, text, (size_t)n, 0) == n)
		return 0;
	return errno != 0 ? -errno : -EIO;
}

/* Is the file that is open at FD the one at PATH? */
static bool
is_at(int fd, const char *path)
{
	struct stat open_one, there;

	return fstat(fd, &open_one) == 0 && lstat(path, &there) == 0 &&
	    open_one.st_dev == there.st_dev && open_one.st_ino == there.st_ino;
}

/*
 * A second descriptor, to write, of the file that is open at FD: what is at PATH may be another one
 * by now, and is left alone then. -errno if there is none.
 */
static int
open_to_write(int fd, const char *path)
{
	int write_fd = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | O_NOFOLLOW);

	if (write_fd < 0)
		return -errno;
	if (is_at(write_fd, path) && is_at(fd, path))
		return write_fd;
	close(write_fd);
	return -EAGAIN;
}

/* Lock the file at FD, and write to it. Returns as pidfile_open. */
static int
take(struct pidfile *p, int fd, const char *path)
{
	struct stat st;
	int write_fd, rc;

	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
		return -EINVAL;
	if (flock(fd, LOCK_EX | LOCK_NB) != 0)
		return errno == EWOULDBLOCK ? holder(fd) : -errno;
	write_fd = open_to_write(fd, path);
	if (write_fd < 0)
		return write_fd;
	rc = write_number(write_fd);
	if (rc != 0) {
		close(write_fd);
		return rc;
	}
	*p = (struct pidfile){ .fd = fd, .write_fd = write_fd };
	snprintf(p->path, sizeof(p->path), "%s", path);
	return 0;
}

int
pidfile_open(struct pidfile *p, const char *path)
{
	int fd =
	    open(path, O_RDONLY | O_CREAT | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | O_NOFOLLOW, 0644);
	int rc;

	if (fd < 0)
		return -errno;
	rc = take(p, fd, path);
	if (rc != 0)
		close(fd);
	return rc;
}

void
pidfile_settle(struct pidfile *p)
{
	if (p->fd < 0 || p->write_fd < 0)
		return;
	close(p->write_fd);
	p->write_fd = -1;
}

void
pidfile_close(struct pidfile *p)
{
	if (p->fd < 0)
		return;
	bool ours = p->write_fd < 0 || ftruncate(p->write_fd, 0) == 0;
	pidfile_settle(p);
	/* If that is not permitted the number stays; without the lock it means nothing. */
	if (ours && is_at(p->fd, p->path))
		(void)unlink(p->path);
	close(p->fd);
	p->fd = -1;
}
