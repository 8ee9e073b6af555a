/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_OUTBOUND_TRACE_H
#define DNS64D_OUTBOUND_TRACE_H

/*
 * trace: what becomes of a question, step by step. What is asked, comes or is kept is noted once,
 * where it happens, by one call: for the question that is explained (engine/explain), if it is
 * about it, and as a line of level debug. Steps of the engine's own have no line; about clients
 * there are lines only (engine/clientlog).
 *
 * Callers ask first whether anybody wants to know (ls->traced.anybody), a load and a branch; before
 * trace_found they ask log_debugs(LOG_CACHE), before trace_came whether a question is explained.
 * All here is far from the hot path.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/clock.h"
#include "base/netaddr.h"
#include "cache/cache.h"
#include "dns/msg.h"
#include "dns/name.h"
#include "dns/type.h"
#include "outbound/lookup.h"

#define TRACE_FAR __attribute__((cold, noinline))
#define TRACE_STEPS 96
#define TRACE_ABOUT (NAME_TEXT + TYPE_TEXT) /* bytes of trace_about, with the zero */

enum trace_kind {
	/* it was found whose client asks: policy, zone, line; state is the one that it begins in */
	TRACE_BEGIN,
	/*
	 * in state it got an outcome; with_reply: from addr, with rcode, name and type; cached: the
	 * reply is from the cache, with stale, due, age_s and ttl_s
	 */
	TRACE_EVENT,
	TRACE_QUESTION, /* it waits for a question: name, type; joined: others wait already */
	TRACE_ADDRESS,  /* a reply has the address addr; verdict, line */
	/* dry: it would wait for a question: name, type; stale: the cache has it, expired */
	TRACE_WOULD,
	TRACE_WHOM, /* dry: an upstream, addr, that it might ask; a step for each */
	/* from here on with a line */
	TRACE_SENT, /* such a question leaves for addr; transport, attempt; words: why for that one
		     */
	/*
	 * a message about it came from addr; rcode, transport; taken: it is the reply to an
	 * attempt, in took_ns, with n_answers and truncated
	 */
	TRACE_CAME,
	TRACE_SILENT, /* the wait for addr, by transport, is over: took_ns */
	TRACE_KEPT    /* it is put into the cache: entry, words; ttl_s 0: it may not be kept */
};

struct trace_step {
	uint32_t us;     /* since the question came, by the loop's clock */
	uint8_t kind;    /* enum trace_kind; fields that it does not name are zero */
	uint8_t state;   /* enum query_state */
	uint8_t outcome; /* enum lookup_outcome */
	uint8_t verdict; /* enum explain_verdict */
	uint16_t policy; /* number in the set of policies */
	uint16_t rcode;
	uint16_t type;
	/* of the configuration: what it says of zone, or of addr; 0: nothing, or it is built in */
	uint32_t line;
	uint32_t age_s;
	uint32_t ttl_s; /* of an entry of the cache, as it was when that was made */
	bool with_reply : 1;
	bool cached : 1;
	bool stale : 1;
	bool due : 1; /* it is to be refreshed */
	bool joined : 1;
	bool taken : 1;
	bool truncated : 1;
	bool late : 1;     /* TRACE_EVENT of QUERY_SVCB: others did not come in time */
	uint16_t n_added;  /* likewise: addresses of targets that were added */
	uint8_t transport; /* enum transport */
	uint8_t attempt;   /* from 1 */
	uint8_t entry;     /* enum cache_kind */
	uint8_t zone; /* enum policy_zone of the longest zone that has the name; it is in name */
	uint16_t n_answers;  /* records in the answer section */
	uint64_t took_ns;    /* since the attempt was sent */
	const char *words;   /* a constant text */
	struct netaddr addr; /* TRACE_EVENT: whose reply it is */
	uint8_t name[DNS_NAME_MAX];
};

struct trace {
	uint64_t began_ns;   /* when the question came, by the loop's clock */
	unsigned n;          /* steps noted */
	unsigned n_left_out; /* steps for which there was no room */
	bool came;           /* the message that is looked at has its step, or was left out */
	struct trace_step step[TRACE_STEPS];
};

/*
 * trace_about: write "www.example. AAAA" to TEXT, with all bytes escaped that could be mistaken for
 * something else. Returns TEXT.
 */
const char *trace_about(char text[static TRACE_ABOUT], const uint8_t *name, uint16_t qtype);

/* trace_ms: NS as milliseconds. */
MUST_USE static inline double
trace_ms(uint64_t ns)
{
	return (double)ns / (double)NS_PER_MS;
}

/* trace_add: a new step of KIND, to be filled; NULL: there are too many. */
struct trace_step *trace_add(struct trace *t, enum trace_kind kind, uint64_t now_ns);

/*
 * trace_asks: L's question is sent now to l->upstream; BEFORE: the one that it was to ask, or asked
 * last, before that was chosen.
 */
TRACE_FAR void trace_asks(const struct lookups *ls, const struct lookup *l, unsigned before);

/*
 * trace_came: the message of LEN bytes at MSG came from FROM by TRANSPORT, whatever will be thought
 * of it. It has no line: trace_reply follows at once if it is a reply.
 */
TRACE_FAR void trace_came(struct trace *t, const struct netaddr *from, enum transport transport,
    const uint8_t *msg, size_t len, uint64_t now_ns);

/* trace_reply: M came as the reply to L's present attempt. */
TRACE_FAR void trace_reply(
    const struct lookups *ls, const struct lookup *l, const struct msg *m, uint64_t now_ns);

/* trace_silent: the wait for A, an attempt of L, is over. */
TRACE_FAR void trace_silent(
    const struct lookups *ls, const struct lookup *l, const struct attempt *a, uint64_t now_ns);

/* trace_found: the cache has the entry E for KEY. It goes to the log only: an event follows. */
TRACE_FAR void trace_found(const struct question *key, const struct cache_entry *e);

/* trace_kept: E is put into the cache for KEY; ttl_s 0: it may not be kept. */
TRACE_FAR void trace_kept(const struct lookups *ls, const struct question *key,
    const struct cache_entry *e, uint64_t now_ns);

#endif
