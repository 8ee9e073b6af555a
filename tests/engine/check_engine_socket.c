/* SPDX-License-Identifier: BSD-2-Clause */
/* What the shell learns of upstreams and tells of sockets. */

#include "engine/engine.h"

#include "scenario/parts.h"
#include "support/configured.h"
#include "support/tests.h"

static struct conf_core conf;
static struct engine *e;

static void
setup(void)
{
	const uint64_t seed = 3;

	parts_conf(&conf, 2, 100);
	conf.policies = configured_policies("dns64-prefix 2001:db8:64::/96");
	e = engine_new(&conf, &seed, PARTS_START_NS);
	ck_assert_ptr_nonnull(e);
}

static void
teardown(void)
{
	engine_free(e);
	policies_unref(conf.policies);
}

/* Numbers stand for addresses, as configured. */
START_TEST(numbers_stand_for_upstreams_as_configured)
{
	for (unsigned u = 0; u < 2; u++) {
		ck_assert(netaddr_equal(&engine_upstream(e, u)->addr, &conf.upstreams[u].addr));
		ck_assert(engine_upstream_active(e, u));
		ck_assert_uint_eq(engine_tcp_open(e, u), 0);
	}
	ck_assert_ptr_null(engine_upstream(e, 2));
	ck_assert(!engine_upstream_active(e, 2));
	ck_assert_uint_eq(engine_spaces(e), 1);
}
END_TEST

/* An upstream that is configured no more keeps its number while a socket leads there. */
START_TEST(number_waits_for_its_socket)
{
	int slot = engine_socket_add(e, 1, 0);

	ck_assert_int_ge(slot, 0);
	engine_socket_use(e, (unsigned)slot);
	ck_assert(!engine_socket_busy(e, (unsigned)slot));
	conf.n_upstreams = 1;
	engine_set_conf(e, &conf, PARTS_START_NS);
	ck_assert(!engine_upstream_active(e, 1));
	ck_assert_ptr_nonnull(engine_upstream(e, 1));
	engine_socket_retire(e, (unsigned)slot);
	engine_socket_del(e, (unsigned)slot);
	ck_assert_ptr_null(engine_upstream(e, 1));
}
END_TEST

/* A question that was not taken is none that the engine knows: nothing happens. */
START_TEST(unknown_question_that_is_full_changes_nothing)
{
	for (unsigned id = 0; id < 65536; id += 257)
		engine_tcp_full(e, 0, (uint16_t)id, PARTS_START_NS);
	ck_assert_uint_eq(atomic_load(&engine_stats(e)->tcp_upstream_full), 0);
}
END_TEST

/* RULES D26: without a socket for want of room the question ends at once, and not any more with
 * one. */
START_TEST(d26_without_socket_the_question_ends)
{
	static uint8_t udp[PACKET_UDP_CAP], tcp[PACKET_TCP_CAP];
	struct packet_in in = { .from.side = PACKET_CLIENT,
		.from.transport = TRANSPORT_UDP,
		.from.peer = conf.upstreams[0].addr };
	struct packet_out send;
	uint8_t msg[512];
	int slot;

	conf.n_upstreams = 1;
	engine_set_conf(e, &conf, PARTS_START_NS);
	engine_socket_none(e, 0);
	in.msg = msg;
	in.len = parts_question(msg, 1, "a.example", DNS_TYPE_MX);
	ck_assert(engine_input(e, &in, PARTS_START_NS) == ENGINE_TAKEN);
	ck_assert(!engine_next(e, udp, tcp, &send));
	(void)engine_tick(e, PARTS_START_NS + WHEEL_TICK_NS);
	ck_assert(engine_next(e, udp, tcp, &send));
	ck_assert(packet_is(&send.to, PACKET_CLIENT, TRANSPORT_UDP));
	ck_assert_uint_eq(udp[3] & 0xf, DNS_SERVFAIL);
	ck_assert_uint_eq(atomic_load(&engine_stats(e)->sockets_exhausted), 1);
	slot = engine_socket_add(e, 0, 0);
	ck_assert_int_ge(slot, 0);
	engine_socket_use(e, (unsigned)slot);
	ck_assert(engine_input(e, &in, PARTS_START_NS + WHEEL_TICK_NS) == ENGINE_TAKEN);
	ck_assert(engine_next(e, udp, tcp, &send));
	ck_assert(packet_is(&send.to, PACKET_UPSTREAM, TRANSPORT_UDP));
	ck_assert_uint_eq(atomic_load(&engine_stats(e)->sockets_exhausted), 1);
}
END_TEST

/* What is open on a socket that was closed gets no reply by its slot, and is asked again in time.
 */
START_TEST(question_outlives_its_socket)
{
	static uint8_t udp[PACKET_UDP_CAP], tcp[PACKET_TCP_CAP];
	struct packet_in in = { .from.side = PACKET_CLIENT,
		.from.transport = TRANSPORT_UDP,
		.from.peer = conf.upstreams[0].addr };
	struct packet_out send;
	uint8_t msg[512];
	int first = engine_socket_add(e, 0, 0), second = engine_socket_add(e, 0, 0);
	uint64_t now_ns = PARTS_START_NS;

	conf.n_upstreams = 1;
	engine_set_conf(e, &conf, now_ns);
	engine_socket_use(e, (unsigned)first);
	in.msg = msg;
	in.len = parts_question(msg, 1, "a.example", DNS_TYPE_MX);
	ck_assert(engine_input(e, &in, now_ns) == ENGINE_TAKEN);
	ck_assert(engine_next(e, udp, tcp, &send));
	ck_assert_int_eq((int)send.to.sock, first);
	ck_assert(engine_socket_busy(e, (unsigned)first));
	engine_socket_use(e, (unsigned)second);
	engine_socket_del(e, (unsigned)first);
	udp[2] |= DNS_QR >> 8;
	in = (struct packet_in){ .msg = udp,
		.len = send.len,
		.from.side = PACKET_UPSTREAM,
		.from.transport = TRANSPORT_UDP,
		.from.sock = (uint32_t)first };
	ck_assert(engine_input(e, &in, now_ns) == ENGINE_TAKEN);
	ck_assert_uint_eq(atomic_load(&engine_stats(e)->upstream_unknown_id), 1);
	while (!engine_next(e, udp, tcp, &send)) {
		now_ns += WHEEL_TICK_NS;
		ck_assert(engine_busy(e));
		(void)engine_tick(e, now_ns);
	}
	ck_assert_int_eq((int)send.to.sock, second);
	udp[2] |= DNS_QR >> 8;
	in.len = send.len;
	in.from.sock = (uint32_t)second;
	ck_assert(engine_input(e, &in, now_ns) == ENGINE_TAKEN);
	ck_assert(engine_next(e, udp, tcp, &send));
	ck_assert(packet_is(&send.to, PACKET_CLIENT, TRANSPORT_UDP));
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, numbers_stand_for_upstreams_as_configured);
	tcase_add_test(tc, number_waits_for_its_socket);
	tcase_add_test(tc, unknown_question_that_is_full_changes_nothing);
	tcase_add_test(tc, d26_without_socket_the_question_ends);
	tcase_add_test(tc, question_outlives_its_socket);
}
