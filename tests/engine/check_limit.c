/* SPDX-License-Identifier: BSD-2-Clause */
/* Questions and answers that are too many for an address that may be forged (RULES D26). */

#include "engine/limit.h"

#include <string.h>

#include "base/clock.h"
#include "dns/header.h"
#include "scenario/parts.h"
#include "support/tests.h"

#define ANSWER 4096
#define QUESTION 40

static struct parts p;
static struct limits limits;
static struct cookies cookies;
static uint8_t message[DNS_HEADER_LEN];
static uint8_t out_bytes[ANSWER];
static const struct query_out out = { .buf = out_bytes, .cap = sizeof(out_bytes) };

static void
setup(void)
{
	parts_init(&p, 1, 16);
	memset(message, 0, sizeof(message));
	ck_assert(cookies_init(&cookies));
	p.conf.rates = rates_new();
	ck_assert_ptr_nonnull(p.conf.rates);
	limits_init(&limits, &p.stats, &cookies);
}

static void
teardown(void)
{
	rates_free(p.conf.rates);
	cookies_fini(&cookies);
	parts_fini(&p);
}

static void
configure(struct conf_rate rate)
{
	p.conf.rate = rate;
	limits_configure(&limits, &p.conf, &p.rng);
}

static enum limit_verdict
ask(unsigned client)
{
	struct packet_in in = { .msg = message,
		.len = sizeof(message),
		.from.side = PACKET_CLIENT,
		.from.transport = TRANSPORT_UDP };

	in.from.peer.family = NETADDR_IPV4;
	in.from.peer.addr[1] = (uint8_t)client;
	return limit_question(&limits, &in, p.now_ns);
}

/* One in SLIP is answered, at random but for 0 and 1. */
START_TEST(one_in_slip_gets_an_answer)
{
	static const struct {
		uint32_t slip;
		unsigned least, most;
	} cases[] = { { 0, 0, 0 }, { 1, 1000, 1000 }, { 2, 430, 570 }, { 10, 60, 145 } };
	unsigned n[3] = { 0 };

	configure((struct conf_rate){ .limit = 1, .burst = 1, .slip = cases[_i].slip });
	ck_assert_int_eq(ask(1), LIMIT_PASS);
	for (unsigned i = 0; i < 1000; i++)
		n[ask(1)]++;
	ck_assert_uint_eq(n[LIMIT_PASS], 0);
	ck_assert_uint_ge(n[LIMIT_SLIP], cases[_i].least);
	ck_assert_uint_le(n[LIMIT_SLIP], cases[_i].most);
	ck_assert_uint_eq(p.stats.rate_limited, 1000);
	ck_assert_uint_eq(p.stats.rate_slipped, n[LIMIT_SLIP]);
	ck_assert_uint_eq(p.stats.rate_dropped, n[LIMIT_DROP]);
	/* what is dropped is seen by nobody else who counts it */
	ck_assert_uint_eq(parts_questions(&p.stats, false), n[LIMIT_DROP]);
}
END_TEST

/* CVE-2024-2169: a response gets no answer, and takes nobody's room either. */
START_TEST(what_gets_no_answer_is_not_charged)
{
	struct packet_in in = { .msg = message,
		.len = 11,
		.from.side = PACKET_CLIENT,
		.from.transport = TRANSPORT_UDP };

	in.from.peer.family = NETADDR_IPV4;
	configure((struct conf_rate){ .limit = 1, .burst = 1 });
	for (unsigned i = 0; i < 10; i++)
		ck_assert_int_eq(limit_question(&limits, &in, p.now_ns), LIMIT_PASS);
	header_set_flags(message, DNS_QR);
	for (unsigned i = 0; i < 10; i++)
		ck_assert_int_eq(ask(0), LIMIT_PASS);
	ck_assert_uint_eq(p.stats.rate_limited, 0);
	header_set_flags(message, 0);
	ck_assert_int_eq(ask(0), LIMIT_PASS);
	ck_assert_int_eq(ask(0), LIMIT_DROP);
}
END_TEST

/* A burst that is not configured is twice the rate, and a page of 50 names at least. */
START_TEST(the_burst_follows_the_rate)
{
	static const struct {
		uint32_t limit, burst;
	} cases[] = { { 1, 50 }, { 25, 50 }, { 26, 52 }, { 1000, 2000 } };
	unsigned n = 0;

	configure((struct conf_rate){ .limit = cases[_i].limit });
	while (ask(1) == LIMIT_PASS)
		n++;
	ck_assert_uint_eq(n, cases[_i].burst);
}
END_TEST

START_TEST(without_table_or_limit_it_is_off)
{
	struct rates *rates = p.conf.rates;

	configure((struct conf_rate){ .limit = 0, .amplification = 10 });
	ck_assert(!limits.on);
	ck_assert(limit_amplified(&limits, 40, 401));
	ck_assert(!limit_amplified(&limits, 40, 400));
	configure((struct conf_rate){ .limit = 1 });
	ck_assert(limits.on);
	ck_assert(!limit_amplified(&limits, 12, 65535));
	p.conf.rates = NULL;
	configure((struct conf_rate){ .limit = 1, .amplification = 1 });
	ck_assert(!limits.on);
	ck_assert(!limit_amplified(&limits, 12, 65535));
	p.conf.rates = rates;
}
END_TEST

static struct query
asker(void)
{
	static const uint8_t name[] = "\1a";
	struct query q = { .req.qname = name, .req.qname_len = sizeof(name), .req.len = QUESTION };

	q.from.peer.family = NETADDR_IPV4;
	return q;
}

static size_t
answer(struct query *q)
{
	ck_assert(limit_amplified(&limits, q->req.len, ANSWER));
	memset(out_bytes, 0, sizeof(out_bytes));
	return limit_answer(&limits, &p.queries, q, ANSWER, &out, p.now_ns);
}

/* How many bytes WHO gets in answers of 4 KiB in the next second, asked for as fast as may be. */
static size_t
flood(struct query *q)
{
	size_t bytes = 0;

	for (unsigned ms = 0; ms < 1000; ms++) {
		p.now_ns += NS_PER_MS;
		for (unsigned i = 0; i < 10; i++)
			bytes += answer(q);
	}
	return bytes;
}

static unsigned
would_ask(unsigned client)
{
	const struct netaddr peer = { .family = NETADDR_IPV4, .addr = { [1] = (uint8_t)client } };

	return limit_would_question(&limits, &peer, p.now_ns);
}

/* D33: to be told of a limit costs nothing. */
START_TEST(who_is_told_is_not_charged)
{
	struct query q = asker();

	configure((struct conf_rate){ .limit = 1, .burst = 3, .slip = 1, .amplification = 10 });
	for (unsigned i = 0; i < 100; i++)
		ck_assert_uint_eq(would_ask(1), 0);
	for (unsigned i = 0; i < 3; i++)
		ck_assert_int_eq(ask(1), LIMIT_PASS);
	ck_assert_uint_eq(would_ask(1), 32);
	ck_assert_uint_eq(would_ask(2), 0);
	ck_assert_int_eq(ask(1), LIMIT_SLIP);
	p.now_ns += NS_PER_SEC;
	ck_assert_uint_eq(would_ask(1), 0);
	ck_assert_int_eq(ask(1), LIMIT_PASS);
	/* The same of answers. */
	for (unsigned i = 0; i < 10000; i++)
		ck_assert_uint_eq(limit_would_answer(&limits, &q, ANSWER, p.now_ns), 0);
	(void)flood(&q);
	ck_assert_uint_gt(limit_would_answer(&limits, &q, ANSWER, p.now_ns), 0);
	ck_assert_uint_eq(limit_would_answer(&limits, &q, 10 * QUESTION, p.now_ns), 0);
	q.from.transport = TRANSPORT_TCP;
	ck_assert_uint_eq(limit_would_answer(&limits, &q, ANSWER, p.now_ns), 0);
	configure((struct conf_rate){ .limit = 0 });
	ck_assert_uint_eq(would_ask(1), 0);
}
END_TEST

/* The bound: 10 bytes for each byte of a question, and a mebibyte a second. */
START_TEST(amplification_is_bounded)
{
	const size_t questions = (size_t)10 * 1000 * QUESTION;
	struct query q = asker();
	size_t len, bytes;

	configure((struct conf_rate){ .amplification = 10 });
	bytes = flood(&q);
	ck_assert_uint_le(bytes, 10 * questions + 2 * LIMIT_ALLOWANCE); /* with the burst */
	/* and only what is beyond 10 is charged */
	ck_assert_uint_ge(bytes, 2 * LIMIT_ALLOWANCE / (ANSWER - 10 * QUESTION) * ANSWER);
	bytes = flood(&q);
	ck_assert_uint_le(bytes, 10 * questions + LIMIT_ALLOWANCE);
	len = answer(&q);
	ck_assert_uint_eq(len, DNS_HEADER_LEN + 3 + 4);
	ck_assert(header_flags(out_bytes) & DNS_TC);
	ck_assert_uint_gt(p.stats.answers_amplified, 15000);
	ck_assert_uint_eq(q.reason, REASON_AMPLIFIED);
	/* after a second all is as it was */
	p.now_ns += NS_PER_SEC;
	ck_assert_uint_eq(answer(&q), ANSWER);
}
END_TEST

START_TEST(who_is_not_forged_gets_all)
{
	struct query q = asker();

	configure((struct conf_rate){ .amplification = 10 });
	q.from.transport = _i == 0 ? TRANSPORT_TCP : TRANSPORT_UDP;
	q.cookie.state = _i == 1 ? QUERY_COOKIE_GOOD : QUERY_COOKIE_NONE;
	if (_i == 2)
		p.conf.policies->table[0].rate_factor = 0;
	if (_i == 3)
		p.conf.rate.dry_run = true;
	ck_assert_uint_eq(flood(&q), (size_t)10 * 1000 * ANSWER);
	ck_assert_int_eq(p.stats.answers_amplified > 0, _i == 3);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, one_in_slip_gets_an_answer, 0, 4);
	tcase_add_test(tc, what_gets_no_answer_is_not_charged);
	tcase_add_loop_test(tc, the_burst_follows_the_rate, 0, 4);
	tcase_add_test(tc, without_table_or_limit_it_is_off);
	tcase_add_test(tc, who_is_told_is_not_charged);
	tcase_add_test(tc, amplification_is_bounded);
	tcase_add_loop_test(tc, who_is_not_forged_gets_all, 0, 4);
}
