/* SPDX-License-Identifier: BSD-2-Clause */
/* Captures: which messages an engine hands on, and what it says of each; samples; no room. */

#include "engine/dnstap_tap.h"

#include <string.h>

#include "base/clock.h"
#include "cache/cache.h"
#include "dns/header.h"
#include "scenario/world.h"
#include "support/tests.h"

#define TRIP_NS (3 * NS_PER_MS)

static struct world world;
static struct dnstap_tap capture;
static uint16_t n_asked;
static uint16_t left_id; /* of the answer that left last */

static size_t
on_upstream(struct world *w, const struct msg *m, const struct packet_out *send, uint8_t *out)
{
	w->now_ns += TRIP_NS;
	return world_plain(w, m, send, out);
}

static void
on_client(struct world *w, const struct packet_out *send, const uint8_t *msg)
{
	(void)w;
	(void)send;
	left_id = header_id(msg);
}

static void
setup(void)
{
	world_init(&world, 1, 1024);
	world.upstream = on_upstream;
	world.client = on_client;
	world.conf.dnstap = (struct conf_dnstap){ .types = CONF_DNSTAP_ALL, .sample = 1 };
	world.conf.keep = (struct conf_cache){ .max_ttl_s = 3600, .max_negative_s = 3600 };
	world.conf.cache = cache_new(1 << 20, 0, 1);
	ck_assert_ptr_nonnull(world.conf.cache);
	world_start(&world, 1);
	ck_assert(dnstap_tap_init(&capture, engine_stats(world.engine), 77));
	engine_set_taps(world.engine, NULL, &capture);
}

static void
teardown(void)
{
	struct cache *cache = world.conf.cache;

	world_stop(&world);
	cache_free(cache);
	dnstap_tap_fini(&capture);
}

static void
ask(const char *name, uint16_t type, enum transport transport)
{
	struct packet_in in = { .from = {
				    .side = PACKET_CLIENT, .transport = (uint8_t)transport } };
	uint8_t msg[512];

	ck_assert(netaddr_parse("2001:db8::1", 1024, &in.from.peer));
	ck_assert(netaddr_parse("2001:db8::53", 53, &in.from.local));
	in.msg = msg;
	in.len = parts_question(msg, ++n_asked, name, type);
	world_input(&world, &in);
}

/* The next record, which must be of TYPE, a copy; its message parses to *M. */
static struct dnstap_tap_record
next(enum conf_dnstap_type type, struct msg *m)
{
	static uint8_t bytes[65535];
	size_t len;
	const struct dnstap_tap_record *p = spool_next(&capture.spool, &len);
	struct dnstap_tap_record r;

	ck_assert_ptr_nonnull(p);
	r = *p;
	ck_assert_uint_eq(r.type, type);
	ck_assert_uint_eq(len, sizeof(r) + r.len);
	memcpy(bytes, p + 1, r.len);
	ck_assert_int_eq(msg_parse(m, bytes, r.len), MSG_OK);
	ck_assert_int_eq((m->flags & DNS_QR) != 0,
	    type == CONF_CLIENT_RESPONSE || type == CONF_FORWARDER_RESPONSE);
	spool_drop(&capture.spool);
	return r;
}

static void
none_is_left(void)
{
	size_t len;

	ck_assert_ptr_null(spool_next(&capture.spool, &len));
}

/* D34: each message is told of once, in order, with its times and addresses. */
START_TEST(each_message_is_told)
{
	uint64_t came_ns = world.now_ns;
	struct dnstap_tap_record r;
	struct msg m;

	ask("a.example", DNS_TYPE_AAAA, TRANSPORT_UDP);
	r = next(CONF_CLIENT_QUERY, &m);
	ck_assert_uint_eq(r.peer.port, 1024);
	ck_assert_uint_eq(r.local.port, 53);
	ck_assert_uint_eq(r.at_ns, came_ns);
	ck_assert_uint_eq(m.id, n_asked);
	ck_assert_uint_eq(r.transport, TRANSPORT_UDP);
	for (unsigned i = 0; i < 2; i++) { /* AAAA, then A */
		struct dnstap_tap_record q = next(CONF_FORWARDER_QUERY, &m);
		uint16_t id = m.id, qtype = m.qtype;

		ck_assert_uint_eq(qtype, i == 0 ? DNS_TYPE_AAAA : DNS_TYPE_A);
		ck_assert_uint_eq(q.peer.addr[3], 1); /* 192.0.2.1 */
		ck_assert_uint_eq(q.peer.port, 53);
		ck_assert_uint_eq(q.local.family, NETADDR_NONE);
		ck_assert_uint_eq(q.at_ns, came_ns + i * TRIP_NS);
		r = next(CONF_FORWARDER_RESPONSE, &m);
		ck_assert_uint_eq(m.id, id);
		ck_assert_uint_eq(m.qtype, qtype);
		ck_assert_uint_eq(r.asked_ns, q.at_ns);
		ck_assert_uint_eq(r.at_ns, q.at_ns + TRIP_NS);
		ck_assert(netaddr_equal(&r.peer, &q.peer));
	}
	r = next(CONF_CLIENT_RESPONSE, &m);
	ck_assert_uint_eq(r.reason, REASON_SYNTH_NO_AAAA);
	ck_assert_uint_eq(r.asked_ns, came_ns);
	ck_assert_uint_eq(r.at_ns, came_ns + 2 * TRIP_NS);
	ck_assert_uint_eq(r.peer.port, 1024);
	ck_assert_uint_eq(r.local.port, 53);
	ck_assert_uint_eq(m.count[MSG_ANSWER], 1);
	ck_assert_uint_eq(m.id, left_id);
	none_is_left();
	ck_assert_uint_eq(world_stat(&world, "dnstap"), 6);
}
END_TEST

/* What comes from the cache, and from engine/packetcache, is told of, and each is counted once. */
START_TEST(answers_at_hand_are_told)
{
	struct dnstap_tap_record r;
	struct msg m;

	ask("a.example", DNS_TYPE_AAAA, TRANSPORT_UDP);
	while (world_stat(&world, "dnstap") > 0 && spool_next(&capture.spool, &(size_t){ 0 }))
		spool_drop(&capture.spool);
	for (unsigned i = 0; i < 5; i++) {
		ask("a.example", DNS_TYPE_AAAA, TRANSPORT_UDP);
		r = next(CONF_CLIENT_QUERY, &m);
		ck_assert_uint_eq(m.id, n_asked);
		r = next(CONF_CLIENT_RESPONSE, &m);
		ck_assert_uint_eq(m.id, n_asked);
		ck_assert_uint_eq(r.reason, REASON_SYNTH_NO_AAAA);
		ck_assert_uint_eq(r.asked_ns, r.at_ns);
		ck_assert_uint_eq(r.peer.port, 1024);
	}
	ck_assert_uint_gt(world_stat(&world, "answers_repeated"), 1);
	ck_assert_uint_eq(world_stat(&world, "dnstap"), 6 + 2 * 5);
	ask("a.example", DNS_TYPE_AAAA, TRANSPORT_TCP);
	ck_assert_uint_eq(next(CONF_CLIENT_QUERY, &m).transport, TRANSPORT_TCP);
	ck_assert_uint_eq(next(CONF_CLIENT_RESPONSE, &m).transport, TRANSPORT_TCP);
	none_is_left();
}
END_TEST

/* What is no question of a client, or no reply to one of ours, is not told of. */
START_TEST(what_is_no_answer_is_left_out)
{
	struct packet_in in = { .from.side = PACKET_CLIENT, .from.transport = TRANSPORT_UDP };
	uint8_t msg[512];

	ck_assert(netaddr_parse("2001:db8::1", 1024, &in.from.peer));
	in.msg = msg;
	in.len = parts_question(msg, 7, "a.example", DNS_TYPE_A);
	header_set(msg, HEADER_FLAGS, DNS_QR);
	world_input(&world, &in);
	in.len = 11;
	header_set(msg, HEADER_FLAGS, 0);
	world_input(&world, &in);
	in.from.transport = TRANSPORT_UDP;
	in.from.side = PACKET_UPSTREAM; /* by the socket that the world has opened */
	in.from.sock = 0;
	in.len = parts_question(msg, 7, "a.example", DNS_TYPE_A);
	header_set(msg, HEADER_FLAGS, DNS_QR);
	world_input(&world, &in);
	none_is_left();
	ck_assert_uint_eq(
	    world_stat(&world, "upstream_unknown_id") + world_stat(&world, "upstream_late"), 1);
}
END_TEST

START_TEST(types_are_selected)
{
	struct conf_core some = world.conf;
	struct msg m;

	some.dnstap.types = CONF_CLIENT_RESPONSE | CONF_FORWARDER_QUERY;
	engine_set_conf(world.engine, &some, world.now_ns);
	(void)engine_work(world.engine, world.now_ns);
	ask("a.example", DNS_TYPE_MX, TRANSPORT_UDP);
	(void)next(CONF_FORWARDER_QUERY, &m);
	(void)next(CONF_CLIENT_RESPONSE, &m);
	none_is_left();
	some.dnstap.types = CONF_CLIENT_QUERY | CONF_FORWARDER_RESPONSE;
	(void)engine_work(world.engine, world.now_ns);
	ask("b.example", DNS_TYPE_MX, TRANSPORT_UDP);
	(void)next(CONF_CLIENT_QUERY, &m);
	(void)next(CONF_FORWARDER_RESPONSE, &m);
	none_is_left();
	some.dnstap.types = 0;
	(void)engine_work(world.engine, world.now_ns);
	ask("c.example", DNS_TYPE_MX, TRANSPORT_UDP);
	none_is_left();
}
END_TEST

/* One in so many questions, and the response to each of them and to no other. */
START_TEST(samples_have_questions_with_their_responses)
{
	const struct conf_dnstap c = { .types = CONF_DNSTAP_ALL, .sample = 10 };
	struct dnstap_tap_record q = { .len = 40, .type = CONF_CLIENT_QUERY }, r = q;
	static uint8_t msg[40];
	unsigned n = 0;

	r.type = CONF_CLIENT_RESPONSE;
	for (unsigned i = 0; i < 10000; i++) {
		header_set_id(msg, (uint16_t)i);
		q.peer.port = r.peer.port = (uint16_t)(i / 100);
		ck_assert_int_eq(dnstap_tap_selects(&capture, &c, &q, msg),
		    dnstap_tap_selects(&capture, &c, &r, msg));
		n += dnstap_tap_selects(&capture, &c, &q, msg);
	}
	ck_assert_uint_gt(n, 800);
	ck_assert_uint_lt(n, 1200);
}
END_TEST

/* Nobody reads: what has no room is dropped, and counted; what is there stays. */
START_TEST(what_has_no_room_is_counted)
{
	const struct conf_dnstap c = { .types = CONF_DNSTAP_ALL, .sample = 1 };
	const struct dnstap_tap_record r = { .len = 65535, .type = CONF_CLIENT_RESPONSE };
	static uint8_t msg[65535];
	const struct dnstap_tap_record *got;
	uint64_t n;
	size_t len;

	msg[65534] = 9;
	for (unsigned i = 0; i < 100; i++)
		dnstap_tap_put(&capture, &c, &r, msg);
	n = world_stat(&world, "dnstap");
	ck_assert_uint_eq(n + world_stat(&world, "dnstap_dropped"), 100);
	ck_assert_uint_gt(n, 50);
	ck_assert_uint_lt(n, 65);
	for (; n > 0; n--) {
		got = spool_next(&capture.spool, &len);
		ck_assert_ptr_nonnull(got);
		ck_assert_uint_eq(got->len, 65535);
		ck_assert_uint_eq(((const uint8_t *)(got + 1))[65534], 9);
		spool_drop(&capture.spool);
	}
	none_is_left();
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, each_message_is_told);
	tcase_add_test(tc, answers_at_hand_are_told);
	tcase_add_test(tc, what_is_no_answer_is_left_out);
	tcase_add_test(tc, types_are_selected);
	tcase_add_test(tc, samples_have_questions_with_their_responses);
	tcase_add_test(tc, what_has_no_room_is_counted);
}
