/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_OUTBOUND_UPSTREAM_H
#define DNS64D_OUTBOUND_UPSTREAM_H

/*
 * upstream: the table of upstreams, what was learned about them, and their sockets.
 *
 * The table has the upstreams by address, with what was learned about them, and survives reloads;
 * it also has the slots of the UDP sockets that lead to them. outbound/choice says which of them
 * gets the next attempt, outbound/health which are down.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/list.h"
#include "base/rng.h"
#include "core/conf.h"
#include "core/latency.h"
#include "core/transport.h"
#include "core/wheel.h"
#include "dns/proto.h"
#include "outbound/shared_health.h"
#include "outbound/tcp_pool.h"
#include "outbound/times.h"
#include "outbound/txid.h"
#include "outbound/ways.h"

/* upstreams: configured ones and those with questions still in flight */
#define UPSTREAM_MAX 64
#define UPSTREAM_MAX_SOCKETS 4096 /* UDP sockets to all upstreams at one time */
#define UPSTREAM_NONE 0xffff
/* ms: how long an upstream without EDNS is asked without it (RULES D1) */
#define UPSTREAM_NO_EDNS_MS 300000
/* confirmed near misses in a row, and by as many sockets, that switch a guard off */
#define UPSTREAM_SAME 3
#define UPSTREAM_UNGUARDED_MS 3600000U /* ms: how long a guard is off (RULES D21) */
#define UPSTREAM_PROVEN 64 /* right replies in a row, after which a guard goes off only */
#define UPSTREAM_SEEN 8    /* for confirmed near misses by so many sockets */
/* silent attempts over the primary in a row, after which a reply over a stream teaches WAY_TCP */
#define UPSTREAM_PRIMARY_SILENT 16

/*
 * A guard: a check that tells true replies from forged ones, and that some upstreams do not pass
 * (RULES D21).
 */
struct upstream_guard {
	uint64_t off_until_ns;
	uint8_t n_same;  /* near misses in a row that were confirmed */
	uint8_t n_right; /* right replies in a row, up to UPSTREAM_PROVEN, where it stays */
	uint8_t n_seen;  /* sockets with such near misses since the last right reply */
	bool settled;    /* proven, and no near miss since: further right replies change nothing */
	bool logged;     /* this loop has logged that the guard is off */
	uint16_t seen[UPSTREAM_SEEN]; /* by which they came: PATH of upstreams_on_seen */
};

/* What is done because IDs of questions to an upstream are guessed; outbound/id_attack has the
 * table.
 */
enum suspicion_state {
	SUSPICION_NONE,
	SUSPICION_BY_TCP,   /* questions with little to guess go over TCP first */
	SUSPICION_BY_PORTS, /* TCP does not work: each question leaves by a port of its own */
	SUSPICION_STATES
};

struct suspicion {
	uint8_t state;         /* enum suspicion_state */
	uint32_t vain;         /* BY_TCP: failures times ID_ATTACK_GOOD_EACH, less successes */
	uint32_t n_guesses;    /* guesses since from_ns, from which the next sign is made */
	uint64_t from_ns;      /* time of the first of them */
	uint64_t from_replies; /* tally.replies then */
	uint64_t until_ns;     /* its end, if no sign comes */
	uint64_t no_tcp_ns;    /* when TCP was found not to work last; 0: never */
};

#define UPSTREAM_RCODES 7 /* those up to REFUSED, and others */

/* Why an attempt has no reply in its time. */
enum upstream_lost {
	UPSTREAM_LOST_TIMEOUT,      /* none came */
	UPSTREAM_LOST_UNREACHABLE,  /* the kernel says that it, or the way to it, refuses */
	UPSTREAM_LOST_DISCONNECTED, /* its connection ended, or was not to be had */
	UPSTREAM_LOST_N
};

/* What this loop has had with it, for the operator. */
struct upstream_tally {
	uint64_t sends;                 /* questions, retries and probes too */
	uint64_t sends_tcp;             /* of these: over TCP */
	uint64_t replies;               /* right ones */
	uint64_t late;                  /* of these: after the wait was over */
	uint64_t lost[UPSTREAM_LOST_N]; /* attempts that had no reply in their time, by cause */
	uint64_t hedges;                /* questions sent to it because another one was slow */
	/*
	 * of the replies: by rcode, but not NOERROR, which the rest are; the last for others and
	 * for what was malformed
	 */
	uint64_t rcodes[UPSTREAM_RCODES];
	struct latency rtt; /* of the replies */
};

/* Silence and refusals of an upstream. */
struct upstream_failures {
	uint32_t
	    n_primary_silent; /* silent attempts over the primary one since it last replied so */
	uint32_t n;           /* silences and refusals since its last reply */
	uint64_t since_ns;    /* time of the first of these failures */
};

/* Its error replies, for the log. */
struct upstream_errors {
	uint32_t n;        /* error replies since the last reply without error */
	uint64_t since_ns; /* time of the first of these errors */
	uint64_t good_ns;  /* if n is not 0: time of the last reply before them; 0: none */
	bool logged;       /* these errors were enough to be logged */
};

/* Whether questions to it carry an OPT. */
struct upstream_edns {
	uint64_t off_until_ns; /* until then they carry none */
	uint16_t refused_on;   /* slot of the socket by which it refused one once; UPSTREAM_NONE */
	bool spoken; /* a right reply of it had an OPT, and it has not refused EDNS since */
};

/* The cookie that questions to it carry (RFC 7873). */
struct upstream_cookie {
	uint8_t bytes[DNS_COOKIE_MAX]; /* the client cookie, then its server cookie */
	/* bytes; 0: no client cookie drawn yet; 8: no server cookie received */
	uint8_t len;
	struct upstream_guard guard; /* the cookie check */
};

/*
 * Over which of its two transports an upstream is asked. Over the primary one questions go as a
 * rule. The fallback is a stream, and may have what the primary one lost: the whole of a reply that
 * was cut (TC), a proof that a doubted reply is true, or, as a last resort, a reply at all. It is
 * also what a TCP client's question goes over first. Waits, silences and what is tried next are
 * kept by this; how a question leaves, and what its reply has to pass, follows from the transport
 * that it is for the upstream (upstream_transport). Where both are one stream there is no fallback
 * as a last resort; the rest is the same.
 */
enum upstream_over { UPSTREAM_PRIMARY, UPSTREAM_FALLBACK, UPSTREAM_OVERS };

struct upstream {
	/* Aligned, so that the address of a table entry is cheap to compute. */
	_Alignas(64) struct conf_upstream conf; /* its family NETADDR_NONE: the number is free */
	bool active;                            /* configured, and not taken down by the operator */
	bool down;     /* silent to probes too (outbound/health): asked if no other is left */
	bool in_doubt; /* in doubt (outbound/health): asked if no good one is left */
	bool watched;  /* a right reply may change its guards or what is known of its EDNS */
	bool starved;  /* it has no socket, for lack of local resources (RULES D26) */
	/* lookups whose present attempt is in flight to it, though its socket may be closed */
	uint32_t n_waiting;
	struct upstream_failures failures;
	uint64_t revived_ns; /* time of the last reply that ended a down period; 0: never */
	uint64_t heard_ns;   /* time of its last right reply; 0: never */
	struct times times[UPSTREAM_OVERS];
	struct times_cost cost; /* of a question to it, by which upstreams are compared */
	struct upstream_tally tally;
	struct upstream_errors errors;
	struct ways ways; /* what gets through to it */
	struct upstream_edns edns;
	struct suspicion suspicion; /* that IDs of questions to it are being guessed */
	struct upstream_cookie cookie;
	struct upstream_guard case_guard; /* the case check (0x20) */
	struct wheel_timer probe;         /* timer, set while it is in doubt or down, and active */
	struct shared_health *shared;     /* borrowed from us->health_table; else alone */
	struct shared_health alone;
	uint8_t probe_way;                  /* enum way, or WAY_AS_LEARNED: of the next probe */
	int32_t socket[TXID_MAX_SPACES];    /* per ID space: slot for new questions; -1: none */
	unsigned n_sockets;                 /* number of slots that lead to it */
	struct tcp_conn tcp[TCP_POOL_SIZE]; /* its TCP connections */
	uint32_t tcp_yield; /* replies that one of tcp gives before it ends; TCP_CONN_ENDLESS */
};

/* upstream_transport: the transport that OVER is for UP. No other place in outbound/ names any. */
MUST_USE static inline enum transport
upstream_transport(const struct upstream *up, enum upstream_over over)
{
	_Static_assert(sizeof(up->conf.transport) == UPSTREAM_OVERS, "each has one");
	return (enum transport)up->conf.transport[over];
}

/* upstream_has_stream: is the primary transport of UP a stream? Its fallback always is. */
MUST_USE static inline bool
upstream_has_stream(const struct upstream *up)
{
	return transport_is_stream(upstream_transport(up, UPSTREAM_PRIMARY));
}

/* upstream_has_fallback: is there another transport to UP than the primary one? */
MUST_USE static inline bool
upstream_has_fallback(const struct upstream *up)
{
	return upstream_transport(up, UPSTREAM_PRIMARY) !=
	    upstream_transport(up, UPSTREAM_FALLBACK);
}

/* upstream_guarded: is guard G in force at NOW_NS? */
static inline bool
upstream_guarded(const struct upstream_guard *g, uint64_t now_ns)
{
	return g->off_until_ns <= now_ns;
}

struct upstream_socket {
	uint16_t upstream; /* UPSTREAM_NONE: the slot is free */
	uint8_t space;
	uint8_t n_guesses;  /* at the IDs of its questions (outbound/id_attack) */
	uint32_t n_refused; /* attempts in flight on it that are in lookups.refused, not in open */
	struct list open;   /* the other attempts in flight on it: struct attempt.link */
};

struct upstreams {
	enum conf_selection selection;
	uint64_t best_ns;        /* the lowest cost when it was looked for last; 0: unknown */
	bool hedge;              /* the setting */
	bool options;            /* questions by WAY_FULL have EDNS options */
	bool some_no_aaaa;       /* some upstream was learned to be silent to AAAA */
	bool logged_all_down;    /* this loop has logged that none replies */
	uint32_t hedge_credit;   /* questions that were not hedged, see CHOICE_HEDGE_EACH */
	struct logonce *logonce; /* borrowed; NULL */
	struct health_table *health_table; /* borrowed; NULL */
	struct wheel *wheel;               /* borrowed; NULL before upstreams_configure */
	uint64_t timeout_ns;
	uint32_t most_waiting; /* of n_waiting of each */
	unsigned n_order;
	unsigned current; /* index in order[] of the upstream that round-robin asks */
	/* numbers of those that may be asked (CONF_UP), in configured order */
	uint16_t order[CONF_MAX_UPSTREAMS];
	/* the same of all that are configured, also those that the operator keeps from order[] */
	unsigned n_listed;
	uint64_t taken; /* bit per number: taken down by the last upstreams_configure */
	uint16_t listed[CONF_MAX_UPSTREAMS];
	unsigned n_sockets; /* of all upstreams */
	/*
	 * slots that are used in turn, a power of two: so few that memory, of which each takes
	 * some, is used again, and twice as many as there have been sockets
	 */
	unsigned n_slots;
	unsigned next_socket; /* slot where the search for a free one begins */
	struct upstream table[UPSTREAM_MAX];
	struct upstream_socket sockets[UPSTREAM_MAX_SOCKETS];
};

/* upstreams_conn: the TCP connection with the number CONN (engine/engine). */
MUST_USE static inline struct tcp_conn *
upstreams_conn(struct upstreams *us, unsigned conn)
{
	return &us->table[conn / TCP_POOL_SIZE].tcp[conn % TCP_POOL_SIZE];
}

/* upstreams_of_conn: the number of the upstream whose connection C is. */
MUST_USE static inline unsigned
upstreams_of_conn(const struct upstreams *us, const struct tcp_conn *c)
{
	return (
	    unsigned)((size_t)((const char *)c - (const char *)us->table) / sizeof(us->table[0]));
}

/* upstreams_init: make the table empty. */
void upstreams_init(struct upstreams *us);

/*
 * upstreams_configure: make the upstreams of CONF the active ones, in its order. An upstream that
 * CONF no longer names finishes its questions in flight. A new one is left out while all numbers
 * are taken; the next call adds it (CONF_MAX_UPSTREAMS is half of UPSTREAM_MAX). Returns what has
 * changed for the cache, as UPSTREAMS_ bits. One that the operator drains or took down is not
 * asked, whatever the others are (conf_upstream.ordered); us->taken has those just taken down,
 * whose questions in flight are to move (loss_on_taken).
 */
#define UPSTREAMS_DISTRUST 1u /* an upstream that was trusted is not any more */
#define UPSTREAMS_NEW 2u      /* an upstream was added, or may be asked again */
unsigned upstreams_configure(
    struct upstreams *us, const struct conf_core *conf, struct wheel *wheel);

/* upstream_is_down: is UP asked only if no other is left? */
MUST_USE static inline bool
upstream_is_down(const struct upstream *up)
{
	return up->down || up->starved;
}

/* upstreams_watch: have outbound/reply look at each right reply, as somebody reads of them. */
void upstreams_watch(struct upstreams *us);

/*
 * upstreams_tell_all_down: an upstream went down, replies again, or is asked no more. Log that none
 * replies, or, if ALOUD, that one does again, if that has changed.
 */
void upstreams_tell_all_down(struct upstreams *us, bool aloud);

/* upstreams_all_down: are all upstreams down that may be asked? True if there is none. */
MUST_USE bool upstreams_all_down(const struct upstreams *us);

/* upstreams_on_rcode: UP replied with RCODE, which is not NOERROR. */
static inline void
upstreams_on_rcode(struct upstream *up, uint16_t rcode)
{
	up->tally.rcodes[rcode < UPSTREAM_RCODES ? rcode : UPSTREAM_RCODES - 1]++;
}

/* upstreams_forget_way: the learned way to ask U does no better than WAY_FULL: use that again. */
void upstreams_forget_way(struct upstreams *us, unsigned u);

/* upstreams_large_lost: a large reply of U got through over TCP only. */
void upstreams_large_lost(struct upstreams *us, unsigned u, uint64_t now_ns);

/* upstreams_large_came: a large reply of U came over UDP: they get through. */
void upstreams_large_came(struct upstreams *us, unsigned u);

/*
 * upstreams_aaaa_lost: the probe for AAAA that ways_aaaa_late or ways_aaaa_due wanted, sent to U at
 * SENT_NS, got no reply.
 */
void upstreams_aaaa_lost(struct upstreams *us, unsigned u, uint64_t sent_ns, uint64_t now_ns);

/* upstreams_aaaa_came: U replied to a question for AAAA. */
void upstreams_aaaa_came(struct upstreams *us, unsigned u);

/* upstreams_no_aaaa: those that are silent to AAAA (bit per number), if another one is not down. */
MUST_USE uint64_t upstreams_no_aaaa(const struct upstreams *us);

/*
 * upstreams_no_aaaa_ns: how long to wait for AAAA before A is used, as all upstreams that are not
 * down are silent to AAAA (RULES D5); 0: they are not.
 */
MUST_USE uint64_t upstreams_no_aaaa_ns(const struct upstreams *us);

/*
 * upstreams_learn_way: questions to U go by WAY from now on. If the log has another one it gets WAY
 * at once, from the first loop that comes to it.
 */
void upstreams_learn_way(struct upstreams *us, unsigned u, enum way way, uint64_t now_ns);

/*
 * upstreams_retry_way: a way fuller than the present one of U that is to be tried now, by a probe;
 * WAYS: none is. From the second trial on the log has the present one.
 */
MUST_USE enum way upstreams_retry_way(struct upstreams *us, unsigned u, uint64_t now_ns);

/*
 * upstreams_learn: a right reply came from U over OVER, RTT_NS after its question was
 * sent, whether in time or late.
 */
static inline __attribute__((always_inline)) void
upstreams_learn(
    struct upstreams *us, unsigned u, enum upstream_over over, uint64_t rtt_ns, uint64_t now_ns)
{
	struct upstream *up = &us->table[u];

	times_learn(&up->times[over], rtt_ns);
	if (us->n_order > 1) /* else there is nothing to choose */
		times_charge(&up->cost, rtt_ns, now_ns);
	if (us->n_order > 1 || over == UPSTREAM_FALLBACK) /* nor to hedge */
		times_rank(&up->times[over], rtt_ns);
	if (over == UPSTREAM_PRIMARY)
		up->failures.n_primary_silent = 0;
	else if (UNLIKELY(up->failures.n_primary_silent >= UPSTREAM_PRIMARY_SILENT) &&
	    up->ways.now != WAY_TCP)
		upstreams_learn_way(us, u, WAY_TCP, now_ns);
	up->heard_ns = now_ns;
	up->tally.replies++;
	latency_add(&up->tally.rtt, rtt_ns);
}

/*
 * upstreams_wait_ns: how long to wait for a reply of U over OVER to a question to which it was
 * silent N_SILENT times: its measured time, doubled each time, at most the setting
 * upstream-timeout.
 */
MUST_USE static inline uint64_t
upstreams_wait_ns(
    const struct upstreams *us, unsigned u, enum upstream_over over, unsigned n_silent)
{
	return times_wait_ns(&us->table[u].times[over], n_silent, us->timeout_ns);
}

/* upstreams_on_near_miss: guard G of upstream U stopped a reply. */
void upstreams_on_near_miss(struct upstreams *us, unsigned u, struct upstream_guard *g);

/*
 * upstreams_on_seen: a near miss that came by PATH (outbound/antispoof), which guard G had stopped,
 * is about to be confirmed.
 */
void upstreams_on_seen(struct upstream_guard *g, uint16_t path);

/* upstreams_on_right: a reply passed guard G. */
void upstreams_on_right(struct upstream_guard *g);

/*
 * upstreams_on_confirmed: a reply that guard G of upstream U had stopped was asked for in another
 * way. SAME: the second reply agreed, and upstreams_on_seen has been told the sockets. WHAT names
 * the guard in the log. Returns true when this switches the guard off.
 */
bool upstreams_on_confirmed(struct upstreams *us, unsigned u, struct upstream_guard *g,
    const char *what, bool same, uint64_t now_ns);

/*
 * upstreams_on_no_edns: U refused EDNS in a reply BY a transport on SOCKET (of struct txid_owner).
 * One such reply over UDP may be forged. One over TCP, or a second one on another socket before any
 * reply with an OPT, is believed: U is asked without EDNS for UPSTREAM_NO_EDNS_MS.
 */
void upstreams_on_no_edns(
    struct upstreams *us, unsigned u, enum transport by, uint16_t socket, uint64_t now_ns);

/*
 * upstreams_release: free the number U if its upstream is configured no more and has no socket and
 * nothing in flight over TCP.
 */
void upstreams_release(struct upstreams *us, unsigned u);

/*
 * upstreams_socket_add: a slot for a socket to U in ID space SPACE; -1 when all are taken. Slots
 * are used in turn, so the slot of a late reply is seldom that of another socket already.
 */
MUST_USE int upstreams_socket_add(struct upstreams *us, unsigned u, unsigned space);

/* upstreams_socket_retire: send no new questions by the socket of SLOT. */
void upstreams_socket_retire(struct upstreams *us, unsigned slot);

/* upstreams_socket_del: free SLOT, on which nothing is in flight (lookup_orphan). */
void upstreams_socket_del(struct upstreams *us, unsigned slot);

#endif
