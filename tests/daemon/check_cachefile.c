/* SPDX-License-Identifier: BSD-2-Clause */
/* The cache in a file: whole or not at all. */

#include "daemon/cachefile.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cache/cache_parts.h"
#include "cache/image.h"
#include "dns/name.h"
#include "support/numbered.h"
#include "support/reseal.h"
#include "support/scratch.h"
#include "support/tests.h"
#include "support/text.h"

#define SAVED_S UINT64_C(1800000000)
#define NOW_S 5u /* the machine is young: entries are older than its clock */

static char dir[SCRATCH_PATH];
static char path[SCRATCH_PATH + 16];
static char path_new[SCRATCH_PATH + 16];
static char path_key[SCRATCH_PATH + 16];
static struct cachefile_result result; /* of the last load or save */
static uint32_t now_s;                 /* of what is put and looked for */
static uint64_t seed; /* of the next cache: which names share lines is the same in each run */

static void
make(void)
{
	seed = 77;
	now_s = NOW_S;
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

/* N's address is N, for TTL_S from AGE_S ago. */
static void
put(struct cache *c, unsigned n, enum cache_kind kind, uint32_t age_s, uint32_t ttl_s)
{
	const struct cache_entry e = { .kind = kind,
		.ede = 9,
		.flags = CACHE_TRUSTED | CACHE_WITH_MSG,
		.age_s = age_s,
		.ttl_s = ttl_s };

	numbered_put(c, n, &e, now_s);
}

static bool
get(struct cache *c, unsigned n, struct cache_entry *e)
{
	const struct cache_want want = { .now_s = now_s, .stale_s = 100 };

	return numbered_get(c, n, &want, e);
}

static unsigned
held(struct cache *c)
{
	struct shard_counts sum;

	cache_counts(c, &sum);
	return (unsigned)sum.put;
}

/* --- Files ------------------------------------------------------------------------------------ */

static const struct cachefile_when at_save = { .now_s = NOW_S, .unix_s = SAVED_S, .stale_s = 100 };

static bool
save_to(const char *to, struct cache *c, const struct cachefile_when *when)
{
	struct cachefile_saving *s = cachefile_save_new(to, c, when, &result);

	if (s == NULL)
		return false;
	while (cachefile_save_step(s, &result))
		continue;
	cachefile_save_free(s);
	return result.verdict == CACHEFILE_OK;
}

static bool
save(struct cache *c)
{
	return save_to(path, c, &at_save);
}

static struct cachefile_loading *
begin_load(struct cache *c, const struct cachefile_when *when)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct cachefile_loading *l;

	ck_assert_int_ge(fd, 0);
	l = cachefile_load_new(fd, c, when);
	ck_assert_ptr_nonnull(l);
	return l;
}

static enum cachefile_verdict
end_load(struct cachefile_loading *l)
{
	while (cachefile_load_step(l, &result))
		continue;
	cachefile_load_free(l);
	return result.verdict;
}

static enum cachefile_verdict
load_at(struct cache *c, uint64_t unix_s)
{
	const struct cachefile_when when = { .now_s = NOW_S, .unix_s = unix_s, .stale_s = 100 };

	return end_load(begin_load(c, &when));
}

/* As the daemon does, with its log: what became of the load. */
static enum cachefile_verdict
load_own(struct cache *c)
{
	struct cachefile f = { .cache = c };

	cachefile_open(&f, path, 100);
	ck_assert_int_eq(f.work, CACHEFILE_LOADS);
	cachefile_finish_load(&f, NULL, NULL);
	ck_assert_int_eq(f.work, CACHEFILE_IDLE);
	ck_assert_int_eq(cachefile_work(&f), -1);
	result = f.result;
	return result.verdict;
}

static bool
save_own(const char *to, struct cache *c)
{
	struct cachefile f = { .cache = c };

	cachefile_save(&f, to, 100);
	ck_assert_int_eq(f.work, CACHEFILE_SAVES);
	bool saved = cachefile_finish_save(&f, NULL, NULL);
	result = f.result;
	return saved;
}

static size_t
size_at(const char *name)
{
	struct stat st;

	ck_assert_int_eq(stat(name, &st), 0);
	return (size_t)st.st_size;
}

static size_t
size_of_file(void)
{
	return size_at(path);
}

/* Three entries as a file; its bytes, which the caller frees. */
static uint8_t *
small_file(size_t *len)
{
	struct cache *c = new_cache(CACHE_MIN);

	put(c, 4, CACHE_POSITIVE, 0, 300);
	put(c, 9, CACHE_NODATA, 20, 60);
	put(c, 14, CACHE_NXDOMAIN, 10, 3600);
	ck_assert_msg(save(c), "%s", result.error);
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
	ck_assert_msg(save(c), "%s", result.error);
	ck_assert_uint_eq(result.counts.entries, 3);
	ck_assert_uint_eq(result.counts.bytes, size_of_file());
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_uint_eq(st.st_mode & 0777, 0600);
	ck_assert_int_eq(access(path_new, F_OK), -1);

	ck_assert_int_eq(load_at(d, SAVED_S + 50), CACHEFILE_OK);
	ck_assert_uint_eq(result.counts.entries, 3);
	ck_assert_uint_eq(result.counts.old, 0);
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
	ck_assert_msg(save(c), "%s", result.error);
	ck_assert_uint_eq(result.counts.entries, N);
	ck_assert_uint_gt(result.counts.bytes, 10 * IMAGE_BLOCK);
	ck_assert_int_eq(load_at(d, SAVED_S), CACHEFILE_OK);
	ck_assert_uint_eq(result.counts.entries, N);
	for (unsigned n = 0; n < N; n++) {
		ck_assert(get(d, n, &e));
		ck_assert_uint_eq(e.age_s, n % 100);
	}
	uint64_t bytes = result.counts.bytes;
	ck_assert_msg(save(d), "%s", result.error);
	ck_assert_uint_eq(result.counts.entries, N);
	ck_assert_uint_lt(
	    result.counts.bytes > bytes ? result.counts.bytes - bytes : bytes - result.counts.bytes,
	    1000);
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

		ck_assert_msg(save(c), "%s", result.error);
		ck_assert_msg(load_at(d, SAVED_S) == CACHEFILE_OK, "%s", result.error);
		ck_assert_uint_ge(result.counts.entries, 1);
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
	ck_assert_msg(save(c), "%s", result.error);
	ck_assert_uint_eq(size_of_file(), IMAGE_HEAD);
	ck_assert_int_eq(load_at(c, SAVED_S), CACHEFILE_OK);
	ck_assert_uint_eq(result.counts.entries, 0);
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
	struct numbered o;

	numbered_make(&o, c, 100);
	cache_put_failure(c, &o.key, &failure, o.msg, o.len, &want, 300);
	ck_assert(cache_get(c, &o.key, &want, o.msg, sizeof(o.msg), &e));
	put(c, 4, CACHE_POSITIVE, 399, 300);
	put(c, 8, CACHE_POSITIVE, 400, 300);
	ck_assert_msg(save(c), "%s", result.error);
	ck_assert_uint_eq(result.counts.entries, 1);
	ck_assert_uint_eq(result.counts.old, 1);
	ck_assert_int_eq(load_at(d, SAVED_S), CACHEFILE_OK);
	ck_assert_uint_eq(result.counts.entries, 1);
	ck_assert(get(d, 4, &e));
	ck_assert_int_eq(load_at(d, SAVED_S + 1), CACHEFILE_OK);
	ck_assert_uint_eq(result.counts.entries, 0);
	ck_assert_uint_eq(result.counts.old, 1);
	ck_assert_int_eq(load_at(d, UINT64_MAX), CACHEFILE_OK);
	ck_assert_uint_eq(result.counts.old, 1);
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
	ck_assert_msg(save(c), "%s", result.error);
	ck_assert_uint_eq(result.counts.entries, 1);
	cache_flush_all(c);
	ck_assert_msg(save(c), "%s", result.error);
	ck_assert_uint_eq(result.counts.entries, 0);
	cache_free(c);
}
END_TEST

/* --- What is refused -------------------------------------------------------------------------- */

static void
expect_refused(struct cache *c, const char *why)
{
	size_t len = size_of_file();

	result.error[0] = '\0';
	ck_assert_int_eq(load_at(c, SAVED_S + 1), CACHEFILE_REFUSED);
	text_contains(result.error, why);
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
	text_contains(result.error, "10 s from now");
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
	ck_assert_int_eq(load_own(c), CACHEFILE_REFUSED);
	ck_assert_str_eq(result.error, "cannot be read: a symbolic link, which is not followed");
	/* A save takes the link's place; what it points to stays. */
	ck_assert(save_own(path, c));
	ck_assert_int_eq(load_own(c), CACHEFILE_OK);
	ck_assert_int_eq(unlink(other), 0);
	cache_free(c);
}
END_TEST

START_TEST(missing_or_irregular_file_is_told)
{
	struct cache *c = new_cache(CACHE_MIN);

	ck_assert_int_eq(load_own(c), CACHEFILE_NONE);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	ck_assert_int_eq(load_own(c), CACHEFILE_REFUSED);
	text_contains(result.error, "Is a directory");
	ck_assert(!save(c));
	text_contains(result.error, "cannot be written: Is a directory");
	ck_assert_int_eq(access(path_new, F_OK), -1);
	ck_assert_int_eq(rmdir(path), 0);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	ck_assert_int_eq(load_own(c), CACHEFILE_REFUSED);
	text_contains(result.error, "not a regular file");
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
	ck_assert_msg(save(c), "%s", result.error);
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
	struct rlimit limit, little;
	struct cache *c = new_cache(CACHE_MIN);
	size_t len;

	ck_assert(!save_to("/nonexistent/cache", c, &at_save));
	ck_assert_str_eq(result.error, "its .new cannot be created: No such file or directory");
	ck_assert(!save_own("/nonexistent/cache", c));
	text_contains(result.error,
	    "its key, the same name with .key, cannot be had: No such file or directory");
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
	text_contains(result.error, "cannot be written: File too large");
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
	struct cachefile f = { .cache = c }, g = { .cache = d };
	struct cache_entry got;
	unsigned n_ticks = 0;
	struct numbered o;

	numbered_make(&o, c, 4);
	cache_put(c, &o.key, &e, o.msg, o.len, want.now_s);
	cachefile_open(&g, path, 0);
	cachefile_finish_load(&g, NULL, NULL);
	ck_assert_int_eq(g.result.verdict, CACHEFILE_NONE);
	ck_assert_uint_eq(held(d), 0);
	cachefile_save(&f, path, 0);
	ck_assert(cachefile_finish_save(&f, count_tick, &n_ticks));
	ck_assert_uint_eq(n_ticks, cache_shards(c));
	cachefile_open(&g, path, 0);
	ck_assert(cache_restoring(d));
	cachefile_finish_load(&g, count_tick, &n_ticks);
	ck_assert_uint_eq(n_ticks, cache_shards(c) + 4); /* head, block, end, block again */
	ck_assert(!cache_restoring(d));
	ck_assert_int_eq(g.result.verdict, CACHEFILE_OK);
	ck_assert_uint_eq(g.result.counts.entries, 1);
	ck_assert_uint_eq(held(d), 1);
	numbered_make(&o, d, 4);
	ck_assert(cache_get(d, &o.key, &want, o.msg, sizeof(o.msg), &got));
	ck_assert_uint_le(got.age_s, 30);
	cache_free(c);
	cache_free(d);
}
END_TEST

/* --- Piece by piece, beside those who use the cache ------------------------------------------- */

/* What has come since the load began stays, and is not thrown out; the rest comes from the file. */
START_TEST(newer_entries_stay)
{
	struct cache *c = new_cache(CACHE_MIN);
	struct cachefile_loading *l;
	struct cache_entry e;
	size_t len;

	free(small_file(&len));
	l = begin_load(c, &at_save);
	put(c, 4, CACHE_NXDOMAIN, 0, 7);
	ck_assert(cachefile_load_step(l, &result) && cachefile_load_step(l, &result));
	put(c, 9, CACHE_POSITIVE, 0, 8);
	ck_assert_int_eq(end_load(l), CACHEFILE_OK);
	ck_assert_uint_eq(result.counts.entries, 1);
	ck_assert_uint_eq(result.counts.superseded, 2);
	ck_assert(get(c, 4, &e) && e.ttl_s == 7 && e.kind == CACHE_NXDOMAIN);
	ck_assert(get(c, 9, &e) && e.ttl_s == 8 && e.kind == CACHE_POSITIVE);
	ck_assert(get(c, 14, &e) && e.age_s == 10);
	cache_free(c);
}
END_TEST

/* A file that the cache has no room for: nothing that is newer leaves for it. */
START_TEST(file_evicts_nothing)
{
	enum { N = 40000 };
	struct cache *c = new_cache(8 * CACHE_MIN), *d = new_cache(CACHE_MIN);
	struct shard_counts before, after;
	uint64_t saved;

	for (unsigned n = 0; n < N; n++)
		put(c, n, CACHE_POSITIVE, 0, 300);
	ck_assert(save(c));
	saved = result.counts.entries;
	for (unsigned n = 0; n < 100; n++)
		put(d, N + n, CACHE_POSITIVE, 0, 300);
	cache_counts(d, &before);
	ck_assert_int_eq(load_at(d, SAVED_S + 1), CACHEFILE_OK);
	cache_counts(d, &after);
	ck_assert_uint_eq(result.counts.entries + result.counts.no_room, saved);
	ck_assert_uint_gt(result.counts.entries, 1000);
	ck_assert_uint_gt(result.counts.no_room, 1000);
	ck_assert_uint_eq(after.evicted, before.evicted);
	ck_assert_uint_eq(after.n, before.n + result.counts.entries);
	cache_free(c);
	cache_free(d);
}
END_TEST

/* The file is replaced, as by another daemon, while it is loaded: what was opened is loaded. */
START_TEST(file_is_replaced_meanwhile)
{
	struct cache *c = new_cache(CACHE_MIN), *d = new_cache(CACHE_MIN);
	struct cachefile_loading *l;
	size_t len;

	free(small_file(&len));
	l = begin_load(c, &at_save);
	ck_assert(cachefile_load_step(l, &result));
	ck_assert(save(d));
	ck_assert_int_eq(end_load(l), CACHEFILE_OK);
	ck_assert_uint_eq(result.counts.entries, 3);
	cache_free(c);
	cache_free(d);
}
END_TEST

/* It is changed where it is, after it was checked: nothing of it stays. */
START_TEST(file_is_changed_meanwhile)
{
	struct cache *c = new_cache(CACHE_MIN);
	struct cachefile_loading *l;
	struct cache_entry e;
	size_t len;
	uint8_t *bytes = small_file(&len);

	l = begin_load(c, &at_save);
	for (unsigned i = 0; i < 3; i++) /* head, block, end of the check */
		ck_assert(cachefile_load_step(l, &result));
	ck_assert_uint_eq(held(c), 0);
	bytes[len - 1] ^= 1; /* of the last address */
	text_write(path, (const char *)bytes, len);
	ck_assert_int_eq(end_load(l), CACHEFILE_REFUSED);
	ck_assert_str_eq(result.error, "is damaged: its checksum is wrong");
	for (unsigned n = 0; n < 20; n++)
		ck_assert(!get(c, n, &e));
	free(bytes);
	cache_free(c);
}
END_TEST

/* The daemon stops before all is loaded: half of the cache does not take the file's place. */
START_TEST(half_loaded_cache_is_not_saved)
{
	struct cache *c = new_cache(CACHE_MIN), *d = new_cache(CACHE_MIN);
	struct cachefile f = { .cache = d };
	size_t len;

	now_s = cachefile_now_s();
	put(c, 4, CACHE_POSITIVE, 0, 300);
	ck_assert(save_own(path, c));
	len = size_of_file();
	cachefile_open(&f, path, 100);
	ck_assert_int_eq(cachefile_work(&f), 0);
	put(d, 8, CACHE_POSITIVE, 0, 300);
	cachefile_save(&f, path, 100);
	ck_assert_int_eq(f.work, CACHEFILE_IDLE);
	ck_assert(!cache_restoring(d));
	ck_assert(!cachefile_finish_save(&f, NULL, NULL));
	ck_assert_uint_eq(size_of_file(), len);
	ck_assert_int_eq(access(path_new, F_OK), -1);
	/* A command that saves has it loaded before. */
	cachefile_open(&f, path, 100);
	cachefile_finish_load(&f, NULL, NULL);
	cachefile_save(&f, path, 100);
	ck_assert(cachefile_finish_save(&f, NULL, NULL));
	ck_assert_uint_eq(f.result.counts.entries, 2);
	cache_free(c);
	cache_free(d);
}
END_TEST

/* A save that is given up leaves the file as it was, and nothing beside it. */
START_TEST(save_given_up_leaves_no_trace)
{
	struct cache *c = new_cache(4 * CACHE_MIN);
	struct cachefile f = { .cache = c };
	size_t len;

	free(small_file(&len));
	now_s = cachefile_now_s();
	for (unsigned n = 0; n < 10000; n++)
		put(c, n, CACHE_POSITIVE, 0, 300);
	cachefile_save(&f, path, 100);
	ck_assert_int_eq(cachefile_work(&f), 0);
	ck_assert_int_eq(cachefile_work(&f), 0);
	ck_assert_uint_gt(size_at(path_new), IMAGE_BLOCK / 2);
	cachefile_give_up(&f);
	ck_assert_int_eq(f.work, CACHEFILE_IDLE);
	ck_assert_uint_eq(size_of_file(), len);
	ck_assert_int_eq(access(path_new, F_OK), -1);
	cachefile_give_up(&f); /* nothing is under way */
	cache_free(c);
}
END_TEST

/* Of two daemons that write the same file one gives up, and the file is the other's. */
START_TEST(two_write_the_same_file)
{
	struct cache *c = new_cache(CACHE_MIN), *d = new_cache(CACHE_MIN);
	struct cachefile_saving *a, *b;
	struct cachefile_result r;

	put(c, 4, CACHE_POSITIVE, 0, 300);
	put(d, 4, CACHE_POSITIVE, 0, 300);
	put(d, 8, CACHE_POSITIVE, 0, 300);
	a = cachefile_save_new(path, c, &at_save, &r);
	b = cachefile_save_new(path, d, &at_save, &result);
	ck_assert(a != NULL && b != NULL);
	while (cachefile_save_step(a, &r))
		continue;
	ck_assert_int_eq(r.verdict, CACHEFILE_REFUSED);
	ck_assert_str_eq(r.error, "cannot be written: another process writes it too");
	cachefile_save_free(a);
	ck_assert_int_eq(access(path, F_OK), -1);
	ck_assert_int_eq(access(path_new, F_OK), 0);
	while (cachefile_save_step(b, &result))
		continue;
	cachefile_save_free(b);
	ck_assert_int_eq(result.verdict, CACHEFILE_OK);
	cache_flush_all(c);
	ck_assert_int_eq(load_at(c, SAVED_S), CACHEFILE_OK);
	ck_assert_uint_eq(result.counts.entries, 2);
	cache_free(c);
	cache_free(d);
}
END_TEST

/* A loop that stands still with a part of the cache does not hold up the end for long. */
START_TEST(shard_that_is_taken)
{
	struct cache *c = new_cache(2 * CACHE_MIN);
	struct cachefile f = { .cache = c };

	ck_assert_uint_eq(cache_shards(c), 2);
	cachefile_save(&f, path, 100);
	ck_assert_int_eq(cachefile_work(&f), 0);
	lock_take(&c->part[1].lock);
	ck_assert_int_eq(cachefile_work(&f), 1);
	ck_assert_int_eq(cachefile_work(&f), 1);
	lock_give(&c->part[1].lock);
	ck_assert(cachefile_finish_save(&f, NULL, NULL));
	cachefile_save(&f, path, 100);
	lock_take(&c->part[0].lock);
	ck_assert(!cachefile_finish_save(&f, NULL, NULL));
	text_contains(f.result.error, "a loop that does not go round has a part of the cache");
	ck_assert_int_eq(access(path_new, F_OK), -1);
	ck_assert_uint_eq(size_of_file(), IMAGE_HEAD);
	cache_free(c);
}
END_TEST

/* Without memory for the copy of a shard nothing is written. */
START_TEST(no_memory_to_save)
{
#ifndef INSTRUMENTED
	const struct rlimit none = { .rlim_cur = 0, .rlim_max = RLIM_INFINITY };
	struct cache *c = new_cache(64 * CACHE_MIN);

	ck_assert_int_eq(setrlimit(RLIMIT_AS, &none), 0);
	ck_assert(!save(c));
	ck_assert_str_eq(result.error, "cannot be written: Cannot allocate memory");
	ck_assert_int_eq(access(path_new, F_OK), -1);
	cache_free(c);
#endif
}
END_TEST

#define IN_USE 30000

/* Every other name, once: a cache that is full would evict what came back. */
static void *
put_some(void *arg)
{
	for (unsigned n = 0; n < IN_USE && !enough; n += 2)
		put(arg, n, CACHE_POSITIVE, 0, 300);
	return NULL;
}

/* Loops answer while it is loaded: what they put stays. */
START_TEST(cache_in_use_is_loaded)
{
	enum { N = IN_USE };
	struct cache *c = new_cache(16 * CACHE_MIN), *d = new_cache(64 * CACHE_MIN);
	struct cache_entry e;
	pthread_t other;

	for (unsigned n = 0; n < N; n++)
		put(c, n, CACHE_POSITIVE, 50, 300);
	ck_assert(save(c));
	enough = false;
	struct cachefile_loading *l = begin_load(d, &at_save);
	ck_assert_int_eq(pthread_create(&other, NULL, put_some, d), 0);
	ck_assert_int_eq(end_load(l), CACHEFILE_OK);
	enough = true;
	ck_assert_int_eq(pthread_join(other, NULL), 0);
	ck_assert_uint_eq(result.counts.entries + result.counts.superseded, N);
	for (unsigned n = 0; n < N; n++)
		ck_assert(get(d, n, &e) && (e.age_s == 50 || e.age_s == 0));
	cache_free(c);
	cache_free(d);
}
END_TEST

/* A file with another key, of another user, or that others can write, is not believed. */
START_TEST(whose_file_it_is)
{
	struct cachefile_when when = at_save;
	struct cache *c = new_cache(CACHE_MIN);

	when.key = 0x0123456789abcdef;
	put(c, 1, CACHE_POSITIVE, 0, 300);
	ck_assert(save_to(path, c, &when));
	cache_flush_all(c);
	when.key ^= 1;
	ck_assert_int_eq(end_load(begin_load(c, &when)), CACHEFILE_REFUSED);
	ck_assert_str_eq(result.error, "is damaged: its checksum is wrong");
	when.key ^= 1;
	ck_assert_int_eq(end_load(begin_load(c, &when)), CACHEFILE_OK);
	ck_assert(save_own(path, c));
	ck_assert_int_eq(chmod(path, 0620), 0);
	ck_assert_int_eq(load_own(c), CACHEFILE_REFUSED);
	ck_assert_str_eq(result.error,
	    "cannot be read: it must belong to the daemon's user or root, and nobody else may "
	    "be able to write it (chown, chmod go-w)");
	ck_assert_int_eq(chmod(path, 0602), 0);
	ck_assert_int_eq(load_own(c), CACHEFILE_REFUSED);
	ck_assert_int_eq(chmod(path, 0644), 0);
	if (geteuid() == 0) {
		ck_assert_int_eq(chown(path, 61234, 0), 0);
		ck_assert_int_eq(load_own(c), CACHEFILE_REFUSED);
		text_contains(result.error, "it must belong to");
		ck_assert_int_eq(chown(path, 0, 0), 0);
	}
	ck_assert_int_eq(load_own(c), CACHEFILE_OK);
	ck_assert_int_eq(chmod(path_key, 0640), 0);
	ck_assert_int_eq(load_own(c), CACHEFILE_REFUSED);
	text_contains(
	    result.error, "its key, the same name with .key, cannot be read: others can read it");
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
	tcase_set_timeout(tc, 60); /* under ThreadSanitizer */
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
	tcase_add_test(tc, newer_entries_stay);
	tcase_add_test(tc, file_evicts_nothing);
	tcase_add_test(tc, file_is_replaced_meanwhile);
	tcase_add_test(tc, file_is_changed_meanwhile);
	tcase_add_test(tc, half_loaded_cache_is_not_saved);
	tcase_add_test(tc, save_given_up_leaves_no_trace);
	tcase_add_test(tc, two_write_the_same_file);
	tcase_add_test(tc, shard_that_is_taken);
	tcase_add_test(tc, no_memory_to_save);
	tcase_add_test(tc, cache_in_use_is_loaded);
}
