/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CORE_QUERY_H
#define DNS64D_CORE_QUERY_H

/*
 * query: one client question and what happens next to it.
 *
 * A query waits for one lookup at a time. What happens next to it is core/state's; here are the
 * objects and their waiting.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/list.h"
#include "base/netaddr.h"
#include "base/netmap.h"
#include "base/pool.h"
#include "core/conf.h"
#include "core/cookie.h"
#include "core/fetch.h"
#include "core/lookup.h"
#include "core/partial.h"
#include "core/stats.h"
#include "core/wheel.h"
#include "dns/msg.h"

#define QUERY_NAME_INLINE 64
#define QUERY_AAAA_MS 2000   /* for the AAAA phase (RULES D5) */
#define QUERY_ALL_MS 4500    /* for the whole: stub resolvers give up after 5 s */
#define QUERY_STALE_MS 1800  /* then something stale will do (RFC 8767 section 5) */
#define QUERY_MAX_REFUSED 64 /* networks noted; the refusal of others is not told */
#define QUERY_MAX_STEPS 8    /* questions asked to follow open chains (RULES D6) */
#define QUERY_SVCB_TARGETS 4 /* of an answer of type SVCB, whose addresses are looked for */
#define QUERY_SVCB_MAX 4096  /* bytes of one that is kept; a larger one is passed as it is */
#define QUERY_SVCB_ROOM 1024 /* for addresses behind it */
#define QUERY_SVCB_SHARE 64  /* one in so many queries may keep a reply */

enum query_state {
	QUERY_RELAY,
	QUERY_AAAA,
	QUERY_A,
	QUERY_TARGET,
	QUERY_NATIVE,
	QUERY_HIDDEN,
	QUERY_SVCB,
	QUERY_REVERSE,
	QUERY_LOCAL
};

/* How the AAAA phase ended, the rows of RULES D2, or that there was none (D13). */
enum query_aaaa { QUERY_AAAA_EMPTY, QUERY_AAAA_FAILED, QUERY_AAAA_IGNORED };

/* What a LOCAL answer holds. */
enum query_local {
	QUERY_LOCAL_ERROR,   /* the rcode alone */
	QUERY_LOCAL_EMPTY,   /* the SOA of the zone */
	QUERY_LOCAL_SPECIAL, /* the records of an enum special_answer */
	QUERY_LOCAL_NAME,    /* PTR to the policy's name, or for ipv4only.arpa's addresses to that
				(RULES D16) */
	QUERY_LOCAL_VERSION, /* TXT with the version, QUERY_LOCAL_ID with the server's name (D17) */
	QUERY_LOCAL_ID
};

#define QUERY_NO_ZONE 0xff

struct query {
	struct list link;         /* among a lookup's waiters or the queries that are ready */
	struct wheel_timer timer; /* end of the phase or of all patience */
	struct lookup *lookup;    /* waited for; NULL */
	uint64_t deadline_ns;     /* of the whole */
	/* the client's spelling; name or an object of the pool of long names */
	const uint8_t *qname;
	struct partial *aaaa;      /* owned: the negative AAAA reply; NULL */
	struct partial *chain;     /* owned: the open chain being followed; NULL */
	struct partial_data *data; /* TARGET: owned: the A records at the chain's end; else NULL */
	struct query_svcb *svcb;   /* SVCB: owned: the answer that waits for addresses; else NULL */
	struct query *parent; /* a child's: the query whose answer waits; NULL: it does no more */
	uint64_t empty_at_ns; /* when the AAAA phase ended */
	struct netaddr peer;
	struct netaddr local;
	uint32_t sock; /* the shell's reference */
	uint32_t gen;
	uint32_t empty_ttl; /* s, at empty_at_ns: bound of synthesized TTLs (RULES D2) */
	uint16_t id;
	uint16_t flags; /* of the question's header */
	uint16_t qtype;
	uint16_t qclass;
	uint16_t bufsize;  /* of the client's OPT, at least 512 */
	uint16_t upstream; /* that answered AAAA */
	uint16_t rcode;    /* the answer's for LOCAL, else of the event if it is LOOKUP_ERROR */
	uint16_t ede;      /* for LOCAL: EDE info code */
	uint16_t policy;   /* its number in the set of conf_gen */
	uint32_t conf_gen;
	uint8_t qname_len; /* 0: the question was not sound */
	uint8_t state;     /* enum query_state */
	uint8_t aaaa_end;  /* enum query_aaaa */
	uint8_t outcome;   /* enum lookup_outcome: the event it is ready for */
	uint8_t n_steps;
	uint8_t v4[4];   /* REVERSE and LOCAL_NAME: the address */
	uint8_t zone_at; /* REVERSE and LOCAL: where in qname the zone begins whose SOA a negative
			    answer carries */
	uint8_t local_kind; /* LOCAL: enum query_local */
	uint8_t special;    /* LOCAL_SPECIAL: enum special_answer */
	bool tcp : 1;
	bool edns : 1;
	bool do_bit : 1;
	bool with_msg : 1;     /* the event has the reply at hand */
	bool targeted : 1;     /* TARGET was tried, or cannot be */
	bool hands_off : 1;    /* DO and CD: the client validates itself (RULES D8) */
	bool insecure : 1;     /* a reply had no AD, or came from an upstream not trusted (D9) */
	bool child : 1;        /* core/svcb asks, no client: the answer is not sent */
	bool starting : 1;     /* it has not run yet */
	bool stale_seen : 1;   /* the cache has something stale for what it waits for */
	bool stale_try : 1;    /* which is to be looked for now */
	bool stale : 1;        /* the answer rests on something stale */
	bool gone_once : 1;    /* a stale NXDOMAIN for AAAA: the answer if A fails too (RULES D5) */
	bool gone_now : 1;     /* which it did */
	bool cookie_alone : 1; /* it came with a cookie and no question (RFC 7873 section 5.4) */
	bool cookie_bad : 1;   /* its cookie has a server's part, which is not known to be ours */
	bool signed_msg : 1;   /* TSIG, SIG(0) or TKEY: passed octet for octet (RULES D20) */
	uint8_t cookie_len;    /* 0: none; the client's own while the question is read */
	uint8_t name[QUERY_NAME_INLINE];
	uint8_t cookie[COOKIE_LEN]; /* the client's, then the answer's */
};

/* The answer of a query in state SVCB, which waits for the addresses of its targets. */
struct query_svcb {
	struct query *child[QUERY_SVCB_TARGETS]; /* those under way; NULL */
	unsigned n_waiting;
	size_t len;
	uint8_t bytes[QUERY_SVCB_MAX + QUERY_SVCB_ROOM]; /* the reply, growing */
};

struct queries {
	const struct conf_core *conf; /* borrowed */
	struct stats *stats;          /* borrowed */
	struct wheel *wheel;          /* borrowed */
	struct lookups *lookups;      /* borrowed */
	struct cookies *cookies;      /* borrowed */
	struct pool pool;
	struct pool long_names;
	struct pool partials;
	struct pool data; /* struct partial_data */
	struct pool svcbs;
	struct list ready;
	unsigned n_refused; /* networks whose refusal this loop has noted (RULES D23) */
	struct net refused[QUERY_MAX_REFUSED];
	uint32_t conf_gen;   /* counts the settings we went through */
	bool refreshed;      /* the query that runs has had an entry refreshed */
	bool hit;            /* fetch has the event for the query that runs */
	struct fetch *fetch; /* owned; NULL without a cache */
	uint32_t n_chosen;   /* answers whose prefixes or addresses were rotated */
};

/* queries_init: room for CAP queries; the pointers in BORROWED are kept. Returns 0 or -errno. */
MUST_USE int queries_init(struct queries *qs, const struct queries *borrowed, uint32_t cap);
void queries_fini(struct queries *qs);

/* query_find_policy: look again for the policy of Q's client, in the settings of the moment. */
void query_find_policy(const struct queries *qs, struct query *q);

/*
 * query_policy: what shapes Q's answer. Numbers are those of one set: after a reload the client may
 * be in another block.
 */
MUST_USE static inline const struct policy *
query_policy(const struct queries *qs, struct query *q)
{
	if (UNLIKELY(q->conf_gen != qs->conf_gen))
		query_find_policy(qs, q);
	return &qs->conf->policies->table[q->policy];
}

/* query_new: an object with nothing set but the lists and timer; NULL when all are out. */
MUST_USE struct query *query_new(struct queries *qs);

/* query_set_name: keep LEN bytes of the client's spelling. False: no room. */
MUST_USE bool query_set_name(struct queries *qs, struct query *q, const uint8_t *name, size_t len);

/*
 * query_start: begin in q->state, with all the client said filled in; it has a hit, waits for a
 * lookup or is ready afterwards. query_start_soon: the same when it first runs: it is ready.
 */
void query_start_soon(struct queries *qs, struct query *q);

void query_start(struct queries *qs, struct query *q, uint64_t now_ns);

/* query_ready: Q, which waits for no lookup, goes on. */
void query_ready(struct queries *qs, struct query *q);

/* query_wake: a lookup has ended; all who wait for L are ready with RESULT. */
void query_wake(struct queries *qs, struct lookup *l, const struct lookup_result *result);

/*
 * query_on_deadline: its timer fired: it stops waiting and is ready with silence; but it goes on if
 * it was to take something stale that has gone.
 */
void query_on_deadline(struct queries *qs, struct query *q, uint64_t now_ns);

/*
 * query_ask: ask for what q->state is about: at the end of the chain followed, if there is one. Has
 * the cache it qs->hit is set, and the event is Q's already. Else Q waits for upstream or, without
 * time or room left, is ready with silence.
 */
void query_ask(struct queries *qs, struct query *q, uint64_t now_ns);

/* query_refuse: Q's answer is REFUSED with the info code EDE (DNS_EDE_NONE: none); a client's
 * counts. */
void query_refuse(struct queries *qs, struct query *q, uint16_t ede);

/*
 * query_fetch_stale: upstream has failed or is late: is there something stale? Then qs->hit is set.
 * False: there is not (any more), and upstream has failed: that is the event.
 */
MUST_USE bool query_fetch_stale(struct queries *qs, struct query *q, uint64_t now_ns);

/* query_drop_partial: give back *r, if any; it is NULL then. */
void query_drop_partial(struct queries *qs, struct partial **r);

/* query_drop_data: give back q->data, if any; it is NULL then. */
void query_drop_data(struct queries *qs, struct query *q);

/* query_forsake: Q, an SVCB query, waits no longer for its children. False: it did not any more. */
bool query_forsake(struct query *q);

/* query_drop_svcb: give back q->svcb, if any; children that Q waits for find their own end. */
void query_drop_svcb(struct queries *qs, struct query *q);

/* Where an answer is to be written. */
struct query_out {
	uint8_t *buf;
	size_t cap;
};

/* What has happened to a query that runs, and where its answer goes. */
struct query_event {
	enum lookup_outcome outcome;
	uint16_t rcode;
	const struct msg *msg; /* NULL without a reply */
	const struct query_out *out;
	uint64_t now_ns;
	bool stale; /* the cache has it, but past its end */
};

/* query_free: give back Q, which waits for nothing, and all it owns. */
void query_free(struct queries *qs, struct query *q);

#endif
