/* SPDX-License-Identifier: BSD-2-Clause */
/* The answers that every state may give: D3, D4, RFC 8914 section 4. */
#include "engine/respond.h"

#include "dns/name.h"
#include "scenario/parts.h"
#include "support/message.h"
#include "support/tests.h"

static struct parts p;
static uint8_t out[PACKET_UDP_CAP];
static uint8_t in[512];
static const struct query_out to = { .buf = out, .cap = sizeof(out) };

static struct query *
new_query(enum query_state state)
{
	uint8_t qname[DNS_NAME_MAX];
	struct query *q = query_new(&p.queries);

	ck_assert_ptr_nonnull(q);
	ck_assert(query_set_name(&p.queries, q, qname, name_from_text("www.example", qname)));
	q->state = (uint8_t)state;
	q->req.qtype = DNS_TYPE_AAAA;
	q->req.qclass = DNS_CLASS_IN;
	q->req.flags = DNS_RD;
	q->req.id = 0x1234;
	q->req.edns = true;
	q->req.bufsize = 1232;
	return q;
}

static const struct {
	enum lookup_outcome outcome;
	uint16_t ede;
} troubles[] = { { LOOKUP_SILENT, DNS_EDE_NO_REACHABLE_AUTHORITY },
	{ LOOKUP_REPLY, DNS_EDE_NETWORK_ERROR }, { LOOKUP_ERROR, DNS_EDE_NETWORK_ERROR } };

START_TEST(trouble_has_its_code)
{
	const struct query_event ev = { .outcome = troubles[_i].outcome, .out = &to };
	struct query *q = new_query(QUERY_AAAA);
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
	struct query_event ev = { .outcome = LOOKUP_ERROR, .rcode = DNS_REFUSED, .out = &to };
	struct msg reply, m;
	struct query *q;

	message_read(&reply, in, sizeof(in),
	    "0001 8185 0001 0000 0001 0000 <www.example> 001c 0001"
	    "00 0002 0001 00000e10 0003 {a} 00");
	ev.msg = &reply;
	for (unsigned i = 0; i < 3; i++) {
		q = new_query(i == 1 ? QUERY_REVERSE : QUERY_AAAA);
		q->req.qtype = i == 2 ? DNS_TYPE_A : DNS_TYPE_AAAA;
		message_sound(&m, out, respond_upstream_error(&p.queries, q, &ev), 1232);
		ck_assert_uint_eq(m.rcode, DNS_REFUSED);
		ck_assert_uint_eq(m.count[MSG_AUTHORITY], i == 0);
		query_free(&p.queries, q);
	}
	q = new_query(QUERY_AAAA);
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
		.outcome = LOOKUP_BOGUS, .rcode = DNS_SERVFAIL, .out = &to
	};
	struct query *q = new_query(QUERY_AAAA);
	struct msg m;

	message_sound(&m, out, respond_bogus(&p.queries, q, &ev), 1232);
	ck_assert_uint_eq(m.rcode, DNS_SERVFAIL);
	ck_assert_uint_eq(parts_count(&p.stats.bogus), 1);
	query_free(&p.queries, q);
}
END_TEST

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

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, trouble_has_its_code, 0, 3);
	tcase_add_test(tc, d4_error_as_it_came);
	tcase_add_test(tc, d3_bogus_is_servfail_and_counted);
}
