/* SPDX-License-Identifier: BSD-2-Clause */
/* The shard: what it says it has is what was put last, whatever happens; it keeps what is popular,
 * works no more than it may, and wastes little. */

#include "cache/shard.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/rng.h"
#include "dns/name.h"
#include "dns/wire.h"
#include "support/tests.h"

#define NAME_LEN 18                           /* of the names here */
#define LEAST (DNS_HEADER_LEN + NAME_LEN + 4) /* bytes of a message without a record */
#define VARIANTS 4                            /* keys of a name: A, AAAA, AAAA with DO, all types */

/* In the inner loops: as ck_assert, at the cost of a comparison. */
#define MUST(x) \
	do { \
		if (!(x)) \
			ck_abort_msg("%s", #x); \
	} while (0)

static uint8_t *mem;
static struct shard shard;
static atomic_uint cuts[SHARD_CUT_DEPTHS];

static void
set_up(size_t size, uint32_t stale_s)
{
	mem = aligned_alloc(64, (size + 63) / 64 * 64);
	ck_assert_ptr_nonnull(mem);
	memset(mem, 0, size);
	memset(cuts, 0, sizeof(cuts));
	shard_init(&shard, mem, size, stale_s, cuts);
}

static void
tear_down(void)
{
	free(mem);
}

/* --- Keys and messages ------------------------------------------------------------------------ */

struct named {
	struct question key;
	uint8_t msg[SHARD_MSG_MAX + 1024];
};

static struct named named;

/* The key of that number: VARIANTS share a name of 2 or 3 labels. Its hash is the caller's to
 * change. */
static struct question *
number(unsigned n)
{
	static const uint16_t types[VARIANTS] = { DNS_TYPE_A, DNS_TYPE_AAAA, DNS_TYPE_AAAA,
		SHARD_ANY_TYPE };
	uint8_t *name = named.msg + DNS_HEADER_LEN;

	memcpy(name,
	    n / VARIANTS % 2 == 0 ? "\010xxxxxxxx\007example" : "\010xxxxxxxx\003exa\003ple",
	    NAME_LEN);
	for (unsigned i = 0; i < 8; i++)
		name[1 + i] = (uint8_t)('a' + (n / VARIANTS >> 4 * i & 15));
	named.key = (struct question){ .qname = name,
		.qname_len = NAME_LEN,
		.hash = hash_bytes(name, NAME_LEN, 7),
		.qtype = types[n % VARIANTS],
		.qclass = DNS_CLASS_IN,
		.do_bit = n % VARIANTS == 2 };
	wire_set_u16(name + NAME_LEN, named.key.qtype);
	wire_set_u16(name + NAME_LEN + 2, named.key.qclass);
	return &named.key;
}

/* The rest of the message: version V in the header and in every byte behind the question. */
static void
fill(uint32_t v, size_t len)
{
	memset(named.msg, 0, DNS_HEADER_LEN);
	wire_set_u32(named.msg, v);
	memset(named.msg + LEAST, (int)(v & 0xff), len - LEAST);
}

static void
check_work(void)
{
	MUST(shard.work.buckets <= 128);
	MUST(shard.work.copies <= SHARD_COPIES);
	MUST(shard.work.drops <= SHARD_DROPS);
	MUST(shard.work.moved <=
	    SHARD_MSG_MAX + SHARD_COPIES * (SHARD_HEAD + SHARD_MSG_MAX + RING_ALIGN));
}

static bool
put_meta(const struct entry_meta *meta, uint32_t v, size_t len, bool there, uint32_t now_s)
{
	fill(v, len);
	bool kept = shard_put(&shard, &named.key, meta, named.msg, len, there, now_s);
	check_work();
	return kept;
}

/* Put the key of that number. */
static bool
put(unsigned n, uint32_t v, size_t len, uint32_t ttl_s, uint32_t now_s)
{
	struct entry_meta meta = { .stored_s = now_s, .ttl_s = ttl_s };

	(void)number(n);
	return put_meta(&meta, v, len, false, now_s);
}

static bool
find(struct shard_found *f)
{
	struct shard_tagged t = shard_tagged(&shard, &named.key);
	bool found = shard_find(&shard, &named.key, &t, f);

	check_work();
	MUST(!found || t.slots != 0);
	return found;
}

/* Is the key of that number there? It is asked for then. */
static bool
ask(unsigned n)
{
	struct shard_found f;

	(void)number(n);
	if (!find(&f) || f.type.msg == NULL)
		return false;
	shard_ask(&shard, &f.type);
	return true;
}

static void
check_message(const struct shard_entry *e, uint32_t v, size_t len)
{
	MUST(e->len == len);
	MUST(wire_u32(e->msg) == v);
	MUST(len == LEAST || e->msg[LEAST] == (v & 0xff));
	MUST(len == LEAST || memcmp(e->msg + LEAST, e->msg + LEAST + 1, len - LEAST - 1) == 0);
}

/* --- One by one ------------------------------------------------------------------------------- */

START_TEST(entry_comes_back_whole)
{
	struct entry_meta meta = { .stored_s = 1000,
		.ttl_s = 300,
		.generation = 5,
		.retry = 6,
		.ede = 3,
		.kind = 5,
		.flags = 0x14 };
	struct shard_found f;

	set_up(SHARD_MIN, 0);
	(void)number(8);
	ck_assert(!find(&f));
	ck_assert(put_meta(&meta, 5, 100, true, 1000));
	ck_assert(find(&f));
	check_message(&f.type, 5, 100);
	ck_assert_ptr_null(f.any.msg);
	ck_assert_mem_eq(&f.type.meta, &meta, sizeof(meta));
	ck_assert_uint_eq(f.type.asked, 0);
	for (unsigned other = 9; other < 12; other++) { /* another type, DO, both */
		(void)number(other);
		ck_assert(!find(&f));
	}
	number(8)->cd = true; /* rule 30 */
	ck_assert(!find(&f));
	number(8)->qclass = 3;
	ck_assert(!find(&f));
	(void)number(8);
	ck_assert(put_meta(&meta, 6, 2000, true, 1001));
	ck_assert(find(&f));
	check_message(&f.type, 6, 2000);
	ck_assert_uint_eq(shard.counts.n, 1);
	ck_assert_uint_eq(shard.counts.bytes, 2000);
	ck_assert_uint_eq(shard_remove_name(&shard, &named.key, false), 1);
	ck_assert_uint_eq(shard_remove_name(&shard, &named.key, false), 0);
	ck_assert(!find(&f));
	ck_assert_uint_eq(shard.counts.n, 0);
	ck_assert_uint_eq(shard.counts.bytes, 0);
	tear_down();
}
END_TEST

/* A name that is not there has one entry for all types, which ends when the name is there after all
 * (rule 31). */
START_TEST(entry_of_all_types_ends_when_the_name_is_there)
{
	struct entry_meta meta = { .ttl_s = 10 };
	struct shard_found f;

	set_up(SHARD_MIN, 0);
	ck_assert(put(0, 1, 100, 10, 0));
	ck_assert(put(3, 2, 60, 10, 0));
	ck_assert(put(3, 3, 70, 10, 0)); /* in its own place */
	ck_assert_uint_eq(shard.counts.n, 2);
	(void)number(0);
	ck_assert(find(&f));
	check_message(&f.type, 1, 100);
	check_message(&f.any, 3, 70);
	(void)number(1);
	ck_assert(find(&f));
	ck_assert_ptr_null(f.type.msg);
	check_message(&f.any, 3, 70);
	(void)number(2); /* DO has its own */
	ck_assert(!find(&f));
	(void)number(1);
	ck_assert(put_meta(&meta, 4, 80, false, 0)); /* a failure says nothing of the name */
	ck_assert(find(&f) && f.any.msg != NULL);
	ck_assert(put_meta(&meta, 5, 80, true, 0));
	ck_assert(find(&f) && f.any.msg == NULL);
	ck_assert_uint_eq(shard.counts.n, 2);
	ck_assert_uint_eq(shard_remove_name(&shard, number(0), false), 2);
	tear_down();
}
END_TEST

START_TEST(asking_counts_and_meta_can_change)
{
	struct entry_meta changed = { .stored_s = 7,
		.ttl_s = 8,
		.generation = 9,
		.retry = 10,
		.ede = 11,
		.kind = 12,
		.flags = 0x20 };
	struct entry_meta meta = { .ttl_s = 10, .flags = ENTRY_CUT };
	struct shard_found f;

	set_up(SHARD_MIN, 0);
	(void)number(3);
	ck_assert(put_meta(&meta, 1, 100, false, 0));
	for (unsigned i = 0; i < 6; i++) {
		ck_assert(find(&f));
		ck_assert_uint_eq(f.type.asked, i < BUCKET_ASKED_MAX ? i : BUCKET_ASKED_MAX);
		shard_ask(&shard, &f.type);
	}
	shard_set_meta(&shard, &f.type, &changed);
	ck_assert(find(&f));
	changed.flags |= ENTRY_CUT;
	ck_assert_mem_eq(&f.type.meta, &changed, sizeof(changed));
	ck_assert(put_meta(&meta, 2, 100, false, 0)); /* as popular as what it replaces */
	ck_assert(find(&f));
	ck_assert_uint_eq(f.type.asked, BUCKET_ASKED_MAX);
	ck_assert_uint_eq(atomic_load(&cuts[2]), 1);
	shard_clear(&shard);
	ck_assert_uint_eq(atomic_load(&cuts[2]), 0);
	ck_assert(!find(&f));
	tear_down();
}
END_TEST

START_TEST(message_over_the_largest_is_refused)
{
	struct shard_found f;

	set_up(SHARD_MIN, 0);
	ck_assert(put(1, 1, 100, 10, 0));
	ck_assert(!put(1, 2, SHARD_MSG_MAX + 1, 10, 0));
	ck_assert(!find(&f)); /* what it had is out of date */
	ck_assert_uint_eq(shard.counts.refused, 1);
	ck_assert(put(1, 3, SHARD_MSG_MAX, 10, 0));
	ck_assert(find(&f));
	check_message(&f.type, 3, SHARD_MSG_MAX);
	tear_down();
}
END_TEST

/* --- As the model ----------------------------------------------------------------------------- */

#define NAMES 10000
#define KEYS (NAMES * VARIANTS)

static struct known {
	uint32_t version; /* 0: it is not there, and cannot come back by itself */
	uint32_t len;
	struct entry_meta meta;
	bool seen;
} model[KEYS];

/* One name in 4 shares its buckets with many, one in 16 its whole hash. */
static void
key_of_model(unsigned n)
{
	uint64_t *hash = &number(n)->hash;

	if (n / VARIANTS % 16 == 0)
		*hash = 0x123456789abcdef0;
	else if (n / VARIANTS % 4 == 0)
		*hash = (*hash & 0xffff000000000000) | (*hash & 31) << 43 | (*hash & 31) << 27;
}

static void
compare(unsigned n, const struct shard_entry *e)
{
	struct known *k = &model[n];

	if (e->msg == NULL) {
		k->version = 0;
		return;
	}
	MUST(k->version != 0);
	check_message(e, k->version, k->len);
	MUST(memcmp(&e->meta, &k->meta, sizeof(k->meta)) == 0);
}

static bool
find_as_model(unsigned n, struct shard_found *f)
{
	static const struct shard_found none;

	key_of_model(n);
	bool found = find(f);
	if (!found)
		*f = none;
	MUST(found == (f->type.msg != NULL || f->any.msg != NULL));
	compare(n, &f->type);
	if (n % VARIANTS < 2)
		compare(n / VARIANTS * VARIANTS + 3, &f->any);
	return f->type.msg != NULL;
}

static void
put_as_model(unsigned n, uint32_t v, struct rng *rng)
{
	struct known *k = &model[n];
	bool there = n % VARIANTS != 3 && rng_below(rng, 4) > 0;
	unsigned size = (unsigned)rng_below(rng, 200);
	struct shard_found f;

	k->len = LEAST + (uint32_t)rng_below(rng, size > 0 ? 250 : SHARD_MSG_MAX + 100);
	k->meta = (struct entry_meta){ .stored_s = v / 300,
		.ttl_s = (uint32_t)rng_below(rng, 1000),
		.generation = rng_u16(rng),
		.retry = rng_u16(rng),
		.ede = rng_u16(rng),
		.kind = (uint8_t)v,
		.flags = (uint8_t)(v & (ENTRY_CUT | ENTRY_OWNERS)) };
	k->version = v;
	if (there && n % VARIANTS < 2)
		model[n / VARIANTS * VARIANTS + 3].version = 0;
	key_of_model(n);
	bool kept = put_meta(&k->meta, v, k->len, there, v / 300);
	if (!kept)
		k->version = 0;
	MUST(find_as_model(n, &f) == kept); /* what was just put is there */
}

static void
remove_as_model(unsigned n)
{
	unsigned first = n / VARIANTS * VARIANTS, most = 0;
	struct shard_found f;

	for (unsigned i = first; i < first + VARIANTS; i++) {
		most += model[i].version != 0;
		model[i].version = 0;
	}
	key_of_model(n);
	MUST(shard_remove_name(&shard, &named.key, false) <= most);
	check_work();
	MUST(!find_as_model(first, &f));
}

static void
change_as_model(unsigned n, uint32_t v)
{
	struct shard_found f;

	if (!find_as_model(n, &f))
		return;
	model[n].meta.retry = (uint16_t)v;
	shard_set_meta(&shard, &f.type, &model[n].meta);
}

struct sums {
	uint64_t n;
	uint64_t bytes;
	unsigned cuts;
};

static bool
add_up(void *arg, const struct question *key, const struct shard_entry *e)
{
	struct sums *sums = arg;
	unsigned name = 0, variant = 0;

	for (unsigned i = 0; i < 8; i++)
		name |= (unsigned)(key->qname[1 + i] - 'a') << 4 * i;
	while (number(variant)->qtype != key->qtype || named.key.do_bit != key->do_bit)
		variant++;
	struct known *k = &model[name * VARIANTS + variant];
	MUST(!k->seen);
	k->seen = true;
	compare(name * VARIANTS + variant, e);
	sums->n++;
	sums->bytes += e->len;
	sums->cuts += e->meta.flags & ENTRY_CUT;
	return true;
}

static void
check_sums(void)
{
	struct sums sums = { .n = 0 };
	unsigned cut = 0;

	for (unsigned n = 0; n < KEYS; n++)
		model[n].seen = false;
	shard_each(&shard, add_up, &sums);
	ck_assert_uint_eq(sums.n, shard.counts.n);
	ck_assert_uint_eq(sums.bytes, shard.counts.bytes);
	for (unsigned i = 0; i < SHARD_CUT_DEPTHS; i++)
		cut += atomic_load(&cuts[i]);
	ck_assert_uint_eq(sums.cuts, cut);
}

/*
 * Two million random operations in four runs, beside a model that keeps everything: what is found
 * is what was put last, whole; what was just put is there; what is gone stays away; the counters
 * are those of what can be found; no call works more than it may.
 */
START_TEST(random_operations_agree_with_a_model)
{
	enum { OPERATIONS = 500000 };
	struct shard_found f;
	struct rng rng;
	uint64_t hits = 0;

	memset(model, 0, sizeof(model));
	rng_init_seeded(&rng, (uint64_t)_i + 1);
	set_up(SHARD_MIN + (size_t)_i * 100008, _i % 2 == 0 ? 100 : 0);
	for (uint32_t v = 1; v <= OPERATIONS; v++) {
		/* Half of the keys are popular: the lower, the more. */
		unsigned n = (unsigned)rng_below(&rng, rng_below(&rng, KEYS) + 1);
		unsigned what = (unsigned)rng_below(&rng, 100);

		if (what < 50 && find_as_model(n, &f)) {
			hits++;
			shard_ask(&shard, &f.type);
		} else if (what >= 50 && what < 96) {
			put_as_model(n, v, &rng);
		} else if (what == 96) {
			remove_as_model(n);
		} else if (what > 96) {
			change_as_model(n, v);
		}
		if (v % 100000 == 0)
			check_sums();
	}
	ck_assert_uint_gt(hits, OPERATIONS / 20);
	ck_assert_uint_gt(shard.counts.ghost_hits, 1000);
	shard_clear(&shard);
	memset(model, 0, sizeof(model));
	for (unsigned n = 0; n < KEYS; n++)
		MUST(!find_as_model(n, &f));
	check_sums();
	ck_assert(put(1, 1, 100, 10, 0) && find(&f));
	tear_down();
}
END_TEST

/* --- What it keeps ---------------------------------------------------------------------------- */

/* A key of those that aim for one place: the whole hash, or all but the tag. */
static void
aimed(unsigned n, bool whole)
{
	uint64_t *hash = &number(n * VARIANTS)->hash;

	*hash = (whole ? 0x1234000000000000 : *hash & 0xffff000000000000) | 0x56789abcdef0;
}

/* They push out each other, nobody else who is asked for now and then, and cost no more than
 * others. */
START_TEST(crafted_collisions_push_out_only_each_other)
{
	enum { AIMED = 20000, OTHERS = 500 };
	struct shard_found f;
	struct entry_meta meta = { .ttl_s = 10 };
	unsigned kept = 0, others = 0;

	set_up(SHARD_MIN, 0);
	for (unsigned n = 0; n < OTHERS; n++)
		MUST(put(n * VARIANTS, 1, 100, 10, 0));
	for (unsigned n = 0; n < 2 * AIMED; n++) {
		aimed(OTHERS + n % AIMED, _i == 0);
		MUST(put_meta(&meta, n, 100, true, 0));
		MUST(find(&f));
		MUST(wire_u32(f.type.msg) == n);
		(void)ask(n % OTHERS * VARIANTS);
	}
	for (unsigned n = 0; n < AIMED; n++) {
		aimed(OTHERS + n, _i == 0);
		kept += find(&f);
	}
	for (unsigned n = 0; n < OTHERS; n++)
		others += ask(n * VARIANTS);
	ck_assert_uint_le(kept, 2 * BUCKET_SLOTS); /* what two buckets hold */
	ck_assert_uint_ge(kept, BUCKET_SLOTS);
	ck_assert_uint_ge(others, OTHERS - 2 * BUCKET_SLOTS);
	tear_down();
}
END_TEST

/* Where both lines of a name are full, what was asked for least gives way. */
START_TEST(least_asked_gives_way_in_full_lines)
{
	enum { FULL = 2 * BUCKET_SLOTS, LEAST_ASKED = 5 };
	const struct entry_meta meta = { .ttl_s = 10 };
	struct shard_found f;

	set_up(SHARD_MIN, 0);
	for (unsigned n = 0; n < FULL; n++) {
		aimed(n, false);
		ck_assert(put_meta(&meta, n, 100, false, 0));
		ck_assert(find(&f));
		if (n != LEAST_ASKED)
			shard_ask(&shard, &f.type);
	}
	aimed(FULL, false);
	ck_assert(put_meta(&meta, FULL, 100, false, 0));
	for (unsigned n = 0; n <= FULL; n++) {
		aimed(n, false);
		ck_assert_msg(find(&f) == (n != LEAST_ASKED), "%u", n);
	}
	tear_down();
}
END_TEST

static bool
put_spare(uint32_t v, uint32_t ttl_s, uint32_t now_s)
{
	const struct entry_meta meta = { .stored_s = now_s, .ttl_s = ttl_s };

	fill(v, 100);
	bool kept = shard_put_spare(&shard, &named.key, &meta, named.msg, 100, now_s);
	check_work();
	return kept;
}

/* What is put to spare throws out nothing that is of use: for want of slots, nor of room. */
START_TEST(spare_room_is_what_nobody_uses)
{
	enum { FULL = 2 * BUCKET_SLOTS, MANY = SHARD_MIN / 100 };
	struct shard_found f;
	unsigned kept = 0;

	set_up(SHARD_MIN, 0);
	for (unsigned n = 0; n < FULL; n++) {
		aimed(n, false);
		ck_assert(put_spare(n, 10, 0));
	}
	aimed(FULL, false);
	ck_assert(!put_spare(FULL, 10, 0));
	ck_assert(!find(&f));
	ck_assert_uint_eq(shard.counts.refused, 1);
	for (unsigned n = 0; n < MANY; n++) {
		(void)number(n * VARIANTS);
		kept += put_spare(n, 10, 0);
	}
	ck_assert_uint_lt(kept, MANY);
	ck_assert_uint_eq(shard.counts.evicted, 0);
	ck_assert_uint_eq(shard.counts.n, FULL + kept);
	for (unsigned n = 0; n < FULL; n++) {
		aimed(n, false);
		ck_assert(find(&f) && wire_u32(f.type.msg) == n);
	}
	/* What is over is of no use. */
	(void)number(MANY * VARIANTS);
	ck_assert(put_spare(1, 10, 10));
	ck_assert(find(&f));
	ck_assert_uint_eq(shard.counts.evicted, 0);
	/* Nor is a message stored that is too long. */
	(void)number((MANY + 1) * VARIANTS);
	ck_assert(!shard_put_spare(&shard, &named.key, &(struct entry_meta){ .ttl_s = 10 },
	    named.msg, SHARD_MSG_MAX + 1, 10));
	ck_assert(!find(&f));
	tear_down();
}
END_TEST

/* A tag has 16 bits: keys of a name that share one are told apart by what the entry says. */
START_TEST(keys_of_one_tag_are_apart)
{
	const struct entry_meta meta = { .ttl_s = 10 };
	struct shard_found f;

	set_up(SHARD_MIN, 0);
	struct question *key = number(0), kept = *key;
	ck_assert(put_meta(&meta, 1, 100, false, 0));
	ck_assert(find(&f));
	key->qtype ^= 0x1000;
	ck_assert_uint_eq(bucket_tag(key, key->qtype), bucket_tag(&kept, kept.qtype));
	ck_assert(!find(&f));
	*key = kept;
	key->qclass ^= 0x20;
	ck_assert_uint_eq(bucket_tag(key, key->qtype), bucket_tag(&kept, kept.qtype));
	ck_assert(!find(&f));
	*key = kept;
	ck_assert(find(&f));
	tear_down();
}
END_TEST

/*
 * As many as fit are all kept, though each is asked for once only; 64 bytes beyond each message.
 * Incidents: CVE-2023-2828.
 */
START_TEST(all_that_fits)
{
	enum { FIT = SHARD_MIN / (100 + 60) };
	uint64_t over;

	set_up(SHARD_MIN, 0);
	for (unsigned n = 0; n < FIT; n++)
		MUST(put(n * VARIANTS, 1, 100, 1000, 0));
	ck_assert_uint_eq(shard.counts.evicted, 0);
	for (unsigned n = 0; n < FIT; n++)
		MUST(ask(n * VARIANTS));
	for (unsigned n = FIT; n < 4 * FIT; n++)
		MUST(put(n * VARIANTS, 1, 100, 1000, 0));
	ck_assert_uint_gt(shard.counts.evicted, 2 * FIT);
	over = SHARD_MIN - shard.counts.bytes;
	ck_assert_msg(over <= shard.counts.n * 64, "%.1f bytes an entry",
	    (double)over / (double)shard.counts.n);
	tear_down();
}
END_TEST

/*
 * Names asked for once, five for every two questions for popular ones, leave those where they are,
 * though the popular ones alone are a third of what there is room for.
 */
START_TEST(flood_of_names_leaves_the_popular_ones)
{
	enum { POPULAR = 2000, QUESTIONS = 400000 };
	uint64_t hits = 0, asked = 0;
	struct rng rng;

	rng_init_seeded(&rng, 3);
	set_up(SHARD_MIN, 0);
	for (unsigned i = 0; i < QUESTIONS; i++) {
		bool popular = i % 7 < 2;
		unsigned n = popular ? (unsigned)rng_below(&rng, POPULAR) : POPULAR + i;
		bool hit = ask(n * VARIANTS);

		if (popular && i > QUESTIONS / 8) {
			asked++;
			hits += hit;
		}
		if (!hit)
			(void)put(n * VARIANTS, 1, 100, 1000000, 0);
	}
	ck_assert_msg(hits * 100 > asked * 95, "%.1f %%", (double)hits * 100 / (double)asked);
	tear_down();
}
END_TEST

/* What is over makes room, asked for often or not, before anything that is of use is thrown out. */
START_TEST(what_is_over_goes_first)
{
	enum { FULL = SHARD_MIN / (100 + 56), NEW = FULL / 2 };
	uint32_t now_s = UINT32_MAX - 20; /* the clock wraps meanwhile */

	set_up(SHARD_MIN, 50);
	for (unsigned n = 0; n < FULL; n++) {
		MUST(put(n * VARIANTS, 1, 100, 10, now_s));
		(void)ask(n * VARIANTS);
	}
	now_s += 100;
	for (unsigned n = FULL; n < FULL + NEW; n++)
		MUST(put(n * VARIANTS, 1, 100, 10, now_s));
	for (unsigned n = FULL; n < FULL + NEW; n++)
		MUST(ask(n * VARIANTS));
	ck_assert_uint_eq(shard.counts.evicted, 0);
	tear_down();
}
END_TEST

/* Stale entries are of use for as long as the cache was told. */
START_TEST(stale_is_of_use)
{
	enum { FULL = SHARD_MIN / (100 + 56) };

	set_up(SHARD_MIN, 50);
	for (unsigned n = 0; n < FULL; n++)
		MUST(put(n * VARIANTS, 1, 100, 10, 0));
	for (unsigned n = FULL; n < 2 * FULL; n++)
		MUST(put(n * VARIANTS, 1, 100, 10, 55));
	ck_assert_uint_gt(shard.counts.evicted, FULL / 2);
	tear_down();
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_set_timeout(tc, 300); /* under ThreadSanitizer */
	tcase_add_test(tc, entry_comes_back_whole);
	tcase_add_test(tc, entry_of_all_types_ends_when_the_name_is_there);
	tcase_add_test(tc, asking_counts_and_meta_can_change);
	tcase_add_test(tc, message_over_the_largest_is_refused);
	tcase_add_loop_test(tc, random_operations_agree_with_a_model, 0, 4);
	tcase_add_loop_test(tc, crafted_collisions_push_out_only_each_other, 0, 2);
	tcase_add_test(tc, least_asked_gives_way_in_full_lines);
	tcase_add_test(tc, spare_room_is_what_nobody_uses);
	tcase_add_test(tc, keys_of_one_tag_are_apart);
	tcase_add_test(tc, all_that_fits);
	tcase_add_test(tc, flood_of_names_leaves_the_popular_ones);
	tcase_add_test(tc, what_is_over_goes_first);
	tcase_add_test(tc, stale_is_of_use);
}
