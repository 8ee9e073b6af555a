/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Upstreams that are so slow that many replies come after their questions have ended (RULES D21,
 * D27): nobody guesses, so no socket is given up, and nothing goes over TCP for that.
 */
#include "outbound/txid.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "core/wheel.h"
#include "dns/header.h"
#include "engine/engine.h"
#include "engine/engine_parts.h"
#include "scenario/parts.h"
#include "support/configured.h"
#include "support/tests.h"

#define PORTS 8
#define DRAINING 128 /* as in io/upstream_set */
#define USES 512
#define AGE_NS (2 * NS_PER_SEC)
#define ROOM 120000
#define REPLIES 400000
#define SLOTS 4096 /* more than there are */
#define PLAY_MS 6000
#define TICKS 1024 /* of WHEEL_TICK_NS that a reply may take, at most */

static const struct kind {
	unsigned rate;        /* questions a second */
	unsigned least, most; /* ms: a reply takes so long */
	unsigned calm;        /* ms: for so long replies take 20 ms only */
} kinds[] = {
	{ 10000, 1200, 1200, 0 },
	{ 10000, 3000, 3000, 0 },
	{ 10000, 50, 3000, 0 },
	{ 10000, 1200, 1200, 2000 },
	{ 25000, 50, 1000, 0 },
};

/* A reply on its way. */
struct reply {
	struct reply *next;
	struct packet_in in;
	uint32_t gen; /* of the socket */
	uint8_t bytes[128];
};

static struct conf_core conf;
static struct engine *e;
static struct rng rng;
static uint64_t now_ns, tick;
static const struct kind *kind;
static struct {
	uint32_t gen;
	unsigned n_sent;
	uint64_t opened_ns;
} sockets[SLOTS];
static unsigned slots[PORTS], in_use, draining[DRAINING], n_draining;
static struct reply *replies, *spare, *due[TICKS];
static uint8_t udp[PACKET_UDP_CAP], tcp[PACKET_TCP_CAP];
static unsigned n_answers, n_asked;

static unsigned
open_socket(void)
{
	int slot = engine_socket_add(e, 0, 0);

	PARTS_CHECK(slot >= 0 && slot < SLOTS);
	sockets[slot].n_sent = 0;
	sockets[slot].opened_ns = now_ns;
	return (unsigned)slot;
}

static void
close_socket(unsigned slot)
{
	engine_socket_del(e, slot);
	sockets[slot].gen++;
}

/* Replace socket I, as io/upstream_set does: one of those that drain longest has to go. */
static void
replace(unsigned i)
{
	static unsigned next;
	unsigned at = n_draining;

	if (n_draining == DRAINING) {
		at = next++ % DRAINING;
		close_socket(draining[at]);
	} else {
		n_draining++;
	}
	engine_socket_retire(e, slots[i]);
	draining[at] = slots[i];
	slots[i] = open_socket();
}

/* The next question leaves by another socket. */
static void
draw(void)
{
	in_use = rng_below(&rng, PORTS);
	if (sockets[slots[in_use]].n_sent >= USES ||
	    now_ns - sockets[slots[in_use]].opened_ns >= AGE_NS)
		replace(in_use);
	engine_socket_use(e, slots[in_use]);
}

static void
close_drained(void)
{
	unsigned n = 0;

	for (unsigned i = 0; i < n_draining; i++) {
		if (engine_socket_busy(e, draining[i]))
			draining[n++] = draining[i];
		else
			close_socket(draining[i]);
	}
	n_draining = n;
}

static void
take_question(const struct packet_out *send)
{
	bool by_tcp = packet_is(&send->to, PACKET_UPSTREAM, TRANSPORT_TCP);
	unsigned ms = now_ns - PARTS_START_NS < kind->calm * NS_PER_MS
	    ? 20
	    : kind->least + (unsigned)rng_below(&rng, kind->most - kind->least + 1);
	struct reply *r = spare, **at = &due[(tick + 1 + ms * NS_PER_MS / WHEEL_TICK_NS) % TICKS];

	PARTS_CHECK(r != NULL && send->len <= sizeof(r->bytes));
	spare = r->next;
	r->in = (struct packet_in){ .msg = r->bytes, .len = send->len, .from = send->to };
	r->gen = by_tcp ? 0 : sockets[send->to.sock].gen;
	memcpy(r->bytes, by_tcp ? tcp : udp, send->len);
	r->bytes[2] |= DNS_QR >> 8;
	r->bytes[3] |= DNS_NXDOMAIN;
	r->next = *at;
	*at = r;
	if (by_tcp)
		return;
	sockets[send->to.sock].n_sent++;
	draw();
}

static void
drain(void)
{
	struct packet_out send;

	do {
		while (engine_next(e, udp, tcp, &send)) {
			if (packet_is(&send.to, PACKET_CLIENT, TRANSPORT_UDP))
				n_answers++;
			else
				take_question(&send);
		}
	} while (engine_work(e, now_ns));
}

static void
reply(void)
{
	struct reply *r = due[tick % TICKS], *next;

	due[tick % TICKS] = NULL;
	for (; r != NULL; r = next) {
		bool udp_in = packet_is(&r->in.from, PACKET_UPSTREAM, TRANSPORT_UDP);

		next = r->next;
		if (!udp_in || sockets[r->in.from.sock].gen == r->gen) {
			if (engine_input(e, &r->in, now_ns) == ENGINE_SPOILT) {
				for (unsigned i = 0; i < PORTS; i++) {
					if (slots[i] == r->in.from.sock)
						replace(i);
				}
				draw();
			}
			drain();
		}
		r->next = spare;
		spare = r;
	}
}

static void
ask(void)
{
	char name[64];
	uint8_t msg[128];
	struct packet_in in = {
		.msg = msg, .from.side = PACKET_CLIENT, .from.transport = TRANSPORT_UDP
	};

	snprintf(name, sizeof(name), "n%u.example", n_asked);
	in.from.peer = (struct netaddr){ .family = NETADDR_IPV6, .addr = { 0x20, 1 } };
	in.from.peer.addr[4] = (uint8_t)(n_asked >> 8);
	in.from.peer.addr[5] = (uint8_t)n_asked;
	in.len = parts_question(msg, (uint16_t)n_asked++, name, DNS_TYPE_MX);
	(void)engine_input(e, &in, now_ns);
	drain();
}

static void
start(void)
{
	uint64_t seed = 1;

	parts_conf(&conf, 1, ROOM);
	conf.policies = configured_policies("");
	now_ns = PARTS_START_NS;
	tick = n_answers = n_asked = n_draining = 0;
	rng_init_seeded(&rng, 3);
	memset(sockets, 0, sizeof(sockets));
	memset(due, 0, sizeof(due));
	replies = calloc(REPLIES, sizeof(replies[0]));
	ck_assert_ptr_nonnull(replies);
	spare = NULL;
	for (unsigned i = 0; i < REPLIES; i++) {
		replies[i].next = spare;
		spare = &replies[i];
	}
	e = engine_new(&conf, &seed, now_ns);
	ck_assert_ptr_nonnull(e);
	for (unsigned i = 0; i < PORTS; i++)
		slots[i] = open_socket();
	draw();
}

static void
end(void)
{
	engine_free(e);
	policies_unref(conf.policies);
	free(replies);
}

/* Of those given up by a socket the last are known. */
START_TEST(the_last_are_known)
{
	static struct stale_id o;

	ck_assert(!stale_id_has(&o, 0));
	for (unsigned id = 0; id <= STALE_ID_EACH; id++) {
		stale_id_note(&o, (uint16_t)id);
		ck_assert(stale_id_has(&o, (uint16_t)id));
		ck_assert(!stale_id_has(&o, (uint16_t)(id + 1)));
	}
	ck_assert(!stale_id_has(&o, 0));
	ck_assert(stale_id_has(&o, 1));
}
END_TEST

/* A closed socket's are not those of the next one in its slot. */
START_TEST(a_new_socket_has_none)
{
	kind = &kinds[0];
	start();
	stale_id_note(&e->lookups.stale_ids[slots[0]], 7);
	ck_assert(stale_id_has(&e->lookups.stale_ids[slots[0]], 7));
	close_socket(slots[0]);
	ck_assert(!stale_id_has(&e->lookups.stale_ids[slots[0]], 7));
	end();
}
END_TEST

START_TEST(d21_late_replies_are_no_guesses)
{
	struct stats *s;

	kind = &kinds[_i];
	start();
	s = engine_stats(e);
	for (unsigned due_ms = 0, ms = 0; ms < PLAY_MS;
	     ms = (unsigned)(tick * WHEEL_TICK_NS / NS_PER_MS)) {
		tick++;
		now_ns += WHEEL_TICK_NS;
		while (engine_tick(e, now_ns))
			drain();
		drain();
		reply();
		for (; due_ms < ms; due_ms++) {
			for (unsigned n = 0; n < kind->rate / 1000; n++)
				ask();
		}
		close_drained();
	}
	ck_assert_uint_gt(parts_count(&s->upstream_late), 0);
	ck_assert_uint_gt(n_answers, n_asked / 4);
	ck_assert_uint_eq(e->upstreams.table[0].suspicion.n_guesses, 0);
	ck_assert_uint_eq(parts_count(&s->upstream_guessed), 0);
	end();
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_set_timeout(tc, 600);
	tcase_add_test(tc, the_last_are_known);
	tcase_add_test(tc, a_new_socket_has_none);
	tcase_add_loop_test(
	    tc, d21_late_replies_are_no_guesses, 0, sizeof(kinds) / sizeof(kinds[0]));
}
