/* SPDX-License-Identifier: BSD-2-Clause */
/* Whoever is forgotten is found. That the engine forgets nobody is asserted in every other test. */
#include "engine/audit.h"

#include "scenario/parts.h"
#include "support/tests.h"

static struct parts p;
static const struct lookup_wish any = { .prefer = UPSTREAM_NONE };

static const struct fair_terms terms = { .question = 1, .max_same = 16 };

static struct query *
waiting(struct lookup *l)
{
	struct query *q = query_new(&p.queries);

	ck_assert_ptr_nonnull(q);
	ck_assert_int_eq(
	    fair_enter(&p.queries.fair, &q->from.peer, &terms, &q->place), FAIR_WELCOME);
	q->lookup = l;
	lookup_join(l, &q->link);
	wheel_set(&p.wheel, &q->timer, p.now_ns + 1000000000);
	return q;
}

static void
setup(void)
{
	parts_init(&p, 1, 4);
}

static void
teardown(void)
{
	parts_fini(&p);
}

START_TEST(sound_engine_passes_the_audit)
{
	struct lookup *l = parts_lookup(&p, "a.example", &any);
	struct query *alone = query_new(&p.queries);
	struct packet_out send;

	ck_assert_ptr_nonnull(alone);
	alone->aaaa.late = LATE_LAPSED;
	wheel_set(&p.wheel, &alone->timer, p.now_ns);
	(void)waiting(l);
	(void)waiting(l);
	query_ready(&p.queries, query_new(&p.queries));
	ck_assert_ptr_null(audit(&p.queries)); /* to be asked */
	ck_assert(parts_next(&p, &send));
	ck_assert_ptr_null(audit(&p.queries)); /* asked */
}
END_TEST

START_TEST(a_query_on_no_list)
{
	struct query *q = query_new(&p.queries);

	ck_assert_ptr_nonnull(audit(&p.queries));
	query_ready(&p.queries, q);
	ck_assert_ptr_null(audit(&p.queries));
}
END_TEST

START_TEST(a_query_that_its_network_does_not_know)
{
	struct query *q = waiting(parts_lookup(&p, "a.example", &any));
	struct query *other = waiting(q->lookup);
	struct fair_net *net = &q->place.client->own;

	ck_assert_ptr_null(audit(&p.queries));
	fair_leave(&p.queries.fair, &q->place);
	ck_assert_ptr_nonnull(audit(&p.queries));
	ck_assert_int_eq(
	    fair_enter(&p.queries.fair, &q->from.peer, &terms, &q->place), FAIR_WELCOME);
	ck_assert_ptr_null(audit(&p.queries));
	net->n++;
	ck_assert_ptr_nonnull(audit(&p.queries));
	net->n--;
	list_unlink(&net->link);
	list_push(&p.queries.fair.classes[3], &net->link);
	ck_assert_ptr_nonnull(audit(&p.queries));
	list_unlink(&net->link);
	list_push(&p.queries.fair.classes[fair_class(fair_weigh(2, 0))], &net->link);
	ck_assert_ptr_null(audit(&p.queries));
	p.queries.fair.same[other->place.same[0][0]] = 0;
	ck_assert_ptr_nonnull(audit(&p.queries));
}
END_TEST

START_TEST(a_query_without_an_end)
{
	struct query *q = waiting(parts_lookup(&p, "a.example", &any));

	wheel_clear(&p.wheel, &q->timer);
	ck_assert_ptr_nonnull(audit(&p.queries));
}
END_TEST

START_TEST(a_query_that_waits_elsewhere)
{
	struct query *q = waiting(parts_lookup(&p, "a.example", &any));

	q->lookup = parts_lookup(&p, "b.example", &any);
	ck_assert_ptr_nonnull(audit(&p.queries));
}
END_TEST

START_TEST(a_query_that_is_ready_and_waits)
{
	struct query *q = query_new(&p.queries);

	query_ready(&p.queries, q);
	q->lookup = parts_lookup(&p, "a.example", &any);
	ck_assert_ptr_nonnull(audit(&p.queries));
}
END_TEST

START_TEST(waiters_that_were_not_counted)
{
	struct lookup *l = parts_lookup(&p, "a.example", &any);

	(void)waiting(l);
	l->waiters.n = 0;
	ck_assert_ptr_nonnull(audit(&p.queries));
}
END_TEST

START_TEST(a_watcher_that_is_not_known)
{
	struct query *q = waiting(parts_lookup(&p, "a.example", &any));
	struct lookup *l = parts_lookup(&p, "b.example", &any);

	lookup_join(l, &q->watch.link);
	lookup_watch(l, &q->watch.link, &q->watch.link);
	ck_assert_ptr_nonnull(audit(&p.queries)); /* the query does not know */
	q->watch.lookup = l;
	l->key.qtype = DNS_TYPE_AAAA;
	ck_assert_ptr_nonnull(audit(&p.queries)); /* its state does not say so */
	q->aaaa.late = LATE_WATCHED;
	ck_assert_ptr_null(audit(&p.queries));
	l->waiters.ring = NULL;
	l->waiters.n = 0;
	ck_assert_ptr_nonnull(audit(&p.queries)); /* the lookup does not know */
}
END_TEST

START_TEST(a_lookup_without_time)
{
	struct lookup *l = parts_lookup(&p, "a.example", &any);
	struct packet_out send;

	ck_assert(parts_next(&p, &send));
	wheel_clear(&p.wheel, &l->timer);
	ck_assert_ptr_nonnull(audit(&p.queries));
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, sound_engine_passes_the_audit);
	tcase_add_test(tc, a_query_on_no_list);
	tcase_add_test(tc, a_query_without_an_end);
	tcase_add_test(tc, a_query_that_its_network_does_not_know);
	tcase_add_test(tc, a_query_that_waits_elsewhere);
	tcase_add_test(tc, a_query_that_is_ready_and_waits);
	tcase_add_test(tc, waiters_that_were_not_counted);
	tcase_add_test(tc, a_watcher_that_is_not_known);
	tcase_add_test(tc, a_lookup_without_time);
}
