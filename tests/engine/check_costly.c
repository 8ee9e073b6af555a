/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the worst replies cost: 64 KiB over TCP, made to be hard to read, for one query that waits.
 *
 * A reply's work is bounded, whatever it is made of: nobody who asks for a stranger's name is to
 * hold up everybody else: CVE-2024-8508 (names that cost much to compress), CVE-2024-1737 (RRsets
 * of thousands of records). Processor time is told in that of one plain walk over the records of a
 * long message, so the bound holds on slow and on busy machines: all of it is some dozens of walks
 * at most, about 1 ms. With COSTLY in its environment it prints the times instead.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "cache/cache.h"
#include "dns/name.h"
#include "dns/wire.h"
#include "engine/engine.h"
#include "engine/fetch.h"
#include "scenario/costly.h"
#include "scenario/parts.h"
#include "support/configured.h"
#include "support/cputime.h"
#include "support/tests.h"

#define ROUNDS 20 /* until one is within the bound */
#define WALKS 85  /* that one reply may cost; the dearest one takes some 50 */

static const struct costly *all;

/* An engine and one upstream, which the test plays. */
struct stage {
	struct conf_core conf;
	struct engine *engine;
	uint64_t now_ns;
	struct packet_out asked; /* the last question upstream */
	uint8_t question[512];
	size_t n_answers;
	size_t answer_len;
	uint8_t udp[PACKET_UDP_CAP];
	uint8_t tcp[PACKET_TCP_CAP];
};

static void
open_stage(struct stage *s, const struct costly *c)
{
	char text[128];
	uint64_t seed = 1;

	memset(s, 0, sizeof(*s));
	parts_conf(&s->conf, 1, 100);
	s->conf.keep = (struct conf_cache){
		.max_ttl_s = 604800, .max_negative_s = 3600, .failure_s = 5, .rotate = c->rotate
	};
	s->conf.cache = cache_new(1U << 20, 0, 1);
	snprintf(text, sizeof(text),
	    "dns64-prefix 2001:db8:64::/96\ndns64-prefix 2001:db8:65::/96\n%s",
	    c->line != NULL ? c->line : "");
	s->conf.policies = configured_policies(text);
	s->now_ns = PARTS_START_NS;
	s->engine = engine_new(&s->conf, &seed, s->now_ns);
	ck_assert_ptr_nonnull(s->engine);
	engine_socket_use(s->engine, (unsigned)engine_socket_add(s->engine, 0, 0));
}

static void
close_stage(struct stage *s)
{
	engine_free(s->engine);
	cache_free(s->conf.cache);
	policies_unref(s->conf.policies);
}

static void
drain(struct stage *s)
{
	struct packet_out send;

	s->asked.len = 0;
	while (engine_next(s->engine, s->udp, s->tcp, &send)) {
		bool up = send.to.side == PACKET_UPSTREAM;
		bool tcp = send.to.transport == TRANSPORT_TCP;

		if (up) {
			s->asked = send;
			memcpy(s->question, tcp ? s->tcp : s->udp, send.len);
		} else {
			s->n_answers++;
			s->answer_len = send.len;
		}
	}
}

/* Processor time of the engine for this message. */
static uint64_t
hand_in(struct stage *s, const struct packet_in *in)
{
	uint64_t start = cputime_ns();

	engine_input(s->engine, in, s->now_ns);
	drain(s);
	return cputime_ns() - start;
}

static uint64_t
ask(struct stage *s, const struct costly *c, bool tcp)
{
	const struct build_opt with = { .present = true, .bufsize = 1232, .ede = DNS_EDE_NONE };
	uint8_t name[DNS_NAME_MAX], msg[512];
	struct packet_in in = { .msg = msg,
		.from.side = PACKET_CLIENT,
		.from.transport = tcp ? TRANSPORT_TCP : TRANSPORT_UDP,
		.from.peer = { .family = NETADDR_IPV6, .addr = { 0x20, 1 } } };

	if (c->qtype == DNS_TYPE_PTR)
		ck_assert_uint_gt(name_from_text("1.0.0.0.1.7.b.c.0.0.0.0.0.0.0.0.0.0.0.0"
						 ".4.6.0.0.8.b.d.0.1.0.0.2.ip6.arpa",
				      name),
		    0);
	else
		costly_question(name);
	in.len = build_query(msg, sizeof(msg),
	    &(struct build_question){
		.id = 77, .qname = name, .qtype = c->qtype, .qclass = DNS_CLASS_IN },
	    &with);
	wire_set_u16(msg + 2, DNS_RD);
	return hand_in(s, &in);
}

/* What upstream says, to its question in S. */
static void
compose(const struct stage *s, const struct costly *c, struct costly_reply *r)
{
	struct msg m;
	bool costly;

	ck_assert_int_eq(msg_parse(&m, s->question, s->asked.len), MSG_OK);
	costly = m.qtype == c->type;
	*r = (struct costly_reply){ .len = DNS_HEADER_LEN + m.qname_len + 4, .max = c->max };
	memcpy(r->bytes, s->question, r->len);
	wire_set_u16(r->bytes + 2, DNS_QR | DNS_RD | DNS_RA);
	memset(r->bytes + 6, 0, 6);
	if (costly && packet_is(&s->asked.to, PACKET_UPSTREAM, TRANSPORT_TCP)) {
		c->make(r);
		r->section = 0;
	} else if (costly) {
		r->bytes[2] |= DNS_TC >> 8;
	}
}

/* The client of a TCP question gets all of it, who asks by UDP what fits; the third asks with
 * another. */
enum who { BY_UDP, BY_TCP, BY_BOTH, WHOS };

static const char *const who_names[] = { "UDP", "TCP", "UDP and TCP" };

/*
 * The most that one message cost on the way to an answer, and the hit behind it, for one who waits.
 */
static uint64_t
play(const struct costly *c, enum who who)
{
	static struct stage s;
	static struct costly_reply r;
	unsigned n = who == BY_BOTH ? 2 : 1;
	uint64_t most = 0;

	open_stage(&s, c);
	ask(&s, c, who != BY_UDP);
	struct packet_out asked = s.asked;
	if (who == BY_BOTH) {
		ask(&s, c, false);
		s.asked = asked;
	}
	for (unsigned i = 0; i < 40 && s.n_answers == 0 && s.asked.len > 0; i++) {
		struct packet_in in = { .msg = r.bytes, .from = s.asked.to };
		uint64_t cost;

		compose(&s, c, &r);
		in.len = r.len;
		cost = hand_in(&s, &in) / n;
		most = cost > most ? cost : most;
	}
	PARTS_CHECK(s.n_answers == n);
	s.now_ns += 2 * NS_PER_SEC;
	for (unsigned i = 0; i < 2 && s.asked.len == 0; i++) {
		uint64_t cost = ask(&s, c, who != BY_UDP);

		most = cost > most ? cost : most;
	}
	close_stage(&s);
	return most;
}

/* A walk over the records of a message that has as many as can be. */
static uint64_t
walk(void)
{
	static struct costly_reply r;
	uint64_t least = UINT64_MAX;
	struct msg m;

	costly_walk(&r);
	for (unsigned i = 0; i < 20; i++) {
		uint64_t start = cputime_ns(), cost;

		PARTS_CHECK(msg_parse(&m, r.bytes, r.len) == MSG_OK);
		cost = cputime_ns() - start;
		least = cost < least ? cost : least;
	}
	return least;
}

/* Incidents: CVE-2026-44390, CVE-2026-52682. */
START_TEST(one_reply_is_bounded)
{
	const struct costly *c = &all[_i / WHOS];
	enum who who = (enum who)(_i % WHOS);
	uint64_t cost = play(c, who), most = WALKS * walk();

	/* What others do to the processor only adds, and to both: they are compared as of one
	 * moment. */
	for (unsigned i = 1; i < ROUNDS && cost > most; i++) {
		cost = play(c, who);
		most = WALKS * walk();
	}
	if (getenv("COSTLY") != NULL)
		fprintf(stderr, "%6lu us of %lu: %s by %s\n", (unsigned long)(cost / 1000),
		    (unsigned long)(most / 1000), c->name, who_names[who]);
	else if (cost > most)
		ck_abort_msg("%s by %s: %lu us, at most %lu", c->name, who_names[who],
		    (unsigned long)(cost / 1000), (unsigned long)(most / 1000));
}
END_TEST

void
tests_add(TCase *tc)
{
	size_t n;

	all = costly_all(&n);
	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, one_reply_is_bounded, 0, WHOS * (int)n);
}
