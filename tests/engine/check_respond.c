/* SPDX-License-Identifier: BSD-2-Clause */
/* Answers: limits, OPT and rcodes as the client can take them; sizes past what a message holds. */

#include "engine/respond.h"

#include <stdio.h>
#include <string.h>

#include "dns/name.h"
#include "dns/wire.h"
#include "scenario/parts.h"
#include "scenario/scene.h"
#include "support/configured.h"
#include "support/message.h"
#include "support/tests.h"

static struct parts p;
static uint8_t reply[65536];
static uint8_t out[PACKET_TCP_CAP];

static void
setup(void)
{
	parts_init(&p, 1, 8);
}

static void
teardown(void)
{
	parts_fini(&p);
}

static struct query *
new_query(bool tcp, bool edns)
{
	uint8_t qname[DNS_NAME_MAX];
	struct query *q = query_new(&p.queries);

	ck_assert_ptr_nonnull(q);
	ck_assert(query_set_name(&p.queries, q, qname, name_from_text("WWW.example", qname)));
	q->req.id = 0x1234;
	q->req.flags = DNS_RD;
	q->req.qtype = DNS_TYPE_AAAA;
	q->req.qclass = DNS_CLASS_IN;
	q->from.transport = tcp ? TRANSPORT_TCP : TRANSPORT_UDP;
	q->req.edns = edns;
	q->req.bufsize = 4096;
	return q;
}

/* A reply to www.example A with N A records of 16 bytes. */
static void
many_a(struct msg *m, unsigned n)
{
	const struct build_opt none = { .present = false };
	uint8_t qname[DNS_NAME_MAX], v4[4] = { 10, 0, 0, 0 };
	struct build b;

	ck_assert_uint_gt(name_from_text("www.example", qname), 0);
	build_start(&b, reply, sizeof(reply),
	    &(struct build_question){ .id = 1,
		.flags = DNS_QR,
		.qname = qname,
		.qtype = DNS_TYPE_A,
		.qclass = DNS_CLASS_IN });
	for (unsigned i = 0; i < n; i++) {
		v4[2] = (uint8_t)(i >> 8);
		v4[3] = (uint8_t)i;
		ck_assert(build_rr(&b, MSG_ANSWER, qname, DNS_TYPE_A, DNS_CLASS_IN, 300, v4, 4));
	}
	ck_assert_int_eq(msg_parse(m, reply, build_finish(&b, 65535, &none)), MSG_OK);
}

static const unsigned sizes[] = { 1, 17, 42, 43, 60, 500, 2338, 2339, 2600, 4000 };

/*
 * 2,600 A (42 KB) make 73 KB of AAAA: over TCP too the answer ends with TC, and it is sound.
 * Incidents: arithmetic-2600.
 */
START_TEST(synthesis_of_any_size)
{
	for (unsigned tcp = 0; tcp < 2; tcp++) {
		struct query *q = new_query(tcp == 1, true);
		const struct query_out to = { .buf = out,
			.cap = tcp ? PACKET_TCP_CAP : PACKET_UDP_CAP };
		size_t limit = tcp ? 65535 : 1232;
		size_t fit = (limit - 12 - 17 - DNS_OPT_LEN) / 28;
		/* With EDE 29, whose loss alone sets TC (RFC 8914 section 3). */
		size_t fit_all = (limit - 12 - 17 - DNS_OPT_LEN - 6) / 28;
		struct msg m, got;
		struct answer a;

		many_a(&m, sizes[_i]);
		answer_scan(&m, DNS_TYPE_A, &a);
		q->reason = REASON_SYNTH_NO_AAAA;
		message_sound(&got, out, respond_synth(&p.queries, q, &m, &a, 60, &to), limit);
		ck_assert(got.edns.present);
		ck_assert_int_eq((got.flags & DNS_TC) != 0, sizes[_i] > fit_all);
		ck_assert_uint_eq(got.count[MSG_ANSWER], sizes[_i] > fit ? fit : sizes[_i]);
		query_free(&p.queries, q);
	}
}
END_TEST

static const uint16_t rcodes[] = { DNS_NOERROR, DNS_FORMERR, DNS_SERVFAIL, DNS_NXDOMAIN,
	DNS_REFUSED, DNS_BADVERS, DNS_BADCOOKIE, 4095 };

/* Rcodes over 15 need an OPT (RFC 6891 section 6.1.3); without, they are SERVFAIL. */
START_TEST(rcodes_over_15_need_an_opt)
{
	struct query *with = new_query(false, true);
	struct query *without = new_query(true, false);
	const struct query_out to = { .buf = out, .cap = PACKET_UDP_CAP };
	struct msg got;

	with->reason = REASON_NO_RECURSION;
	without->reason = REASON_NO_RECURSION;
	message_sound(&got, out, respond_error(&p.queries, with, rcodes[_i], NULL, &to), 512);
	ck_assert_uint_eq(got.rcode, rcodes[_i]);
	ck_assert_uint_eq(msg_ede(&got), 20);
	ck_assert_uint_eq(got.id, 0x1234);
	ck_assert_uint_eq(got.flags & 0xfff0U, DNS_QR | DNS_RD | DNS_RA);
	ck_assert_mem_eq(msg_qname(&got), with->req.qname, with->req.qname_len);
	message_sound(&got, out, respond_error(&p.queries, without, rcodes[_i], NULL, &to), 512);
	ck_assert_uint_eq(got.rcode, rcodes[_i] > 15 ? DNS_SERVFAIL : rcodes[_i]);
	ck_assert(!got.edns.present);
	query_free(&p.queries, with);
	query_free(&p.queries, without);
}
END_TEST

/* An answer to what had no sound question has none; opcode, RD and CD come back. */
START_TEST(answer_without_question_has_flags_only)
{
	struct query *q = query_new(&p.queries);
	const struct query_out to = { .buf = out, .cap = PACKET_UDP_CAP };

	q->req.id = 0xabcd;
	q->req.flags = 0x2900 | DNS_CD | DNS_AD;
	message_expect(out, respond_error(&p.queries, q, DNS_NOTIMP, NULL, &to),
	    "abcd a994 0000 0000 0000 0000");
	query_free(&p.queries, q);
}
END_TEST

/* NODATA with nothing at hand: neither a kept reply nor one that came. */
START_TEST(nodata_with_nothing_at_hand)
{
	struct query *q = new_query(false, false);
	const struct query_out to = { .buf = out, .cap = PACKET_UDP_CAP };

	message_expect(out, respond_nodata(&p.queries, q, NULL, 60, &to),
	    "1234 8180 0001 0000 0000 0000 <WWW.example> 001c 0001");
	query_free(&p.queries, q);
}
END_TEST

#define HASH_CLIENTS 200

/* The octet at AT of the AAAA that a host of 2001:db8:I::/64 gets. */
static unsigned
octet_of_client(struct policies *ps, unsigned i, unsigned host, size_t at)
{
	struct query *q = new_query(false, true);
	const struct query_out to = { .buf = out, .cap = PACKET_UDP_CAP };
	char text[64];
	struct answer a;
	struct msg m, got;
	struct rr rr;

	p.conf.policies = ps;
	snprintf(text, sizeof(text), "2001:db8:%x::%x", i, host);
	ck_assert(netaddr_parse(text, 1024, &q->from.peer));
	many_a(&m, 1);
	answer_scan(&m, DNS_TYPE_A, &a);
	ck_assert_int_eq(
	    msg_parse(&got, out, respond_synth(&p.queries, q, &m, &a, 60, &to)), MSG_OK);
	ck_assert_uint_eq(got.count[MSG_ANSWER], 1);
	rr = message_record(&got, MSG_ANSWER, 0);
	query_free(&p.queries, q);
	return got.bytes[rr.rdata + at];
}

/* The prefix 2001:db8:K::/96 that it gets: K. */
static unsigned
prefix_of_client(struct policies *ps, unsigned i, unsigned host)
{
	return octet_of_client(ps, i, host, 5);
}

/* D13: client-hash keeps a network of clients on one prefix of several, and when one goes down
 * moves only its own. */
START_TEST(d13_client_hash)
{
	struct policies *before = configured_policies("dns64-prefix 2001:db8:1::/96\n"
						      "dns64-prefix 2001:db8:2::/96\n"
						      "dns64-prefix 2001:db8:3::/96\n"
						      "prefix-selection client-hash\n");
	struct policies *after = configured_policies("dns64-prefix 2001:db8:1::/96\n"
						     "dns64-prefix 2001:db8:2::/96 down\n"
						     "dns64-prefix 2001:db8:3::/96\n"
						     "prefix-selection client-hash\n");
	struct policies *own = p.conf.policies;
	unsigned n[4] = { 0 };

	for (unsigned i = 0; i < HASH_CLIENTS; i++) {
		unsigned first = prefix_of_client(before, i, 1);
		unsigned then = prefix_of_client(after, i, 1);

		ck_assert(first >= 1 && first <= 3);
		n[first]++;
		ck_assert_uint_eq(prefix_of_client(before, i, 1), first);
		ck_assert_uint_eq(prefix_of_client(before, i, 0xffff), first);
		ck_assert(first == 2 ? then == 1 || then == 3 : then == first);
	}
	for (unsigned k = 1; k <= 3; k++)
		ck_assert_uint_gt(n[k], HASH_CLIENTS / 5);
	p.conf.policies = own;
	policies_unref(before);
	policies_unref(after);
}
END_TEST

/* D13: prefixes that differ in nothing but their length share the clients, too. */
START_TEST(d13_client_hash_minds_lengths)
{
	struct policies *ps = configured_policies("dns64-prefix 2001:db8:1::/48\n"
						  "dns64-prefix 2001:db8:1::/56\n"
						  "dns64-prefix 2001:db8:1::/96\n"
						  "prefix-selection client-hash\n");
	struct policies *own = p.conf.policies;
	unsigned n[3] = { 0 };

	/* The address begins behind the prefix. */
	for (unsigned i = 0; i < HASH_CLIENTS; i++) {
		if (octet_of_client(ps, i, 1, 6) != 0)
			n[0]++;
		else
			n[octet_of_client(ps, i, 1, 7) != 0 ? 1 : 2]++;
	}
	for (unsigned k = 0; k < 3; k++)
		ck_assert_uint_gt(n[k], HASH_CLIENTS / 5);
	p.conf.policies = own;
	policies_unref(ps);
}
END_TEST

/* --- failures: D3, D4, RFC 8914 section 4 ------------------------------------------------------
 */

static const struct query_out udp = { .buf = out, .cap = PACKET_UDP_CAP };

static struct query *
failing(enum query_state state)
{
	struct query *q = new_query(false, true);

	q->state = (uint8_t)state;
	return q;
}

static const struct {
	enum lookup_outcome outcome;
	uint16_t ede;
} troubles[] = { { LOOKUP_SILENT, DNS_EDE_NO_REACHABLE_AUTHORITY },
	{ LOOKUP_REPLY, DNS_EDE_NETWORK_ERROR }, { LOOKUP_ERROR, DNS_EDE_NETWORK_ERROR } };

START_TEST(trouble_has_its_code)
{
	const struct query_event ev = { .outcome = troubles[_i].outcome, .out = &udp };
	struct query *q = failing(QUERY_AAAA);
	struct msg m;

	message_sound(&m, out, respond_fail(&p.queries, q, &ev), 1232);
	ck_assert_uint_eq(m.rcode, DNS_SERVFAIL);
	ck_assert_uint_eq(msg_ede(&m), troubles[_i].ede);
	query_free(&p.queries, q);
}
END_TEST

/* D4: an error is passed as it came, with its records, if it is about what was asked. */
START_TEST(d4_error_as_it_came)
{
	struct query_event ev = { .outcome = LOOKUP_ERROR, .rcode = DNS_REFUSED, .out = &udp };
	struct msg from, m;
	struct query *q;

	message_read(&from, reply, sizeof(reply),
	    "0001 8185 0001 0000 0001 0000 <www.example> 001c 0001"
	    "00 0002 0001 00000e10 0003 {a} 00");
	ev.msg = &from;
	for (unsigned i = 0; i < 3; i++) {
		q = failing(i == 1 ? QUERY_REVERSE : QUERY_AAAA);
		q->req.qtype = i == 2 ? DNS_TYPE_A : DNS_TYPE_AAAA;
		message_sound(&m, out, respond_upstream_error(&p.queries, q, &ev), 1232);
		ck_assert_uint_eq(m.rcode, DNS_REFUSED);
		ck_assert_uint_eq(m.count[MSG_AUTHORITY], i == 0);
		query_free(&p.queries, q);
	}
	q = failing(QUERY_AAAA);
	ev.msg = NULL;
	message_sound(&m, out, respond_upstream_error(&p.queries, q, &ev), 1232);
	ck_assert_uint_eq(m.rcode, DNS_REFUSED);
	query_free(&p.queries, q);
}
END_TEST

/* D3: SERVFAIL, counted. */
START_TEST(d3_bogus_is_servfail_and_counted)
{
	const struct query_event ev = {
		.outcome = LOOKUP_BOGUS, .rcode = DNS_SERVFAIL, .out = &udp
	};
	struct query *q = failing(QUERY_AAAA);
	struct msg m;

	message_sound(&m, out, respond_bogus(&p.queries, q, &ev), 1232);
	ck_assert_uint_eq(m.rcode, DNS_SERVFAIL);
	ck_assert_uint_eq(parts_count(&p.stats.bogus), 1);
	query_free(&p.queries, q);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, synthesis_of_any_size, 0, (int)(sizeof(sizes) / sizeof(sizes[0])));
	tcase_add_loop_test(
	    tc, rcodes_over_15_need_an_opt, 0, (int)(sizeof(rcodes) / sizeof(rcodes[0])));
	tcase_add_test(tc, answer_without_question_has_flags_only);
	tcase_add_test(tc, nodata_with_nothing_at_hand);
	tcase_add_test(tc, d13_client_hash);
	tcase_add_test(tc, d13_client_hash_minds_lengths);
	tcase_add_loop_test(tc, trouble_has_its_code, 0, 3);
	tcase_add_test(tc, d4_error_as_it_came);
	tcase_add_test(tc, d3_bogus_is_servfail_and_counted);
}
