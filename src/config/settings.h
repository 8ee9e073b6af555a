/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONFIG_SETTINGS_H
#define DNS64D_CONFIG_SETTINGS_H

/*
 * settings: one configuration as the daemon itself sees it: the conf that engine and shell
 * work from, and what only starting, stopping and logging need.
 *
 * All zero before it is read, so that two of them compare field by field. It holds one reference
 * to the policies in conf, and the drafts that these are made from.
 */

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "config/keyword.h"
#include "core/conf.h"

#define SETTINGS_NAME 64   /* room for a user's or group's name */
#define SETTINGS_PATH 1024 /* room for a path */
#define SETTINGS_LOOPS 64  /* most loops there can be */

/* Where the log goes; in the order of the words of the keyword log. */
enum settings_log { SETTINGS_LOG_AUTO, SETTINGS_LOG_SYSLOG, SETTINGS_LOG_STDERR };

struct policy_lines_list;

struct settings_cpus {
	bool given;
	cpu_set_t set;
};

struct settings {
	struct conf conf;

	/* Needed until the configuration is complete. */
	struct policy_lines_list *drafts; /* owned: what becomes conf.core.policies */
	uint32_t port;                    /* of listen addresses without one of their own */
	bool nameserver_defaults;         /* take those of resolv.conf too */
	bool listens_by_default;          /* no listen line: loopback */
	bool debugging;
	uint32_t timeout_sec; /* MTD64's way to say timeout_ms */
	uint32_t timeout_usec;
	/* where each was configured, 0: not in the file */
	unsigned upstream_lines[CONF_MAX_UPSTREAMS];
	unsigned listen_lines[CONF_MAX_LISTENS];
	unsigned lines[KEYWORDS_MAX];   /* where each keyword first stood outside of client
						blocks, in the table's order */
	uint64_t digests[KEYWORDS_MAX]; /* of all that each keyword's lines say, in client
						blocks too; 0: none */

	/* The daemon's own. */
	uint32_t log_level; /* enum log_level */
	enum settings_log log;
	uint32_t num_threads; /* 0: as many as there are CPUs */
	struct settings_cpus affinity;
	char user[SETTINGS_NAME];  /* "none": stay who we are; "auto": unless we are root */
	char group[SETTINGS_NAME]; /* "none": the user's */
	char chroot[SETTINGS_PATH];
	char pidfile[SETTINGS_PATH]; /* "auto": the usual one, only in the background */
	uint32_t stop_timeout_ms;
	char cache_file[SETTINGS_PATH];     /* "none": the cache ends with us */
	char cache_commands[SETTINGS_PATH]; /* "none": SIGUSR2 empties the cache */
	uint64_t cache_size;                /* bytes; 0: conf.core.cache stays NULL */
};

/*
 * settings_init: all zero, with drafts that say nothing. False without memory; *s is all zero then.
 */
MUST_USE bool settings_init(struct settings *s);

/* settings_seal: let go of the drafts; the policies are made. */
void settings_seal(struct settings *s);

/* settings_fini: let go of all that *s holds; it may be all zero, and holds nothing afterwards. */
void settings_fini(struct settings *s);

#endif
