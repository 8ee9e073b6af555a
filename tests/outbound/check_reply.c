/* SPDX-License-Identifier: BSD-2-Clause */
/* Replies: is it ours, and what if not; what the scenarios do not reach. */

#include "outbound/reply.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "dns/build.h"
#include "dns/wire.h"
#include "outbound/attempt.h"
#include "outbound/health.h"
#include "outbound/loss.h"
#include "scenario/parts.h"
#include "scenario/scene.h"
#include "support/heard.h"
#include "support/tests.h"

#define CAP 70000

static struct parts p;

static void
setup(void)
{
	parts_init(&p, 2, CAP);
}

static void
teardown(void)
{
	parts_fini(&p);
}

static struct lookup *
start(unsigned number, const struct lookup_wish *wish)
{
	char name[64];

	snprintf(name, sizeof(name), "n%u.example", number);
	return parts_lookup(&p, name, wish);
}

static const struct lookup_wish by_udp = { .prefer = UPSTREAM_NONE };
static const struct lookup_wish by_tcp = {
	.whole = true, .transport = TRANSPORT_TCP, .prefer = UPSTREAM_NONE
};

/* A reply over the connection to another upstream, or over UDP, is not ours. */
START_TEST(tcp_replies_count_on_their_connection)
{
	struct lookup_result result;
	struct packet_out send;
	struct lookup *l = start(1, &by_tcp);

	ck_assert(parts_next(&p, &send));
	ck_assert(packet_is(&send.to, PACKET_UPSTREAM, TRANSPORT_TCP));
	ck_assert_uint_eq(send.to.sock, 0);
	p.tcp[2] |= DNS_QR >> 8;
	ck_assert_ptr_null(parts_hand_in(&p, TRANSPORT_TCP, 1, p.tcp, send.len, &result));
	ck_assert_ptr_null(parts_hand_in(&p, TRANSPORT_UDP, 0, p.tcp, send.len, &result));
	ck_assert_uint_eq(parts_count(&p.stats.upstream_unknown_id), 2);
	ck_assert_ptr_eq(parts_hand_in(&p, TRANSPORT_TCP, 0, p.tcp, send.len, &result), l);
	ck_assert_uint_eq(p.upstreams.table[0].tcp[0].n_open, 0);
}
END_TEST

START_TEST(garbage_is_counted)
{
	struct lookup_result result;
	struct packet_out send;
	uint8_t msg[12] = { 0 };

	(void)start(1, &by_udp);
	ck_assert(parts_next(&p, &send));
	for (size_t len = 0; len < 12; len++)
		ck_assert_ptr_null(parts_hand_in(&p, TRANSPORT_UDP, 0, msg, len, &result));
	ck_assert_uint_eq(parts_count(&p.stats.upstream_short), 12);
	memcpy(msg, p.udp, 2);
	ck_assert_ptr_null(parts_hand_in(&p, TRANSPORT_UDP, 0, msg, 12, &result));
	ck_assert_uint_eq(parts_count(&p.stats.upstream_not_reply), 1);
	msg[2] = DNS_QR >> 8;
	ck_assert_ptr_null(parts_hand_in(&p, TRANSPORT_UDP, 0, msg, 12, &result));
	ck_assert_uint_eq(parts_count(&p.stats.upstream_mismatch), 1);
	ck_assert_uint_eq(parts_count(&p.stats.upstream_replies), 0);
}
END_TEST

/*
 * RULES D25: whatever it says, the reply to a probe shows that its upstream is alive, and ends it.
 */
START_TEST(d25_any_reply_ends_a_probe)
{
	struct lookup_result result;
	struct packet_out send;

	lookup_start_probe(&p.lookups, 0, WAY_AS_LEARNED, DNS_TYPE_NS);
	ck_assert(parts_next(&p, &send));
	p.upstreams.table[0].down = true;
	p.upstreams.table[0].failures.n = HEALTH_SILENCES;
	p.udp[2] |= DNS_QR >> 8;
	wire_set_u16(p.udp + 6, 1); /* an answer that is not there */
	ck_assert_ptr_nonnull(
	    parts_hand_in(&p, send.to.transport, send.to.sock, p.udp, send.len, &result));
	ck_assert_int_eq(result.outcome, LOOKUP_SILENT);
	ck_assert(!p.upstreams.table[0].down);
	ck_assert_uint_eq(parts_count(&p.stats.upstream_malformed), 1);
	ck_assert_uint_eq(parts_count(&p.stats.upstream_errors), 0);
}
END_TEST

/* The result tells whether the upstream that gave it is trusted (RULES D9). */
START_TEST(d9_result_tells_if_trusted)
{
	struct lookup_result result;
	struct packet_out send;

	p.upstreams.table[1].conf.trusted = true;
	for (uint16_t u = 0; u < 2; u++) {
		const struct lookup_wish wish = { .prefer = u };
		struct lookup *l = start(u, &wish);

		ck_assert(parts_next(&p, &send));
		p.udp[2] |= DNS_QR >> 8;
		ck_assert_ptr_eq(parts_hand_in(&p, TRANSPORT_UDP, u, p.udp, send.len, &result), l);
		ck_assert_uint_eq(result.upstream, u);
		ck_assert(result.trusted == (u == 1));
	}
}
END_TEST

/* Not only the first that comes from an upstream, after which it has nothing more to be learned. */
START_TEST(each_reply_of_a_turn_is_told)
{
	const struct lookup_wish wish = { .prefer = 0 };
	struct lookup_result result;
	struct packet_out send;

	heard_start(LOG_LEVEL_DEBUG);
	p.lookups.traced.anybody = true;
	upstreams_watch(&p.upstreams);
	for (unsigned i = 0; i < 3; i++) {
		(void)start(i, &wish);
		ck_assert(parts_next(&p, &send));
		p.udp[2] |= DNS_QR >> 8;
		ck_assert_ptr_nonnull(
		    parts_hand_in(&p, TRANSPORT_UDP, 0, p.udp, send.len, &result));
	}
	ck_assert_uint_eq(heard(": replies about n"), 3);
	heard_end();
}
END_TEST

/* RULES D3: that a question with CD is answered tells nothing of those without. */
START_TEST(d3_reply_to_cd_ends_no_errors)
{
	struct lookup_result result;
	struct packet_out send;
	uint8_t qname[DNS_NAME_MAX];
	struct question key = parts_key("n1.example", DNS_TYPE_AAAA, qname);
	bool found;
	struct lookup *l = lookup_find_or_start(&p.lookups, &key, &by_udp, &found);

	ck_assert_ptr_nonnull(l);
	ck_assert(parts_next(&p, &send));
	const struct upstream *up = &p.upstreams.table[l->upstream];
	wire_set_u16(p.udp + 2, DNS_QR | DNS_RD | DNS_RA | DNS_SERVFAIL);
	ck_assert_ptr_null(
	    parts_hand_in(&p, send.to.transport, send.to.sock, p.udp, send.len, &result));
	ck_assert_uint_eq(up->errors.n, 1);
	ck_assert(parts_next(&p, &send));
	ck_assert_uint_ne(wire_u16(p.udp + 2) & DNS_CD, 0);
	wire_set_u16(p.udp + 2, DNS_QR | DNS_RD | DNS_RA | DNS_CD);
	ck_assert_ptr_null(
	    parts_hand_in(&p, send.to.transport, send.to.sock, p.udp, send.len, &result));
	ck_assert_uint_eq(up->errors.n, 1);
}
END_TEST

/* RULES D1: a referral is told by all records of authority, whatever their order, and by no other.
 */
static const struct {
	const char *records[2];
	bool lame;
} referrals[] = {
	{ { "au example. 300 NS ns.example.", "au example. 300 NS ns2.example." }, true },
	{ { "au example. 300 TYPE43 0000", "au example. 300 NS ns.example." }, true },
	{ { "au example. 300 NS ns.example.", "au example. 300 TYPE43 0000" }, true },
	{ { "au example. 300 NS ns.example.", "au example. 300 SOA ns. host. 60" }, false },
	{ { "au example. 300 SOA ns. host. 60", "au example. 300 NS ns.example." }, false },
	{ { "au example. 300 TYPE43 0000", "ad example. 300 NS ns.example." }, false },
	{ { "au example. 300 NS ns.example.", "ad example. 300 SOA ns. host. 60" }, true },
};

START_TEST(d1_referral_is_told_by_all_of_authority)
{
	const struct build_opt opt = { .present = true, .bufsize = 1232, .ede = DNS_EDE_NONE };
	struct lookup *l = start(1, &by_udp);
	struct lookup_result result;
	struct packet_out send;
	uint8_t msg[512];
	struct build b;

	ck_assert(parts_next(&p, &send));
	build_start(&b, msg, sizeof(msg),
	    &(struct build_question){ .id = wire_u16(p.udp),
		.flags = DNS_QR | DNS_RD | DNS_RA,
		.qname = p.udp + DNS_HEADER_LEN,
		.qtype = DNS_TYPE_MX,
		.qclass = DNS_CLASS_IN });
	for (unsigned i = 0; i < 2; i++)
		ck_assert(scene_put(&b, referrals[_i].records[i]));
	struct lookup *ended = parts_hand_in(
	    &p, TRANSPORT_UDP, send.to.sock, msg, build_finish(&b, sizeof(msg), &opt), &result);
	ck_assert_uint_eq(parts_count(&p.stats.upstream_lame), referrals[_i].lame);
	ck_assert_ptr_eq(ended, referrals[_i].lame ? NULL : l);
}
END_TEST

/* --- late replies (RULES D27) ------------------------------------------------------------------
 */

/* A question that was sent twice: the first attempt, and where it went. */
struct twice {
	struct lookup *l;
	struct packet_out first;
	uint8_t bytes[512];
	struct packet_out again; /* its bytes are in p.udp */
};

static struct twice
sent_twice(unsigned number, bool aaaa)
{
	uint8_t qname[DNS_NAME_MAX];
	struct question key = parts_key("late.example", DNS_TYPE_AAAA, qname);
	struct lookup_result result;
	struct twice t;
	bool found;

	t.l =
	    aaaa ? lookup_find_or_start(&p.lookups, &key, &by_udp, &found) : start(number, &by_udp);
	ck_assert(parts_next(&p, &t.first));
	memcpy(t.bytes, p.udp, t.first.len);
	p.now_ns += 400 * NS_PER_MS;
	ck_assert(!loss_on_timer(&p.lookups, t.l, &result, p.now_ns));
	ck_assert(parts_next(&p, &t.again));
	ck_assert_uint_ne(t.first.to.sock, t.again.to.sock);
	p.now_ns += 200 * NS_PER_MS;
	return t;
}

/* The reply to T's first attempt comes, with RCODE and FLAGS. Returns what it ends. */
static struct lookup *
late(struct twice *t, unsigned flags, struct lookup_result *result)
{
	wire_set_u16(t->bytes + 2, (uint16_t)(DNS_QR | DNS_RD | DNS_RA | flags));
	return parts_hand_in(
	    &p, t->first.to.transport, t->first.to.sock, t->bytes, t->first.len, result);
}

/* It ends its lookup, all IDs are given back, and the time is that of its own attempt. */
START_TEST(d27_late_reply_ends_and_teaches)
{
	struct lookup_result result;
	struct twice t = sent_twice(1, false);
	const struct upstream *up = &p.upstreams.table[t.first.to.sock];

	ck_assert_uint_eq(txid_room(&p.lookups.spaces[0]), TXID_COUNT - 2);
	ck_assert_ptr_eq(late(&t, DNS_NXDOMAIN, &result), t.l);
	ck_assert_int_eq(result.outcome, LOOKUP_REPLY);
	ck_assert_uint_eq(result.upstream, t.first.to.sock);
	ck_assert_uint_eq(up->times[UPSTREAM_PRIMARY].srtt_ns | 1, 600 * NS_PER_MS | 1);
	ck_assert_uint_eq(up->tally.late, 1);
	ck_assert_uint_eq(parts_count(&p.stats.upstream_overdue), 1);
	ck_assert_uint_eq(up->failures.n, 0);
	lookup_free(&p.lookups, t.l);
	ck_assert_uint_eq(txid_room(&p.lookups.spaces[0]), TXID_COUNT);
	ck_assert_uint_eq(p.lookups.attempts.n_used, 0);
	ck_assert_ptr_null(late(&t, DNS_NXDOMAIN, &result)); /* once more */
	ck_assert_uint_eq(parts_count(&p.stats.upstream_late), 1);
}
END_TEST

/* It must come by the socket of its own attempt. */
START_TEST(d27_late_reply_has_its_own_socket)
{
	struct lookup_result result;
	struct twice t = sent_twice(1, false);

	t.first.to.sock = t.again.to.sock;
	ck_assert_ptr_null(late(&t, 0, &result));
	ck_assert_uint_eq(parts_count(&p.stats.upstream_unknown_id), 1);
}
END_TEST

/* Of a late error is noted whose it is; who is awaited goes on being awaited. */
START_TEST(d27_late_error_is_noted)
{
	struct lookup_result result;
	struct twice t = sent_twice(1, false);
	uint64_t due = t.l->timer.due;

	ck_assert_ptr_null(late(&t, DNS_REFUSED, &result));
	ck_assert(!parts_next(&p, &t.first));
	ck_assert_uint_eq(t.l->tried.errored, 1);
	ck_assert_uint_eq(t.l->upstream, 1);
	ck_assert_uint_eq(t.l->timer.due, due);
	ck_assert_ptr_null(t.l->earlier);
	ck_assert_uint_eq(txid_room(&p.lookups.spaces[0]), TXID_COUNT - 1);
	p.udp[2] |= DNS_QR >> 8;
	ck_assert_ptr_eq(
	    parts_hand_in(&p, t.again.to.transport, t.again.to.sock, p.udp, t.again.len, &result),
	    t.l);
}
END_TEST

/* What leads to a further question does so; the attempt that was awaited stands by. */
START_TEST(d27_late_reply_leads_on)
{
	static const struct {
		unsigned flags;
		bool aaaa, tcp, cd;
	} cases[] = { { DNS_TC, true, true, false }, { DNS_SERVFAIL, true, false, true } };
	struct lookup_result result;
	struct packet_out send;
	uint8_t again[512];
	struct twice t = sent_twice(1, cases[_i].aaaa);
	const uint8_t *msg = cases[_i].tcp ? p.tcp : p.udp;

	t.l->waiters.whole = true;
	memcpy(again, p.udp, t.again.len);
	ck_assert_ptr_null(late(&t, cases[_i].flags, &result));
	ck_assert(parts_next(&p, &send));
	ck_assert_uint_eq(t.l->upstream, 0);
	ck_assert_uint_eq(t.l->tried.errored, 0);
	ck_assert(
	    packet_is(&send.to, PACKET_UPSTREAM, cases[_i].tcp ? TRANSPORT_TCP : TRANSPORT_UDP));
	ck_assert((wire_u16(msg + 2) & DNS_CD) == (cases[_i].cd ? DNS_CD : 0));
	again[2] |= DNS_QR >> 8;
	ck_assert_ptr_eq(
	    parts_hand_in(&p, t.again.to.transport, t.again.to.sock, again, t.again.len, &result),
	    t.l);
	ck_assert_int_eq(result.outcome, LOOKUP_REPLY);
	ck_assert_uint_eq(result.upstream, 1);
}
END_TEST

/* Nothing leads away from a question that checks a reply of another upstream. */
START_TEST(d27_late_reply_leads_away_from_no_check)
{
	struct lookup_result result;
	struct packet_out send;
	struct twice t = sent_twice(1, true);

	wire_set_u16(p.udp + 2, DNS_QR | DNS_RD | DNS_RA | DNS_SERVFAIL);
	ck_assert_ptr_null(
	    parts_hand_in(&p, t.again.to.transport, t.again.to.sock, p.udp, t.again.len, &result));
	ck_assert(parts_next(&p, &send));
	ck_assert_uint_ne(wire_u16(p.udp + 2) & DNS_CD, 0);
	ck_assert_ptr_null(late(&t, DNS_TC, &result));
	ck_assert(!parts_next(&p, &t.again));
	ck_assert_uint_eq(t.l->upstream, 1);
	ck_assert_uint_eq(t.l->check, LOOKUP_CHECK_CD);
	ck_assert_ptr_null(t.l->earlier);
	/* But one that is the answer is taken. */
	lookup_free(&p.lookups, t.l);
	t = sent_twice(1, true);
	ck_assert_ptr_eq(late(&t, DNS_NXDOMAIN, &result), t.l);
}
END_TEST

/*
 * Many messages come at a time. What a late one does to a question that the one before it has put
 * on the list to be sent: with another name in it, nothing.
 */
START_TEST(d27_late_near_miss_leaves_the_next_question)
{
	struct lookup_result result;
	struct packet_out send;
	struct twice t = sent_twice(1, true);

	wire_set_u16(p.udp + 2, DNS_QR | DNS_RD | DNS_RA | DNS_SERVFAIL);
	ck_assert_ptr_null(
	    parts_hand_in(&p, t.again.to.transport, t.again.to.sock, p.udp, t.again.len, &result));
	t.bytes[DNS_HEADER_LEN + 1] = 'x';
	ck_assert_ptr_null(late(&t, 0, &result));
	ck_assert_uint_eq(parts_count(&p.stats.upstream_mismatch), 1);
	ck_assert_uint_eq(txid_room(&p.lookups.spaces[0]), TXID_COUNT - 1);
	ck_assert(parts_next(&p, &send));
	ck_assert_uint_eq(send.to.sock, t.again.to.sock);
	ck_assert_uint_ne(wire_u16(p.udp + 2) & DNS_CD, 0);
	ck_assert(!list_empty(&t.l->timer.link));
	/* The right reply to the first attempt is taken still. */
	t.bytes[DNS_HEADER_LEN + 1] = 'l';
	ck_assert_ptr_eq(late(&t, DNS_NXDOMAIN, &result), t.l);
}
END_TEST

/* So it is when the lookup is about to end with its truncated reply. */
START_TEST(d27_late_near_miss_leaves_the_end)
{
	struct lookup_result result;
	struct packet_out send;
	struct twice t = sent_twice(1, false);
	struct lookup *l = t.l;
	struct msg m;

	wire_set_u16(p.udp + 2, DNS_QR | DNS_RD | DNS_RA | DNS_TC);
	ck_assert_int_eq(msg_parse(&m, p.udp, t.again.len), MSG_OK);
	lookup_keep_truncated(&p.lookups, l, &m);
	for (struct attempt *a = l->earlier; a != NULL; a = a->next)
		ck_assert(a->silent);
	l->tried.errored = UINT64_MAX;
	wire_set_u16(p.udp + 2, DNS_QR | DNS_RD | DNS_RA | DNS_REFUSED);
	ck_assert_ptr_null(
	    parts_hand_in(&p, t.again.to.transport, t.again.to.sock, p.udp, t.again.len, &result));
	t.bytes[DNS_HEADER_LEN + 1] = 'x';
	ck_assert_ptr_null(late(&t, 0, &result));
	ck_assert(!parts_next(&p, &send));
	ck_assert_ptr_eq(attempt_next_truncated(&p.lookups, &result), l);
	ck_assert_int_eq(result.outcome, LOOKUP_TRUNCATED);
}
END_TEST

/* An upstream that answers BADCOOKIE to everything, late, is not asked once for each of these. */
START_TEST(d27_late_badcookies_do_not_lead_on_in_turn)
{
	struct lookup_result result;
	struct packet_out send;
	uint8_t question[2][512];
	unsigned n = 0;
	struct lookup *l;
	size_t opt;

	p.conf.cookies.upstream = true;
	p.upstreams.n_order = 1;
	l = start(1, &by_udp);
	opt = (size_t)DNS_HEADER_LEN + l->key.qname_len + 4;
	for (unsigned i = 0; i < 2; i++) {
		ck_assert(parts_next(&p, &send));
		memcpy(question[i], p.udp, send.len);
		p.now_ns += 400 * NS_PER_MS;
		if (i == 0)
			ck_assert(!loss_on_timer(&p.lookups, l, &result, p.now_ns));
	}
	/* Always to the attempt before the last. */
	for (; n < 20; n++) {
		uint8_t *q = question[n % 2];

		wire_set_u16(q + 2, DNS_QR | DNS_RD | DNS_RA | (DNS_BADCOOKIE & DNS_RCODE));
		q[opt + 5] = DNS_BADCOOKIE >> 4;
		wire_set_u16(q + opt + 9, 0); /* without a cookie */
		ck_assert_ptr_null(parts_hand_in(&p, TRANSPORT_UDP, 0, q, opt + 11, &result));
		if (!parts_next(&p, &send))
			break;
		memcpy(q, p.udp, send.len);
	}
	ck_assert_uint_eq(n, 1);
	ck_assert_uint_eq(parts_count(&p.stats.upstream_badcookie), 1);
	ck_assert_uint_eq(l->tried.errored, 0);
	ck_assert(!list_empty(&l->timer.link));
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 300);
	tcase_add_test(tc, tcp_replies_count_on_their_connection);
	tcase_add_test(tc, garbage_is_counted);
	tcase_add_test(tc, d9_result_tells_if_trusted);
	tcase_add_test(tc, each_reply_of_a_turn_is_told);
	tcase_add_test(tc, d25_any_reply_ends_a_probe);
	tcase_add_test(tc, d3_reply_to_cd_ends_no_errors);
	tcase_add_loop_test(tc, d1_referral_is_told_by_all_of_authority, 0,
	    sizeof(referrals) / sizeof(referrals[0]));
	tcase_add_test(tc, d27_late_reply_ends_and_teaches);
	tcase_add_test(tc, d27_late_reply_has_its_own_socket);
	tcase_add_test(tc, d27_late_error_is_noted);
	tcase_add_loop_test(tc, d27_late_reply_leads_on, 0, 2);
	tcase_add_test(tc, d27_late_reply_leads_away_from_no_check);
	tcase_add_test(tc, d27_late_near_miss_leaves_the_next_question);
	tcase_add_test(tc, d27_late_near_miss_leaves_the_end);
	tcase_add_test(tc, d27_late_badcookies_do_not_lead_on_in_turn);
}
