/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_OUTBOUND_WAYS_H
#define DNS64D_OUTBOUND_WAYS_H

/*
 * ways: what gets through to one upstream and back, learned by one loop (RULES D5, D21, D27).
 *
 * Firewalls drop questions with EDNS options, or with EDNS, or everything over UDP, and say
 * nothing. The ways to ask are in an order, the fullest first. An upstream that is in doubt
 * (outbound/health) is searched for another one: a probe by each, one after another. One reply by a
 * narrower way is not believed, as it may be luck or forged: a probe by the present way and one by
 * the other leave together, and the other is learned if its reply comes and that of the present
 * one does not. So only an attacker who can drop what goes by the present way makes us learn, and
 * he could stop us anyway.
 *
 * What was learned is tried again: after WAYS_RETRY_NS, and then less and less often, a probe goes
 * by a fuller way. No client's question waits for that. A reply to it is believed at once.
 *
 * Likewise large replies over UDP, of more than WAYS_SMALL bytes: if UDP is silent and TCP brings
 * one, WAYS_LARGE_LOST times in a row, small ones are asked for; then a truncated reply comes, and
 * TCP is used at once. And AAAA, to which some upstreams are silent (RULES D5).
 *
 * This file has what is known; it sends nothing. All times are of the monotonic clock, in ns.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/clock.h"

/* The ways to ask, the fullest first. */
enum way {
	WAY_FULL,  /* over UDP, with EDNS and its options */
	WAY_PLAIN, /* over UDP, with EDNS and no options */
	WAY_BARE,  /* over UDP, without EDNS */
	WAY_TCP,   /* over TCP first */
	WAYS
};
#define WAY_AS_LEARNED WAYS  /* of a probe: as questions go at present */
#define WAY_LARGE (WAYS + 1) /* of a probe: the same, but a large reply is asked for */

#define WAYS_STEP_NS (100 * NS_PER_MS) /* between probes of a search */
/* until a fuller way is tried: at first, and how often that is doubled */
#define WAYS_RETRY_NS (10 * NS_PER_SEC)
#define WAYS_DOUBLINGS 6
#define WAYS_SMALL 512U   /* bytes: a reply that gets through everywhere */
#define WAYS_LARGE_LOST 4 /* larger ones in a row came over TCP only: small ones are asked for */
/* different names in a row whose A came and whose AAAA did not in 2 s, before a probe decides */
#define WAYS_AAAA_LATE 16
#define WAYS_AGAIN_NS (60 * NS_PER_SEC) /* between trials of large replies, and of AAAA */

struct ways {
	uint64_t search_ns; /* when the next probe of a search is due */
	uint64_t retry_ns;  /* when a fuller way is tried; WAY_FULL: when it became that */
	uint64_t large_ns;  /* when a large reply is tried */
	uint64_t aaaa_ns;   /* when AAAA is tried */
	uint8_t now;        /* enum way: how questions go */
	uint8_t search;     /* enum way: the next one of a search; WAYS: there is none */
	uint8_t suspect;    /* enum way: got through once while now did not; WAY_FULL: none */
	uint8_t tries;      /* how often a fuller one was tried since WAY_FULL held */
	uint8_t n_large;    /* large replies lost in a row, up to WAYS_LARGE_LOST: learned */
	uint8_t n_aaaa;     /* AAAA late in a row, up to WAYS_AAAA_LATE; one more: learned */
	uint8_t logged;     /* enum way: this loop has logged that it is this; WAY_FULL: none */
};

/* ways_init: nothing is learned. */
void ways_init(struct ways *w);

/* way_text: how questions go by WAY, for people, as in "replies only to questions ...". */
const char *way_text(enum way way);

/* ways_begin: a search begins. OPTIONS: questions by WAY_FULL have some. */
void ways_begin(struct ways *w, bool options, uint64_t now_ns);

/* ways_step: the way of the search's probe that is due; WAYS: none is. */
MUST_USE enum way ways_step(struct ways *w, bool options, uint64_t now_ns);

/* ways_heard: a reply to a question by the present way has ended a silence. */
static inline void
ways_heard(struct ways *w)
{
	w->search = WAYS;
	w->suspect = WAY_FULL;
}

/* What the reply to a probe by a certain way leads to. */
enum ways_found {
	WAYS_NOTHING,
	WAYS_ONCE_MORE, /* ask once more by the present way and, behind it, by this one */
	WAYS_LEARNED    /* this is the present one from now on */
};

/* ways_found: a probe by WAY got a reply. DOUBTED: the present way gets none. */
MUST_USE enum ways_found ways_found(struct ways *w, enum way way, bool doubted, uint64_t now_ns);

/* ways_learn: WAY is the present one from now on. */
void ways_learn(struct ways *w, enum way way, uint64_t now_ns);

/* ways_retry: a fuller way that is to be tried now, by a probe; WAYS: none is. */
MUST_USE enum way ways_retry(struct ways *w, bool options, uint64_t now_ns);

/* ways_small: are only small replies to be asked for? */
MUST_USE static inline bool
ways_small(const struct ways *w)
{
	return w->n_large == WAYS_LARGE_LOST;
}

/* ways_large_lost: a large reply came over TCP, as none came over UDP. True: that is learned. */
MUST_USE bool ways_large_lost(struct ways *w, uint64_t now_ns);

/* ways_large_due: is a probe to ask for a large reply now? */
MUST_USE bool ways_large_due(struct ways *w, uint64_t now_ns);

/* ways_no_aaaa: is it silent to AAAA (RULES D5)? */
MUST_USE static inline bool
ways_no_aaaa(const struct ways *w)
{
	return w->n_aaaa > WAYS_AAAA_LATE;
}

/* ways_aaaa_late: AAAA of a name is late whose A came. True: a probe is to ask for AAAA now. */
MUST_USE bool ways_aaaa_late(struct ways *w);

/*
 * ways_aaaa_lost: that probe got no reply. HEARD: others did meanwhile; else it says nothing. True:
 * it is learned that AAAA gets none.
 */
MUST_USE bool ways_aaaa_lost(struct ways *w, bool heard, uint64_t now_ns);

/* ways_aaaa_due: is a probe to ask for AAAA now, as none got a reply a minute ago? */
MUST_USE bool ways_aaaa_due(struct ways *w, uint64_t now_ns);

#endif
