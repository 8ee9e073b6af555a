/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DAEMON_WEBSOCK_H
#define DNS64D_DAEMON_WEBSOCK_H

/*
 * websock: the sockets of web-listen, opened at the start.
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"
#include "config/settings.h"

struct websock {
	int fd[SETTINGS_WEB_LISTENS]; /* owned: they listen */
	size_t n;
};

/*
 * websock_open: open those of S. False: one cannot be had, which the log tells; *W has none then.
 */
MUST_USE bool websock_open(struct websock *w, const struct settings *s);

/* websock_close: close all of them. *W may be all zero. */
void websock_close(struct websock *w);

#endif
