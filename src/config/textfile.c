/* SPDX-License-Identifier: BSD-2-Clause */
#include "config/textfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/ownfile.h"

/* Read FD, of which *N bytes are in BUF, until these are CAP. Returns 0, or -errno. */
static int
read_on(int fd, char *buf, size_t cap, size_t *n)
{
	while (*n < cap) {
		ssize_t got = read(fd, buf + *n, cap - *n);

		if (got == 0)
			break;
		if (got < 0 && errno != EINTR)
			return -errno;
		*n += got > 0 ? (size_t)got : 0;
	}
	return 0;
}

/*
 * Read FD to its end, which its SIZE tells unless it grows, or the system makes it up as it is
 * read. Returns 0 or -errno.
 */
static int
read_all(int fd, size_t size, char **text, size_t *len)
{
	size_t cap = (size < TEXTFILE_MAX ? size : TEXTFILE_MAX) + 1;
	char *buf = NULL;
	size_t n = 0;
	int rc = 0;

	for (;;) {
		char *more = realloc(buf, cap + 1);

		rc = more == NULL ? -ENOMEM : read_on(fd, more, cap, &n);
		buf = more == NULL ? buf : more;
		if (rc != 0 || n < cap || cap > TEXTFILE_MAX)
			break;
		cap = TEXTFILE_MAX + 1;
	}
	if (rc == 0 && n > TEXTFILE_MAX)
		rc = -EFBIG;
	if (rc != 0) {
		free(buf);
		return rc;
	}
	buf[n] = '\0';
	*text = buf;
	*len = n;
	return 0;
}

/*
 * Is FD a regular file, of *SIZE bytes, and one that not anybody can write if TRUSTED? Returns 0 or
 * -errno.
 */
static int
check_kind(int fd, bool trusted, size_t *size)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	*size = (size_t)st.st_size;
	return trusted && (st.st_mode & S_IWOTH) != 0 ? -EPERM : 0;
}

static int
read_file(const char *path, bool trusted, char **text, size_t *len)
{
	/* Opening a pipe could block; a terminal could become our controlling one. */
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	size_t size = 0;
	int rc = fd < 0 ? -errno : check_kind(fd, trusted, &size);

	if (rc == 0)
		rc = read_all(fd, size, text, len);
	if (fd >= 0)
		close(fd);
	return rc;
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

int
textfile_read_own(const char *path, uid_t user, char **text, size_t *len)
{
	int fd = ownfile_open(path, user), rc;
	size_t size;

	if (fd < 0)
		return fd;
	rc = check_kind(fd, false, &size);
	if (rc == 0)
		rc = read_all(fd, size, text, len);
	close(fd);
	return rc;
}

const char *
textfile_strerror(int rc)
{
	switch (-rc) {
	case EFBIG:
		return "larger than 64 MiB";
	case EINVAL:
		return "not a regular file";
	case EPERM:
		return "anybody can write it (chmod o-w)";
	default:
		return strerror(-rc);
	}
}
