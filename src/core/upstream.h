/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CORE_UPSTREAM_H
#define DNS64D_CORE_UPSTREAM_H

/*
 * upstream: whom to ask.
 *
 * A table of upstreams by address, which survives reloads with what was learned about
 * them, and the slots of the UDP sockets that lead to them. It decides which upstream gets
 * the next attempt and when one counts as down; it sends nothing.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/list.h"
#include "base/netaddr.h"
#include "base/rng.h"
#include "core/conf.h"
#include "core/engine.h"
#include "core/wheel.h"
#include "dns/proto.h"

#define UPSTREAM_NONE 0xffff
#define UPSTREAM_FAILURES 3   /* in a row, over at least one timeout, before one is down */
#define UPSTREAM_PROBE_MS 400 /* between probes of one that is down */
#define UPSTREAM_NO_EDNS_MS \
	300000          /* how long one that cannot EDNS is asked without (RULES D1) */
#define UPSTREAM_SAME 3 /* times TCP confirms a near miss before its guard goes off */
#define UPSTREAM_UNGUARDED_MS 3600000U /* for so long (RULES D21) */

/* A way to tell a true reply from a guessed one, which some upstreams cannot (RULES D21). */
struct upstream_guard {
	uint64_t off_until_ns;
	uint8_t n_same; /* times TCP confirmed what it had stopped */
	bool logged;
};

struct upstream {
	struct netaddr addr; /* NETADDR_NONE: the number is free */
	bool active;         /* configured */
	bool down;
	bool trusted;           /* it validates, and the way to it is safe (RULES D9) */
	uint32_t n_failures;    /* since its last reply */
	uint64_t last_reply_ns; /* or when it became active */
	uint64_t no_edns_until_ns;
	uint8_t cookie[DNS_COOKIE_MAX];     /* ours, then what it gave us for it (RFC 7873) */
	uint8_t cookie_len;                 /* 0: none drawn yet; 8: it has given none */
	struct upstream_guard cookie_guard; /* it returns cookies */
	struct upstream_guard case_guard;   /* it repeats the question's case */
	struct wheel_timer probe;           /* set while it is down and active */
	int32_t socket[ENGINE_MAX_SPACES];  /* slot for new questions, -1 for none */
	unsigned n_sockets;                 /* slots that lead to it */
	struct list tcp;                    /* lookups in flight over its connection */
	unsigned n_tcp;
};

/* upstream_guarded: may this guard be relied on now? */
static inline bool
upstream_guarded(const struct upstream_guard *g, uint64_t now_ns)
{
	return g->off_until_ns <= now_ns;
}

struct upstream_socket {
	uint16_t upstream; /* UPSTREAM_NONE: the slot is free */
	uint16_t space;
	uint32_t n_open; /* IDs in flight on it */
};

struct upstreams {
	enum conf_selection selection;
	uint64_t timeout_ns;
	unsigned n_order;
	unsigned current; /* place in order[] of the one that round-robin stays with */
	uint16_t order[CONF_MAX_UPSTREAMS]; /* numbers, as configured */
	unsigned next_socket;               /* where the search for a free slot begins */
	struct upstream table[ENGINE_MAX_UPSTREAMS];
	struct upstream_socket sockets[ENGINE_MAX_SOCKETS];
};

/* upstreams_init: an empty table. */
void upstreams_init(struct upstreams *us);

/*
 * upstreams_configure: make the upstreams of CONF the active ones, in its order. Those it no longer
 * names are left to end what they have in flight. A new one is left out when all numbers are taken,
 * which the next call mends (CONF_MAX_UPSTREAMS is half of ENGINE_MAX_UPSTREAMS). Returns what has
 * changed for the cache, of the two bits.
 */
#define UPSTREAMS_DISTRUST 1u /* one that was trusted is so no more */
#define UPSTREAMS_NEW 2u      /* there is one that was not asked before */
unsigned upstreams_configure(
    struct upstreams *us, const struct conf_core *conf, struct wheel *wheel, uint64_t now_ns);

/* What an attempt must heed. */
struct upstream_wish {
	uint64_t errored; /* bit per number: has given an error, not again */
	uint16_t last;    /* was asked last: another one if there is one; UPSTREAM_NONE */
	uint16_t prefer;  /* ask this one first if it may be asked; UPSTREAM_NONE */
};

/*
 * upstreams_pick: the number of the upstream for the next attempt, UPSTREAM_NONE when all have
 * given an error. Those that are down are asked only when no other is left.
 */
MUST_USE uint16_t upstreams_pick(
    struct upstreams *us, const struct upstream_wish *wish, struct rng *rng);

/* upstreams_on_reply: it is alive. Returns true when it had been down. */
bool upstreams_on_reply(struct upstreams *us, unsigned u, struct wheel *wheel, uint64_t now_ns);

/*
 * upstreams_on_failure: an attempt got no reply, or the kernel says unreachable. Returns true when
 * it is marked down by this; its probe timer is set then.
 */
bool upstreams_on_failure(struct upstreams *us, unsigned u, struct wheel *wheel, uint64_t now_ns);

/*
 * upstreams_on_confirmed: TCP has answered what guard G of upstream U, called WHAT in the log, had
 * stopped; SAME: with the same. Returns true when the guard goes off by this.
 */
bool upstreams_on_confirmed(struct upstreams *us, unsigned u, struct upstream_guard *g,
    const char *what, bool same, uint64_t now_ns);

/* upstreams_release: forget an inactive upstream that has nothing in flight any more. */
void upstreams_release(struct upstreams *us, unsigned u);

/*
 * upstreams_socket_add: a slot for a socket to U under SPACE, -1 when all are taken. Slots are
 * used in turn, so a late reply's slot number seldom means another socket. upstreams_socket_retire:
 * no new questions by it. upstreams_socket_del: the slot is free; nothing may be in flight on it.
 */
MUST_USE int upstreams_socket_add(struct upstreams *us, unsigned u, unsigned space);
void upstreams_socket_retire(struct upstreams *us, unsigned slot);
void upstreams_socket_del(struct upstreams *us, unsigned slot);

#endif
