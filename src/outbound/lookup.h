/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_OUTBOUND_LOOKUP_H
#define DNS64D_OUTBOUND_LOOKUP_H

/*
 * lookup: one question for upstream, shared by all queries that wait for it.
 *
 * A lookup lives from the first question with its key (name, type, class, DO, CD) until it has a
 * result. It makes attempts, one after another: an upstream, a transport and a fresh ID. An attempt
 * is given up when its wait is over, or early, for another upstream to be asked too; it stays
 * answerable until the lookup ends (RULES D27). This file has the objects, their table and their
 * waiters; outbound/attempt makes the attempts. A lookup knows nothing of DNS64.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/hash.h"
#include "base/list.h"
#include "base/pool.h"
#include "base/rng.h"
#include "cache/question.h"
#include "cache/shard.h"
#include "core/conf.h"
#include "core/packet.h"
#include "core/stats.h"
#include "core/wheel.h"
#include "dns/msg.h"
#include "outbound/txid.h"
#include "outbound/upstream.h"

#define LOOKUP_SIGNED_MAX 4096 /* bytes: longest signed question */
#define LOOKUP_SIGNED_LEAST 64 /* room for signed questions, at least */
#define LOOKUP_SIGNED_SHARE 64 /* one in so many lookups may be of one, if that is more */
#define LOOKUP_KEPT (SHARD_MSG_MAX + 1024)
#define LOOKUP_NAME_INLINE 80   /* bytes of a name in the object; longer names come from a pool */
#define LOOKUP_MAX_WAITERS 4096 /* queries that wait for one reply, at most (DNSBomb) */
/* after so many the question goes over TCP (RFC 5452 section 9.2) */
#define LOOKUP_NEAR_MISSES 3
#define LOOKUP_LIFE_MS 4492      /* longest life: two ticks less than queries have (RULES D5) */
#define LOOKUP_LINGER_MS 4000    /* how long an unanswered one listens on (RULES D27) */
#define LOOKUP_DOWN_MS 1000      /* life when all upstreams are down (RULES D5) */
#define LOOKUP_TRUNCATED_MS 2000 /* life, if a truncated reply will do then (RULES D5) */
#define LOOKUP_KEPT_REPLIES 64   /* replies kept for waiters that are woken in slices, at most */
#define LOOKUP_TCP_IDS 4096      /* IDs of space 0 reserved for TCP, which uses no other space */
#define LOOKUP_EARLIER_EACH 2    /* room for attempts that were given up, per lookup */
/* with fewer free IDs in its space an attempt that is given up gives its ID back */
#define LOOKUP_SPARE_IDS (TXID_COUNT / 4)

enum lookup_outcome {
	LOOKUP_REPLY, /* NOERROR or NXDOMAIN, not truncated: msg is the reply */
	/*
	 * a reply with TC: no waiter needs the whole reply, or it has real AAAA and the whole reply
	 * cannot be had
	 */
	LOOKUP_TRUNCATED,
	/* every upstream gave an error: rcode is the most telling; msg has it if it came last */
	LOOKUP_ERROR,
	/*
	 * SERVFAIL because the data did not validate (RULES D3): an EDE of msg says so, or, without
	 * msg, further questions showed it
	 */
	LOOKUP_BOGUS,
	LOOKUP_SILENT, /* no attempt got a reply, or there was no upstream to ask */
	/*
	 * we had no free waiter, ID or socket; neither the name nor an upstream is to blame (RULES
	 * D26)
	 */
	LOOKUP_NO_ROOM
};

/* How a lookup ended. */
struct lookup_result {
	enum lookup_outcome outcome;
	uint16_t rcode;    /* for LOOKUP_ERROR */
	uint16_t upstream; /* number of the upstream that gave it; UPSTREAM_NONE */
	bool trusted;      /* AD of that upstream may be trusted (RULES D9) */
	/* borrowed until engine_next is done; NULL if the outcome has none */
	const struct msg *msg;
};

/* The reply to a lookup whose waiters are too many to be woken at once. */
struct lookup_kept {
	struct msg msg;
	uint8_t bytes[PACKET_TCP_CAP];
};

/* How a waiter wants the question to be sent. */
struct lookup_wish {
	bool whole; /* a truncated reply is of no use */
	/* enum transport: if a stream, as its client's is, the first attempt goes over one (RFC
	   5625 section 4.4.1) */
	uint8_t transport;
	uint16_t prefer; /* upstream to begin with; UPSTREAM_NONE */
	/* how often it may be sent from now on (outbound/budget); 0: as often as there is reason to
	 */
	uint8_t sends;
};

/* How far a lookup has come. */
enum lookup_progress {
	/* on the list of attempts to be sent, or of those that wait for a TCP connection */
	LOOKUP_TO_ASK,
	LOOKUP_ASKED_DATAGRAM,
	LOOKUP_ASKED_STREAM,
	LOOKUP_UNSENT,  /* no socket, ID or upstream was available: waits for the timeout */
	LOOKUP_ENDING,  /* on the list of lookups that end with a truncated reply */
	LOOKUP_PUT_OFF, /* it has ended; its waiters are woken in slices (engine/engine) */
	LOOKUP_DONE
};

/* What a lookup's timer is for. */
enum lookup_wait {
	LOOKUP_AWAITS, /* the end of the wait for its present attempt, or for room to send it */
	LOOKUP_EARLY,  /* in flight over UPSTREAM_PRIMARY: another one is asked too, before it is
			  silent */
	LOOKUP_PLACED, /* in flight over TCP: the end of its place on the connection */
	LOOKUP_PAUSED, /* its next attempt; a reply to what was sent is taken meanwhile */
	LOOKUP_HELD,   /* likewise, of the same question: the kernel did not take it, or TCP had no
			  room */
	LOOKUP_SPENT,  /* its end: nothing is left to be sent, but it may still be answered */
	LOOKUP_HOPELESS, /* its end, at the next tick: no upstream or no room to ask */
	LOOKUP_LINGERS   /* it has ended, but a late reply to it is kept for the cache */
};

/* Over what a lookup's attempts go (enum upstream_over). */
enum lookup_plan {
	LOOKUP_AS_USUAL, /* the primary, or what was learned of the upstream (outbound/ways) */
	/* a stream for the next one: as its client, as was learned, or as a last resort */
	LOOKUP_STREAM_NEXT,
	LOOKUP_STREAM_HERE, /* for all at this upstream: a reply was truncated, or is doubted */
	LOOKUP_STREAM_KEPT, /* for all: a signed question stays with its client's transport */
	LOOKUP_PLANS
};

/* What changes that. */
enum lookup_plan_event {
	LOOKUP_WISHES_STREAM,
	LOOKUP_NEEDS_STREAM, /* no reply over UPSTREAM_PRIMARY is of use */
	LOOKUP_NO_REPLY,     /* who is silent over a stream may reply as usual */
	LOOKUP_NO_STREAM,    /* none can be had, or it was the way of one upstream */
	LOOKUP_ELSEWHERE,    /* another upstream is asked */
	LOOKUP_PLAN_EVENTS
};

/* What was wrong with a reply that an attempt over TCP is to confirm (RULES D21). */
enum lookup_suspect {
	LOOKUP_NO_SUSPECT,
	LOOKUP_SUSPECT_CASE,
	LOOKUP_SUSPECT_COOKIE,
	LOOKUP_SUSPECT_GUESS /* nothing to compare with, while IDs are guessed (outbound/id_attack)
			      */
};

/* Which question this attempt asks, to tell bogus data from an upstream in trouble (RULES D3). */
enum lookup_check {
	LOOKUP_CHECK_NONE,
	LOOKUP_CHECK_CD,   /* the second question, after SERVFAIL: with CD */
	LOOKUP_CHECK_AGAIN /* the third question: the same as the first */
};

/* One question sent to one upstream. */
struct attempt {
	/* in flight: in the open list of its socket or TCP connection */
	struct list link;
	struct list shelf;    /* given up: in lookups.shelf */
	struct attempt *next; /* given up: of the same lookup */
	uint64_t sent_ns;
	uint64_t spelling;     /* with cases: keyed hash of the name as it was sent */
	uint64_t cases;        /* random bits for the case of letters (name_mix); 0: none */
	uint16_t id;           /* host byte order */
	uint16_t socket;       /* slot of the UDP socket; over TCP index of the connection */
	uint8_t over;          /* enum upstream_over */
	uint8_t transport;     /* enum transport: which that is */
	uint8_t upstream;      /* its number */
	uint8_t space;         /* the ID's */
	uint8_t check;         /* enum lookup_check */
	uint8_t way;           /* enum way: by which it left */
	bool edns : 1;         /* it carried an OPT */
	bool cookie : 1;       /* it carried a cookie */
	bool cookie_known : 1; /* with a server cookie, so the reply must carry a cookie */
	bool silent : 1;       /* its wait is over without a reply, and that was counted */
	bool refused : 1;      /* in lookups.refused, not in the open list of its socket */
	bool displaced : 1; /* over TCP: it takes no place on its connection (outbound/tcp_pool) */
};

/* Owned by a lookup: LEN bytes of a message; NULL: none. */
struct lookup_copy {
	uint8_t *bytes;
	uint16_t len;
};

/* What a lookup got from the upstreams so far. */
struct lookup_tried {
	uint64_t errored; /* bit per upstream that gave an error, or all that it has */
	uint64_t gone;    /* bit per upstream that was silent to it while it was down */
	/* bit per upstream, the low and the high one of its silent attempts, up to 3 */
	uint64_t silent[UPSTREAM_OVERS][2];
	uint16_t best_rcode; /* of the errors so far; NOERROR: none */
	uint16_t late_rcode; /* of those that came while another attempt was awaited */
	uint8_t n_silent;    /* attempts whose wait is over, up to 255 */
};

/* What a lookup found out about the upstream that it asks; another one begins with nothing. */
struct lookup_here {
	uint32_t near_miss;    /* digest of the near miss that is to be confirmed; 0: none */
	uint16_t agreed_on[2]; /* paths of the near misses that agree */
	uint8_t n_agreed;      /* near misses with the digest near_miss, each on another socket */
	uint8_t n_stopped;     /* near misses since no TCP connection could be had */
	uint8_t suspect;       /* enum lookup_suspect */
	bool no_tcp;           /* TCP to it failed, was too slow or full: UDP is used */
	bool no_edns;          /* it refused EDNS */
	bool cookie_bad;       /* BADCOOKIE came from it */
};

/* How a lookup that was put off has ended. */
struct lookup_ended {
	struct lookup_kept *reply; /* owned; NULL: none */
	uint8_t outcome;           /* enum lookup_outcome */
	bool trusted;              /* struct lookup_result.trusted */
};

/* Who waits for a lookup, and what they want of it. */
struct lookup_waiters {
	struct list list; /* struct query.link */
	/* one of a ring of query_watch.link: who would take its reply; NULL: nobody */
	struct list *ring;
	uint16_t n;      /* those on both */
	uint8_t allowed; /* attempts that the best off of those who wait has for it, up to 255 */
	bool needed : 1; /* continues for the cache when no query waits */
	bool whole : 1;  /* a truncated reply is of no use to one of them */
	bool over_budget : 1; /* it was not sent once more, as n_sends had come to allowed */
};

/* The place of a lookup in the hash table. */
struct lookup_entry {
	struct lookup *next; /* same hash bucket */
	uint32_t hash;
	bool listed : 1; /* it is in the table */
};

/* Why silence may show nothing of a name or an upstream. */
struct lookup_excuse {
	bool no_room : 1;    /* an attempt had no ID or socket (RULES D26) */
	bool at_ceiling : 1; /* each upstream had as many questions as it may (RULES D26) */
	bool hindered : 1;   /* the upstream was down during the last attempt and is up again */
	bool hurried : 1;    /* its life is short as all upstreams are down */
};

/* How its attempts go over streams. */
struct lookup_stream {
	uint8_t plan;   /* enum lookup_plan */
	bool again : 1; /* was sent once more after its connection had closed */
	bool full : 1;  /* found no room on TCP, and was sent once more (RULES D27) */
	bool vain : 1;  /* TCP on a suspicion was of no use; it is not tried again */
};

/* Is a lookup a probe, which looks how an upstream is, and of what? */
struct lookup_probe {
	bool is : 1; /* no query waits for it */
	uint8_t way; /* enum way, WAY_AS_LEARNED or WAY_LARGE */
};

/* What silence to AAAA led to (RULES D5). */
struct lookup_late {
	bool a_asked : 1; /* A was asked beside it, as it was silent */
	bool noted : 1;   /* it was counted as a late AAAA of its upstreams */
};

struct lookup {
	struct list link; /* in a list of lookups.unsent, ending or put_off */
	struct lookup_waiters waiters;
	struct wheel_timer timer; /* what for: wait */
	struct lookup_entry entry;
	struct question key;     /* its qname points to name[] or into the pool of long names */
	struct attempt *earlier; /* owned: those given up that may still be answered */
	uint64_t born_ns;        /* when its first attempt began */
	uint64_t end_ns;         /* when it ends, if no reply has come */
	uint32_t number;         /* its index in the pool */
	uint16_t upstream; /* number of the upstream asked last, or to be asked next if pinned */
	uint8_t progress;  /* enum lookup_progress */
	uint8_t wait;      /* enum lookup_wait */
	struct lookup_stream stream;
	uint8_t n_sends; /* attempts so far, up to 255 */
	uint8_t n_near_misses;
	uint8_t check;    /* enum lookup_check */
	uint8_t n_unsent; /* how often it left in vain: see outbound/loss; up to a limit */
	struct lookup_probe probe;
	struct lookup_excuse excuse;
	bool exploring : 1; /* its first attempt measures an upstream that others are better than */
	bool refused : 1;   /* over UDP, by ICMP, and no reply came over TCP since */
	bool pinned : 1;    /* the next attempt goes to upstream, whatever its health */
	struct lookup_late late;
	struct lookup_copy message; /* a signed message, sent as it is (RULES D20) */
	/* a reply with real AAAA, used if the whole one cannot be had */
	struct lookup_copy truncated;
	struct lookup_tried tried;
	struct lookup_here here;
	struct lookup_ended ended;
	/* from here on nothing is set by lookup_start */
	/* sent last; in flight in LOOKUP_ASKED_DATAGRAM and LOOKUP_ASKED_STREAM */
	struct attempt now;
	uint8_t name[LOOKUP_NAME_INLINE];
};

/* Lookups that are to be sent. */
struct lookups_unsent {
	struct list now; /* those for TCP too, while their upstream has room */
	/* to be asked over TCP, by the number of the upstream whose connections have no room */
	struct list for_tcp[UPSTREAM_MAX];
	uint64_t tcp_ready; /* bit per number: it may have room now */
};

struct trace;

/* Who wants to know what becomes of lookups (outbound/trace). */
struct lookups_traced {
	bool anybody;        /* debug lines are written, or trace is not NULL */
	struct trace *trace; /* borrowed: of the question that is explained; NULL: none is */
};

struct lookups {
	const struct conf_core *conf; /* borrowed */
	struct stats *stats;          /* borrowed */
	struct rng *rng;              /* borrowed */
	struct wheel *wheel;          /* borrowed */
	struct upstreams *upstreams;  /* borrowed */
	struct pool pool;
	struct pool long_names;
	struct pool messages;     /* copies of signed questions */
	struct pool replies;      /* truncated replies */
	struct pool attempts;     /* those given up */
	struct pool kept_replies; /* struct lookup_kept */
	struct list shelf;        /* these, by age */
	struct list refused; /* attempts on a socket that ICMP refused, for loss_next_refused */
	struct list orphans; /* attempts whose socket was closed */
	struct list ending;  /* lookups that end with their truncated reply */
	struct list put_off; /* lookups that have ended and whose waiters are woken in slices */
	struct list lost;    /* TCP connections that ended: struct tcp_conn.link */
	bool more; /* work may be left: in ending, put_off, refused or lost (engine/engine) */
	struct lookups_traced traced;
	/* the truncated reply of the lookup that ended last; its bytes are in reply */
	struct msg truncated;
	struct lookup **buckets; /* owned: 2^(32 - shift) heads */
	unsigned shift;          /* a hash >> shift is the index of its bucket */
	uint64_t seed;           /* keys the hash of names */
	uint64_t spread;         /* keys the rest of a question: odd and secret */
	struct lookups_unsent unsent;
	unsigned n_spaces;
	uint8_t reply[PACKET_UDP_CAP]; /* a reply in lower case (RULES D24), or the bytes of
					  truncated */
	/* owned: LOOKUP_KEPT bytes, a reply on its way to the cache; NULL without one */
	uint8_t *kept;
	struct txid *spaces;        /* owned: TXID_MAX_SPACES, initialised as they come into use */
	struct stale_id *stale_ids; /* owned: UPSTREAM_MAX_SOCKETS, by slot */
};

/* --- Room for lookups, and their table -------------------------------------------------------- */

/*
 * lookups_init: allocate room for CAP lookups. The pointers of BORROWED are copied and must live as
 * long as LS. Returns 0 or -errno.
 */
MUST_USE int lookups_init(struct lookups *ls, const struct lookups *borrowed, uint32_t cap);

/* lookups_fini: free what LS owns, all lookups included. */
void lookups_fini(struct lookups *ls);

/* lookup_hash: the hash for struct question of NAME, LEN bytes of a name in lower case. */
MUST_USE static inline uint64_t
lookup_hash(const struct lookups *ls, const uint8_t *name, size_t len)
{
	return hash_bytes(name, len, ls->seed);
}

/*
 * lookup_has_room: may lookups continue that no query waits for? True while more than three
 * quarters of the room are free.
 */
MUST_USE bool lookup_has_room(const struct lookups *ls);

/* lookup_at: the lookup with this number, which must be in use. */
static inline struct lookup *
lookup_at(const struct lookups *ls, uint32_t number)
{
	return (struct lookup *)(void *)(ls->pool.mem + (size_t)number * ls->pool.stride);
}

/* --- A lookup begins -------------------------------------------------------------------------- */

/*
 * lookup_find_or_start: find the lookup for KEY (name in lower case), or start one; *found says
 * which. One that lingers starts anew, and what it sent may be answered yet. WISH is added to the
 * wishes of other waiters. The caller joins or sets needed. NULL: no room for another lookup or
 * waiter.
 */
MUST_USE struct lookup *lookup_find_or_start(
    struct lookups *ls, const struct question *key, const struct lookup_wish *wish, bool *found);

/*
 * lookup_start_signed: start a lookup that sends a copy of the client's message M (MSG_OK, with a
 * question), changing only its ID, over TRANSPORT, and that takes any
 * reply to it (RULES D20). It is not in the table: no other query joins. NULL: no room, or M is
 * over LOOKUP_SIGNED_MAX bytes.
 */
MUST_USE struct lookup *lookup_start_signed(
    struct lookups *ls, const struct msg *m, enum transport transport);

/*
 * lookup_refresh: ask for KEY without a waiter, up to SENDS times (1-255); the reply goes to the
 * cache. False: no room.
 */
bool lookup_refresh(struct lookups *ls, const struct question *key, uint8_t sends);

/*
 * lookup_start_probe: start a lookup that only shows whether upstream U replies to a question for
 * QTYPE of the root that goes by WAY (enum way, or WAY_AS_LEARNED). Without room there is no probe.
 */
void lookup_start_probe(struct lookups *ls, unsigned u, unsigned way, uint16_t qtype);

/* lookup_start_large: start a probe with L's question, to see if large replies get through. */
void lookup_start_large(struct lookups *ls, const struct lookup *l);

/* --- Queries wait for it ---------------------------------------------------------------------- */

/* lookup_join: let LINK (struct query.link, in no list) wait for L. */
void lookup_join(struct lookup *l, struct list *link);

/* lookup_watch: WAITS, which waits for L, stops waiting, and WATCHES, in no list, watches L. */
void lookup_watch(struct lookup *l, struct list *waits, struct list *watches);

/* lookup_next_watcher: take one of those who watch L off their ring; NULL: there is none. */
struct list *lookup_next_watcher(struct lookup *l);

/* lookup_wait_again: WATCHES stops watching L, and WAITS, in no list, waits for L. */
void lookup_wait_again(struct lookup *l, struct list *watches, struct list *waits);

/*
 * lookup_leave: LINK stops waiting for L, or watching it. Without waiters and watchers L is freed,
 * unless it is needed for the cache.
 */
void lookup_leave(struct lookups *ls, struct lookup *l, struct list *link);

/* --- What its attempts go over ---------------------------------------------------------------- */

/* lookup_plan: EVENT changes over what L's attempts go. */
static inline void
lookup_plan(struct lookup *l, enum lookup_plan_event event)
{
	static const uint8_t next[LOOKUP_PLAN_EVENTS][LOOKUP_PLANS] = {
		[LOOKUP_WISHES_STREAM] = { LOOKUP_STREAM_NEXT, LOOKUP_STREAM_NEXT,
		    LOOKUP_STREAM_HERE, LOOKUP_STREAM_KEPT },
		[LOOKUP_NEEDS_STREAM] = { LOOKUP_STREAM_HERE, LOOKUP_STREAM_HERE,
		    LOOKUP_STREAM_HERE, LOOKUP_STREAM_KEPT },
		[LOOKUP_NO_REPLY] = { LOOKUP_AS_USUAL, LOOKUP_AS_USUAL, LOOKUP_STREAM_HERE,
		    LOOKUP_STREAM_KEPT },
		[LOOKUP_NO_STREAM] = { LOOKUP_AS_USUAL, LOOKUP_AS_USUAL, LOOKUP_AS_USUAL,
		    LOOKUP_STREAM_KEPT },
		[LOOKUP_ELSEWHERE] = { LOOKUP_AS_USUAL, LOOKUP_STREAM_NEXT, LOOKUP_AS_USUAL,
		    LOOKUP_STREAM_KEPT },
	};

	l->stream.plan = next[event][l->stream.plan];
}

/* lookup_over: over what L's next attempt goes. */
MUST_USE static inline enum upstream_over
lookup_over(const struct lookup *l)
{
	return l->stream.plan != LOOKUP_AS_USUAL ? UPSTREAM_FALLBACK : UPSTREAM_PRIMARY;
}

/* lookup_needs_stream: is no attempt over the primary transport of use to L, at least here? */
MUST_USE static inline bool
lookup_needs_stream(const struct lookup *l)
{
	return l->stream.plan == LOOKUP_STREAM_HERE || l->stream.plan == LOOKUP_STREAM_KEPT;
}

/* --- Its attempts ----------------------------------------------------------------------------- */

/* lookup_of: the lookup that attempt A, which is in flight, belongs to. */
MUST_USE struct lookup *lookup_of(const struct lookups *ls, const struct attempt *a);

/* lookup_in_flight: is L's present attempt in flight? */
MUST_USE static inline bool
lookup_in_flight(const struct lookup *l)
{
	return l->progress == LOOKUP_ASKED_DATAGRAM || l->progress == LOOKUP_ASKED_STREAM;
}

/* lookup_conn: the connection that attempt A went over, by TCP. */
static inline struct tcp_conn *
lookup_conn(const struct lookups *ls, const struct attempt *a)
{
	return &ls->upstreams->table[a->upstream].tcp[a->socket];
}

/* lookup_went_by: did OWNER's question go over the TCP connection CONN (engine/engine)? */
static inline bool
lookup_went_by(const struct txid_owner *owner, uint32_t conn)
{
	return transport_is_stream(owner->transport) && owner->upstream == conn / TCP_POOL_SIZE &&
	    owner->socket == conn % TCP_POOL_SIZE;
}

/*
 * lookup_counts_as_probe: is L, which is in flight, one of the probes that show whether its
 * upstream is lost (outbound/health)? Those by another way, or for AAAA, are none.
 */
MUST_USE static inline bool
lookup_counts_as_probe(const struct lookup *l)
{
	return l->probe.is && lookup_in_flight(l) && l->now.over == UPSTREAM_PRIMARY &&
	    l->probe.way == WAY_AS_LEARNED && l->key.qtype == DNS_TYPE_NS;
}

/*
 * lookup_shorten: as all upstreams are down, L lives for LOOKUP_DOWN_MS from NOW_NS on at most
 * (RULES D5).
 */
static inline void
lookup_shorten(struct lookup *l, uint64_t now_ns)
{
	uint64_t end_ns = now_ns + LOOKUP_DOWN_MS * NS_PER_MS;

	l->excuse.hurried = true;
	l->end_ns = l->end_ns < end_ns ? l->end_ns : end_ns;
}

/* lookup_set_wait: L waits for WHAT until DUE_NS, or its end if that is sooner. */
static inline void
lookup_set_wait(struct lookups *ls, struct lookup *l, enum lookup_wait what, uint64_t due_ns)
{
	l->wait = (uint8_t)what;
	wheel_set(ls->wheel, &l->timer, due_ns < l->end_ns ? due_ns : l->end_ns);
}

/* lookup_may_shelve: is there room for lookup_shelve to keep L's attempt? */
MUST_USE static inline bool
lookup_may_shelve(const struct lookups *ls, const struct lookup *l)
{
	return txid_room(&ls->spaces[l->now.space]) > LOOKUP_SPARE_IDS &&
	    pool_room(&ls->attempts) > 0;
}

/*
 * lookup_shelve: L's attempt, which is in flight, is given up: it goes to L->earlier and L is
 * LOOKUP_UNSENT. Without room, or with few IDs left, it is ended instead.
 */
void lookup_shelve(struct lookups *ls, struct lookup *l);

/*
 * lookup_recall: make the attempt with ID (host byte order) of SPACE, one of L->earlier, the
 * present one. The attempt that was, if in flight, takes its place in L->earlier and is returned;
 * else NULL is. The timer stays.
 */
struct attempt *lookup_recall(struct lookups *ls, struct lookup *l, unsigned space, uint16_t id);

/* lookup_drop: end attempt A, one of L->earlier. */
void lookup_drop(struct lookups *ls, struct lookup *l, struct attempt *a);

/*
 * lookup_drop_oldest: end the attempt that was given up first, of all lookups. False: there is
 * none.
 */
MUST_USE bool lookup_drop_oldest(struct lookups *ls);

/* lookup_stop_attempt: end L's attempt: give back its ID, clear its timer, take L off its list. */
void lookup_stop_attempt(struct lookups *ls, struct lookup *l);

/* lookup_ask: end L's attempt, if it has one: L is to ask the upstream l->upstream next. */
void lookup_ask(struct lookups *ls, struct lookup *l);

/*
 * lookup_expect: attempt A is about to end without a reply; one that comes yet by its socket is no
 * guess.
 */
static inline void
lookup_expect(const struct lookups *ls, const struct attempt *a)
{
	const struct txid_owner *o = &ls->spaces[a->space].owner[a->id];

	/* Over TCP nobody guesses; and the socket may be closed. */
	if (!transport_is_stream(o->transport) && o->socket < UPSTREAM_MAX_SOCKETS)
		stale_id_note(&ls->stale_ids[o->socket], a->id);
}

/* lookup_orphan: the UDP socket in SLOT is closed: no reply to the attempts on it is taken. */
void lookup_orphan(struct lookups *ls, unsigned slot);

/* --- It waits for room on a TCP connection, or to be sent ------------------------------------- */

/*
 * lookup_tcp_wait: L, on no list, is to be sent over TCP to l->upstream, whose connections end
 * after a few replies and have no room for it now (outbound/tcp_pool). It waits until there is, or,
 * if another upstream can be asked, or it need not go over TCP, for as long as a reply takes.
 */
void lookup_tcp_wait(struct lookups *ls, struct lookup *l, uint64_t now_ns);

/*
 * lookup_tcp_leave: L's attempt, which is in flight over TCP, takes no place on its connection any
 * more. It is waited for still.
 */
void lookup_tcp_leave(struct lookups *ls, struct lookup *l);

/* lookup_tcp_room: the connections to upstream U may have room for lookups that wait for it. */
void lookup_tcp_room(struct lookups *ls, unsigned u);

/*
 * lookup_tcp_room_all: the settings changed: that may be so of any, or one is no upstream any more
 */
void lookup_tcp_room_all(struct lookups *ls);

/* lookup_to_ask: may there be a lookup to be sent now? */
MUST_USE static inline bool
lookup_to_ask(const struct lookups *ls)
{
	return !list_empty(&ls->unsent.now) || UNLIKELY(ls->unsent.tcp_ready != 0);
}

/*
 * lookup_tcp_next: the link of the next lookup that waits for room on a connection that there
 * is now, taken from its list; the one that has waited longest for its upstream. NULL: there is
 * none.
 */
MUST_USE struct list *lookup_tcp_next(struct lookups *ls);

/* lookup_next_to_ask: the link of the next lookup to be sent, taken from its list; NULL: none. */
MUST_USE static inline struct list *
lookup_next_to_ask(struct lookups *ls)
{
	struct list *link = UNLIKELY(ls->unsent.tcp_ready != 0) ? lookup_tcp_next(ls) : NULL;

	return link != NULL ? link : list_pop(&ls->unsent.now);
}

/* --- It ends ---------------------------------------------------------------------------------- */

/*
 * lookup_keep_truncated: copy M, a truncated reply to L (PACKET_UDP_CAP bytes at most), to use it
 * if no whole reply comes. Without room for the copy L may end with LOOKUP_NO_ROOM (RULES D26).
 */
void lookup_keep_truncated(struct lookups *ls, struct lookup *l, const struct msg *m);

/*
 * lookup_lacks_room: has L no reply because there was no room here to send it? Then that says
 * nothing of its name, nor of an upstream (RULES D26).
 */
MUST_USE static inline bool
lookup_lacks_room(const struct lookup *l)
{
	return l->excuse.no_room ||
	    (l->progress == LOOKUP_UNSENT && l->wait == LOOKUP_HELD && !l->refused);
}

/*
 * lookup_linger: L, which nobody waits for, has ended without a reply. If attempts of it are
 * answerable still and there is room, it waits for LOOKUP_LINGER_MS to be answered for the cache,
 * or for who asks for it again (lookup_find_or_start). False: it does not.
 */
MUST_USE bool lookup_linger(struct lookups *ls, struct lookup *l, uint64_t now_ns);

/*
 * lookup_put_off: L has ended with RESULT, and its waiters are too many to be woken at once: L
 * leaves the table, keeps a copy of the reply and is on the list put_off, from which
 * lookup_next_put_off takes it. Without room for a copy it ends with LOOKUP_NO_ROOM (RULES D26).
 */
void lookup_put_off(struct lookups *ls, struct lookup *l, const struct lookup_result *result);

/*
 * lookup_next_put_off: the first lookup that was put off, with *result filled as it ended; NULL:
 * there is none. It goes to the end of the list. result->msg is borrowed until lookup_free.
 */
MUST_USE struct lookup *lookup_next_put_off(struct lookups *ls, struct lookup_result *result);

/* lookup_free: give L back, which has no waiters and watchers, and all it owns. */
void lookup_free(struct lookups *ls, struct lookup *l);

/* lookup_outcome_name: a word for OUTCOME, for programs: "reply", "error", "silent", ... */
MUST_USE const char *lookup_outcome_name(enum lookup_outcome outcome);

#endif
