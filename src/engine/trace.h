/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_ENGINE_TRACE_H
#define DNS64D_ENGINE_TRACE_H

/*
 * trace: what became of one question, step by step, for "explain".
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

#define TRACE_STEPS 96
#define TRACE_ANSWER 4096 /* bytes of the answer; of a longer one nothing is kept */

enum trace_kind {
	/* it was found whose client asks: policy, zone; state is the one that it begins in */
	TRACE_POLICY,
	/*
	 * in state it got an outcome; with_reply: from addr, with rcode, name and type; cached: the
	 * reply is from the cache, with stale, age_s and ttl_s
	 */
	TRACE_EVENT,
	TRACE_QUESTION, /* it waits for a question: name, type; joined: others wait already */
	TRACE_SENT,     /* such a question left for addr; tcp */
	TRACE_CAME,     /* a message about it came from addr, believed or not; rcode, tcp */
	TRACE_ADDRESS,  /* a reply has the address addr; verdict */
	/* dry: it would wait for a question: name, type; stale: the cache has it, expired */
	TRACE_WOULD,
	TRACE_WHOM /* dry: and would ask the upstream addr, or another one that is told so */
};

/* What policy says of an address. */
enum trace_verdict {
	TRACE_MAPPED,   /* IPv4: AAAA are made from it */
	TRACE_EXCLUDED, /* IPv4: under no prefix; IPv6: exclude-aaaa */
	TRACE_PRIVATE,  /* IPv4: not under 64:ff9b::/96 */
	TRACE_UNMAPPED, /* IPv4: the prefix of its map line is not active */
	TRACE_HIDDEN,   /* IPv4: hide-a */
	TRACE_GOOD      /* it may be handed out */
};

/* What becomes of the addresses of a reply. */
enum trace_use {
	TRACE_PASSED,   /* they are handed out as they are */
	TRACE_FILTERED, /* IPv6: those that are not excluded */
	TRACE_MADE,     /* likewise, and AAAA are made of IPv4 */
	TRACE_TAKEN     /* IPv4 is hidden */
};

struct trace_step {
	uint32_t us;     /* since the question came, by the loop's clock */
	uint8_t kind;    /* enum trace_kind; fields that it does not name are zero */
	uint8_t state;   /* enum query_state */
	uint8_t outcome; /* enum lookup_outcome */
	uint8_t verdict; /* enum trace_verdict */
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
	bool late : 1;       /* TRACE_EVENT of QUERY_SVCB: others did not come in time */
	uint16_t n_added;    /* likewise: addresses of targets that were added */
	struct netaddr addr; /* TRACE_EVENT: whose reply it is */
	uint8_t name[DNS_NAME_MAX];
};

struct trace {
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
	struct trace_step step[TRACE_STEPS];
	/* valid once done */
	enum reason reason;
	bool waited; /* for upstream */
	size_t len;  /* bytes of the answer; 0: none */
	uint8_t answer[TRACE_ANSWER];
	atomic_bool done; /* written last; by trace_done it is known that the rest may be read */
};

/*
 * trace_init: begin T at NOW_NS: nothing was noted yet. T was all zero or used before; what the
 * caller wishes (dry) stays.
 */
void trace_init(struct trace *t, uint64_t now_ns);

/* trace_add: a new step of KIND, to be filled; NULL: there are too many. */
struct trace_step *trace_add(struct trace *t, enum trace_kind kind, uint64_t now_ns);

/* trace_fini: T gives back what it has; it may be all zero. */
void trace_fini(struct trace *t);

/* trace_counts: does S count for T, which may be NULL, and so for nobody's statistics? */
MUST_USE static inline bool
trace_counts(const struct trace *t, const struct stats *s)
{
	return t != NULL && &t->uncounted == s;
}

/* trace_question: note that the question for NAME and TYPE is waited for. */
void trace_question(
    struct trace *t, const uint8_t *name, uint16_t type, bool joined, uint64_t now_ns);

/*
 * trace_would_ask: note that the question KEY would be asked if T were not dry, and which upstreams
 * of US could be. STALE: the cache has an expired entry for it.
 */
void trace_would_ask(struct trace *t, const struct question *key, bool stale,
    const struct upstreams *us, uint64_t now_ns);

/*
 * trace_addresses: note the addresses in the answer section of M, and what becomes of each, as they
 * are used for USE, by P.
 */
void trace_addresses(struct trace *t, const struct msg *m, enum trace_use use,
    const struct synth_policy *p, uint64_t now_ns);

/*
 * trace_message: the message of LEN bytes at MSG left or came, as the kind, address and transport
 * of ABOUT say; note that if it is about a question that was noted.
 */
void trace_message(struct trace *t, const struct trace_step *about, const uint8_t *msg, size_t len,
    uint64_t now_ns);

/* trace_verdict_name: a word for V, for programs: "mapped", "excluded", "private", ... */
MUST_USE const char *trace_verdict_name(enum trace_verdict v);

/* trace_end: the answer of LEN bytes at MSG (0: none) was given for REASON: T is done. */
void trace_end(struct trace *t, enum reason reason, bool waited, const uint8_t *msg, size_t len);

/* trace_done: is T done, so that it can be read? Any thread. */
MUST_USE bool trace_done(struct trace *t);

#endif
