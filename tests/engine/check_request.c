/* SPDX-License-Identifier: BSD-2-Clause */
/* Client messages: garbage is counted by kind and gets the RFC's rcode or nothing. */

#include "engine/request.h"

#include <stdio.h>
#include <string.h>

#include "scenario/parts.h"
#include "support/configured.h"
#include "support/guard.h"
#include "support/heard.h"
#include "support/hex.h"
#include "support/tests.h"

static struct parts p;

static void
setup(void)
{
	parts_init(&p, 1, 10);
	guard_setup();
}

static void
teardown(void)
{
	guard_teardown();
	parts_fini(&p);
}

#define Q "0001 0000 0000 0000 <www.example> 001c 0001" /* one question: AAAA IN */
#define Q_OPT "0001 0000 0000 0001 <www.example> 001c 0001"
#define DROPPED 0xffff

struct bad {
	const char *what;
	const char *text;
	const _Atomic uint64_t *counter;
	uint16_t rcode; /* DROPPED: no answer */
	bool edns;      /* has the answer an OPT (RFC 6891 section 6.1.1)? */
	bool question;  /* is the question echoed? */
};

static const struct bad bad[] = {
	{ "nothing", "", &p.stats.client_short, DROPPED, false, false },
	{ "one byte", "12", &p.stats.client_short, DROPPED, false, false },
	{ "11 bytes", "1234 0100 0001 0000 0000 00", &p.stats.client_short, DROPPED, false, false },
	{ "QR set (Loop DoS)", "1234 8100 " Q, &p.stats.client_response, DROPPED, false, false },
	{ "QR set, FORMERR", "1234 8001 0000 0000 0000 0000", &p.stats.client_response, DROPPED,
	    false, false },
	{ "IQUERY", "1234 0900 " Q, &p.stats.client_notimp, DNS_NOTIMP, false, false },
	{ "STATUS with OPT", "1234 1100 " Q_OPT " <> 0029 1000 00 00 0000 0000",
	    &p.stats.client_notimp, DNS_NOTIMP, true, false },
	{ "NOTIFY, malformed", "1234 2100 0001 0000 0000 0000 03 'www' 07 'exa'",
	    &p.stats.client_notimp, DNS_NOTIMP, false, false },
	{ "UPDATE", "1234 2800 " Q, &p.stats.client_notimp, DNS_NOTIMP, false, false },
	{ "DSO", "1234 3000 0000 0000 0000 0000", &p.stats.client_notimp, DNS_NOTIMP, false,
	    false },
	{ "opcode 15", "1234 7900 " Q, &p.stats.client_notimp, DNS_NOTIMP, false, false },
	{ "no question", "1234 0100 0000 0000 0000 0000", &p.stats.client_formerr, DNS_FORMERR,
	    false, false },
	{ "no question but OPT", "1234 0100 0000 0000 0000 0001 <> 0029 1000 00 00 0000 0000",
	    &p.stats.client_formerr, DNS_FORMERR, true, false },
	{ "two questions",
	    "1234 0100 0002 0000 0000 0000 <www.example> 001c 0001 <b.example> 001c 0001",
	    &p.stats.client_formerr, DNS_FORMERR, false, false },
	{ "65,535 questions", "1234 0100 ffff 0000 0000 0000 <www.example> 001c 0001",
	    &p.stats.client_formerr, DNS_FORMERR, false, false },
	{ "a question that is not there", "1234 0100 0001 0000 0000 0000", &p.stats.client_formerr,
	    DNS_FORMERR, false, false },
	{ "a pointer to itself", "1234 0100 0001 0000 0000 0000 c00c 001c 0001",
	    &p.stats.client_formerr, DNS_FORMERR, false, false },
	{ "a loop of two pointers", "1234 0100 0001 0000 0000 0000 01 61 c010 c00c 001c 0001",
	    &p.stats.client_formerr, DNS_FORMERR, false, false },
	{ "a pointer into the header", "1234 0100 0001 0000 0000 0000 c000 001c 0001",
	    &p.stats.client_formerr, DNS_FORMERR, false, false },
	{ "a label of 64 bytes", "1234 0100 0001 0000 0000 0000 40 61 00 001c 0001",
	    &p.stats.client_formerr, DNS_FORMERR, false, false },
	{ "a label that ends outside", "1234 0100 0001 0000 0000 0000 3f 61",
	    &p.stats.client_formerr, DNS_FORMERR, false, false },
	{ "no class", "1234 0100 0001 0000 0000 0000 <www.example> 001c", &p.stats.client_formerr,
	    DNS_FORMERR, false, false },
	{ "bytes left over", "1234 0100 " Q " 00", &p.stats.client_formerr, DNS_FORMERR, false,
	    true },
	{ "an answer that is not there", "1234 0100 0001 0001 0000 0000 <www.example> 001c 0001",
	    &p.stats.client_formerr, DNS_FORMERR, false, true },
	{ "65,535 additional that are not there",
	    "1234 0100 0001 0000 0000 ffff <www.example> 001c 0001 <> 0029 1000 00 00 0000 0000",
	    &p.stats.client_formerr, DNS_FORMERR, true, true },
	{ "a record longer than the message",
	    "1234 0100 0001 0000 0000 0001 <www.example> 001c 0001 <> 0001 0001 00000000 ffff 00",
	    &p.stats.client_formerr, DNS_FORMERR, false, true },
	{ "two OPTs (RFC 6891 6.1.1)",
	    "1234 0100 0001 0000 0000 0002 <www.example> 001c 0001"
	    " <> 0029 1000 00 00 0000 0000 <> 0029 1000 00 00 0000 0000",
	    &p.stats.client_formerr, DNS_FORMERR, true, true },
	{ "OPT not at the root", "1234 0100 " Q_OPT " <a> 0029 1000 00 00 0000 0000",
	    &p.stats.client_formerr, DNS_FORMERR, true, true },
	{ "OPT in authority",
	    "1234 0100 0001 0000 0001 0000 <www.example> 001c 0001 <> 0029 1000 00 00 0000 0000",
	    &p.stats.client_formerr, DNS_FORMERR, true, true },
	{ "options that do not add up",
	    "1234 0100 " Q_OPT " <> 0029 1000 00 00 0000 0006 000a 0008 0000",
	    &p.stats.client_formerr, DNS_FORMERR, true, true },
	{ "EDNS version 1", "1234 0100 " Q_OPT " <> 0029 1000 00 01 0000 0000",
	    &p.stats.client_badvers, DNS_BADVERS, true, true },
	{ "EDNS version 255", "1234 0100 " Q_OPT " <> 0029 1000 00 ff 8000 0000",
	    &p.stats.client_badvers, DNS_BADVERS, true, true },
};
#define N_BAD (int)(sizeof(bad) / sizeof(bad[0]))

static struct query *
receive(enum transport transport, const uint8_t *bytes, size_t len)
{
	const struct packet_in in = { .msg = guard_put(&guard, bytes, len),
		.len = len,
		.from = {
		    .side = PACKET_CLIENT, .transport = (uint8_t)transport, .sock = 5, .gen = 6 } };

	return request_accept(&p.queries, &in, false);
}

/* The sum of the counters of what is wrong with client messages. */
static uint64_t
n_wrong(void)
{
	return parts_count(&p.stats.client_short) + parts_count(&p.stats.client_response) +
	    parts_count(&p.stats.client_formerr) + parts_count(&p.stats.client_notimp) +
	    parts_count(&p.stats.client_badvers) + parts_count(&p.stats.client_refused) +
	    parts_count(&p.stats.client_dropped);
}

/* The reason that goes with a counter of these. */
static enum reason
reason_of(const _Atomic uint64_t *counter)
{
	if (counter == &p.stats.client_short)
		return REASON_DROP_SHORT;
	if (counter == &p.stats.client_response)
		return REASON_DROP_RESPONSE;
	if (counter == &p.stats.client_notimp)
		return REASON_NOTIMP;
	return counter == &p.stats.client_badvers ? REASON_BADVERS : REASON_FORMERR;
}

/* Incidents: CVE-2019-16866, CVE-2019-18934, CVE-2011-0414. */
START_TEST(garbage_is_counted_and_dropped_or_refused)
{
	const struct bad *t = &bad[_i];
	uint8_t bytes[512];
	size_t len = hex_read(t->text, bytes, sizeof(bytes));
	struct query *q = receive(TRANSPORT_UDP, bytes, len);

	ck_assert_msg(parts_count(t->counter) == 1 && n_wrong() == 1, "%s: miscounted", t->what);
	if (t->rcode == DROPPED) {
		ck_assert_msg(q == NULL, "%s: not dropped", t->what);
		ck_assert_uint_eq(p.stats.reasons[reason_of(t->counter)][0][0], 1);
		return;
	}
	ck_assert_msg(q != NULL, "%s: dropped", t->what);
	ck_assert_uint_eq(q->reason, reason_of(t->counter));
	ck_assert_msg(q->state == QUERY_LOCAL && q->came.rcode == t->rcode, "%s: rcode %u", t->what,
	    q->came.rcode);
	ck_assert_msg(q->req.edns == t->edns, "%s: OPT", t->what);
	ck_assert_msg((q->req.qname_len > 0) == t->question, "%s: question", t->what);
	ck_assert_uint_eq(q->req.id, 0x1234);
	query_free(&p.queries, q);
	/* The same over TCP. */
	q = receive(TRANSPORT_TCP, bytes, len);
	ck_assert_ptr_nonnull(q);
	ck_assert(q->from.transport == TRANSPORT_TCP && q->came.rcode == t->rcode &&
	    q->from.sock == 5 && q->from.gen == 6);
	ck_assert_uint_eq(parts_questions(&p.stats, true), 1);
	query_free(&p.queries, q);
}
END_TEST

/*
 * Every beginning and every changed byte of a good question: no crash, an answer or a count.
 * Incidents: CVE-2018-1110.
 */
START_TEST(damaged_questions_are_answered_or_counted)
{
	uint8_t good[512], bytes[512];
	size_t len =
	    hex_read("1234 0120 " Q_OPT " <> 0029 1000 00 00 8000 000c 000a 0008 0001020304050607",
		good, 512);
	unsigned n = 0;

	for (size_t cut = 0; cut < len; cut++, n++) {
		struct query *q = receive(TRANSPORT_UDP, good, cut);

		ck_assert((q == NULL) == (cut < 12));
		ck_assert(q == NULL || q->came.rcode == DNS_FORMERR);
		if (q != NULL)
			query_free(&p.queries, q);
	}
	ck_assert_uint_eq(n_wrong(), n);
	for (size_t at = 0; at < len; at++) {
		for (unsigned v = 0; v < 256; v++) {
			uint64_t before = n_wrong();
			struct query *q;

			memcpy(bytes, good, len);
			bytes[at] = (uint8_t)v;
			q = receive(TRANSPORT_UDP, bytes, len);
			ck_assert(q != NULL || n_wrong() == before + 1);
			if (q != NULL)
				query_free(&p.queries, q);
		}
	}
	ck_assert_uint_eq(p.queries.pool.n_used, 0);
	ck_assert_uint_eq(p.queries.long_names.n_used, 0);
}
END_TEST

/* A message of the largest size is looked at like any other. Incidents: CVE-2026-41292. */
START_TEST(largest_message_is_read)
{
	static uint8_t bytes[65535];
	size_t len = hex_read("1234 0100 " Q, bytes, sizeof(bytes));
	struct query *q;

	memset(bytes + len, 0, sizeof(bytes) - len);
	q = receive(TRANSPORT_TCP, bytes, sizeof(bytes));
	ck_assert_ptr_nonnull(q);
	ck_assert_uint_eq(q->came.rcode, DNS_FORMERR);
	query_free(&p.queries, q);
}
END_TEST

START_TEST(what_is_right_is_taken_over)
{
	uint8_t bytes[512];
	size_t len = hex_read("1234 0130 " Q_OPT " <> 0029 0064 00 00 8000 0000", bytes, 512);
	struct query *q = receive(TRANSPORT_UDP, bytes, len);

	ck_assert_ptr_nonnull(q);
	ck_assert_int_eq(q->state, QUERY_RELAY); /* DO and CD: RULES D8 */
	ck_assert(q->req.edns && q->req.do_bit && q->from.transport == TRANSPORT_UDP);
	ck_assert_uint_eq(q->req.bufsize, 512); /* RFC 6891 section 6.2.3: less means 512 */
	ck_assert_uint_eq(q->req.qtype, DNS_TYPE_AAAA);
	ck_assert_uint_eq(q->req.qclass, DNS_CLASS_IN);
	ck_assert_uint_eq(q->req.qname_len, 13);
	ck_assert_uint_eq(n_wrong(), 0);
	query_free(&p.queries, q);
}
END_TEST

/* Signed: passed on, not sorted by what it asks (RULES D20). */
START_TEST(d20_signed_is_passed_on)
{
	static const char *const texts[] = {
		"1234 0100 " Q_OPT " <key> 00fa 00ff 00000000 0000",
		"1234 0100 " Q_OPT " <> 0018 00ff 00000000 0002 0000",
		"1234 0100 0001 0000 0000 0000 <key> 00f9 00ff",
	};
	uint8_t bytes[512];

	for (unsigned i = 0; i < 3; i++) {
		size_t len = hex_read(texts[i], bytes, sizeof(bytes));
		struct query *q = receive(TRANSPORT_TCP, bytes, len);

		ck_assert_ptr_nonnull(q);
		ck_assert_int_eq(q->state, QUERY_RELAY);
		ck_assert(q->req.signed_msg);
		ck_assert_ptr_nonnull(q->lookup);
		ck_assert_uint_eq(q->lookup->message.len, len);
		ck_assert_mem_eq(q->lookup->message.bytes, bytes, len);
		ck_assert_uint_eq(q->lookup->stream.plan, LOOKUP_STREAM_KEPT);
	}
	ck_assert_uint_eq(n_wrong(), 0);
}
END_TEST

START_TEST(no_free_query_is_counted)
{
	uint8_t bytes[512];
	size_t len = hex_read("1234 0100 " Q, bytes, 512);

	for (unsigned i = 0; i < 10; i++)
		ck_assert_ptr_nonnull(receive(TRANSPORT_UDP, bytes, len));
	ck_assert_ptr_null(receive(TRANSPORT_UDP, bytes, len));
	ck_assert_uint_eq(parts_count(&p.stats.client_dropped), 1);
	ck_assert_uint_eq(p.stats.reasons[REASON_DROP_FULL][0][0], 1);
	ck_assert_uint_eq(parts_questions(&p.stats, false), 11);
}
END_TEST

/* RULES D23: who may not ask is refused, and his network is told of once. */

static void
refuse_all_but(const char *line)
{
	policies_unref(p.conf.policies);
	p.conf.policies = configured_policies(line);
	heard_start(LOG_LEVEL_NOTICE);
}

static void
ask_from(const char *text)
{
	uint8_t bytes[512];
	size_t len = hex_read("1234 0100 " Q, bytes, sizeof(bytes));
	struct packet_in in = { .msg = bytes,
		.len = len,
		.from.side = PACKET_CLIENT,
		.from.transport = TRANSPORT_UDP };
	uint64_t n_denied = parts_count(&p.stats.client_denied);
	struct query *q;

	ck_assert(netaddr_parse(text, 53000, &in.from.peer));
	q = request_accept(&p.queries, &in, false);
	ck_assert_ptr_nonnull(q);
	ck_assert_uint_eq(q->came.rcode, DNS_REFUSED);
	ck_assert_uint_eq(parts_count(&p.stats.client_denied), n_denied + 1);
	query_free(&p.queries, q);
}

static const struct {
	const char *from;
	const char *told; /* NULL: nothing */
} refusals[] = {
	{ "192.0.2.77",
	    "refused a client in 192.0.2.0/24; to serve it add \"allow 192.0.2.0/24\"" },
	{ "192.0.2.1", NULL },
	{ "192.0.3.1", "refused a client in 192.0.3.0/24; to serve it add \"allow 192.0.3.0/24\"" },
	{ "2001:db8:1:2::1", "to serve it add \"allow 2001:db8:1:2::/64\"" },
	{ "2001:db8:1:2:3::4", NULL },
	{ "2001:db8:1:3::1", "to serve it add \"allow 2001:db8:1:3::/64\"" },
};

START_TEST(d23_refusal_told_once_per_network)
{
	refuse_all_but("allow 203.0.113.0/24");
	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		ask_from(refusals[i].from);
		if (refusals[i].told != NULL)
			ck_assert_uint_eq(heard(refusals[i].told), 1);
		ck_assert_uint_eq(heard_all(), refusals[i].told != NULL);
	}
	heard_end();
}
END_TEST

START_TEST(d23_refusals_told_of_are_bounded)
{
	refuse_all_but("allow 203.0.113.0/24");
	for (unsigned i = 0; i < 1000; i++) {
		char text[32];

		snprintf(text, sizeof(text), "10.%u.%u.1", i / 250, i % 250);
		ask_from(text);
	}
	ck_assert_uint_eq(heard_all(), QUERY_MAX_REFUSED);
	heard_end();
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, garbage_is_counted_and_dropped_or_refused, 0, N_BAD);
	tcase_add_test(tc, damaged_questions_are_answered_or_counted);
	tcase_add_test(tc, largest_message_is_read);
	tcase_add_test(tc, what_is_right_is_taken_over);
	tcase_add_test(tc, d20_signed_is_passed_on);
	tcase_add_test(tc, no_free_query_is_counted);
	tcase_add_test(tc, d23_refusal_told_once_per_network);
	tcase_add_test(tc, d23_refusals_told_of_are_bounded);
}
