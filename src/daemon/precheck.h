/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DAEMON_PRECHECK_H
#define DNS64D_DAEMON_PRECHECK_H

/*
 * precheck: what a start would stumble over on this machine and the file alone does not tell:
 * accounts, the chroot, the pidfile, the place of the cache's file, addresses.
 *
 * Nothing is changed for it. Places are judged as the user that the daemon becomes: root has a
 * child process become it and look. Others look as who they are, and where only root could start
 * the daemon they judge what is or is not there, but no permissions.
 */

#include "base/attr.h"
#include "config/diag.h"
#include "config/options.h"
#include "config/settings.h"
#include "daemon/privileges.h"

/*
 * precheck_start: a check for load_settings: whom to become, to *PRIVILEGES (a struct privileges);
 * an account that does not exist, or that we cannot become, is told to D.
 */
void precheck_start(
    const struct settings *s, const struct options *o, void *privileges, struct diag *d);

/*
 * precheck_all: the same for -t, without an argument, though what only root could do is no error;
 * and all else. A place that cannot be used is an error, an address that is not there yet a
 * warning.
 */
void precheck_all(const struct settings *s, const struct options *o, void *unused, struct diag *d);

/*
 * precheck_cachefile: can this process, as it is, read and replace the file at PATH? Returns 0 or
 * -errno: -ELOOP for a symbolic link, -EINVAL for what is no regular file.
 */
MUST_USE int precheck_cachefile(const char *path);

/* precheck_strerror: what is wrong with a file, for people. RC: -errno. */
const char *precheck_strerror(int rc);

#endif
