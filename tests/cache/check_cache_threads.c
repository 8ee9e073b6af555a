/* SPDX-License-Identifier: BSD-2-Clause */
/* One cache, several threads: nobody ever sees half a message or another name's, whatever the
 * others do. For ThreadSanitizer too. */

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/rng.h"
#include "cache/cache.h"
#include "dns/proto.h"
#include "dns/wire.h"
#include "support/tests.h"

#define THREADS 4
#define TURNS 100000
#define NAMES 4000
#define NAME_LEN 18
#define LEAST (DNS_HEADER_LEN + NAME_LEN + 4)
#define SEED 5

#define MUST(x) \
	do { \
		if (!(x)) \
			ck_abort_msg("%s", #x); \
	} while (0)

static struct cache *cache;

struct worker {
	pthread_t thread;
	struct rng rng;
	uint64_t hits;
	unsigned walked;
	unsigned restored, walks;
	bool restores; /* instead of putting */
	struct question key;
	uint8_t msg[SHARD_MSG_MAX];
	uint8_t copy[SHARD_MSG_MAX];
};

/* A random name's key; low numbers are popular. */
static void
choose(struct worker *w)
{
	uint32_t n = (uint32_t)rng_below(&w->rng, rng_below(&w->rng, NAMES) + 1);
	uint8_t *name = w->msg + DNS_HEADER_LEN;

	memcpy(name, "\010xxxxxxxx\007example", NAME_LEN);
	for (unsigned i = 0; i < 8; i++)
		name[1 + i] = (uint8_t)('a' + (n >> 4 * i & 15));
	w->key = (struct question){ .qname = name,
		.qname_len = NAME_LEN,
		.hash = hash_bytes(name, NAME_LEN, SEED),
		.qtype = n % 4 == 0 ? SHARD_ANY_TYPE : DNS_TYPE_AAAA,
		.qclass = DNS_CLASS_IN };
	wire_set_u16(name + NAME_LEN, w->key.qtype);
	wire_set_u16(name + NAME_LEN + 2, DNS_CLASS_IN);
}

/* Is it a whole message about the name? All bytes behind its question are the same then. */
static bool
is_whole(const uint8_t *msg, size_t len, const uint8_t *name)
{
	return len > LEAST && memcmp(msg + DNS_HEADER_LEN, name, NAME_LEN) == 0 &&
	    memcmp(msg + LEAST, msg + LEAST + 1, len - LEAST - 1) == 0;
}

static void
put(struct worker *w, uint32_t now_s)
{
	struct cache_entry e = { .ttl_s = 1 + (uint32_t)rng_below(&w->rng, 100),
		.flags = w->key.qtype == SHARD_ANY_TYPE ? CACHE_CUT : 0,
		.kind = (enum cache_kind)rng_below(&w->rng, CACHE_BOGUS + 1) };
	struct cache_want want = { .now_s = now_s, .stale_s = 100 };
	size_t len = LEAST + 1 + rng_below(&w->rng, rng_below(&w->rng, 50) == 0 ? 16000 : 300);

	memset(w->msg + LEAST, (int)rng_below(&w->rng, 256), len - LEAST);
	if (e.kind < CACHE_ERROR)
		cache_put(cache, &w->key, &e, w->msg, len, now_s);
	else
		cache_put_failure(cache, &w->key, &e, w->msg, len, &want, 300);
}

static void
get(struct worker *w, uint32_t now_s)
{
	struct cache_want want = { .now_s = now_s, .stale_s = 100, .ask = true };
	struct cache_entry e;

	if (cache_get(cache, &w->key, &want, w->copy, sizeof(w->copy), &e)) {
		MUST(is_whole(w->copy, e.len, w->key.qname));
		MUST(e.ttl_s > 0 && e.age_s < e.ttl_s + 100);
		w->hits++;
	} else if (cache_get_above(cache, &w->key, now_s, w->copy, sizeof(w->copy), &e)) {
		ck_abort_msg("nothing is known above");
	}
}

static bool
see(void *arg, const struct question *key, const struct cache_entry *e, const uint8_t *msg)
{
	struct worker *w = arg;

	MUST(is_whole(msg, e->len, key->qname));
	return ++w->walked % 500 != 0;
}

static void
disturb(struct worker *w, uint32_t now_s)
{
	static const uint8_t zone[] = "\007example", other[] = "\005other";
	struct shard_counts counts;

	switch (rng_below(&w->rng, 40)) {
	case 0:
		cache_flush_all(cache);
		break;
	case 1:
		(void)cache_flush_below(cache, zone, sizeof(zone), now_s);
		break;
	case 2:
		(void)cache_flush_below(cache, other, sizeof(other), now_s);
		break;
	case 3:
		(void)cache_walk(cache, now_s % cache_shards(cache), now_s, see, w);
		break;
	case 4:
		cache_revived(cache, now_s - 2, now_s);
		break;
	case 5:
		cache_counts(cache, &counts);
		MUST(counts.n <= cache_size(cache) / LEAST && counts.bytes <= cache_size(cache));
		break;
	default:
		(void)cache_flush_name(cache, w->key.qname, w->key.qname_len);
		break;
	}
}

/* As the main thread does at the start: old entries come back while others are put. */
static void
restore(struct worker *w, uint32_t now_s)
{
	const struct cache_entry e = { .age_s = (uint32_t)rng_below(&w->rng, 100),
		.ttl_s = 100,
		.kind = w->key.qtype == SHARD_ANY_TYPE ? CACHE_NXDOMAIN : CACHE_POSITIVE,
		.len = LEAST + 1 + rng_below(&w->rng, 300) };

	memset(w->msg + LEAST, (int)rng_below(&w->rng, 256), e.len - LEAST);
	w->restored += cache_restore(cache, &w->key, &e, w->msg, now_s) == CACHE_RESTORED;
	if (rng_below(&w->rng, 100) == 0)
		w->walks += cache_try_walk(cache, now_s % cache_shards(cache), now_s, see, w);
}

static void *
work(void *arg)
{
	struct worker *w = arg;

	for (uint32_t i = 0; i < TURNS; i++) {
		unsigned what = (unsigned)rng_below(&w->rng, 100);
		uint32_t now_s =
		    i / 100 - 200; /* it wraps, and the threads are not all at the same second */

		choose(w);
		if (what < 60)
			get(w, now_s);
		else if (what < 98 && w->restores)
			restore(w, now_s);
		else if (what < 98)
			put(w, now_s);
		else
			disturb(w, now_s);
	}
	return NULL;
}

START_TEST(threads_get_whole_entries_only)
{
	struct worker *w = calloc(THREADS, sizeof(*w));
	uint64_t hits = 0;
	unsigned walked = 0;

	cache = cache_new(2 * CACHE_MIN, 100, SEED);
	ck_assert(w != NULL && cache != NULL);
	cache_restore_begin(cache);
	w[0].restores = true;
	for (unsigned i = 0; i < THREADS; i++) {
		rng_init_seeded(&w[i].rng, i);
		ck_assert_int_eq(pthread_create(&w[i].thread, NULL, work, &w[i]), 0);
	}
	for (unsigned i = 0; i < THREADS; i++) {
		ck_assert_int_eq(pthread_join(w[i].thread, NULL), 0);
		hits += w[i].hits;
		walked += w[i].walked;
	}
	ck_assert_uint_gt(hits, THREADS * TURNS / 20);
	ck_assert_uint_gt(walked, 1000);
	ck_assert_uint_gt(w[0].restored, 100);
	ck_assert_uint_gt(w[0].walks, 100);
	cache_free(cache);
	free(w);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_set_timeout(tc, 300); /* under ThreadSanitizer */
	tcase_add_test(tc, threads_get_whole_entries_only);
}
