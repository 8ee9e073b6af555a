/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DAEMON_PRIVILEGES_H
#define DNS64D_DAEMON_PRIVILEGES_H

/*
 * privileges: become who we shall be, with as little power as serves.
 *
 * The main thread keeps CAP_NET_BIND_SERVICE for its whole life, so that a reload can open a
 * listener on port 53. CAP_NET_ADMIN is kept only until the listeners of the start are open,
 * for their receive buffers (SO_RCVBUFFORCE); listeners that a reload adds, and sockets towards
 * upstreams, get what net.core.rmem_max permits. Loop threads, which alone see packets,
 * have no capability at all.
 *
 * Order: resolve before chroot, since names are in /etc; drop after it.
 */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/attr.h"

#define PRIVILEGES_GROUPS 64 /* supplementary groups kept at most */

struct privileges {
	bool change_uid; /* to uid; else we stay who we are */
	bool change_gid;
	uid_t uid;
	gid_t gid;
	int n_groups; /* supplementary ones of the user */
	gid_t groups[PRIVILEGES_GROUPS];
	const char *usual; /* the account that was found for "auto"; NULL: none was looked for */
	bool stuck;        /* root for "auto" that has not the power to become another */
};

/* Room for an error text of this module, with the final zero. */
#define PRIVILEGES_TEXT 256

/* What is wrong with either name; an empty text: nothing. */
struct privileges_wrong {
	char user[PRIVILEGES_TEXT];
	char group[PRIVILEGES_TEXT];
};

/*
 * privileges_find: find USER and GROUP, names or numbers, "none" for no change. USER "auto": no
 * change, but root becomes dns64d, or nobody if there is no such account. False with the reasons in
 * WRONG if one does not exist; *p is what was found all the same.
 */
MUST_USE bool privileges_find(
    const char *user, const char *group, struct privileges *p, struct privileges_wrong *wrong);

/* privileges_resolve: the same, and false if we may not become it. */
MUST_USE bool privileges_resolve(
    const char *user, const char *group, struct privileges *p, struct privileges_wrong *wrong);

/* privileges_chroot: lock the process into DIR. Returns 0 or -errno. */
MUST_USE int privileges_chroot(const char *dir);

/*
 * privileges_drop: become P, keep the capabilities of the start (those of them that we have), and
 * never gain any more. False with the reason in ERROR.
 */
MUST_USE bool privileges_drop(const struct privileges *p, char error[static PRIVILEGES_TEXT]);

/*
 * privileges_settle: the listeners are open: keep CAP_NET_BIND_SERVICE only. Returns 0 or -EPERM.
 */
MUST_USE int privileges_settle(void);

/* privileges_thread: give up all capabilities of the calling thread. Returns 0 or -EPERM. */
MUST_USE int privileges_thread(void);

#endif
