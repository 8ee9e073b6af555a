/* SPDX-License-Identifier: BSD-2-Clause */
/* Silence: when a question without reply is sent again, where to, and when that ends (D27). */

#include "outbound/loss.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "dns/wire.h"
#include "outbound/attempt.h"
#include "outbound/health.h"
#include "scenario/parts.h"
#include "support/tests.h"

#define CAP 1000
#define MAX_SENT 32

/* What was sent for one lookup. */
struct sent {
	unsigned ms; /* after its beginning */
	unsigned u;  /* upstream */
	bool tcp;
	bool cd;
};

static struct parts p;
static const struct lookup_wish by_udp = { .prefer = UPSTREAM_NONE };
static struct lookup_result result;
static struct packet_out last;
static struct sent sent[MAX_SENT];
static unsigned n_sent;
static uint64_t began_ns;
static bool answers_others; /* upstream 0 replies to other questions at every tick */
static bool refuses;        /* the kernel says so of every attempt at upstream 0 */

static void
begin(unsigned n_upstreams)
{
	parts_init(&p, n_upstreams, CAP);
	n_sent = 0;
	began_ns = p.now_ns;
	answers_others = false;
	refuses = false;
}

static void
teardown(void)
{
	parts_fini(&p);
}

/* U replied to something after RTT_MS. */
static void
measure(unsigned u, unsigned rtt_ms)
{
	upstreams_learn(&p.upstreams, u, UPSTREAM_PRIMARY, rtt_ms * NS_PER_MS, p.now_ns);
}

static struct lookup *
ask(const char *name, uint16_t qtype)
{
	uint8_t qname[DNS_NAME_MAX];
	struct question key = parts_key(name, qtype, qname);
	bool found;
	struct lookup *l = lookup_find_or_start(&p.lookups, &key, &by_udp, &found);

	ck_assert_ptr_nonnull(l);
	return l;
}

/* Keep what is sent now. Returns whether L has ended. */
static bool
collect(const struct lookup *l)
{
	unsigned most = UINT32_MAX;

	while (parts_next(&p, &last)) {
		bool tcp = packet_is(&last.to, PACKET_UPSTREAM, TRANSPORT_TCP);
		const uint8_t *msg = tcp ? p.tcp : p.udp;

		ck_assert_uint_lt(n_sent, MAX_SENT);
		sent[n_sent++] = (struct sent){ .ms = (unsigned)((p.now_ns - began_ns) / NS_PER_MS),
			.u = l->upstream,
			.tcp = tcp,
			.cd = (msg[3] & DNS_CD) != 0 };
		if (tcp || !refuses || l->upstream != 0)
			continue;
		loss_on_refused(&p.lookups, last.to.sock);
		if (loss_next_refused(&p.lookups, &most, &result, p.now_ns) != NULL)
			return true;
	}
	return false;
}

/* Let time pass until L, the only lookup, ends or MS ms are over. Returns whether it has ended. */
static bool
pass(struct lookup *l, unsigned ms)
{
	uint64_t end_ns = p.now_ns + ms * NS_PER_MS;

	if (collect(l))
		return true;
	while (p.now_ns < end_ns) {
		struct wheel_timer *t;

		p.now_ns += WHEEL_TICK_NS;
		if (answers_others)
			p.upstreams.table[0].heard_ns = p.now_ns;
		while ((t = wheel_take(&p.wheel, p.now_ns)) != NULL) {
			if (t->kind != WHEEL_LOOKUP)
				continue; /* no probes */
			ck_assert_ptr_eq(t, &l->timer);
			if (loss_on_timer(&p.lookups, l, &result, p.now_ns) || collect(l))
				return true;
		}
	}
	return false;
}

static unsigned
ended_ms(void)
{
	return (unsigned)((p.now_ns - began_ns) / NS_PER_MS);
}

/* Attempt I was sent at MS, up to four ticks later. */
static void
expect(unsigned i, unsigned ms, unsigned u, bool tcp)
{
	ck_assert_uint_lt(i, n_sent);
	ck_assert_msg(
	    sent[i].ms >= ms && sent[i].ms <= ms + 16, "attempt %u at %u ms", i, sent[i].ms);
	ck_assert_uint_eq(sent[i].u, u);
	ck_assert(sent[i].tcp == tcp);
}

/* What was lost by an upstream that answers others is asked again by its measured time, then over
 * TCP. */
START_TEST(d27_lost_question_is_asked_again_at_once)
{
	begin(1);
	measure(0, 1);
	upstreams_learn(&p.upstreams, 0, UPSTREAM_FALLBACK, NS_PER_MS, p.now_ns);
	answers_others = true;
	ck_assert(pass(ask("www.example", DNS_TYPE_MX), 10000));
	ck_assert_uint_eq(n_sent, 4);
	expect(0, 0, 0, false);
	expect(1, 50, 0, false);
	expect(2, sent[1].ms + 100, 0, false);
	expect(3, sent[2].ms + 200, 0, true);
	ck_assert_int_eq(result.outcome, LOOKUP_SILENT);
	ck_assert_uint_ge(ended_ms(), 4488);
	ck_assert_uint_le(ended_ms(), 4500);
}
END_TEST

/*
 * If no reply came over TCP before, that may be no way: the last attempt over UDP is kept for when
 * the fault that took the first two has passed.
 */
START_TEST(d27_last_attempt_over_udp_is_kept)
{
	begin(1);
	measure(0, 1);
	answers_others = true;
	ck_assert(pass(ask("www.example", DNS_TYPE_MX), 10000));
	ck_assert_uint_eq(n_sent, 4);
	expect(0, 0, 0, false);
	expect(1, 50, 0, false);
	expect(2, sent[1].ms + 500, 0, false);
	expect(3, sent[2].ms + 200, 0, true);
	ck_assert_int_eq(result.outcome, LOOKUP_SILENT);
}
END_TEST

/* The wait is by measure: a slow upstream gets its time. */
START_TEST(d27_slow_upstream_is_waited_for)
{
	begin(1);
	p.upstreams.timeout_ns = 2 * NS_PER_SEC;
	for (unsigned i = 0; i < 50; i++)
		measure(0, 800);
	answers_others = true;
	ck_assert(!pass(ask("www.example", DNS_TYPE_MX), 800));
	ck_assert_uint_eq(n_sent, 1);
}
END_TEST

/* One that is silent to everybody may be away for a moment: after two sends the rest is spread. */
START_TEST(d27_silent_upstream_is_asked_later_too)
{
	unsigned known;

	for (known = 0; known < 2; known++) {
		begin(1);
		if (known)
			measure(0, 1);
		p.now_ns += NS_PER_MS; /* it was heard before */
		began_ns = p.now_ns;
		ck_assert(pass(ask("www.example", DNS_TYPE_MX), 10000));
		expect(1, known ? 50 : 400, 0, false);
		ck_assert(!sent[2].tcp && sent[3].tcp);
		for (unsigned i = 2; i < n_sent; i++) {
			ck_assert_uint_ge(sent[i].ms, sent[i - 1].ms + 500);
			ck_assert_uint_le(sent[i].ms, sent[i - 1].ms + 1500);
		}
		ck_assert_uint_ge(sent[n_sent - 1].ms, 2800);
		ck_assert_uint_le(sent[n_sent - 1].ms, 4300);
		if (!known)
			parts_fini(&p);
	}
}
END_TEST

/* Rule 34: a retry goes elsewhere; three sends to each over UDP, and at most three over TCP. */
START_TEST(rule34_retries_go_elsewhere)
{
	unsigned n[2][2] = { { 0 } };

	begin(2);
	measure(0, 1);
	measure(1, 1);
	ck_assert(pass(ask("www.example", DNS_TYPE_MX), 10000));
	for (unsigned i = 0; i < n_sent; i++) {
		n[sent[i].u][sent[i].tcp]++;
		if (i > 0 && i < 6)
			ck_assert_uint_ne(sent[i].u, sent[i - 1].u);
	}
	for (unsigned u = 0; u < 2; u++) {
		ck_assert_uint_eq(n[u][false], CONF_MOST_TRIES);
		ck_assert_uint_le(n[u][true], CONF_MOST_TRIES);
	}
}
END_TEST

/* What ICMP refused goes to the next upstream at once. */
START_TEST(d27_refused_goes_elsewhere_at_once)
{
	begin(2);
	refuses = true;
	ck_assert(!pass(ask("www.example", DNS_TYPE_MX), 8));
	ck_assert_uint_eq(n_sent, 2);
	expect(0, 0, 0, false);
	expect(1, 0, 1, false);
}
END_TEST

/* A sole upstream that refuses: once more at once, then later: it may be starting. */
START_TEST(d27_refused_by_the_only_one)
{
	begin(1);
	refuses = true;
	ck_assert(!pass(ask("www.example", DNS_TYPE_MX), 4400));
	ck_assert_uint_ge(n_sent, 3);
	expect(0, 0, 0, false);
	expect(1, 0, 0, false);
	for (unsigned i = 2; i < n_sent; i++)
		ck_assert_uint_ge(sent[i].ms, sent[i - 1].ms + 240);
	ck_assert_uint_ge(sent[n_sent - 1].ms, 2000);
}
END_TEST

/* D5: known to be down, all: one attempt, 1 s; refused: that is at once. */
START_TEST(d5_all_down_one_second)
{
	for (unsigned i = 0; i < 2; i++) {
		begin(1);
		p.upstreams.table[0].down = true;
		refuses = i == 1;
		ck_assert(pass(ask("www.example", DNS_TYPE_MX), 10000));
		ck_assert_int_eq(result.outcome, LOOKUP_SILENT);
		ck_assert_uint_ge(ended_ms(), refuses ? 0 : 992);
		ck_assert_uint_le(ended_ms(), refuses ? 8 : 1016);
		ck_assert_uint_eq(n_sent, 1);
		if (i == 0)
			parts_fini(&p);
	}
}
END_TEST

/* A probe is sent once, and waited for as long as its upstream is given until it is down. */
START_TEST(d27_probe_is_sent_once)
{
	struct lookup *l;

	begin(1);
	lookup_start_probe(&p.lookups, 0, WAY_AS_LEARNED, DNS_TYPE_NS);
	l = LIST_OBJECT(p.lookups.unsent.now.next, struct lookup, link);
	ck_assert(pass(l, 10000));
	ck_assert_uint_eq(n_sent, 1);
	ck_assert_uint_ge(ended_ms(), HEALTH_LOST_MS - 8);
	ck_assert_uint_le(ended_ms(), HEALTH_LOST_MS + 16);
}
END_TEST

/* D3: a lost question with CD is asked again, not taken for an answer; at last another is asked. */
START_TEST(d3_lost_check_is_asked_again)
{
	struct lookup *l;

	begin(2);
	measure(0, 1);
	l = ask("www.example", DNS_TYPE_AAAA);
	ck_assert(!pass(l, 8));
	p.udp[2] |= DNS_QR >> 8;
	p.udp[3] = DNS_SERVFAIL;
	ck_assert_ptr_null(
	    parts_hand_in(&p, last.to.transport, last.to.sock, p.udp, last.len, &result));
	ck_assert(!pass(l, 600));
	ck_assert_uint_ge(n_sent, 5);
	for (unsigned i = 1; i <= 3; i++) {
		ck_assert(sent[i].cd);
		ck_assert_uint_eq(sent[i].u, 0);
	}
	ck_assert(!sent[4].cd);
	ck_assert_uint_eq(sent[4].u, 1);
}
END_TEST

/* With nothing open and nothing to be sent nobody is kept waiting. */
START_TEST(it_ends_when_nothing_can_come)
{
	struct lookup *l;

	begin(1);
	p.conf.upstream_tries = 1;
	l = ask("www.example", DNS_TYPE_MX);
	l->stream.plan = LOOKUP_STREAM_KEPT;
	ck_assert(!pass(l, 8));
	ck_assert(sent[0].tcp);
	ck_assert_ptr_eq(parts_lose(&p, last.to.sock, false, &result), l);
	ck_assert_int_eq(result.outcome, LOOKUP_SILENT);
}
END_TEST

/*
 * D27: a lookup that had nothing to send and has something again waits for that: it is sent at once
 * when its upstream replies to somebody.
 */
START_TEST(d27_who_has_something_to_send_is_not_spent)
{
	struct lookup *l;
	uint64_t due;

	begin(1);
	l = ask("www.example", DNS_TYPE_MX);
	while (l->wait != LOOKUP_PAUSED)
		ck_assert(!pass(l, 4));
	lookup_set_wait(&p.lookups, l, LOOKUP_SPENT, l->end_ns); /* as after an error */
	due = l->timer.due;
	loss_ask_again(&p.lookups, 0, p.now_ns, p.now_ns);
	ck_assert_uint_eq(l->timer.due, due);
	ck_assert(attempt_send_now(&p.lookups, l, &result, p.now_ns));
	ck_assert_uint_eq(l->wait, LOOKUP_PAUSED);
	loss_ask_again(&p.lookups, 0, p.now_ns, p.now_ns);
	ck_assert_uint_le(l->timer.due, p.now_ns / WHEEL_TICK_NS + 1);
}
END_TEST

/* A probe has found another way: a question that was sent after it may be answered yet. */
START_TEST(d27_question_behind_the_probe_waits)
{
	struct lookup *l;
	uint64_t due;

	begin(1);
	p.now_ns += 3 * NS_PER_MS;
	l = ask("www.example", DNS_TYPE_MX);
	ck_assert(parts_next(&p, &last) && lookup_in_flight(l));
	due = l->timer.due;
	ck_assert_uint_gt(due, p.now_ns / WHEEL_TICK_NS + 1);
	loss_ask_again(&p.lookups, 0, p.now_ns - 1, p.now_ns);
	ck_assert_uint_eq(l->timer.due, due);
	loss_ask_again(&p.lookups, 0, p.now_ns, p.now_ns);
	ck_assert_uint_le(l->timer.due, p.now_ns / WHEEL_TICK_NS + 1);
}
END_TEST

/* Only what was sent once may still be answered: it is listened to until the end. */
START_TEST(d27_spent_lookup_listens)
{
	struct lookup *l;

	begin(1);
	p.conf.upstream_tries = 1;
	l = ask("www.example", DNS_TYPE_MX);
	ck_assert(!pass(l, 4000));
	ck_assert_uint_eq(n_sent, 1);
	ck_assert_uint_eq(l->wait, LOOKUP_SPENT);
	p.udp[2] |= DNS_QR >> 8;
	ck_assert_ptr_eq(
	    parts_hand_in(&p, last.to.transport, last.to.sock, p.udp, last.len, &result), l);
	ck_assert_int_eq(result.outcome, LOOKUP_REPLY);
}
END_TEST

/* D4, D27: the only upstream gave an error late, and what was sent since is lost: nobody waits on.
 */
START_TEST(d27_late_error_of_the_only_one)
{
	uint8_t first[512];
	struct lookup *l;
	size_t len;

	begin(1);
	l = ask("www.example", DNS_TYPE_MX);
	ck_assert(!pass(l, 8));
	len = last.len;
	memcpy(first, p.udp, len);
	ck_assert(!pass(l, 400));
	ck_assert_uint_eq(n_sent, 2);
	wire_set_u16(first + 2, DNS_QR | DNS_RD | DNS_RA | DNS_REFUSED);
	ck_assert_ptr_null(parts_hand_in(&p, last.to.transport, last.to.sock, first, len, &result));
	ck_assert(pass(l, 1000));
	ck_assert_int_eq(result.outcome, LOOKUP_ERROR);
	ck_assert_uint_eq(result.rcode, DNS_REFUSED);
	ck_assert_uint_eq(n_sent, 2);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, NULL, teardown);
	tcase_add_test(tc, d27_lost_question_is_asked_again_at_once);
	tcase_add_test(tc, d27_last_attempt_over_udp_is_kept);
	tcase_add_test(tc, d27_slow_upstream_is_waited_for);
	tcase_add_test(tc, d27_silent_upstream_is_asked_later_too);
	tcase_add_test(tc, rule34_retries_go_elsewhere);
	tcase_add_test(tc, d27_refused_goes_elsewhere_at_once);
	tcase_add_test(tc, d27_refused_by_the_only_one);
	tcase_add_test(tc, d5_all_down_one_second);
	tcase_add_test(tc, d27_probe_is_sent_once);
	tcase_add_test(tc, d3_lost_check_is_asked_again);
	tcase_add_test(tc, it_ends_when_nothing_can_come);
	tcase_add_test(tc, d27_who_has_something_to_send_is_not_spent);
	tcase_add_test(tc, d27_question_behind_the_probe_waits);
	tcase_add_test(tc, d27_spent_lookup_listens);
	tcase_add_test(tc, d27_late_error_of_the_only_one);
}
