/* SPDX-License-Identifier: BSD-2-Clause */
/* Addresses for SVCB and HTTPS targets: D18, rule 23, RFC 9460 section 4.2.1. */
#include "engine/svcb.h"

#include <stdio.h>
#include <string.h>

#include "dns/build.h"
#include "dns/name.h"
#include "scenario/parts.h"
#include "support/hex.h"
#include "support/message.h"
#include "support/tests.h"

#define CAP 16

static struct parts p;
static uint8_t in[DNS_MSG_MAX];
static uint8_t out[4096];

static struct query *
new_query(void)
{
	uint8_t qname[DNS_NAME_MAX];
	struct query *q = query_new(&p.queries);

	ck_assert_ptr_nonnull(q);
	ck_assert(query_set_name(&p.queries, q, qname, name_from_text("www.example", qname)));
	q->state = QUERY_RELAY;
	q->req.qtype = DNS_TYPE_HTTPS;
	q->req.qclass = DNS_CLASS_IN;
	q->req.flags = DNS_RD;
	return q;
}

#define HTTPS(n, additional) \
	"0001 8180 0001 000" n " 0000 000" additional " <www.example> 0041 0001 "
#define OWN "c00c 0041 0001 0000012c 0003 0001 00 " /* ServiceMode, target "." */
#define ALIAS "c00c 0041 0001 0000012c 0003 0000 00 "
#define TARGET(x) "c00c 0041 0001 0000012c 0005 0001 {" x "}00 "

static const struct {
	const char *reply;
	unsigned n_children;
} replies[] = {
	{ HTTPS("1", "0") OWN, 1 },
	{ HTTPS("1", "0") ALIAS, 0 },
	{ HTTPS("0", "0"), 0 },
	{ HTTPS("2", "0") TARGET("a") TARGET("b"), 2 },
	{ HTTPS("3", "0") TARGET("a") TARGET("A") OWN, 2 },
	/* four of five */
	{ HTTPS("5", "0") TARGET("a") TARGET("b") TARGET("c") TARGET("d") TARGET("e"), 4 },
	/* its address is there already */
	{ HTTPS("1", "1") OWN "c00c 001c 0001 0000012c 0010 20010db8 00000000 00000000 00000001",
	    0 },
	/* RDATA that lies, another type */
	{ HTTPS("1", "0") "c00c 0041 0001 0000012c 0002 0001", 0 },
	{ HTTPS("1", "0") "c00c 0041 0001 0000012c 0004 0001 05 61", 0 },
	{ HTTPS("1", "0") "c00c 0040 0001 0000012c 0003 0001 00", 0 },
	/* another class */
	{ HTTPS("1", "0") "c00c 0041 0003 0000012c 0003 0001 00", 0 },
};

/* svcb_begin's children are ready; have them ask. */
static void
start_children(void)
{
	struct list *link;

	while ((link = list_pop(&p.queries.ready)) != NULL)
		(void)query_start(&p.queries, LIST_OBJECT(link, struct query, link), p.now_ns);
}

START_TEST(d18_targets_are_asked_for)
{
	struct query *q = new_query();
	unsigned n = replies[_i].n_children;
	struct msg m;

	message_read(&m, in, sizeof(in), replies[_i].reply);
	ck_assert_int_eq(svcb_begin(&p.queries, q, &m, p.now_ns), n > 0);
	start_children();
	ck_assert_uint_eq(p.queries.pool.n_used, 1 + n);
	ck_assert_uint_eq(p.queries.svcbs.n_used, n > 0);
	ck_assert_int_eq(q->state, n > 0 ? QUERY_SVCB : QUERY_RELAY);
	for (unsigned i = 0; i < n; i++) {
		struct query *child = q->svcb->child[i];

		ck_assert(child->child);
		ck_assert_int_eq(child->state, QUERY_AAAA);
		lookup_leave(&p.lookups, child->lookup, &child->link);
		query_free(&p.queries, child);
		q->svcb->child[i] = NULL;
	}
	query_free(&p.queries, q);
	ck_assert_uint_eq(p.queries.svcbs.n_used, 0);
}
END_TEST

/* A reply of QUERY_SVCB_MAX bytes is kept, one that is longer is not. */
START_TEST(d18_reply_of_the_largest_size_is_kept)
{
	static const char format[] = HTTPS("2", "0") OWN "c00c 0010 0001 0000012c %04x";
	char text[256];
	struct query *q = new_query();
	size_t len, size = QUERY_SVCB_MAX + (size_t)_i;
	struct msg m;

	snprintf(text, sizeof(text), format, 0U);
	len = hex_read(text, in, sizeof(in));
	snprintf(text, sizeof(text), format, (unsigned)(size - len));
	(void)hex_read(text, in, sizeof(in));
	ck_assert_int_eq(msg_parse(&m, in, size), MSG_OK);
	ck_assert_int_eq(svcb_begin(&p.queries, q, &m, p.now_ns), _i == 0);
	start_children();
	if (_i == 0) {
		struct query *child = q->svcb->child[0];

		lookup_leave(&p.lookups, child->lookup, &child->link);
		query_free(&p.queries, child);
		q->svcb->child[0] = NULL;
	}
	query_free(&p.queries, q);
}
END_TEST

/* An answer to the child, with N addresses of its name and one of another. */
static size_t
child_answer(const char *name, unsigned n)
{
	static const uint8_t v6[16] = { 0x20, 0x01, 0x0d, 0xb8, [15] = 9 };
	const struct build_opt none = { .ede = DNS_EDE_NONE };
	uint8_t qname[DNS_NAME_MAX];
	struct build b;

	ck_assert_uint_gt(name_from_text(name, qname), 0);
	build_start(&b, out, sizeof(out),
	    &(struct build_question){ .id = 1,
		.flags = DNS_QR,
		.qname = qname,
		.qtype = DNS_TYPE_AAAA,
		.qclass = DNS_CLASS_IN });
	for (unsigned i = 0; i < n; i++)
		ck_assert(build_rr(&b, MSG_ANSWER, qname, DNS_TYPE_AAAA, DNS_CLASS_IN, 60, v6, 16));
	ck_assert(build_rr(
	    &b, MSG_ANSWER, (const uint8_t *)"\1x", DNS_TYPE_AAAA, DNS_CLASS_IN, 60, v6, 16));
	return build_finish(&b, sizeof(out), &none);
}

/* What the children find goes behind the reply, and no further than there is room. */
START_TEST(d18_additional_is_filled_to_the_limit)
{
	unsigned n_addresses = (unsigned)_i;
	struct query *q = new_query();
	struct query *child;
	struct msg m;

	message_read(&m, in, sizeof(in), replies[3].reply);
	ck_assert(svcb_begin(&p.queries, q, &m, p.now_ns));
	start_children();
	child = q->svcb->child[0];
	svcb_take(&p.queries, child, out, child_answer("a", n_addresses));
	ck_assert(list_empty(&p.queries.ready));
	lookup_leave(&p.lookups, child->lookup, &child->link);
	query_free(&p.queries, child);
	child = q->svcb->child[1];
	svcb_take(&p.queries, child, out, child_answer("b", 1));
	ck_assert(!list_empty(&p.queries.ready));
	lookup_leave(&p.lookups, child->lookup, &child->link);
	query_free(&p.queries, child);
	svcb_view(&p.queries, q, &m);
	ck_assert_uint_eq(m.count[MSG_ANSWER], 2);
	ck_assert_uint_eq(m.count[MSG_ADDITIONAL], n_addresses + 1);
	ck_assert_uint_eq(parts_count(&p.stats.svcb_addresses), n_addresses + 1);
	list_unlink(&q->link);
	query_free(&p.queries, q);
}
END_TEST

/* Who waits no longer leaves children that end by themselves. */
START_TEST(d18_children_end_by_themselves)
{
	struct query *q = new_query();
	struct query *child;
	struct msg m;

	message_read(&m, in, sizeof(in), replies[0].reply);
	ck_assert(svcb_begin(&p.queries, q, &m, p.now_ns));
	start_children();
	child = q->svcb->child[0];
	query_on_deadline(&p.queries, q, p.now_ns);
	ck_assert_ptr_eq(list_pop(&p.queries.ready), &q->link);
	query_on_deadline(&p.queries, q, p.now_ns);
	ck_assert(list_empty(&p.queries.ready));
	ck_assert_uint_eq(parts_count(&p.stats.svcb_late), 1);
	query_free(&p.queries, q);
	svcb_take(&p.queries, child, out, child_answer("www.example", 1));
	lookup_leave(&p.lookups, child->lookup, &child->link);
	query_free(&p.queries, child);
	ck_assert_uint_eq(p.queries.pool.n_used, 0);
}
END_TEST

/* Without room for children or the reply: false, and nothing is held. */
START_TEST(d18_without_room_nothing_is_held)
{
	struct query *q = new_query();
	struct query *others[CAP];
	struct msg m;

	message_read(&m, in, sizeof(in), replies[0].reply);
	for (unsigned i = 0; i < CAP - 1; i++)
		others[i] = new_query();
	ck_assert(!svcb_begin(&p.queries, q, &m, p.now_ns));
	ck_assert_uint_eq(p.queries.svcbs.n_used, 0);
	for (unsigned i = 0; i < CAP - 1; i++)
		query_free(&p.queries, others[i]);
	query_free(&p.queries, q);
}
END_TEST

static void
setup(void)
{
	parts_init(&p, 1, CAP);
	p.conf.policies->table[0].svcb = POLICY_SVCB_RESOLVE;
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
	    tc, d18_targets_are_asked_for, 0, (int)(sizeof(replies) / sizeof(replies[0])));
	tcase_add_loop_test(tc, d18_reply_of_the_largest_size_is_kept, 0, 2);
	tcase_add_loop_test(tc, d18_additional_is_filled_to_the_limit, 0, 4);
	tcase_add_test(tc, d18_children_end_by_themselves);
	tcase_add_test(tc, d18_without_room_nothing_is_held);
}
