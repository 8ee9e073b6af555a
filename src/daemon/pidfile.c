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

int
pidfile_open(struct pidfile *p, const char *path)
{
	char text[16];
	struct stat st;
	int fd =
	    open(path, O_RDWR | O_CREAT | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | O_NOFOLLOW, 0644);

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
		close(fd);
		return -EINVAL;
	}
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
	*p = (struct pidfile){ .fd = fd, .digits = (size_t)n - 1, .line_ends = 1 };
	snprintf(p->path, sizeof(p->path), "%s", path);
	return 0;
}

void
pidfile_tell(struct pidfile *p, bool done)
{
	size_t least = done ? 1 : 3;
	size_t n = p->line_ends == least ? least + 1 : least;
	ssize_t written = 0;

	if (p->fd < 0)
		return;
	/* One system call, so that no reader sees a number of line ends between the two. */
	if (n > p->line_ends)
		written =
		    pwrite(p->fd, "\n\n\n", n - p->line_ends, (off_t)(p->digits + p->line_ends));
	else
		written = ftruncate(p->fd, (off_t)(p->digits + n));
	if (written >= 0)
		p->line_ends = n;
}

void
pidfile_close(struct pidfile *p)
{
	if (p->fd < 0)
		return;
	/* If neither is permitted the old number stays; without the lock it means nothing. */
	if (ftruncate(p->fd, 0) == 0)
		(void)unlink(p->path);
	close(p->fd);
	p->fd = -1;
}
