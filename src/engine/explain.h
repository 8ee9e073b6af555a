/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_ENGINE_EXPLAIN_H
#define DNS64D_ENGINE_EXPLAIN_H

/*
 * explain: what became of one question, step by step, for "dns64ctl explain".
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
#include "base/netaddr.h"
#include "cache/cache.h"
#include "core/reason.h"
#include "core/stats.h"
#include "dns/msg.h"
#include "dns64/synth.h"
#include "outbound/upstream.h"
#include "policy/policy.h"

#define EXPLAIN_STEPS 96
#define EXPLAIN_ANSWER 4096 /* bytes of the answer; of a longer one nothing is kept */

enum explain_kind {
	/* it was found whose client asks: policy, zone; state is the one that it begins in */
	EXPLAIN_POLICY,
	/*
	 * in state it got an outcome; with_reply: from addr, with rcode, name and type; cached: the
	 * reply is from the cache, with stale, age_s and ttl_s
	 */
	EXPLAIN_EVENT,
	EXPLAIN_QUESTION, /* it waits for a question: name, type; joined: others wait already */
	EXPLAIN_SENT,     /* such a question left for addr; tcp */
	EXPLAIN_CAME,     /* a message about it came from addr, believed or not; rcode, tcp */
	EXPLAIN_ADDRESS,  /* a reply has the address addr; verdict */
	/* dry: it would wait for a question: name, type; stale: the cache has it, expired */
	EXPLAIN_WOULD,
	EXPLAIN_WHOM /* dry: and would ask the upstream addr, or another one that is told so */
};

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

struct explain_step {
	uint32_t us;     /* since the question came, by the loop's clock */
	uint8_t kind;    /* enum explain_kind; fields that it does not name are zero */
	uint8_t state;   /* enum query_state */
	uint8_t outcome; /* enum lookup_outcome */
	uint8_t verdict; /* enum explain_verdict */
	uint16_t policy; /* number in the set of policies */
	uint16_t rcode;
	uint16_t type;
	uint32_t zone; /* enum policy_zone of the longest zone that has the name; ZONEMAP_NONE */
	uint32_t age_s;
	uint32_t ttl_s; /* of an entry of the cache, as it was when that was made */
	bool with_reply : 1;
	bool cached : 1;
	bool stale : 1;
	bool joined : 1;
	uint8_t transport;   /* enum transport */
	bool late : 1;       /* EXPLAIN_EVENT of QUERY_SVCB: others did not come in time */
	uint16_t n_added;    /* likewise: addresses of targets that were added */
	struct netaddr addr; /* EXPLAIN_EVENT: whose reply it is */
	uint8_t name[DNS_NAME_MAX];
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
	uint64_t began_ns;         /* when the question came, by the loop's clock */
	unsigned n;                /* steps noted */
	unsigned n_left_out;       /* steps for which there was no room */
	struct explain_step step[EXPLAIN_STEPS];
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

/* explain_add: a new step of KIND, to be filled; NULL: there are too many. */
struct explain_step *explain_add(struct explanation *t, enum explain_kind kind, uint64_t now_ns);

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

/*
 * explain_message: the message of LEN bytes at MSG left or came, as the kind, address and transport
 * of ABOUT say; note that if it is about a question that was noted.
 */
void explain_message(struct explanation *t, const struct explain_step *about, const uint8_t *msg,
    size_t len, uint64_t now_ns);

/* explain_verdict_name: a word for V, for programs: "mapped", "excluded", "private", ... */
MUST_USE const char *explain_verdict_name(enum explain_verdict v);

/* explain_end: the answer of LEN bytes at MSG (0: none) was given for REASON: T is done. */
void explain_end(
    struct explanation *t, enum reason reason, bool waited, const uint8_t *msg, size_t len);

/* explain_done: is T done, so that it can be read? Any thread. */
MUST_USE bool explain_done(struct explanation *t);

#endif
