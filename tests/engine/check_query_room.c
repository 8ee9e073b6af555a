/* SPDX-License-Identifier: BSD-2-Clause */
/* RULES D26: when room runs low the network that has most waiting gives way, and nobody else. */
#include "engine/query.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "engine/engine_parts.h"
#include "scenario/world.h"
#include "support/heard.h"
#include "support/tests.h"

#define CAP 1024 /* reserve 256 */
#define FLOOD 10000
#define OTHERS 200

static struct world world;
static unsigned n_asked;
static unsigned n_failed[2]; /* SERVFAIL to those whose sock is 0, 1 */
static unsigned n_done[2];   /* answers to them */
static unsigned n_tc;
static unsigned n_told;       /* answers that say that no upstream may have more questions */
static unsigned first_failed; /* number of the first question that failed */
static bool replies;          /* upstream replies NXDOMAIN to all, else to none */

static void
on_client(struct world *w, const struct packet_out *send, const uint8_t *msg)
{
	static const char told[] = "no upstream may have more";

	(void)w;
	ck_assert_uint_lt(send->to.sock, 2);
	n_done[send->to.sock]++;
	if ((msg[3] & DNS_RCODE) == DNS_SERVFAIL) {
		unsigned id = (unsigned)msg[0] << 8 | msg[1];

		n_failed[send->to.sock]++;
		first_failed = id < first_failed ? id : first_failed;
	}
	n_tc += (msg[2] & DNS_TC >> 8) != 0;
	n_told += memmem(msg, send->len, told, sizeof(told) - 1) != NULL;
}

static size_t
on_upstream(struct world *w, const struct msg *m, const struct packet_out *send, uint8_t *out)
{
	(void)w;
	(void)send;
	if (!replies)
		return 0;
	memcpy(out, m->bytes, m->len);
	out[2] |= DNS_QR >> 8;
	out[3] = DNS_NXDOMAIN;
	return m->len;
}

/* A world with room for so many questions. */
static void
begin(unsigned n_upstreams, unsigned room)
{
	world_init(&world, n_upstreams, room);
	world.client = on_client;
	world.upstream = on_upstream;
	world.conf.timeout_ms = 5000;
}

static void
setup(void)
{
	begin(1, CAP);
	n_asked = 0;
	n_tc = 0;
	n_told = 0;
	first_failed = UINT32_MAX;
	memset(n_failed, 0, sizeof(n_failed));
	memset(n_done, 0, sizeof(n_done));
	replies = false;
}

static void
teardown(void)
{
	world_pass(&world, 6 * NS_PER_SEC);
	ck_assert_uint_eq(n_done[0] + n_done[1], n_asked);
	ck_assert_uint_eq(engine_in_flight(world.engine), 0);
	ck_assert_uint_eq(world_stat(&world, "client_dropped"), 0);
	world_stop(&world);
}

/* NAME A is asked by host 1 of the /56 with the number NET; the answer goes to SOCK. */
static void
ask(unsigned net, uint32_t sock, const char *name, bool tcp)
{
	struct packet_in in = { .from.side = PACKET_CLIENT,
		.from.transport = tcp ? TRANSPORT_TCP : TRANSPORT_UDP,
		.from.sock = sock };
	uint8_t msg[512];

	ck_assert(netaddr_parse("2001:db8::1", 1024, &in.from.peer));
	in.from.peer.addr[4] = (uint8_t)(net >> 16);
	in.from.peer.addr[5] = (uint8_t)(net >> 8);
	in.from.peer.addr[6] = (uint8_t)net;
	in.msg = msg;
	in.len = parts_question(msg, (uint16_t)n_asked, name, DNS_TYPE_A);
	n_asked++;
	world_input(&world, &in);
}

/* A name that nobody asked for. */
static void
ask_new(unsigned net, uint32_t sock)
{
	char name[32];

	snprintf(name, sizeof(name), "n%u.example", n_asked);
	ask(net, sock, name, false);
}

/* One network asks ten times what there is room for; others a little. */
static void
flood(void)
{
	unsigned n_others = 0;

	for (unsigned i = 0; i < FLOOD; i++) {
		ask_new(0, 0);
		if (i % (FLOOD / OTHERS) == 0)
			ask_new(1 + n_others++, 1);
	}
	ck_assert_uint_eq(n_others, OTHERS);
	ck_assert_uint_le(engine_in_flight(world.engine), CAP);
	ck_assert_uint_eq(n_done[1], 0); /* none of them has given way */
}

START_TEST(d26_a_flood_pushes_out_nobody_else)
{
	world.conf.max_waiting_per_client = 0;
	world_start(&world, 1);
	flood();
	ck_assert_uint_eq(world_stat(&world, "queries_evicted"), n_done[0]);
	ck_assert_uint_eq(world_stat(&world, "client_ceiling"), 0);
}
END_TEST

/* With the ceiling a flood does not even come near. */
START_TEST(d26_a_flood_stays_under_its_ceiling)
{
	world.conf.max_waiting_per_client = 100;
	world_start(&world, 1);
	flood();
	ck_assert_uint_eq(world_stat(&world, "queries_evicted"), 0);
	ck_assert_uint_eq(world_stat(&world, "client_ceiling"), n_done[0]);
	ck_assert_uint_le(engine_in_flight(world.engine), CAP / 2 + 1 + OTHERS);
}
END_TEST

/*
 * A flood from as many networks as there are questions. What can be served is: nobody gives way
 * whose reply may be about to come. A new network gets in when others have waited long.
 */
START_TEST(d26_new_networks_get_in)
{
	world_start(&world, 1);
	for (unsigned i = 0; i < FLOOD; i++)
		ask_new(i, 0);
	ck_assert_uint_eq(world_stat(&world, "queries_evicted"), n_done[0]);
	ck_assert_uint_eq(first_failed, engine_in_flight(world.engine));
	world_pass(&world, 1100 * NS_PER_MS);
	for (unsigned i = 0; i < 100; i++)
		ask_new(FLOOD + i, 1);
	ck_assert_uint_eq(n_done[1], 0);
	ck_assert_uint_eq(n_failed[0], FLOOD - engine_in_flight(world.engine) + 100);
	replies = true;
	for (unsigned i = 0; i < 100; i++)
		ask_new(FLOOD + 100 + i, 1);
	replies = false;
	ck_assert_uint_eq(n_done[1], 100);
	ck_assert_uint_eq(n_failed[1], 0);
}
END_TEST

/* The operator is told once that room ran out, and because of whom, and once that it is over. */
START_TEST(d26_the_log_says_who_fills_the_room)
{
	char text[64];

	world.conf.max_waiting_per_client = 0;
	world_start(&world, 1);
	heard_start(LOG_LEVEL_NOTICE);
	flood();
	ck_assert_uint_eq(heard("questions wait for upstreams: "), 1);
	ck_assert_uint_eq(heard("of them from 2001:db8::1/128; some give way (see max-queries"), 1);
	world_pass(&world, 9 * NS_PER_SEC);
	ask_new(1, 1);
	ck_assert_uint_eq(heard("there is room again"), 0);
	world_pass(&world, 6 * NS_PER_SEC);
	ask_new(1, 1);
	ask_new(1, 1);
	snprintf(text, sizeof(text), "there is room again for questions that wait; %u gave way",
	    (unsigned)world_stat(&world, "queries_evicted"));
	ck_assert_uint_eq(heard(text), 1);
	for (unsigned i = 0; i < CAP; i++)
		ask_new(0, 0);
	ck_assert_uint_eq(heard("questions wait for upstreams: "), 2);
	heard_end();
}
END_TEST

/* Meanwhile what needs no upstream is answered, every time. */
START_TEST(d26_local_answers_go_on)
{
	world_start(&world, 1);
	for (unsigned i = 0; i < FLOOD; i++) {
		if (_i < 2)
			ask_new(_i == 0 ? 0 : i, 0);
		else /* one lookup for all */
			ask(i, 0, "same.example", false);
		ask(1, 1, "ipv4only.arpa", i % 2);
		ck_assert_uint_eq(n_done[1], i + 1);
	}
	ck_assert_uint_eq(n_failed[1], 0);
}
END_TEST

/* Two lookups for each query, its own late AAAA and A, are room that runs out too. */
START_TEST(d26_room_for_lookups_counts_too)
{
	uint8_t msg[512];

	world.conf.max_waiting_per_client = 0;
	world_start(&world, 1);
	for (unsigned i = 0; i < FLOOD; i++) {
		struct packet_in in = {
			.from.side = PACKET_CLIENT, .from.transport = TRANSPORT_UDP, .msg = msg
		};
		char name[32];

		snprintf(name, sizeof(name), "n%u.example", i);
		in.len = parts_question(msg, (uint16_t)i, name, DNS_TYPE_AAAA);
		n_asked++;
		world_input(&world, &in);
		if (i % 256 == 255)
			world_pass(&world, 2100 * NS_PER_MS); /* AAAA is late */
	}
	/* Only those who gave way were told that there is no room. */
	ck_assert_uint_eq(world_stat(&world, "no_room"), world_stat(&world, "queries_evicted"));
}
END_TEST

/* Who came at once weighs at once: what is a little overdue does not give way to a burst. */
START_TEST(d26_a_burst_weighs_at_once)
{
	world.conf.max_waiting_per_client = 0;
	world_start(&world, 1);
	ask_new(1, 1);
	world_pass(&world, 450 * NS_PER_MS); /* longer than it is waited for */
	for (unsigned i = 0; i < 2 * CAP; i++)
		ask_new(0, 0);
	ck_assert_uint_gt(n_failed[0], 0);
	ck_assert_uint_eq(n_done[1], 0);
}
END_TEST

/* A of names that begin with v do not exist; there is no other reply. */
static size_t
on_a_only(struct world *w, const struct msg *m, const struct packet_out *send, uint8_t *out)
{
	size_t len;

	if (m->qtype != DNS_TYPE_A || (msg_qname(m)[1] | 0x20) != 'v')
		return 0;
	replies = true;
	len = on_upstream(w, m, send, out);
	replies = false;
	return len;
}

/* RULES D5, D26: where lookups are used up, who goes on to A finds one, of who takes most room. */
START_TEST(d26_late_aaaa_finds_room_for_a)
{
	struct packet_in in = { .from.side = PACKET_CLIENT, .from.transport = TRANSPORT_UDP };
	uint8_t msg[512];
	char name[32];

	world.conf.max_waiting_per_client = 0;
	world.upstream = on_a_only;
	world_start(&world, 1);
	for (unsigned i = 0; i < CAP; i++) {
		ck_assert(
		    netaddr_parse(i < CAP - 1 ? "2001:db8::1" : "192.0.2.1", 1, &in.from.peer));
		in.from.sock = i == CAP - 1;
		in.msg = msg;
		if (in.from.sock == 1)
			world_pass(&world, 500 * NS_PER_MS);
		snprintf(name, sizeof(name), "%c%u.example", in.from.sock == 1 ? 'v' : 'n', i);
		in.len = parts_question(msg, (uint16_t)i, name, DNS_TYPE_AAAA);
		n_asked++;
		world_input(&world, &in);
	}
	world_pass(&world, 1600 * NS_PER_MS);
	ck_assert_uint_eq(pool_room(&world.engine->lookups.pool), 0);
	world_pass(&world, 500 * NS_PER_MS);
	ck_assert_uint_eq(n_done[1], 1);
	ck_assert_uint_eq(n_failed[1], 0);
}
END_TEST

/* CVE-2024-33655 (DNSBomb): what one reply sets off at a forged address is bounded. */
START_TEST(d26_no_burst_at_one_address)
{

	world_start(&world, 1);
	for (unsigned i = 0; i < 2000; i++)
		ask(0, 0, "burst.example", false);
	ck_assert_uint_eq(n_tc, 2000 - 16);
	ck_assert_uint_eq(world_stat(&world, "same_question"), 2000 - 16);
	ck_assert_uint_eq(engine_in_flight(world.engine), 16);
}
END_TEST

/*
 * As many wait for one reply as may, 4096: one network, whose address is proven, gets half of that,
 * so that others who ask the same are answered.
 */
START_TEST(d26_one_network_does_not_get_one_reply_alone)
{
	struct stats_reason reasons[REASON_N];

	world.conf.max_queries = 4 * LOOKUP_MAX_WAITERS;
	world_start(&world, 1);
	for (unsigned i = 0; i < LOOKUP_MAX_WAITERS; i++)
		ask(0, 0, "same.example", true);
	ck_assert_uint_eq(n_failed[0], LOOKUP_MAX_WAITERS / 2);
	ck_assert_uint_eq(world_stat(&world, "same_question"), LOOKUP_MAX_WAITERS / 2);
	stats_sum_reasons((const struct stats *const[1]){ engine_stats(world.engine) }, 1, reasons);
	ck_assert_uint_eq(
	    reasons[REASON_CEILING_SAME].at_once + reasons[REASON_CEILING_SAME].waited,
	    LOOKUP_MAX_WAITERS / 2);
	for (unsigned i = 0; i < 1000; i++)
		ask(1 + i, 1, "same.example", i % 2);
	ck_assert_uint_eq(n_done[1], 0);
	/* Of each network so many as over UDP. */
	for (unsigned i = 0; i < 20; i++)
		ask(5000, 1, "same.example", true);
	ck_assert_uint_eq(n_done[1], 4);
	ck_assert_uint_eq(n_tc, 0);
}
END_TEST

/* The only upstream has as many questions as it may: who asks more is told that, at once. */
START_TEST(d26_no_upstream_may_have_more)
{
	world.conf.max_waiting_per_upstream = 4;
	world_start(&world, 1);
	for (unsigned i = 0; i < 4; i++)
		ask_new(i, 0);
	ask_new(5, 1);
	world_pass(&world, 8 * NS_PER_MS);
	ck_assert_uint_eq(n_failed[1], 1);
	ck_assert_uint_eq(n_told, 1);
	ck_assert_uint_eq(n_done[0], 0);
	ck_assert_uint_eq(world_stat(&world, "upstream_ceiling"), 1);
}
END_TEST

/* --- dead names from many networks -------------------------------------------------------------
 */

#define LATER 4096 /* replies on their way, at most */
#define WARM_MS 500
#define SCENE_MS 1300

static struct {
	uint64_t due_ns[LATER];
	struct world_reply reply[LATER];
	unsigned first, n;
	uint64_t wait_ns;
} later;

/* Names that begin with v are replied to, later; those of probes at once; others never. */
static size_t
on_scene(struct world *w, const struct msg *m, const struct packet_out *send, uint8_t *out)
{
	const uint8_t *qname = msg_qname(m);
	struct world_reply *r = &later.reply[(later.first + later.n) % LATER];
	bool due = qname[0] > 0 && (qname[1] | 0x20) == 'v';

	if (!due && qname[0] > 0)
		return 0;
	replies = true;
	if (!due)
		return on_upstream(w, m, send, out);
	ck_assert_uint_lt(later.n, LATER);
	r->in = (struct packet_in){ .msg = r->bytes, .from = send->to };
	r->in.len = on_upstream(w, m, send, r->bytes);
	later.due_ns[(later.first + later.n++) % LATER] = w->now_ns + later.wait_ns;
	return 0;
}

static void
hand_in(void)
{
	while (later.n > 0 && later.due_ns[later.first] <= world.now_ns) {
		struct world_reply *r = &later.reply[later.first];

		later.first = (later.first + 1) % LATER;
		later.n--;
		world_input(&world, &r->in);
	}
}

/* A question of PEER, for dead names (SOCK 0) or others (1). */
static void
ask_as(const struct netaddr *peer, uint32_t sock)
{
	struct packet_in in = { .from.side = PACKET_CLIENT,
		.from.transport = TRANSPORT_UDP,
		.from.sock = sock,
		.from.peer = *peer };
	uint8_t msg[512];
	char name[32];

	snprintf(name, sizeof(name), "%c%u.example", sock == 1 ? 'v' : 'd', n_asked);
	in.msg = msg;
	in.len = parts_question(msg, (uint16_t)n_asked, name, DNS_TYPE_A);
	n_asked++;
	world_input(&world, &in);
}

/*
 * 1,000 networks ask for dead names, RATE a ms, with room for 1,024 questions: at 3,000 a second
 * the room is full in a quarter of a second. The new names of others are answered all the same
 * (Unbound 97 %, BIND 100 %), whatever the networks are, though their replies take WAIT_MS.
 */
static const struct {
	const char
	    *dead; /* the first address of the flood; the next network is the next of byte AT */
	unsigned at;
	unsigned rate, wait_ms, others;
	unsigned at_once; /* each of the others asks for so many names at once */
} scenes[] = {
	{ "10.0.0.1", 2, 3, 30, 100, 1 },
	{ "10.0.0.1", 2, 3, 30, 5, 10 },
	{ "10.0.0.1", 2, 3, 150, 100, 1 },
	{ "10.0.0.1", 3, 3, 30, 100, 1 },       /* 4 /24 */
	{ "2001:db8:9::1", 6, 3, 30, 100, 1 },  /* 1,000 /56 */
	{ "2001:db8:9::1", 7, 3, 30, 100, 3 },  /* 4 /56 */
	{ "2001:db8:9::1", 15, 3, 30, 100, 1 }, /* one /64 */
	{ "10.0.0.1", 2, 10, 30, 100, 1 },
};

START_TEST(d26_dead_names_leave_room_for_new_ones)
{
	struct netaddr dead, other;
	unsigned n_dead = 0, n_others = 0, before = 0;

	later.first = later.n = 0;
	later.wait_ns = scenes[_i].wait_ms * NS_PER_MS;
	world.upstream = on_scene;
	world_start(&world, 1);
	ck_assert(netaddr_parse(scenes[_i].dead, 1024, &dead));
	for (unsigned ms = 0; ms < SCENE_MS; ms++) {
		for (unsigned i = 0; i < scenes[_i].rate; i++, n_dead++) {
			dead.addr[scenes[_i].at] = (uint8_t)(n_dead % 250);
			dead.addr[scenes[_i].at - 1] = (uint8_t)(n_dead / 250 % 4);
			ask_as(&dead, 0);
		}
		if (ms == WARM_MS) {
			before = n_failed[1];
			n_others = 0;
		}
		if (ms % (10 * scenes[_i].at_once) == 0) {
			ck_assert(netaddr_parse("192.0.2.1", 1024, &other));
			other.addr[1] = (uint8_t)(ms / 10 % scenes[_i].others);
			for (unsigned i = 0; i < scenes[_i].at_once; i++, n_others++)
				ask_as(&other, 1);
		}
		world_pass(&world, NS_PER_MS);
		hand_in();
	}
	ck_assert_uint_ge(n_others, 80);
	ck_assert_msg(
	    n_failed[1] - before <= n_others / 20, "%u of %u", n_failed[1] - before, n_others);
	for (unsigned ms = 0; ms < 5000; ms++) {
		world_pass(&world, NS_PER_MS);
		hand_in();
	}
}
END_TEST

/*
 * Names that are all replied to, after 100 ms, from 1,000 networks that ask three times as much as
 * there is room for: what can be served is, as nobody gives way just before its reply comes.
 */
START_TEST(d26_overload_serves_what_it_can)
{
	const unsigned wait_ms = 100, span_ms = 3 * wait_ms, room = CAP - CAP / 4;
	struct netaddr peer;
	unsigned n = 0, before = 0;

	later.first = later.n = 0;
	later.wait_ns = wait_ms * NS_PER_MS;
	world.upstream = on_scene;
	world_start(&world, 1);
	ck_assert(netaddr_parse("10.0.0.1", 1024, &peer));
	for (unsigned ms = 0; ms < span_ms + wait_ms; ms++) {
		if (ms == wait_ms)
			before = n_done[1] - n_failed[1];
		for (unsigned i = 0; i < 3 * room / wait_ms; i++, n++) {
			peer.addr[2] = (uint8_t)(n % 250);
			peer.addr[1] = (uint8_t)(n / 250 % 4);
			ask_as(&peer, 1);
		}
		world_pass(&world, NS_PER_MS);
		hand_in();
	}
	ck_assert_uint_ge(n_done[1] - n_failed[1] - before, 3 * room * 9 / 10);
	for (unsigned ms = 0; ms < 5000; ms++) {
		world_pass(&world, NS_PER_MS);
		hand_in();
	}
}
END_TEST

/*
 * D30: 200 hosts of one /64 ask for the same within 80 ms: all wait and are answered, by the one
 * reply. Of 300, 16 times max-same-question wait.
 */
START_TEST(d30_hosts_of_one_lan_ask_for_the_same)
{
	struct netaddr host;
	uint8_t msg[512];
	unsigned n_hosts = _i == 0 ? 200 : 300;

	world_start(&world, 1);
	ck_assert(netaddr_parse("2001:db8:7::1", 1024, &host));
	for (unsigned i = 0; i < n_hosts; i++) {
		struct packet_in in = { .from.side = PACKET_CLIENT,
			.from.transport = TRANSPORT_UDP,
			.from.peer = host,
			.msg = msg };

		in.from.peer.addr[14] = (uint8_t)(i >> 8);
		in.from.peer.addr[15] = (uint8_t)i;
		in.len = parts_question(msg, (uint16_t)i, "cold.example", DNS_TYPE_A);
		n_asked++;
		world_input(&world, &in);
	}
	ck_assert_uint_eq(n_tc, _i == 0 ? 0 : 300 - 256);
	ck_assert_uint_eq(engine_in_flight(world.engine), n_hosts - n_tc);
}
END_TEST

/* From now on the engine has no socket to upstream U. */
static void
starve(unsigned u)
{
	struct upstream *up = &world.engine->upstreams.table[u];

	for (unsigned space = 0; space < TXID_MAX_SPACES; space++) {
		if (up->socket[space] >= 0)
			engine_socket_retire(world.engine, (unsigned)up->socket[space]);
	}
	engine_socket_none(world.engine, u);
}

/*
 * One of two upstreams has three quarters of the room for as long as the other can be asked. When
 * it cannot, a flood does not keep others out: its questions give way.
 */
START_TEST(d26_the_only_one_left_has_all_the_room)
{
	const unsigned most = 4 * CAP, share = most - most / 4;

	policies_unref(world.conf.policies);
	begin(2, most);
	world.conf.max_waiting_per_client = 0;
	world_start(&world, 1);
	starve(1);
	for (unsigned i = 0; i < share; i++)
		ask_new(0, 0);
	for (unsigned i = 0; i < CAP; i++)
		ask_new(1 + i, 1);
	world_pass(&world, 8 * NS_PER_MS);
	ck_assert_uint_eq(n_failed[1], 0);
	ck_assert_uint_eq(world_stat(&world, "upstream_ceiling"), 0);
	ck_assert_uint_eq(n_failed[0], world_stat(&world, "queries_evicted"));
	ck_assert_uint_gt(n_failed[0], 0);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, d26_a_flood_pushes_out_nobody_else);
	tcase_add_test(tc, d26_a_flood_stays_under_its_ceiling);
	tcase_add_test(tc, d26_new_networks_get_in);
	tcase_add_test(tc, d26_the_log_says_who_fills_the_room);
	tcase_add_loop_test(tc, d26_local_answers_go_on, 0, 3);
	tcase_add_test(tc, d26_room_for_lookups_counts_too);
	tcase_add_test(tc, d26_a_burst_weighs_at_once);
	tcase_add_test(tc, d26_late_aaaa_finds_room_for_a);
	tcase_add_test(tc, d26_no_burst_at_one_address);
	tcase_add_test(tc, d26_no_upstream_may_have_more);
	tcase_add_test(tc, d26_the_only_one_left_has_all_the_room);
	tcase_add_test(tc, d26_one_network_does_not_get_one_reply_alone);
	tcase_add_loop_test(
	    tc, d26_dead_names_leave_room_for_new_ones, 0, sizeof(scenes) / sizeof(scenes[0]));
	tcase_add_test(tc, d26_overload_serves_what_it_can);
	tcase_add_loop_test(tc, d30_hosts_of_one_lan_ask_for_the_same, 0, 2);
}
