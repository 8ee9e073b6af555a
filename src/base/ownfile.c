/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/ownfile.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Returns 0 or -errno. */
static int
judge(int fd, uid_t user)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	if (st.st_uid != user && st.st_uid != 0)
		return -EPERM;
	return (st.st_mode & (S_IWGRP | S_IWOTH)) != 0 ? -EPERM : 0;
}

int
ownfile_open(const char *path, uid_t user)
{
	/* Opening a pipe could block; a link could make us read what its owner may not read. */
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | O_NOFOLLOW);
	int rc = fd < 0 ? -errno : judge(fd, user);

	if (rc == 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return rc;
}

const char *
ownfile_strerror(int rc)
{
	switch (-rc) {
	case EINVAL:
		return "not a regular file";
	case ELOOP:
		return "a symbolic link, which is not followed";
	case EPERM:
		return "it must belong to the daemon's user or root, and nobody else may be able "
		       "to write it (chown, chmod go-w)";
	default:
		return strerror(-rc);
	}
}
