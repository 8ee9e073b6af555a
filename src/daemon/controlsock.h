/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DAEMON_CONTROLSOCK_H
#define DNS64D_DAEMON_CONTROLSOCK_H

/*
 * controlsock: the control socket, opened at the start: before a chroot hides its place, and while
 * the process may still give it to whom it is for.
 */

#include <stdbool.h>

#include "base/attr.h"
#include "config/settings.h"
#include "control/sockpath.h"
#include "daemon/privileges.h"

/*
 * controlsock_open: open the socket of S for the daemon that P makes of us; *OUT has fd -1 if there
 * is to be none. In the FOREGROUND the directory of "auto" is not made. False: it cannot be had,
 * though S names it; the log says why. With "auto" there is a notice instead, and none.
 */
MUST_USE bool controlsock_open(
    const struct settings *s, bool foreground, const struct privileges *p, struct sockpath *out);

/*
 * controlsock_owner: whose the socket of S is to be: the daemon's, and control-group's; root's if
 * root starts it and the daemon's account is nobody, which others share. False: there is no group
 * of the name of control-group.
 */
MUST_USE bool controlsock_owner(
    const struct settings *s, const struct privileges *p, struct sockpath_owner *owner);

#endif
