/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * AAAA, then A: where each event leads. The scenarios tell whole stories; here is each step by
 * itself (RFC 6147 section 5.1, D2, D3, D13).
 */
#include "engine/phase.h"

#include "dns/name.h"
#include "scenario/parts.h"
#include "support/configured.h"
#include "support/message.h"
#include "support/tests.h"

#define QUESTION(type) "<www.example> " type " 0001 "
#define NODATA \
	"0001 8180 0001 0000 0001 0000" QUESTION( \
	    "001c") "c010 0006 0001 0000012c 0016 00 00" \
		    " 00000001 00000e10 000004b0 00093a80 0000003c"
#define NATIVE \
	"0001 8180 0001 0001 0000 0000" QUESTION("001c") "c00c 001c 0001 0000003c 0010" \
							 " 20010db8 00000000 00000000 00000001"
#define A_DATA \
	"0001 8180 0001 0001 0000 0000" QUESTION("0001") "c00c 0001 0001 0000003c 0004" \
							 " c0000201"
#define A_PRIVATE \
	"0001 8180 0001 0001 0000 0000" QUESTION("0001") "c00c 0001 0001 0000003c 0004" \
							 " 7f000001"

static struct parts p;
static uint8_t out[PACKET_UDP_CAP];
static uint8_t in[512];
static const struct query_out to = { .buf = out, .cap = sizeof(out) };

static const struct {
	const char *line; /* of a configuration */
	enum query_state state;
	enum query_aaaa aaaa_end;
	enum lookup_outcome outcome;
	const char *reply; /* NULL: none */
	int next;          /* state it waits in afterwards; -1: it is answered */
	uint16_t rcode;
	unsigned n_answers;
} steps[] = {
	{ "", QUERY_AAAA, 0, LOOKUP_REPLY, NATIVE, -1, DNS_NOERROR, 1 },
	{ "", QUERY_AAAA, 0, LOOKUP_REPLY, NODATA, QUERY_A, 0, 0 },
	{ "", QUERY_AAAA, 0, LOOKUP_ERROR, NULL, QUERY_A, 0, 0 },
	{ "", QUERY_AAAA, 0, LOOKUP_SILENT, NULL, QUERY_A, 0, 0 },
	{ "", QUERY_AAAA, 0, LOOKUP_BOGUS, NULL, -1, DNS_SERVFAIL, 0 },
	{ "exclude-aaaa 2001:db8::/32", QUERY_AAAA, 0, LOOKUP_REPLY, NATIVE, QUERY_A, 0, 0 },
	/* D3: synthesize-on */
	{ "synthesize-on error timeout", QUERY_AAAA, 0, LOOKUP_REPLY, NODATA, -1, DNS_NOERROR, 0 },
	{ "synthesize-on nodata timeout", QUERY_AAAA, 0, LOOKUP_ERROR, NULL, -1, DNS_SERVFAIL, 0 },
	{ "synthesize-on nodata error", QUERY_AAAA, 0, LOOKUP_SILENT, NULL, -1, DNS_SERVFAIL, 0 },
	/* D15: no prefix is active */
	{ "dns64-prefix 2001:db8:64::/96 down", QUERY_AAAA, 0, LOOKUP_REPLY, NODATA, -1,
	    DNS_NOERROR, 0 },
	/* D2 */
	{ "", QUERY_A, QUERY_AAAA_EMPTY, LOOKUP_REPLY, A_DATA, -1, DNS_NOERROR, 1 },
	{ "", QUERY_A, QUERY_AAAA_FAILED, LOOKUP_REPLY, A_DATA, -1, DNS_NOERROR, 1 },
	{ "", QUERY_A, QUERY_AAAA_EMPTY, LOOKUP_REPLY, A_PRIVATE, -1, DNS_NOERROR, 0 },
	{ "", QUERY_A, QUERY_AAAA_FAILED, LOOKUP_REPLY, A_PRIVATE, -1, DNS_SERVFAIL, 0 },
	{ "", QUERY_A, QUERY_AAAA_EMPTY, LOOKUP_SILENT, NULL, -1, DNS_SERVFAIL, 0 },
	/* D13: AAAA ignored; A of no use leads to the real AAAA */
	{ "", QUERY_A, QUERY_AAAA_IGNORED, LOOKUP_REPLY, A_DATA, -1, DNS_NOERROR, 1 },
	{ "", QUERY_A, QUERY_AAAA_IGNORED, LOOKUP_REPLY, A_PRIVATE, QUERY_NATIVE, 0, 0 },
	{ "", QUERY_A, QUERY_AAAA_IGNORED, LOOKUP_ERROR, NULL, QUERY_NATIVE, 0, 0 },
	{ "", QUERY_NATIVE, QUERY_AAAA_IGNORED, LOOKUP_REPLY, NATIVE, -1, DNS_NOERROR, 1 },
	{ "exclude-aaaa 2001:db8::/32", QUERY_NATIVE, QUERY_AAAA_IGNORED, LOOKUP_REPLY, NATIVE, -1,
	    DNS_NOERROR, 0 },
	{ "", QUERY_NATIVE, QUERY_AAAA_IGNORED, LOOKUP_SILENT, NULL, -1, DNS_SERVFAIL, 0 },
};

START_TEST(outcome_leads_to_its_state)
{
	struct lookup_result result = { .outcome = steps[_i].outcome, .rcode = DNS_SERVFAIL };
	uint8_t qname[DNS_NAME_MAX];
	struct msg reply, m;
	struct query *q;
	size_t len;

	if (steps[_i].line[0] != '\0') {
		policies_unref(p.conf.policies);
		p.conf.policies = configured_policies(steps[_i].line);
	}
	q = query_new(&p.queries);
	ck_assert_ptr_nonnull(q);
	ck_assert(query_set_name(&p.queries, q, qname, name_from_text("www.example", qname)));
	q->state = (uint8_t)steps[_i].state;
	q->aaaa.how = (uint8_t)steps[_i].aaaa_end;
	q->req.qtype = DNS_TYPE_AAAA;
	q->req.qclass = DNS_CLASS_IN;
	q->req.flags = DNS_RD;
	q->req.bufsize = 512;
	q->deadline_ns = p.now_ns + 1000000000;
	q->aaaa.empty_ttl = 60;
	q->aaaa.empty_at_ns = p.now_ns;
	if (steps[_i].reply != NULL) {
		message_read(&reply, in, sizeof(in), steps[_i].reply);
		result.msg = &reply;
	}
	q->came.outcome = (uint8_t)result.outcome;
	q->came.rcode = result.rcode;
	q->came.with_msg = result.msg != NULL;
	len = phase_take(&p.queries, q, &result, false, &to, p.now_ns);
	ck_assert_int_eq(len > 0, steps[_i].next < 0);
	if (len > 0) {
		message_sound(&m, out, len, 512);
		ck_assert_uint_eq(m.rcode, steps[_i].rcode);
		ck_assert_uint_eq(m.count[MSG_ANSWER], steps[_i].n_answers);
	} else {
		ck_assert_int_eq(q->state, steps[_i].next);
		ck_assert_ptr_nonnull(q->lookup);
		ck_assert_uint_eq(
		    q->lookup->key.qtype, steps[_i].next == QUERY_A ? DNS_TYPE_A : DNS_TYPE_AAAA);
		lookup_leave(&p.lookups, q->lookup, &q->link);
	}
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
	tcase_add_loop_test(
	    tc, outcome_leads_to_its_state, 0, (int)(sizeof(steps) / sizeof(steps[0])));
}
