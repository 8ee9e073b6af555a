/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The state machine under replies of every kind at random. The scenarios say what each answer is;
 * here it is what holds for all: one sound answer to each question in time, bounded work, no
 * excluded address, nothing left behind.
 */

#include "engine/state.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "dns/name.h"
#include "scenario/scene.h"
#include "scenario/world.h"
#include "support/message.h"
#include "support/tests.h"

#define REVERSED "1.2.2.0.0.0.0.c.0.0.0.0.0.0.0.0.0.0.0.0.4.6.0.0.8.b.d.0.1.0.0.2.ip6.arpa"

/* What a client asks: drawn for each question. */
struct ask {
	uint16_t qtype;
	uint16_t id;
	bool tcp;
	bool edns;
	bool do_bit;
	bool cd;
	bool damaged; /* a reply to it was */
	unsigned n_answers;
	unsigned n_questions; /* sent upstream since */
	uint64_t at_ns;
};

struct walk {
	struct rng rng;
	struct ask ask;
	uint8_t qname[DNS_NAME_MAX];
	struct build_opt opt; /* of the reply being written */
	struct build b;
};

static struct world world;
static struct walk walk;

static bool
chance(unsigned percent)
{
	return rng_below(&walk.rng, 100) < percent;
}

/* Append RECORD, "@" in it being NAME. */
static void
put(const char *record, const char *name)
{
	char line[SCENE_TEXT] = "";
	size_t len = 0;

	for (; *record != 0; record++)
		len += (size_t)snprintf(line + len, sizeof(line) - len, "%.*s",
		    *record == '@' ? NAME_TEXT : 1, *record == '@' ? name : record);
	(void)!scene_put(&walk.b, line);
}

/* Records that a reply about NAME may have; most make sense, some do not. */
static void
put_records(const char *name)
{
	static const char *const records[] = { "an @ 300 A 192.0.2.1", "an @ 300 A 10.0.0.1",
		"an @ 0 A 127.0.0.1", "an @ 4294967295 A 192.0.2.3", "an @ 300 A",
		"an @ 300 AAAA 2001:db8::1", "an @ 300 AAAA ::ffff:192.0.2.1", "an @ 300 AAAA",
		"an @ 300 CNAME t.example", "an @ 300 CNAME @", "an t.example 300 CNAME u.example",
		"an t.example 200 A 192.0.2.2", "an t.example 200 AAAA 2001:db8::2",
		"an t.example 200 AAAA ::ffff:1.2.3.4", "an u.example 200 A 192.0.2.9",
		"an example 300 DNAME example.org", "an @ 300 PTR www.example",
		"an @ 300 MX 000a00", "an @ 300 TXT 0161", "an @ 300 RRSIG 001c0802",
		"an www.example.org 300 A 192.0.2.7",
		"au example 300 SOA ns.example host.example 60", "au . 300 SOA ns host 4294967295",
		"au @ 0 SOA ns.example host.example 0", "au example 300 NS ns.example",
		"au @ 300 NSEC 00000140", "ad ns.example 300 A 192.0.2.4",
		"ad ns.example 300 AAAA ::ffff:192.0.2.4" };

	for (size_t i = 0; i < sizeof(records) / sizeof(records[0]); i++) {
		if (chance(7))
			put(records[i], name);
	}
}

static size_t
on_upstream(struct world *w, const struct msg *m, const struct packet_out *send, uint8_t *out)
{
	static const uint16_t rcodes[] = { DNS_NXDOMAIN, DNS_SERVFAIL, DNS_REFUSED, DNS_FORMERR,
		DNS_NOTIMP, DNS_BADVERS, DNS_BADCOOKIE, 35 };
	static const uint16_t edes[] = { DNS_EDE_NONE, DNS_EDE_NONE, 6, 9, 22 };
	uint16_t flags = DNS_QR | DNS_RD | DNS_RA;
	char name[NAME_TEXT];
	size_t len;

	(void)w;
	walk.ask.n_questions++;
	if (chance(8))
		return 0;
	flags |= chance(packet_is(&send->to, PACKET_UPSTREAM, TRANSPORT_UDP) ? 10 : 1) ? DNS_TC : 0;
	flags |= chance(30) ? DNS_AD : 0;
	build_start(&walk.b, out, WORLD_REPLY,
	    &(struct build_question){ .id = m->id,
		.flags = flags,
		.qname = chance(99) ? msg_qname(m) : NULL,
		.qtype = m->qtype,
		.qclass = m->qclass });
	if (chance(30))
		walk.b.rcode = rcodes[rng_below(&walk.rng, sizeof(rcodes) / sizeof(rcodes[0]))];
	if (walk.b.rcode == DNS_NOERROR || chance(30))
		put_records(name_to_text(msg_qname(m), name));
	walk.opt = (struct build_opt){
		.present = chance(90), .bufsize = 1232, .ede = edes[rng_below(&walk.rng, 5)]
	};
	len = build_finish(&walk.b, WORLD_REPLY, &walk.opt);
	walk.ask.damaged |= chance(2);
	if (walk.ask.damaged)
		out[rng_below(&walk.rng, (uint32_t)len)] ^=
		    (uint8_t)(1 + rng_below(&walk.rng, 255));
	return chance(1) ? rng_below(&walk.rng, (uint32_t)len) + 1 : len;
}

/* No excluded AAAA answers a question that DNS64 is for (RFC 6147 section 5.1.4). */
static void
check_aaaa(const struct msg *m)
{
	struct synth_usable usable;
	struct answer a;

	answer_scan(m, DNS_TYPE_AAAA, &a);
	if (m->rcode != DNS_NOERROR || a.kind != ANSWER_DATA)
		return;
	synth_count_usable(&world.conf.policies->table[0].synth, m, &a, &usable);
	ck_assert_uint_eq(usable.n_excluded, 0);
}

static void
on_client(struct world *w, const struct packet_out *send, const uint8_t *msg)
{
	struct ask *ask = &walk.ask;
	struct msg m;

	/* What was damaged on its way to us is passed as it came (RULES D24) if it can be (D25). */
	if (ask->damaged)
		ck_assert_int_eq(msg_parse_reply(&m, msg, send->len), MSG_OK);
	else
		world_sound(&m, send, msg, ask->edns ? 1232 : 512);
	ck_assert_uint_eq(++ask->n_answers, 1);
	ck_assert_uint_eq(m.id, ask->id);
	ck_assert_int_eq(packet_is(&send->to, PACKET_CLIENT, TRANSPORT_TCP), ask->tcp);
	ck_assert_int_eq(m.edns.present, ask->edns);
	ck_assert_uint_eq(m.qtype, ask->qtype);
	ck_assert_mem_eq(msg_qname(&m), walk.qname, m.qname_len);
	ck_assert(!ask->edns || m.edns.do_bit == ask->do_bit);
	ck_assert(ask->do_bit || !(m.flags & DNS_AD)); /* RULES D9 */
	ck_assert_uint_ne(m.rcode, DNS_BADVERS);       /* RULES D1 */
	ck_assert_uint_ne(m.rcode, DNS_BADCOOKIE);
	ck_assert_uint_le(w->now_ns - ask->at_ns, 5 * NS_PER_SEC + WHEEL_TICK_NS);
	/*
	 * RFC 9520: 9 questions for AAAA, 9 for A, the last name; each to 2 upstreams, a few times.
	 */
	ck_assert_uint_le(ask->n_questions, 19 * 8);
	if (ask->qtype == DNS_TYPE_AAAA && !(ask->do_bit && ask->cd))
		check_aaaa(&m);
}

static void
ask_one(void)
{
	static const uint16_t types[] = { DNS_TYPE_AAAA, DNS_TYPE_AAAA, DNS_TYPE_AAAA, DNS_TYPE_A,
		DNS_TYPE_PTR, DNS_TYPE_MX, DNS_TYPE_CNAME, DNS_TYPE_ANY, 65, 65280 };
	struct ask *ask = &walk.ask;
	const struct build_opt opt = {
		.present = chance(80), .do_bit = chance(30), .bufsize = 4096
	};
	struct packet_in in = { 0 };
	uint8_t msg[512];

	*ask = (struct ask){ .qtype = types[rng_below(&walk.rng, 10)],
		.id = rng_u16(&walk.rng),
		.tcp = chance(20),
		.edns = opt.present,
		.do_bit = opt.present && opt.do_bit,
		.cd = chance(30),
		.at_ns = world.now_ns };
	PARTS_CHECK(
	    name_from_text(ask->qtype == DNS_TYPE_PTR ? REVERSED : "WWW.Example", walk.qname) > 0);
	in.msg = msg;
	in.from.side = PACKET_CLIENT;
	in.from.transport = ask->tcp ? TRANSPORT_TCP : TRANSPORT_UDP;
	in.len = build_query(msg, sizeof(msg),
	    &(struct build_question){ .id = ask->id,
		.flags = ask->cd ? DNS_CD : 0,
		.qname = walk.qname,
		.qtype = ask->qtype,
		.qclass = DNS_CLASS_IN },
	    &opt);
	msg[3] &= (uint8_t)~DNS_AD;
	world_input(&world, &in);
	for (unsigned i = 0; i < 6000 / (WHEEL_TICK_NS / NS_PER_MS) && ask->n_answers == 0; i++)
		world_pass(&world, WHEEL_TICK_NS);
	ck_assert_uint_eq(ask->n_answers, 1);
	ck_assert_uint_eq(engine_in_flight(world.engine), 0);
}

START_TEST(any_replies_end_every_query)
{
	world_init(&world, 2, 16);
	world.conf.timeout_ms = 300;
	world.conf.selection = (enum conf_selection)(_i % 3);
	world.upstream = on_upstream;
	world.client = on_client;
	rng_init_seeded(&walk.rng, (uint64_t)_i);
	world_start(&world, (uint64_t)_i);
	for (unsigned i = 0; i < 4000; i++)
		ask_one();
	/* It went everywhere. */
	ck_assert_uint_gt(world_stat(&world, "synthesized"), 20);
	ck_assert_uint_gt(world_stat(&world, "synthesized_failed"), 5);
	ck_assert_uint_gt(world_stat(&world, "synth_none"), 20);
	ck_assert_uint_gt(world_stat(&world, "aaaa_native"), 20);
	ck_assert_uint_gt(world_stat(&world, "aaaa_filtered"), 0);
	ck_assert_uint_gt(world_stat(&world, "bogus"), 10); /* an EDE says so, or two SERVFAIL */
	ck_assert_uint_gt(world_stat(&world, "chain_steps"), 20);
	ck_assert_uint_gt(world_stat(&world, "upstream_malformed"), 0);
	ck_assert_uint_gt(world_stat(&world, "upstream_no_edns"), 0);
	world_stop(&world);
}
END_TEST

START_TEST(states_have_words)
{
	ck_assert_str_eq(query_state_name(QUERY_RELAY), "relay");
	for (int i = 0; i <= QUERY_LOCAL; i++) {
		ck_assert_ptr_nonnull(query_state_name((enum query_state)i));
		for (int k = 0; k < i; k++)
			ck_assert_str_ne(query_state_name((enum query_state)i),
			    query_state_name((enum query_state)k));
	}
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_set_timeout(tc, 300);
	tcase_add_loop_test(tc, any_replies_end_every_query, 0, 6);
	tcase_add_test(tc, states_have_words);
}
