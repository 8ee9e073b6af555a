/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_ENGINE_EXPLAIN_H
#define DNS64D_ENGINE_EXPLAIN_H

/*
 * explain: what became of one question, step by step (outbound/trace), for "dns64ctl explain".
 *
 * The question goes the way that a client's goes, and the engine notes what it does, so the trace
 * cannot differ from what a client gets; only its answer goes to the trace and not to the net. One
 * thread writes it, and another one reads it once it is done.
 */

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "core/reason.h"
#include "core/stats.h"
#include "dns/msg.h"
#include "dns64/synth.h"
#include "outbound/trace.h"
#include "outbound/upstream.h"
#include "policy/policy.h"

#define EXPLAIN_ANSWER 4096 /* bytes of the answer; of a longer one nothing is kept */

/* What policy says of an address. */
enum explain_verdict {
	EXPLAIN_MAPPED,   /* IPv4: AAAA are made from it */
	EXPLAIN_EXCLUDED, /* IPv4: under no prefix; IPv6: exclude-aaaa */
	EXPLAIN_PRIVATE,  /* IPv4: not under 64:ff9b::/96 */
	EXPLAIN_UNMAPPED, /* IPv4: the prefix of its map line is not active */
	EXPLAIN_HIDDEN,   /* IPv4: hide-a */
	EXPLAIN_GOOD      /* it may be handed out */
};

/* What becomes of the addresses of a reply. */
enum explain_use {
	EXPLAIN_PASSED,   /* they are handed out as they are */
	EXPLAIN_FILTERED, /* IPv6: those that are not excluded */
	EXPLAIN_MADE,     /* likewise, and AAAA are made of IPv4 */
	EXPLAIN_TAKEN     /* IPv4 is hidden */
};

struct explanation {
	bool dry; /* the caller's wish: use what is known, ask nobody */
	/*
	 * length in bits of the client's network that is beyond rate-limit now; 0: none is. Nothing
	 * is charged.
	 */
	uint8_t limited;
	struct policies *policies; /* one reference: those of the first step; NULL */
	struct stats uncounted;    /* gets what an answer to a client would count */
	struct trace trace;
	/* valid once done */
	enum reason reason;
	bool waited; /* for upstream */
	size_t len;  /* bytes of the answer; 0: none */
	uint8_t answer[EXPLAIN_ANSWER];
	atomic_bool done; /* written last; by explain_done it is known that the rest may be read */
};

/*
 * explain_init: begin T at NOW_NS: nothing was noted yet. T was all zero or used before; what the
 * caller wishes (dry) stays.
 */
void explain_init(struct explanation *t, uint64_t now_ns);

/* explain_fini: T gives back what it has; it may be all zero. */
void explain_fini(struct explanation *t);

/* explain_counts: does S count for T, which may be NULL, and so for nobody's statistics? */
MUST_USE static inline bool
explain_counts(const struct explanation *t, const struct stats *s)
{
	return t != NULL && &t->uncounted == s;
}

/* explain_question: note that the question for NAME and TYPE is waited for. */
void explain_question(
    struct explanation *t, const uint8_t *name, uint16_t type, bool joined, uint64_t now_ns);

/*
 * explain_would_ask: note that the question KEY would be asked if T were not dry, and which
 * upstreams of US could be. STALE: the cache has an expired entry for it.
 */
void explain_would_ask(struct explanation *t, const struct question *key, bool stale,
    const struct upstreams *us, uint64_t now_ns);

/*
 * explain_addresses: note the addresses in the answer section of M, and what becomes of each, as
 * they are used for USE, by P.
 */
void explain_addresses(struct explanation *t, const struct msg *m, enum explain_use use,
    const struct synth_policy *p, uint64_t now_ns);

/* explain_verdict_name: a word for V, for programs: "mapped", "excluded", "private", ... */
MUST_USE const char *explain_verdict_name(enum explain_verdict v);

/* explain_end: the answer of LEN bytes at MSG (0: none) was given for REASON: T is done. */
void explain_end(
    struct explanation *t, enum reason reason, bool waited, const uint8_t *msg, size_t len);

/* explain_done: is T done, so that it can be read? Any thread. */
MUST_USE bool explain_done(struct explanation *t);

#endif
