/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CORE_LOOKUP_H
#define DNS64D_CORE_LOOKUP_H

/*
 * lookup: one question for upstream, however many queries wait for it.
 *
 * A lookup lives from the first question with its key (name, type, class, DO, CD) until it
 * has a result, and makes one attempt at a time: an upstream, a transport and a fresh ID.
 * The attempts are core/attempt's; here are the objects, their table and their waiters. A lookup
 * knows nothing of DNS64.
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
#include "core/txid.h"
#include "core/upstream.h"
#include "core/wheel.h"
#include "dns/msg.h"

#define LOOKUP_SIGNED_MAX 4096 /* bytes of a signed question */
#define LOOKUP_SIGNED_LEAST 64 /* room for at least so many of them, else one for each of */
#define LOOKUP_SIGNED_SHARE 64 /* so many lookups */
#define LOOKUP_KEPT (SHARD_MSG_MAX + 1024)
#define LOOKUP_NAME_INLINE 80   /* longer names come from a pool of their own */
#define LOOKUP_MAX_WAITERS 4096 /* queries that one reply may answer at once (DNSBomb) */
#define LOOKUP_NEAR_MISSES 3    /* then the question goes over TCP (RFC 5452 section 9.2) */
#define LOOKUP_SENDS_EACH 3     /* attempts without reply per upstream (RFC 9520 section 3.1) */
#define LOOKUP_TCP_IDS \
	4096 /* IDs of space 0 that UDP leaves to TCP, whose connections use no other */

enum lookup_outcome {
	LOOKUP_REPLY,     /* NOERROR or NXDOMAIN, whole: the message decides */
	LOOKUP_TRUNCATED, /* a reply with TC, and nobody who waits needs the whole, or it has real
			     AAAA and the whole is not to be had */
	LOOKUP_ERROR,  /* every upstream gave an error: rcode is the best, msg it if it came last */
	LOOKUP_BOGUS,  /* SERVFAIL because the data did not validate (RULES D3): an EDE of msg says
			  so,  or without msg it was found by asking */
	LOOKUP_SILENT, /* tries spent without a reply, or nobody to ask */
	LOOKUP_NO_ROOM /* we had none: no waiter, ID or socket more. No fault of the name's or of an
			  upstream's (RULES D26) */
};

/* How a lookup ended. */
struct lookup_result {
	enum lookup_outcome outcome;
	uint16_t rcode;    /* for LOOKUP_ERROR */
	uint16_t upstream; /* that gave it; UPSTREAM_NONE */
	bool trusted;      /* that one's AD may be believed (RULES D9) */
	/* borrowed until engine_next is done; NULL if the outcome has none */
	const struct msg *msg;
};

/* What one who waits wishes of the way the question goes. */
struct lookup_wish {
	bool whole;      /* a truncated reply is no use */
	bool tcp;        /* begin over TCP: a TCP client's question (RFC 5625 section 4.4.1) */
	uint16_t prefer; /* upstream to begin with; UPSTREAM_NONE */
};

enum lookup_phase {
	LOOKUP_TO_ASK, /* on the list of attempts to be sent */
	LOOKUP_ASKED_UDP,
	LOOKUP_ASKED_TCP,
	LOOKUP_UNSENT, /* no socket, ID or upstream was to be had: waits for the timeout */
	LOOKUP_CUT,    /* on the list of those that end with a truncated reply */
	LOOKUP_DONE
};

/* What was wrong with a reply that is to be confirmed (RULES D21). */
enum lookup_suspect { LOOKUP_NO_SUSPECT, LOOKUP_SUSPECT_CASE, LOOKUP_SUSPECT_COOKIE };

/* Which of the questions that tell bogus data from an upstream in trouble the attempt asks (D3). */
enum lookup_check {
	LOOKUP_CHECK_NONE,
	LOOKUP_CHECK_CD,   /* the second, after SERVFAIL: with CD */
	LOOKUP_CHECK_AGAIN /* the third: as it was */
};

struct lookup {
	struct list link;         /* attempts to be sent, or those over one TCP connection */
	struct list waiters;      /* struct query.link */
	struct wheel_timer timer; /* of the attempt */
	struct lookup *next;      /* same hash bucket */
	const uint8_t *qname;     /* lower case; name or an object of the pool of long names */
	uint8_t *message; /* owned: the client's own message, sent as it is (RULES D20); NULL */
	uint8_t *cut;   /* owned: a truncated reply with real AAAA, if the whole is not to be had */
	uint64_t cases; /* of the attempt: which letters are capitals; 0: none */
	uint64_t errored;   /* bit per upstream that gave an error, or is not to be asked again */
	uint64_t silent[2]; /* bits of a number per upstream: attempts without reply, up to 3 */
	uint64_t name_hash; /* struct question.hash */
	uint32_t hash;
	uint32_t near_miss; /* digest of the reply that is to be confirmed */
	uint32_t number;    /* its place in the table of lookups */
	uint16_t qtype;
	uint16_t qclass;
	uint16_t n_waiters;
	uint16_t upstream; /* asked last, or to be asked next if pinned */
	uint16_t id;
	uint16_t socket;
	uint16_t agreed_on[2]; /* sockets of the near misses that agree */
	uint16_t best_rcode;   /* of the errors so far; NOERROR: none */
	uint16_t message_len;
	uint16_t cut_len;
	uint8_t qname_len;
	uint8_t space;
	uint8_t phase;    /* enum lookup_phase */
	uint8_t n_sends;  /* attempts so far, up to 255 */
	uint8_t n_silent; /* of those, sent or not, without a reply */
	uint8_t n_near_misses;
	uint8_t suspect;   /* enum lookup_suspect */
	uint8_t check;     /* enum lookup_check */
	uint8_t n_agreed;  /* near misses that say near_miss, each on another socket */
	uint8_t n_stopped; /* near misses since TCP was not to be had */
	bool do_bit : 1;
	bool cd : 1;
	bool listed : 1; /* in the hash table */
	bool whole : 1;
	bool tcp : 1;       /* the attempt goes over TCP */
	bool tcp_only : 1;  /* and must: truncated, or spoofing was noticed */
	bool tcp_again : 1; /* was asked once more after its connection had closed */
	bool hopeless : 1;  /* nobody to ask, or no room to ask: it ends at its timer */
	bool no_room : 1;   /* an attempt had no ID or socket: silence says nothing (RULES D26) */
	bool pinned : 1;    /* the next attempt goes to upstream, whatever its health */
	bool edns : 1;      /* the attempt carried an OPT */
	bool no_edns : 1;   /* this upstream refused it */
	bool probe : 1;     /* does this upstream reply at all? Nobody waits */
	bool cookie : 1;    /* the attempt carried a cookie */
	bool cookie_known : 1; /* and the upstream's part of it: one must come back */
	bool cookie_bad : 1;   /* BADCOOKIE came from this upstream */
	bool no_tcp : 1;       /* TCP was not to be had to confirm a near miss */
	bool needed : 1;       /* for the cache, also when nobody waits */
	bool hindered : 1; /* the upstream was down in the attempt before, and is not any more */
	bool tcp_kept : 1; /* a signed question stays with its client's transport */
	uint8_t name[LOOKUP_NAME_INLINE];
};

struct lookups {
	const struct conf_core *conf; /* borrowed */
	struct stats *stats;          /* borrowed */
	struct rng *rng;              /* borrowed */
	struct wheel *wheel;          /* borrowed */
	struct upstreams *upstreams;  /* borrowed */
	struct pool pool;
	struct pool long_names;
	struct pool messages;    /* of signed questions */
	struct pool replies;     /* that are truncated */
	struct list cuts;        /* lookups that end with theirs */
	struct msg cut;          /* that of the lookup that ended last; its bytes are in reply */
	struct lookup **buckets; /* owned: 2^(32 - shift) heads */
	unsigned shift;          /* of a hash: what is left is the bucket */
	uint64_t seed;           /* keys the hash of names */
	uint64_t spread;         /* keys the rest of a question: odd, and as secret */
	struct list to_ask;
	unsigned n_spaces;
	uint8_t reply[PACKET_UDP_CAP]; /* one whose question is spelled as we asked (RULES D24), or
					  cut */
	/* owned: LOOKUP_KEPT bytes, a reply on its way to the cache; NULL without one */
	uint8_t *kept;
	struct txid *spaces; /* owned: TXID_MAX_SPACES, initialised as they come into use */
};

/*
 * lookups_init: room for CAP lookups; the pointers are borrowed for its life. Returns 0 or -errno.
 */
MUST_USE int lookups_init(struct lookups *ls, const struct lookups *borrowed, uint32_t cap);
void lookups_fini(struct lookups *ls);

/* lookup_hash: what struct question wants of LEN bytes of a name in lower case. */
MUST_USE static inline uint64_t
lookup_hash(const struct lookups *ls, const uint8_t *name, size_t len)
{
	return hash_bytes(name, len, ls->seed);
}

/*
 * lookup_find_or_start: the lookup for KEY, begun if there is none; *found tells. WISH joins those
 * of others who wait. NULL: no room for another lookup or waiter.
 */
MUST_USE struct lookup *lookup_find_or_start(
    struct lookups *ls, const struct question *key, const struct lookup_wish *wish, bool *found);

/*
 * lookup_start_signed: a lookup that sends a copy of the client's message M (MSG_OK, with a
 * question) octet for octet but for its ID, over TCP or UDP and no other, and takes any reply to it
 * (RULES D20). It is in no table: nobody else joins. NULL: no room, or M is over
 * LOOKUP_SIGNED_MAX bytes.
 */
MUST_USE struct lookup *lookup_start_signed(struct lookups *ls, const struct msg *m, bool tcp);

/* lookup_join: LINK (a query's) waits for L. lookup_leave: it does not any more; without waiters L
 * ends, unless it is needed. */
void lookup_join(struct lookup *l, struct list *link);
void lookup_leave(struct lookups *ls, struct lookup *l, struct list *link);

/*
 * lookup_keep_cut: keep M, a truncated reply to L (PACKET_UDP_CAP bytes at most), for want of a
 * whole one. Without room L may end for that (RULES D26).
 */
void lookup_keep_cut(struct lookups *ls, struct lookup *l, const struct msg *m);

/*
 * lookup_has_room: may lookups go on that no query waits for? They leave most of the room to those
 * that have one.
 */
MUST_USE bool lookup_has_room(const struct lookups *ls);

/* lookup_refresh: ask for KEY though nobody waits; the cache keeps what comes. False: no room. */
bool lookup_refresh(struct lookups *ls, const struct question *key);

/* lookup_start_probe: a lookup that only shows whether upstream U replies; without room it is not
 * probed. */
void lookup_start_probe(struct lookups *ls, unsigned u);

/* lookup_at: the lookup with that number. */
static inline struct lookup *
lookup_at(const struct lookups *ls, uint32_t number)
{
	return (struct lookup *)(void *)(ls->pool.mem + (size_t)number * ls->pool.stride);
}

/*
 * lookup_stop_attempt: the ID, timer and lists of the attempt under way are free again.
 * lookup_free: forget L after it ended and its waiters were taken off.
 */
void lookup_stop_attempt(struct lookups *ls, struct lookup *l);
void lookup_free(struct lookups *ls, struct lookup *l);

#endif
