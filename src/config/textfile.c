/* SPDX-License-Identifier: BSD-2-Clause */
#include "config/textfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
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

/* Is FD a regular file, and one that not anybody can write if TRUSTED? Returns 0 or -errno. */
static int
check_kind(int fd, bool trusted)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	return trusted && (st.st_mode & S_IWOTH) != 0 ? -EPERM : 0;
}

static int
read_file(const char *path, bool trusted, char **text, size_t *len)
{
	/* Opening a pipe could block; a terminal could become our controlling one. */
	int fd =
	    open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | (trusted ? O_NOFOLLOW : 0));
	int rc = fd < 0 ? -errno : check_kind(fd, trusted);

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
	/* Many files may be in memory at a time. */
	*text = realloc(buf, (size_t)n + 1);
	if (*text == NULL)
		*text = buf;
	*len = (size_t)n;
	return 0;
}

int
textfile_read(const char *path, char **text, size_t *len)
{
	return read_file(path, false, text, len);
}

int
textfile_read_trusted(const char *path, char **text, size_t *len)
{
	return read_file(path, true, text, len);
}

const char *
textfile_strerror(int rc)
{
	switch (-rc) {
	case EFBIG:
		return "larger than 64 MiB";
	case EINVAL:
		return "not a regular file";
	case ELOOP:
		return "a symbolic link, which is not followed";
	case EPERM:
		return "anybody can write it (chmod o-w)";
	default:
		return strerror(-rc);
	}
}
