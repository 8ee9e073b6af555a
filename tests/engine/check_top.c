/* SPDX-License-Identifier: BSD-2-Clause */
/* What occurs most among the answers: counted while it is read, and not else. */

#include "engine/top.h"

#include <stdlib.h>
#include <string.h>

#include "cache/cache.h"
#include "engine/engine_parts.h"
#include "scenario/world.h"
#include "support/tests.h"

static struct world world;
static struct top_counts *got;
static uint16_t n_asked;

static void
setup(void)
{
	world_init(&world, 1, 1024);
	world.upstream = world_plain;
	world.client = world_unread;
	world.conf.keep = (struct conf_cache){ .max_ttl_s = 3600, .max_negative_s = 3600 };
	world.conf.cache = cache_new(1 << 20, 0, 1);
	ck_assert_ptr_nonnull(world.conf.cache);
	world_start(&world, 1);
	got = NULL;
}

static void
teardown(void)
{
	struct cache *cache = world.conf.cache;

	world_stop(&world);
	cache_free(cache);
	free(got);
}

/* The client 2001:db8::HOST asks. */
static void
ask(uint8_t host, const char *name)
{
	struct packet_in in = { .from.side = PACKET_CLIENT, .from.transport = TRANSPORT_UDP };
	uint8_t msg[512];

	ck_assert(netaddr_parse("2001:db8::", (uint16_t)(1024 + n_asked), &in.from.peer));
	in.from.peer.addr[15] = host;
	in.msg = msg;
	in.len = parts_question(msg, ++n_asked, name, DNS_TYPE_MX);
	world_input(&world, &in);
}

/* Read what was counted by KIND. False: it is counted from now on. */
static bool
read_top(enum top_kind kind)
{
	free(got);
	got = top_counts_new(1);
	ck_assert_ptr_nonnull(got);
	engine_top(world.engine, kind, &got, world.now_ns);
	return got != NULL;
}

/* A turn of the loop, after NS. */
static void
turn_after(uint64_t ns)
{
	world_pass(&world, ns);
	(void)engine_work(world.engine, world.now_ns);
}

static uint64_t
count_of(const void *key, size_t len)
{
	for (uint32_t i = 0; i < got->heavy.n; i++) {
		const struct heavy_item *item = &got->heavy.items[i];

		if (item->len == len && memcmp(item->key, key, len) == 0)
			return item->count;
	}
	return 0;
}

START_TEST(off_nothing_is_counted)
{
	turn_after(0);
	ask(1, "a.example");
	ck_assert(!world.engine->watched);
	ck_assert(!read_top(TOP_NAMES));
	ck_assert(world.engine->watched);
	ck_assert(read_top(TOP_NAMES));
	ck_assert_uint_eq(got->heavy.n_all, 0);
	/* That alone is on. */
	ck_assert(!read_top(TOP_CLIENTS));
}
END_TEST

/* In whatever case, from upstream, the cache or packetcache. */
START_TEST(names)
{
	ck_assert(!read_top(TOP_NAMES));
	for (unsigned i = 0; i < 10; i++)
		ask(1, i % 2 == 0 ? "Www.Example" : "www.example");
	ck_assert_uint_gt(world_stat(&world, "answers_repeated"), 1);
	ask(2, "b.example");
	ck_assert(read_top(TOP_NAMES));
	ck_assert_uint_eq(got->heavy.n_all, 11);
	ck_assert_uint_eq(count_of("\3www\7example", 13), 10);
	ck_assert_uint_eq(count_of("\1b\7example", 11), 1);
}
END_TEST

START_TEST(clients_and_networks)
{
	struct netaddr a, net;

	ck_assert(!read_top(TOP_CLIENTS));
	ck_assert(!read_top(TOP_NETWORKS));
	for (unsigned i = 0; i < 12; i++) /* from a new port each */
		ask(i < 8 ? 1 : 2, "www.example");
	ck_assert(netaddr_parse("2001:db8::1", 0, &a));
	ck_assert(netaddr_parse("2001:db8::", 0, &net));
	ck_assert(read_top(TOP_CLIENTS));
	ck_assert_uint_eq(got->heavy.n, 2);
	ck_assert_uint_eq(count_of(&a, sizeof(a)), 8);
	ck_assert(read_top(TOP_NETWORKS));
	ck_assert_uint_eq(got->heavy.n, 1);
	ck_assert_uint_eq(count_of(&net, sizeof(net)), 12);
}
END_TEST

START_TEST(failures)
{
	uint8_t key[] = "??\6silent\7example";

	key[TOP_FAILURE_REASON] = REASON_SILENT;
	key[TOP_FAILURE_RCODE] = DNS_SERVFAIL;
	ck_assert(!read_top(TOP_FAILURES));
	ask(1, "a.example");
	ask(1, "silent.example");
	turn_after(6 * NS_PER_SEC);
	ck_assert(read_top(TOP_FAILURES));
	ck_assert_uint_eq(got->heavy.n_all, 1);
	ck_assert_uint_eq(count_of(key, sizeof(key)), 1);
}
END_TEST

/* Each kind by itself. */
START_TEST(ends_after_a_minute_without_a_reader)
{
	ck_assert(!read_top(TOP_NAMES));
	ck_assert(!read_top(TOP_CLIENTS));
	ask(1, "a.example");
	for (unsigned i = 0; i < 3; i++) { /* that is read */
		turn_after(TOP_LAST_NS - 1);
		ck_assert(read_top(TOP_NAMES));
		ck_assert_uint_eq(got->heavy.n_all, 1);
	}
	ck_assert_ptr_null(world.engine->top.by[TOP_CLIENTS]); /* and that is not */
	turn_after(TOP_LAST_NS);
	ck_assert_ptr_null(world.engine->top.by[TOP_NAMES]);
	ck_assert(!world.engine->watched);
	ask(1, "a.example");
	ck_assert(!read_top(TOP_NAMES)); /* anew */
	ck_assert(read_top(TOP_NAMES));
	ck_assert_uint_eq(got->heavy.n_all, 0);
}
END_TEST

/* Other settings do not change what was counted. */
START_TEST(goes_on_over_a_reload)
{
	struct conf_core other = world.conf;

	ck_assert(!read_top(TOP_NAMES));
	ask(1, "a.example");
	engine_set_conf(world.engine, &other, world.now_ns);
	turn_after(0);
	ask(1, "a.example");
	ck_assert(read_top(TOP_NAMES));
	ck_assert_uint_eq(count_of("\1a\7example", 11), 2);
	engine_set_conf(world.engine, &world.conf, world.now_ns);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, off_nothing_is_counted);
	tcase_add_test(tc, names);
	tcase_add_test(tc, clients_and_networks);
	tcase_add_test(tc, failures);
	tcase_add_test(tc, ends_after_a_minute_without_a_reader);
	tcase_add_test(tc, goes_on_over_a_reload);
}
