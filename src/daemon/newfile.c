/* SPDX-License-Identifier: BSD-2-Clause */
#include "daemon/newfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/settings.h"

#define NEW_NAME (SETTINGS_PATH + sizeof(NEWFILE_SUFFIX))

static const char *
new_name(const char *path, char name[static NEW_NAME])
{
	snprintf(name, NEW_NAME, "%s" NEWFILE_SUFFIX, path);
	return name;
}

int
newfile_create(const char *path, mode_t mode)
{
	char name[NEW_NAME];
	int fd;

	if (unlink(new_name(path, name)) != 0 && errno != ENOENT)
		return -errno;
	fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
	return fd >= 0 ? fd : -errno;
}

int
newfile_write(int fd, const void *data, size_t n)
{
	const char *at = data;

	while (n > 0) {
		ssize_t done = write(fd, at, n);

		if (done < 0 && errno != EINTR)
			return -errno;
		if (done > 0) {
			at += done;
			n -= (size_t)done;
		}
	}
	return 0;
}

/* Sync the directory of PATH, so that the new name survives a crash; failures do not matter. */
static void
sync_directory(const char *path)
{
	char dir[SETTINGS_PATH];
	const char *end = strrchr(path, '/');
	int n = end == NULL ? 0 : (int)(end - path) + 1;

	snprintf(dir, sizeof(dir), "%.*s", n > 0 ? n : 1, n > 0 ? path : ".");
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return;
	(void)fsync(fd);
	close(fd);
}

/* Is the file NAME the one that is open as FD? */
static bool
is_ours(int fd, const char *name)
{
	struct stat open, there;

	return fstat(fd, &open) == 0 && lstat(name, &there) == 0 && open.st_dev == there.st_dev &&
	    open.st_ino == there.st_ino;
}

void
newfile_drop(const char *path, int fd)
{
	char name[NEW_NAME];

	if (is_ours(fd, new_name(path, name)))
		(void)unlink(name);
	close(fd);
}

int
newfile_swap(const char *path, int fd, int rc)
{
	char name[NEW_NAME];
	bool ours = is_ours(fd, new_name(path, name));

	if (rc == 0 && !ours)
		rc = -EBUSY;
	if (close(fd) != 0 && rc == 0)
		rc = -errno;
	if (rc == 0 && rename(name, path) != 0)
		rc = -errno;
	if (rc != 0 && ours)
		(void)unlink(name);
	return rc;
}

int
newfile_end(const char *path, int fd, int rc)
{
	if (rc == 0 && fsync(fd) != 0)
		rc = -errno;
	rc = newfile_swap(path, fd, rc);
	if (rc == 0)
		sync_directory(path);
	return rc;
}
