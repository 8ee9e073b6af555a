/* SPDX-License-Identifier: BSD-2-Clause */
/* Queries as objects: their names, waiting, deadlines, and that all is given back. */

#include "engine/query.h"

#include <string.h>

#include "base/clock.h"
#include "dns/name.h"
#include "engine/state.h"
#include "scenario/parts.h"
#include "support/tests.h"

#define CAP 8

static struct parts p;

static void
setup(void)
{
	parts_init(&p, 1, CAP);
}

static void
teardown(void)
{
	parts_fini(&p);
}

static struct query *
new_query(enum query_state state, const char *name)
{
	uint8_t qname[DNS_NAME_MAX];
	struct query *q = query_new(&p.queries);

	ck_assert_ptr_nonnull(q);
	ck_assert(query_set_name(&p.queries, q, qname, name_from_text(name, qname)));
	q->state = (uint8_t)state;
	q->req.qtype = DNS_TYPE_AAAA;
	q->req.qclass = DNS_CLASS_IN;
	q->req.flags = DNS_RD;
	return q;
}

static struct query *
pop_ready(void)
{
	struct list *link = list_pop(&p.queries.ready);

	return link == NULL ? NULL : LIST_OBJECT(link, struct query, link);
}

/* Names of all lengths keep their spelling; the pool of long names fills and empties. */
START_TEST(names_keep_their_spelling)
{
	uint8_t name[DNS_NAME_MAX];
	struct query *q[CAP];

	for (unsigned i = 0; i < CAP; i++) {
		memset(name, 'A' + (int)i, sizeof(name));
		q[i] = query_new(&p.queries);
		ck_assert_ptr_nonnull(q[i]);
		ck_assert(query_set_name(&p.queries, q[i], name, i % 2 == 0 ? 64 : 255));
		ck_assert_uint_eq(q[i]->req.qname_len, i % 2 == 0 ? 64 : 255);
	}
	ck_assert_ptr_null(query_new(&p.queries));
	ck_assert_uint_eq(p.queries.long_names.n_used, CAP / 2);
	for (unsigned i = 0; i < CAP; i++) {
		memset(name, 'A' + (int)i, sizeof(name));
		ck_assert_mem_eq(q[i]->req.qname, name, q[i]->req.qname_len);
		query_free(&p.queries, q[i]);
	}
	ck_assert_uint_eq(p.queries.long_names.n_used, 0);
	ck_assert_uint_eq(p.queries.pool.n_used, 0);
}
END_TEST

START_TEST(wakes_all_who_wait)
{
	struct query *a = new_query(QUERY_RELAY, "www.example");
	struct query *b = new_query(QUERY_RELAY, "WWW.example");
	const struct msg m = { .qdcount = 1 };
	const struct lookup_result result = {
		.outcome = LOOKUP_ERROR, .rcode = DNS_REFUSED, .msg = &m
	};
	struct lookup *l;

	(void)query_start(&p.queries, a, p.now_ns);
	(void)query_start(&p.queries, b, p.now_ns);
	l = a->lookup;
	ck_assert_ptr_nonnull(l);
	ck_assert_ptr_eq(b->lookup, l);
	ck_assert_uint_eq(l->waiters.n, 2);
	ck_assert(!query_wake(&p.queries, l, &result, UINT32_MAX));
	lookup_free(&p.lookups, l);
	ck_assert_ptr_eq(pop_ready(), a);
	ck_assert_ptr_eq(pop_ready(), b);
	ck_assert_ptr_null(pop_ready());
	ck_assert(
	    b->came.outcome == LOOKUP_ERROR && b->came.with_msg && b->came.rcode == DNS_REFUSED);
	query_free(&p.queries, a);
	query_free(&p.queries, b);
	ck_assert_uint_eq(p.wheel.n, 0);
}
END_TEST

/* RULES D5: 2 s for AAAA, 4.5 in all. */
START_TEST(d5_deadlines_of_aaaa_and_all)
{
	static const struct {
		enum query_state state;
		uint64_t ms;
	} phases[] = { { QUERY_AAAA, 2000 }, { QUERY_RELAY, 4500 }, { QUERY_REVERSE, 4500 } };
	struct query *q = new_query(phases[_i].state, "www.example");
	struct lookup *l;

	(void)query_start(&p.queries, q, p.now_ns);
	l = q->lookup;
	ck_assert_ptr_nonnull(l);
	ck_assert_ptr_null(wheel_take(&p.wheel, p.now_ns + phases[_i].ms * NS_PER_MS - 1));
	ck_assert_ptr_eq(
	    wheel_take(&p.wheel, p.now_ns + phases[_i].ms * NS_PER_MS + WHEEL_TICK_NS), &q->timer);
	query_on_deadline(&p.queries, q, p.now_ns + phases[_i].ms * NS_PER_MS);
	ck_assert_uint_eq(p.lookups.pool.n_used, q->state == QUERY_AAAA);
	ck_assert_ptr_eq(q->watch.lookup, q->state == QUERY_AAAA ? l : NULL);
	ck_assert_ptr_null(q->lookup);
	/* A second deadline in the same tick finds it ready and leaves it so. */
	query_on_deadline(&p.queries, q, p.now_ns + phases[_i].ms * NS_PER_MS);
	ck_assert_ptr_eq(pop_ready(), q);
	ck_assert_ptr_null(pop_ready());
	ck_assert(q->came.outcome == LOOKUP_SILENT && !q->came.with_msg);
	query_free(&p.queries, q);
	ck_assert_uint_eq(p.lookups.pool.n_used, 0);
}
END_TEST

/* RULES D5: what is asked late is given up when the whole question is. */
START_TEST(d5_late_target_ends_with_the_question)
{
	struct query *q = new_query(QUERY_TARGET, "www.example");
	uint64_t late_ns = p.now_ns + 4000 * NS_PER_MS;

	(void)query_start(&p.queries, q, p.now_ns);
	ck_assert_ptr_nonnull(q->lookup);
	lookup_leave(&p.lookups, q->lookup, &q->link);
	q->lookup = NULL;
	q->budget.left = p.conf.max_upstream_questions;
	(void)query_ask(&p.queries, q, late_ns);
	ck_assert_ptr_nonnull(q->lookup);
	ck_assert_ptr_null(wheel_take(&p.wheel, q->deadline_ns - 1));
	ck_assert_ptr_eq(wheel_take(&p.wheel, q->deadline_ns + WHEEL_TICK_NS), &q->timer);
	lookup_leave(&p.lookups, q->lookup, &q->link);
	q->lookup = NULL;
	query_free(&p.queries, q);
}
END_TEST

/* RULES D26: one waiter too many is no silence: no A is asked for, and nothing is synthesized. */
START_TEST(d26_no_room_for_waiters)
{
	static struct list links[LOOKUP_MAX_WAITERS];
	const struct query_out to = { .buf = p.udp, .cap = sizeof(p.udp) };
	struct query *first = new_query(QUERY_AAAA, "www.example");
	struct query *last = new_query(QUERY_AAAA, "www.example");
	struct lookup *l;
	size_t len;

	(void)query_start(&p.queries, first, p.now_ns);
	l = first->lookup;
	for (unsigned i = 1; i < LOOKUP_MAX_WAITERS; i++) {
		list_init(&links[i]);
		lookup_join(l, &links[i]);
	}
	(void)query_start(&p.queries, last, p.now_ns);
	ck_assert_ptr_eq(pop_ready(), last);
	ck_assert_int_eq(last->came.outcome, LOOKUP_NO_ROOM);
	len = state_run(&p.queries, last, NULL, &to, p.now_ns);
	ck_assert_uint_gt(len, 0);
	ck_assert_uint_eq(p.udp[3] & 0xf, DNS_SERVFAIL);
	ck_assert_ptr_null(last->lookup);
	ck_assert_uint_eq(parts_count(&p.stats.no_room), 1);
	query_free(&p.queries, last);
}
END_TEST

START_TEST(at_the_deadline_nothing_is_asked)
{
	struct query *q = new_query(QUERY_RELAY, "www.example");

	q->deadline_ns = p.now_ns;
	(void)query_ask(&p.queries, q, p.now_ns);
	ck_assert_ptr_null(q->lookup);
	ck_assert_ptr_eq(pop_ready(), q);
	ck_assert_int_eq(q->came.outcome, LOOKUP_SILENT);
	ck_assert_uint_eq(parts_count(&p.stats.lookups), 0);
	query_free(&p.queries, q);
}
END_TEST

START_TEST(all_is_given_back)
{
	struct query *q = new_query(QUERY_RELAY, "www.example");

	q->aaaa.reply = pool_take(&p.queries.partials);
	q->chain.open = pool_take(&p.queries.partials);
	wheel_set(&p.wheel, &q->timer, p.now_ns + NS_PER_SEC);
	query_drop_partial(&p.queries, &q->chain.open);
	ck_assert_ptr_null(q->chain.open);
	query_drop_partial(&p.queries, &q->chain.open);
	ck_assert_uint_eq(p.queries.partials.n_used, 1);
	query_free(&p.queries, q);
	ck_assert_uint_eq(p.queries.partials.n_used, 0);
	ck_assert_uint_eq(p.queries.pool.n_used, 0);
	ck_assert_uint_eq(p.wheel.n, 0);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, names_keep_their_spelling);
	tcase_add_test(tc, wakes_all_who_wait);
	tcase_add_loop_test(tc, d5_deadlines_of_aaaa_and_all, 0, 3);
	tcase_add_test(tc, d5_late_target_ends_with_the_question);
	tcase_add_test(tc, d26_no_room_for_waiters);
	tcase_add_test(tc, at_the_deadline_nothing_is_asked);
	tcase_add_test(tc, all_is_given_back);
}
