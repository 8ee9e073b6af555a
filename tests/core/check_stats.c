/* SPDX-License-Identifier: BSD-2-Clause */
/* Counters: one row each, added up over the loops. */

#include "core/stats.h"

#include <string.h>

#include "support/tests.h"

static struct stats a, b;

static void
setup(void)
{
	memset(&a, 0, sizeof(a));
	memset(&b, 0, sizeof(b));
}

static const struct stats_row *
find(const struct stats_row *rows, const char *name)
{
	for (unsigned i = 0; i < STATS_N; i++) {
		if (strcmp(rows[i].name, name) == 0)
			return &rows[i];
	}
	ck_abort_msg("no row %s", name);
}

START_TEST(sums_of_loops_are_the_rows)
{
	const struct stats *both[2] = { &a, &b };
	struct stats_row rows[STATS_N];

	stats_inc(&a.client_short);
	stats_inc(&a.client_short);
	stats_add(&b.client_short, 40);
	stats_add(&b.send_failed, UINT64_C(1) << 40);
	stats_sum(both, 2, rows);
	ck_assert_uint_eq(find(rows, "client_short")->value, 42);
	ck_assert_uint_eq(find(rows, "send_failed")->value, UINT64_C(1) << 40);
	ck_assert_uint_eq(find(rows, "client_tcp")->value, 0);
	stats_sum(both, 1, rows);
	ck_assert_uint_eq(find(rows, "client_short")->value, 2);
}
END_TEST

/* What has a place by several things is told by each of them. */
START_TEST(questions_are_told_apart)
{
	const struct stats *both[2] = { &a, &b };
	uint64_t asked[STATS_ASKED];
	struct stats_row rows[STATS_N];
	bool seen[STATS_ASKED] = { false };
	static const enum type_kind kinds[] = { TYPE_KIND_A, TYPE_KIND_AAAA, TYPE_KIND_HTTPS,
		TYPE_KIND_PTR, TYPE_KIND_OTHER };
	static const uint16_t types[] = { DNS_TYPE_A, DNS_TYPE_AAAA, DNS_TYPE_HTTPS, DNS_TYPE_PTR,
		DNS_TYPE_MX };

	for (unsigned i = 0; i < 20; i++) {
		unsigned at = stats_asked(i & 1, i & 2, types[i / 4]);

		ck_assert_uint_lt(at, STATS_ASKED);
		ck_assert(!seen[at]);
		seen[at] = true;
		ck_assert_uint_eq(at % STATS_TYPES, kinds[i / 4]);
		stats_add(&(i & 2 ? &a : &b)->asked[at], i & 1 ? 100 : 1);
	}
	ck_assert_uint_eq(
	    stats_asked(true, true, DNS_TYPE_SVCB), stats_asked(true, true, DNS_TYPE_HTTPS));
	ck_assert_uint_eq(stats_asked(true, true, 66), stats_asked(true, true, DNS_TYPE_MX));
	stats_sum_asked(both, 2, asked);
	ck_assert_uint_eq(asked[stats_asked(true, false, DNS_TYPE_PTR)], 100);
	stats_sum(both, 2, rows);
	ck_assert_uint_eq(find(rows, "client_udp")->value, 10);
	ck_assert_uint_eq(find(rows, "client_tcp")->value, 1000);
}
END_TEST

/* A hit is counted as what its question was counted as, whatever its type is. */
START_TEST(hits_are_counted_as_their_questions)
{
	static const char *const names[] = { [TYPE_KIND_A] = "cache_hits_a",
		[TYPE_KIND_AAAA] = "cache_hits_aaaa",
		[TYPE_KIND_HTTPS] = "cache_hits_https",
		[TYPE_KIND_PTR] = "cache_hits_ptr",
		[TYPE_KIND_OTHER] = "cache_hits_other" };
	const struct stats *one[1] = { &a };
	struct stats_row rows[STATS_N];

	for (unsigned type = 0; type < 400; type++) {
		setup();
		stats_hit(&a, (uint16_t)type);
		stats_sum(one, 1, rows);
		ck_assert_uint_eq(find(rows, "cache_hits")->value, 1);
		ck_assert_uint_eq(
		    find(rows, names[stats_asked(false, false, (uint16_t)type)])->value, 1);
	}
}
END_TEST

START_TEST(answers_are_told_by_rcode)
{
	const struct stats *both[2] = { &a, &b };
	uint64_t rcodes[STATS_RCODES];

	stats_answer(&a, REASON_NATIVE, true, DNS_NOERROR);
	stats_answer(&b, REASON_RELAYED, false, DNS_NXDOMAIN);
	stats_answer(&b, REASON_NXDOMAIN, true, DNS_NXDOMAIN);
	stats_dropped(&b, REASON_DROP_RATE);
	stats_sum_rcodes(both, 2, rcodes);
	ck_assert_uint_eq(rcodes[DNS_NOERROR], 1);
	ck_assert_uint_eq(rcodes[DNS_NXDOMAIN], 2);
	ck_assert_uint_eq(rcodes[DNS_SERVFAIL], 0);
}
END_TEST

/* What was dropped is not being worked on; what was no question never was. */
START_TEST(in_flight_is_what_has_not_ended)
{
	const struct stats *one[1] = { &a };
	struct stats_row rows[STATS_N];

	stats_add(&a.asked[stats_asked(false, true, DNS_TYPE_AAAA)], 10);
	stats_answer(&a, REASON_NATIVE, true, DNS_NOERROR);
	stats_answer(&a, REASON_RATE_LIMITED, false, DNS_NOERROR);
	stats_add(&a.rate_dropped, 3);
	stats_dropped(&a, REASON_DROP_RATE);
	stats_inc(&a.client_dropped);
	stats_dropped(&a, REASON_DROP_FULL);
	stats_dropped(&a, REASON_DROP_SHORT);
	stats_sum(one, 1, rows);
	ck_assert_uint_eq(stats_in_flight(rows), 4);
}
END_TEST

START_TEST(every_row_says_what_it_counts)
{
	const struct stats *none[1] = { &a };
	struct stats_row rows[STATS_N];

	stats_sum(none, 0, rows);
	for (unsigned i = 0; i < STATS_N; i++) {
		ck_assert_uint_eq(rows[i].value, 0);
		ck_assert_uint_gt(strlen(rows[i].help), 10);
		for (unsigned j = 0; j < i; j++)
			ck_assert_str_ne(rows[i].name, rows[j].name);
	}
}
END_TEST

/* Two loops never write to one cache line. */
START_TEST(loops_share_no_cache_line)
{
	ck_assert_uint_eq(_Alignof(struct stats) % 64, 0);
	ck_assert_uint_eq(sizeof(struct stats) % 64, 0);
	ck_assert_uint_ge(sizeof(struct stats), STATS_N * sizeof(uint64_t));
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_test(tc, sums_of_loops_are_the_rows);
	tcase_add_test(tc, questions_are_told_apart);
	tcase_add_test(tc, hits_are_counted_as_their_questions);
	tcase_add_test(tc, answers_are_told_by_rcode);
	tcase_add_test(tc, in_flight_is_what_has_not_ended);
	tcase_add_test(tc, every_row_says_what_it_counts);
	tcase_add_test(tc, loops_share_no_cache_line);
}
