/* SPDX-License-Identifier: BSD-2-Clause */
/* The tap: what an engine tells of its answers; which are selected; what has no room is counted. */

#include "engine/querylog_tap.h"

#include <string.h>

#include "base/clock.h"
#include "cache/cache.h"
#include "dns/header.h"
#include "scenario/world.h"
#include "support/tests.h"

static struct world world;
static struct querylog_tap tap;
static uint16_t n_asked;

static void
setup(void)
{
	world_init(&world, 1, 1024);
	world.upstream = world_plain;
	world.client = world_unread;
	world.conf.querylog = (struct conf_querylog){ .select = CONF_QUERYLOG_ALL, .sample = 1 };
	world.conf.keep = (struct conf_cache){ .max_ttl_s = 3600, .max_negative_s = 3600 };
	world.conf.cache = cache_new(1 << 20, 0, 1);
	ck_assert_ptr_nonnull(world.conf.cache);
	world_start(&world, 1);
	ck_assert(querylog_tap_init(&tap, engine_stats(world.engine)));
	engine_set_taps(world.engine, &tap, NULL);
}

static void
teardown(void)
{
	struct cache *cache = world.conf.cache;

	world_stop(&world);
	cache_free(cache);
	querylog_tap_fini(&tap);
}

static void
ask(const char *name, uint16_t type)
{
	struct packet_in in = { .from.side = PACKET_CLIENT, .from.transport = TRANSPORT_UDP };
	uint8_t msg[512];

	ck_assert(netaddr_parse("2001:db8::1", 1024, &in.from.peer));
	in.msg = msg;
	in.len = parts_question(msg, ++n_asked, name, type);
	world_input(&world, &in);
}

/* The next record, which must be there, a copy; its message parses to *M. */
static struct querylog_tap_record
next(struct msg *m)
{
	static uint8_t bytes[QUERYLOG_TAP_ANSWER_MAX];
	struct querylog_tap_record r;
	size_t len;
	const struct querylog_tap_record *p = spool_next(&tap.spool, &len);

	ck_assert_ptr_nonnull(p);
	r = *p;
	len -= sizeof(r);
	memcpy(bytes, p + 1, len);
	ck_assert_int_eq(msg_parse(m, bytes, len), MSG_OK);
	spool_drop(&tap.spool);
	return r;
}

/* D33: each answer is told of, with its reason, who gave what it is made of, and how long it took.
 */
START_TEST(each_answer_is_told)
{
	struct querylog_tap_record r;
	struct msg m;
	size_t len;

	ask("a.example", DNS_TYPE_AAAA);
	r = next(&m);
	ck_assert_uint_eq(r.reason, REASON_SYNTH_NO_AAAA);
	ck_assert(r.waited && r.transport == TRANSPORT_UDP);
	ck_assert_uint_eq(r.client.port, 1024);
	ck_assert_uint_eq(r.upstream.addr[3], 1); /* 192.0.2.1 */
	ck_assert_uint_eq(r.age_s, QUERYLOG_TAP_NO_AGE);
	ck_assert_uint_eq(r.at_ns, world.now_ns);
	ck_assert_uint_eq(m.count[MSG_ANSWER], 1);
	ck_assert_uint_eq(m.id, n_asked);
	world_pass(&world, 7 * NS_PER_SEC);
	for (unsigned i = 0; i < 4; i++) { /* from the cache, then from engine/packetcache */
		ask("a.example", DNS_TYPE_AAAA);
		r = next(&m);
		ck_assert_uint_eq(r.reason, REASON_SYNTH_NO_AAAA);
		ck_assert(!r.waited);
		ck_assert_uint_eq(r.upstream.family, NETADDR_NONE);
		ck_assert_uint_eq(r.age_s, 7);
		ck_assert_uint_eq(r.us, 0);
		ck_assert_uint_eq(m.id, n_asked);
	}
	ck_assert_uint_gt(world_stat(&world, "answers_repeated"), 1);
	ask("version.bind", DNS_TYPE_AXFR);
	r = next(&m);
	ck_assert_uint_eq(r.reason, REASON_REFUSED_TYPE);
	ck_assert_uint_eq(r.age_s, QUERYLOG_TAP_NO_AGE);
	ck_assert_ptr_null(spool_next(&tap.spool, &len));
	ck_assert_uint_eq(world_stat(&world, "query_log"), 6);
}
END_TEST

/* What took long says how long; nobody gave it. */
START_TEST(silence_takes_its_time)
{
	struct querylog_tap_record r;
	struct msg m;

	ask("silent.example", DNS_TYPE_MX);
	world_pass(&world, 6 * NS_PER_SEC);
	r = next(&m);
	ck_assert_uint_eq(r.reason, REASON_SILENT);
	ck_assert_uint_gt(r.us, 400000);
	ck_assert_uint_lt(r.us, 4600000);
	ck_assert_uint_eq(r.upstream.family, NETADDR_NONE);
	ck_assert(r.waited);
}
END_TEST

START_TEST(nothing_is_told_when_it_is_off)
{
	struct conf_core off = world.conf;
	size_t len;

	off.querylog.select = 0;
	engine_set_conf(world.engine, &off, world.now_ns);
	(void)engine_work(world.engine, world.now_ns);
	ask("a.example", DNS_TYPE_AAAA);
	ck_assert_ptr_null(spool_next(&tap.spool, &len));
	engine_set_conf(world.engine, &world.conf, world.now_ns);
	(void)engine_work(world.engine, world.now_ns);
	ask("a.example", DNS_TYPE_AAAA);
	ck_assert_ptr_nonnull(spool_next(&tap.spool, &len));
}
END_TEST

START_TEST(kinds_are_selected)
{
	static const struct {
		uint8_t select;
		enum reason reason;
		uint32_t us;
		bool told;
	} t[] = {
		{ CONF_QUERYLOG_ALL, REASON_NATIVE, 0, true },
		{ CONF_QUERYLOG_SYNTHESIZED, REASON_SYNTH_ALWAYS, 0, true },
		{ CONF_QUERYLOG_SYNTHESIZED, REASON_SYNTH_STALE, 0, true },
		{ CONF_QUERYLOG_SYNTHESIZED, REASON_NATIVE, 0, false },
		{ CONF_QUERYLOG_FAILED, REASON_SILENT, 0, true },
		{ CONF_QUERYLOG_FAILED, REASON_NO_A, 0, false },
		{ CONF_QUERYLOG_DENIED, REASON_DENIED, 0, true },
		{ CONF_QUERYLOG_DENIED, REASON_RATE_LIMITED, 0, true },
		{ CONF_QUERYLOG_DENIED, REASON_SILENT, 0, false },
		{ CONF_QUERYLOG_SLOW, REASON_NATIVE, 499999, false },
		{ CONF_QUERYLOG_SLOW, REASON_NATIVE, 500000, true },
		{ CONF_QUERYLOG_SLOW | CONF_QUERYLOG_FAILED, REASON_BOGUS, 0, true },
	};

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		const struct conf_querylog c = {
			.select = t[i].select, .sample = 1, .slow_ms = 500
		};

		ck_assert_msg(
		    querylog_tap_selects(&c, t[i].reason, t[i].us) == t[i].told, "row %zu", i);
	}
}
END_TEST

START_TEST(one_in_so_many_is_told)
{
	const struct conf_querylog c = { .select = CONF_QUERYLOG_ALL, .sample = 10 };
	const struct querylog_tap_record r = { .len = 40, .reason = REASON_NATIVE };
	static const uint8_t msg[40];

	for (unsigned i = 0; i < 1000; i++)
		querylog_tap_put(&tap, &c, &r, msg, 40);
	ck_assert_uint_eq(world_stat(&world, "query_log"), 100);
}
END_TEST

/* Nobody reads: what has no room is dropped, and counted; what is there stays. */
START_TEST(what_has_no_room_is_counted)
{
	const struct conf_querylog c = { .select = CONF_QUERYLOG_ALL, .sample = 1 };
	const struct querylog_tap_record r = { .len = 500, .reason = REASON_NATIVE };
	static const uint8_t msg[500];
	uint64_t n;
	size_t len;

	for (unsigned i = 0; i < 10000; i++)
		querylog_tap_put(&tap, &c, &r, msg, 500);
	n = world_stat(&world, "query_log");
	ck_assert_uint_eq(n + world_stat(&world, "query_log_dropped"), 10000);
	ck_assert_uint_gt(n, 5000);
	for (; n > 0; n--) {
		ck_assert_ptr_nonnull(spool_next(&tap.spool, &len));
		ck_assert_uint_eq(len, sizeof(r) + 500);
		spool_drop(&tap.spool);
	}
	ck_assert_ptr_null(spool_next(&tap.spool, &len));
}
END_TEST

/* Of a long answer header and question are kept, which say that nothing follows. */
START_TEST(long_answer_keeps_its_question)
{
	const struct conf_querylog c = { .select = CONF_QUERYLOG_ALL, .sample = 1 };
	const struct querylog_tap_record r = { .len = 30000, .reason = REASON_NATIVE };
	static uint8_t msg[30000];
	struct msg m;
	size_t len = parts_question(msg, 7, "long.example", DNS_TYPE_TXT) - DNS_OPT_LEN;

	header_set(msg, HEADER_ANCOUNT, 900);
	querylog_tap_put(&tap, &c, &r, msg, len);
	ck_assert_uint_eq(next(&m).len, 30000);
	ck_assert_uint_eq(m.len, len);
	ck_assert_uint_eq(m.count[MSG_ANSWER], 0);
	ck_assert_uint_eq(m.qtype, DNS_TYPE_TXT);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, each_answer_is_told);
	tcase_add_test(tc, silence_takes_its_time);
	tcase_add_test(tc, nothing_is_told_when_it_is_off);
	tcase_add_test(tc, kinds_are_selected);
	tcase_add_test(tc, one_in_so_many_is_told);
	tcase_add_test(tc, what_has_no_room_is_counted);
	tcase_add_test(tc, long_answer_keeps_its_question);
}
