/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DAEMON_SANDBOX_H
#define DNS64D_DAEMON_SANDBOX_H

/*
 * sandbox: what the daemon may still do once it serves, so that whoever takes it over by a message
 * can do no more (keyword sandbox).
 *
 * Files and TCP ports (daemon/landlock): the directories of the configuration and of
 * /etc/resolv.conf may be read, that of cache-file written, too, that of query-log written, and
 * those of the pidfile and of the control socket let these be removed. TCP connects to port 53 and
 * to the ports of the upstreams and of prefix-check. The loops, which alone see messages, may use
 * no file and bind no TCP port at all; with strict nobody binds another one than those of listen.
 * System calls (daemon/syscalls). Besides the process is not dumpable, so that others of its user
 * can neither trace it nor read its memory.
 *
 * What the kernel or the build lacks is told and left out. A build with sanitizers or coverage has
 * no sandbox, as these use files, memory and processes in their own ways.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "config/settings.h"

#define SANDBOX_PORTS (CONF_MAX_UPSTREAMS + 64)

/* What is in force; all zero: nothing. */
struct sandbox {
	bool on;
	bool strict;
	int landlock;                     /* version of Landlock's ABI; -errno: why there is none */
	int syscalls;                     /* 0, or -errno: why system calls are not limited */
	uint16_t connects[SANDBOX_PORTS]; /* TCP ports of upstreams and of prefix-check */
	size_t n_connects;
	uint16_t binds[CONF_MAX_LISTENS + SETTINGS_INTERFACES]; /* TCP ports of listen lines */
	size_t n_binds;
};

/* Paths that the daemon uses later, as it sees them then. */
struct sandbox_paths {
	const char *config;
	const char *resolv_conf;
	const char *pidfile; /* NULL: none */
	const char *control; /* likewise: the control socket */
};

/*
 * sandbox_start: limit the calling thread, and those that it starts later, by the keyword of S.
 * Called once, after privileges_drop and before the first thread. *SB becomes what is in force.
 */
void sandbox_start(struct sandbox *sb, const struct settings *s, const struct sandbox_paths *paths);

/*
 * sandbox_loop: limit the calling thread, which serves clients, some more. Returns 0 or -errno.
 */
MUST_USE int sandbox_loop(const struct sandbox *sb);

/* sandbox_report: log what is in force, and what is not and why. */
void sandbox_report(const struct sandbox *sb);

/*
 * sandbox_tell: log what of S, new settings, cannot be used before a restart, as the start did not
 * know it. The query log has been opened, if it may be.
 */
void sandbox_tell(const struct sandbox *sb, const struct settings *s);

#endif
