/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONFIG_ORDERS_H
#define DNS64D_CONFIG_ORDERS_H

/*
 * orders: what the operator has ordered by dns64ctl while the daemon runs, beside its
 * configuration: which upstreams are drained or down, which networks are denied, what the query log
 * has. An order holds until another one, its end, or a restart; a reload keeps it.
 *
 * The main thread has the one struct orders. The engine sees what orders_apply makes of it.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "base/attr.h"
#include "base/netaddr.h"
#include "base/netmap.h"
#include "core/conf.h"
#include "policy/policy.h"

#define ORDERS_ERROR 256       /* bytes of the text of an error, with its zero */
#define ORDERS_DENIALS 256     /* networks that are denied at a time */
#define ORDERS_MOST_S 31536000 /* s: the longest that an order may be given for */

struct settings;

enum order_what {
	ORDER_UPSTREAM, /* state: enum conf_order */
	ORDER_DENY,     /* state: enum policy_access, POLICY_DENIED or POLICY_IGNORED */
	ORDER_UNDENY,
	ORDER_QUERYLOG /* state: enum orders_log */
};

/* What the query log has. */
enum orders_log {
	ORDERS_LOG_CONFIG,  /* what query-log-select says */
	ORDERS_LOG_ON,      /* every answer */
	ORDERS_LOG_OFF,     /* none */
	ORDERS_LOG_FAILURES /* failures */
};

/* An order, as it was given. */
struct order {
	enum order_what what;
	/* the upstream: as it is shown, or without its port; or the network; borrowed */
	const char *of;
	unsigned state;   /* see enum order_what */
	uint32_t seconds; /* how long it holds; 0: without end */
};

/* An upstream that is drained or down. */
struct orders_upstream {
	struct netaddr addr;
	enum conf_order state;
	time_t since; /* seconds since 1970 */
};

/* A network that is denied. */
struct orders_denial {
	struct net net;
	enum policy_access access; /* POLICY_DENIED or POLICY_IGNORED */
	time_t since;
	uint64_t until_ns; /* of clock_now_ns; 0: without end */
};

struct orders {
	struct orders_upstream upstreams[CONF_MAX_UPSTREAMS];
	size_t n_upstreams;
	struct orders_denial denials[ORDERS_DENIALS];
	size_t n_denials;
	enum orders_log log;
	time_t log_since;      /* if it is not ORDERS_LOG_CONFIG */
	uint64_t log_until_ns; /* likewise; 0: without end */
	uint64_t retry_ns;     /* when to tell the loops again what has ended; 0: they know */
};

/* A moment, by both clocks. */
struct orders_now {
	time_t unix_s;
	uint64_t ns; /* of clock_now_ns */
};

/* orders_state_word: STATE as dns64ctl takes it: "up", "drain", "down". */
MUST_USE const char *orders_state_word(enum conf_order state);

/* orders_upstream: the order about the upstream at ADDR; NULL: there is none. */
MUST_USE const struct orders_upstream *orders_upstream(
    const struct orders *o, const struct netaddr *addr);

/* orders_log_word: WHAT as dns64ctl takes it: "config", "on", "off", "failures". */
MUST_USE const char *orders_log_word(enum orders_log what);

/*
 * orders_denial: the longest network of O, which may be NULL, that has CLIENT; NULL: none has.
 */
MUST_USE const struct orders_denial *orders_denial(
    const struct orders *o, const struct netaddr *client);

/* orders_changes_policies: does W change what orders_fill writes, and so policies? */
MUST_USE bool orders_changes_policies(const struct order *w);

/*
 * orders_make: write W, given NOW, to *O; S are the settings in force. False: it cannot be,
 * and ERROR says why; *O is as before.
 */
MUST_USE bool orders_make(struct orders *o, const struct settings *s, const struct order *w,
    struct orders_now now, char error[static ORDERS_ERROR]);

/*
 * orders_fill: write the denials of O, which may be NULL, to PS, which has its common and no
 * denials yet. False without memory.
 */
MUST_USE bool orders_fill(const struct orders *o, struct policies *ps);

/*
 * orders_due_ns: when the first order of O, which may be NULL, ends, or the loops are to hear of
 * those that have ended; UINT64_MAX: never.
 */
MUST_USE uint64_t orders_due_ns(const struct orders *o);

/*
 * orders_expire: forget the orders of O that have ended at NOW_NS, and log it. Returns whether
 * policies are to be made anew.
 */
MUST_USE bool orders_expire(struct orders *o, uint64_t now_ns);

/* orders_apply: write the other orders of S->orders, which may be NULL, to S->conf. */
void orders_apply(struct settings *s);

/* orders_keep: S is in force from now on: log and forget the orders that do not apply to it. */
void orders_keep(const struct settings *s);

/* orders_all_taken: is no upstream of S left to be asked, by order? */
MUST_USE bool orders_all_taken(const struct settings *s);

#endif
