/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_OUTBOUND_UPSTREAM_STATUS_H
#define DNS64D_OUTBOUND_UPSTREAM_STATUS_H

/*
 * upstream_status: what is known of an upstream, as the operator is told: first by one loop, then
 * by all of them together.
 *
 * It is a copy without pointers, so it may go from thread to thread. Times are in ns of the
 * loops' monotonic clock, durations in ns too.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/clock.h"
#include "base/netaddr.h"
#include "outbound/upstream.h"

/* The better before the worse (outbound/health). */
enum upstream_status_state {
	UPSTREAM_STATUS_GOOD,
	UPSTREAM_STATUS_IN_DOUBT,
	UPSTREAM_STATUS_ERRING,  /* all its replies have been errors for a while */
	UPSTREAM_STATUS_STARVED, /* there is no socket to it, for lack of local resources */
	UPSTREAM_STATUS_DOWN
};

/* A round trip time over one enum upstream_over. */
struct upstream_status_rtt {
	uint64_t srtt_ns;
	uint64_t var_ns;
	uint64_t weight;   /* replies that it stands for; 0: no reply was measured yet */
	uint8_t transport; /* enum transport */
};

/*
 * What forged replies have to pass, and what was given up because of the upstream
 * (outbound/antispoof).
 */
enum upstream_status_guard {
	UPSTREAM_STATUS_CASE,   /* 0x20 */
	UPSTREAM_STATUS_COOKIE, /* cookies, from an upstream that has given one */
	UPSTREAM_STATUS_EDNS,   /* questions have an OPT */
	UPSTREAM_STATUS_IDS, /* nobody guesses IDs; else it is off, and outbound/id_attack has what
				is done */
	UPSTREAM_STATUS_GUARDS
};

/* What of questions and replies does not get through, as was learned (outbound/ways). */
enum upstream_status_learned {
	UPSTREAM_STATUS_NO_OPTIONS, /* questions with EDNS options */
	UPSTREAM_STATUS_NO_EDNS,    /* questions with EDNS */
	UPSTREAM_STATUS_NO_UDP,     /* anything over UDP */
	UPSTREAM_STATUS_NO_LARGE,   /* replies over UDP of more than WAYS_SMALL bytes */
	UPSTREAM_STATUS_NO_AAAA,    /* questions for AAAA, or replies to them */
	UPSTREAM_STATUS_LEARNED
};

/* An upstream. */
struct upstream_status {
	struct netaddr addr;
	enum upstream_status_state state; /* the worst that a loop is in */
	enum conf_order
	    ordered;      /* by the operator: who is not CONF_UP is not asked, whatever its state */
	unsigned n_loops; /* loops that may ask it */
	unsigned n_so;    /* those of them that are in this state */
	/*
	 * When it came to this state. In doubt and down: the time of its first silence, the oldest
	 * of all loops. Erring: of the first error. Good: the time of the reply that ended a down
	 * period, the latest of all loops. 0: not known, or always good.
	 */
	uint64_t since_ns;
	uint64_t heard_ns; /* time of its last right reply to any loop; 0: never */
	uint64_t good_ns;  /* the same of one that was no error */
	/*
	 * Since when it has been of no use to a loop that has asked it: the time of the first
	 * silence or error after its last good reply to that loop, the latest of all loops. 0: it
	 * is to all that have asked.
	 */
	uint64_t unanswering_ns;
	struct upstream_status_rtt rtt[UPSTREAM_OVERS];
	struct upstream_tally tally;
	/* until when each guard is off, the latest of all loops; past or 0: it is not */
	uint64_t off_until_ns[UPSTREAM_STATUS_GUARDS];
	uint32_t n_learned[UPSTREAM_STATUS_LEARNED]; /* loops that have learned each */
	bool has_cookie;                             /* a loop has a server cookie of it */
	uint32_t sockets;                            /* over UDP, that lead to it */
	uint32_t connections;                        /* over TCP; filled in by the shell */
	uint32_t in_flight;                          /* questions that it has and no reply to yet */
	uint32_t waiting; /* those that wait for room on a connection, up to UPSTREAM_STATUS_MOST a
			     loop */
};

#define UPSTREAM_STATUS_MOST 1000
/*
 * How long a good reply to one loop stands against another one that had none; and how long errors
 * count after the last one, as an upstream that nobody asks cannot show that it is well again.
 */
#define UPSTREAM_STATUS_FRESH_NS (30 * NS_PER_SEC)

/*
 * upstream_status_all: the configured upstreams of US, as one loop knows them, to OUT in configured
 * order. Returns how many.
 */
MUST_USE size_t upstream_status_all(
    const struct upstreams *us, struct upstream_status out[static CONF_MAX_UPSTREAMS]);

/*
 * upstream_status_merge: add what another loop knows, the N at MORE, to the *N_ALL at ALL, by
 * address. An upstream that is not there yet comes last. Tallies are summed; a round trip is the
 * mean of the loops that measured it, weighted by their replies; of states the worst counts. After
 * a reload loops may know different upstreams for a moment; more than UPSTREAM_MAX are left out.
 */
void upstream_status_merge(struct upstream_status all[static UPSTREAM_MAX], size_t *n_all,
    const struct upstream_status *more, size_t n);

/*
 * upstream_status_off_ns: how long guard G of V has been off at NOW_NS, since it went off last; 0:
 * it is in force.
 */
MUST_USE uint64_t upstream_status_off_ns(
    const struct upstream_status *v, enum upstream_status_guard g, uint64_t now_ns);

/*
 * upstream_status_answers: does the upstream of V answer, as far as is known at NOW_NS? A loop that
 * has not asked it, or not lately, has no vote against one that has.
 */
MUST_USE bool upstream_status_answers(const struct upstream_status *v, uint64_t now_ns);

/*
 * upstream_status_state_text: STATE for people: "good", "in doubt", "only errors", "without a
 * socket", "down".
 */
const char *upstream_status_state_text(enum upstream_status_state state);

/* upstream_status_learned_text: what does not get through, for people, as in "does not get through:
 * ...". */
const char *upstream_status_learned_text(enum upstream_status_learned what);

/* upstream_status_has_learned: does something not get through to V, as a loop has learned? */
MUST_USE bool upstream_status_has_learned(const struct upstream_status *v);

/* upstream_status_rcode: how many replies of V have the rcode with the index RCODE in its tally. */
MUST_USE uint64_t upstream_status_rcode(const struct upstream_status *v, unsigned rcode);

/* upstream_status_share: the part of all sends, to the N upstreams at ALL, that went to V; percent.
 */
MUST_USE double upstream_status_share(
    const struct upstream_status *v, const struct upstream_status *all, size_t n);

#endif
