/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Off-path forgers (RULES D21, rule 25): 100,000 datagrams a second at one upstream's questions,
 * for as long on the played clock as FORGERS_SECONDS says: 1 by default, 600 for what is to be
 * shown. There is always a question open for the name that is forged, which the upstream answers
 * after 20 ms, and the forger knows everything but the ID, the case and the cookie: with "port
 * known" at once the port, too.
 *
 * Kaminsky (CVE-2008-1447), DNSpooq (CVE-2020-25684, 25685, 25686), SAD DNS (CVE-2020-25705),
 * RebirthDay (CVE-2025-5994) and CVE-2026-50252 each spare the forger a part of his work: the port,
 * or that equal questions meet upstream once.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "core/engine.h"
#include "core/engine_parts.h"
#include "core/wheel.h"
#include "dns/build.h"
#include "dns/header.h"
#include "dns/name.h"
#include "scenario/parts.h"
#include "support/configured.h"
#include "support/tests.h"

#define PER_SECOND 100000
#define PORTS 8
#define REPLY_NS 20000000
#define PORTS_ALL 64512 /* 1024 to 65535 */

static const struct kind {
	const char *name;
	bool cases, cookies, port_known;
} kinds[] = {
	{ "www.example-of-many-letters.example", true, true, true },
	{ "www.example-of-many-letters.example", true, false, true },
	{ "www.example-of-many-letters.example", false, false, true },
	{ "1.2.0.192.in-addr.arpa", true, false, true },
	{ "1.2.0.192.in-addr.arpa", false, true, true },
	{ "www.example-of-many-letters.example", true, false, false },
	{ "1.2.0.192.in-addr.arpa", false, false, false },
};

static struct conf_core conf;
static struct engine *e;
static struct rng rng;
static uint64_t now_ns;
static int slots[PORTS];
static uint8_t udp[PACKET_UDP_CAP], tcp[PACKET_TCP_CAP];
static unsigned n_udp, n_tcp, n_answers, n_wrong;

/* What the upstream was asked, and replies to with NXDOMAIN at DUE_NS. */
static struct {
	uint64_t due_ns;
	struct packet_in in;
	uint8_t bytes[512];
} replies[64];
static unsigned n_replies;

static void
new_slot(unsigned i)
{
	if (slots[i] >= 0)
		engine_socket_del(e, (unsigned)slots[i]);
	slots[i] = engine_socket_add(e, 0, 0);
	ck_assert_int_ge(slots[i], 0);
}

static void
take_question(const struct packet_out *send)
{
	bool by_tcp = send->way == PACKET_UPSTREAM_TCP;

	n_udp += !by_tcp;
	n_tcp += by_tcp;
	PARTS_CHECK(n_replies < 64 && send->len <= sizeof(replies[0].bytes));
	replies[n_replies].due_ns = now_ns + REPLY_NS;
	replies[n_replies].in =
	    (struct packet_in){ .len = send->len, .way = send->way, .sock = send->sock };
	memcpy(replies[n_replies].bytes, by_tcp ? tcp : udp, send->len);
	replies[n_replies].bytes[2] |= DNS_QR >> 8; /* with the case and the cookie */
	replies[n_replies].bytes[3] |= DNS_NXDOMAIN;
	n_replies++;
}

static void
drain(void)
{
	struct packet_out send;

	while (engine_next(e, udp, tcp, &send)) {
		if (send.way != PACKET_CLIENT_UDP) {
			take_question(&send);
			continue;
		}
		n_answers++;
		n_wrong += (udp[3] & 15) == DNS_NOERROR;
	}
	engine_socket_use(e, (unsigned)slots[rng_below(&rng, PORTS)]);
}

/* The replies that are due; what came to a port that is closed is lost. */
static void
reply(void)
{
	while (n_replies > 0 && replies[0].due_ns <= now_ns) {
		struct packet_in in = replies[0].in;
		uint8_t bytes[512];

		memcpy(bytes, replies[0].bytes, in.len);
		memmove(&replies[0], &replies[1], --n_replies * sizeof(replies[0]));
		in.msg = bytes;
		(void)engine_input(e, &in, now_ns);
		drain();
	}
}

static void
ask(const char *name, uint16_t id)
{
	uint8_t msg[512];
	struct packet_in in = { .msg = msg, .way = PACKET_CLIENT_UDP };

	ck_assert(netaddr_parse("::1", 53, &in.peer));
	in.len = parts_question(msg, id, name, DNS_TYPE_PTR);
	ck_assert(engine_input(e, &in, now_ns) == ENGINE_TAKEN);
	drain();
}

/* One forged reply, to the socket I. */
static void
forge(const struct kind *k, uint8_t *msg, size_t len, unsigned i)
{
	struct packet_in in = {
		.msg = msg, .len = len, .way = PACKET_UPSTREAM_UDP, .sock = (uint32_t)slots[i]
	};

	header_set_id(msg, (uint16_t)rng_below(&rng, 65536));
	if (k->cases)
		name_mix(header_put_qname(msg), name_len(header_put_qname(msg)), rng_u64(&rng));
	if (engine_input(e, &in, now_ns) == ENGINE_SPOILT)
		new_slot(i);
	drain();
}

/* The reply that is forged: the address of somebody else. */
static size_t
make(const struct kind *k, uint8_t *msg, size_t cap)
{
	static const uint8_t rdata[] = { 4, 'e', 'v', 'i', 'l', 0 };
	const struct build_opt opt = { .present = true, .bufsize = 1232 };
	uint8_t name[DNS_NAME_MAX];
	struct build b;

	ck_assert_uint_gt(name_from_text(k->name, name), 0);
	build_start(&b, msg, cap,
	    &(struct build_question){
		.flags = DNS_QR, .qname = name, .qtype = DNS_TYPE_PTR, .qclass = DNS_CLASS_IN });
	ck_assert(build_rr(&b, MSG_ANSWER, name, DNS_TYPE_PTR, 1, 60, rdata, sizeof(rdata)));
	return build_finish(&b, cap, &opt);
}

static void
start(const struct kind *k)
{
	const uint64_t seed = 11;

	n_udp = n_tcp = n_answers = n_wrong = n_replies = 0;
	now_ns = PARTS_START_NS;
	rng_init_seeded(&rng, 12);
	parts_conf(&conf, 1, 100);
	conf.policies = configured_policies("dns64-prefix 2001:db8:64::/96");
	conf.case_randomization = k->cases;
	conf.upstream_cookies = k->cookies;
	e = engine_new(&conf, &seed, now_ns);
	ck_assert_ptr_nonnull(e);
	if (k->cookies) { /* it has given one */
		memset(e->upstreams.table[0].cookie, 7, 16);
		e->upstreams.table[0].cookie_len = 16;
	}
	for (unsigned i = 0; i < PORTS; i++) {
		slots[i] = -1;
		new_slot(i);
	}
	engine_socket_use(e, (unsigned)slots[0]);
}

/* Which socket the next datagram meets; PORTS: none. */
static unsigned
aim(const struct kind *k)
{
	unsigned port;

	if (k->port_known) { /* the one with a question open, if there is any by UDP */
		for (unsigned i = 0; i < PORTS; i++)
			if (engine_socket_busy(e, (unsigned)slots[i]))
				return i;
		return rng_below(&rng, PORTS);
	}
	port = rng_below(&rng, PORTS_ALL);
	return port < PORTS ? port : PORTS;
}

/* Incidents: CVE-2020-25685. */
START_TEST(d21_forgers_get_nothing_accepted)
{
	const struct kind *k = &kinds[_i];
	const char *seconds = getenv("FORGERS_SECONDS");
	uint64_t end_s = seconds != NULL ? strtoull(seconds, NULL, 10) : 1, n_met = 0;
	uint8_t msg[512];
	size_t len = make(k, msg, sizeof(msg));
	uint16_t id = 0;

	start(k);
	for (uint64_t tick = 0; tick < end_s * NS_PER_SEC / WHEEL_TICK_NS; tick++) {
		now_ns += WHEEL_TICK_NS;
		while (engine_tick(e, now_ns))
			drain();
		drain();
		reply();
		if (engine_in_flight(e) == 0)
			ask(k->name, id++);
		for (unsigned n = 0; n < PER_SECOND * WHEEL_TICK_NS / NS_PER_SEC; n++) {
			unsigned i = aim(k);

			if (i == PORTS)
				continue;
			n_met++;
			forge(k, msg, len, i);
		}
		if (tick % (2 * NS_PER_SEC / WHEEL_TICK_NS / PORTS) == 0) { /* they live for 2 s */
			unsigned i =
			    (unsigned)(tick / (2 * NS_PER_SEC / WHEEL_TICK_NS / PORTS)) % PORTS;

			new_slot(i);
			engine_socket_use(e, (unsigned)slots[i]);
		}
	}
	if (seconds != NULL)
		printf("%s, 0x20 %d, cookies %d, port known %d: %llu datagrams met a socket, %u "
		       "questions by "
		       "UDP, %u by TCP, %llu sockets given up, %llu near misses, accepted %u\n",
		    k->name, k->cases, k->cookies, k->port_known, (unsigned long long)n_met, n_udp,
		    n_tcp, (unsigned long long)parts_count(&engine_stats(e)->upstream_guessed),
		    (unsigned long long)parts_count(&engine_stats(e)->upstream_mismatch), n_wrong);
	ck_assert_uint_eq(n_wrong, 0);
	ck_assert_uint_gt(n_answers, 0);
	ck_assert_uint_eq(parts_count(&engine_stats(e)->upstream_unguarded), 0);
	ck_assert_uint_gt(n_met, 0);
	engine_free(e);
	policies_unref(conf.policies);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_set_timeout(tc, 600);
	tcase_add_loop_test(
	    tc, d21_forgers_get_nothing_accepted, 0, sizeof(kinds) / sizeof(kinds[0]));
}
