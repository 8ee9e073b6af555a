/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is too much for one turn: a reply that many wait for, or its absence, is worked off in
 * slices, and others are served in between.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "dns/wire.h"
#include "engine/engine.h"
#include "engine/engine_parts.h"
#include "scenario/costly.h"
#include "scenario/parts.h"
#include "support/configured.h"
#include "support/cputime.h"
#include "support/tests.h"

#define ROOM 8192
#define MANY LOOKUP_MAX_WAITERS
#define OTHER 60000 /* the socket of a client that asks something else */

static struct conf_core conf;
static struct engine *e;
static uint64_t now_ns;
static struct packet_out asked; /* the last question upstream */
static uint8_t question[512];
static unsigned n_asked;       /* questions upstream */
static uint8_t answered[ROOM]; /* answers by the client's socket */
static unsigned n_answers, n_servfail, n_others;
static uint8_t udp[PACKET_UDP_CAP], tcp[PACKET_TCP_CAP];
static struct costly_reply reply;

static void
setup(void)
{
	uint64_t seed = 1;

	parts_conf(&conf, 1, ROOM);
	conf.policies = configured_policies("dns64-prefix 2001:db8:64::/96");
	now_ns = PARTS_START_NS;
	e = engine_new(&conf, &seed, now_ns);
	ck_assert_ptr_nonnull(e);
	engine_socket_use(e, (unsigned)engine_socket_add(e, 0, 0));
	memset(answered, 0, sizeof(answered));
	n_asked = n_answers = n_servfail = n_others = 0;
}

static void
teardown(void)
{
	engine_free(e);
	policies_unref(conf.policies);
}

/* All that comes out in this turn. Returns how many answers. */
static unsigned
drain(void)
{
	struct packet_out send;
	unsigned before = n_answers;

	while (engine_next(e, udp, tcp, &send)) {
		bool by_tcp = send.to.transport == TRANSPORT_TCP;
		const uint8_t *bytes = by_tcp ? tcp : udp;

		if (send.to.side == PACKET_UPSTREAM) {
			asked = send;
			memcpy(question, bytes, send.len);
			n_asked++;
			continue;
		}
		if (send.to.sock == OTHER) {
			n_others++;
			continue;
		}
		PARTS_CHECK(send.to.sock < ROOM);
		answered[send.to.sock]++;
		n_answers++;
		n_servfail += (header_flags(bytes) & DNS_RCODE) == DNS_SERVFAIL;
	}
	return n_answers - before;
}

/* The client SOCK asks for the type QTYPE of NAME. */
static void
ask(uint32_t sock, const char *name, uint16_t qtype, bool by_tcp)
{
	uint8_t msg[512];
	struct packet_in in = { .msg = msg,
		.len = parts_question(msg, (uint16_t)sock, name, qtype),
		.from.side = PACKET_CLIENT,
		.from.transport = by_tcp ? TRANSPORT_TCP : TRANSPORT_UDP,
		.from.sock = sock,
		.from.peer = { .family = NETADDR_IPV6, .addr = { 0x20, 1 } } };

	/* Each is of another network: one may not have all that wait for one reply. */
	in.from.peer.addr[6] = (uint8_t)(sock >> 8);
	in.from.peer.addr[7] = (uint8_t)sock;
	PARTS_CHECK(engine_input(e, &in, now_ns) == ENGINE_TAKEN);
	(void)drain();
}

/* N clients ask the same. */
static void
ask_many(unsigned n, const char *name, uint16_t qtype)
{
	for (unsigned i = 0; i < n; i++)
		ask(i, name, qtype, true);
}

/* The reply to the last question has as many records of 12 bytes as LEN bytes take. */
static void
hand_in(size_t len)
{
	struct packet_in in = { .msg = reply.bytes, .from = asked.to };
	struct msg m;

	PARTS_CHECK(msg_parse(&m, question, asked.len) == MSG_OK);
	reply.len = DNS_HEADER_LEN + m.qname_len + 4;
	memcpy(reply.bytes, question, reply.len);
	wire_set_u16(reply.bytes + 2, DNS_QR | DNS_RD | DNS_RA);
	memset(reply.bytes + 6, 0, 6);
	for (unsigned n = 1; reply.len + 12 <= len; n++) {
		static const uint8_t rr[12] = { 0xc0, 12, 0xff, 0x78, 0, 1, 0, 0, 0, 60, 0, 0 };

		memcpy(reply.bytes + reply.len, rr, sizeof(rr));
		reply.len += sizeof(rr);
		wire_set_u16(reply.bytes + 6, (uint16_t)n);
	}
	in.len = reply.len;
	(void)engine_input(e, &in, now_ns);
	(void)drain();
	/* The engine has a copy of its own. */
	memset(reply.bytes, 0xff, reply.len);
}

/* Another client gets what is known here, whatever is left to do. */
static void
ask_other(void)
{
	unsigned before = n_others;

	ask(OTHER, "resolver.arpa", DNS_TYPE_A, false);
	PARTS_CHECK(n_others == before + 1);
}

/* Turns until nothing is left. Returns how many. */
static unsigned
work(void)
{
	unsigned n = 0;

	for (; engine_work(e, now_ns); n++) {
		ask_other();
		PARTS_CHECK(n < 2 * MANY);
	}
	return n;
}

static void
check_all_answered(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		PARTS_CHECK(answered[i] == 1);
	ck_assert_uint_eq(n_answers, n);
	ck_assert(!engine_has_work(e));
	ck_assert_uint_eq(engine_in_flight(e), 0);
	ck_assert_uint_eq(e->lookups.kept_replies.n_used, 0);
	ck_assert(list_empty(&e->lookups.put_off));
}

/* CVE-2024-33655 (DNSBomb) from the other side: one reply, and thousands of answers are due. */
START_TEST(others_are_served_between_slices)
{
	ask_many(MANY, "many.example", DNS_TYPE_NS);
	ck_assert_uint_eq(n_asked, 1);
	hand_in(_i == 0 ? 60000 : 500);
	ck_assert_uint_gt(n_answers, 0);
	ck_assert_uint_lt(n_answers, MANY / 8);
	ck_assert_uint_gt(work(), _i == 0 ? MANY / 8 : MANY / 256);
	ck_assert_uint_eq(n_servfail, 0);
	check_all_answered(MANY);
}
END_TEST

/* A few are answered at once, without a copy of the reply. */
START_TEST(few_are_answered_at_once)
{
	ask_many(8, "few.example", DNS_TYPE_NS);
	hand_in(400);
	check_all_answered(8);
}
END_TEST

/* Two replies that many wait for: neither is kept waiting until the other one is done with. */
START_TEST(replies_take_turns)
{
	for (unsigned i = 0; i < 200; i++)
		ask(i, "one.example", DNS_TYPE_NS, true);
	hand_in(60000);
	for (unsigned i = 200; i < 400; i++)
		ask(i, "two.example", DNS_TYPE_NS, true);
	hand_in(60000);
	for (unsigned n = 0; n < 8 && engine_work(e, now_ns); n++)
		(void)drain();
	ck_assert_uint_eq(answered[200], 1);
	ck_assert_uint_eq(answered[199], 0);
	(void)work();
	check_all_answered(400);
}
END_TEST

/* The lookup is over: who asks now asks anew, and its reply is its own. */
START_TEST(it_is_joined_no_more)
{
	ask_many(500, "many.example", DNS_TYPE_NS);
	hand_in(60000);
	ask(500, "many.example", DNS_TYPE_NS, true);
	ck_assert_uint_eq(n_asked, 2);
	hand_in(100);
	ck_assert_uint_eq(answered[500], 1);
	(void)work();
	check_all_answered(501);
}
END_TEST

/* Nobody waits longer than its time, nor is anybody answered twice (D5). */
START_TEST(deadlines_hold_meanwhile)
{
	ask_many(500, "many.example", DNS_TYPE_NS);
	hand_in(60000);
	now_ns += QUERY_ALL_MS * NS_PER_MS + 2 * WHEEL_TICK_NS;
	do {
		while (engine_tick(e, now_ns))
			(void)drain();
		(void)drain();
	} while (engine_work(e, now_ns));
	ck_assert_uint_gt(n_servfail, 400);
	check_all_answered(500);
}
END_TEST

/* Without room for a copy it is our lack of room (D26), for those who cannot be answered at once.
 */
START_TEST(d26_without_room_for_a_copy)
{
	unsigned n = 0;

	for (unsigned i = 0; i <= LOOKUP_KEPT_REPLIES; i++) {
		char name[32];

		snprintf(name, sizeof(name), "n%u.example", i);
		for (unsigned k = 0; k < 20; k++)
			ask(n++, name, DNS_TYPE_NS, true);
		hand_in(60000);
	}
	(void)work();
	ck_assert_uint_gt(n_servfail, 0);
	ck_assert_uint_le(n_servfail, 20);
	ck_assert_uint_eq(parts_count(&engine_stats(e)->no_room), n_servfail);
	check_all_answered(n);
}
END_TEST

/* Upstream is silent: all who wait go on to A, and then fail, in slices (D5). */
START_TEST(silence_is_worked_off_in_slices)
{
	unsigned most = 0;

	ask_many(MANY, "silent.example", DNS_TYPE_AAAA);
	for (uint64_t end = now_ns + 5 * NS_PER_SEC; now_ns < end; now_ns += WHEEL_TICK_NS) {
		bool more;

		do {
			unsigned n;

			(void)engine_work(e, now_ns);
			more = engine_tick(e, now_ns);
			n = drain();
			most = n > most ? n : most;
		} while (more || engine_has_work(e));
	}
	ck_assert_uint_gt(most, 100);
	ck_assert_uint_le(most, ENGINE_TURN / 3);
	ck_assert_uint_eq(n_servfail, MANY);
	check_all_answered(MANY);
}
END_TEST

/* N questions for N names. */
static void
ask_each(unsigned n, bool by_tcp)
{
	for (unsigned i = 0; i < n; i++) {
		char name[32];

		snprintf(name, sizeof(name), "n%u.example", i);
		ask(i, name, DNS_TYPE_NS, by_tcp);
	}
	ck_assert_uint_eq(n_asked, n);
}

/*
 * A socket with thousands of questions is refused, or a TCP connection with as many is lost: they
 * are asked again, each of them, but not all in one turn.
 */
START_TEST(thousands_are_asked_again_in_slices)
{
	bool by_tcp = _i == 1;
	unsigned n_turns = 0, most = 0, n = 3000, before;

	ask_each(n, by_tcp);
	before = n_asked;
	ck_assert(packet_is(&asked.to, PACKET_UPSTREAM, by_tcp ? TRANSPORT_TCP : TRANSPORT_UDP));
	for (unsigned i = 0; by_tcp && i < TCP_POOL_SIZE; i++)
		engine_tcp_lost(e, i, true, now_ns);
	if (!by_tcp)
		engine_refused(e, 0, 0, now_ns);
	/* The socket has questions in flight as before. */
	ck_assert(by_tcp || engine_socket_busy(e, 0));
	while (engine_has_work(e)) {
		unsigned turn = n_asked;

		(void)engine_work(e, now_ns);
		ask_other();
		most = n_asked - turn > most ? n_asked - turn : most;
		PARTS_CHECK(n_turns++ < n);
	}
	ck_assert_uint_eq(n_asked - before, n);
	ck_assert_uint_le(most, ENGINE_TURN / ENGINE_QUERY + ENGINE_SLICE);
	ck_assert_uint_eq(engine_in_flight(e), n);
	ck_assert_uint_eq(e->upstreams.sockets[0].n_refused, 0);
}
END_TEST

/* Some of them end, or are answered, before their slice comes. */
START_TEST(refused_ones_that_are_answered_first)
{
	ask_each(3000, false);
	engine_refused(e, 0, 0, now_ns);
	hand_in(100);
	ck_assert_uint_eq(answered[2999], 1);
	now_ns += QUERY_ALL_MS * NS_PER_MS + 2 * WHEEL_TICK_NS;
	while (engine_tick(e, now_ns))
		(void)drain();
	(void)work();
	check_all_answered(3000);
	ck_assert_uint_eq(e->upstreams.sockets[0].n_refused, 0);
}
END_TEST

/* The same with a connection, whose number is another one's meanwhile, which ends too. */
START_TEST(lost_ones_that_are_lost_again)
{
	ask_each(3000, true);
	for (unsigned i = 0; i < TCP_POOL_SIZE; i++)
		engine_tcp_lost(e, i, true, now_ns);
	for (unsigned turn = 0; engine_has_work(e) && turn < 3; turn++) {
		(void)drain();
		for (unsigned i = 0; i < TCP_POOL_SIZE; i++)
			engine_tcp_lost(e, i, false, now_ns);
		(void)engine_work(e, now_ns);
	}
	(void)work();
	now_ns += QUERY_ALL_MS * NS_PER_MS + 2 * WHEEL_TICK_NS;
	while (engine_tick(e, now_ns))
		(void)drain();
	(void)work();
	check_all_answered(3000);
	ck_assert(list_empty(&e->lookups.lost));
	for (unsigned i = 0; i < TCP_POOL_SIZE; i++)
		ck_assert(list_empty(&e->upstreams.table[0].tcp[i].lost));
}
END_TEST

/* Processor time of a walk over a message with as many records as can be. */
static uint64_t
walk_ns(void)
{
	uint64_t least = UINT64_MAX;
	struct msg m;

	costly_walk(&reply);
	for (unsigned i = 0; i < 20; i++) {
		uint64_t start = cputime_ns(), cost;

		PARTS_CHECK(msg_parse(&m, reply.bytes, reply.len) == MSG_OK);
		cost = cputime_ns() - start;
		least = cost < least ? cost : least;
	}
	return least;
}

/* The reply to the last question is made to be hard to read. Returns the time of the turn. */
static uint64_t
hand_in_worst(const struct costly *c)
{
	struct packet_in in = { .msg = reply.bytes, .from = asked.to };
	uint64_t start;
	struct msg m;

	PARTS_CHECK(msg_parse(&m, question, asked.len) == MSG_OK);
	memset(&reply, 0, sizeof(reply));
	reply.len = DNS_HEADER_LEN + m.qname_len + 4;
	reply.max = COSTLY_MAX;
	memcpy(reply.bytes, question, reply.len);
	wire_set_u16(reply.bytes + 2, DNS_QR | DNS_RD | DNS_RA);
	memset(reply.bytes + 6, 0, 6);
	if (m.qtype == c->type)
		c->make(&reply);
	in.len = reply.len;
	start = cputime_ns();
	(void)engine_input(e, &in, now_ns);
	(void)drain();
	return cputime_ns() - start;
}

/*
 * The longest turn, while many wait for the worst reply (CVE-2024-8508): 5 ms where the walk takes
 * 16 us. With COSTLY in its environment it prints the time instead.
 */
START_TEST(no_turn_is_long)
{
	char name[2 * 127 + 1];
	const struct costly *all, *c;
	uint64_t most = 0, least = UINT64_MAX, walk = walk_ns(), all_ns = 0;
	size_t n_all;

	for (unsigned i = 0; i < 127; i++)
		memcpy(name + (size_t)2 * i, "z.", 3);
	all = costly_all(&n_all);
	for (c = all; strcmp(c->name, "a-names-authority") != 0; c++)
		PARTS_CHECK(c < all + n_all);
	for (unsigned round = 0; round < 5; round++) {
		uint64_t took;

		n_answers = 0;
		for (unsigned i = 0; i < 256; i++)
			ask(i, name, c->qtype, true);
		(void)hand_in_worst(c);
		while (n_answers == 0 && engine_work(e, now_ns))
			(void)drain();
		most = hand_in_worst(c);
		all_ns = most;
		while (engine_work(e, now_ns)) {
			uint64_t start = cputime_ns();

			(void)drain();
			took = cputime_ns() - start;
			all_ns += took;
			most = took > most ? took : most;
		}
		ck_assert_uint_eq(n_answers, 256);
		least = most < least ? most : least;
	}
	if (getenv("COSTLY") != NULL)
		fprintf(stderr, "longest turn: %lu us; %lu us for each who waits; a walk: %lu us\n",
		    (unsigned long)(least / 1000), (unsigned long)(all_ns / 256 / 1000),
		    (unsigned long)(walk / 1000));
	else
		ck_assert_uint_le(least, 300 * walk);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, others_are_served_between_slices, 0, 2);
	tcase_add_test(tc, few_are_answered_at_once);
	tcase_add_test(tc, replies_take_turns);
	tcase_add_test(tc, it_is_joined_no_more);
	tcase_add_test(tc, deadlines_hold_meanwhile);
	tcase_add_test(tc, d26_without_room_for_a_copy);
	tcase_add_test(tc, silence_is_worked_off_in_slices);
	tcase_add_test(tc, no_turn_is_long);
	tcase_add_loop_test(tc, thousands_are_asked_again_in_slices, 0, 2);
	tcase_add_test(tc, refused_ones_that_are_answered_first);
	tcase_add_test(tc, lost_ones_that_are_lost_again);
}
