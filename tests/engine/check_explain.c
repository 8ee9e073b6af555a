/* SPDX-License-Identifier: BSD-2-Clause */
/* Traces: each step of a question is there, and the answer is the one that a client gets. */

#include "engine/explain.h"

#include <string.h>

#include "base/clock.h"
#include "cache/cache.h"
#include "core/packet.h"
#include "dns/name.h"
#include "dns64/special.h"
#include "engine/engine_parts.h"
#include "engine/state.h"
#include "scenario/world.h"
#include "support/tests.h"

static struct world world;
static struct explanation explanation;
static uint16_t n_asked;
static bool mute;        /* the upstream */
static bool by_udp_only; /* it refuses TCP, and its replies have names in lower case */
static size_t got_len;
static uint8_t got[WORLD_REPLY];

/* The name in the reply to M; BYTES (DNS_NAME_MAX) may get it. */
static const uint8_t *
replied_name(const struct msg *m, uint8_t *bytes)
{
	if (!by_udp_only)
		return msg_qname(m);
	name_lower(bytes, msg_qname(m), m->qname_len);
	return bytes;
}

/* NODATA to AAAA; 192.0.2.1 and 127.0.0.1 to A; to HTTPS the name itself; nothing to names that
 * begin with "silent". */
static size_t
on_upstream(struct world *w, const struct msg *m, const struct packet_out *send, uint8_t *out)
{
	static const uint8_t v4[] = { 192, 0, 2, 1 }, loopback[] = { 127, 0, 0, 1 },
			     own[] = { 0, 1, 0 };
	const struct build_opt none = { .ede = DNS_EDE_NONE };
	uint8_t name[DNS_NAME_MAX];
	const struct build_question question = { .id = m->id,
		.flags = DNS_QR | DNS_RA | DNS_RD,
		.qname = replied_name(m, name),
		.qtype = m->qtype,
		.qclass = m->qclass };
	struct build b;

	if (msg_qname(m)[0] == 6 || mute)
		return 0;
	if (by_udp_only && send->to.transport == TRANSPORT_TCP) {
		engine_tcp_lost(w->engine, send->to.sock, false, w->now_ns);
		return 0;
	}
	if (by_udp_only) /* the next question leaves by another socket */
		engine_socket_use(w->engine, (unsigned)engine_socket_add(w->engine, 0, 0));
	build_start(&b, out, WORLD_REPLY, &question);
	if (m->qtype == DNS_TYPE_A)
		ck_assert(build_rr(&b, MSG_ANSWER, question.qname, DNS_TYPE_A, DNS_CLASS_IN, 300,
			      v4, sizeof(v4)) &&
		    build_rr(&b, MSG_ANSWER, question.qname, DNS_TYPE_A, DNS_CLASS_IN, 300,
			loopback, sizeof(loopback)));
	else if (m->qtype == DNS_TYPE_HTTPS)
		ck_assert(build_rr(&b, MSG_ANSWER, question.qname, DNS_TYPE_HTTPS, DNS_CLASS_IN,
		    300, own, sizeof(own)));
	else
		ck_assert(special_soa(&b, MSG_AUTHORITY, question.qname, 300, 300));
	return build_finish(&b, WORLD_REPLY, &none);
}

static void
on_client(struct world *w, const struct packet_out *send, const uint8_t *msg)
{
	(void)w;
	got_len = send->len;
	memcpy(got, msg, got_len);
}

static void
setup(void)
{
	world_init(&world, 1, 1024);
	world.upstream = on_upstream;
	world.client = on_client;
	world.conf.keep = (struct conf_cache){
		.max_ttl_s = 3600, .max_negative_s = 3600, .stale_s = 3600, .prefetch = true
	};
	world.conf.cache = cache_new(1 << 20, 3600, 1);
	ck_assert_ptr_nonnull(world.conf.cache);
	world_start(&world, 1);
	mute = by_udp_only = false;
	got_len = 0;
}

static void
teardown(void)
{
	struct cache *cache = world.conf.cache;

	explain_fini(&explanation);
	world_stop(&world);
	cache_free(cache);
}

/* A question of the client's; BYTES (512) gets its message. */
static struct packet_in
question(const char *name, uint16_t type, uint8_t *bytes)
{
	struct packet_in in = {
		.from.side = PACKET_CLIENT, .from.transport = TRANSPORT_UDP, .msg = bytes
	};

	ck_assert(netaddr_parse("2001:db8::1", 1024, &in.from.peer));
	in.len = parts_question(bytes, ++n_asked, name, type);
	return in;
}

static void
explain_it(const char *name, uint16_t type)
{
	uint8_t bytes[512];
	const struct packet_in in = question(name, type, bytes);

	ck_assert(engine_explain(world.engine, &in, &explanation, world.now_ns));
	world_drain(&world);
}

/* The step I, which must be of KIND. */
static const struct trace_step *
step(unsigned i, enum trace_kind kind)
{
	ck_assert_uint_lt(i, explanation.trace.n);
	ck_assert_uint_eq(explanation.trace.step[i].kind, kind);
	return &explanation.trace.step[i];
}

/* D33: policy, questions, what left and came, addresses and what is said of them, the answer. */
START_TEST(each_step_is_noted)
{
	const struct trace_step *s;
	uint8_t bytes[512];
	struct packet_in in;

	explain_it("www.example", DNS_TYPE_AAAA);
	ck_assert(explain_done(&explanation));
	/* Whoever asked reads it now. */
	ck_assert_ptr_null(world.engine->lookups.traced.trace);
	ck_assert_uint_eq(explanation.trace.n, 13);
	s = step(0, TRACE_BEGIN);
	ck_assert(s->policy == 0 && s->state == QUERY_AAAA);
	s = step(1, TRACE_QUESTION);
	ck_assert(s->type == DNS_TYPE_AAAA && !s->joined);
	s = step(2, TRACE_SENT);
	ck_assert(s->addr.addr[3] == 1 && s->addr.family == NETADDR_IPV4 &&
	    s->transport == TRANSPORT_UDP && s->attempt == 1);
	ck_assert_str_eq(s->words, "the only one");
	s = step(3, TRACE_CAME);
	ck_assert(s->rcode == DNS_NOERROR && s->type == DNS_TYPE_AAAA && s->taken);
	s = step(4, TRACE_KEPT);
	ck_assert(s->ttl_s == 300 && s->type == DNS_TYPE_AAAA);
	s = step(5, TRACE_EVENT);
	ck_assert(s->state == QUERY_AAAA && s->outcome == LOOKUP_REPLY && !s->cached);
	ck_assert_uint_eq(s->addr.addr[3], 1);
	ck_assert_uint_eq(step(6, TRACE_QUESTION)->type, DNS_TYPE_A);
	(void)step(7, TRACE_SENT);
	ck_assert(step(8, TRACE_CAME)->taken);
	(void)step(9, TRACE_KEPT);
	ck_assert_uint_eq(step(10, TRACE_EVENT)->state, QUERY_A);
	ck_assert_uint_eq(step(11, TRACE_ADDRESS)->verdict, EXPLAIN_MAPPED);
	ck_assert_uint_eq(step(12, TRACE_ADDRESS)->verdict, EXPLAIN_EXCLUDED);
	ck_assert_uint_eq(explanation.reason, REASON_SYNTH_NO_AAAA);
	ck_assert(explanation.waited);
	ck_assert_uint_eq(got_len, 0); /* it went to nobody else */
	/* A client gets the same. */
	in = question("www.example", DNS_TYPE_AAAA, bytes);
	world_input(&world, &in);
	ck_assert_uint_eq(got_len, explanation.len);
	ck_assert_mem_eq(got + 2, explanation.answer + 2, got_len - 2);
	ck_assert_uint_eq(world_stat(&world, "answers"), 1); /* nobody asked for the other */
}
END_TEST

START_TEST(entries_of_the_cache_are_noted)
{
	explain_it("www.example", DNS_TYPE_AAAA);
	world_pass(&world, 9 * NS_PER_SEC);
	explain_it("www.example", DNS_TYPE_AAAA);
	ck_assert(explain_done(&explanation));
	ck_assert(step(1, TRACE_EVENT)->cached);
	ck_assert_uint_eq(explanation.trace.step[1].age_s, 9);
	ck_assert(step(2, TRACE_EVENT)->cached);
	ck_assert_uint_eq(explanation.trace.n, 5);
	ck_assert(!explanation.waited);
	ck_assert_uint_eq(explanation.reason, REASON_SYNTH_NO_AAAA);
}
END_TEST

/* Without RD only what is known is used. */
START_TEST(nobody_is_asked_without_rd)
{
	uint8_t bytes[512];
	const struct packet_in in = question("www.example", DNS_TYPE_AAAA, bytes);
	unsigned n_sent = world.n_sent;

	bytes[2] &= (uint8_t) ~(DNS_RD >> 8);
	ck_assert(engine_explain(world.engine, &in, &explanation, world.now_ns));
	world_drain(&world);
	ck_assert(explain_done(&explanation));
	ck_assert_uint_eq(explanation.reason, REASON_NO_RECURSION);
	ck_assert_uint_eq(world.n_sent, n_sent);
}
END_TEST

/* Silence is noted with its time; meanwhile no other question is explained, but others are
 * answered.
 */
START_TEST(one_at_a_time_until_the_end)
{
	static struct explanation other;
	uint8_t bytes[512];
	struct packet_in in = question("www.example", DNS_TYPE_A, bytes);

	explain_it("silent.example", DNS_TYPE_MX);
	ck_assert(!explain_done(&explanation));
	ck_assert(!engine_explain(world.engine, &in, &other, world.now_ns));
	world_input(&world, &in);
	ck_assert_uint_gt(got_len, 0);
	in = question("silent.example", DNS_TYPE_A, bytes);
	world_input(&world, &in);
	world_pass(&world, 6 * NS_PER_SEC);
	ck_assert(explain_done(&explanation));
	ck_assert_uint_eq(explanation.reason, REASON_SILENT);
	ck_assert_uint_ge(explanation.trace.n, 4);
	for (unsigned i = 0; i < explanation.trace.n; i++) /* nothing about the other's */
		ck_assert_uint_ne(explanation.trace.step[i].type, DNS_TYPE_A);
	ck_assert_uint_gt(step(explanation.trace.n - 1, TRACE_EVENT)->us, 400000);
	ck_assert_uint_eq(explanation.trace.step[explanation.trace.n - 1].outcome, LOOKUP_SILENT);
	in = question("www.example", DNS_TYPE_A, bytes);
	ck_assert(engine_explain(world.engine, &in, &other, world.now_ns));
	world_drain(&world);
	ck_assert(explain_done(&other));
}
END_TEST

static void
explain_dry(const char *name, uint16_t type)
{
	explanation.dry = true;
	explain_it(name, type);
	explanation.dry = false;
	ck_assert(explain_done(&explanation));
}

/* A dry run asks nobody, says what and whom it would ask, and uses what is known. */
START_TEST(dry_run_asks_nobody)
{
	unsigned n_sent = world.n_sent;
	uint8_t bytes[512];
	struct packet_in in;

	explain_dry("www.example", DNS_TYPE_AAAA);
	ck_assert_uint_eq(world.n_sent, n_sent);
	ck_assert_uint_eq(step(1, TRACE_WOULD)->type, DNS_TYPE_AAAA);
	ck_assert(!explanation.trace.step[1].stale);
	ck_assert_uint_eq(step(2, TRACE_WHOM)->addr.addr[3], 1);
	/* AAAA is known, and A is not. */
	in = question("www.example", DNS_TYPE_A, bytes);
	explain_it("www.example", DNS_TYPE_AAAA);
	(void)cache_flush_type(world.conf.cache, (const uint8_t *)"\3www\7example", 13, DNS_TYPE_A);
	n_sent = world.n_sent;
	explain_dry("www.example", DNS_TYPE_AAAA);
	ck_assert_uint_eq(step(2, TRACE_WOULD)->type, DNS_TYPE_A);
	ck_assert_uint_eq(world.n_sent, n_sent);
	world_input(&world, &in);
	n_sent = world.n_sent;
	explain_dry("www.example", DNS_TYPE_AAAA);
	ck_assert_uint_eq(explanation.reason, REASON_SYNTH_NO_AAAA);
	ck_assert_uint_eq(world.n_sent, n_sent);
}
END_TEST

static bool
would_ask(void)
{
	for (unsigned i = 0; i < explanation.trace.n; i++) {
		if (explanation.trace.step[i].kind == TRACE_WOULD)
			return true;
	}
	return false;
}

/* Nor for the addresses of a target, which a client would get with the answer (RULES D18). */
START_TEST(dry_run_of_targets)
{
	unsigned n_sent;

	explain_it("www.example", DNS_TYPE_HTTPS);
	n_sent = world.n_sent;
	explain_dry("www.example", DNS_TYPE_HTTPS);
	ck_assert(!would_ask());
	world.conf.policies->table[0].svcb = POLICY_SVCB_RESOLVE;
	explain_dry("www.example", DNS_TYPE_HTTPS);
	ck_assert(would_ask());
	ck_assert_uint_eq(world.n_sent, n_sent);
	explain_it("www.example", DNS_TYPE_HTTPS);
	explain_dry("www.example", DNS_TYPE_HTTPS);
	ck_assert(!would_ask());
	ck_assert_uint_eq(explanation.reason, REASON_SVCB_ADDRESSES);
}
END_TEST

/* The last step of KIND. */
static const struct trace_step *
last(enum trace_kind kind)
{
	unsigned i = explanation.trace.n;

	while (i > 0 && explanation.trace.step[i - 1].kind != kind)
		i--;
	return step(i > 0 ? i - 1 : explanation.trace.n, kind);
}

/* What is waited for are addresses, of targets: no upstream was silent (RULES D18). */
START_TEST(targets_are_told)
{
	world.conf.policies->table[0].svcb = POLICY_SVCB_RESOLVE;
	explain_it("www.example", DNS_TYPE_HTTPS);
	ck_assert_uint_eq(last(TRACE_EVENT)->state, QUERY_SVCB);
	ck_assert_uint_eq(last(TRACE_EVENT)->n_added, 1);
	ck_assert(!last(TRACE_EVENT)->late && !last(TRACE_EVENT)->cached);
}
END_TEST

/* An address that a client gets is good, whatever would be made of it; a hidden one is none. */
START_TEST(addresses_as_they_are_used)
{
	explain_it("www.example", DNS_TYPE_A);
	ck_assert_uint_eq(last(TRACE_ADDRESS)->verdict, EXPLAIN_GOOD);
	world.conf.policies->table[0].hide_a = true;
	explain_it("shy.example", DNS_TYPE_A);
	ck_assert_uint_eq(explanation.reason, REASON_HIDDEN_A);
	ck_assert_uint_eq(last(TRACE_ADDRESS)->verdict, EXPLAIN_HIDDEN);
	explain_it("shy.example", DNS_TYPE_AAAA);
	ck_assert_uint_eq(last(TRACE_ADDRESS)->verdict, EXPLAIN_EXCLUDED); /* 127.0.0.1 */
}
END_TEST

/* How many messages came, and were taken or not. */
static unsigned
n_came(bool taken)
{
	unsigned n = 0;

	for (unsigned i = 0; i < explanation.trace.n; i++)
		n += explanation.trace.step[i].kind == TRACE_CAME &&
		    explanation.trace.step[i].taken == taken;
	return n;
}

/* Is there a step of a question that leaves by TRANSPORT to confirm a reply? */
static bool
confirms_by(enum transport transport)
{
	for (unsigned i = 0; i < explanation.trace.n; i++) {
		const struct trace_step *s = &explanation.trace.step[i];

		if (s->kind == TRACE_SENT && s->transport == transport &&
		    strcmp(s->words, "to confirm a reply that may be forged") == 0)
			return true;
	}
	return false;
}

/*
 * D21: three near misses that agree, each by another socket, are the reply: the last one is told to
 * be taken. After three such questions the case of names is given up, and one message is enough.
 */
START_TEST(d21_near_misses_that_agree)
{
	char name[] = "n0.long-enough-name.example";

	world.conf.case_randomization = true;
	by_udp_only = true;
	for (; name[1] < '3'; name[1]++) {
		ck_assert_uint_eq(world_stat(&world, "upstream_unguarded"), 0);
		explain_it(name, DNS_TYPE_A);
		ck_assert(explain_done(&explanation));
		ck_assert_uint_eq(explanation.reason, REASON_RELAYED);
		ck_assert_uint_eq(n_came(false), 2);
		ck_assert_uint_eq(n_came(true), 1);
		ck_assert(last(TRACE_CAME)->taken && last(TRACE_CAME)->transport == TRANSPORT_UDP);
		ck_assert_uint_eq(last(TRACE_CAME)->n_answers, 2);
		ck_assert(confirms_by(TRANSPORT_TCP));
		ck_assert_uint_eq(last(TRACE_KEPT)->ttl_s, 300);
	}
	ck_assert_uint_eq(world_stat(&world, "upstream_unguarded"), 1);
	explain_it(name, DNS_TYPE_A);
	ck_assert(n_came(false) == 0 && n_came(true) == 1 && !confirms_by(TRANSPORT_TCP));
}
END_TEST

static void
client_asks(const char *name)
{
	uint8_t bytes[512];
	const struct packet_in in = question(name, DNS_TYPE_A, bytes);

	world_input(&world, &in);
}

/* What is due or expired is told and not refreshed, and the next client still causes a refresh. */
START_TEST(dry_run_refreshes_nothing)
{
	unsigned n_sent;

	for (unsigned i = 0; i < 4; i++) { /* it is popular */
		client_asks("www.example");
		world_pass(&world, 2 * NS_PER_SEC);
	}
	world_pass(&world, 282 * NS_PER_SEC); /* due for a prefetch */
	n_sent = world.n_sent;
	explain_dry("www.example", DNS_TYPE_A);
	ck_assert_uint_eq(explanation.reason, REASON_RELAYED);
	ck_assert_uint_eq(world.n_sent, n_sent);
	client_asks("www.example");
	ck_assert_uint_gt(world.n_sent, n_sent + 1);
	world_pass(&world, 310 * NS_PER_SEC);
	n_sent = world.n_sent;
	explain_dry("www.example", DNS_TYPE_A);
	ck_assert(step(1, TRACE_WOULD)->stale);
	ck_assert_uint_eq(world.n_sent, n_sent);
	client_asks("www.example");
	ck_assert_uint_gt(world.n_sent, n_sent + 1);
}
END_TEST

/* While all upstreams are down an expired entry is the answer at once; a dry run asks nobody. */
START_TEST(dry_run_while_all_are_down)
{
	unsigned n_sent;

	client_asks("www.example");
	world_pass(&world, 310 * NS_PER_SEC);
	mute = true;
	for (unsigned i = 0; i < 20; i++) {
		client_asks("silent.example");
		world_pass(&world, 5 * NS_PER_SEC);
	}
	ck_assert_uint_gt(world_stat(&world, "upstream_down"), 0);
	n_sent = world.n_sent;
	explain_dry("www.example", DNS_TYPE_A);
	ck_assert_uint_eq(explanation.reason, REASON_STALE);
	ck_assert(step(1, TRACE_EVENT)->stale);
	ck_assert_uint_eq(world.n_sent, n_sent);
}
END_TEST

/* Nobody asked and nobody was answered: only what went upstream is counted. */
START_TEST(nothing_is_counted)
{
	struct stats_row before[STATS_N], after[STATS_N];
	const struct stats *all = engine_stats(world.engine);
	static struct explanation other;

	stats_sum(&all, 1, before);
	explain_it("www.example", DNS_TYPE_AAAA);
	explain_it("www.example", DNS_TYPE_AXFR);
	explain_it("www.example", DNS_TYPE_AAAA);
	explain_it("www.example", DNS_TYPE_HTTPS);
	ck_assert_uint_eq(explanation.reason, REASON_SVCB_ADDRESSES);
	stats_sum(&all, 1, after);
	for (size_t i = 0; i < STATS_N; i++) {
		const char *name = after[i].name;
		bool upstream = strcmp(name, "lookups") == 0 || strncmp(name, "upstream_", 9) == 0;

		ck_assert_msg(upstream || before[i].value == after[i].value, "%s", name);
	}
	ck_assert_uint_eq(world_stat(&world, "lookups"), 3);
	ck_assert(!explain_counts(NULL, all) && !explain_counts(&other, all));
	ck_assert(explain_counts(&other, &other.uncounted));
}
END_TEST

START_TEST(steps_have_words)
{
	ck_assert_str_eq(query_state_name(QUERY_LOCAL), "local");
	ck_assert_str_eq(lookup_outcome_name(LOOKUP_NO_ROOM), "no-room");
	ck_assert_str_eq(explain_verdict_name(EXPLAIN_HIDDEN), "hidden");
	ck_assert_str_eq(explain_verdict_name(EXPLAIN_GOOD), "good");
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, each_step_is_noted);
	tcase_add_test(tc, entries_of_the_cache_are_noted);
	tcase_add_test(tc, nobody_is_asked_without_rd);
	tcase_add_test(tc, one_at_a_time_until_the_end);
	tcase_add_test(tc, dry_run_asks_nobody);
	tcase_add_test(tc, dry_run_of_targets);
	tcase_add_test(tc, targets_are_told);
	tcase_add_test(tc, addresses_as_they_are_used);
	tcase_add_test(tc, d21_near_misses_that_agree);
	tcase_add_test(tc, dry_run_refreshes_nothing);
	tcase_add_test(tc, dry_run_while_all_are_down);
	tcase_add_test(tc, nothing_is_counted);
	tcase_add_test(tc, steps_have_words);
}
