/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DAEMON_LANDLOCK_H
#define DNS64D_DAEMON_LANDLOCK_H

/*
 * landlock: forbid the calling thread, and the threads that it starts later, to use files and TCP
 * ports that are not named (landlock(7)). What is forbidden once stays so; a second ruleset can
 * only forbid more. What is open already is not touched, and UDP and UNIX sockets are not covered.
 *
 * How much the kernel can forbid is its ABI version: files from 1 (Linux 5.13), TCP ports from 4
 * (6.7), ioctls of devices from 5 (6.10), signals to other processes from 6 (6.12). What it cannot
 * is left out.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"

#define LANDLOCK_ABI_NET 4 /* the first version that knows TCP ports */

/* What may be done with the files below a directory; bits. */
enum landlock_files {
	LANDLOCK_READ = 1,   /* read files and list directories */
	LANDLOCK_WRITE = 2,  /* create, write and replace files */
	LANDLOCK_REMOVE = 4, /* remove files */
};

/* What may be done with a TCP port, and what a ruleset forbids elsewhere; bits. */
enum landlock_tcp { LANDLOCK_BIND = 1, LANDLOCK_CONNECT = 2 };

/* A ruleset that is being made. */
struct landlock {
	int fd;         /* owned */
	uint64_t files; /* rights that it forbids if no rule permits them, as the kernel's bits */
	uint64_t tcp;   /* likewise */
};

/* landlock_abi: the version that the kernel offers, 1 or more; or -errno: -ENOSYS, -EOPNOTSUPP. */
MUST_USE int landlock_abi(void);

/*
 * landlock_begin: make *L a ruleset that forbids all of files, and of TCP what the bits in TCP
 * (enum landlock_tcp) say, as far as version ABI can. Returns 0, and *L is to be ended by
 * landlock_enforce; or -errno.
 */
MUST_USE int landlock_begin(struct landlock *l, int abi, unsigned tcp);

/*
 * landlock_allow_dir: permit WHAT (enum landlock_files) with the files below the directory at PATH,
 * a link being followed. Returns 0 or -errno.
 */
int landlock_allow_dir(struct landlock *l, const char *path, unsigned what);

/* landlock_allow_port: permit WHAT (enum landlock_tcp) with a TCP PORT. Returns 0 or -errno. */
MUST_USE int landlock_allow_port(struct landlock *l, uint16_t port, unsigned what);

/*
 * landlock_enforce: put *L in force if OK, and free it in any case. The thread must have
 * no_new_privs. Returns 0 or -errno.
 */
MUST_USE int landlock_enforce(struct landlock *l, bool ok);

#endif
