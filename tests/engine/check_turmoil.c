/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check_turmoil: everything at once, drawn at random, and nobody is forgotten (D5, D22, D26).
 *
 * Clients ask for a few names in every way; upstreams say every kind of thing to them, late, twice
 * or never; time passes, connections end, sockets are missing, the cache is flushed, settings
 * change. The engine asserts all the while that each query is ready or waits for something
 * (engine/audit). Here: each question is answered once, by the end of its 4.5 s, with what parses
 * and is about it, and each address belongs to the name that owns it. At the end nothing is left in
 * any pool. What a run draws is told by its seed, which is the number of the test.
 */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "cache/cache.h"
#include "dns/build.h"
#include "dns/name.h"
#include "dns/wire.h"
#include "engine/engine.h"
#include "engine/engine_parts.h"
#include "scenario/parts.h"
#include "support/configured.h"
#include "support/tests.h"

#define RUNS 20
#define STEPS 4000
#define UPSTREAMS 3
#define ROOM 64 /* questions at a time, so that there is sometimes none */
#define CLIENTS 65536
#define OPEN_MAX 256
#define PATIENCE_NS (4500 * NS_PER_MS + 3 * WHEEL_TICK_NS)

/* A question that upstream was asked. */
struct open {
	struct packet_out send;
	uint8_t bytes[512];
};

static struct turmoil {
	struct rng rng;
	struct conf_core conf[2]; /* that in force, and the one before */
	unsigned turn;
	struct engine *e;
	uint64_t now_ns;
	uint64_t asked_ns[CLIENTS]; /* 0: answered */
	uint8_t question[CLIENTS][64];
	size_t question_len[CLIENTS];
	unsigned n_asked, n_waiting;
	struct open open[OPEN_MAX];
	unsigned n_open;
	int slot[UPSTREAMS];
	unsigned tc, no_tcp,
	    full; /* percent: replies cut, connections lost, questions refused a place */
	uint8_t udp[PACKET_UDP_CAP];
	uint8_t tcp[PACKET_TCP_CAP];
	uint8_t reply[4096];
} t;

static bool
chance(unsigned percent)
{
	return rng_below(&t.rng, 100) < percent;
}

/* The last octet of a name's addresses, so that nobody gets those of another name. */
static uint8_t
tag_of(const uint8_t *name)
{
	uint8_t lower[DNS_NAME_MAX];
	size_t len = name_len(name);
	uint32_t h = 5381;

	name_lower(lower, name, len);
	for (size_t i = 0; i < len; i++)
		h = h * 33 + lower[i];
	return (uint8_t)(h ^ h >> 8 ^ h >> 16);
}

/* --- what comes out --------------------------------------------------------------------------- */

static void
check_addresses(const struct msg *m)
{
	for (enum msg_section s = MSG_ANSWER; s < MSG_SECTIONS; s++) {
		struct msg_walk w = msg_walk(m, s);
		struct rr rr;

		while (msg_walk_next(&w, &rr)) {
			uint8_t owner[DNS_NAME_MAX];

			if (rr.type != DNS_TYPE_A && rr.type != DNS_TYPE_AAAA)
				continue;
			PARTS_CHECK(msg_owner(m, &rr, owner) > 0);
			PARTS_CHECK(m->bytes[rr.end - 1] == tag_of(owner));
		}
	}
}

static void
on_answer(const struct packet_out *send, const uint8_t *bytes)
{
	uint32_t i = send->to.sock;
	struct msg m;

	PARTS_CHECK(i < t.n_asked && t.asked_ns[i] != 0);
	PARTS_CHECK(t.now_ns - t.asked_ns[i] <= PATIENCE_NS);
	PARTS_CHECK(msg_parse(&m, bytes, send->len) == MSG_OK);
	PARTS_CHECK(m.id == (uint16_t)i && (m.flags & DNS_QR) != 0);
	PARTS_CHECK(memcmp(bytes + DNS_HEADER_LEN, t.question[i], t.question_len[i]) == 0);
	check_addresses(&m);
	t.asked_ns[i] = 0;
	t.n_waiting--;
}

static void
on_question(const struct packet_out *send, const uint8_t *bytes)
{
	struct open *o;

	if (packet_is(&send->to, PACKET_UPSTREAM, TRANSPORT_TCP) && chance(t.full)) {
		engine_tcp_full(t.e, send->to.sock, wire_u16(bytes), t.now_ns);
		return;
	}
	o = &t.open[t.n_open < OPEN_MAX ? t.n_open++ : rng_below(&t.rng, OPEN_MAX)];
	PARTS_CHECK(send->len <= sizeof(o->bytes));
	o->send = *send;
	memcpy(o->bytes, bytes, send->len);
}

static void
drain_turn(void)
{
	struct packet_out send;

	while (engine_next(t.e, t.udp, t.tcp, &send)) {
		bool tcp = send.to.transport == TRANSPORT_TCP;
		const uint8_t *bytes = tcp ? t.tcp : t.udp;

		if (send.to.side == PACKET_CLIENT)
			on_answer(&send, bytes);
		else
			on_question(&send, bytes);
	}
}

static void
drain(void)
{
	do
		drain_turn();
	while (engine_work(t.e, t.now_ns));
}

/* --- what goes in ----------------------------------------------------------------------------- */

static void
a_name(uint8_t out[static DNS_NAME_MAX])
{
	static const char *const under_prefix =
	    "0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.4.6.0.0.8.b.d.0.1.0.0.2.ip6.arpa";
	char text[128];

	if (chance(5))
		snprintf(
		    text, sizeof(text), "%u.0.2.0.%s", rng_below(&t.rng, 4), under_prefix + 16);
	else
		snprintf(text, sizeof(text), "n%u.example", rng_below(&t.rng, 10));
	if (name_from_text(text, out) > 40)
		PARTS_CHECK(name_from_text("www.example", out) > 0);
}

static void
ask(void)
{
	static const uint16_t types[] = { DNS_TYPE_AAAA, DNS_TYPE_AAAA, DNS_TYPE_AAAA, DNS_TYPE_A,
		DNS_TYPE_MX, DNS_TYPE_HTTPS, DNS_TYPE_PTR, DNS_TYPE_ANY };
	struct build_opt opt = {
		.present = chance(90), .do_bit = chance(10), .bufsize = 1232, .ede = DNS_EDE_NONE
	};
	struct packet_in in = { .from.side = PACKET_CLIENT,
		.from.transport = chance(20) ? TRANSPORT_TCP : TRANSPORT_UDP,
		.from.sock = t.n_asked,
		.from.gen = 1 };
	uint8_t name[DNS_NAME_MAX], msg[512];
	uint16_t type = types[rng_below(&t.rng, sizeof(types) / sizeof(types[0]))];

	if (t.n_asked == CLIENTS)
		return;
	a_name(name);
	PARTS_CHECK(netaddr_parse(chance(50) ? "2001:db8::1" : "10.0.0.1", 53, &in.from.peer));
	in.len = build_query(msg, sizeof(msg),
	    &(struct build_question){ .id = (uint16_t)t.n_asked,
		.flags = chance(10) ? DNS_CD : 0,
		.qname = name,
		.qtype = type,
		.qclass = DNS_CLASS_IN },
	    &opt);
	if (chance(5))
		msg[2] &= (uint8_t) ~(DNS_RD >> 8);
	in.msg = msg;
	t.question_len[t.n_asked] = name_len(name) + 4;
	memcpy(t.question[t.n_asked], msg + DNS_HEADER_LEN, t.question_len[t.n_asked]);
	t.asked_ns[t.n_asked++] = t.now_ns;
	t.n_waiting++;
	if (engine_input(t.e, &in, t.now_ns) == ENGINE_DROPPED) { /* no room */
		t.asked_ns[t.n_asked - 1] = 0;
		t.n_waiting--;
	}
	drain();
}

static bool
put_soa(struct build *b)
{
	static const uint8_t soa[22] = { [21] = 30 };
	uint8_t zone[DNS_NAME_MAX];

	PARTS_CHECK(name_from_text("example", zone) > 0);
	return build_rr(b, MSG_AUTHORITY, zone, DNS_TYPE_SOA, DNS_CLASS_IN,
	    30 * rng_below(&t.rng, 3), soa, sizeof(soa));
}

/* Records of the question's type, or a chain to another name, with or without an end. */
static bool
put_data(struct build *b, const struct msg *m)
{
	uint8_t rdata[16] = { 192, 0, 2 };
	uint32_t ttl = 20 * rng_below(&t.rng, 4);
	uint8_t owner[DNS_NAME_MAX], target[DNS_NAME_MAX];

	memcpy(owner, msg_qname(m), m->qname_len);
	if (chance(20)) {
		a_name(target);
		if (!build_rr_name(b, MSG_ANSWER, owner, DNS_TYPE_CNAME, DNS_CLASS_IN, ttl, target))
			return false;
		if (chance(50))
			return true;
		memcpy(owner, target, name_len(target));
	}
	rdata[m->qtype == DNS_TYPE_A ? 3 : 15] = tag_of(owner);
	if (m->qtype == DNS_TYPE_PTR)
		return build_rr_name(
		    b, MSG_ANSWER, owner, m->qtype, DNS_CLASS_IN, ttl, msg_qname(m));
	if (m->qtype == DNS_TYPE_A || m->qtype == DNS_TYPE_AAAA)
		return build_rr(b, MSG_ANSWER, owner, m->qtype, DNS_CLASS_IN, ttl, rdata,
		    m->qtype == DNS_TYPE_A ? 4 : 16);
	/* Priority 1, and the owner itself or the root. */
	return build_rr(b, MSG_ANSWER, owner, m->qtype == DNS_TYPE_ANY ? DNS_TYPE_MX : m->qtype,
	    DNS_CLASS_IN, ttl, (const uint8_t[]){ 0, 1, 0 }, 3);
}

static size_t
make_reply(const struct msg *m)
{
	static const uint16_t rcodes[] = { DNS_SERVFAIL, DNS_SERVFAIL, DNS_REFUSED, DNS_FORMERR };
	struct build_opt opt = { .present = chance(90),
		.bufsize = 1232,
		.ede = chance(10) ? DNS_EDE_BOGUS : DNS_EDE_NONE };
	uint16_t flags = DNS_QR | DNS_RD | DNS_RA;
	struct build b;
	bool ok = true;

	if (chance(t.tc))
		flags |= DNS_TC;
	build_start(&b, t.reply, sizeof(t.reply),
	    &(struct build_question){ .id = m->id,
		.flags = flags,
		.qname = msg_qname(m),
		.qtype = m->qtype,
		.qclass = m->qclass });
	if (chance(15))
		b.rcode = rcodes[rng_below(&t.rng, 4)];
	else if (chance(15))
		b.rcode = DNS_NXDOMAIN;
	else if (chance(60))
		ok = put_data(&b, m);
	if (b.rcode != DNS_NOERROR || chance(50))
		ok = ok && (chance(10) || put_soa(&b));
	PARTS_CHECK(ok);
	return build_finish(&b, sizeof(t.reply), &opt);
}

/* An upstream replies to something, in time or not, perhaps again, perhaps wrongly. */
static void
reply(void)
{
	unsigned i;
	struct msg m;
	struct packet_in in;

	if (t.n_open == 0)
		return;
	i = rng_below(&t.rng, t.n_open);
	in = (struct packet_in){ .msg = t.reply, .from = t.open[i].send.to };
	if (packet_is(&in.from, PACKET_UPSTREAM, TRANSPORT_TCP) && chance(t.no_tcp)) {
		engine_tcp_lost(t.e, in.from.sock, chance(10), t.now_ns);
		drain();
		return;
	}
	PARTS_CHECK(msg_parse(&m, t.open[i].bytes, t.open[i].send.len) == MSG_OK);
	in.len = make_reply(&m);
	if (chance(3))
		in.len -= 1 + rng_below(&t.rng, 8);
	if (chance(2)) /* in the header: records stay with their owners */
		t.reply[rng_below(&t.rng, DNS_HEADER_LEN)] ^= (uint8_t)(1 + rng_below(&t.rng, 255));
	if (!chance(15)) /* else it may come once more */
		t.open[i] = t.open[--t.n_open];
	engine_prepare(t.e, &in, 1);
	(void)engine_input(t.e, &in, t.now_ns);
	drain();
}

static void
pass(uint64_t ns)
{
	for (uint64_t end = t.now_ns + ns; t.now_ns < end;) {
		t.now_ns += WHEEL_TICK_NS;
		while (engine_tick(t.e, t.now_ns))
			drain();
		drain();
	}
}

/* --- what happens besides --------------------------------------------------------------------- */

static void
sockets(void)
{
	unsigned u = rng_below(&t.rng, UPSTREAMS);

	if (t.slot[u] >= 0) {
		engine_socket_retire(t.e, (unsigned)t.slot[u]);
		t.slot[u] = -1;
	} else if (chance(20)) {
		engine_socket_none(t.e, u);
	} else {
		t.slot[u] = engine_socket_add(t.e, u, 0);
		PARTS_CHECK(t.slot[u] >= 0);
		engine_socket_use(t.e, (unsigned)t.slot[u]);
	}
}

static void
flush(void)
{
	uint8_t name[DNS_NAME_MAX];

	a_name(name);
	switch (rng_below(&t.rng, 3)) {
	case 0:
		cache_flush_all(t.conf[0].cache);
		break;
	case 1:
		(void)cache_flush_name(t.conf[0].cache, name, name_len(name));
		break;
	default:
		(void)cache_flush_below(
		    t.conf[0].cache, name, name_len(name), (uint32_t)(t.now_ns / NS_PER_SEC));
		break;
	}
}

static struct policies *
some_policies(void)
{
	static const char *const lines[] = { "dns64-prefix 2001:db8:64::/96\n",
		"svcb-additional resolve\n", "ignore-aaaa n1.example.\n", "hide-a yes\n" };
	char text[256] = "client 10.0.0.0/8 {\nsynthesize never\n}\n";

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		if (chance(70))
			strcat(text, lines[i]);
	}
	return configured_policies(text);
}

static void
some_settings(struct conf_core *c, const struct conf_core *old)
{
	*c = *old;
	c->policies = some_policies();
	c->keep.stale_s = chance(70) ? 30 * rng_below(&t.rng, 5) : 0;
	c->keep.cut = (enum conf_cut)rng_below(&t.rng, 3);
	c->keep.prefetch = chance(50);
	c->any_trusted = false;
	for (size_t i = 0; i < 3; i++)
		c->any_trusted |= c->upstreams[i].trusted = chance(50);
	c->upstream_tries = (uint8_t)(1 + rng_below(&t.rng, 3));
	c->max_upstream_questions = (uint8_t)(8 + rng_below(&t.rng, 24));
	c->timeout_ms = 100 + rng_below(&t.rng, 1500);
	c->selection = (enum conf_selection)rng_below(&t.rng, 4);
	c->hedge = chance(50);
	c->case_randomization = chance(50);
	c->local_zones = chance(50);
	t.tc = chance(50) ? 5 : rng_below(&t.rng, 60);
	t.no_tcp = chance(50) ? 0 : rng_below(&t.rng, 101);
	t.full = chance(50) ? 0 : rng_below(&t.rng, 60);
}

static void
reload(void)
{
	struct conf_core *old = &t.conf[t.turn % 2], *next = &t.conf[(t.turn + 1) % 2];
	struct policies *gone = old->policies;

	some_settings(next, old);
	t.turn++;
	engine_set_conf(t.e, next, t.now_ns);
	drain();
	policies_unref(gone);
}

static void
step(void)
{
	unsigned what = rng_below(&t.rng, 1000);

	if (what < 450) {
		ask();
	} else if (what < 850) {
		reply();
	} else if (what < 950) {
		pass(rng_below(&t.rng, 800) * NS_PER_MS);
	} else if (what < 960) {
		engine_tcp_lost(
		    t.e, rng_below(&t.rng, UPSTREAMS * TCP_POOL_SIZE), chance(50), t.now_ns);
		drain();
	} else if (what < 970) {
		unsigned u = rng_below(&t.rng, UPSTREAMS);

		engine_refused(t.e, u, t.slot[u], t.now_ns);
		drain();
		if (chance(50)) /* the new attempts too */
			engine_refused(t.e, u, t.slot[u], t.now_ns);
		drain();
	} else if (what < 978) {
		sockets();
	} else if (what < 988) {
		flush();
	} else if (what < 992) {
		reload();
	} else if (t.n_waiting == 0) {
		t.now_ns += rng_below(&t.rng, 120) * NS_PER_SEC;
	} else {
		t.n_open = 0; /* nobody replies any more */
	}
}

static void
begin(uint64_t seed)
{
	struct conf_core *c = &t.conf[0];

	memset(&t, 0, sizeof(t));
	rng_init_seeded(&t.rng, seed);
	t.now_ns = PARTS_START_NS;
	parts_conf(c, UPSTREAMS, ROOM);
	c->keep =
	    (struct conf_cache){ .max_ttl_s = 604800, .max_negative_s = 3600, .failure_s = 5 };
	c->cache = cache_new(CACHE_MIN, 120, seed);
	PARTS_CHECK(c->cache != NULL);
	some_settings(c, &t.conf[0]);
	t.e = engine_new(c, &seed, t.now_ns);
	PARTS_CHECK(t.e != NULL);
	for (unsigned u = 0; u < UPSTREAMS; u++) {
		t.slot[u] = engine_socket_add(t.e, u, 0);
		engine_socket_use(t.e, (unsigned)t.slot[u]);
	}
}

/* What is told of each upstream adds up to what is counted for all; nothing is counted twice. */
static void
check_tallies(void)
{
	struct upstream_status v[CONF_MAX_UPSTREAMS];
	size_t n = engine_upstreams(t.e, v);
	uint64_t sends = 0, replies = 0, late = 0, hedges = 0, lost[UPSTREAM_LOST_N] = { 0 };

	ck_assert_uint_eq(n, UPSTREAMS);
	for (size_t i = 0; i < n; i++) {
		const struct upstream_tally *tally = &v[i].tally;

		uint64_t all_lost = 0;

		for (unsigned c = 0; c < UPSTREAM_LOST_N; c++) {
			all_lost += tally->lost[c];
			lost[c] += tally->lost[c];
		}
		ck_assert_uint_gt(all_lost, 0);
		ck_assert_uint_ge(tally->replies, tally->late);
		ck_assert_uint_ge(tally->sends, all_lost + tally->replies - tally->late);
		sends += tally->sends;
		replies += tally->replies;
		late += tally->late;
		hedges += tally->hedges;
	}
	ck_assert_uint_eq(
	    sends, parts_count(&t.e->stats.upstream_udp) + parts_count(&t.e->stats.upstream_tcp));
	ck_assert_uint_eq(replies, parts_count(&t.e->stats.upstream_replies));
	ck_assert_uint_eq(late, parts_count(&t.e->stats.upstream_overdue));
	ck_assert_uint_eq(hedges, parts_count(&t.e->stats.upstream_hedges));
	ck_assert_uint_eq(lost[UPSTREAM_LOST_TIMEOUT], parts_count(&t.e->stats.upstream_timeouts));
	ck_assert_uint_eq(
	    lost[UPSTREAM_LOST_UNREACHABLE], parts_count(&t.e->stats.upstream_unreachable));
	ck_assert_uint_eq(
	    lost[UPSTREAM_LOST_DISCONNECTED], parts_count(&t.e->stats.upstream_disconnected));
}

/* Incidents: totd-stall. */
START_TEST(nobody_is_forgotten)
{
	begin((uint64_t)_i);
	for (unsigned i = 0; i < STEPS; i++)
		step();
	pass(10000 * NS_PER_MS); /* queries of our own too, which may have begun late */
	ck_assert_uint_eq(t.n_waiting, 0);
	ck_assert_uint_eq(engine_in_flight(t.e), 0);
	ck_assert_uint_eq(t.e->queries.partials.n_used, 0);
	ck_assert_uint_eq(t.e->queries.data.n_used, 0);
	ck_assert_uint_eq(t.e->queries.svcbs.n_used, 0);
	ck_assert_uint_eq(t.e->queries.long_names.n_used, 0);
	ck_assert_uint_eq(t.e->lookups.replies.n_used, 0);
	/* Probes go on; that each attempt left is one of theirs is for engine/audit. */
	/* Replies came late and twice, and sockets refused. */
	ck_assert_uint_gt(parts_count(&t.e->stats.upstream_overdue), 0);
	ck_assert_uint_gt(parts_count(&t.e->stats.upstream_late), 0);
	ck_assert_uint_gt(parts_count(&t.e->stats.upstream_refused), 0);
	/* It went where queries wait for one thing and watch another. */
	ck_assert_uint_gt(parts_count(&t.e->stats.aaaa_late), 0);
	ck_assert_uint_gt(parts_count(&t.e->stats.aaaa_late_used), 0);
	check_tallies();
	engine_free(t.e);
	policies_unref(t.conf[t.turn % 2].policies);
	cache_free(t.conf[0].cache);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_loop_test(tc, nobody_is_forgotten, 0, RUNS);
}
