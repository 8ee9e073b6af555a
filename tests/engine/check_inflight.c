/* SPDX-License-Identifier: BSD-2-Clause */
/* The questions that wait, as the operator is told: the oldest, whoever asked them, in slices. */

#include "engine/inflight.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "dns/wire.h"
#include "engine/engine_parts.h"
#include "scenario/world.h"
#include "support/tests.h"

#define ASKED 300

static struct world world;
static unsigned n_done;
static struct inflight *f;
static uint16_t refuses_aaaa; /* number of the upstream; UPSTREAM_NONE: none does */

static void
on_client(struct world *w, const struct packet_out *send, const uint8_t *msg)
{
	(void)w;
	(void)send;
	(void)msg;
	n_done++;
}

/* Nobody replies, but upstream refuses_aaaa with an error to AAAA. */
static size_t
on_upstream(struct world *w, const struct msg *m, const struct packet_out *send, uint8_t *out)
{
	if (m->qtype != DNS_TYPE_AAAA || !packet_is(&send->to, PACKET_UPSTREAM, TRANSPORT_UDP) ||
	    w->engine->upstreams.sockets[send->to.sock].upstream != refuses_aaaa)
		return 0;
	memcpy(out, m->bytes, m->len);
	wire_set_u16(out + 2, DNS_QR | DNS_RA | DNS_REFUSED);
	return m->len;
}

static void
begin(unsigned n_upstreams)
{
	world_init(&world, n_upstreams, 1024);
	world.client = on_client;
	world.upstream = on_upstream;
	world.conf.timeout_ms = 1000;
	world_start(&world, 1);
	n_done = 0;
	refuses_aaaa = UPSTREAM_NONE;
}

static void
setup(void)
{
	begin(2);
	f = calloc(1, sizeof(*f));
	ck_assert_ptr_nonnull(f);
}

static void
teardown(void)
{
	world_pass(&world, 6 * NS_PER_SEC);
	ck_assert_uint_eq(engine_in_flight(world.engine), 0);
	world_stop(&world);
	free(f);
}

/* Question I for TYPE, by a client of network NET. */
static void
ask_for(unsigned net, unsigned i, uint16_t type)
{
	struct packet_in in = { .from.side = PACKET_CLIENT, .from.transport = TRANSPORT_UDP };
	uint8_t msg[512];
	char name[32];

	snprintf(name, sizeof(name), "n%u.example", i);
	ck_assert(netaddr_parse("2001:db8::1", 1024, &in.from.peer));
	in.from.peer.addr[7] = (uint8_t)net;
	in.msg = msg;
	in.len = parts_question(msg, (uint16_t)i, name, type);
	world_input(&world, &in);
}

static void
ask(unsigned net, unsigned i)
{
	ask_for(net, i, DNS_TYPE_A);
}

static void
collect(void)
{
	unsigned n = 0;

	memset(f, 0, sizeof(*f));
	while (engine_inflight(world.engine, f))
		ck_assert_uint_lt(n++, 1000);
}

START_TEST(nothing_is_in_flight)
{
	collect();
	ck_assert_uint_eq(f->n, 0);
	ck_assert_uint_eq(f->n_all, 0);
}
END_TEST

START_TEST(what_is_told_of_a_question)
{
	uint64_t came_ns = world.now_ns;

	ask(7, 0);
	collect();
	ck_assert_uint_eq(f->n, 1);
	ck_assert_uint_eq(f->n_all, 1);
	ck_assert_uint_eq(f->q[0].came_ns, came_ns);
	ck_assert_uint_eq(f->q[0].client.addr[7], 7);
	ck_assert_uint_eq(f->q[0].qtype, DNS_TYPE_A);
	ck_assert_int_eq(memcmp(f->q[0].qname, "\2n0\7example", 11), 0);
	ck_assert_uint_eq(f->q[0].n_sends, 1);
	ck_assert_uint_eq(f->q[0].n_tried, 1);
	ck_assert_int_eq(f->q[0].tried[0].reply, INFLIGHT_WAITING);
	/* Later the first one was silent, and the other one is waited for. */
	world_pass(&world, 1100 * NS_PER_MS);
	collect();
	ck_assert_uint_eq(f->n, 1);
	ck_assert_uint_ge(f->q[0].n_sends, 2);
	ck_assert_uint_eq(f->q[0].n_tried, 2);
	ck_assert_int_ne(f->q[0].tried[0].reply, f->q[0].tried[1].reply);
	ck_assert_str_eq(inflight_reply_text(INFLIGHT_SILENT), "silent");
}
END_TEST

/* How many of the upstreams of the first question are listed with REPLY. */
static unsigned
count(enum inflight_reply reply)
{
	unsigned n = 0;

	for (unsigned i = 0; i < f->q[0].n_tried; i++)
		n += f->q[0].tried[i].reply == reply;
	return n;
}

/* A is asked of one upstream, and the other one, to which the late AAAA went, is listed, too. */
START_TEST(watched_ones_are_listed)
{
	ask_for(7, 0, DNS_TYPE_AAAA);
	world_pass(&world, (QUERY_AAAA_MS + 100) * NS_PER_MS);
	collect();
	ck_assert_uint_eq(f->n, 1);
	ck_assert_int_eq(f->q[0].state, QUERY_A);
	ck_assert_uint_eq(f->q[0].n_sends, 1);
	ck_assert_uint_eq(f->q[0].n_tried, 2);
	ck_assert_uint_eq(f->q[0].n_more, 0);
}
END_TEST

/* An upstream that both went to is listed once, by what came of A. */
START_TEST(the_present_one_counts)
{
	refuses_aaaa = 0;
	ask_for(7, 0, DNS_TYPE_AAAA);
	collect();
	ck_assert_uint_eq(count(INFLIGHT_ERROR), 1);
	world_pass(&world, (QUERY_AAAA_MS + 100) * NS_PER_MS);
	collect();
	ck_assert_int_eq(f->q[0].state, QUERY_A);
	ck_assert_uint_eq(f->q[0].n_sends, 2);
	ck_assert_uint_eq(f->q[0].n_tried, 2);
	ck_assert_uint_eq(count(INFLIGHT_ERROR), 0);
}
END_TEST

/* There is not room for all; those that are left out are counted, and none is waited for. */
START_TEST(more_than_there_is_room_for)
{
	world_stop(&world);
	begin(12);
	ask(7, 0);
	world_pass(&world, 3000 * NS_PER_MS);
	collect();
	ck_assert_uint_eq(f->q[0].n_tried, INFLIGHT_TRIED);
	ck_assert_uint_eq(f->q[0].n_more, 0);
	world_pass(&world, 1000 * NS_PER_MS);
	collect();
	ck_assert_uint_eq(f->q[0].n_tried, INFLIGHT_TRIED);
	ck_assert_uint_eq(f->q[0].n_more, 3);
	ck_assert_int_eq(f->q[0].tried[0].reply, INFLIGHT_WAITING);
	ck_assert_uint_eq(f->q[0].tried[0].upstream.addr[3], INFLIGHT_TRIED + 3);
}
END_TEST

/* Of many, by some networks, it is the oldest that are told, each once. */
START_TEST(the_oldest_are_told)
{
	uint64_t began_ns = world.now_ns;
	bool seen[ASKED] = { false };

	for (unsigned i = 0; i < ASKED; i++) {
		ask(i % 7, i);
		world_pass(&world, NS_PER_MS);
	}
	collect();
	ck_assert_uint_eq(f->n, INFLIGHT_MOST);
	ck_assert_uint_eq(f->n_all, ASKED);
	for (unsigned i = 0; i < f->n; i++) {
		unsigned at = (unsigned)((f->q[i].came_ns - began_ns) / NS_PER_MS);

		ck_assert_uint_lt(at, INFLIGHT_MOST);
		ck_assert(!seen[at]);
		seen[at] = true;
	}
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, nothing_is_in_flight);
	tcase_add_test(tc, what_is_told_of_a_question);
	tcase_add_test(tc, watched_ones_are_listed);
	tcase_add_test(tc, the_present_one_counts);
	tcase_add_test(tc, more_than_there_is_room_for);
	tcase_add_test(tc, the_oldest_are_told);
}
