/* SPDX-License-Identifier: BSD-2-Clause */
#include "daemon/controlsock.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "control/control.h"

bool
controlsock_owner(
    const struct settings *s, const struct privileges *p, struct sockpath_owner *owner)
{
	*owner = (struct sockpath_owner){ .uid = p->uid, .gid = p->gid };
	if (p->shared && geteuid() == 0)
		*owner = (struct sockpath_owner){ .uid = 0, .gid = 0 };
	return strcmp(s->control_group, "none") == 0 ||
	    privileges_group(s->control_group, &owner->gid);
}

/* The directory of the socket at PATH. */
static const char *
directory(const char *path, char dir[static SOCKPATH_MAX + 1])
{
	snprintf(dir, SOCKPATH_MAX + 1, "%.*s", (int)(strrchr(path, '/') - path), path);
	return dir;
}

/*
 * Make the usual directory, unless it is there. It belongs to the OWNER of the socket: if that is
 * the daemon, the socket can be removed at the end.
 */
static void
make_directory(const char *path, const struct sockpath_owner *owner)
{
	char dir[SOCKPATH_MAX + 1];

	if (mkdir(directory(path, dir), 0755) == 0 && lchown(dir, owner->uid, owner->gid) != 0)
		(void)rmdir(dir);
}

static bool
has_directory(const char *path)
{
	char dir[SOCKPATH_MAX + 1];

	return access(directory(path, dir), F_OK) == 0;
}

bool
controlsock_open(
    const struct settings *s, bool foreground, const struct privileges *p, struct sockpath *out)
{
	const char *path = control_path(s);
	bool usual = path != NULL && path != s->control_socket;
	struct sockpath_owner owner;
	int rc;

	*out = (struct sockpath){ .fd = -1 };
	if (path == NULL)
		return true;
	if (!controlsock_owner(s, p, &owner)) {
		log_error(LOG_SERVER, "control-group: '%s' does not exist", s->control_group);
		return false;
	}
	if (usual && !foreground)
		make_directory(path, &owner);
	if (usual && !has_directory(path))
		return true;
	rc = sockpath_open(out, path, &owner);
	if (rc == 0)
		return true;
	if (usual) {
		log_notice(LOG_SERVER, "no control socket, as %s cannot be used: %s", path,
		    sockpath_strerror(rc));
		return true;
	}
	log_error(LOG_SERVER, "control-socket %s: %s", path, sockpath_strerror(rc));
	return false;
}
