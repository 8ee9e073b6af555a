/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CACHE_SHARD_H
#define DNS64D_CACHE_SHARD_H

/*
 * shard: a part of the cache: messages by key, in a block of fixed size that keeps the popular
 * ones.
 *
 * Two rings in the manner of S3-FIFO: what is new enters the small one (a tenth), or the main one
 * as long as that has room to spare. What was asked for again by the time it comes to the small
 * ring's end goes to the main ring; the rest is thrown out, and only its fingerprint is kept
 * (cache/ghost): if it comes back soon it enters the main ring at once. At the main ring's end what
 * was asked for since goes round again. So names that are asked for once never push out those that
 * are asked for often.
 *
 * An index of slots (cache/bucket) in lines of 8: a name has two lines that all its entries are in.
 * Finding, putting and throwing out take bounded work (struct shard_work), there is no sweep. Not
 * for several threads at once; knows nothing of time but seconds it is given, which may wrap.
 */

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "cache/bucket.h"
#include "cache/ghost.h"
#include "cache/question.h"
#include "cache/ring.h"
#include "dns/proto.h"

#define SHARD_MIN (1U << 20) /* bytes of the smallest */
#define SHARD_MAX (1U << 30)
#define SHARD_MSG_MAX 16384 /* bytes of the longest message that is kept */
#define SHARD_LINE BUCKET_SLOTS
#define SHARD_COPIES 8   /* entries that one put moves at most */
#define SHARD_DROPS 40   /* entries that one put throws out at most */
#define SHARD_ANY_TYPE 0 /* type of a key that stands for all types: a name that is not there */
#define SHARD_ASKED_MAX BUCKET_ASKED_MAX /* an entry's asked goes no higher */
#define SHARD_CUT_DEPTHS 16 /* names of so many labels or more have no entries that cut */

/* Flags of an entry. */
#define SHARD_CUT 0x01    /* nothing is below its name either: counted by depth */
#define SHARD_OWNERS 0x3e /* bits that are the owner's */

/* What is kept beside a message. */
struct shard_meta {
	uint32_t stored_s;   /* when it came, in seconds of the cache's clock */
	uint32_t ttl_s;      /* how long it is fresh */
	uint16_t generation; /* the owner's */
	uint16_t retry;      /* the owner's */
	uint16_t ede;        /* the owner's */
	uint8_t kind;        /* the owner's */
	uint8_t flags;       /* SHARD_CUT, SHARD_OWNERS */
};

/* What one call did, for the tests that bound it. */
struct shard_work {
	unsigned lines;  /* of the index that were looked at */
	unsigned copies; /* entries moved */
	unsigned drops;  /* entries thrown out */
	size_t moved;    /* bytes of those moved, and of the one that was put */
};

struct shard_counts {
	uint64_t n; /* entries that can be found */
	uint64_t put;
	uint64_t bytes;     /* of the messages of those that can be found */
	uint64_t refused;   /* no room was made within the bounds, or the message was too long */
	uint64_t evicted;   /* fresh ones thrown out */
	uint64_t comebacks; /* put while a fingerprint was still known */
};

struct shard {
	/* What a search needs, together. */
	struct bucket *lines; /* n_lines */
	uint8_t *data;        /* the small ring, then the main one */
	uint32_t n_lines;
	uint32_t stale_s; /* so long after its end an entry is of use */
	struct shard_work work;
	/* What a put needs too. */
	struct ghost ghost;
	struct ring small;
	struct ring main;
	atomic_uint *cuts; /* borrowed: SHARD_CUT_DEPTHS of them, which other shards count in too */
	struct shard_counts counts;
};

/* A found entry: borrowed until the next put, remove or clear. */
struct shard_entry {
	struct shard_meta meta;
	const uint8_t *msg; /* NULL: there is none */
	size_t len;
	unsigned asked; /* how often it was asked for lately, up to SHARD_ASKED_MAX */
	uint32_t slot;  /* the shard's */
};

/* shard_age: seconds since STORED_S; 0 for one whose clock was a little ahead. */
MUST_USE static inline uint32_t
shard_age(uint32_t stored_s, uint32_t now_s)
{
	uint32_t age_s = now_s - stored_s;

	return age_s <= INT32_MAX ? age_s : 0;
}

/* What a name has for a question. */
struct shard_found {
	struct shard_entry type; /* the question's type */
	struct shard_entry any;  /* SHARD_ANY_TYPE */
};

/*
 * shard_init: an empty shard in SIZE bytes (SHARD_MIN to SHARD_MAX) of zeros at MEM (borrowed,
 * aligned to 64); SIZE is all it ever uses. CUTS are zero or count other shards' entries.
 */
void shard_init(struct shard *s, uint8_t *mem, size_t size, uint32_t stale_s, atomic_uint *cuts);

/*
 * shard_may_have: a glance at the index, for those who look for what is seldom there: false when
 * shard_find would say so.
 */
MUST_USE static inline bool
shard_may_have(const struct shard *s, const struct question *key)
{
	const struct bucket *first = &s->lines[bucket_number(key->hash, 0, s->n_lines)];
	const struct bucket *second = &s->lines[bucket_number(key->hash, 1, s->n_lines)];
	uint16_t type = bucket_tag(key, key->qtype), any = bucket_tag(key, SHARD_ANY_TYPE);

	__builtin_prefetch(second);
	return bucket_has(first, type, any) || bucket_has(second, type, any);
}

/* shard_find: the entries with KEY, fresh or not. False: there is neither. */
MUST_USE bool shard_find(struct shard *s, const struct question *key, struct shard_found *out);

/* shard_ask: E was asked for. */
void shard_ask(struct shard *s, const struct shard_entry *e);

/* shard_set_meta: META is beside E's message from now on; SHARD_CUT stays as it was. */
void shard_set_meta(struct shard *s, const struct shard_entry *e, const struct shard_meta *meta);

/*
 * shard_put: keep the LEN bytes of MSG, whose question has KEY's name and class at offset 12, in
 * place of what KEY had and, if the name is THERE after all, of its entry for all types (for a key
 * of that type it is the same). NOW_S tells which of those in the way are of no use any more.
 * False: it is not kept; what KEY had is gone all the same.
 */
bool shard_put(struct shard *s, const struct question *key, const struct shard_meta *meta,
    const uint8_t *msg, size_t len, bool there, uint32_t now_s);

/* shard_remove: forget what KEY has, and its entry for all types. */
void shard_remove(struct shard *s, const struct question *key);

/* shard_remove_name: forget all entries of KEY's name, in whatever class and of whatever type. */
unsigned shard_remove_name(struct shard *s, const struct question *key);

/* shard_clear: forget all. */
void shard_clear(struct shard *s);

/*
 * shard_each: call VISIT for each entry that can be found, the oldest of the small ring first,
 * until it returns false. KEY, whose hash is not told, and E are borrowed until it returns.
 */
void shard_each(struct shard *s,
    bool (*visit)(void *arg, const struct question *key, const struct shard_entry *e), void *arg);

#endif
