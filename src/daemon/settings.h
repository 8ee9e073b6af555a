/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DAEMON_SETTINGS_H
#define DNS64D_DAEMON_SETTINGS_H

/*
 * settings: one configuration as the daemon itself sees it: the conf that engine and shell
 * work from, and what only starting, stopping and logging need.
 *
 * A plain value without pointers, all zero before it is read, so that two of them compare
 * field by field.
 */

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/conf.h"

#define SETTINGS_NAME 64     /* room for a user's or group's name */
#define SETTINGS_PATH 1024   /* room for a path */
#define SETTINGS_MAX_PREFIXES 16
#define SETTINGS_MAX_EXCLUDED 64
#define SETTINGS_LOOPS 64    /* most loops there can be */
#define SETTINGS_KEYWORDS 48 /* room for as many keywords as the table may have */

enum settings_log { SETTINGS_LOG_AUTO, SETTINGS_LOG_SYSLOG, SETTINGS_LOG_STDERR };

struct settings_cpus {
	bool given;
	cpu_set_t set;
};

struct settings {
	struct conf conf;

	/* Needed until the configuration is complete. */
	uint32_t port;            /* of listen addresses without one of their own */
	struct pref64 prefixes[SETTINGS_MAX_PREFIXES];
	size_t n_prefixes;
	struct net excluded[SETTINGS_MAX_EXCLUDED];
	size_t n_excluded;
	bool nameserver_defaults; /* take those of resolv.conf too */
	bool excluded_none;       /* the default exclusion was taken away */
	bool listens_by_default;  /* no listen line: loopback */
	bool debugging;
	uint32_t timeout_sec; /* MTD64's way to say timeout_ms */
	uint32_t timeout_usec;
	unsigned
	    upstream_lines[CONF_MAX_UPSTREAMS]; /* where each was configured, 0: not in the file */
	unsigned listen_lines[CONF_MAX_LISTENS];
	unsigned
	    lines[SETTINGS_KEYWORDS]; /* where each keyword first stood, in the table's order */

	/* The daemon's own. */
	uint32_t log_level; /* enum log_level */
	enum settings_log log;
	uint32_t num_threads; /* 0: as many as there are CPUs */
	struct settings_cpus affinity;
	char user[SETTINGS_NAME];  /* "none": stay who we are */
	char group[SETTINGS_NAME]; /* "none": the user's */
	char chroot[SETTINGS_PATH];
	char pidfile[SETTINGS_PATH]; /* "auto": the usual one, only in the background */
	uint32_t stop_timeout_ms;
};

#endif
