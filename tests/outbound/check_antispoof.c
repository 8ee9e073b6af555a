/* SPDX-License-Identifier: BSD-2-Clause */
/* 0x20 and its fallback (RULES D21): what the scenarios d21-*.scn do not reach. */

#include "outbound/antispoof.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "dns/build.h"
#include "dns/name.h"
#include "dns/wire.h"
#include "outbound/attempt.h"
#include "outbound/loss.h"
#include "outbound/reply.h"
#include "scenario/parts.h"
#include "support/message.h"
#include "support/tests.h"

#define CAP 64

static struct parts p;

static void
setup(void)
{
	parts_init(&p, 2, CAP);
	p.conf.case_randomization = true;
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

	snprintf(name, sizeof(name), "n%u.long-enough-name.example", number);
	return parts_lookup(&p, name, wish);
}

static const struct lookup_wish by_udp = { .prefer = UPSTREAM_NONE };

/* Ask, and reply in lower case, with MSG_LEN - CUT bytes. */
static struct lookup *
near_miss(unsigned number, size_t cut)
{
	struct lookup_result result;
	struct packet_out send;
	struct lookup *l = start(number, &by_udp);

	ck_assert(parts_next(&p, &send));
	p.udp[2] |= DNS_QR >> 8;
	name_lower(p.udp + DNS_HEADER_LEN, p.udp + DNS_HEADER_LEN, l->key.qname_len);
	ck_assert_ptr_null(
	    parts_hand_in(&p, send.to.transport, send.to.sock, p.udp, send.len - cut, &result));
	ck_assert_uint_eq(l->here.suspect, LOOKUP_SUSPECT_CASE);
	return l;
}

/* Upstream 0 is asked by another socket from now on. */
static void
new_socket(void)
{
	int slot = upstreams_socket_add(&p.upstreams, 0, 0);

	ck_assert_int_ge(slot, 0);
	p.upstreams.table[0].socket[0] = slot;
}

/* The question is drawn anew for each; all bits of the drawn number are of use. */
START_TEST(d21_each_question_has_its_own_case)
{
	struct packet_out send;
	uint64_t first;
	struct lookup *l = start(1, &by_udp);

	ck_assert(parts_next(&p, &send));
	first = l->now.cases;
	ck_assert_uint_ne(first, 0);
	ck_assert_int_eq(antispoof_name(&p.lookups, l, p.udp + DNS_HEADER_LEN), ANTISPOOF_SAME);
	ck_assert_int_eq(antispoof_name(&p.lookups, l, l->key.qname), ANTISPOOF_SUSPECT_CASE);
	p.udp[DNS_HEADER_LEN + 1] = 'x';
	ck_assert_int_eq(antispoof_name(&p.lookups, l, p.udp + DNS_HEADER_LEN), ANTISPOOF_OTHER);
	l = start(2, &by_udp);
	ck_assert(parts_next(&p, &send));
	ck_assert_uint_ne(l->now.cases, first);
}
END_TEST

/* Nothing of the case we asked in is left, wherever an upstream repeats it (RULES D21, D24). */
START_TEST(d21_nothing_of_the_mixed_case_is_left)
{
	const struct build_opt opt = { .present = true, .bufsize = 1232, .ede = 22 };
	static const uint8_t other[] = { 5, 'O', 't', 'h', 'e', 'r', 0 };
	static const uint8_t v4[4] = { 192, 0, 2, 1 };
	uint8_t mixed[DNS_NAME_MAX], target[DNS_NAME_MAX], lower[DNS_NAME_MAX], msg[2048];
	struct lookup_result result;
	struct packet_out send;
	struct build b;
	struct msg m;
	struct rr rr;
	struct lookup *l = start(1, &by_udp);
	size_t first;

	ck_assert(parts_next(&p, &send));
	memcpy(mixed, p.udp + DNS_HEADER_LEN, l->key.qname_len);
	ck_assert_mem_ne(mixed, l->key.qname, l->key.qname_len);
	/* first.other, the first label as in the question */
	first = (size_t)mixed[0] + 1 + mixed[mixed[0] + 1] + 1;
	memcpy(target, mixed, first);
	memcpy(target + first, other, sizeof(other));
	ck_assert_int_eq(msg_parse(&m, p.udp, send.len), MSG_OK);
	build_start(&b, msg, sizeof(msg),
	    &(struct build_question){ .id = m.id,
		.flags = DNS_QR,
		.qname = l->key.qname,
		.qtype = m.qtype,
		.qclass = m.qclass });
	ck_assert(
	    build_rr(&b, MSG_ANSWER, mixed + first, DNS_TYPE_DNAME, 1, 60, other, sizeof(other)));
	/* Not the question, so that it is written out, as are the names in RDATA. */
	msg[DNS_HEADER_LEN + 1] = '-';
	ck_assert(build_rr(&b, MSG_ANSWER, mixed, DNS_TYPE_CNAME, 1, 60, target,
	    (uint16_t)(first + sizeof(other))));
	ck_assert(build_rr(&b, MSG_ANSWER, target, DNS_TYPE_A, 1, 60, v4, 4));
	memcpy(msg + DNS_HEADER_LEN, mixed, l->key.qname_len);
	ck_assert_ptr_eq(parts_hand_in(&p, send.to.transport, send.to.sock, msg,
			     build_finish(&b, 2048, &opt), &result),
	    l);
	ck_assert_mem_eq(msg_qname(result.msg), l->key.qname, l->key.qname_len);
	ck_assert_mem_eq(msg + DNS_HEADER_LEN, mixed, l->key.qname_len); /* the input stays */
	ck_assert_uint_eq(msg_ede(result.msg), 22);
	rr = message_record(result.msg, MSG_ANSWER, 1);
	ck_assert_uint_eq(msg_owner(result.msg, &rr, lower), l->key.qname_len);
	ck_assert_mem_eq(lower, l->key.qname, l->key.qname_len);
	memcpy(target, l->key.qname, first);
	ck_assert_uint_eq(msg_rdata_name(result.msg, &rr, 0, lower), first + sizeof(other));
	ck_assert_mem_eq(lower, target, first + sizeof(other));
	rr = message_record(result.msg, MSG_ANSWER, 2);
	ck_assert_uint_eq(msg_owner(result.msg, &rr, lower), first + sizeof(other));
	ck_assert_mem_eq(lower, target, first + sizeof(other));
}
END_TEST

/* A malformed near miss cannot be confirmed, however often. */
START_TEST(d21_malformed_is_never_the_same)
{
	struct lookup_result result;
	struct packet_out send;

	for (unsigned i = 0; i < 2 * UPSTREAM_SAME; i++) {
		struct lookup *l = near_miss(i, 1);

		ck_assert(parts_next(&p, &send));
		ck_assert(packet_is(&send.to, PACKET_UPSTREAM, TRANSPORT_TCP));
		ck_assert_uint_eq(l->now.cases, 0);
		p.tcp[2] |= DNS_QR >> 8;
		ck_assert_ptr_eq(
		    parts_hand_in(&p, send.to.transport, send.to.sock, p.tcp, send.len, &result),
		    l);
		lookup_free(&p.lookups, l);
	}
	ck_assert_uint_eq(parts_count(&p.stats.upstream_unguarded), 0);
	ck_assert_uint_eq(parts_count(&p.stats.upstream_case), 2 * UPSTREAM_SAME);
}
END_TEST

/* What was learned about one upstream says nothing of another. */
START_TEST(d21_each_upstream_for_itself)
{
	struct lookup_result result;
	struct packet_out send;
	struct lookup *l;

	for (unsigned i = 0; i < UPSTREAM_SAME; i++) {
		l = near_miss(i, 0);
		new_socket();
		ck_assert(parts_next(&p, &send));
		p.tcp[2] |= DNS_QR >> 8;
		ck_assert_ptr_eq(
		    parts_hand_in(&p, send.to.transport, send.to.sock, p.tcp, send.len, &result),
		    l);
		lookup_free(&p.lookups, l);
	}
	ck_assert_uint_eq(parts_count(&p.stats.upstream_unguarded), 1);
	ck_assert(!upstream_guarded(&p.upstreams.table[0].case_guard, p.now_ns));
	ck_assert(upstream_guarded(
	    &p.upstreams.table[0].case_guard, p.now_ns + UPSTREAM_UNGUARDED_MS * NS_PER_MS));
	l = start(9, &(struct lookup_wish){ .prefer = 0 });
	ck_assert(parts_next(&p, &send));
	ck_assert_uint_eq(l->now.cases, 0);
	l = start(10, &(struct lookup_wish){ .prefer = 1 });
	ck_assert(parts_next(&p, &send));
	ck_assert_uint_ne(l->now.cases, 0);
}
END_TEST

/* A question to upstream 0, and a reply that repeats its case or, not RIGHT, is in lower case. */
static struct lookup *
ask(unsigned number, bool right, bool with_cookie, struct lookup_result *result)
{
	const struct lookup_wish wish = { .prefer = 0 };
	struct lookup *l = start(number, &wish);
	struct packet_out send;
	size_t len, n = 0;
	struct msg m;

	PARTS_CHECK(parts_next(&p, &send));
	p.udp[2] |= DNS_QR >> 8;
	len = send.len;
	PARTS_CHECK(msg_parse(&m, p.udp, len) == MSG_OK);
	if (!right)
		name_lower(p.udp + DNS_HEADER_LEN, p.udp + DNS_HEADER_LEN, l->key.qname_len);
	if (msg_option(&m, EDNS_COOKIE, &n) != NULL && n == DNS_COOKIE_CLIENT && with_cookie) {
		/* the cookie, which is last, becomes longer by the upstream's part */
		memset(p.udp + len, 7, 8);
		len += 8;
		wire_set_u16(
		    p.udp + m.edns.at + DNS_OPT_LEN - 2, (uint16_t)(m.edns.options_len + 8));
		wire_set_u16(p.udp + m.edns.at + DNS_OPT_LEN + 2, DNS_COOKIE_MIN);
	} else if (!with_cookie) {
		len = m.edns.at;
		wire_set_u16(p.udp + 10, 0);
	}
	if (parts_hand_in(&p, send.to.transport, send.to.sock, p.udp, len, result) == NULL)
		return NULL;
	return l;
}

static void
ask_right(unsigned number, bool with_cookie)
{
	struct lookup_result result;
	struct lookup *l = ask(number, true, with_cookie, &result);

	PARTS_CHECK(l != NULL);
	lookup_free(&p.lookups, l);
}

/* A near miss on the socket in use, which TCP confirms. */
static void
ask_near_miss(unsigned number, bool right, bool with_cookie)
{
	struct lookup_result result;
	struct packet_out send;
	struct lookup *l;

	PARTS_CHECK(ask(number, right, with_cookie, &result) == NULL);
	PARTS_CHECK(parts_next(&p, &send) && packet_is(&send.to, PACKET_UPSTREAM, TRANSPORT_TCP));
	p.tcp[2] |= DNS_QR >> 8;
	l = parts_hand_in(&p, send.to.transport, send.to.sock, p.tcp, send.len, &result);
	PARTS_CHECK(l != NULL);
	lookup_free(&p.lookups, l);
}

/*
 * What has been right 64 times in a row is not given up for near misses on fewer than 8 sockets, be
 * they confirmed, nor for such as are not; a reply that is right takes the count back (RULES D21).
 */
START_TEST(d21_proven_stays)
{
	const struct upstream *up = &p.upstreams.table[0];
	unsigned n = 0;

	for (; n < UPSTREAM_PROVEN; n++)
		ask_right(n, false);
	ck_assert(up->case_guard.settled);
	for (unsigned i = 0; i < 20; i++)
		ask_near_miss(n++, false, false);
	ck_assert_uint_eq(parts_count(&p.stats.upstream_unguarded), 0);
	for (unsigned i = 0; i < UPSTREAM_SEEN - 2; i++) {
		new_socket();
		ask_near_miss(n++, false, false);
	}
	ck_assert_uint_eq(up->case_guard.n_seen, UPSTREAM_SEEN - 1);
	ask_right(n++, false);
	ck_assert(up->case_guard.settled);
	for (unsigned i = 0; i < UPSTREAM_SEEN - 1; i++) {
		new_socket();
		ask_near_miss(n++, false, false);
	}
	ck_assert_uint_eq(parts_count(&p.stats.upstream_unguarded), 0);
	new_socket();
	ask_near_miss(n++, false, false);
	ck_assert_uint_eq(parts_count(&p.stats.upstream_unguarded), 1);
	ck_assert(!upstream_guarded(&up->case_guard, p.now_ns));
}
END_TEST

/* 63 are not enough; a near miss begins the row anew; then three do, as for one that never was. */
START_TEST(d21_63_right_replies_prove_nothing)
{
	const struct upstream *up = &p.upstreams.table[0];
	unsigned n = 0;

	for (; n < UPSTREAM_PROVEN - 1; n++)
		ask_right(n, false);
	ask_near_miss(n++, false, false);
	for (unsigned i = 0; i < UPSTREAM_PROVEN - 1; i++)
		ask_right(n++, false);
	ck_assert(!up->case_guard.settled);
	for (unsigned i = 0; i < UPSTREAM_SAME; i++, new_socket())
		ask_near_miss(n++, false, false);
	ck_assert_uint_eq(parts_count(&p.stats.upstream_unguarded), 1);
}
END_TEST

/* However many there are by two sockets, they may be one forger's who knows these. */
START_TEST(d21_two_sockets_prove_nothing)
{
	for (unsigned i = 0; i < 20; i++) {
		if (i == 10)
			new_socket();
		ask_near_miss(i, false, false);
	}
	ck_assert_uint_eq(parts_count(&p.stats.upstream_unguarded), 0);
	new_socket();
	ask_near_miss(20, false, false);
	ck_assert_uint_eq(parts_count(&p.stats.upstream_unguarded), 1);
}
END_TEST

/* A question that happens to have no capital proves nothing: nor does it take anything back. */
START_TEST(d21_question_without_capital_proves_nothing)
{
	const struct lookup_wish wish = { .prefer = 0 };
	const struct upstream *up = &p.upstreams.table[0];
	struct lookup_result result;
	struct packet_out send;

	for (unsigned i = 0; i < 2; i++, new_socket())
		ask_near_miss(i, false, false);
	for (unsigned i = 0; i < 100; i++) {
		char name[8];
		struct lookup *l;

		snprintf(name, sizeof(name), "%u", i);
		l = parts_lookup(&p, name, &wish);
		PARTS_CHECK(parts_next(&p, &send));
		p.udp[2] |= DNS_QR >> 8;
		PARTS_CHECK(parts_hand_in(&p, send.to.transport, send.to.sock, p.udp, send.len,
				&result) == l);
		lookup_free(&p.lookups, l);
	}
	ck_assert_uint_eq(up->case_guard.n_right, 0);
	ask_near_miss(2, false, false);
	ck_assert_uint_eq(parts_count(&p.stats.upstream_unguarded), 1);
}
END_TEST

/* RFC 7873 section 5.3: of a length that there is, and with our own part. */
START_TEST(d21_cookie_has_its_length_and_our_part)
{
	static const struct {
		uint16_t len;
		uint8_t first;
		bool right;
	} cases[] = { { 7, 1, false }, { 8, 1, false }, { 15, 1, false }, { 16, 1, true },
		{ 16, 2, false }, { 40, 1, true }, { 41, 1, false } };
	static const uint8_t ours[DNS_COOKIE_CLIENT] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	struct lookup *l = start(1, &by_udp);
	struct packet_out send;
	struct msg m;

	ck_assert(parts_next(&p, &send));
	struct upstream *up = &p.upstreams.table[l->upstream];
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint8_t bytes[128] = { 0x12, 0x34, 0x81, 0x80, [11] = 1 };
		uint8_t *opt = bytes + DNS_HEADER_LEN, *option = opt + DNS_OPT_LEN;

		memcpy(up->cookie.bytes, ours, sizeof(ours));
		up->cookie.len = DNS_COOKIE_CLIENT;
		wire_set_u16(opt + 1, DNS_TYPE_OPT);
		wire_set_u16(opt + DNS_OPT_LEN - 2, (uint16_t)(cases[i].len + 4));
		wire_set_u16(option, EDNS_COOKIE);
		wire_set_u16(option + 2, cases[i].len);
		memcpy(option + 4, ours, sizeof(ours));
		option[4] = cases[i].first;
		ck_assert_int_eq(
		    msg_parse(&m, bytes, (size_t)(option - bytes) + 4 + cases[i].len), MSG_OK);
		ck_assert_msg(
		    antispoof_cookie_right(&p.lookups, l, &m) == cases[i].right, "case %zu", i);
		ck_assert_uint_eq(
		    up->cookie.len, cases[i].right ? cases[i].len : DNS_COOKIE_CLIENT);
	}
}
END_TEST

/* The same for cookies, from the first that the upstream gave on. */
START_TEST(d21_proven_cookie)
{
	const struct upstream *up = &p.upstreams.table[0];
	unsigned n = 0;

	p.conf.case_randomization = false;
	p.conf.cookies.upstream = true;
	for (; n < 3; n++)
		ask_right(n, false);
	ck_assert_uint_eq(up->cookie.guard.n_right, 0);
	ask_right(n++, true); /* gives one */
	for (unsigned i = 0; i < UPSTREAM_PROVEN; i++)
		ask_right(n++, true);
	ck_assert(up->cookie.guard.settled);
	for (unsigned i = 1; i < UPSTREAM_SEEN; i++, new_socket())
		ask_near_miss(n++, true, false);
	ck_assert_uint_eq(parts_count(&p.stats.upstream_unguarded), 0);
	ask_near_miss(n++, true, false);
	ck_assert_uint_eq(parts_count(&p.stats.upstream_unguarded), 1);
	ck_assert_uint_eq(up->cookie.len, 0);
}
END_TEST

/* Proven guards are kept where TCP is not to be had, too; the three that agree are the reply. */
START_TEST(d21_proven_without_tcp)
{
	struct lookup_result result;
	struct packet_out send;
	unsigned n = 0;

	for (; n < UPSTREAM_PROVEN; n++)
		ask_right(n, false);
	for (unsigned i = 0; i < 4; i++) {
		struct lookup *l = NULL;

		PARTS_CHECK(ask(n, false, false, &result) == NULL);
		PARTS_CHECK(
		    parts_next(&p, &send) && packet_is(&send.to, PACKET_UPSTREAM, TRANSPORT_TCP));
		PARTS_CHECK(parts_lose(&p, 0, false, &result) == NULL);
		for (unsigned j = 1; j < ANTISPOOF_AGREE; j++) {
			PARTS_CHECK(l == NULL);
			new_socket();
			PARTS_CHECK(parts_next(&p, &send) &&
			    packet_is(&send.to, PACKET_UPSTREAM, TRANSPORT_UDP));
			p.udp[2] |= DNS_QR >> 8;
			name_lower(p.udp + DNS_HEADER_LEN, p.udp + DNS_HEADER_LEN, 30);
			l = parts_hand_in(
			    &p, send.to.transport, send.to.sock, p.udp, send.len, &result);
		}
		PARTS_CHECK(l != NULL && result.outcome == LOOKUP_REPLY);
		lookup_free(&p.lookups, l);
		/* 3, 5, 7 and 9 sockets */
		ck_assert_uint_eq(parts_count(&p.stats.upstream_unguarded), i == 3);
	}
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, d21_each_question_has_its_own_case);
	tcase_add_test(tc, d21_nothing_of_the_mixed_case_is_left);
	tcase_add_test(tc, d21_malformed_is_never_the_same);
	tcase_add_test(tc, d21_each_upstream_for_itself);
	tcase_add_test(tc, d21_proven_stays);
	tcase_add_test(tc, d21_63_right_replies_prove_nothing);
	tcase_add_test(tc, d21_two_sockets_prove_nothing);
	tcase_add_test(tc, d21_question_without_capital_proves_nothing);
	tcase_add_test(tc, d21_cookie_has_its_length_and_our_part);
	tcase_add_test(tc, d21_proven_cookie);
	tcase_add_test(tc, d21_proven_without_tcp);
}
