/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DAEMON_PRECHECK_H
#define DNS64D_DAEMON_PRECHECK_H

/*
 * precheck: find what would make a start fail on this machine although the configuration is right:
 * accounts, the chroot, the pidfile, the control socket, the cache's file, addresses; and the query
 * log's file, without which it would serve.
 *
 * Nothing is changed. Files are judged as the user that the daemon would become: root forks a child
 * process that becomes this user and looks. Other users judge with their own permissions; if only
 * root could start the daemon, they judge whether files exist, but not permissions.
 */

#include "base/attr.h"
#include "config/diag.h"
#include "config/options.h"
#include "config/settings.h"
#include "daemon/privileges.h"

/* precheck_user: the user that a daemon with the settings S becomes; that of now if there is none.
 */
uid_t precheck_user(const struct settings *s);

/*
 * precheck_start: a check for load_settings at a start: find the accounts that S names. PRIVILEGES
 * points to a struct privileges, which is filled. D gets an error for an account that does not
 * exist or that this process cannot become.
 */
void precheck_start(
    const struct settings *s, const struct options *o, void *privileges, struct diag *d);

/*
 * precheck_all: a check for load_settings with -t; UNUSED is not used. Checks accounts, as
 * precheck_start does (but a change that only root can make is no error), and everything else that
 * a start needs. D gets an error for a file or directory that cannot be used, and a warning for an
 * address that the machine does not have.
 */
void precheck_all(const struct settings *s, const struct options *o, void *unused, struct diag *d);

/*
 * precheck_file: test whether this process, as it is now, can read and replace the file at
 * PATH, which need not exist. Returns 0 or -errno, as ownfile_open.
 */
MUST_USE int precheck_file(const char *path);

/*
 * precheck_tell: warn in the log if this process cannot read and replace the file at PATH, of
 * KEYWORD. NULL or a word: there is none.
 */
void precheck_tell(const char *keyword, const char *path);

/*
 * precheck_tell_included: warn in the log if this process cannot read a file that the configuration
 * includes, or a directory in which it looks for such: a reload would fail.
 */
void precheck_tell_included(const struct places *p);

/*
 * precheck_strerror: the text for RC, an -errno of opening a file. Valid until the next call.
 */
const char *precheck_strerror(int rc);

#endif
