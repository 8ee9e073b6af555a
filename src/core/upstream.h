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
#include "core/txid.h"
#include "core/wheel.h"
#include "dns/proto.h"

#define UPSTREAM_MAX 64           /* configured ones and those that are leaving */
#define UPSTREAM_MAX_SOCKETS 4096 /* UDP sockets to them at one time */
#define UPSTREAM_NONE 0xffff
#define UPSTREAM_FAILURES 3   /* in a row, then a probe shows whether one is down (RULES D27) */
#define UPSTREAM_PROBE_MS 400 /* between probes of one that is down */
#define UPSTREAM_NO_EDNS_MS 300000 /* how long one that cannot EDNS is asked without (RULES D1) */
#define UPSTREAM_SAME 3            /* times TCP confirms a near miss before its guard goes off */
#define UPSTREAM_ERRORS 20         /* replies, none but errors, over */
#define UPSTREAM_ERRORS_MS 10000   /* so long before that is told */
#define UPSTREAM_UNGUARDED_MS 3600000U /* for so long (RULES D21) */
#define UPSTREAM_PROVEN 64 /* right replies in a row, after which a guard is not given up soon: */
#define UPSTREAM_SEEN 8    /* only for near misses on so many sockets */

/* A way to tell a true reply from a guessed one, which some upstreams cannot (RULES D21). */
struct upstream_guard {
	uint64_t off_until_ns;
	uint8_t n_same;  /* near misses in a row that were confirmed */
	uint8_t n_right; /* replies that were right, in a row, up to UPSTREAM_PROVEN, then kept */
	uint8_t n_seen;  /* sockets of near misses since a reply was right */
	bool settled;    /* proven, and no near miss since: a right reply changes nothing */
	bool logged;     /* in this loop */
	uint16_t seen[UPSTREAM_SEEN]; /* their slots */
};

struct upstream {
	/* Aligned, so that a place in the table is cheap to compute. */
	_Alignas(64) struct netaddr addr; /* NETADDR_NONE: the number is free */
	bool active;                      /* configured */
	bool down;
	bool watched;        /* a right reply teaches more about it: its guards, its EDNS */
	bool probing;        /* a probe is out since the failures, and nothing has come since */
	bool starved;        /* it has no socket, for lack of room here (RULES D26) */
	bool trusted;        /* it validates, and the way to it is safe (RULES D9) */
	uint32_t n_failures; /* since its last reply */
	uint64_t failing_ns; /* when the first of these was */
	uint64_t probed_ns;  /* when failures led to a probe last */
	uint64_t revived_ns; /* when it replied again last, having been down; 0: never */
	uint32_t n_errors;   /* replies that were errors since the last one that was none */
	uint64_t errors_ns;  /* the first of them */
	bool erring;         /* they are so many that it was told */
	uint64_t no_edns_until_ns;
	uint16_t no_edns_on; /* slot of the socket on which it refused EDNS; UPSTREAM_NONE */
	uint8_t cookie[DNS_COOKIE_MAX];     /* ours, then what it gave us for it (RFC 7873) */
	uint8_t cookie_len;                 /* 0: none drawn yet; 8: it has given none */
	struct upstream_guard cookie_guard; /* it returns cookies */
	struct upstream_guard case_guard;   /* it repeats the question's case */
	struct wheel_timer probe;           /* set while it is down and active */
	int32_t socket[TXID_MAX_SPACES];    /* slot for new questions, -1 for none */
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
	struct told *told; /* borrowed; NULL */
	uint64_t timeout_ns;
	unsigned n_order;
	unsigned current; /* place in order[] of the one that round-robin stays with */
	uint16_t order[CONF_MAX_UPSTREAMS]; /* numbers, as configured */
	unsigned next_socket;               /* where the search for a free slot begins */
	struct upstream table[UPSTREAM_MAX];
	struct upstream_socket sockets[UPSTREAM_MAX_SOCKETS];
};

/* upstreams_init: an empty table. */
void upstreams_init(struct upstreams *us);

/*
 * upstreams_configure: make the upstreams of CONF the active ones, in its order. Those it no longer
 * names are left to end what they have in flight. A new one is left out when all numbers are taken,
 * which the next call mends (CONF_MAX_UPSTREAMS is half of UPSTREAM_MAX). Returns what has
 * changed for the cache, of the two bits.
 */
#define UPSTREAMS_DISTRUST 1u /* one that was trusted is so no more */
#define UPSTREAMS_NEW 2u      /* there is one that was not asked before */
unsigned upstreams_configure(
    struct upstreams *us, const struct conf_core *conf, struct wheel *wheel);

/* What an attempt must heed. */
struct upstream_wish {
	uint64_t errored; /* bit per number: not this one again */
	uint16_t last;    /* was asked last: another one if there is one; UPSTREAM_NONE */
	uint16_t prefer;  /* ask this one first if it may be asked; UPSTREAM_NONE */
	bool alive;       /* none that is down */
};

/*
 * upstreams_pick: the number of the upstream for the next attempt, UPSTREAM_NONE when none may be
 * asked. Those that are down are asked only when no other is left.
 */
MUST_USE uint16_t upstreams_pick(
    struct upstreams *us, const struct upstream_wish *wish, struct rng *rng);

/* upstreams_all_down: is each of those configured known to be down? */
MUST_USE bool upstreams_all_down(const struct upstreams *us);

/* upstreams_recover: the rest of upstreams_on_reply. */
bool upstreams_recover(struct upstreams *us, unsigned u, struct wheel *wheel, uint64_t now_ns);

/*
 * upstreams_on_error: it replied with RCODE, an error. upstreams_on_good: and with none, while
 * n_errors is not 0. They decide nothing: the operator hears of an upstream whose replies are all
 * errors.
 */
void upstreams_on_error(struct upstreams *us, unsigned u, uint16_t rcode, uint64_t now_ns);
void upstreams_on_good(struct upstreams *us, unsigned u);

/* upstreams_on_rcode: one of them, whichever it is. */
static inline void
upstreams_on_rcode(struct upstreams *us, unsigned u, uint16_t rcode, uint64_t now_ns)
{
	if (UNLIKELY(rcode != DNS_NOERROR && rcode != DNS_NXDOMAIN))
		upstreams_on_error(us, u, rcode, now_ns);
	else if (UNLIKELY(us->table[u].n_errors > 0))
		upstreams_on_good(us, u);
}

/*
 * upstreams_on_reply: it replied. Returns true when it had been down; failing_ns then says since
 * when.
 */
static inline bool
upstreams_on_reply(struct upstreams *us, unsigned u, struct wheel *wheel, uint64_t now_ns)
{
	return UNLIKELY(us->table[u].n_failures > 0) && upstreams_recover(us, u, wheel, now_ns);
}

/*
 * What failures lead to. Names alone do not mark an upstream down, as there are some that nobody
 * answers: after UPSTREAM_FAILURES without a reply it is probed, and a probe without a reply does
 * (RULES D27).
 */
enum upstream_health {
	UPSTREAM_AS_BEFORE,
	UPSTREAM_IN_DOUBT, /* the caller is to send it a probe */
	UPSTREAM_WENT_DOWN /* by this; its timer is set for the next probe */
};

/* upstreams_on_failure: an attempt got no reply, or there was no connection to be had. */
MUST_USE enum upstream_health upstreams_on_failure(
    struct upstreams *us, unsigned u, uint64_t now_ns);

/*
 * upstreams_on_refused: the kernel says unreachable; while a probe is out that is said of it too.
 */
MUST_USE enum upstream_health upstreams_on_refused(
    struct upstreams *us, unsigned u, struct wheel *wheel, uint64_t now_ns);

/* upstreams_on_probe_lost: a probe got no reply. */
MUST_USE enum upstream_health upstreams_on_probe_lost(
    struct upstreams *us, unsigned u, struct wheel *wheel, uint64_t now_ns);

/*
 * upstreams_on_near_miss: guard G of upstream U has stopped what came on the socket of slot SOCKET.
 * upstreams_on_right: a reply has satisfied G.
 */
void upstreams_on_near_miss(
    struct upstreams *us, unsigned u, struct upstream_guard *g, uint16_t socket);
void upstreams_on_right(struct upstream_guard *g);

/*
 * upstreams_on_confirmed: what guard G of upstream U, called WHAT in the log, had stopped was asked
 * for in another way; SAME: it came again. Returns true when the guard goes off by this.
 */
bool upstreams_on_confirmed(struct upstreams *us, unsigned u, struct upstream_guard *g,
    const char *what, bool same, uint64_t now_ns);

/*
 * upstreams_on_no_edns: U has refused EDNS in a reply on the socket of slot SOCKET, TXID_TCP over
 * TCP. One such reply by UDP may be a forger's, who needs the port and the ID; that over TCP, or
 * another on another socket before any with an OPT, is believed: U is asked without for
 * UPSTREAM_NO_EDNS_MS.
 */
void upstreams_on_no_edns(struct upstreams *us, unsigned u, uint16_t socket, uint64_t now_ns);

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
