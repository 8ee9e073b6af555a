/* SPDX-License-Identifier: BSD-2-Clause */
/* AAAA is late: who goes on to A, who watches, and who is called back (D5, D26). */
#include "engine/query.h"

#include <stdlib.h>

#include "base/clock.h"
#include "cache/cache.h"
#include "dns/name.h"
#include "engine/audit.h"
#include "engine/state.h"
#include "scenario/parts.h"
#include "support/configured.h"
#include "support/message.h"
#include "support/tests.h"

#define CAP 16

static struct parts p;
static uint8_t out[PACKET_UDP_CAP];
static const struct query_out to = { .buf = out, .cap = sizeof(out) };

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

/* From now on there is a cache. */
static struct cache *
add_cache(void)
{
	p.conf.cache = cache_new(CACHE_MIN, 0, 1);
	p.queries.fetch = calloc(1, sizeof(*p.queries.fetch));
	ck_assert(p.conf.cache != NULL && p.queries.fetch != NULL);
	return p.conf.cache;
}

static struct query *
start(enum query_state state)
{
	uint8_t qname[DNS_NAME_MAX];
	struct query *q = query_new(&p.queries);

	ck_assert_ptr_nonnull(q);
	ck_assert(query_set_name(&p.queries, q, qname, name_from_text("www.example", qname)));
	q->state = (uint8_t)state;
	q->req.qtype = DNS_TYPE_AAAA;
	q->req.qclass = DNS_CLASS_IN;
	q->req.flags = DNS_RD;
	q->req.bufsize = 512;
	(void)query_start(&p.queries, q, p.now_ns);
	ck_assert_ptr_nonnull(q->lookup);
	return q;
}

/* Run Q, which is the only one that is ready. Returns the length of its answer. */
static size_t
run(struct query *q, const struct lookup_result *result)
{
	ck_assert_ptr_eq(p.queries.ready.next, &q->link);
	list_unlink(&q->link);
	ck_assert(list_empty(&p.queries.ready));
	return state_run(&p.queries, q, result, &to, p.now_ns);
}

/* L ends without a message. */
static void
end(struct lookup *l, enum lookup_outcome outcome)
{
	const struct lookup_result result = { .outcome = outcome,
		.rcode = outcome == LOOKUP_ERROR ? DNS_REFUSED : DNS_NOERROR,
		.upstream = UPSTREAM_NONE };

	ck_assert(!query_wake(&p.queries, l, &result, UINT32_MAX));
	lookup_free(&p.lookups, l);
}

static void
silent(struct lookup *l, uint8_t n_silent)
{
	l->tried.n_silent = n_silent;
	(void)query_on_silence(&p.queries, l, p.now_ns);
}

/* What Q waits for is late. */
static void
be_late(struct query *q)
{
	query_on_deadline(&p.queries, q, p.now_ns + QUERY_AAAA_MS * NS_PER_MS);
}

static void
check_gone(void)
{
	ck_assert_uint_eq(p.queries.pool.n_used, 0);
	ck_assert_uint_eq(p.lookups.pool.n_used, 0);
	ck_assert_uint_eq(p.wheel.n, 0);
}

/* After 2 s, not before, however often nobody replied, A is asked, and AAAA watched. */
START_TEST(d5_time_leads_to_a)
{
	struct query *q = start(QUERY_AAAA);
	struct lookup *l = q->lookup;

	for (uint8_t n = 0; n < 8; n++)
		silent(l, n);
	ck_assert_ptr_eq(q->lookup, l);
	ck_assert_uint_eq(p.lookups.pool.n_used, 1); /* no cache to ask A into */
	be_late(q);
	ck_assert_uint_eq(run(q, NULL), 0);
	ck_assert_int_eq(q->state, QUERY_A);
	ck_assert_ptr_eq(q->watch.lookup, l);
	ck_assert_uint_eq(q->lookup->key.qtype, DNS_TYPE_A);
	ck_assert_ptr_null(audit(&p.queries));
	silent(l, 9); /* once is enough */
	ck_assert(list_empty(&p.queries.ready));
	ck_assert_uint_eq(parts_count(&p.stats.aaaa_late), 1);
	end(q->lookup, LOOKUP_SILENT);
	/* A was silent too: AAAA is waited for. */
	ck_assert_uint_eq(run(q, NULL), 0);
	ck_assert(q->state == QUERY_AAAA && q->lookup == l && q->watch.lookup == NULL);
	silent(l, 10);
	ck_assert(list_empty(&p.queries.ready));
	ck_assert_ptr_null(audit(&p.queries));
	end(l, LOOKUP_SILENT);
	ck_assert_uint_gt(run(q, NULL), 0);
	query_free(&p.queries, q);
	check_gone();
}
END_TEST

/* With a cache A is asked into it after two attempts, once. */
START_TEST(d5_a_is_asked_into_the_cache)
{
	struct cache *cache = add_cache();
	struct query *q = start(QUERY_AAAA);
	struct lookup *l = q->lookup, *a;

	silent(l, QUERY_BESIDE_SILENT - 1);
	ck_assert_uint_eq(p.lookups.pool.n_used, 1);
	silent(l, QUERY_BESIDE_SILENT);
	ck_assert_uint_eq(p.lookups.pool.n_used, 2);
	silent(l, QUERY_BESIDE_SILENT + 1);
	ck_assert_uint_eq(p.lookups.pool.n_used, 2);
	ck_assert_uint_eq(parts_count(&p.stats.coalesced), 0);
	ck_assert_ptr_eq(q->lookup, l); /* and AAAA is waited for */
	be_late(q);
	ck_assert_uint_eq(run(q, NULL), 0);
	a = q->lookup;
	ck_assert_uint_eq(p.lookups.pool.n_used, 2);
	ck_assert(a->key.qtype == DNS_TYPE_A && a->waiters.needed);
	/* When the client has its answer AAAA goes on for the cache. */
	end(a, LOOKUP_BOGUS);
	end(l, LOOKUP_ERROR);
	ck_assert_uint_gt(run(q, NULL), 0);
	query_free(&p.queries, q);
	check_gone();
	p.conf.cache = NULL;
	cache_free(cache);
}
END_TEST

/* A of no use, from which nothing could be synthesized, is not asked again beside AAAA. */
START_TEST(d5_useless_a_is_not_asked_again)
{
	struct cache *cache = add_cache();
	struct query *q = start(QUERY_AAAA);

	q->aaaa.late = LATE_AWAITED;
	silent(q->lookup, QUERY_BESIDE_SILENT);
	ck_assert_uint_eq(p.lookups.pool.n_used, 1);
	end(q->lookup, LOOKUP_ERROR);
	ck_assert_uint_gt(run(q, NULL), 0);
	query_free(&p.queries, q);
	check_gone();
	p.conf.cache = NULL;
	cache_free(cache);
}
END_TEST

/* Whoever waits for the AAAA question, but would make nothing of A, waits on. */
START_TEST(d5_others_wait_on)
{
	static const char *const lines[] = { "synthesize-on nodata error",
		"dns64-prefix 2001:db8:64::/96 down", "" };
	struct cache *cache = add_cache();
	struct query *q;

	if (lines[_i][0] != '\0') {
		policies_unref(p.conf.policies);
		p.conf.policies = configured_policies(lines[_i]);
	}
	q = start(lines[_i][0] != '\0' ? QUERY_AAAA : QUERY_RELAY);
	silent(q->lookup, QUERY_BESIDE_SILENT);
	ck_assert(q->lookup != NULL && list_empty(&p.queries.ready));
	ck_assert_uint_eq(p.lookups.pool.n_used, 1);
	query_on_deadline(&p.queries, q, p.now_ns + QUERY_AAAA_MS * NS_PER_MS);
	ck_assert_int_eq(q->lookup != NULL, lines[_i][0] != '\0');
	query_on_deadline(&p.queries, q, q->deadline_ns);
	ck_assert_uint_gt(run(q, NULL), 0);
	query_free(&p.queries, q);
	p.conf.cache = NULL;
	cache_free(cache);
}
END_TEST

/* What is stale has its own time, and a truncated reply that is kept has real AAAA. */
START_TEST(d5_better_is_at_hand)
{
	struct query *q = start(QUERY_AAAA);
	struct lookup *l = q->lookup;

	q->stale_seen = true;
	silent(l, QUERY_BESIDE_SILENT);
	ck_assert(q->lookup == l && !l->late.a_asked);
	q->stale_seen = false;
	l->truncated.bytes = out;
	silent(l, QUERY_BESIDE_SILENT);
	ck_assert(q->lookup == l && !l->late.a_asked);
	l->truncated.bytes = NULL;
	lookup_leave(&p.lookups, l, &q->link);
	query_free(&p.queries, q);
	check_gone();
}
END_TEST

/* Where AAAA is ignored and A is late the real AAAA are asked for (D13); who joins A too, at once.
 */
START_TEST(d13_a_is_late)
{
	uint8_t qname[DNS_NAME_MAX];
	const struct lookup_wish any = { .prefer = UPSTREAM_NONE };
	struct query *q[2];
	struct question key;
	struct lookup *a;
	bool found;

	policies_unref(p.conf.policies);
	p.conf.policies = configured_policies("synthesize always");
	for (unsigned i = 0; i < 2; i++) {
		q[i] = query_new(&p.queries);
		ck_assert(
		    query_set_name(&p.queries, q[i], qname, name_from_text("www.example", qname)));
		q[i]->state = QUERY_A;
		q[i]->aaaa.how = QUERY_AAAA_IGNORED;
		q[i]->req.qtype = DNS_TYPE_AAAA;
		q[i]->req.qclass = DNS_CLASS_IN;
		q[i]->req.flags = DNS_RD;
	}
	(void)query_start(&p.queries, q[0], p.now_ns);
	a = q[0]->lookup;
	ck_assert_uint_eq(a->key.qtype, DNS_TYPE_A);
	key = a->key;
	ck_assert_ptr_eq(lookup_find_or_start(&p.lookups, &key, &any, &found), a);
	a->waiters.needed = true;
	be_late(q[0]);
	a->born_ns = p.now_ns - QUERY_AAAA_MS * NS_PER_MS;
	ck_assert_uint_eq(run(q[0], NULL), 0);
	ck_assert_int_eq(q[0]->state, QUERY_NATIVE);
	ck_assert_ptr_null(q[0]->watch.lookup);
	(void)query_start(&p.queries, q[1], p.now_ns);
	ck_assert_ptr_eq(q[1]->lookup, a);
	ck_assert_ptr_eq(wheel_take(&p.wheel, p.now_ns + WHEEL_TICK_NS), &q[1]->timer);
	query_on_deadline(&p.queries, q[1], p.now_ns + WHEEL_TICK_NS);
	ck_assert_uint_eq(run(q[1], NULL), 0);
	ck_assert_int_eq(q[1]->state, QUERY_NATIVE);
	ck_assert_ptr_eq(q[1]->lookup, q[0]->lookup);
}
END_TEST

/* TARGET has A at hand and gives up; without a cache that was the last who waited. */
START_TEST(d5_a_late_target_is_not_watched)
{
	struct query *q = start(QUERY_TARGET);

	silent(q->lookup, QUERY_BESIDE_SILENT);
	ck_assert_ptr_nonnull(q->lookup);
	be_late(q);
	ck_assert(q->lookup == NULL && q->watch.lookup == NULL);
	ck_assert_ptr_eq(list_pop(&p.queries.ready), &q->link);
	ck_assert_int_eq(q->came.outcome, LOOKUP_SILENT);
	ck_assert_uint_eq(p.lookups.pool.n_used, 0);
	query_free(&p.queries, q);
}
END_TEST

/* Both ends in one tick, before the query runs: what was told first does not hide the other. */
START_TEST(d5_both_end_at_once)
{
	static const struct {
		enum lookup_outcome a, aaaa;
		uint16_t ede;
	} ends[] = { { LOOKUP_SILENT, LOOKUP_BOGUS, DNS_EDE_BOGUS },
		{ LOOKUP_SILENT, LOOKUP_SILENT, DNS_EDE_NO_REACHABLE_AUTHORITY } };
	struct query *q = start(QUERY_AAAA);
	struct lookup *l = q->lookup;
	struct msg m;
	size_t len;

	q->req.edns = true;
	be_late(q);
	ck_assert_uint_eq(run(q, NULL), 0);
	end(q->lookup, ends[_i].a);
	end(l, ends[_i].aaaa);
	ck_assert_ptr_null(q->watch.lookup);
	len = run(q, NULL);
	message_sound(&m, out, len, 512);
	ck_assert_uint_eq(m.rcode, DNS_SERVFAIL);
	ck_assert_uint_eq(msg_ede(&m), ends[_i].ede);
	query_free(&p.queries, q);
	check_gone();
}
END_TEST

/* AAAA ends after it was late and before the query ran: it never went on to A. */
START_TEST(d5_ends_as_it_is_late)
{
	struct query *q = start(QUERY_AAAA);
	struct lookup *l = q->lookup;

	be_late(q);
	ck_assert_ptr_null(audit(&p.queries));
	end(l, LOOKUP_BOGUS);
	ck_assert_uint_gt(run(q, NULL), 0);
	ck_assert_uint_eq(out[3] & 0xf, DNS_SERVFAIL);
	ck_assert_uint_eq(p.lookups.pool.n_used, 0); /* A was not asked for */
	query_free(&p.queries, q);
	check_gone();
}
END_TEST

/* AAAA comes in the turn in which the tick ends that was left to it: it is not beaten. */
START_TEST(d5_comes_as_the_tick_ends)
{
	struct cache *cache = add_cache();
	struct query *q = start(QUERY_AAAA);
	struct lookup *l = q->lookup;

	be_late(q);
	ck_assert_uint_eq(run(q, NULL), 0);
	lookup_leave(&p.lookups, q->lookup, &q->link); /* as if it had ended with A */
	q->lookup = NULL;
	ck_assert(!query_hold(&p.queries, q, 0, p.now_ns));
	ck_assert(query_hold(&p.queries, q, 60, p.now_ns));
	ck_assert_int_eq(q->aaaa.late, LATE_HELD);
	ck_assert_ptr_null(audit(&p.queries));
	query_on_deadline(&p.queries, q, p.now_ns + WHEEL_TICK_NS);
	ck_assert_int_eq(q->aaaa.late, LATE_SPENT);
	ck_assert_ptr_null(audit(&p.queries));
	end(l, LOOKUP_BOGUS);
	ck_assert_int_eq(q->aaaa.late, LATE_NONE);
	ck_assert_uint_gt(run(q, NULL), 0);
	ck_assert_uint_eq(out[3] & 0xf, DNS_SERVFAIL);
	ck_assert_uint_eq(p.lookups.pool.n_used, 0); /* A was not asked for again */
	query_free(&p.queries, q);
	check_gone();
	p.conf.cache = NULL;
	cache_free(cache);
}
END_TEST

/* While it is found out whether AAAA validates it is not late, but no longer than that (D3). */
START_TEST(d3_a_check_is_awaited)
{
	uint64_t late_ns = p.now_ns + QUERY_AAAA_MS * NS_PER_MS;
	uint64_t look_ns = late_ns + QUERY_CHECK_MS * NS_PER_MS;
	struct query *q = start(_i == 0 ? QUERY_AAAA : QUERY_TARGET);
	struct lookup *l = q->lookup;

	l->check = LOOKUP_CHECK_CD;
	query_on_deadline(&p.queries, q, late_ns);
	ck_assert(q->lookup == l && list_empty(&p.queries.ready));
	ck_assert_uint_le(q->timer.due, look_ns / WHEEL_TICK_NS + 1);
	query_on_deadline(&p.queries, q, q->deadline_ns - NS_PER_MS);
	ck_assert(q->lookup == l && list_empty(&p.queries.ready));
	ck_assert_uint_le(q->timer.due, q->deadline_ns / WHEEL_TICK_NS + 1);
	l->check = LOOKUP_CHECK_NONE;
	query_on_deadline(&p.queries, q, look_ns);
	ck_assert_ptr_eq(p.queries.ready.next, &q->link);
	query_free(&p.queries, q);
}
END_TEST

/* No room for A is no silence: AAAA is waited for, and then there was no room (RULES D26). */
START_TEST(d26_no_room_for_a)
{
	struct query *q = start(QUERY_AAAA);
	struct lookup *l = q->lookup, *other[CAP];
	const struct lookup_wish any = { .prefer = UPSTREAM_NONE };

	for (unsigned i = 1; i < CAP; i++) {
		char name[] = "a.example";

		name[0] = (char)('a' + i);
		other[i] = parts_lookup(&p, name, &any);
	}
	be_late(q);
	ck_assert_uint_eq(run(q, NULL), 0);
	ck_assert_uint_eq(run(q, NULL), 0);
	ck_assert(q->state == QUERY_AAAA && q->lookup == l);
	ck_assert_uint_eq(parts_count(&p.stats.no_room), 0);
	end(l, LOOKUP_SILENT);
	ck_assert_uint_gt(run(q, NULL), 0);
	ck_assert_uint_eq(out[3] & 0xf, DNS_SERVFAIL);
	ck_assert_uint_eq(parts_count(&p.stats.no_room), 1);
	query_free(&p.queries, q);
	for (unsigned i = 1; i < CAP; i++)
		lookup_free(&p.lookups, other[i]);
	check_gone();
}
END_TEST

/* The client's query goes while it watches and waits: nothing is left. */
START_TEST(d5_all_is_given_back)
{
	struct query *q = start(QUERY_AAAA);

	be_late(q);
	ck_assert_uint_eq(run(q, NULL), 0);
	ck_assert_uint_eq(p.lookups.pool.n_used, 2);
	query_on_deadline(&p.queries, q, q->deadline_ns);
	p.now_ns = q->deadline_ns;
	ck_assert_uint_gt(run(q, NULL), 0);
	query_free(&p.queries, q);
	check_gone();
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, d5_time_leads_to_a);
	tcase_add_test(tc, d5_a_is_asked_into_the_cache);
	tcase_add_test(tc, d5_useless_a_is_not_asked_again);
	tcase_add_loop_test(tc, d5_others_wait_on, 0, 3);
	tcase_add_test(tc, d5_better_is_at_hand);
	tcase_add_test(tc, d13_a_is_late);
	tcase_add_test(tc, d5_a_late_target_is_not_watched);
	tcase_add_loop_test(tc, d5_both_end_at_once, 0, 2);
	tcase_add_test(tc, d5_ends_as_it_is_late);
	tcase_add_test(tc, d5_comes_as_the_tick_ends);
	tcase_add_loop_test(tc, d3_a_check_is_awaited, 0, 2);
	tcase_add_test(tc, d26_no_room_for_a);
	tcase_add_test(tc, d5_all_is_given_back);
}
