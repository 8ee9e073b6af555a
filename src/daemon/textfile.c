/* SPDX-License-Identifier: BSD-2-Clause */
#include "daemon/textfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
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

int
textfile_read(const char *path, char **text, size_t *len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
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
