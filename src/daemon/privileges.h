/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DAEMON_PRIVILEGES_H
#define DNS64D_DAEMON_PRIVILEGES_H

/*
 * privileges: become the configured user and group, and keep only the capabilities that are needed.
 *
 * The main thread keeps CAP_NET_BIND_SERVICE for its whole life, so that a reload can open a
 * listener on port 53. CAP_NET_ADMIN is kept only until the listeners of the start are open,
 * for their receive buffers (SO_RCVBUFFORCE); listeners that a reload adds, and sockets towards
 * upstreams, get what net.core.rmem_max permits. Loop threads, the only ones that see packets,
 * have no capability.
 *
 * Order: privileges_resolve before privileges_chroot, as account names are in /etc; privileges_drop
 * after it.
 */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/attr.h"

#define PRIVILEGES_GROUPS 64 /* supplementary groups kept at most */

/* The user and groups to become. */
struct privileges {
	bool change_uid; /* uid is not the present user */
	bool change_gid; /* gid is not the present group */
	uid_t uid;
	gid_t gid;
	int n_groups; /* the user's supplementary groups */
	gid_t groups[PRIVILEGES_GROUPS];
	const char *usual; /* the account found for "auto", a constant; NULL: none was needed */
	bool shared;       /* it is nobody, whose account other programs have, too */
	bool stuck;        /* "auto", but this root lacks the capabilities to become another user */
};

/* Room for an error text of this unit, with the final zero. */
#define PRIVILEGES_TEXT 256

/* What is wrong with the user's and the group's name; an empty text: nothing. */
struct privileges_wrong {
	char user[PRIVILEGES_TEXT];
	char group[PRIVILEGES_TEXT];
};

/*
 * privileges_find: look up USER and GROUP, each a name or a number, or "none" for no change. USER
 * "auto" means no change either, except that root becomes the first of _dns64d, dns64d and nobody
 * that exists. *P is filled as far as they were found. False if one does not exist: *WRONG has the
 * reasons.
 */
MUST_USE bool privileges_find(
    const char *user, const char *group, struct privileges *p, struct privileges_wrong *wrong);

/* privileges_group: look up the group NAME, a name or a number. False: there is none. */
MUST_USE bool privileges_group(const char *name, gid_t *gid);

/*
 * privileges_resolve: look up USER and GROUP as privileges_find does. Also false, with the reason
 * in *WRONG, if this process is not root and so cannot become them.
 */
MUST_USE bool privileges_resolve(
    const char *user, const char *group, struct privileges *p, struct privileges_wrong *wrong);

/*
 * privileges_chroot: make DIR the root directory and the working directory of the process. Returns
 * 0 or -errno.
 */
MUST_USE int privileges_chroot(const char *dir);

/*
 * privileges_drop: become the user and groups of P; keep CAP_NET_BIND_SERVICE and CAP_NET_ADMIN as
 * far as the process has them, and no other capability; set no_new_privs. False if that failed:
 * ERROR has the reason.
 */
MUST_USE bool privileges_drop(const struct privileges *p, char error[static PRIVILEGES_TEXT]);

/*
 * privileges_settle: give up all capabilities of the calling thread but CAP_NET_BIND_SERVICE, once
 * the listeners are open. Returns 0 or -EPERM.
 */
MUST_USE int privileges_settle(void);

/*
 * privileges_thread: give up all capabilities of the calling thread; but CAP_NET_BIND_SERVICE stays
 * where a filter of system calls forbids that, and it has no other. Returns 0 or -EPERM.
 */
MUST_USE int privileges_thread(void);

#endif
