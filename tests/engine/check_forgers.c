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
 *
 * What the defence costs its user: 800 wrong datagrams a second while new names are asked for, with
 * TCP that works or is broken in each way. And what chance it leaves in each of these, added up.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "core/wheel.h"
#include "dns/build.h"
#include "dns/header.h"
#include "dns/name.h"
#include "engine/engine.h"
#include "engine/engine_parts.h"
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

/* How TCP to the upstream does. */
enum tcp_kind { WORKS, DROPPED, REFUSED, MUTE, SLOW, CLOSES, ONE_OF_TWO, TCP_KINDS };
static enum tcp_kind tcp_kind;
static uint64_t reply_ns; /* over UDP */
static struct {
	uint64_t up_ns; /* when it is made, or is found not to be; 0: it is closed */
	uint32_t n_asked;
} conns[TCP_POOL_SIZE];

/*
 * What comes from the upstream at DUE_NS: the reply, NXDOMAIN, to what it was asked, or that a
 * connection ended.
 */
static struct event {
	uint64_t due_ns;
	bool lost, established;
	struct packet_in in;
	uint8_t bytes[512];
} replies[256];
static unsigned n_replies;

static void
new_slot(unsigned i)
{
	if (slots[i] >= 0)
		engine_socket_del(e, (unsigned)slots[i]);
	slots[i] = engine_socket_add(e, 0, 0);
	ck_assert_int_ge(slots[i], 0);
}

/* Sockets that were used for one question and wait for its reply. */
static unsigned draining[256], n_draining;

/* Replace socket I, which stays open for the replies to what left by it. */
static void
drain_slot(unsigned i)
{
	PARTS_CHECK(n_draining < 256);
	draining[n_draining++] = (unsigned)slots[i];
	slots[i] = -1;
	new_slot(i);
	engine_socket_use(e, (unsigned)slots[i]);
}

/* A question left by SLOT; it was the only one, if the engine wants that. */
static void
retire(unsigned slot)
{
	for (unsigned i = 0; i < PORTS && engine_socket_each(e, 0, now_ns); i++) {
		if (slots[i] == (int)slot) {
			drain_slot(i);
			return;
		}
	}
}

static void
close_drained(void)
{
	for (unsigned i = 0; i < n_draining;) {
		if (engine_socket_busy(e, draining[i])) {
			i++;
			continue;
		}
		engine_socket_del(e, draining[i]);
		draining[i] = draining[--n_draining];
	}
}

static struct event *
new_event(const struct packet_out *send, uint64_t due_ns)
{
	PARTS_CHECK(n_replies < 256 && send->len <= sizeof(replies[0].bytes));
	replies[n_replies] = (struct event){ .due_ns = due_ns };
	replies[n_replies].in = (struct packet_in){ .len = send->len, .from = send->to };
	return &replies[n_replies++];
}

static void
reply_at(const struct packet_out *send, uint64_t due_ns)
{
	struct event *r = new_event(send, due_ns);

	memcpy(
	    r->bytes, packet_is(&send->to, PACKET_UPSTREAM, TRANSPORT_TCP) ? tcp : udp, send->len);
	r->bytes[2] |= DNS_QR >> 8; /* with the case and the cookie */
	r->bytes[3] |= DNS_NXDOMAIN;
}

/* A question over the connection of SEND. */
static void
ask_by_tcp(const struct packet_out *send)
{
	uint64_t due_ns, times = tcp_kind == SLOW ? 4 : 1;
	bool fails = tcp_kind == DROPPED || tcp_kind == REFUSED || tcp_kind == CLOSES;

	PARTS_CHECK(send->to.sock < TCP_POOL_SIZE);
	conns[send->to.sock].n_asked++;
	if (conns[send->to.sock].up_ns == 0) {
		due_ns = now_ns + (tcp_kind == DROPPED ? 5 * NS_PER_SEC : reply_ns * times);
		conns[send->to.sock].up_ns = due_ns;
		if (fails) {
			struct event *lost = new_event(send, due_ns);

			lost->lost = true;
			lost->established = tcp_kind == CLOSES;
		}
	}
	if (fails || tcp_kind == MUTE ||
	    (tcp_kind == ONE_OF_TWO && conns[send->to.sock].n_asked % 2 == 0))
		return;
	due_ns = conns[send->to.sock].up_ns > now_ns ? conns[send->to.sock].up_ns : now_ns;
	reply_at(send, due_ns + reply_ns * times);
}

static void
take_question(const struct packet_out *send)
{
	bool by_tcp = packet_is(&send->to, PACKET_UPSTREAM, TRANSPORT_TCP);

	n_udp += !by_tcp;
	n_tcp += by_tcp;
	if (by_tcp) {
		ask_by_tcp(send);
		return;
	}
	reply_at(send, now_ns + reply_ns);
	retire(send->to.sock);
}

static void
drain(void)
{
	struct packet_out send;

	while (engine_next(e, udp, tcp, &send)) {
		if (!packet_is(&send.to, PACKET_CLIENT, TRANSPORT_UDP)) {
			take_question(&send);
			continue;
		}
		n_answers++;
		n_wrong += (udp[3] & 15) == DNS_NOERROR;
	}
	engine_socket_use(e, (unsigned)slots[rng_below(&rng, PORTS)]);
}

static void
deliver(struct event *r)
{
	if (r->lost) {
		conns[r->in.from.sock].up_ns = 0;
		engine_tcp_lost(e, r->in.from.sock, r->established, now_ns);
	} else {
		r->in.msg = r->bytes;
		(void)engine_input(e, &r->in, now_ns);
	}
	drain();
}

/* What is due; what came to a port that is closed is lost. */
static void
reply(void)
{
	for (unsigned i = 0; i < n_replies;) {
		struct event r = replies[i];

		if (r.due_ns > now_ns) {
			i++;
			continue;
		}
		memmove(&replies[i], &replies[i + 1], (--n_replies - i) * sizeof(replies[0]));
		deliver(&r);
		i = 0;
	}
	close_drained();
}

static void
ask(const char *name, uint16_t id)
{
	uint8_t msg[512];
	struct packet_in in = {
		.msg = msg, .from.side = PACKET_CLIENT, .from.transport = TRANSPORT_UDP
	};

	ck_assert(netaddr_parse("::1", 53, &in.from.peer));
	in.len = parts_question(msg, id, name, DNS_TYPE_PTR);
	ck_assert(engine_input(e, &in, now_ns) == ENGINE_TAKEN);
	drain();
}

/* One forged reply, to the socket in SLOT. */
static void
forge(const struct kind *k, uint8_t *msg, size_t len, unsigned slot)
{
	struct packet_in in = { .msg = msg,
		.len = len,
		.from.side = PACKET_UPSTREAM,
		.from.transport = TRANSPORT_UDP,
		.from.sock = slot };

	header_set_id(msg, (uint16_t)rng_below(&rng, 65536));
	if (k->cases)
		name_mix(header_put_qname(msg), name_len(header_put_qname(msg)), rng_u64(&rng));
	if (engine_input(e, &in, now_ns) == ENGINE_SPOILT) {
		for (unsigned i = 0; i < PORTS; i++) {
			if (slots[i] == (int)slot) {
				new_slot(i);
				engine_socket_use(e, (unsigned)slots[i]);
			}
		}
	}
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

	n_udp = n_tcp = n_answers = n_wrong = n_replies = n_draining = 0;
	memset(conns, 0, sizeof(conns));
	tcp_kind = WORKS;
	reply_ns = REPLY_NS;
	now_ns = PARTS_START_NS;
	rng_init_seeded(&rng, 12);
	parts_conf(&conf, 1, 100);
	conf.policies = configured_policies("dns64-prefix 2001:db8:64::/96");
	conf.case_randomization = k->cases;
	conf.cookies.upstream = k->cookies;
	e = engine_new(&conf, &seed, now_ns);
	ck_assert_ptr_nonnull(e);
	if (k->cookies) { /* it has given one */
		memset(e->upstreams.table[0].cookie.bytes, 7, 16);
		e->upstreams.table[0].cookie.len = 16;
	}
	for (unsigned i = 0; i < PORTS; i++) {
		slots[i] = -1;
		new_slot(i);
	}
	engine_socket_use(e, (unsigned)slots[0]);
}

/* The slot of a socket with a question open; -1: there is none. */
static int
busy_slot(void)
{
	for (unsigned i = 0; i < PORTS; i++) {
		if (engine_socket_busy(e, (unsigned)slots[i]))
			return slots[i];
	}
	for (unsigned i = 0; i < n_draining; i++) {
		if (engine_socket_busy(e, draining[i]))
			return (int)draining[i];
	}
	return -1;
}

/* The slot that the next datagram of one who knows no port meets; -1: none. */
static int
aim_blindly(void)
{
	unsigned port = rng_below(&rng, PORTS_ALL);

	if (port < PORTS)
		return slots[port];
	return port < PORTS + n_draining ? (int)draining[port - PORTS] : -1;
}

/* The slot that the next datagram meets; -1: none. */
static int
aim(const struct kind *k)
{
	int slot;

	if (!k->port_known)
		return aim_blindly();
	slot = busy_slot(); /* if there is any by UDP */
	return slot >= 0 ? slot : slots[rng_below(&rng, PORTS)];
}

/* The sockets live for 2 s: replace one of them in turn. STEP: since the start. */
static void
age(uint64_t step_ns, uint64_t step)
{
	uint64_t every = 2 * NS_PER_SEC / step_ns / PORTS;
	unsigned i = (unsigned)(step / every % PORTS);

	if (step % every == 0)
		drain_slot(i);
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
			int slot = aim(k);

			if (slot < 0)
				continue;
			n_met++;
			forge(k, msg, len, (unsigned)slot);
		}
		age(WHEEL_TICK_NS, tick);
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

/* --- the user --------------------------------------------------------------------------------- */

#define STEP_NS 500000 /* of the played clock */
#define SECONDS 75
#define EACH_NS (20 * NS_PER_MS) /* a new name, on which nobody has to wait for another */
#define TRICKLE 800

static const struct kind victim = { "1.2.0.192.in-addr.arpa", false, false, false };

/* What is sent to the user's ports meanwhile. */
enum attack { BLIND, PORT_KNOWN, SCAN, ATTACKS };

static const char *const ways[TCP_KINDS] = { "works", "SYN dropped", "refused", "mute", "slow x4",
	"closes after accept", "answers one of two" };
static const char *const attacks[ATTACKS] = { "port unknown", "port known",
	"port found by probing" };

/* What the user had. */
struct had {
	double mean_ms, worst_ms;
	unsigned n;
	double chance; /* of the forger, all his datagrams together */
};

/* One forged datagram to SLOT: what chance has it? Each question open there has an ID. */
static double
chance_at(unsigned slot)
{
	unsigned n = 0;
	const struct list *open = &e->upstreams.sockets[slot].open;

	for (const struct list *l = open->next; l != open; l = l->next)
		n++;
	return n / 65536.0;
}

static bool
is_open(int slot)
{
	return slot >= 0 && e->upstreams.sockets[slot].upstream == 0;
}

/* One of N datagrams to any port meets a socket: its slot. -1: none does; that two do is rare. */
static int
met_by(unsigned n)
{
	unsigned open = PORTS + n_draining, at = rng_below(&rng, PORTS_ALL);

	PARTS_CHECK(n * open < PORTS_ALL);
	if (at >= n * open)
		return -1;
	at %= open;
	return at < PORTS ? slots[at] : (int)draining[at - PORTS];
}

/* N datagrams of attack A. Who probes ports tries one in a ms, and keeps to that which is open. */
static void
attack(enum attack a, unsigned n, uint8_t *msg, size_t len, struct had *had)
{
	static int found = -1;
	int probe = a == SCAN && now_ns % NS_PER_MS == 0 ? met_by(1) : -1;

	found = probe >= 0 ? probe : a == SCAN && is_open(found) ? found : -1;
	for (unsigned left = n; left > 0; left--) {
		int slot = found;

		if (a == PORT_KNOWN)
			slot = busy_slot() >= 0 ? busy_slot() : slots[rng_below(&rng, PORTS)];
		else if (!is_open(found))
			slot = met_by(left);
		if (slot < 0)
			return;
		had->chance += chance_at((unsigned)slot);
		forge(&victim, msg, len, (unsigned)slot);
		if (a == BLIND)
			return;
	}
}

/* A new name each EACH_NS, while PER_SECOND datagrams of attack A come. */
static struct had
play_user(enum tcp_kind w, enum attack a, unsigned per_second, unsigned seconds, uint64_t rtt_ns)
{
	struct had had = { 0 };
	uint8_t msg[512];
	size_t len = make(&victim, msg, sizeof(msg));
	uint64_t asked_ns = 0, owed = 0;
	unsigned n_before = 0;

	start(&victim);
	tcp_kind = w;
	reply_ns = rtt_ns;
	for (uint64_t step = 1; step < seconds * NS_PER_SEC / STEP_NS; step++) {
		now_ns += STEP_NS;
		while (engine_work(e, now_ns) || engine_tick(e, now_ns))
			drain();
		drain();
		reply();
		if (n_answers > n_before) {
			double ms = (double)(now_ns - asked_ns) / NS_PER_MS;

			n_before = n_answers;
			had.mean_ms += ms;
			had.worst_ms = ms > had.worst_ms ? ms : had.worst_ms;
			had.n++;
		}
		if (engine_in_flight(e) == 0 && now_ns - asked_ns >= EACH_NS) {
			char name[64];

			(void)snprintf(name, sizeof(name), "%u.2.0.192.in-addr.arpa", had.n);
			asked_ns = now_ns;
			ask(name, (uint16_t)had.n);
		}
		owed += per_second * (uint64_t)STEP_NS;
		attack(a, (unsigned)(owed / NS_PER_SEC), msg, len, &had);
		owed %= NS_PER_SEC;
		age(STEP_NS, step);
	}
	had.mean_ms /= had.n;
	ck_assert_uint_eq(n_wrong, 0);
	engine_free(e);
	policies_unref(conf.policies);
	return had;
}

/* 800 wrong datagrams a second make new names at most twice as slow, whatever TCP does. */
START_TEST(d21_defence_costs_less_than_the_attack)
{
	static const uint64_t rtts_ns[] = { 2 * NS_PER_MS, 16 * NS_PER_MS };
	uint64_t rtt_ns = rtts_ns[_i % 2];
	enum tcp_kind w = (enum tcp_kind)(_i / 2);
	const double calm_ms = (double)rtt_ns / NS_PER_MS;

	for (unsigned a = BLIND; a <= PORT_KNOWN; a++) {
		struct had had = play_user(w, (enum attack)a, TRICKLE, SECONDS, rtt_ns);

		if (getenv("FORGERS_SECONDS") != NULL)
			printf("TCP %s, %s: %.1f ms a name, without %.1f, at worst %.1f\n", ways[w],
			    attacks[a], had.mean_ms, calm_ms, had.worst_ms);
		ck_assert_uint_gt(had.n, SECONDS * NS_PER_SEC / EACH_NS * 9 / 10);
		ck_assert_double_le(had.mean_ms, 2 * calm_ms);
		/* five times for TCP, and twice more it was asked by a port that was given up */
		ck_assert_double_le(had.worst_ms, 7 * calm_ms + 10);
	}
}
END_TEST

/*
 * 100,000 datagrams a second, by one who probes a thousand ports a second and sends to what he
 * finds: what chance do they have in a minute, all together? RFC 5452 section 7.2 has a formula for
 * who knows no port: R datagrams a second, each with 1 / (ports * IDs) for each question open.
 */
START_TEST(d21_chance_of_who_probes_ports)
{
	const double rfc5452 = (double)PER_SECOND * 60 / PORTS_ALL / 65536;
	struct had had = play_user((enum tcp_kind)_i, SCAN, PER_SECOND, 60, REPLY_NS);

	if (getenv("FORGERS_SECONDS") != NULL)
		printf("TCP %s, %s: %.4f %% in a minute (RFC 5452: %.4f %%), %.1f ms a name\n",
		    ways[_i], attacks[SCAN], 100 * had.chance, 100 * rfc5452, had.mean_ms);
	ck_assert_double_le(had.chance, 2 * rfc5452);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_set_timeout(tc, 600);
	tcase_add_loop_test(
	    tc, d21_forgers_get_nothing_accepted, 0, sizeof(kinds) / sizeof(kinds[0]));
	tcase_add_loop_test(tc, d21_defence_costs_less_than_the_attack, 0, 2 * TCP_KINDS);
	tcase_add_loop_test(tc, d21_chance_of_who_probes_ports, 0, TCP_KINDS);
}
