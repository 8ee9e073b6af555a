/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DAEMON_WEBSOCK_H
#define DNS64D_DAEMON_WEBSOCK_H

/*
 * websock: the sockets of web-listen, opened at the start; and the file in which the kernel tells
 * the size of the process, and the directory of its descriptors, which cannot be opened any more
 * from inside a chroot or the sandbox.
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"
#include "config/settings.h"

struct websock {
	int fd[SETTINGS_WEB_LISTENS]; /* owned: they listen */
	size_t n;
	bool has_memory;
	int memory_fd; /* owned, if has_memory: /proc/self/statm */
	bool has_fds;
	int fds_fd; /* owned, if has_fds: /proc/self/fd */
};

/*
 * websock_open: open those of S. False: one cannot be had, which the log tells; *W has none then.
 */
MUST_USE bool websock_open(struct websock *w, const struct settings *s);

/* websock_close: close all of it. *W may be all zero. */
void websock_close(struct websock *w);

#endif
