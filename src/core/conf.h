/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CORE_CONF_H
#define DNS64D_CORE_CONF_H

/*
 * conf: the settings, as plain values.
 *
 * config/ makes a struct conf from the configuration file; it does not change afterwards (a
 * snapshot). core/ and io/ borrow it; dns/ and dns64/ never see it. Every setting has a row in
 * config/keywords.c with its keyword, bounds and default; cache, logonce, health_table, rates,
 * prefix_index and unix_s are no settings but filled in at the start, and ordered has orders of
 * dns64ctl.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/netaddr.h"
#include "base/netmap.h"
#include "core/transport.h"
#include "dns/proto.h"

#define CONF_MAX_UPSTREAMS 32
#define CONF_MAX_LISTENS 64
#define CONF_MAX_AVOID_PORTS 64
#define CONF_MAX_PROXIES 64
#define CONF_MOST_TRIES 3 /* of a question, per upstream and transport (RFC 9520 section 3.1) */
#define CONF_TEXT 64      /* bytes of a short text, with its terminating zero */
#define CONF_SECRET_LEN 16
#define CONF_COOKIE_SECRETS 2

/* Which upstream is asked. The order is that of the words of the keyword selection-mode. */
enum conf_selection {
	/* for every question one drawn at random (mtd64-ng), of those that are good and fast */
	CONF_RANDOM,
	/* the same upstream until it fails to reply in time, then the next (mtd64-ng) */
	CONF_ROUND_ROBIN,
	CONF_IN_ORDER, /* the first upstream that is alive (totd) */
	CONF_FASTEST   /* the one that costs a question the least time at present */
};

/* What the operator has ordered about an upstream while the daemon runs (dns64ctl upstream). */
enum conf_order {
	CONF_UP,    /* nothing */
	CONF_DRAIN, /* it gets no new questions; those in flight are finished */
	CONF_DOWN   /* nor do these wait for it: they go to another upstream */
};

/*
 * Which cached NXDOMAIN also covers the names below its own (RFC 8020). The order is that of the
 * words of the keyword nxdomain-cut.
 */
enum conf_cut {
	CONF_CUT_OFF,
	CONF_CUT_SECURE, /* an NXDOMAIN with AD from a trusted upstream */
	CONF_CUT_ALL
};

/* How long replies stay in the cache, and what they are used for (RULES D22). */
struct conf_cache {
	uint32_t min_ttl_s;      /* 0-60; never for TTL 0 or after a failure */
	uint32_t max_ttl_s;      /* up to 604,800 */
	uint32_t max_negative_s; /* of NODATA and NXDOMAIN */
	uint32_t failure_s;      /* of a first failure (RFC 9520); 1-300 */
	/* how long after its expiry an entry may be served (RFC 8767); 0: never */
	uint32_t stale_s;
	enum conf_cut cut;
	bool prefetch; /* refresh popular entries before they expire */
	bool rotate;   /* rotate the addresses in answers from the cache */
};

/* What a client may have whose address may be forged (engine/limit). */
struct conf_rate {
	uint32_t limit;         /* questions of one address in a second; 0: any number */
	uint32_t burst;         /* questions of one address at once; 0: twice limit, 50 at least */
	uint32_t slip;          /* one in so many beyond it gets TC; 0: none */
	uint32_t amplification; /* bytes of answers for each byte of questions; 0: any number */
	bool dry_run;           /* only tell */
};

/* Which answers the query log is told of, as bits; query-log-select. */
enum conf_querylog_select {
	CONF_QUERYLOG_SYNTHESIZED = 1,
	CONF_QUERYLOG_FAILED = 2,
	CONF_QUERYLOG_DENIED = 4, /* refused, or limited */
	CONF_QUERYLOG_SLOW = 8,
	CONF_QUERYLOG_ALL = 16
};

struct conf_querylog {
	uint8_t select;   /* enum conf_querylog_select, as bits; 0: none */
	uint32_t sample;  /* one in so many of those */
	uint32_t slow_ms; /* CONF_QUERYLOG_SLOW: an answer that took so long */
};

/* Which messages dnstap gets, as bits; in the order of the words of dnstap-messages. */
enum conf_dnstap_type {
	CONF_CLIENT_QUERY = 1,
	CONF_CLIENT_RESPONSE = 2,
	CONF_FORWARDER_QUERY = 4,   /* to an upstream */
	CONF_FORWARDER_RESPONSE = 8 /* from an upstream */
};

#define CONF_DNSTAP_ALL 15
#define CONF_DNSTAP_CLIENT (CONF_CLIENT_QUERY | CONF_CLIENT_RESPONSE)
#define CONF_DNSTAP_FORWARDER (CONF_FORWARDER_QUERY | CONF_FORWARDER_RESPONSE)

struct conf_dnstap {
	uint8_t types;   /* enum conf_dnstap_type, as bits; 0: none */
	uint32_t sample; /* one in so many questions, with its response */
};

struct cache;
struct policies;
struct logonce;
struct health_table;
struct rates;
struct prefix_index;

/* DNS cookies (RFC 7873). */
struct conf_cookies {
	/* send cookies and require them in replies (RFC 7873, RULES D21) */
	bool upstream;
	bool client; /* answer a client's cookie with a server cookie (RFC 7873) */
	/* 0: secrets are derived from secrets[0], which was drawn */
	uint8_t n_secrets;
	uint8_t secrets[CONF_COOKIE_SECRETS][CONF_SECRET_LEN]; /* the first signs, both verify */
};

/* Answers in class CH (RULES D17). */
struct conf_chaos {
	/* text of version.bind in CH (RULES D17); empty: the question is refused */
	char version[CONF_TEXT];
	char server_id[CONF_TEXT]; /* text of id.server, likewise */
};

/* The name whose answer is whether the daemon is ready. */
struct conf_health {
	uint8_t name[DNS_NAME_MAX];
	uint8_t len; /* bytes of it; 0: there is none */
};

/* Whom to ask. */
struct conf_upstream {
	struct netaddr addr;
	/* enum transport, by enum upstream_over (outbound/upstream): the usual one, and the other,
	   which may be the same; never UDP */
	uint8_t transport[2];
	uint8_t ordered; /* enum conf_order; not from the file */
	bool trusted;    /* its AD may be trusted (RULES D9) */
};

/* What the engine needs. */
struct conf_core {
	struct conf_upstream upstreams[CONF_MAX_UPSTREAMS];
	size_t n_upstreams; /* >= 1 */
	bool any_trusted;   /* one of them is */
	enum conf_selection selection;
	bool hedge;          /* ask another upstream too when one is slower than it usually is */
	uint32_t timeout_ms; /* ms: longest wait for one attempt; 100-5,000 */
	/* how often a question goes to one upstream after silence, as usual or over a stream, 1-3
	 */
	uint8_t upstream_tries;
	/* sends upstream for one client question at most, 8-255 (RULES D28) */
	uint8_t max_upstream_questions;
	uint16_t udp_size_client;   /* bytes: largest UDP answer to a client, 512-4096 */
	uint16_t udp_size_upstream; /* bytes: EDNS buffer size sent to upstreams, 512-4096 */
	uint32_t max_queries;       /* client questions in flight per loop; restart only */
	/* of these, of one network, once half of max_queries are in use; 0: any number */
	uint32_t max_waiting_per_client;
	/* of these, for one name and type over UDP, 0-4,096; 0: any number */
	uint32_t max_same_question;
	/*
	 * questions in flight to one upstream; 0: three quarters of max_queries if there are
	 * others, else any number
	 */
	uint32_t max_waiting_per_upstream;
	bool local_zones; /* answer for the zones of RFC 6303 locally */
	struct conf_chaos chaos;
	struct conf_health health;
	struct policies *policies; /* by client; the owner of this struct holds a reference */
	bool case_randomization;   /* mix the case of questions over UDP (0x20, RULES D21) */
	struct conf_cookies cookies;
	struct conf_cache keep;
	struct cache *cache; /* borrowed, the same after a reload; NULL: no cache */
	/* borrowed, the same after a reload; NULL: each loop logs on its own */
	struct logonce *logonce;
	/* borrowed, the same after a reload; NULL: each loop sends its own probes */
	struct health_table *health_table;
	struct conf_querylog querylog;
	struct conf_dnstap dnstap;
	struct conf_rate rate;
	/* borrowed, the same after a reload; NULL: nothing of conf_rate holds */
	struct rates *rates;
	/*
	 * borrowed, the same after a reload; the main thread's only; NULL: prefixes have number 0
	 */
	struct prefix_index *prefix_index;
	uint64_t unix_s; /* seconds since 1970 at now_ns == 0 */
};

#define CONF_BATCH_AUTO UINT16_MAX /* batch_delay: by the load and the upstreams' times */

/* What the shell needs. */
struct conf_io {
	struct netaddr listens[CONF_MAX_LISTENS]; /* with ports; loopback if none is configured */
	size_t n_listens;
	/* ms after which a client connection without a question is closed; less when most of
	   max_tcp_clients are open */
	uint32_t tcp_idle_ms;
	uint32_t max_tcp_clients;    /* client connections per loop; restart only */
	uint32_t max_tcp_per_client; /* of these of one address */
	/* networks whose hosts name the client that asks in a header (io/proxy), and no others */
	struct net proxies[CONF_MAX_PROXIES];
	size_t n_proxies;
	bool freebind;          /* also listen on addresses that the machine does not have */
	uint32_t socket_buffer; /* bytes of receive buffer asked of the kernel for each UDP socket;
				   0: its default */
	/* host byte order: never used as source port towards upstreams (RFC 5452 section 9.2) */
	uint16_t avoid_ports[CONF_MAX_AVOID_PORTS];
	size_t n_avoid_ports;
	/* source ports in use at a time, per upstream and loop; 0: one for each question */
	uint16_t outgoing_ports;
	/* microseconds from one turn of a loop to the next under load; 0: no delay */
	uint16_t batch_delay;
};

struct conf {
	struct conf_core core;
	struct conf_io io;
};

/* conf_upstream_at: the upstream at ADDR, which is asked over UDP and, if need be, over TCP. */
MUST_USE static inline struct conf_upstream
conf_upstream_at(const struct netaddr *addr)
{
	return (
	    struct conf_upstream){ .addr = *addr, .transport = { TRANSPORT_UDP, TRANSPORT_TCP } };
}

/* conf_upstream_uses: is UP ever asked over TRANSPORT? */
MUST_USE static inline bool
conf_upstream_uses(const struct conf_upstream *up, enum transport transport)
{
	return up->transport[0] == transport || up->transport[1] == transport;
}

/* conf_find_upstream: the index of the upstream with the address A; -1: C has none. */
MUST_USE static inline int
conf_find_upstream(const struct conf_core *c, const struct netaddr *a)
{
	for (size_t i = 0; i < c->n_upstreams; i++)
		if (netaddr_equal(&c->upstreams[i].addr, a))
			return (int)i;
	return -1;
}

/* conf_upstream_addrs: write the addresses of C's upstreams to OUT. Returns their number. */
static inline size_t
conf_upstream_addrs(const struct conf_core *c, struct netaddr out[static CONF_MAX_UPSTREAMS])
{
	for (size_t i = 0; i < c->n_upstreams; i++)
		out[i] = c->upstreams[i].addr;
	return c->n_upstreams;
}

#endif
