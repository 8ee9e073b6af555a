/* SPDX-License-Identifier: BSD-2-Clause */
/* One client question, and how often upstream is asked for it, whatever goes wrong there (D28). */
#include "outbound/budget.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cache/cache.h"
#include "dns/wire.h"
#include "engine/engine.h"
#include "engine/engine_parts.h"
#include "scenario/parts.h"
#include "support/configured.h"
#include "support/tests.h"

#define UPSTREAMS 16
#define ROOM 64

static struct conf_core conf;
static struct engine *e;
static uint64_t now_ns;
static unsigned n_asked, n_answers;
static uint16_t rcode;      /* of the last answer */
static bool said;           /* it tells that the questions were used up */
static int reply_with;      /* an rcode; -1: nothing */
static unsigned n_replies;  /* so many only */
static uint16_t reply_type; /* to questions for this type alone; 0: to all */
static unsigned n_a;        /* questions for A */
static uint8_t udp[PACKET_UDP_CAP], tcp[PACKET_TCP_CAP];

static void
begin(const char *line, size_t cache)
{
	char text[128];
	uint64_t seed = 1;

	parts_conf(&conf, UPSTREAMS, ROOM);
	snprintf(text, sizeof(text), "dns64-prefix 2001:db8:64::/96\n%s\n", line);
	conf.policies = configured_policies(text);
	conf.keep = (struct conf_cache){ .max_ttl_s = 3600, .max_negative_s = 60, .failure_s = 5 };
	conf.cache = cache > 0 ? cache_new(cache, 0, 1) : NULL;
	now_ns = PARTS_START_NS;
	e = engine_new(&conf, &seed, now_ns);
	ck_assert_ptr_nonnull(e);
	for (unsigned u = 0; u < UPSTREAMS; u++)
		engine_socket_use(e, (unsigned)engine_socket_add(e, u, 0));
	n_asked = n_answers = n_a = 0;
	said = false;
	reply_with = -1;
	n_replies = UINT_MAX;
	reply_type = 0;
}

static void
setup(void)
{
	begin("svcb-additional resolve", 0);
}

static void
teardown(void)
{
	engine_free(e);
	policies_unref(conf.policies);
	cache_free(conf.cache);
}

static void
on_answer(const uint8_t *bytes, size_t len)
{
	static const char text[] = "too many questions upstream";

	n_answers++;
	rcode = header_flags(bytes) & DNS_RCODE;
	said = memmem(bytes, len, text, sizeof(text) - 1) != NULL;
}

/* Upstream replies to what was asked by SEND, if it does at all. */
static void
on_question(const struct packet_out *send, const uint8_t *bytes)
{
	static uint8_t copy[8][512];
	static unsigned n;
	uint8_t *reply = copy[n++ % 8];
	struct packet_in in = { .msg = reply, .len = send->len, .from = send->to };
	struct msg m;

	PARTS_CHECK(msg_parse(&m, bytes, send->len) == MSG_OK);
	n_asked++;
	n_a += m.qtype == DNS_TYPE_A;
	if (reply_with < 0 || n_asked > n_replies || (reply_type != 0 && m.qtype != reply_type))
		return;
	PARTS_CHECK(send->len <= sizeof(copy[0]));
	memcpy(reply, bytes, send->len);
	wire_set_u16(reply + 2, (uint16_t)(DNS_QR | DNS_RA | DNS_RD | reply_with));
	(void)engine_input(e, &in, now_ns);
}

static void
drain(void)
{
	struct packet_out send;

	do {
		while (engine_next(e, udp, tcp, &send)) {
			bool up = send.to.side == PACKET_UPSTREAM;
			bool by_tcp = send.to.transport == TRANSPORT_TCP;

			if (up)
				on_question(&send, by_tcp ? tcp : udp);
			else
				on_answer(by_tcp ? tcp : udp, send.len);
		}
	} while (engine_work(e, now_ns));
}

static void
ask(const char *name, uint16_t qtype)
{
	uint8_t msg[512];
	struct packet_in in = { .msg = msg,
		.len = parts_question(msg, 7, name, qtype),
		.from.side = PACKET_CLIENT,
		.from.transport = TRANSPORT_UDP,
		.from.peer = { .family = NETADDR_IPV6, .addr = { 0x20, 1 } } };

	PARTS_CHECK(engine_input(e, &in, now_ns) == ENGINE_TAKEN);
	drain();
}

static void
pass(unsigned ms)
{
	for (uint64_t end = now_ns + ms * NS_PER_MS; now_ns < end;) {
		now_ns += WHEEL_TICK_NS;
		while (engine_tick(e, now_ns))
			drain();
		drain();
	}
}

/* Questions that a query sets aside come back when they were not used. */
START_TEST(shares)
{
	struct lookup l = { .n_sends = 3 };
	struct budget_share s;
	uint8_t left = 24;

	budget_take(&left, &s, &l, 16);
	ck_assert_uint_eq(left, 8);
	l.n_sends = 5;
	budget_settle(&left, &s, &l);
	ck_assert_uint_eq(left, 22);
	budget_settle(&left, &s, &l);
	ck_assert_uint_eq(left, 22);
	budget_take(&left, &s, &l, 2);
	l.n_sends = 50; /* others who wait had more */
	budget_settle(&left, &s, &l);
	ck_assert_uint_eq(left, 20);
	budget_take(&left, &s, &l, 2);
	l.n_sends = 49; /* what was sent before did not leave (outbound/loss) */
	budget_settle(&left, &s, &l);
	ck_assert_uint_eq(left, 20);
}
END_TEST

/* Who leaves a lookup that goes on gets nothing back: that is sent as often as before. */
START_TEST(shares_of_who_leaves)
{
	struct lookup l = { .waiters.n = 2 };
	struct budget_share s;
	uint8_t left = 24;

	budget_take(&left, &s, &l, 16);
	budget_leave(&left, &s, &l);
	ck_assert_uint_eq(left, 8);
	l.waiters.n = 1;
	l.waiters.needed = true;
	budget_take(&left, &s, &l, 3);
	budget_leave(&left, &s, &l);
	ck_assert_uint_eq(left, 5);
	l.waiters.needed = false;
	budget_take(&left, &s, &l, 3);
	l.n_sends++;
	budget_leave(&left, &s, &l);
	ck_assert_uint_eq(left, 4);
}
END_TEST

/*
 * The worst cases: every upstream is silent, or is in trouble; AAAA and A, or HTTPS and its
 * targets. Probes of the upstreams are not for the question.
 */
START_TEST(d28_one_question)
{
	static const struct {
		uint16_t qtype;
		int reply;
		bool over[2]; /* more than 24 would be sent, more than 8 */
	} cases[] = {
		{ DNS_TYPE_AAAA, -1, { false, true } },
		{ DNS_TYPE_AAAA, DNS_SERVFAIL, { true, true } }, /* 48 */
		{ DNS_TYPE_AAAA, DNS_REFUSED, { true, true } },  /* 32 */
		{ DNS_TYPE_A, -1, { false, true } },
		{ DNS_TYPE_A, DNS_SERVFAIL, { false, true } },
		{ DNS_TYPE_HTTPS, -1, { false, true } },
	};
	bool over = cases[_i / 2].over[_i % 2];
	unsigned probes;

	reply_with = cases[_i / 2].reply;
	conf.max_upstream_questions = _i % 2 == 0 ? 24 : 8;
	ask("www.example", cases[_i / 2].qtype);
	pass(5000);
	probes = (unsigned)parts_count(&engine_stats(e)->upstream_probes);
	ck_assert_uint_eq(n_answers, 1);
	ck_assert_uint_eq(rcode, DNS_SERVFAIL);
	ck_assert_uint_le(n_asked - probes, conf.max_upstream_questions);
	ck_assert_int_eq(parts_count(&engine_stats(e)->over_budget) > 0, over);
	ck_assert_int_eq(said, over);
}
END_TEST

/* Of two who wait the one that comes later has more questions left: the other one has them too. */
START_TEST(d28_who_is_best_off_decides)
{
	unsigned first;

	conf.max_upstream_questions = 8;
	ask("www.example", DNS_TYPE_MX);
	pass(2000);
	first = n_asked;
	ask("www.example", DNS_TYPE_MX);
	pass(5000);
	ck_assert_uint_eq(n_answers, 2);
	ck_assert_uint_le(first, 8);
	ck_assert_uint_gt(n_asked, 8);
}
END_TEST

/* Likewise if the questions of the first one are used up already. */
START_TEST(d28_who_comes_last_has_his_own)
{
	conf.max_upstream_questions = 8;
	reply_with = DNS_SERVFAIL;
	n_replies = 7;
	ask("www.example", DNS_TYPE_MX);
	pass(1000);
	ck_assert_uint_eq(n_asked, 8);
	ck_assert_uint_eq(n_answers, 0);
	ask("www.example", DNS_TYPE_MX);
	ck_assert_uint_eq(n_asked, 9);
	pass(5000);
	ck_assert_uint_eq(n_answers, 2);
	ck_assert_uint_gt(n_asked, 9);
}
END_TEST

/*
 * A lookup that waits on for an earlier attempt had been stopped as the questions of those who
 * waited were used up. Who joins it then has all of his own, so he is told that upstream is silent.
 */
START_TEST(d28_each_is_told_his_own_reason)
{
	struct lookup *l;

	ask("www.example", DNS_TYPE_MX);
	l = lookup_at(&e->lookups, 0);
	ck_assert_int_eq(l->progress, LOOKUP_ASKED_DATAGRAM);
	l->waiters.allowed = l->n_sends;
	l->waiters.over_budget = true;
	said = false;
	ask("www.example", DNS_TYPE_MX);
	pass(5000);
	ck_assert_uint_eq(n_answers, 2);
	ck_assert(!said);
	ck_assert_uint_eq(parts_count(&engine_stats(e)->over_budget), 0);
}
END_TEST

/*
 * TCP was the last resort for the attempt that the budget forbade: once somebody has questions
 * left, L goes to another upstream over UDP, or it would be sent over TCP too often (rule 34).
 */
START_TEST(d28_forbidden_attempt_leaves_no_wish)
{
	struct lookup *l;

	ask("www.example", DNS_TYPE_MX);
	l = lookup_at(&e->lookups, 0);
	lookup_shelve(&e->lookups, l);
	l->stream.plan = LOOKUP_STREAM_NEXT;
	l->waiters.allowed = l->n_sends;
	l->waiters.over_budget = true;
	ask("www.example", DNS_TYPE_MX);
	ck_assert_int_eq(l->stream.plan, LOOKUP_AS_USUAL);
	ck_assert_int_eq(l->progress, LOOKUP_ASKED_DATAGRAM);
}
END_TEST

/* What used up its questions in AAAA, and has none for A then, is one question that did. */
START_TEST(d28_counted_once)
{
	conf.max_upstream_questions = 8;
	reply_with = DNS_SERVFAIL;
	ask("www.example", DNS_TYPE_AAAA);
	pass(5000);
	ck_assert_uint_eq(n_answers, 1);
	ck_assert(said);
	ck_assert_uint_eq(parts_count(&engine_stats(e)->over_budget), 1);
}
END_TEST

/* A is asked beside a silent AAAA; what it brought cannot be kept, so it is asked for again. */
START_TEST(d28_beside_leaves_some)
{
	teardown();
	begin("svcb-additional off", CACHE_MIN);
	conf.max_upstream_questions = 8;
	reply_with = DNS_NOERROR;
	reply_type = DNS_TYPE_A;
	ask("www.example", DNS_TYPE_AAAA);
	pass(5000);
	ck_assert_uint_eq(n_answers, 1);
	ck_assert_uint_eq(n_a, 2);
}
END_TEST

/* Where A is asked first, some questions are left for the real AAAA. */
START_TEST(d28_a_first_leaves_some)
{
	teardown();
	begin("synthesize always", 0);
	conf.max_upstream_questions = 8;
	reply_with = DNS_SERVFAIL;
	ask("www.example", DNS_TYPE_AAAA);
	pass(5000);
	ck_assert_uint_eq(n_answers, 1);
	ck_assert_uint_gt(n_asked, n_a);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, shares);
	tcase_add_test(tc, shares_of_who_leaves);
	tcase_add_loop_test(tc, d28_one_question, 0, 12);
	tcase_add_test(tc, d28_who_is_best_off_decides);
	tcase_add_test(tc, d28_who_comes_last_has_his_own);
	tcase_add_test(tc, d28_each_is_told_his_own_reason);
	tcase_add_test(tc, d28_counted_once);
	tcase_add_test(tc, d28_forbidden_attempt_leaves_no_wish);
	tcase_add_test(tc, d28_beside_leaves_some);
	tcase_add_test(tc, d28_a_first_leaves_some);
}
