/* SPDX-License-Identifier: BSD-2-Clause */
/* Entries of an earlier time come back into a cache that is in use: what is newer stays. */

#include <stdio.h>
#include <string.h>

#include "cache/cache.h"
#include "dns/name.h"
#include "dns/proto.h"
#include "support/cachekey.h"
#include "support/tests.h"

#define STALE_S 86400
#define SEED 11
#define MESSAGE 100

static struct cache *cache;
static struct question key;
static uint8_t msg[512]; /* MESSAGE bytes of it are used */
static struct cache_entry got;
static const uint32_t now_s = UINT32_MAX - 10; /* the clock wraps soon */

static void
set_up(void)
{
	cache = cache_new(CACHE_MIN, STALE_S, SEED);
	ck_assert_ptr_nonnull(cache);
}

static void
tear_down(void)
{
	cache_free(cache);
}

static void
ask_for(const char *name, uint16_t qtype)
{
	key = cachekey_make(msg, name, qtype, SEED);
}

/* An answer has come now. */
static void
put(enum cache_kind kind, uint32_t ttl_s)
{
	const struct cache_entry e = { .kind = kind, .ttl_s = ttl_s };

	cache_put(cache, &key, &e, msg, MESSAGE, now_s);
}

static void
fails(enum cache_kind kind)
{
	const struct cache_want want = { .now_s = now_s, .stale_s = STALE_S };
	const struct cache_entry e = { .kind = kind, .ttl_s = 5 };

	cache_put_failure(cache, &key, &e, msg, MESSAGE, &want, 300);
}

static void
flush_below(const char *text)
{
	uint8_t name[DNS_NAME_MAX];
	size_t len = name_from_text(text, name);

	(void)cache_flush_below(cache, name, len, now_s);
}

static bool
get(uint32_t stale_s)
{
	const struct cache_want want = { .now_s = now_s, .stale_s = stale_s };
	uint8_t copy[MESSAGE];

	return cache_get(cache, &key, &want, copy, sizeof(copy), &got);
}

static bool
fresh(void)
{
	return get(0) && cache_fresh(&got);
}

static bool
stale(void)
{
	return get(STALE_S) && !cache_fresh(&got);
}

/* KEY's entry, of AGE_S ago, is put back. */
static enum cache_restored
restore(enum cache_kind kind, uint32_t age_s, uint32_t ttl_s)
{
	const struct cache_entry e = { .kind = kind,
		.flags = CACHE_WITH_MSG,
		.ede = DNS_EDE_NONE,
		.age_s = age_s,
		.ttl_s = ttl_s,
		.len = MESSAGE };

	return cache_restore(cache, &key, &e, msg, now_s);
}

START_TEST(entry_comes_back_unless_there_is_a_newer_one)
{
	ck_assert(!cache_restoring(cache));
	cache_restore_begin(cache);
	ck_assert(cache_restoring(cache));
	ask_for("www.example", DNS_TYPE_A);
	ck_assert_int_eq(restore(CACHE_POSITIVE, 20, 300), CACHE_RESTORED);
	ck_assert(fresh());
	ck_assert_uint_eq(got.age_s, 20);
	ck_assert_uint_eq(got.ttl_s, 300);
	ck_assert_uint_eq(got.len, MESSAGE);
	/* Of the same second: the one that is there. */
	ck_assert_int_eq(restore(CACHE_NODATA, 20, 300), CACHE_SUPERSEDED);
	ck_assert_int_eq(restore(CACHE_NODATA, 21, 300), CACHE_SUPERSEDED);
	ck_assert(fresh() && got.kind == CACHE_POSITIVE);
	ck_assert_int_eq(restore(CACHE_NODATA, 19, 300), CACHE_RESTORED);
	ck_assert(fresh() && got.kind == CACHE_NODATA && got.age_s == 19);
	put(CACHE_POSITIVE, 5);
	ck_assert_int_eq(restore(CACHE_NODATA, 1, 300), CACHE_SUPERSEDED);
	ck_assert(fresh() && got.kind == CACHE_POSITIVE);
	/* DO has an entry of its own. */
	key.do_bit = true;
	ck_assert_int_eq(restore(CACHE_NODATA, 1, 300), CACHE_RESTORED);
	cache_restore_end(cache);
	ck_assert(!cache_restoring(cache));
}
END_TEST

/* A name that is not there any more, or is there again. */
START_TEST(nxdomain_comes_back_unless_the_name_has)
{
	cache_restore_begin(cache);
	ask_for("gone.example", SHARD_ANY_TYPE);
	put(CACHE_NXDOMAIN, 300);
	ask_for("gone.example", DNS_TYPE_A);
	ck_assert_int_eq(restore(CACHE_POSITIVE, 1, 300), CACHE_SUPERSEDED);
	ck_assert(fresh() && got.kind == CACHE_NXDOMAIN);
	/* An older one gives way. */
	ask_for("old.example", SHARD_ANY_TYPE);
	ck_assert_int_eq(restore(CACHE_NXDOMAIN, 30, 300), CACHE_RESTORED);
	ask_for("old.example", DNS_TYPE_A);
	ck_assert_int_eq(restore(CACHE_POSITIVE, 20, 300), CACHE_RESTORED);
	ask_for("old.example", DNS_TYPE_AAAA);
	ck_assert(!fresh());
	/* And the name of a newer type is there. */
	ask_for("old.example", SHARD_ANY_TYPE);
	ck_assert_int_eq(restore(CACHE_NXDOMAIN, 25, 300), CACHE_SUPERSEDED);
	ck_assert_int_eq(restore(CACHE_NXDOMAIN, 20, 300), CACHE_SUPERSEDED);
	ask_for("old.example", DNS_TYPE_AAAA);
	ck_assert(!fresh());
	ask_for("old.example", SHARD_ANY_TYPE);
	key.cd = true; /* of another question */
	ck_assert_int_eq(restore(CACHE_NXDOMAIN, 25, 300), CACHE_RESTORED);
	key.cd = false;
	ck_assert_int_eq(restore(CACHE_NXDOMAIN, 19, 300), CACHE_RESTORED);
	ask_for("old.example", DNS_TYPE_AAAA);
	ck_assert(fresh() && got.kind == CACHE_NXDOMAIN);
}
END_TEST

/* Had the answer been there the failure would not have been stored: it is given again, stale too.
 */
START_TEST(answer_comes_back_for_a_failure)
{
	enum cache_kind kind = _i == 0 ? CACHE_ERROR : CACHE_SILENT;

	cache_restore_begin(cache);
	ask_for("www.example", DNS_TYPE_A);
	fails(kind);
	ck_assert(fresh() && got.kind == kind);
	ck_assert_int_eq(restore(CACHE_POSITIVE, 400, 300), CACHE_RESTORED);
	ck_assert(!fresh());
	ck_assert(stale() && got.kind == CACHE_POSITIVE);
	/* As does NXDOMAIN beside the failure of a type. */
	ask_for("gone.example", DNS_TYPE_A);
	fails(kind);
	ask_for("gone.example", SHARD_ANY_TYPE);
	ck_assert_int_eq(restore(CACHE_NXDOMAIN, 20, 300), CACHE_RESTORED);
	/* What failed validation is not answered. */
	ask_for("bogus.example", DNS_TYPE_A);
	fails(CACHE_BOGUS);
	ck_assert_int_eq(restore(CACHE_POSITIVE, 400, 300), CACHE_SUPERSEDED);
	ck_assert(fresh() && got.kind == CACHE_BOGUS);
}
END_TEST

/* What is flushed, and limited, while entries come back concerns those that come later. */
START_TEST(flushes_hold_for_what_comes_back)
{
	cache_flush_all(cache); /* before, so that it does not */
	cache_restore_begin(cache);
	ask_for("www.example", DNS_TYPE_A);
	ck_assert_int_eq(restore(CACHE_POSITIVE, 20, 300), CACHE_RESTORED);
	ck_assert(fresh());
	cache_limit(cache, 60, 20);
	ask_for("www.other", DNS_TYPE_A);
	ck_assert_int_eq(restore(CACHE_POSITIVE, 20, 300), CACHE_RESTORED);
	ck_assert(fresh() && got.ttl_s == 60);
	flush_below("example");
	ask_for("a.example", DNS_TYPE_A);
	(void)restore(CACHE_POSITIVE, 20, 300);
	ck_assert(!fresh());
	ask_for("a.other", DNS_TYPE_A);
	(void)restore(CACHE_POSITIVE, 20, 300);
	ck_assert(fresh());
	/* What was flushed stands in nobody's way. */
	put(CACHE_NODATA, 300);
	cache_flush_all(cache);
	(void)restore(CACHE_POSITIVE, 20, 300);
	ck_assert(!fresh());
	put(CACHE_NODATA, 300);
	ck_assert_int_eq(restore(CACHE_POSITIVE, 20, 300), CACHE_SUPERSEDED);
	ck_assert(fresh() && got.kind == CACHE_NODATA);
}
END_TEST

/* A cache that is full of newer entries keeps them all. */
START_TEST(nothing_is_evicted_for_what_comes_back)
{
	enum { N = 20000 };
	struct shard_counts before, after;
	char name[32];

	for (unsigned n = 0; n < N; n++) {
		snprintf(name, sizeof(name), "n%u.example", n);
		ask_for(name, DNS_TYPE_A);
		put(CACHE_POSITIVE, 300);
	}
	cache_counts(cache, &before);
	ck_assert_uint_gt(before.evicted, 0);
	cache_restore_begin(cache);
	for (unsigned n = 0; n < N; n++) {
		snprintf(name, sizeof(name), "o%u.example", n);
		ask_for(name, DNS_TYPE_A);
		(void)restore(CACHE_POSITIVE, 20, 300);
	}
	ask_for("one.more.example", DNS_TYPE_A);
	ck_assert_int_eq(restore(CACHE_POSITIVE, 20, 300), CACHE_NO_ROOM);
	cache_counts(cache, &after);
	ck_assert_uint_eq(after.evicted, before.evicted);
	ck_assert_uint_ge(after.n, before.n);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, entry_comes_back_unless_there_is_a_newer_one);
	tcase_add_test(tc, nxdomain_comes_back_unless_the_name_has);
	tcase_add_loop_test(tc, answer_comes_back_for_a_failure, 0, 2);
	tcase_add_test(tc, flushes_hold_for_what_comes_back);
	tcase_add_test(tc, nothing_is_evicted_for_what_comes_back);
}
