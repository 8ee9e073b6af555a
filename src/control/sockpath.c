/* SPDX-License-Identifier: BSD-2-Clause */
#include "control/sockpath.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define USUAL_NAME "/dns64d/control"
#define BACKLOG 64
#define LOCK_MS 1000 /* how long another start beside us is waited for */

_Static_assert(sizeof(((struct sockaddr_un *)NULL)->sun_path) == SOCKPATH_MAX + 1, "unix(7)");

/* A prefix such as /usr/local seldom has a directory of its own for run-time files. */
const char *
sockpath_usual(void)
{
	static const char configured[] = RUNSTATEDIR USUAL_NAME, common[] = "/run" USUAL_NAME;

	return access(RUNSTATEDIR, F_OK) == 0 ? configured : common;
}

/* Write the directory of PATH to DIR. */
static const char *
directory(const char *path, char dir[static SOCKPATH_MAX + 1])
{
	const char *slash = strrchr(path, '/');
	int n = slash == path ? 1 : slash == NULL ? 0 : (int)(slash - path);

	snprintf(dir, SOCKPATH_MAX + 1, "%.*s", slash == NULL ? 1 : n, slash == NULL ? "." : path);
	return dir;
}

static void
address(const char *path, struct sockaddr_un *a)
{
	*a = (struct sockaddr_un){ .sun_family = AF_UNIX };
	memcpy(a->sun_path, path, strlen(path));
}

/* Returns -ECONNREFUSED if nobody listens at A, 0 if somebody answers, or another -errno. */
static int
call(const struct sockaddr_un *a)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), rc = 0;

	if (fd < 0)
		return -errno;
	if (connect(fd, (const struct sockaddr *)a, sizeof(*a)) != 0)
		rc = -errno;
	close(fd);
	return rc;
}

/* Returns 0 if PATH is free, 1 if a dead socket is there that may be removed, or -errno. */
static int
look(const char *path, const struct sockpath_owner *o)
{
	struct sockaddr_un a;
	struct stat st;
	int rc;

	if (strlen(path) > SOCKPATH_MAX)
		return -ENAMETOOLONG;
	if (lstat(path, &st) != 0)
		return errno == ENOENT ? 0 : -errno;
	if (!S_ISSOCK(st.st_mode))
		return -EEXIST;
	address(path, &a);
	rc = call(&a);
	if (rc == -EACCES) /* whether anybody answers is not for this user to know */
		return rc;
	if (rc != -ECONNREFUSED)
		return -EADDRINUSE;
	return st.st_uid == 0 || st.st_uid == geteuid() || st.st_uid == o->uid ? 1 : -EEXIST;
}

/* Give what is at PATH, if it is a socket, to O, and remember in *S which file it is. */
static int
own(struct sockpath *s, const char *path, const struct sockpath_owner *o)
{
	/* By a descriptor, as in a directory of others the path may lead elsewhere by now. */
	int fd = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC), rc = 0;
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) != 0 || !S_ISSOCK(st.st_mode) || st.st_nlink != 1) {
		rc = -EEXIST;
	} else {
		s->dev = st.st_dev;
		s->ino = st.st_ino;
		if ((st.st_uid != o->uid || st.st_gid != o->gid) &&
		    fchownat(fd, "", o->uid, o->gid, AT_EMPTY_PATH) != 0)
			rc = -errno;
	}
	close(fd);
	return rc;
}

/* Bind FD to PATH and listen. Returns 0 or -errno. */
static int
bind_to(int fd, const char *path)
{
	struct sockaddr_un a;
	mode_t mask;
	int rc;

	address(path, &a);
	mask = umask(0117); /* so that the file never has another mode than 0660 */
	rc = bind(fd, (const struct sockaddr *)&a, sizeof(a));
	(void)umask(mask);
	return rc != 0 || listen(fd, BACKLOG) != 0 ? -errno : 0;
}

static int
make(struct sockpath *s, const char *path, const struct sockpath_owner *o)
{
	struct sockpath made = { .fd = -1 };
	int rc = look(path, o);

	if (rc < 0 || (rc == 1 && unlink(path) != 0))
		return rc < 0 ? rc : -errno;
	made.fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (made.fd < 0)
		return -errno;
	rc = bind_to(made.fd, path);
	if (rc != 0) {
		close(made.fd);
		return rc;
	}
	snprintf(made.path, sizeof(made.path), "%s", path);
	rc = own(&made, path, o);
	if (rc != 0)
		sockpath_close(&made);
	else
		*s = made;
	return rc;
}

/*
 * Lock the directory of PATH, so that of two starts at a time neither takes the other's fresh
 * socket for a dead one. Returns a descriptor to close; -1: it cannot be locked, and we go on
 * without.
 */
static int
lock_directory(const char *path)
{
	char dir[SOCKPATH_MAX + 1];
	int fd = open(directory(path, dir), O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	for (int ms = 0; fd >= 0 && ms < LOCK_MS && flock(fd, LOCK_EX | LOCK_NB) != 0; ms += 10)
		(void)poll(NULL, 0, 10);
	return fd;
}

int
sockpath_open(struct sockpath *s, const char *path, const struct sockpath_owner *o)
{
	int lock, rc;

	if (strlen(path) > SOCKPATH_MAX)
		return -ENAMETOOLONG;
	lock = lock_directory(path);
	rc = make(s, path, o);
	if (lock >= 0)
		close(lock);
	return rc;
}

int
sockpath_try(const char *path, const struct sockpath_owner *o)
{
	char dir[SOCKPATH_MAX + 1];
	int rc = look(path, o);

	/* Who answers may be the daemon that is to be replaced. */
	if (rc < 0)
		return rc == -EADDRINUSE ? 0 : rc;
	return faccessat(AT_FDCWD, directory(path, dir), W_OK | X_OK, AT_EACCESS) == 0 ? 0 : -errno;
}

const char *
sockpath_strerror(int rc)
{
	switch (-rc) {
	case EEXIST:
		return "something is there already that is no socket, or that of another user";
	case EADDRINUSE:
		return "somebody answers there already";
	case ENAMETOOLONG:
		return "the path is longer than 107 characters";
	default:
		return strerror(-rc);
	}
}

void
sockpath_close(struct sockpath *s)
{
	struct stat st;

	if (s->fd < 0)
		return;
	if (lstat(s->path, &st) == 0 && S_ISSOCK(st.st_mode) && st.st_dev == s->dev &&
	    st.st_ino == s->ino)
		(void)unlink(s->path);
	close(s->fd);
	s->fd = -1;
}
