/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CORE_CONF_H
#define DNS64D_CORE_CONF_H

/*
 * conf: the settings, as plain values.
 *
 * daemon/ makes one from the configuration file; it does not change afterwards (a
 * snapshot). core/ and io/ borrow it; dns/ and dns64/ never see it. Every field has a row
 * in config/keywords.c, which has the keyword, its bounds and its default.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/netaddr.h"
#include "core/policy.h"

#define CONF_MAX_UPSTREAMS 32
#define CONF_MAX_LISTENS 64
#define CONF_MAX_AVOID_PORTS 64
#define CONF_TEXT 64 /* room for a short text with its zero */
#define CONF_SECRET_LEN 16

/* Which upstream is asked; in the order of the words of the keyword selection-mode. */
enum conf_selection {
	CONF_RANDOM, /* another upstream, drawn, for every question (mtd64-ng) */
	/* the same one until it fails to reply in time, then the next (mtd64-ng) */
	CONF_ROUND_ROBIN,
	CONF_IN_ORDER /* the first that is alive (totd) */
};

/*
 * Which cached NXDOMAIN speaks for the names below it too (RFC 8020); in the order of the words of
 * the keyword nxdomain-cut.
 */
enum conf_cut {
	CONF_CUT_OFF,
	CONF_CUT_SECURE, /* those with AD from a trusted upstream */
	CONF_CUT_ALL
};

/* How long what upstream said is kept, and what it is used for (RULES D22). */
struct conf_cache {
	uint32_t min_ttl_s;      /* 0-60; never for TTL 0 or after a failure */
	uint32_t max_ttl_s;      /* up to 604,800 */
	uint32_t max_negative_s; /* of NODATA and NXDOMAIN */
	uint32_t failure_s;      /* of a failure that is new (RFC 9520); 1-300 */
	uint32_t stale_s; /* how long after its end an entry helps out (RFC 8767); 0: never */
	enum conf_cut cut;
	bool prefetch; /* refresh popular entries before their end */
	bool rotate;   /* addresses of answers from the cache take turns in coming first */
};

struct cache;
struct told;

/* What the engine needs. */
struct conf_core {
	struct netaddr upstreams[CONF_MAX_UPSTREAMS];
	size_t n_upstreams; /* >= 1 */
	enum conf_selection selection;
	uint32_t timeout_ms;        /* for one attempt */
	uint32_t resend_attempts;   /* attempts after the first that got no reply, 0-10 */
	uint16_t udp_size_client;   /* bytes: largest UDP answer we give, 512-4096 */
	uint16_t udp_size_upstream; /* bytes: what we tell upstreams, 512-4096 */
	uint32_t max_queries;       /* client questions being worked on per loop; restart only */
	bool local_zones;           /* answer for the zones of RFC 6303 here */
	char version[CONF_TEXT];    /* of version.bind in CH (RULES D17); empty: it is refused */
	char server_id[CONF_TEXT];  /* id.server likewise */
	struct policies *policies;  /* by client; who keeps the struct holds a reference */
	bool case_randomization;    /* mix the case of questions over UDP (0x20, RULES D21) */
	bool upstream_cookies;      /* send cookies and want them back (RFC 7873, RULES D21) */
	uint32_t trusted;    /* bit per upstream, in the order above: its AD may be believed (D9) */
	bool client_cookies; /* answer a client's cookie with one of ours (RFC 7873) */
	uint8_t n_cookie_secrets;                   /* 0: derived from the first, which was drawn */
	uint8_t cookie_secrets[2][CONF_SECRET_LEN]; /* the first signs, both count */
	struct conf_cache keep;
	struct cache *cache; /* borrowed, the same after a reload; NULL: nothing is kept */
	/* borrowed, the same after a reload; NULL: each loop speaks for itself */
	struct told *told;
	uint64_t unix_s; /* seconds since 1970 when now_ns was 0 */
};

/* What the shell needs. */
struct conf_io {
	struct netaddr listens[CONF_MAX_LISTENS]; /* with ports; loopback if none is configured */
	size_t n_listens;
	uint32_t tcp_idle_ms;     /* a client connection without a question is closed after this */
	uint32_t max_tcp_clients; /* client connections per loop; restart only */
	uint32_t max_tcp_per_client; /* client connections of one address per loop */
	bool freebind;               /* addresses that the machine does not have are listened on */
	uint32_t socket_buffer; /* bytes of receive buffer asked of the kernel for each UDP socket;
				   0: its default */
	uint16_t avoid_ports[CONF_MAX_AVOID_PORTS]; /* never the source port of a question upstream
						       (RFC 5452 section 9.2) */
	size_t n_avoid_ports;
};

struct conf {
	struct conf_core core;
	struct conf_io io;
};

#endif
