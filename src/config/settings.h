/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONFIG_SETTINGS_H
#define DNS64D_CONFIG_SETTINGS_H

/*
 * settings: one whole configuration: struct conf, which engine and shell work from, and what only
 * start, stop and logging need.
 *
 * It is all zero before it is read, so two settings can be compared field by field.
 */

#include <net/if.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/log.h"
#include "config/keyword.h"
#include "config/origin.h"
#include "config/places.h"
#include "core/conf.h"
#include "dns/name.h"
#include "policy/policy_counters.h"

#define SETTINGS_NAME 64       /* bytes of a user's or group's name, with its zero */
#define SETTINGS_PATH 1024     /* bytes of a path, with its zero */
#define SETTINGS_LOOPS 64      /* loops at most */
#define SETTINGS_INTERFACES 16 /* listen lines that go by one */
#define SETTINGS_WEB_LISTENS 16
#define SETTINGS_WEB_NETS 64
#define SETTINGS_WEB_NAMES 16

/* Where the log goes; in the order of the words of the keyword log. */
enum settings_log { SETTINGS_LOG_AUTO, SETTINGS_LOG_SYSLOG, SETTINGS_LOG_STDERR };

/* How a line of the query log is written; in the order of the words of query-log-format. */
enum settings_query_log { SETTINGS_QUERY_LOG_TEXT, SETTINGS_QUERY_LOG_JSON };

/* What the daemon gives up after the start; in the order of the words of the keyword sandbox. */
enum settings_sandbox { SETTINGS_SANDBOX_ON, SETTINGS_SANDBOX_STRICT, SETTINGS_SANDBOX_OFF };

struct policy_lines_list;
struct orders;
struct prefix_states;

/* The keyword log-level: of each, an enum log_level plus 1, or 0 if there is none. */
struct settings_log_levels {
	uint8_t all; /* of what has none of its own */
	uint8_t of[LOG_CATEGORIES];
};

/* The keyword cpu-affinity. */
struct settings_cpus {
	bool given; /* false: auto */
	cpu_set_t set;
};

/* A listen line that goes by an interface, which may come later. */
struct settings_interface {
	char name[IF_NAMESIZE];
	/* with port; NETADDR_NONE: all that it has, else a link-local one, without scope */
	struct netaddr addr;
	uint8_t family; /* of those that count; NETADDR_NONE: both (-4, -6) */
	unsigned line;
};

/* The keyword listen. What of it can be served at present is conf.io.listens. */
struct settings_listens {
	struct netaddr fixed[CONF_MAX_LISTENS]; /* with ports; once the configuration is complete */
	size_t n_fixed;
	struct settings_interface of[SETTINGS_INTERFACES];
	size_t n_of;
};

/* The keyword web-listen. */
struct settings_web {
	struct netaddr addr[SETTINGS_WEB_LISTENS]; /* with ports */
	size_t n;
};

struct settings {
	struct conf conf; /* conf.core.policies: one reference */

	struct policy_lines_list *policy_lines; /* owned: conf.core.policies are made of them */

	/* Needed until the configuration is complete. */
	uint32_t port;            /* of listen addresses that name none */
	bool nameserver_defaults; /* nameserver defaults: those of resolv.conf too */
	bool listens_by_default;  /* there is no listen line */
	bool debugging;
	uint32_t resend_attempts; /* upstream_tries - 1, as mtd64-ng writes it; up to 10 */
	uint32_t timeout_sec;     /* timeout_ms as MTD64 writes it */
	uint32_t timeout_usec;
	/* the line where each stands; 0: not in the file */
	unsigned upstream_lines[CONF_MAX_UPSTREAMS];
	unsigned listen_lines[CONF_MAX_LISTENS];
	unsigned lines[KEYWORDS_MAX];   /* where each keyword first stood outside of client
						blocks, in the table's order; 0: nowhere */
	uint64_t digests[KEYWORDS_MAX]; /* a hash of each keyword's lines, those in client
						blocks too; 0: none */

	struct settings_listens listens;
	struct origin origin; /* what was read */
	struct places places; /* where its lines stand, which these fields number */
	/* which counters policies have; the same after a reload */
	struct policy_counters policy_counters;
	bool cookies_changed; /* dns64ctl has changed the secrets of cookies since */
	struct conf_querylog
	    querylog; /* conf.core.querylog as configured, without dns64ctl querylog */
	/* borrowed, the same after a reload: orders of dns64ctl; NULL: none can be given */
	struct orders *orders;
	/* likewise: what is reported of prefixes; NULL: nothing can be */
	struct prefix_states *prefix_states;

	/* Of no use to engine and shell. */
	struct settings_log_levels log_levels; /* see config/loglevel */
	enum settings_log log;
	char query_log[SETTINGS_PATH]; /* "none", "syslog", "stderr", or a file */
	enum settings_query_log query_log_format;
	uint32_t query_log_mode;           /* permissions of a file that is made */
	char dnstap_socket[SETTINGS_PATH]; /* "none", or a path */
	char dnstap_identity[CONF_TEXT];   /* "hostname": the machine's; empty: none */
	char dnstap_version[CONF_TEXT];    /* "auto": dns64d's; empty: none */
	uint32_t num_threads;              /* 0: as many as there are CPUs */
	struct settings_cpus affinity;
	char user[SETTINGS_NAME];  /* "none": do not change; "auto": only if we are root */
	char group[SETTINGS_NAME]; /* "none": the user's */
	char chroot[SETTINGS_PATH];
	enum settings_sandbox sandbox;
	char pidfile[SETTINGS_PATH];        /* "auto": the usual one, only in the background */
	char control_socket[SETTINGS_PATH]; /* "auto": the usual one */
	char control_group[SETTINGS_NAME];  /* "none": the daemon's */
	struct settings_web web;
	/* who may look there, beside this machine */
	struct net web_allow[SETTINGS_WEB_NETS];
	size_t n_web_allow;
	bool web_allow_any;
	uint8_t web_names[SETTINGS_WEB_NAMES][DNS_NAME_MAX]; /* besides its own */
	size_t n_web_names;
	uint32_t check_interval_ms; /* prefix-check-interval, and so on */
	uint32_t check_timeout_ms;
	uint32_t check_fall;
	uint32_t check_rise;
	uint32_t lameduck_ms; /* a lame duck for so long before a stop */
	uint32_t stop_timeout_ms;
	char cache_file[SETTINGS_PATH];  /* "none": the cache is not saved */
	char prefix_file[SETTINGS_PATH]; /* "none": dns64ctl cannot save prefixes */
	uint64_t cache_size;             /* bytes; 0: conf.core.cache stays NULL */
};

/*
 * settings_init: make *s all zero, with policy_lines that have no line. False without memory; *s is
 * all zero then.
 */
MUST_USE bool settings_init(struct settings *s);

/*
 * settings_fini: free policy_lines, origin, places and the reference to policies. *s may be all
 * zero; it holds nothing afterwards.
 */
void settings_fini(struct settings *s);

#endif
