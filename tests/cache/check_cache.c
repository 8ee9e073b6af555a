/* SPDX-License-Identifier: BSD-2-Clause */
/* The cache: what is fresh, stale, failing or due, what is flushed, what a name above says. Time is
 * given, so nothing waits. */

#include "cache/cache.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "cache/cache_parts.h"
#include "cache/flushes.h"
#include "dns/name.h"
#include "support/cachekey.h"
#include "support/message.h"
#include "support/tests.h"

#define STALE_S 86400
#define SEED 11
#define MESSAGE 100
#define MOST_S 300 /* a failure is remembered so long at most */

/* In the inner loops: as ck_assert, at the cost of a comparison. */
#define MUST(x) \
	do { \
		if (!(x)) \
			ck_abort_msg("%s", #x); \
	} while (0)

static struct cache *cache;
static struct question key;
static uint8_t msg[SHARD_MSG_MAX + 1]; /* its first bytes are those of the message for key */
static uint8_t copy[SHARD_MSG_MAX];
static struct cache_entry got;
static uint32_t now_s;

static void
set_up(void)
{
	cache = cache_new(CACHE_MIN, STALE_S, SEED);
	ck_assert_ptr_nonnull(cache);
	now_s = UINT32_MAX - 1000; /* the clock wraps soon */
}

static void
tear_down(void)
{
	cache_free(cache);
}

/* --- Keys ------------------------------------------------------------------------------------- */

static void
ask_for(const char *name, uint16_t qtype)
{
	key = cachekey_make(msg, name, qtype, SEED);
}

/* --- What goes in and comes out --------------------------------------------------------------- */

static void
put_flags(enum cache_kind kind, uint32_t ttl_s, uint8_t flags)
{
	struct cache_entry e = {
		.kind = kind, .flags = flags, .ede = DNS_EDE_NONE, .ttl_s = ttl_s
	};

	cache_put(cache, &key, &e, msg, MESSAGE, now_s);
}

static void
put(enum cache_kind kind, uint32_t ttl_s)
{
	put_flags(kind, ttl_s, 0);
}

static void
fails_within(enum cache_kind kind, uint32_t stale_s)
{
	struct cache_entry e = { .kind = kind, .ede = 22, .ttl_s = 5 };
	struct cache_want want = { .now_s = now_s, .stale_s = stale_s };

	cache_put_failure(cache, &key, &e, msg, MESSAGE, &want, MOST_S);
}

static void
fails(enum cache_kind kind)
{
	fails_within(kind, STALE_S);
}

static bool
get_within(uint32_t stale_s, bool ask)
{
	struct cache_want want = { .now_s = now_s, .stale_s = stale_s, .ask = ask };

	memset(&got, 0xff, sizeof(got));
	return cache_get(cache, &key, &want, copy, sizeof(copy), &got);
}

/* Is it there, fresh? */
static bool
fresh(void)
{
	return get_within(0, false) && cache_fresh(&got);
}

/* Is it there, but stale? */
static bool
stale(void)
{
	return get_within(STALE_S, true) && !cache_fresh(&got);
}

/* The same S seconds from now; time does not go on. */
static bool
fresh_in(uint32_t s)
{
	now_s += s;
	bool is = fresh();
	now_s -= s;
	return is;
}

static bool
stale_in(uint32_t s)
{
	now_s += s;
	bool is = stale();
	now_s -= s;
	return is;
}

/* --- Life ------------------------------------------------------------------------------------- */

START_TEST(size_and_shards_follow_the_request)
{
	struct cache *c;

	ck_assert_uint_eq(cache_size(cache), CACHE_MIN);
	ck_assert_uint_eq(cache_shards(cache), 1);
	ck_assert_uint_eq(cache_seed(cache), SEED);
	c = cache_new(64 << 20, 0, SEED);
	ck_assert_uint_eq(cache_size(c), 64 << 20);
	ck_assert_uint_eq(cache_shards(c), 64);
	cache_free(c);
	c = cache_new((5U << 20) + 12345, 0, SEED);
	ck_assert_uint_eq(cache_shards(c), 4);
	cache_free(c);
	cache_free(NULL);
}
END_TEST

/* Are huge pages wanted for what is at AT (proc(5), VmFlags in smaps)? */
static bool
is_huge(const void *at)
{
	FILE *f = fopen("/proc/self/smaps", "r");
	bool here = false, huge = false;
	unsigned long from, to;
	char line[512];

	ck_assert_ptr_nonnull(f);
	while (fgets(line, sizeof(line), f) != NULL) {
		if (sscanf(line, "%lx-%lx ", &from, &to) == 2)
			here = from <= (uintptr_t)at && (uintptr_t)at < to;
		else if (here && strncmp(line, "VmFlags:", 8) == 0)
			huge = strstr(line, " hg") != NULL;
	}
	(void)fclose(f);
	return huge;
}

START_TEST(large_cache_is_in_huge_pages)
{
	const size_t gib = (size_t)1 << 30;
	struct cache *c = cache_new(gib - 1, 0, SEED);
	bool huge;

	ck_assert_ptr_nonnull(c);
	ck_assert(!is_huge(c->mem));
	cache_free(c);
	c = cache_new(gib, 0, SEED);
	ck_assert_ptr_nonnull(c);
	huge = is_huge(c->mem);
	/* Not each kernel has them. */
	ck_assert(huge || madvise(c->mem, c->size, MADV_HUGEPAGE) != 0);
	cache_free(c);
}
END_TEST

/* A 64th of 1.2 GB for a 64th of 5 million messages of 100 bytes, each asked for once. */
START_TEST(five_million_messages_fit_1200_mb)
{
	enum { PART = 64, NAMES = 5000000 / PART };
	struct shard_counts counts;
	char text[32];

	cache_free(cache);
	cache = cache_new(1200000000 / PART, STALE_S, SEED);
	for (unsigned i = 0; i < NAMES; i++) {
		(void)snprintf(text, sizeof(text), "n%u.example", i);
		ask_for(text, DNS_TYPE_A);
		put(CACHE_POSITIVE, 3600);
	}
	for (unsigned i = 0; i < NAMES; i++) {
		(void)snprintf(text, sizeof(text), "n%u.example", i);
		ask_for(text, DNS_TYPE_A);
		MUST(fresh());
	}
	cache_counts(cache, &counts);
	ck_assert_uint_eq(counts.n, NAMES);
	ck_assert_uint_eq(counts.bytes, NAMES * MESSAGE);
	ck_assert_uint_eq(counts.put, NAMES);
	ck_assert_uint_eq(counts.evicted + counts.refused + counts.ghost_hits, 0);
}
END_TEST

/* --- Age -------------------------------------------------------------------------------------- */

START_TEST(entry_comes_back_whole)
{
	struct cache_entry e = {
		.kind = CACHE_NODATA, .flags = CACHE_TRUSTED, .ede = 7, .ttl_s = 60
	};

	ask_for("www.example", DNS_TYPE_AAAA);
	ck_assert(!fresh());
	msg[MESSAGE - 1] = 77;
	cache_put(cache, &key, &e, msg, MESSAGE, now_s);
	now_s += 10;
	ck_assert(fresh());
	ck_assert_int_eq(got.kind, CACHE_NODATA);
	ck_assert_uint_eq(got.flags, CACHE_TRUSTED);
	ck_assert_uint_eq(got.ede, 7);
	ck_assert_uint_eq(got.age_s, 10);
	ck_assert_uint_eq(got.ttl_s, 60);
	ck_assert_uint_eq(got.len, MESSAGE);
	ck_assert(!got.due && !got.failing);
	ck_assert_mem_eq(copy, msg, MESSAGE);
	/* A buffer that is too small gets nothing. */
	struct cache_want want = { .now_s = now_s };
	ck_assert(!cache_get(cache, &key, &want, copy, MESSAGE - 1, &got));
	ck_assert(cache_get(cache, &key, &want, copy, MESSAGE, &got));
	/* From a file: it came before it was put. */
	e.age_s = 25;
	cache_put(cache, &key, &e, msg, MESSAGE, now_s);
	ck_assert(fresh());
	ck_assert_uint_eq(got.age_s, 25);
	ck_assert(!fresh_in(35));
}
END_TEST

/* Fresh to the last second, stale for as long as is wanted, whether the clock wraps or not. */
START_TEST(fresh_then_stale)
{
	now_s = _i == 0 ? 5000 : UINT32_MAX - 250;
	ask_for("www.example", DNS_TYPE_AAAA);
	put(CACHE_POSITIVE, 300);
	ck_assert(fresh_in(299));
	ck_assert(!fresh_in(300));
	ck_assert(stale_in(300));
	ck_assert_uint_eq(got.age_s, 300);
	ck_assert(stale_in(300 + STALE_S - 1));
	ck_assert(!stale_in(300 + STALE_S));
	now_s += 400;
	ck_assert(!get_within(100, true));
	ck_assert(get_within(101, true));
	/* A loop whose clock is a second behind sees it as new. */
	put(CACHE_POSITIVE, 300);
	now_s--;
	ck_assert(fresh());
	ck_assert_uint_eq(got.age_s, 0);
}
END_TEST

START_TEST(message_over_the_largest_is_refused)
{
	struct cache_entry e = { .kind = CACHE_POSITIVE, .ttl_s = 60 };
	struct shard_counts counts;

	ask_for("www.example", DNS_TYPE_TXT);
	put(CACHE_POSITIVE, 60);
	cache_put(cache, &key, &e, msg, SHARD_MSG_MAX + 1, now_s);
	ck_assert(!fresh());
	cache_counts(cache, &counts);
	ck_assert_uint_eq(counts.refused, 1);
	ck_assert_uint_eq(counts.n, 0);
	cache_put(cache, &key, &e, msg, SHARD_MSG_MAX, now_s);
	ck_assert(fresh());
	ck_assert_uint_eq(got.len, SHARD_MSG_MAX);
}
END_TEST

/* Popular, and in the last tenth of its time: one who asks is told, and after a while another. */
START_TEST(popular_entry_is_due_before_its_end)
{
	ask_for("www.example", DNS_TYPE_AAAA);
	put(CACHE_POSITIVE, 1000);
	now_s += 899;
	for (unsigned i = 0; i < CACHE_POPULAR; i++)
		ck_assert(get_within(0, true) && !got.due);
	ck_assert(get_within(0, true) && !got.due); /* popular, but early */
	now_s += 1;
	ck_assert(get_within(0, false) && !got.due); /* does not ask */
	ck_assert(get_within(0, true) && got.due);
	ck_assert(get_within(0, true) && !got.due);
	now_s += CACHE_RETRY_S - 1;
	ck_assert(get_within(0, true) && !got.due);
	now_s += 20;
	ck_assert(get_within(0, true) && got.due);
	/* Its refresh may be under way still: that it is stale does not mean that it failed. */
	now_s += 43;
	ck_assert(get_within(0, true) && got.due);
	now_s += 8;
	ck_assert(stale() && !got.failing);
}
END_TEST

START_TEST(unpopular_entry_is_not_due)
{
	ask_for("rare.example", DNS_TYPE_AAAA);
	put(CACHE_POSITIVE, 1000);
	now_s += 950;
	ck_assert(get_within(0, true) && !got.due);
	ck_assert(get_within(0, true) && !got.due);
	ck_assert(get_within(0, true) && got.due); /* it was asked for twice before */
	ask_for("error.example", DNS_TYPE_AAAA);
	put(CACHE_ERROR, 100);
	now_s += 95;
	for (unsigned i = 0; i < 5; i++)
		ck_assert(get_within(0, true) && !got.due);
}
END_TEST

/* --- Types ------------------------------------------------------------------------------------ */

/* NXDOMAIN is of all types (rule 31); what is fresh comes first, then what is of the type. */
START_TEST(nxdomain_answers_all_types)
{
	ask_for("www.example", DNS_TYPE_A);
	put(CACHE_POSITIVE, 100);
	ask_for("www.example", SHARD_ANY_TYPE);
	put(CACHE_NXDOMAIN, 200);
	ask_for("www.example", DNS_TYPE_AAAA);
	ck_assert(fresh());
	ck_assert_int_eq(got.kind, CACHE_NXDOMAIN);
	ask_for("www.example", DNS_TYPE_A);
	ck_assert(fresh());
	ck_assert_int_eq(got.kind, CACHE_POSITIVE);
	now_s += 150;
	ck_assert(fresh());
	ck_assert_int_eq(got.kind, CACHE_NXDOMAIN);
	now_s += 100;
	ck_assert(stale());
	ck_assert_int_eq(got.kind, CACHE_POSITIVE);
	/* The name is there after all. */
	ask_for("www.example", DNS_TYPE_AAAA);
	put(CACHE_NODATA, 100);
	ask_for("www.example", DNS_TYPE_TXT);
	ck_assert(!stale() && !fresh());
}
END_TEST

START_TEST(do_and_cd_are_part_of_the_key)
{
	ask_for("www.example", DNS_TYPE_A);
	put(CACHE_POSITIVE, 100);
	key.do_bit = true;
	ck_assert(!fresh());
	key.do_bit = false;
	key.cd = true; /* rule 30 */
	ck_assert(!fresh());
	key.cd = false;
	key.qclass = 3;
	ck_assert(!fresh());
	key.qclass = DNS_CLASS_IN;
	ck_assert(fresh());
}
END_TEST

static bool
above(const char *name)
{
	ask_for(name, DNS_TYPE_AAAA);
	return cache_get_above(cache, &key, now_s, copy, sizeof(copy), &got);
}

/* Nothing is below a name that is not there (rule 32), at whatever depth. */
START_TEST(nothing_is_below_a_name_that_is_not_there)
{
	ck_assert(!above("a.b.gone.example"));
	ask_for("gone.example", SHARD_ANY_TYPE);
	put_flags(CACHE_NXDOMAIN, 100, CACHE_CUT | CACHE_TRUSTED);
	ck_assert(above("a.b.gone.example"));
	ck_assert_int_eq(got.kind, CACHE_NXDOMAIN);
	ck_assert_uint_eq(got.flags, CACHE_CUT | CACHE_TRUSTED);
	ck_assert(name_equal(copy + DNS_HEADER_LEN, (const uint8_t *)"\4gone\7example"));
	ck_assert(above("x.gone.example"));
	ck_assert(!above("gone.example")); /* is not above itself */
	ck_assert(!above("x.example"));
	ck_assert(!above("xgone.example"));
	ask_for("a.gone.example", DNS_TYPE_AAAA);
	key.do_bit = true; /* has its own */
	ck_assert(!cache_get_above(cache, &key, now_s, copy, sizeof(copy), &got));
	now_s += 100;
	ck_assert(!above("a.b.gone.example")); /* fresh only */
	/* One that does not cut, and one for a single type, stop nothing. */
	ask_for("there.example", SHARD_ANY_TYPE);
	put_flags(CACHE_NXDOMAIN, 100, 0);
	ask_for("gone.example", DNS_TYPE_A);
	put_flags(CACHE_NODATA, 100, 0);
	ck_assert(!above("a.there.example") && !above("a.gone.example"));
	/* Too deep to be counted: seen as not there. */
	ask_for("1.2.3.4.5.6.7.8.9.10.11.12.13.14.15.16", SHARD_ANY_TYPE);
	put_flags(CACHE_NXDOMAIN, 100, CACHE_CUT);
	ck_assert(!above("x.1.2.3.4.5.6.7.8.9.10.11.12.13.14.15.16"));
	ask_for("2.3.4.5.6.7.8.9.10.11.12.13.14.15.16", SHARD_ANY_TYPE);
	put_flags(CACHE_NXDOMAIN, 100, CACHE_CUT);
	ck_assert(above("x.1.2.3.4.5.6.7.8.9.10.11.12.13.14.15.16"));
	ask_for("example", SHARD_ANY_TYPE);
	put_flags(CACHE_NXDOMAIN, 100, CACHE_CUT);
	ck_assert(above("xgone.example"));
	(void)cache_flush_name(cache, (const uint8_t *)"\7example", 9);
	ck_assert(!above("xgone.example"));
}
END_TEST

/* --- Failures --------------------------------------------------------------------------------- */

/* Remembered for 5 s, twice as long each time it comes back at once, up to 300 s (rule 34). */
START_TEST(repeated_failure_is_kept_longer)
{
	static const uint32_t lasts[] = { 5, 10, 20, 40, 80, 160, 300, 300 };

	ask_for("www.example", DNS_TYPE_AAAA);
	for (unsigned i = 0; i < sizeof(lasts) / sizeof(lasts[0]); i++) {
		fails(CACHE_ERROR);
		ck_assert(fresh_in(lasts[i] - 1));
		ck_assert_uint_eq(got.ttl_s, lasts[i]);
		ck_assert_uint_eq(got.ede, 22);
		ck_assert(!fresh_in(lasts[i]));
		ck_assert(!stale_in(lasts[i])); /* a failure is never stale */
		now_s += lasts[i];
	}
	now_s += 300; /* over for as long as it lasted */
	fails(CACHE_ERROR);
	ck_assert(fresh_in(4) && !fresh_in(5));
	put(CACHE_POSITIVE, 10); /* it worked: the next failure is the first one */
	now_s += 10;
	fails_within(CACHE_ERROR, 0);
	ck_assert(fresh_in(4) && !fresh_in(5));
}
END_TEST

/* A failure leaves what is of use, and nobody tries again for a while (rule 33). */
START_TEST(failure_beside_stale)
{
	ask_for("www.example", DNS_TYPE_AAAA);
	put(CACHE_POSITIVE, 100);
	now_s += 50;
	fails(CACHE_ERROR);
	ck_assert(fresh_in(0) && got.kind == CACHE_POSITIVE);
	now_s += 100;
	ck_assert(stale() && !got.failing);
	fails(_i == 0 ? CACHE_ERROR : CACHE_SILENT);
	ck_assert(stale() && got.failing && got.kind == CACHE_POSITIVE);
	ck_assert_uint_eq(got.flags, 0);
	ck_assert(stale_in(CACHE_RETRY_S - 1) && got.failing);
	ck_assert(stale_in(CACHE_RETRY_S + 20) && !got.failing);
	now_s += CACHE_RETRY_S + 20;
	fails(CACHE_ERROR);
	ck_assert(stale() && got.failing);
	put(CACHE_POSITIVE, 100); /* the refresh worked in the end */
	ck_assert(stale_in(100) && !got.failing);
	/* One who wants none that stale remembers the failure instead. */
	now_s += 200;
	fails_within(CACHE_ERROR, 99);
	ck_assert(fresh() && got.kind == CACHE_ERROR);
}
END_TEST

/* Bogus data replaces what is stale (rules D3, D5), of the type and of all types; not what is
 * fresh. */
START_TEST(bogus_replaces_only_what_is_stale)
{
	ask_for("www.example", DNS_TYPE_AAAA);
	put(CACHE_POSITIVE, 100);
	fails(CACHE_BOGUS);
	ck_assert(fresh() && got.kind == CACHE_POSITIVE);
	now_s += 100;
	fails(CACHE_BOGUS);
	ck_assert(fresh() && got.kind == CACHE_BOGUS);
	now_s += 5;
	ck_assert(!stale() && !fresh());
	ask_for("gone.example", SHARD_ANY_TYPE);
	put(CACHE_NXDOMAIN, 100);
	now_s += 100;
	ask_for("gone.example", DNS_TYPE_AAAA);
	fails(CACHE_BOGUS);
	ck_assert(fresh() && got.kind == CACHE_BOGUS);
	now_s += 5;
	ck_assert(!stale());
}
END_TEST

/* Silence is true no more when an upstream replies that was down then; other failures are, and
 * silence from before it failed (rule 34, D22). */
START_TEST(silence_ends_when_an_upstream_replies)
{
	ask_for("before.example", DNS_TYPE_AAAA);
	fails(CACHE_SILENT);
	now_s++;
	ask_for("error.example", DNS_TYPE_AAAA);
	fails(CACHE_ERROR);
	ask_for("silent.example", DNS_TYPE_AAAA);
	fails(CACHE_SILENT);
	ck_assert(fresh() && got.kind == CACHE_SILENT);
	cache_revived(cache, now_s, now_s);
	ck_assert(!fresh());
	ask_for("error.example", DNS_TYPE_AAAA);
	ck_assert(fresh());
	ask_for("before.example", DNS_TYPE_AAAA);
	ck_assert(fresh());
	now_s++;
	ask_for("silent.example", DNS_TYPE_AAAA);
	fails(CACHE_SILENT); /* the first one again */
	ck_assert(fresh_in(4) && !fresh_in(5));
	/* Once more, at second 0 of the clock. */
	now_s = UINT32_MAX;
	fails(CACHE_SILENT);
	now_s = 0;
	cache_revived(cache, UINT32_MAX, now_s);
	ck_assert(!fresh());
}
END_TEST

/* --- Flushes ---------------------------------------------------------------------------------- */

static const char *const names[] = { "example", "www.example", "a.b.www.example", "www.other",
	"wwww.example" };
#define N_NAMES (sizeof(names) / sizeof(names[0]))

static void
put_names(void)
{
	for (unsigned i = 0; i < N_NAMES; i++) {
		ask_for(names[i], DNS_TYPE_A);
		put(CACHE_POSITIVE, 1000);
	}
}

/* Which of them are there? A bit each. */
static unsigned
there(void)
{
	unsigned bits = 0;

	for (unsigned i = 0; i < N_NAMES; i++) {
		ask_for(names[i], DNS_TYPE_A);
		bits |= (unsigned)fresh() << i;
	}
	return bits;
}

START_TEST(flush_all_leaves_nothing)
{
	put_names();
	cache_flush_all(cache);
	ck_assert_uint_eq(there(), 0);
	ck_assert(!stale_in(2000));
	put_names();
	ck_assert_uint_eq(there(), 0x1f);
}
END_TEST

/* Flushes are numbered in 16 bits: what 65,536 of them threw out does not come back. */
START_TEST(flushed_stays_flushed_past_65536_flushes)
{
	put_names();
	for (unsigned i = 1; i <= 2 * 65536 + 5; i++) {
		cache_flush_all(cache);
		MUST(there() == 0);
		ask_for("old.example", DNS_TYPE_A); /* once: nothing takes its place later */
		MUST(!fresh());
		if (i == 10)
			put(CACHE_POSITIVE, 1000);
		if (i % 1000 == 0 || i % 65536 == 0 || i % 65536 == 65535) {
			put_names();
			MUST(there() == 0x1f);
		}
	}
}
END_TEST

START_TEST(flush_name_is_of_all_its_types)
{
	uint8_t name[DNS_NAME_MAX];
	size_t len = name_from_text("www.example", name);

	put_names();
	ask_for("www.example", DNS_TYPE_AAAA);
	put(CACHE_NODATA, 1000);
	ask_for("www.example", SHARD_ANY_TYPE);
	put(CACHE_NXDOMAIN, 1000);
	ck_assert_uint_eq(cache_flush_name(cache, name, len), 3);
	ck_assert_uint_eq(cache_flush_name(cache, name, len), 0);
	ck_assert_uint_eq(there(), 0x1d);
	put_names();
	ck_assert_uint_eq(there(), 0x1f);
}
END_TEST

/* And what is said of all types; of no other name. */
START_TEST(flush_type_is_of_one)
{
	uint8_t name[DNS_NAME_MAX];
	size_t len = name_from_text("www.example", name);
	uint32_t before = cache_flushes(cache);

	put_names();
	ask_for("www.example", DNS_TYPE_AAAA);
	put(CACHE_NODATA, 1000);
	ck_assert_uint_eq(cache_flush_type(cache, name, len, DNS_TYPE_AAAA), 1);
	ck_assert_uint_eq(there(), 0x1f);
	ck_assert_uint_eq(cache_flushes(cache), before + 1);
	ask_for("www.example", SHARD_ANY_TYPE);
	put(CACHE_NXDOMAIN, 1000);
	ck_assert_uint_eq(cache_flush_type(cache, name, len, DNS_TYPE_AAAA), 1);
	ck_assert_uint_eq(cache_flush_type(cache, name, len, DNS_TYPE_A), 1);
	ck_assert_uint_eq(there(), 0x1d);
}
END_TEST

static void
flush_below(const char *text)
{
	uint8_t name[DNS_NAME_MAX];
	size_t len = name_from_text(text, name);

	(void)cache_flush_below(cache, name, len, now_s);
}

/* What came before is flushed in the same second, what comes after is there in the same second. */
START_TEST(flush_below_name)
{
	put_names();
	flush_below("www.example");
	ck_assert_uint_eq(there(), 0x19);
	ask_for("a.b.www.example", DNS_TYPE_A);
	put(CACHE_POSITIVE, 1000);
	ck_assert_uint_eq(there(), 0x1d);
	flush_below("nothing.net");
	ck_assert_uint_eq(there(), 0x1d); /* twice: the second time without a look at the marks */
	ck_assert_uint_eq(there(), 0x1d);
	flush_below("www.example");
	ck_assert_uint_eq(there(), 0x19);
	flush_below(".");
	ck_assert_uint_eq(there(), 0);
}
END_TEST

/* What flushes have spared keeps all that is known of it. */
START_TEST(spared_entries_keep_all_that_is_known)
{
	ask_for("gone.example", SHARD_ANY_TYPE);
	put_flags(CACHE_NXDOMAIN, 100, CACHE_CUT | CACHE_TRUSTED);
	flush_below("other");
	now_s += 10;
	ck_assert(above("www.gone.example"));
	ck_assert_uint_eq(got.flags, CACHE_CUT | CACHE_TRUSTED);
	ck_assert_uint_eq(got.age_s, 10);
	ck_assert(above("www.gone.example"));
	now_s += 100;
	fails(CACHE_ERROR);
	ask_for("gone.example", DNS_TYPE_A);
	fails(CACHE_ERROR);
	flush_below("net");
	ck_assert(stale() && got.failing && got.kind == CACHE_NXDOMAIN);
	flush_below("example");
	ck_assert(!stale());
}
END_TEST

/*
 * A flush of cdn.example concerns what leads there: an alias, by CNAME or by a record of the name
 * in the answer or the additional section; not what has it in the authority section.
 */
START_TEST(flush_takes_what_leads_there)
{
#define QUESTION(type) "<www.example> " type " 0001"
#define ALIAS "c00c 0005 0001 0000012c 000d <cdn.example>"
#define A_OF_CDN "<cdn.example> 0001 0001 0000012c 0004 c0000201"
	static const char alias_a[] = "0000 8180 0001 0001 0000 0000" QUESTION("0001") ALIAS,
			  alias_mx[] = "0000 8180 0001 0001 0000 0000" QUESTION("000f") ALIAS,
			  answer[] = "0000 8180 0001 0001 0000 0000" QUESTION("00ff") A_OF_CDN,
			  more[] = "0000 8180 0001 0000 0000 0001" QUESTION("000f") A_OF_CDN,
			  authority[] = "0000 8180 0001 0000 0001 0000" QUESTION("0001") A_OF_CDN,
			  own[] = "0000 8180 0001 0001 0000 0000" QUESTION(
			      "0001") "c00c 0001 0001 0000012c 0004 c0000201";
	static const struct {
		const char *text;
		bool a, mx, name, below, child; /* which flushes take it */
	} cases[] = {
		{ alias_a, true, false, true, true, false },
		{ alias_mx, false, true, true, true, false },
		{ answer, true, false, true, true, false },
		{ more, true, false, true, true, false },
		{ authority, false, false, false, false, false },
		{ own, false, false, false, false, false },
	};
	static const char *const of[] = { "cdn.example", "cdn.example", "cdn.example",
		"cdn.example", "a.cdn.example" };
	bool taken[] = { cases[_i].a, cases[_i].mx, cases[_i].name, cases[_i].below,
		cases[_i].child };
	struct cache_entry e = { .kind = CACHE_POSITIVE, .ede = DNS_EDE_NONE, .ttl_s = 1000 };
	uint8_t name[DNS_NAME_MAX], bytes[512];
	unsigned n = 0;
	struct msg m;

	message_read(&m, bytes, sizeof(bytes), cases[_i].text);
	for (unsigned i = 0; i < 5; i++) {
		size_t len = name_from_text(of[i], name);
		uint32_t before = cache_flushes(cache);

		put_names();
		ask_for("www.example", m.qtype);
		cache_put(cache, &key, &e, bytes, m.len, now_s);
		if (i < 2)
			n = cache_flush_type(cache, name, len, i == 0 ? DNS_TYPE_A : DNS_TYPE_MX);
		else if (i == 2)
			n = cache_flush_name(cache, name, len);
		else
			n = cache_flush_below(cache, name, len, now_s);
		ck_assert_uint_ne(cache_flushes(cache), before);
		if (n != taken[i])
			ck_abort_msg("flush %u took %u entries", i, n);
		ask_for("www.example", m.qtype);
		ck_assert(fresh() == !taken[i]);
		ck_assert_uint_eq(there() | 2, 0x1f);
	}
}
END_TEST

/* What was flushed already is not counted once more. */
START_TEST(flush_takes_nothing_twice)
{
	static const char text[] = "0000 8180 0001 0001 0000 0000" QUESTION("0001") ALIAS;
	struct cache_entry e = { .kind = CACHE_POSITIVE, .ede = DNS_EDE_NONE, .ttl_s = 1000 };
	static const uint8_t name[] = "\3cdn\7example";
	uint8_t bytes[512];
	struct msg m;

	message_read(&m, bytes, sizeof(bytes), text);
	ask_for("www.example", DNS_TYPE_A);
	cache_put(cache, &key, &e, bytes, m.len, now_s);
	cache_flush_all(cache);
	ck_assert_uint_eq(cache_flush_name(cache, name, sizeof(name)), 0);
	ask_for("www.example", DNS_TYPE_A);
	cache_put(cache, &key, &e, bytes, m.len, now_s);
	ck_assert_uint_eq(cache_flush_below(cache, name + 4, sizeof(name) - 4, now_s), 0);
	ck_assert(!fresh()); /* by its own name */
}
END_TEST

START_TEST(too_many_marks)
{
	char text[32];

	put_names();
	for (unsigned i = 0; i < FLUSHES_MAX; i++) {
		(void)snprintf(text, sizeof(text), "z%u.net", i);
		flush_below(text);
	}
	ck_assert_uint_eq(there(), 0x1f);
	flush_below("z64.net");
	ck_assert_uint_eq(there(), 0);
	put_names();
	ck_assert_uint_eq(there(), 0x1f);
}
END_TEST

/* --- A walk ----------------------------------------------------------------------------------- */

struct seen {
	unsigned n;
	unsigned most;
	unsigned fresh;
};

static bool
see(void *arg, const struct question *k, const struct cache_entry *e, const uint8_t *m)
{
	struct seen *seen = arg;

	ck_assert_uint_eq(k->qname_len, name_len(k->qname));
	ck_assert_ptr_eq(k->qname, m + DNS_HEADER_LEN);
	ck_assert_uint_eq(k->qtype, DNS_TYPE_A);
	ck_assert_uint_eq(k->qclass, DNS_CLASS_IN);
	ck_assert_uint_eq(e->len, MESSAGE);
	ck_assert_uint_eq(e->ttl_s, 1000);
	seen->fresh += cache_fresh(e);
	return ++seen->n < seen->most;
}

static bool
note_ttl(void *arg, const struct question *k, const struct cache_entry *e, const uint8_t *m)
{
	(void)k;
	(void)m;
	*(uint32_t *)arg = e->ttl_s;
	return true;
}

/* D22: new limits hold for what is there, by kind; a failure has its own; longer ones do nothing.
 */
START_TEST(limits_hold_for_what_is_there)
{
	static const struct {
		enum cache_kind kind;
		uint32_t ttl_s;
	} kinds[] = { { CACHE_POSITIVE, 60 }, { CACHE_NODATA, 20 }, { CACHE_NXDOMAIN, 20 },
		{ CACHE_ERROR, 300 } };
	uint32_t walked = 0;

	ask_for("www.example", DNS_TYPE_A);
	put(kinds[_i].kind, 300);
	now_s += 10;
	cache_limit(cache, 60, 20);
	cache_walk_name(cache, key.qname, key.qname_len, now_s, note_ttl, &walked);
	ck_assert_uint_eq(walked, kinds[_i].ttl_s);
	put(kinds[_i].kind, 300); /* later: the caller knows the limits */
	ck_assert(fresh());
	ck_assert_uint_eq(got.ttl_s, 300);
	cache_limit(cache, 60, 20);
	ck_assert(fresh());
	ck_assert_uint_eq(got.ttl_s, kinds[_i].ttl_s);
	cache_limit(cache, 1000, 1000);
	now_s += kinds[_i].ttl_s - 1;
	ck_assert(fresh());
	now_s += 1;
	ck_assert(!fresh());
	ck_assert(kinds[_i].kind == CACHE_ERROR || stale());
}
END_TEST

START_TEST(walk_sees_each_entry_once)
{
	struct seen seen = { .most = 100 };

	ck_assert(cache_walk(cache, 0, now_s, see, &seen));
	ck_assert_uint_eq(seen.n, 0);
	put_names();
	ask_for("silent.example", DNS_TYPE_A);
	fails(CACHE_SILENT);
	cache_revived(cache, now_s - 1, now_s);
	flush_below("other");
	ck_assert(cache_walk(cache, 0, now_s, see, &seen));
	ck_assert_uint_eq(seen.n, 4);
	ck_assert_uint_eq(seen.fresh, 4);
	seen = (struct seen){ .most = 2 };
	ck_assert(!cache_walk(cache, 0, now_s + 1000, see, &seen));
	ck_assert_uint_eq(seen.n, 2);
	ck_assert_uint_eq(seen.fresh, 0);
	cache_flush_all(cache);
	ck_assert(cache_walk(cache, 0, now_s, see, &seen));
	ck_assert_uint_eq(seen.n, 2);
}
END_TEST

START_TEST(walk_of_a_name)
{
	uint8_t name[DNS_NAME_MAX];
	size_t len = name_from_text("www.example", name);
	struct seen seen = { .most = 100 };

	put_names();
	cache_walk_name(cache, name, len, now_s, see, &seen);
	ck_assert_uint_eq(seen.n, 1);
	/* DO has an entry of its own. */
	ask_for("www.example", DNS_TYPE_A);
	key.do_bit = true;
	put(CACHE_NODATA, 1000);
	seen = (struct seen){ .most = 100 };
	cache_walk_name(cache, name, len, now_s, see, &seen);
	ck_assert_uint_eq(seen.n, 2);
	seen = (struct seen){ .most = 1 };
	cache_walk_name(cache, name, len, now_s, see, &seen);
	ck_assert_uint_eq(seen.n, 1);
	cache_flush_all(cache);
	cache_walk_name(cache, name, len, now_s, see, &seen);
	ck_assert_uint_eq(seen.n, 1);
}
END_TEST

/* A shard that another thread has is not waited for. */
START_TEST(walk_that_does_not_wait)
{
	struct seen seen = { .most = 100 };

	put_names();
	lock_take(&cache->part[0].lock);
	ck_assert(!cache_try_walk(cache, 0, now_s, see, &seen));
	ck_assert_uint_eq(seen.n, 0);
	lock_give(&cache->part[0].lock);
	ck_assert(cache_try_walk(cache, 0, now_s, see, &seen));
	ck_assert_uint_eq(seen.n, N_NAMES);
	ck_assert(fresh()); /* it was given back */
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, size_and_shards_follow_the_request);
	tcase_add_test(tc, large_cache_is_in_huge_pages);
	tcase_add_test(tc, five_million_messages_fit_1200_mb);
	tcase_add_test(tc, entry_comes_back_whole);
	tcase_add_loop_test(tc, fresh_then_stale, 0, 2);
	tcase_add_test(tc, message_over_the_largest_is_refused);
	tcase_add_test(tc, popular_entry_is_due_before_its_end);
	tcase_add_test(tc, unpopular_entry_is_not_due);
	tcase_add_test(tc, nxdomain_answers_all_types);
	tcase_add_test(tc, do_and_cd_are_part_of_the_key);
	tcase_add_test(tc, nothing_is_below_a_name_that_is_not_there);
	tcase_add_test(tc, repeated_failure_is_kept_longer);
	tcase_add_loop_test(tc, failure_beside_stale, 0, 2);
	tcase_add_test(tc, bogus_replaces_only_what_is_stale);
	tcase_add_test(tc, silence_ends_when_an_upstream_replies);
	tcase_add_test(tc, flush_all_leaves_nothing);
	tcase_add_test(tc, flushed_stays_flushed_past_65536_flushes);
	tcase_add_test(tc, flush_name_is_of_all_its_types);
	tcase_add_test(tc, flush_type_is_of_one);
	tcase_add_test(tc, flush_below_name);
	tcase_add_test(tc, spared_entries_keep_all_that_is_known);
	tcase_add_loop_test(tc, flush_takes_what_leads_there, 0, 6);
	tcase_add_test(tc, flush_takes_nothing_twice);
	tcase_add_test(tc, too_many_marks);
	tcase_add_loop_test(tc, limits_hold_for_what_is_there, 0, 4);
	tcase_add_test(tc, walk_sees_each_entry_once);
	tcase_add_test(tc, walk_of_a_name);
	tcase_add_test(tc, walk_that_does_not_wait);
}
