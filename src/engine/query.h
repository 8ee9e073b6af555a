/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_ENGINE_QUERY_H
#define DNS64D_ENGINE_QUERY_H

/*
 * query: one client question, from its arrival to its answer.
 *
 * A query waits for one lookup at a time, and may watch another one: while A is asked beside a late
 * AAAA, what comes of AAAA still counts (RULES D5): LATE_ROWS of engine/state_rows.h. This file has
 * the objects and how they wait; engine/phase decides what happens next.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/list.h"
#include "base/netaddr.h"
#include "base/netmap.h"
#include "base/pool.h"
#include "core/conf.h"
#include "core/packet.h"
#include "core/reason.h"
#include "core/stats.h"
#include "core/wheel.h"
#include "dns/answer.h"
#include "dns/msg.h"
#include "dns64/synth.h"
#include "engine/cookie.h"
#include "engine/fetch.h"
#include "engine/partial.h"
#include "engine/state_rows.h"
#include "outbound/budget.h"
#include "outbound/lookup.h"
#include "policy/fair.h"
#include "policy/policy.h"

#define QUERY_NAME_INLINE 64

/* Instead of the length of an answer: the next event is at hand, from the cache. */
#define QUERY_HIT SIZE_MAX
#define QUERY_AAAA_MS 2000    /* ms: AAAA is late after that (RULES D5), */
#define QUERY_CHECK_MS 100    /* between looks whether what keeps it from that is over */
#define QUERY_BESIDE_SILENT 2 /* silent attempts for AAAA until A is asked into the cache */
/* ms: limit of the whole query; stub resolvers give up after 5 s */
#define QUERY_ALL_MS 4500
#define QUERY_BESIDE_SENDS 4 /* of A that is asked into the cache beside AAAA, at most */
#define QUERY_STALE_MS 1800  /* ms after which a stale entry is used (RFC 8767 section 5) */
#define QUERY_MAX_REFUSED 64 /* networks whose refusal is logged, at most */
/* questions that follow open chains, at most, in each of AAAA, A and TARGET (RULES D6) */
#define QUERY_MAX_STEPS 8
#define QUERY_RESERVE 256    /* queries kept for those that can be answered at once, at most */
#define QUERY_SVCB_TARGETS 4 /* SVCB targets of an answer that are looked up, at most */
#define QUERY_SVCB_MAX 4096  /* bytes of an SVCB reply that is kept; a larger one is relayed */
#define QUERY_SVCB_ROOM 1024 /* bytes for addresses behind it */
#define QUERY_SVCB_SHARE 64  /* one in so many queries may keep an SVCB reply */

/* How the AAAA phase ended (the rows of RULES D2); IGNORED: there was none (RULES D13). */
enum query_aaaa { QUERY_AAAA_EMPTY, QUERY_AAAA_FAILED, QUERY_AAAA_IGNORED };

/* What a query has for an answer if what it asks for now is not to be had (RULES D5). */
enum query_fallback {
	QUERY_NO_FALLBACK,
	QUERY_STALE_NXDOMAIN,      /* for AAAA, while A is asked */
	QUERY_STALE_NXDOMAIN_FINAL /* likewise, and A has failed: that is the answer */
};

/* A client's cookie (RFC 7873). */
enum query_cookie {
	QUERY_COOKIE_NONE, /* it has brought no server cookie */
	QUERY_COOKIE_BAD,  /* its server cookie has not been verified as ours */
	QUERY_COOKIE_GOOD  /* it has been: the address is not forged */
};

/* What an answer in state LOCAL holds. */
enum query_local {
	QUERY_LOCAL_ERROR,   /* the rcode, no records */
	QUERY_LOCAL_TC,      /* TC, no records: ask again over TCP */
	QUERY_LOCAL_EMPTY,   /* the rcode and the SOA of the zone */
	QUERY_LOCAL_SPECIAL, /* the records of an enum special_answer */
	/* PTR to the policy's name; for an address of ipv4only.arpa to that name (RULES D16) */
	QUERY_LOCAL_NAME,
	/* TXT with the version; QUERY_LOCAL_ID: with the server's name (RULES D17) */
	QUERY_LOCAL_VERSION,
	QUERY_LOCAL_ID,
	QUERY_LOCAL_HEALTH /* TXT "ready" */
};

#define QUERY_NO_ZONE 0xff

/* A lookup that a query watches: the query does not wait for it, but takes its reply. */
struct query_watch {
	struct list link;      /* in the lookup's watchers */
	struct lookup *lookup; /* NULL: none */
	struct budget_share share;
};

/* What a query does when it runs next. */
enum query_next {
	QUERY_TAKES_EVENT,  /* a lookup's outcome, or an answer of the cache */
	QUERY_STARTS,       /* query_start */
	QUERY_ASKS,         /* the question of its state once more: the cache has it */
	QUERY_FETCHES_STALE /* the stale entry that it knows of is its event, if it is still there
			     */
};

/* What the client asked: its message, as far as it is needed later. */
struct query_request {
	/* in the client's spelling; points to name[] or into the pool of long names */
	const uint8_t *qname;
	uint64_t hash;     /* lookup_hash of qname; 0: not needed yet */
	uint8_t qname_len; /* 0: the question was malformed */
	uint16_t qtype;
	uint16_t qclass;
	uint16_t id;
	uint16_t flags;   /* flags of the question's header */
	uint16_t bufsize; /* bytes: of the client's OPT, at least 512 */
	uint16_t len;     /* bytes of the question's message */
	bool edns : 1;
	bool do_bit : 1;
	bool hands_off : 1;    /* DO and CD: the client validates itself (RULES D8) */
	bool cookie_alone : 1; /* the message had a cookie and no question (RFC 7873 section 5.4) */
	bool signed_msg : 1;   /* TSIG, SIG(0) or TKEY: relayed octet for octet (RULES D20) */
};

/* The COOKIE option of a question, or of its answer (RFC 7873). */
struct client_cookie {
	uint8_t state;             /* enum query_cookie */
	uint8_t len;               /* of bytes; 0: none */
	uint8_t bytes[COOKIE_LEN]; /* the client's until query_start, then that of the answer */
};

/* LOCAL, REVERSE: what is answered here. */
struct local_answer {
	uint8_t kind;    /* LOCAL: enum query_local */
	uint8_t special; /* LOCAL_SPECIAL: enum special_answer */
	/* REVERSE and LOCAL: offset in qname of the zone whose SOA a negative answer carries */
	uint8_t zone_at;
	uint8_t v4[4]; /* REVERSE and LOCAL_NAME: the IPv4 address, in network byte order */
};

/* How AAAA ended, before A was asked. */
struct aaaa_end {
	struct partial *reply; /* owned: the negative AAAA reply; NULL */
	uint64_t empty_at_ns;  /* when the AAAA phase ended */
	uint32_t empty_ttl;    /* s, at empty_at_ns: upper bound of synthesized TTLs (RULES D2) */
	uint16_t upstream;     /* number of the upstream that answered AAAA */
	uint8_t how;           /* enum query_aaaa */
	/* enum lookup_outcome: with LATE_AWAITED, how A ended; LOOKUP_REPLY: nothing to map */
	uint8_t a_outcome;
	uint8_t fallback; /* enum query_fallback */
	uint8_t late;     /* enum query_late */
};

/* The chain of the name, as far as it was followed (RULES D6). */
struct followed_chain {
	struct partial *open;      /* owned: the open chain being followed; NULL */
	struct partial_data *data; /* owned: the A records at the chain's end; else NULL */
	uint8_t n_steps;
	bool targeted : 1; /* TARGET was tried, or is not possible */
};

/* The event that made a query ready. */
struct query_came {
	uint8_t outcome;   /* enum lookup_outcome */
	uint16_t rcode;    /* LOCAL: of the answer; else of a LOOKUP_ERROR event */
	bool with_msg : 1; /* the event comes with a reply */
};

/* What a query may cost (outbound/budget). */
struct query_budget {
	uint8_t left;              /* questions upstream that it may cause yet */
	struct budget_share share; /* what the lookup that it waits for has of them */
	bool used_up : 1;          /* a question was not sent, for want of those left */
};

struct query {
	struct list link;         /* in the waiters of a lookup or in queries.ready */
	struct wheel_timer timer; /* end of the phase, or of the whole query */
	struct lookup *lookup;    /* the lookup it waits for; NULL */
	/* a late AAAA of its name; with LATE_A_KEPT the A that it has asked for (RULES D5) */
	struct query_watch watch;
	/* among the waiting ones of its network, from its first wait on; children have none */
	struct fair_place place;
	uint64_t deadline_ns; /* end of the whole query */
	struct query_request req;
	struct aaaa_end aaaa;
	struct followed_chain chain;
	struct query_svcb *svcb; /* SVCB: owned: the answer that waits for addresses; else NULL */
	/* of a child: the query whose answer waits; NULL: that query waits no longer */
	struct query *parent;
	struct packet_route from; /* where the question came from, and its answer goes */
	struct query_came came;
	uint16_t policy; /* number of the policy in the set of conf_gen */
	uint32_t conf_gen;
	uint8_t state; /* enum query_state */
	uint8_t next;  /* enum query_next */
	struct query_budget budget;
	struct local_answer local;
	/* enum reason: of the answer, as far as it is decided; LOCAL: of that (core/reason) */
	uint8_t reason;
	uint8_t no_room_reason; /* enum reason: of the outcome LOOKUP_NO_ROOM (RULES D26) */
	/* a reply had no AD, or came from an upstream that is not trusted (RULES D9) */
	bool insecure : 1;
	/* it comes from engine/svcb, not from a client: its answer is not sent */
	bool child : 1;
	bool explained : 1;  /* by engine_explain: its answer goes to queries.explanation */
	bool dry : 1;        /* it is for one that is explained, and must not ask upstream */
	bool stale_seen : 1; /* the cache has a stale entry for what it waits for, or may yet */
	bool stale : 1;      /* the answer rests on a stale entry */
	struct client_cookie cookie;
	uint8_t name[QUERY_NAME_INLINE];
};

/* The answer of a query in state SVCB, while it waits for the addresses of its targets. */
struct query_svcb {
	struct query *child[QUERY_SVCB_TARGETS]; /* children that have no answer yet; NULL */
	unsigned n_waiting;
	bool late;         /* some of them were given up */
	uint32_t conf_gen; /* of the settings under which addresses were appended */
	uint16_t n_before; /* of the reply alone: records in the additional section, */
	uint8_t reason;    /* the query's enum reason, */
	size_t len_before; /* and bytes */
	size_t len;
	/* the reply, then with addresses appended */
	uint8_t bytes[QUERY_SVCB_MAX + QUERY_SVCB_ROOM];
};

struct explanation;

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
	struct fair fair;
	uint32_t reserve;    /* with fewer free queries or lookups than this queries give way */
	uint64_t n_crowded;  /* questions that gave way since that was told; 0: it is not */
	uint64_t crowded_ns; /* deadline of the last one for whom another gave way */
	unsigned n_refused;  /* number of networks in refused[] (RULES D23) */
	struct net refused[QUERY_MAX_REFUSED];
	uint32_t conf_gen;   /* number of changes of the settings so far */
	bool refreshed;      /* the query that runs has caused the refresh of an entry */
	bool cached;         /* the last one was, and so is the present one */
	struct fetch *fetch; /* owned; NULL without a cache */
	/* borrowed: of the one query that is explained; NULL: none is */
	struct explanation *explanation;
	/* number of synthesized answers, for rotation of prefixes and addresses */
	uint32_t n_chosen;
	const char *unready; /* borrowed: why the daemon is not ready; NULL: it is */
};

/*
 * queries_init: allocate room for CAP queries. The pointers of BORROWED are copied and must live as
 * long as QS. Returns 0 or -errno.
 */
MUST_USE int queries_init(struct queries *qs, const struct queries *borrowed, uint32_t cap);

/* queries_fini: free what QS owns, all queries included. */
void queries_fini(struct queries *qs);

/* query_find_policy: find the policy of Q's client in the current settings. */
void query_find_policy(const struct queries *qs, struct query *q);

/*
 * query_policy: the policy for Q, borrowed from the current settings. After a reload it is looked
 * up again, as the client may be in another block.
 */
MUST_USE static inline const struct policy *
query_policy(const struct queries *qs, struct query *q)
{
	if (UNLIKELY(q->conf_gen != qs->conf_gen))
		query_find_policy(qs, q);
	return &qs->conf->policies->table[q->policy];
}

/* query_client: who asks: policies, limits and logs go by it. Where the answer goes is q->from. */
MUST_USE static inline const struct netaddr *
query_client(const struct query *q)
{
	return &q->from.peer;
}

/* query_is_dry: is Q for one that is explained, and must not ask upstream? It has no RD then. */
MUST_USE bool query_is_dry(const struct queries *qs, const struct query *q);

/* query_stats: the counters for what is done for Q; if it is explained nobody asked. */
MUST_USE struct stats *query_stats(const struct queries *qs, const struct query *q);

/* query_new: an empty query with its lists and timer initialised; NULL when all are in use. */
MUST_USE struct query *query_new(struct queries *qs);

/*
 * query_set_name: copy the name of LEN bytes at NAME, in the client's spelling, into Q. False: no
 * room.
 */
MUST_USE bool query_set_name(struct queries *qs, struct query *q, const uint8_t *name, size_t len);

/*
 * query_start_soon: make Q, which is new and has what the client said, ready: state_run calls
 * query_start when Q first runs.
 */
void query_start_soon(struct queries *qs, struct query *q);

/*
 * query_start: start Q in q->state, with everything the client said filled in. Returns as query_ask
 * does.
 */
size_t query_start(struct queries *qs, struct query *q, uint64_t now_ns);

/*
 * query_admit: may Q, which waits for nothing yet and is to ask KEY, wait? If so it has its place,
 * and when room is low another query may give way: one that has waited long for an upstream that
 * has not replied in its measured time, or of a network that has more waiting; it is answered with
 * what there is. False: Q is turned away and is ready: answered TC if max-same-question others wait
 * for the same, else with a failure for lack of room (RULES D26).
 */
MUST_USE bool query_admit(struct queries *qs, struct query *q, const struct question *key);

/*
 * query_finds_room: no lookup was left for Q, which goes on to another question: have another query
 * give way to it. False: none does.
 */
MUST_USE bool query_finds_room(struct queries *qs, struct query *q, uint64_t now_ns);

/*
 * query_may_join: may Q, which was admitted, wait for q->lookup, for which others wait? A network
 * of many addresses has no more of them than its multiple of max-same-question; and once half of
 * those wait that may, that holds for all networks and whatever transport, so that there is room
 * for others (RULES D26, D30). False: Q is turned away, as query_admit does.
 */
MUST_USE bool query_may_join(struct queries *qs, struct query *q);

/*
 * query_shed: answer those that wait of clients that the operator denies (policies_ordered), MOST
 * of them at most, by REFUSED or not at all. *AT, first 0, says how far this came. True: call it
 * again, and no other may wait meanwhile whom it should find: such clients are not admitted.
 */
MUST_USE bool query_shed(struct queries *qs, uint32_t *at, unsigned most);

/*
 * query_fail_here: make Q, which waits for no lookup, ready with the failure OUTCOME of our own; a
 * stale entry may still help.
 */
void query_fail_here(struct queries *qs, struct query *q, enum lookup_outcome outcome);

/*
 * query_use_up: upstream is not asked further for Q, as all its questions are used up; a failure
 * says so (RULES D28). Counted once for each question of a client, whose children are part of it.
 */
__attribute__((cold)) void query_use_up(struct queries *qs, struct query *q);

/* query_ready: make Q, which waits for no lookup, ready with the event LOOKUP_SILENT. */
void query_ready(struct queries *qs, struct query *q);

/*
 * query_wake: L has ended with RESULT: make its waiters ready, and its watchers if RESULT has more
 * to say than that AAAA failed: as if they had waited in state AAAA all the time. MOST of them at
 * most. Returns whether any are left.
 */
bool query_wake(
    struct queries *qs, struct lookup *l, const struct lookup_result *result, unsigned most);

/*
 * query_on_deadline: Q's timer fired: Q stops waiting and is ready with LOOKUP_SILENT, or with
 * LOOKUP_NO_ROOM if its question could not be sent. If it waited for AAAA of its own name, it
 * watches it. If it was to use a stale entry that is no longer in the cache, if it would not go on
 * to A, or while it is found out whether AAAA validates (RULES D3), it continues to wait instead.
 * In state SVCB it does not wait for addresses any longer and is ready with LOOKUP_SILENT.
 */
void query_on_deadline(struct queries *qs, struct query *q, uint64_t now_ns);

/*
 * query_expects_none: Q, which has just begun to wait, may ask for AAAA of upstreams that are all
 * known to be silent to it: then A is asked beside it, and AAAA is late after the measured time
 * (RULES D5).
 */
void query_expects_none(struct queries *qs, struct query *q, uint64_t now_ns);

/*
 * query_note_late: Q has A and watches AAAA, which may be late: that counts against the upstreams
 * that are silent to it, once for each name (RULES D5).
 */
void query_note_late(struct queries *qs, struct query *q, uint64_t now_ns);

/*
 * query_on_silence: an attempt of L had no reply in time, and L goes on. After QUERY_BESIDE_SILENT
 * such attempts for AAAA the question for A is asked into the cache, so that it is at hand should
 * AAAA be late (RULES D5). Returns how many waiters it has looked at.
 */
unsigned query_on_silence(struct queries *qs, struct lookup *l, uint64_t now_ns);

/*
 * query_joined: Q has joined a lookup that was there: it stops watching what is of no use any more,
 * and does not wait for AAAA that is late already.
 */
void query_joined(struct queries *qs, struct query *q, uint64_t now_ns);

/* query_goes_on: would Q, in state AAAA, go on to A if AAAA were late? */
MUST_USE bool query_goes_on(struct queries *qs, struct query *q);

/*
 * query_stop_waiting: Q stops waiting for its lookup, and is in no list. If that was AAAA of its
 * own name and Q has time left, it watches it; else what it asked goes on for the cache if there is
 * room.
 */
void query_stop_waiting(struct queries *qs, struct query *q, uint64_t now_ns);

/* query_watches: does Q watch a late AAAA of its own name? */
MUST_USE static inline bool
query_watches(const struct query *q)
{
	return UNLIKELY(q->aaaa.late >= LATE_WATCHED);
}

/* query_is_held: has Q A at hand, and waits for the end of a tick? */
MUST_USE static inline bool
query_is_held(const struct query *q)
{
	return UNLIKELY(q->aaaa.late == LATE_HELD || q->aaaa.late == LATE_LAPSED);
}

/*
 * query_take_late: EVENT has happened about Q's late AAAA: do what its row of LATE_ROWS says. With
 * ENGINE_AUDIT (tests) audit_late wants that there is one.
 */
__attribute__((cold)) void query_take_late(
    struct queries *qs, struct query *q, enum late_event event);

/*
 * query_hold: Q, which runs and for which query_watches is true, has A with the TTL (s), and the
 * cache has it too: put the answer off for a tick, as AAAA may come with the next datagram; real
 * AAAA are not to be beaten (RULES D5). False: that was done already, or cannot be.
 */
MUST_USE bool query_hold(struct queries *qs, struct query *q, uint32_t ttl, uint64_t now_ns);

/* query_wake_watchers: the part of query_wake that concerns watchers, MOST of them at most. */
__attribute__((cold)) void query_wake_watchers(
    struct queries *qs, struct lookup *l, const struct lookup_result *result, unsigned most);

/* query_make_ready: make Q, which waits for no lookup, ready with an event. */
static inline void
query_make_ready(struct queries *qs, struct query *q, enum lookup_outcome outcome, bool with_msg)
{
	q->lookup = NULL;
	q->came.outcome = (uint8_t)outcome;
	q->came.with_msg = with_msg;
	list_push(&qs->ready, &q->link);
}

/*
 * query_ask: ask the question of q->state, for the end of the followed chain if there is one.
 * Returns QUERY_HIT if the cache has the answer, which is Q's next event already; it is in
 * qs->fetch. Else 0, and Q waits for upstream or is ready: with LOOKUP_NO_ROOM if there is no room
 * for a lookup, with LOOKUP_SILENT if Q's time is over or asking is in vain, and refused if the
 * client's RD is 0 (RULES D10).
 */
size_t query_ask(struct queries *qs, struct query *q, uint64_t now_ns);

/* query_refuse: answer Q with REFUSED for REASON. Counted as client_refused unless Q is a child. */
void query_refuse(struct queries *qs, struct query *q, enum reason reason);

/* query_waited: has the question of Q, which is no child, waited for upstream? */
MUST_USE static inline bool
query_waited(const struct query *q)
{
	return q->place.client != NULL;
}

/* query_came_ns: when Q, which has been started, came. */
MUST_USE static inline uint64_t
query_came_ns(const struct query *q)
{
	return q->deadline_ns - QUERY_ALL_MS * NS_PER_MS;
}

/*
 * query_fetch_stale: upstream has failed or is late: fetch a stale entry. True: there is one and
 * *HIT is QUERY_HIT, or upstream was only late and is asked again as by query_ask, and *HIT is 0.
 * False: the cache has no entry (any more) and upstream has failed, which is the event.
 */
MUST_USE bool query_fetch_stale(struct queries *qs, struct query *q, size_t *hit, uint64_t now_ns);

/* query_drop_partial: give *p, if not NULL, back to its pool and set it to NULL. */
void query_drop_partial(struct queries *qs, struct partial **p);

/* query_drop_data: give q->chain.data, if not NULL, back to its pool and set it to NULL. */
void query_drop_data(struct queries *qs, struct query *q);

/*
 * query_forsake: Q, in state SVCB, stops waiting for its children. False: it was not waiting.
 */
bool query_forsake(struct query *q);

/*
 * query_drop_svcb: give q->svcb, if not NULL, back to its pool and set it to NULL. Children still
 * in flight end on their own.
 */
void query_drop_svcb(struct queries *qs, struct query *q);

/*
 * query_is_proven: has Q's client shown that its address is its own, by the transport or a good
 * cookie (RFC 7873)?
 */
MUST_USE static inline bool
query_is_proven(const struct query *q)
{
	return transport_traits[q->from.transport].proven || q->cookie.state == QUERY_COOKIE_GOOD;
}

/* query_is_health: was Q's question for health-name, by a client that may ask? */
MUST_USE static inline bool
query_is_health(const struct query *q)
{
	return q->reason == REASON_HEALTH || q->reason == REASON_NOT_READY;
}

/* A buffer for an answer: CAP bytes, borrowed. */
struct query_out {
	uint8_t *buf;
	size_t cap;
};

/* What happened to the query that runs, and where its answer goes. */
struct query_event {
	enum lookup_outcome outcome;
	uint16_t rcode;
	const struct msg *msg; /* NULL without a reply */
	const struct query_out *out;
	uint64_t now_ns;
	bool stale; /* it is a stale entry of the cache */
	/* set by engine/phase, and only for a reply, in states that look into it: */
	const struct answer *a; /* borrowed: its scanned chain */
	struct synth_usable
	    usable;       /* AAAA, TARGET, NATIVE: excluded_ttl; the counts if it has AAAA */
	uint32_t special; /* enum special; only with EVENT_SPECIAL */
	size_t zone_at;   /* likewise: offset in a->target of the special zone */
};

/*
 * query_negative_ttl: the negative TTL (s) of the reply of EV, whose answer is A; 0 without SOA.
 * All TTLs of a stale reply are FETCH_STALE_TTL, even if the MINIMUM of its SOA is smaller (RULES
 * D5).
 */
MUST_USE static inline uint32_t
query_negative_ttl(const struct query_event *ev, const struct answer *a)
{
	return UNLIKELY(ev->stale) && a->has_soa ? FETCH_STALE_TTL : a->negative_ttl;
}

/*
 * query_free: give Q, which waits for no lookup and is in no list, and all it owns back to the
 * pools.
 */
void query_free(struct queries *qs, struct query *q);

#endif
