/* SPDX-License-Identifier: BSD-2-Clause */
#include "config/textfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Read FD to its end, CAP bytes at most. Returns how many, or -errno. */
static ssize_t
read_all(int fd, char *buf, size_t cap)
{
	size_t n = 0;

	while (n < cap) {
		ssize_t got = read(fd, buf + n, cap - n);

		if (got == 0)
			break;
		if (got < 0 && errno != EINTR)
			return -errno;
		n += got > 0 ? (size_t)got : 0;
	}
	return (ssize_t)n;
}

/* Is FD a regular file? Returns 0 or -errno. */
static int
check_kind(int fd)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	return S_ISREG(st.st_mode) ? 0 : -EINVAL;
}

int
textfile_read(const char *path, char **text, size_t *len)
{
	/* Opening a pipe could block; a terminal could become our controlling one. */
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	int rc = fd < 0 ? -errno : check_kind(fd);

	if (rc != 0) {
		if (fd >= 0)
			close(fd);
		return rc;
	}
	char *buf = malloc(TEXTFILE_MAX + 1);
	ssize_t n = buf == NULL ? -ENOMEM : read_all(fd, buf, TEXTFILE_MAX + 1);

	close(fd);
	if (n < 0 || n > TEXTFILE_MAX) {
		free(buf);
		return n < 0 ? (int)n : -EFBIG;
	}
	buf[n] = '\0';
	*text = buf;
	*len = (size_t)n;
	return 0;
}

const char *
textfile_strerror(int rc)
{
	switch (-rc) {
	case EFBIG:
		return "larger than 64 MiB";
	case EINVAL:
		return "not a regular file";
	default:
		return strerror(-rc);
	}
}
