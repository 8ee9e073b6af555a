/* SPDX-License-Identifier: BSD-2-Clause */
/* Flushes and searches by the control socket. */

#include "control/api_cache.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "cache/cache.h"
#include "control/http.h"
#include "dns/proto.h"
#include "dns/wire.h"
#include "support/cachekey.h"
#include "support/operator.h"
#include "support/tests.h"

static struct operator op;
static struct cache *cache;

static size_t
make_key(const char *text, uint16_t qtype, uint8_t *msg, struct question *key)
{
	*key = cachekey_make(msg, text, qtype, cache_seed(cache));
	wire_set_u16(msg + 2, 0x8180);
	wire_set_u16(msg + 4, 1);
	return DNS_HEADER_LEN + key->qname_len + 4;
}

static void
put(const char *name, uint16_t qtype, enum cache_kind kind)
{
	const struct cache_entry e = { .kind = kind, .flags = CACHE_WITH_MSG, .ttl_s = 300 };
	static uint8_t msg[DNS_MSG_MAX];
	struct question key;
	size_t len = make_key(name, qtype, msg, &key);

	cache_put(cache, &key, &e, msg, len, clock_s(clock_now_ns()));
}

static bool
has(const char *name, uint16_t qtype)
{
	const struct cache_want want = { .now_s = clock_s(clock_now_ns()) };
	static uint8_t msg[DNS_MSG_MAX], out[DNS_MSG_MAX];
	struct cache_entry e;
	struct question key;

	(void)make_key(name, qtype, msg, &key);
	return cache_get(cache, &key, &want, out, sizeof(out), &e);
}

static void
setup(void)
{
	cache = cache_new(4 * CACHE_MIN, 100, 7);
	ck_assert_ptr_nonnull(cache);
	operator_open(&op, "nameserver 192.0.2.1\ncache-file /f\n");
	op.settings.conf.core.cache = cache;
	operator_begin(&op);
	put("example.com", 1, CACHE_NODATA);
	put("example.com", 28, CACHE_NODATA);
	put("www.example.com", 1, CACHE_NODATA);
	put("example.net", 1, CACHE_NODATA);
}

static void
teardown(void)
{
	operator_close(&op);
	cache_free(cache);
}

static int
flush(const char *path, const char *body)
{
	return caller_ask(&op.caller, "POST", path, body);
}

static json_int_t
n_entries(void)
{
	return json_integer_value(json_object_get(op.caller.json, "entries"));
}

START_TEST(flush_by_name)
{
	ck_assert_int_eq(flush("/flush/name", "{\"name\": \"EXAMPLE.com.\"}"), 200);
	ck_assert_int_eq(n_entries(), 2);
	ck_assert(!has("example.com", 1) && !has("example.com", 28));
	ck_assert(has("www.example.com", 1) && has("example.net", 1));
}
END_TEST

START_TEST(flush_by_type)
{
	uint32_t before = cache_flushes(cache);

	ck_assert_int_eq(
	    flush("/flush/type", "{\"name\": \"example.com\", \"type\": \"aaaa\"}"), 200);
	ck_assert_int_eq(n_entries(), 1);
	ck_assert(has("example.com", 1) && !has("example.com", 28));
	/* So that no loop gives the finished answer once more. */
	ck_assert_uint_ne(cache_flushes(cache), before);
	ck_assert_int_eq(
	    flush("/flush/type", "{\"name\": \"example.com\", \"type\": \"TYPE1\"}"), 200);
	ck_assert(!has("example.com", 1) && has("www.example.com", 1));
}
END_TEST

/* That there is no such name is said of every type. */
START_TEST(flush_by_type_takes_nxdomain)
{
	put("none.example", 0, CACHE_NXDOMAIN);
	ck_assert(has("none.example", 28));
	ck_assert_int_eq(
	    flush("/flush/type", "{\"name\": \"none.example\", \"type\": \"AAAA\"}"), 200);
	ck_assert(!has("none.example", 28));
}
END_TEST

START_TEST(flush_below_a_name)
{
	ck_assert_int_eq(flush("/flush/below", "{\"name\": \"example.com\"}"), 200);
	ck_assert_int_eq(n_entries(), 3);
	ck_assert(!has("example.com", 1) && !has("www.example.com", 1) && has("example.net", 1));
}
END_TEST

START_TEST(flush_of_all)
{
	ck_assert_int_eq(flush("/flush/all", NULL), 200);
	ck_assert_int_eq(n_entries(), 4);
	ck_assert(!has("example.com", 1) && !has("example.net", 1));
}
END_TEST

/* What is flushed must not come back from cache-file: the rest of it is loaded before. */
START_TEST(flush_waits_for_the_file)
{
	static const char name[] = "{\"name\": \"example.com\"}";

	ck_assert_int_eq(caller_ask(&op.caller, "GET", "/cache", NULL), 200);
	ck_assert_uint_eq(op.n_loads, 0);
	ck_assert_int_eq(flush("/flush/name", name), 200);
	ck_assert_uint_eq(op.n_loads, 1);
	ck_assert_int_eq(flush("/flush/type", "{\"name\": \"example.com\", \"type\": \"A\"}"), 200);
	ck_assert_uint_eq(op.n_loads, 2);
	ck_assert_int_eq(flush("/flush/below", name), 200);
	ck_assert_uint_eq(op.n_loads, 3);
	ck_assert_int_eq(flush("/flush/all", NULL), 200);
	ck_assert_uint_eq(op.n_loads, 4);
	ck_assert_int_eq(caller_ask(&op.caller, "POST", "/cache/save", NULL), 200);
	ck_assert_uint_eq(op.n_loads, 5);
	/* Nor get into it, when the daemon saves it at its end. */
	control_stops(op.control);
	put("example.com", 1, CACHE_NODATA);
	ck_assert_int_eq(flush("/flush/name", name), 503);
	ck_assert(has("example.com", 1));
	ck_assert_int_eq(caller_ask(&op.caller, "POST", "/cache/save", NULL), 503);
	ck_assert_uint_eq(op.n_loads, 5);
}
END_TEST

/* Nothing is flushed by what is not understood, and each says why. */
START_TEST(what_is_not_understood)
{
	static const struct {
		const char *path;
		const char *body;
		const char *error;
	} cases[] = {
		{ "/flush/name", NULL, "name is missing" },
		{ "/flush/name", "{}", "name is missing" },
		{ "/flush/name", "{\"name\": \"a..b\"}",
		    "name is not a domain name; allowed are labels of 1 to 63 characters with a "
		    "dot between them, 253 in all" },
		{ "/flush/name", "{\"name\": \"\"}",
		    "name is not a domain name; allowed are labels of 1 to 63 characters with a "
		    "dot between them, 253 in all" },
		{ "/flush/name", "{\"name\": 7}", "name is not a string" },
		{ "/flush/name", "{\"name\": \"example.com\", \"type\": \"A\"}",
		    "'type' is not known here" },
		{ "/flush/name", "{\"name\": \"example.com\"", "not understood" },
		{ "/flush/name", "{\"name\": \"a\", \"name\": \"b\"}", "not understood" },
		/* The message ends in the middle of a character. */
		{ "/flush/name",
		    "{\"name\": \"a\", "
		    "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\xc3\xa9\": "
		    "\"b\"}",
		    "aaa?' is not known here" },
		{ "/flush/name", "[\"example.com\"]", "not a JSON object" },
		{ "/flush/name", "example.com", "not understood" },
		{ "/flush/name", "\"example.com\"", "not understood" },
		{ "/flush/type", "{\"name\": \"example.com\"}", "type is missing" },
		{ "/flush/type", "{\"name\": \"example.com\", \"type\": \"AAAAA\"}",
		    "not an RR type" },
		{ "/flush/type", "{\"name\": \"example.com\", \"type\": \"TYPE65536\"}",
		    "not an RR type" },
		{ "/flush/all", "{\"name\": \"example.com\"}", "'name' is not known here" },
		{ "/flush/all?name=example.com", "{}", "in the body" },
		{ "/flush/name", "{\"name\": \"example.com\\u0000.net\"}", "not understood" },
		{ "/flush/name", "{\"name\": 1e999}", "not understood" },
		{ "/flush/name", "{\"name\": 99999999999999999999}", "not understood" },
		{ "/flush/name", "{\"name\": \"\xff\"}", "not understood" },
		/* Cut to 64 bytes, which would be in the middle of a letter. */
		{ "/flush/name",
		    "{\"a\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9"
		    "\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9"
		    "\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9"
		    "\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\": \"b\"}",
		    "is not known here" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ck_assert_int_eq(flush(cases[i].path, cases[i].body), 400);
		ck_assert_msg(strstr(caller_text(&op.caller, "error"), cases[i].error) != NULL,
		    "%zu: %s", i, op.caller.text);
	}
	ck_assert(has("example.com", 1) && has("example.com", 28) && has("example.net", 1));
}
END_TEST

START_TEST(search)
{
	const json_t *list, *e;

	ck_assert_int_eq(
	    caller_ask(&op.caller, "GET", "/cache/lookup?name=Example.COM", NULL), 200);
	ck_assert_str_eq(caller_text(&op.caller, "name"), "example.com.");
	ck_assert_uint_eq(json_array_size(json_object_get(op.caller.json, "entries")), 2);
	ck_assert_int_eq(
	    caller_ask(&op.caller, "GET", "/cache/lookup?name=example.com&type=AAAA", NULL), 200);
	list = json_object_get(op.caller.json, "entries");
	ck_assert_uint_eq(json_array_size(list), 1);
	e = json_array_get(list, 0);
	ck_assert_str_eq(json_string_value(json_object_get(e, "type")), "AAAA");
	ck_assert_str_eq(json_string_value(json_object_get(e, "kind")), "nodata");
	ck_assert_int_eq(json_integer_value(json_object_get(e, "ttl_s")), 300);
	ck_assert_int_ge(json_integer_value(json_object_get(e, "left_s")), 290);
	ck_assert_int_eq(
	    caller_ask(&op.caller, "GET", "/cache/lookup?name=nothing.example", NULL), 200);
	ck_assert_uint_eq(json_array_size(json_object_get(op.caller.json, "entries")), 0);
	ck_assert_int_eq(caller_ask(&op.caller, "GET", "/cache/lookup", NULL), 400);
	ck_assert_int_eq(caller_ask(&op.caller, "GET", "/cache/lookup?name=a&x=b", NULL), 400);
	ck_assert_int_eq(caller_ask(&op.caller, "GET", "/cache/lookup?name=a&type=b", NULL), 400);
	ck_assert_int_eq(caller_ask(&op.caller, "GET", "/cache/lookup?name=a&type=%FF", NULL), 400);
	ck_assert_int_eq(caller_ask(&op.caller, "GET", "/cache/lookup?name=a&%FF=b", NULL), 400);
	ck_assert_int_eq(caller_ask(&op.caller, "GET", "/cache/lookup?name=a&name=b", NULL), 400);
	/* What was flushed is not shown, though it may still lie there. */
	ck_assert_int_eq(flush("/flush/all", NULL), 200);
	ck_assert_int_eq(
	    caller_ask(&op.caller, "GET", "/cache/lookup?name=example.com", NULL), 200);
	ck_assert_uint_eq(json_array_size(json_object_get(op.caller.json, "entries")), 0);
}
END_TEST

/* A text that would be cut or left out silently is refused instead. */
START_TEST(queries_that_are_none)
{
	static const char *const queries[] = { "name=example.com%00.net", "name=%ff",
		"name=example.com&name=example.net", "name", "=", "&&&", "name=a&%00=b",
		"name=%fe%zz" };
	char path[80];

	for (size_t i = 0; i < sizeof(queries) / sizeof(queries[0]); i++) {
		snprintf(path, sizeof(path), "/cache/lookup?%s", queries[i]);
		ck_assert_msg(caller_ask(&op.caller, "GET", path, NULL) == 400, "%s: %s", path,
		    op.caller.text);
		ck_assert_ptr_nonnull(strstr(caller_text(&op.caller, "error"), "not understood"));
	}
}
END_TEST

/* As deep as a body can be: arrays, then objects. */
START_TEST(nested_deeply)
{
	static char raw[HTTP_BODY + 128];
	int n = snprintf(
	    raw, sizeof(raw), "POST /flush/name HTTP/1.1\r\nContent-Length: %d\r\n\r\n", HTTP_BODY);

	memset(raw + n, '[', HTTP_BODY);
	ck_assert_int_eq(caller_send(&op.caller, raw, (size_t)n + HTTP_BODY), 400);
	for (size_t i = 0; i < HTTP_BODY; i++)
		raw[(size_t)n + i] = "{\"a\":"[i % 5];
	ck_assert_int_eq(caller_send(&op.caller, raw, (size_t)n + HTTP_BODY), 400);
	ck_assert(has("example.com", 1));
}
END_TEST

START_TEST(stats_and_save)
{
	ck_assert_int_eq(caller_ask(&op.caller, "GET", "/cache", NULL), 200);
	ck_assert_int_eq(n_entries(), 4);
	ck_assert_int_eq(flush("/cache/save", NULL), 200);
	ck_assert_uint_eq(op.n_saves, 1);
	ck_assert_ptr_nonnull(strstr(op.caller.text, "so many entries"));
	op.saves = false;
	ck_assert_int_eq(flush("/cache/save", NULL), 422);
	ck_assert_str_ne(caller_text(&op.caller, "error"), "");
	strcpy(op.settings.cache_file, "none");
	ck_assert_int_eq(flush("/cache/save", NULL), 422);
	ck_assert_uint_eq(op.n_saves, 2);
}
END_TEST

START_TEST(without_a_cache)
{
	static const char *const paths[] = { "/flush/all", "/flush/name", "/flush/below",
		"/flush/type", "/cache/save" };

	op.settings.conf.core.cache = NULL;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		ck_assert_int_eq(flush(paths[i], "{\"name\": \"a\", \"type\": \"A\"}"), 422);
		ck_assert_ptr_nonnull(strstr(caller_text(&op.caller, "error"), "cache-size 0"));
	}
	ck_assert_int_eq(caller_ask(&op.caller, "GET", "/cache", NULL), 422);
	ck_assert_int_eq(caller_ask(&op.caller, "GET", "/cache/lookup?name=a", NULL), 422);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, flush_by_name);
	tcase_add_test(tc, flush_by_type);
	tcase_add_test(tc, flush_by_type_takes_nxdomain);
	tcase_add_test(tc, flush_below_a_name);
	tcase_add_test(tc, flush_of_all);
	tcase_add_test(tc, flush_waits_for_the_file);
	tcase_add_test(tc, what_is_not_understood);
	tcase_add_test(tc, search);
	tcase_add_test(tc, queries_that_are_none);
	tcase_add_test(tc, nested_deeply);
	tcase_add_test(tc, stats_and_save);
	tcase_add_test(tc, without_a_cache);
}
