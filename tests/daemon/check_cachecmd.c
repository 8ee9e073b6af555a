/* SPDX-License-Identifier: BSD-2-Clause */
/* Commands to the cache: all of them or none, and what each does. */

#include "daemon/cachecmd.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "core/store.h"
#include "daemon/cachefile.h"
#include "dns/name.h"
#include "dns/wire.h"
#include "support/said.h"
#include "support/scratch.h"
#include "support/text.h"

static struct cache *cache;
static struct said said;
static unsigned n_stats;
static char dir[SCRATCH_PATH];
static char path[SCRATCH_PATH + 8];

static void
count_stats(void *arg)
{
	ck_assert_ptr_eq(arg, &n_stats);
	n_stats++;
}

static void
make(void)
{
	scratch_dir(dir);
	snprintf(path, sizeof(path), "%s/f", dir);
	cache = cache_new(4 * CACHE_MIN, 100, 7);
	ck_assert_ptr_nonnull(cache);
	n_stats = 0;
}

static void
unmake(void)
{
	cache_free(cache);
	(void)unlink(path);
	(void)rmdir(dir);
}

static struct cachecmd_on
on_cache(void)
{
	return (struct cachecmd_on){
		.cache = cache, .stale_s = 100, .stats = count_stats, .arg = &n_stats
	};
}

static size_t
make_key(const char *text, uint16_t qtype, uint8_t msg[static DNS_MSG_MAX], struct question *key)
{
	uint8_t *name = msg + DNS_HEADER_LEN;
	size_t len = name_from_text(text, name);

	memset(msg, 0, DNS_HEADER_LEN);
	wire_set_u16(msg + 2, 0x8180);
	wire_set_u16(msg + 4, 1);
	wire_set_u16(name + len, qtype);
	wire_set_u16(name + len + 2, 1);
	*key = (struct question){ .qname = name,
		.qname_len = len,
		.qtype = qtype,
		.qclass = 1,
		.hash = hash_bytes(name, len, cache_seed(cache)) };
	return DNS_HEADER_LEN + len + 4;
}

static void
put(const char *name, uint16_t qtype)
{
	const struct cache_entry e = {
		.kind = CACHE_NODATA, .flags = CACHE_WITH_MSG, .ttl_s = 300
	};
	static uint8_t msg[DNS_MSG_MAX];
	struct question key;
	size_t len = make_key(name, qtype, msg, &key);

	cache_put(cache, &key, &e, msg, len, cachefile_now_s());
}

static bool
has(const char *name, uint16_t qtype)
{
	const struct cache_want want = { .now_s = cachefile_now_s() };
	static uint8_t msg[DNS_MSG_MAX], out[DNS_MSG_MAX];
	struct cache_entry e;
	struct question key;

	(void)make_key(name, qtype, msg, &key);
	return cache_get(cache, &key, &want, out, sizeof(out), &e);
}

/* Some names that flushes tell apart. */
static void
fill(void)
{
	put("example.com", 1);
	put("www.example.com", 1);
	put("www.example.com", 28);
	put("a.www.example.com", 1);
	put("example.org", 1);
}

static bool
run(const char *text, const struct cachecmd_on *on)
{
	said_init(&said);
	return cachecmd_text(text, strlen(text), on, &said.diag);
}

/* --- Reading ---------------------------------------------------------------------------------- */

START_TEST(commands_are_understood)
{
	static const struct {
		const char *line;
		enum cachecmd_kind kind;
		const char *name;
	} cases[] = {
		{ "flush", CACHECMD_FLUSH, NULL },
		{ "flush # all of it", CACHECMD_FLUSH, NULL },
		{ "flush name WWW.Example.com.", CACHECMD_FLUSH_NAME, "www.example.com" },
		{ "\tflush  below\texample.com\r", CACHECMD_FLUSH_BELOW, "example.com" },
		{ "flush below .", CACHECMD_FLUSH_BELOW, "." },
		{ "flush name a\\032b\\.c.example", CACHECMD_FLUSH_NAME, "a\\032b\\.c.example" },
		{ "save", CACHECMD_SAVE, NULL },
		{ "stats", CACHECMD_STATS, NULL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct words w = { .line = 1 };
		uint8_t name[DNS_NAME_MAX];
		struct cachecmd c;
		char line[64];

		snprintf(line, sizeof(line), "%s", cases[i].line);
		words_split(line, &w);
		said_init(&said);
		ck_assert_msg(cachecmd_parse(&w, &c, &said.diag), "%s", said.text);
		ck_assert_int_eq(c.kind, cases[i].kind);
		size_t len = cases[i].name == NULL ? 0 : name_from_text(cases[i].name, name);
		ck_assert_uint_eq(c.name_len, len);
		ck_assert_mem_eq(c.name, name, len);
		ck_assert_uint_eq(said.n_errors, 0);
	}
}
END_TEST

/* Each after a line that is right, which is not carried out. */
START_TEST(what_is_no_command_is_told)
{
	static const char *const lines[] = {
		"flsh", "flush all", "flush name", "flush below", "flush name a.test b.test",
		"flush name a..test", "flush below a b", "save /tmp/x", "stats now", "name a.test",
		"FLUSH",
		"flush name 1234567890123456789012345678901234567890123456789012345678901234.test"
	};
	const struct cachecmd_on on = on_cache();
	char text[256], want[64];

	fill();
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		snprintf(text, sizeof(text), "flush\nstats\n# a comment\n%s\nstats\n", lines[i]);
		ck_assert_msg(!run(text, &on), "%s", lines[i]);
		ck_assert_uint_eq(said.n_errors, 1);
		snprintf(want, sizeof(want), "error t.conf:4: %.*s: ", (int)strcspn(lines[i], " "),
		    lines[i]);
		text_contains(said.text, want);
		ck_assert(has("example.org", 1));
		ck_assert_uint_eq(n_stats, 0);
	}
}
END_TEST

START_TEST(odd_bytes_are_refused)
{
	const struct cachecmd_on on = on_cache();
	char line[3000];

	said_init(&said);
	ck_assert(!cachecmd_text("stats\nst\0ats\n", 13, &on, &said.diag));
	text_contains(said.text, "error t.conf:2: ");
	memset(line, ' ', sizeof(line));
	said_init(&said);
	ck_assert(!cachecmd_text(line, sizeof(line), &on, &said.diag));
	text_contains(said.text, "error t.conf:1: ");
	ck_assert_uint_eq(n_stats, 0);
	ck_assert(run("", &on));
	ck_assert(run("\n\n# nothing\n", &on));
	ck_assert(run("stats", &on)); /* without an end of line */
	ck_assert_uint_eq(n_stats, 1);
}
END_TEST

/* --- Doing ------------------------------------------------------------------------------------ */

START_TEST(flush_leaves_nothing)
{
	const struct cachecmd_on on = on_cache();

	fill();
	ck_assert(run("flush\n", &on));
	ck_assert(!has("example.com", 1) && !has("www.example.com", 28) && !has("example.org", 1));
	fill();
	ck_assert(has("example.com", 1));
}
END_TEST

START_TEST(flush_name_leaves_other_names)
{
	const struct cachecmd_on on = on_cache();

	fill();
	ck_assert(run("flush name WWW.example.com\n", &on));
	ck_assert(!has("www.example.com", 1) && !has("www.example.com", 28));
	ck_assert(has("example.com", 1) && has("a.www.example.com", 1) && has("example.org", 1));
	ck_assert(run("flush name not.there", &on));
}
END_TEST

START_TEST(flush_below_leaves_what_is_beside)
{
	const struct cachecmd_on on = on_cache();

	fill();
	put("wwwexample.com", 1);
	ck_assert(run("flush below Example.COM\n", &on));
	ck_assert(!has("example.com", 1) && !has("www.example.com", 28));
	ck_assert(!has("a.www.example.com", 1));
	ck_assert(has("example.org", 1) && has("wwwexample.com", 1));
	ck_assert(run("flush below .\n", &on));
	ck_assert(!has("example.org", 1));
}
END_TEST

/* In the order of the file: what was flushed is not saved. */
START_TEST(save_goes_in_the_order_of_the_file)
{
	struct cachecmd_on on = on_cache();
	struct cachefile_loaded loaded;

	fill();
	ck_assert(!run("save\nstats\n", &on)); /* nowhere to; the others are carried out */
	ck_assert_uint_eq(n_stats, 1);
	on.file = path;
	ck_assert(run("flush below example.com\nsave\nflush\n", &on));
	cachefile_start(path, cache, 100, &loaded);
	ck_assert(has("example.org", 1) && !has("example.com", 1));
	on.file = "/nonexistent/cache";
	ck_assert(!run("save", &on));
}
END_TEST

START_TEST(without_cache_only_stats_are_there)
{
	struct cachecmd_on on = on_cache();

	on.cache = NULL;
	on.file = path;
	ck_assert(!run("flush", &on) && !run("flush name a.test", &on) && !run("save", &on));
	ck_assert_int_eq(access(path, F_OK), -1);
	ck_assert(run("stats", &on));
	ck_assert_uint_eq(n_stats, 1);
}
END_TEST

START_TEST(commands_come_from_a_file)
{
	const struct cachecmd_on on = on_cache();

	fill();
	ck_assert(!cachecmd_file(path, &on));
	text_write(path, "flush name example.com\n", 23);
	ck_assert(cachecmd_file(path, &on));
	ck_assert(!has("example.com", 1) && has("example.org", 1));
	text_write(path, "flush\nflash\n", 12);
	ck_assert(!cachecmd_file(path, &on));
	ck_assert(has("example.org", 1));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("cachecmd");
	TCase *tc = tcase_create("cachecmd");
	SRunner *sr = srunner_create(s);

	suite_add_tcase(s, tc);
	tcase_add_checked_fixture(tc, make, unmake);
	tcase_add_test(tc, commands_are_understood);
	tcase_add_test(tc, what_is_no_command_is_told);
	tcase_add_test(tc, odd_bytes_are_refused);
	tcase_add_test(tc, flush_leaves_nothing);
	tcase_add_test(tc, flush_name_leaves_other_names);
	tcase_add_test(tc, flush_below_leaves_what_is_beside);
	tcase_add_test(tc, save_goes_in_the_order_of_the_file);
	tcase_add_test(tc, without_cache_only_stats_are_there);
	tcase_add_test(tc, commands_come_from_a_file);
	srunner_run_all(sr, CK_ENV);
	int failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
