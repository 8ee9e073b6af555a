/* SPDX-License-Identifier: BSD-2-Clause */
/* The cache in a file: whole or not at all. */

#include "daemon/cachefile.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "cache/image.h"
#include "dns/name.h"
#include "dns/wire.h"
#include "engine/store.h"
#include "support/reseal.h"
#include "support/scratch.h"
#include "support/tests.h"
#include "support/text.h"

#define SAVED_S UINT64_C(1800000000)
#define NOW_S 5u /* the machine is young: entries are older than its clock */
#define MSG_CAP 512

static char dir[SCRATCH_PATH];
static char path[SCRATCH_PATH + 16];
static char path_new[SCRATCH_PATH + 16];
static char path_key[SCRATCH_PATH + 16];
static char error[CACHEFILE_ERROR];
static struct cachefile_counts counts;
static uint64_t seed; /* of the next cache: which names share lines is the same in each run */

static void
make(void)
{
	seed = 77;
	scratch_dir(dir);
	snprintf(path, sizeof(path), "%s/cache", dir);
	snprintf(path_new, sizeof(path_new), "%s/cache.new", dir);
	snprintf(path_key, sizeof(path_key), "%s/cache" CACHEFILE_KEY, dir);
}

static void
unmake(void)
{
	(void)unlink(path);
	(void)unlink(path_key);
	(void)unlink(path_new);
	(void)rmdir(dir);
}

static struct cache *
new_cache(size_t size)
{
	struct cache *c = cache_new(size, 100, seed++);

	ck_assert_ptr_nonnull(c);
	return c;
}

/* --- Entries by number ------------------------------------------------------------------------ */

struct one {
	uint8_t msg[MSG_CAP];
	size_t len;
	struct question key;
};

/* nN.example A; N % 4 are DO and CD. */
static void
make_one(struct one *o, const struct cache *c, unsigned n)
{
	uint8_t *name = o->msg + DNS_HEADER_LEN;
	char text[32];

	memset(o, 0, sizeof(*o));
	snprintf(text, sizeof(text), "n%u.example", n / 4);
	o->key = (struct question){
		.qname = name, .qtype = 1, .qclass = 1, .do_bit = n % 2 == 1, .cd = n % 4 >= 2
	};
	o->key.qname_len = name_from_text(text, name);
	o->key.hash = hash_bytes(name, o->key.qname_len, cache_seed(c));
	wire_set_u16(o->msg + 2, 0x8180);
	wire_set_u16(o->msg + 4, 1);
	wire_set_u16(name + o->key.qname_len, 1);
	wire_set_u16(name + o->key.qname_len + 2, 1);
	o->len = DNS_HEADER_LEN + o->key.qname_len + 4;
}

/* N's address is N, for TTL_S from AGE_S ago. */
static void
put(struct cache *c, unsigned n, enum cache_kind kind, uint32_t age_s, uint32_t ttl_s)
{
	const struct cache_entry e = { .kind = kind,
		.ede = 9,
		.flags = CACHE_TRUSTED | CACHE_WITH_MSG,
		.age_s = age_s,
		.ttl_s = ttl_s };
	struct one o;

	make_one(&o, c, n);
	wire_set_u16(o.msg + 6, 1);
	memcpy(o.msg + o.len, "\xc0\x0c\0\1\0\1\0\0\1\x2c\0\4", 12);
	wire_set_u32(o.msg + o.len + 12, n);
	cache_put(c, &o.key, &e, o.msg, o.len + 16, NOW_S);
}

static bool
get(struct cache *c, unsigned n, struct cache_entry *e)
{
	const struct cache_want want = { .now_s = NOW_S, .stale_s = 100 };
	uint8_t msg[MSG_CAP];
	struct one o;

	make_one(&o, c, n);
	if (!cache_get(c, &o.key, &want, msg, sizeof(msg), e))
		return false;
	ck_assert_uint_eq(wire_u32(msg + e->len - 4), n);
	return true;
}

static unsigned
held(struct cache *c)
{
	struct shard_counts sum;

	cache_counts(c, &sum);
	return (unsigned)sum.put;
}

/* --- Files ------------------------------------------------------------------------------------ */

static bool
save(struct cache *c)
{
	const struct cachefile_when when = { .now_s = NOW_S, .unix_s = SAVED_S, .stale_s = 100 };

	return cachefile_save(path, c, &when, &counts, error);
}

static enum cachefile_verdict
load_at(struct cache *c, uint64_t unix_s)
{
	const struct cachefile_when when = { .now_s = NOW_S, .unix_s = unix_s, .stale_s = 100 };

	return cachefile_load(path, c, &when, &counts, error);
}

static size_t
size_of_file(void)
{
	struct stat st;

	ck_assert_int_eq(stat(path, &st), 0);
	return (size_t)st.st_size;
}

/* Three entries as a file; its bytes, which the caller frees. */
static uint8_t *
small_file(size_t *len)
{
	struct cache *c = new_cache(CACHE_MIN);

	put(c, 4, CACHE_POSITIVE, 0, 300);
	put(c, 9, CACHE_NODATA, 20, 60);
	put(c, 14, CACHE_NXDOMAIN, 10, 3600);
	ck_assert_msg(save(c), "%s", error);
	cache_free(c);
	*len = size_of_file();
	uint8_t *bytes = malloc(*len);
	ck_assert_ptr_nonnull(bytes);
	FILE *f = fopen(path, "rb");
	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fread(bytes, 1, *len, f), *len);
	fclose(f);
	return bytes;
}

/* --- What holds ------------------------------------------------------------------------------- */

START_TEST(saved_entries_come_back)
{
	struct cache *c = new_cache(CACHE_MIN), *d = new_cache(4 * CACHE_MIN);
	struct cache_entry e;
	struct stat st;

	put(c, 4, CACHE_POSITIVE, 0, 300);
	put(c, 5, CACHE_NODATA, 20, 60);     /* the same name with DO */
	put(c, 6, CACHE_NXDOMAIN, 10, 3600); /* with CD */
	ck_assert_msg(save(c), "%s", error);
	ck_assert_uint_eq(counts.entries, 3);
	ck_assert_uint_eq(counts.bytes, size_of_file());
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_uint_eq(st.st_mode & 0777, 0600);
	ck_assert_int_eq(access(path_new, F_OK), -1);

	ck_assert_int_eq(load_at(d, SAVED_S + 50), CACHEFILE_OK);
	ck_assert_uint_eq(counts.entries, 3);
	ck_assert_uint_eq(counts.old, 0);
	ck_assert_uint_eq(held(d), 3);
	ck_assert(get(d, 4, &e));
	ck_assert_int_eq(e.kind, CACHE_POSITIVE);
	ck_assert_uint_eq(e.age_s, 50);
	ck_assert_uint_eq(e.ttl_s, 300);
	ck_assert_uint_eq(e.ede, 9);
	ck_assert_uint_eq(
	    e.flags, CACHE_WITH_MSG | CACHE_PLAIN); /* D9: whoever was trusted when it was saved */
	ck_assert(get(d, 5, &e));
	ck_assert_int_eq(e.kind, CACHE_NODATA);
	ck_assert_uint_eq(e.age_s, 70);
	ck_assert(!cache_fresh(&e));
	ck_assert(get(d, 6, &e));
	ck_assert_int_eq(e.kind, CACHE_NXDOMAIN);
	ck_assert_uint_eq(e.age_s, 60);
	ck_assert(!get(d, 7, &e));
	cache_free(c);
	cache_free(d);
}
END_TEST

/* Over many shards and blocks, into a cache of other shards; and once more from there. */
START_TEST(entries_survive_another_number_of_shards)
{
	enum { N = 40000 };
	struct cache *c = new_cache(16 * CACHE_MIN), *d = new_cache(64 * CACHE_MIN);
	struct cache_entry e;

	ck_assert_uint_gt(cache_shards(c), 1);
	for (unsigned n = 0; n < N; n++)
		put(c, n, CACHE_POSITIVE, n % 100, 300);
	ck_assert_msg(save(c), "%s", error);
	ck_assert_uint_eq(counts.entries, N);
	ck_assert_uint_gt(counts.bytes, 10 * IMAGE_BLOCK);
	ck_assert_int_eq(load_at(d, SAVED_S), CACHEFILE_OK);
	ck_assert_uint_eq(counts.entries, N);
	for (unsigned n = 0; n < N; n++) {
		ck_assert(get(d, n, &e));
		ck_assert_uint_eq(e.age_s, n % 100);
	}
	uint64_t bytes = counts.bytes;
	ck_assert_msg(save(d), "%s", error);
	ck_assert_uint_eq(counts.entries, N);
	ck_assert_uint_lt(counts.bytes > bytes ? counts.bytes - bytes : bytes - counts.bytes, 1000);
	cache_free(c);
	cache_free(d);
}
END_TEST

static atomic_bool enough;

static void *
keep_putting(void *arg)
{
	for (unsigned n = 0; !enough; n++)
		put(arg, n % 50000, CACHE_POSITIVE, 0, 300);
	return NULL;
}

/* Loops go on while it is saved; each file is a sound one. */
START_TEST(cache_in_use_gives_sound_files)
{
	struct cache *c = new_cache(4 * CACHE_MIN);
	pthread_t other;

	enough = false;
	put(c, 0, CACHE_POSITIVE, 0, 300);
	ck_assert_int_eq(pthread_create(&other, NULL, keep_putting, c), 0);
	for (unsigned i = 0; i < 20; i++) {
		struct cache *d = new_cache(4 * CACHE_MIN);

		ck_assert_msg(save(c), "%s", error);
		ck_assert_msg(load_at(d, SAVED_S) == CACHEFILE_OK, "%s", error);
		ck_assert_uint_ge(counts.entries, 1);
		cache_free(d);
		if (i % 4 == 3)
			cache_flush_all(c);
		put(c, 0, CACHE_POSITIVE, 0, 300);
	}
	enough = true;
	ck_assert_int_eq(pthread_join(other, NULL), 0);
	cache_free(c);
}
END_TEST

/* An empty cache is a file too, and replaces another one. */
START_TEST(empty_cache_replaces_the_file)
{
	struct cache *c = new_cache(CACHE_MIN);
	size_t len;

	free(small_file(&len));
	ck_assert_msg(save(c), "%s", error);
	ck_assert_uint_eq(size_of_file(), IMAGE_HEAD);
	ck_assert_int_eq(load_at(c, SAVED_S), CACHEFILE_OK);
	ck_assert_uint_eq(counts.entries, 0);
	ck_assert_uint_eq(held(c), 0);
	cache_free(c);
}
END_TEST

/* Failures are of their moment (rule 34); what is past its stale time is of no use. */
START_TEST(failures_and_old_entries_are_not_saved)
{
	const struct cache_want want = { .now_s = NOW_S };
	const struct cache_entry failure = { .kind = CACHE_BOGUS, .ttl_s = 5 };
	struct cache *c = new_cache(CACHE_MIN), *d = new_cache(CACHE_MIN);
	struct cache_entry e;
	struct one o;

	make_one(&o, c, 100);
	cache_put_failure(c, &o.key, &failure, o.msg, o.len, &want, 300);
	ck_assert(cache_get(c, &o.key, &want, o.msg, sizeof(o.msg), &e));
	put(c, 4, CACHE_POSITIVE, 399, 300);
	put(c, 8, CACHE_POSITIVE, 400, 300);
	ck_assert_msg(save(c), "%s", error);
	ck_assert_uint_eq(counts.entries, 1);
	ck_assert_uint_eq(counts.old, 1);
	ck_assert_int_eq(load_at(d, SAVED_S), CACHEFILE_OK);
	ck_assert_uint_eq(counts.entries, 1);
	ck_assert(get(d, 4, &e));
	ck_assert_int_eq(load_at(d, SAVED_S + 1), CACHEFILE_OK);
	ck_assert_uint_eq(counts.entries, 0);
	ck_assert_uint_eq(counts.old, 1);
	ck_assert_int_eq(load_at(d, UINT64_MAX), CACHEFILE_OK);
	ck_assert_uint_eq(counts.old, 1);
	ck_assert_uint_eq(held(d), 1);
	cache_free(c);
	cache_free(d);
}
END_TEST

/* What was flushed does not come back. */
START_TEST(flushed_entries_do_not_come_back)
{
	struct cache *c = new_cache(CACHE_MIN);
	uint8_t name[DNS_NAME_MAX];
	size_t len = name_from_text("n2.example", name);

	put(c, 4, CACHE_POSITIVE, 0, 300);
	put(c, 8, CACHE_POSITIVE, 0, 300);
	(void)cache_flush_below(c, name, len, NOW_S);
	ck_assert_msg(save(c), "%s", error);
	ck_assert_uint_eq(counts.entries, 1);
	cache_flush_all(c);
	ck_assert_msg(save(c), "%s", error);
	ck_assert_uint_eq(counts.entries, 0);
	cache_free(c);
}
END_TEST

/* --- What is refused -------------------------------------------------------------------------- */

static void
expect_refused(struct cache *c, const char *why)
{
	size_t len = size_of_file();

	error[0] = '\0';
	ck_assert_int_eq(load_at(c, SAVED_S + 1), CACHEFILE_REFUSED);
	text_contains(error, why);
	ck_assert_uint_eq(held(c), 0);
	ck_assert_uint_eq(size_of_file(), len);
}

START_TEST(cut_at_every_byte)
{
	struct cache *c = new_cache(CACHE_MIN);
	size_t len;
	uint8_t *bytes = small_file(&len);

	for (size_t n = 0; n < len; n++) {
		text_write(path, (const char *)bytes, n);
		expect_refused(c, n < IMAGE_HEAD ? "is cut off" : "bytes where");
	}
	/* Nor may there be more. */
	bytes = realloc(bytes, len + 1);
	ck_assert_ptr_nonnull(bytes);
	bytes[len] = 0;
	text_write(path, (const char *)bytes, len + 1);
	expect_refused(c, "bytes where");
	reseal(bytes, len + 1);
	text_write(path, (const char *)bytes, len + 1);
	expect_refused(c, "");
	free(bytes);
	cache_free(c);
}
END_TEST

/* Cut at every byte, by one who also knew how to compute the checksum. */
START_TEST(resealed_cut_files_are_refused)
{
	struct cache *c = new_cache(CACHE_MIN);
	size_t len;
	uint8_t *bytes = small_file(&len);

	for (size_t n = IMAGE_HEAD; n < len; n++) {
		reseal(bytes, n);
		text_write(path, (const char *)bytes, n);
		expect_refused(c, "");
	}
	free(bytes);
	cache_free(c);
}
END_TEST

START_TEST(every_byte_changed)
{
	struct cache *c = new_cache(CACHE_MIN);
	size_t len;
	uint8_t *bytes = small_file(&len);

	for (size_t at = 0; at < len; at++) {
		const uint8_t changes[] = { 0xff, (uint8_t)(1 << at % 8) };

		for (size_t i = 0; i < sizeof(changes); i++) {
			bytes[at] ^= changes[i];
			text_write(path, (const char *)bytes, len);
			expect_refused(c, "");
			bytes[at] ^= changes[i];
		}
	}
	text_write(path, (const char *)bytes, len);
	ck_assert_int_eq(load_at(c, SAVED_S), CACHEFILE_OK);
	ck_assert_uint_eq(held(c), 3);
	free(bytes);
	cache_free(c);
}
END_TEST

/* Sound but for one thing. */
START_TEST(wrong_content_is_refused)
{
	static const struct {
		size_t at;
		uint8_t value;
		const char *wrong;
	} cases[] = {
		{ 0, 'x', "is no cache file" },
		{ 11, 2, "of another version" },
		{ 15, 1, "of another version" },
		{ 31, 4, "entries are missing" },
		{ IMAGE_HEAD + 7, 2, "more than its entries" },
		{ IMAGE_HEAD + 7, 4, "entry 4 is cut off" },
		{ IMAGE_HEAD + 7, 0, "length cannot be" },
		{ IMAGE_HEAD, 1, "length cannot be" },
		{ IMAGE_HEAD + 8 + 6, CACHE_BOGUS, "entry 1 is of a kind" },
		{ IMAGE_HEAD + 8 + 3, 28, "entry 1 has a message of another question" },
	};
	struct cache *c = new_cache(CACHE_MIN);
	size_t len;
	uint8_t *bytes = small_file(&len);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint8_t before = bytes[cases[i].at];

		bytes[cases[i].at] = cases[i].value;
		reseal(bytes, len);
		text_write(path, (const char *)bytes, len);
		expect_refused(c, cases[i].wrong);
		bytes[cases[i].at] = before;
	}
	free(bytes);
	cache_free(c);
}
END_TEST

START_TEST(file_from_the_future_is_refused)
{
	struct cache *c = new_cache(CACHE_MIN);
	size_t len;

	free(small_file(&len));
	ck_assert_int_eq(load_at(c, SAVED_S - 10), CACHEFILE_REFUSED);
	text_contains(error, "10 s from now");
	ck_assert_uint_eq(held(c), 0);
	cache_free(c);
}
END_TEST

/* Whoever may write to the directory does not choose what we read. */
START_TEST(link_is_not_followed)
{
	struct cache *c = new_cache(CACHE_MIN);
	char other[SCRATCH_PATH + 16];

	put(c, 0, CACHE_POSITIVE, 0, 60);
	ck_assert(save(c));
	snprintf(other, sizeof(other), "%s/other", dir);
	ck_assert_int_eq(rename(path, other), 0);
	ck_assert_int_eq(symlink(other, path), 0);
	ck_assert_int_eq(load_at(c, SAVED_S), CACHEFILE_REFUSED);
	ck_assert_str_eq(error, "cannot be read: a symbolic link, which is not followed");
	/* A save takes the link's place; what it points to stays. */
	ck_assert(save(c));
	ck_assert_int_eq(load_at(c, SAVED_S), CACHEFILE_OK);
	ck_assert_int_eq(unlink(other), 0);
	cache_free(c);
}
END_TEST

START_TEST(missing_or_irregular_file_is_told)
{
	struct cache *c = new_cache(CACHE_MIN);

	ck_assert_int_eq(load_at(c, SAVED_S), CACHEFILE_NONE);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	ck_assert_int_eq(load_at(c, SAVED_S), CACHEFILE_REFUSED);
	text_contains(error, "Is a directory");
	ck_assert(!save(c));
	ck_assert_int_eq(access(path_new, F_OK), -1);
	ck_assert_int_eq(rmdir(path), 0);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	ck_assert_int_eq(load_at(c, SAVED_S), CACHEFILE_REFUSED);
	text_contains(error, "not a regular file");
	cache_free(c);
}
END_TEST

/* A link that somebody put there, or what a crash left, is replaced, not written to. */
START_TEST(link_at_the_new_name_is_replaced)
{
	struct cache *c = new_cache(CACHE_MIN);
	char other[SCRATCH_PATH + 16];
	struct stat st;

	snprintf(other, sizeof(other), "%s/other", dir);
	text_write(other, "kept", 4);
	ck_assert_int_eq(symlink(other, path_new), 0);
	ck_assert_msg(save(c), "%s", error);
	ck_assert_int_eq(stat(other, &st), 0);
	ck_assert_int_eq(st.st_size, 4);
	ck_assert_int_eq(lstat(path, &st), 0);
	ck_assert(S_ISREG(st.st_mode));
	ck_assert_int_eq(unlink(other), 0);
	cache_free(c);
}
END_TEST

START_TEST(file_that_cannot_be_written_is_told)
{
	const struct cachefile_when when = { .now_s = NOW_S, .unix_s = SAVED_S };
	struct rlimit limit, little;
	struct cache *c = new_cache(CACHE_MIN);
	size_t len;

	ck_assert(!cachefile_save("/nonexistent/cache", c, &when, &counts, error));
	text_contains(error, "No such file or directory");
	ck_assert(!cachefile_store("/nonexistent/cache", c, 0, NULL, NULL));
	/* A disk that is full: what was there before stays. */
	free(small_file(&len));
	for (unsigned n = 0; n < 100; n++)
		put(c, n, CACHE_POSITIVE, 0, 300);
	(void)signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
	little = (struct rlimit){ .rlim_cur = 1000, .rlim_max = limit.rlim_max };
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &little), 0);
	bool saved = save(c);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	ck_assert(!saved);
	text_contains(error, "cannot be written: File too large");
	ck_assert_int_eq(access(path_new, F_OK), -1);
	ck_assert_uint_eq(size_of_file(), len);
	cache_free(c);
	c = new_cache(CACHE_MIN);
	ck_assert_int_eq(load_at(c, SAVED_S), CACHEFILE_OK);
	ck_assert_uint_eq(held(c), 3);
	cache_free(c);
}
END_TEST

static void
count_tick(void *arg)
{
	++*(unsigned *)arg;
}

/* With the daemon's clocks. */
START_TEST(age_is_that_of_the_clocks)
{
	struct cache *c = new_cache(CACHE_MIN), *d = new_cache(CACHE_MIN);
	const struct cache_want want = { .now_s = cachefile_now_s() };
	const struct cache_entry e = {
		.kind = CACHE_POSITIVE, .flags = CACHE_WITH_MSG, .ttl_s = 300
	};
	struct cache_entry got;
	struct cachefile_loaded loaded;
	unsigned n_ticks = 0;
	struct one o;

	make_one(&o, c, 4);
	cache_put(c, &o.key, &e, o.msg, o.len, want.now_s);
	cachefile_start(path, d, 0, &loaded);
	ck_assert_int_eq(loaded.verdict, CACHEFILE_NONE);
	cachefile_report(path, &loaded);
	ck_assert_uint_eq(held(d), 0);
	ck_assert(cachefile_store(path, c, 0, count_tick, &n_ticks));
	ck_assert_uint_eq(n_ticks, cache_shards(c));
	cachefile_start(path, d, 0, &loaded);
	ck_assert_int_eq(loaded.verdict, CACHEFILE_OK);
	ck_assert_uint_eq(loaded.counts.entries, 1);
	cachefile_report(path, &loaded);
	ck_assert_uint_eq(held(d), 1);
	make_one(&o, d, 4);
	ck_assert(cache_get(d, &o.key, &want, o.msg, sizeof(o.msg), &got));
	ck_assert_uint_le(got.age_s, 30);
	cache_free(c);
	cache_free(d);
}
END_TEST

/* A file with another key, of another user, or that others can write, is not believed. */
START_TEST(whose_file_it_is)
{
	struct cachefile_when when = {
		.now_s = NOW_S, .unix_s = SAVED_S, .stale_s = 100, .key = 0x0123456789abcdef
	};
	struct cache *c = new_cache(CACHE_MIN);

	put(c, 1, CACHE_POSITIVE, 0, 300);
	ck_assert(cachefile_save(path, c, &when, &counts, error));
	cache_flush_all(c);
	when.key ^= 1;
	ck_assert_int_eq(cachefile_load(path, c, &when, &counts, error), CACHEFILE_REFUSED);
	ck_assert_str_eq(error, "is damaged: its checksum is wrong");
	when.key ^= 1;
	ck_assert_int_eq(chmod(path, 0620), 0);
	ck_assert_int_eq(cachefile_load(path, c, &when, &counts, error), CACHEFILE_REFUSED);
	ck_assert_str_eq(error,
	    "cannot be read: it must belong to the daemon's user or root, and nobody else may "
	    "be able to write it (chown, chmod go-w)");
	ck_assert_int_eq(chmod(path, 0602), 0);
	ck_assert_int_eq(cachefile_load(path, c, &when, &counts, error), CACHEFILE_REFUSED);
	ck_assert_int_eq(chmod(path, 0644), 0);
	if (geteuid() == 0) {
		ck_assert_int_eq(chown(path, 61234, 0), 0);
		ck_assert_int_eq(cachefile_load(path, c, &when, &counts, error), CACHEFILE_REFUSED);
		text_contains(error, "it must belong to");
		ck_assert_int_eq(chown(path, 0, 0), 0);
	}
	ck_assert_int_eq(cachefile_load(path, c, &when, &counts, error), CACHEFILE_OK);
	cache_free(c);
}
END_TEST

START_TEST(its_key)
{
	uint64_t key, again;
	struct stat st;

	ck_assert_int_eq(cachefile_key(path, false, &key), -ENOENT);
	ck_assert_int_eq(cachefile_key(path, true, &key), 0);
	ck_assert_int_eq(stat(path_key, &st), 0);
	ck_assert_uint_eq(st.st_mode & 0777, 0600);
	ck_assert_int_eq(cachefile_key(path, false, &again), 0);
	ck_assert(key == again);
	ck_assert_int_eq(cachefile_key(path, true, &again), 0);
	ck_assert(key == again);
	/* Others could have read or written it. */
	ck_assert_int_eq(chmod(path_key, 0640), 0);
	ck_assert_int_eq(cachefile_key(path, true, &again), -EKEYREJECTED);
	ck_assert_int_eq(chmod(path_key, 0620), 0);
	ck_assert_int_eq(cachefile_key(path, true, &again), -EPERM);
	ck_assert_int_eq(chmod(path_key, 0600), 0);
	/* One that was cut off is replaced. */
	ck_assert_int_eq(truncate(path_key, 7), 0);
	ck_assert_int_eq(cachefile_key(path, false, &again), -ENODATA);
	ck_assert_int_eq(cachefile_key(path, true, &again), 0);
	ck_assert(key != again);
	ck_assert_int_eq(unlink(path_key), 0);
	ck_assert_int_eq(symlink("/etc/passwd", path_key), 0);
	ck_assert_int_eq(cachefile_key(path, true, &again), -ELOOP);
	ck_assert_int_eq(unlink(path_key), 0);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, make, unmake);
	tcase_add_test(tc, saved_entries_come_back);
	tcase_add_test(tc, entries_survive_another_number_of_shards);
	tcase_add_test(tc, cache_in_use_gives_sound_files);
	tcase_add_test(tc, empty_cache_replaces_the_file);
	tcase_add_test(tc, failures_and_old_entries_are_not_saved);
	tcase_add_test(tc, flushed_entries_do_not_come_back);
	tcase_add_test(tc, cut_at_every_byte);
	tcase_add_test(tc, resealed_cut_files_are_refused);
	tcase_add_test(tc, whose_file_it_is);
	tcase_add_test(tc, its_key);
	tcase_add_test(tc, every_byte_changed);
	tcase_add_test(tc, wrong_content_is_refused);
	tcase_add_test(tc, file_from_the_future_is_refused);
	tcase_add_test(tc, link_is_not_followed);
	tcase_add_test(tc, missing_or_irregular_file_is_told);
	tcase_add_test(tc, link_at_the_new_name_is_replaced);
	tcase_add_test(tc, file_that_cannot_be_written_is_told);
	tcase_add_test(tc, age_is_that_of_the_clocks);
}
