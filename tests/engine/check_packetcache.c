/* SPDX-License-Identifier: BSD-2-Clause */
/* A finished answer is given again only to what is the same in all it depends on (D22). */

#include "engine/packetcache.h"

#include <stdio.h>
#include <string.h>

#include "support/tests.h"

#define NOW_S 1000

static struct packetcache *f;
static const struct packetcache_why why = { .reason = REASON_NATIVE, .age_s = 7 };
static struct stats stats;
static uint8_t question[PACKETCACHE_QUESTION + 3];
static uint8_t out[PACKETCACHE_ANSWER];

static void
setup(void)
{
	memset(&stats, 0, sizeof(stats));
	f = packetcache_new(7);
	ck_assert_ptr_nonnull(f);
}

static void
teardown(void)
{
	packetcache_free(f);
}

static struct packetcache_ask
ask_for(unsigned n, size_t len)
{
	memset(question, 0, sizeof(question));
	snprintf((char *)question + 2, 16, "question %u", n);
	return (struct packetcache_ask){ .msg = question,
		.len = len,
		.now_s = NOW_S,
		.flushes = 3,
		.conf_gen = 4,
		.policy = 5,
		.family = NETADDR_IPV6 };
}

static bool
find(const struct packetcache_ask *a)
{
	return packetcache_glance(f, a->msg, a->len, a->now_s) && packetcache_find(f, a, &stats);
}

/* Ask twice and have the answer of LEN octets kept, which counted 2 hits and 1 answer. */
static void
keep(const struct packetcache_ask *a, size_t len)
{
	uint8_t answer[PACKETCACHE_ANSWER + 1];

	memset(answer, 0xab, sizeof(answer));
	packetcache_glance(f, a->msg, a->len, a->now_s);
	ck_assert(packetcache_glance(f, a->msg, a->len, a->now_s));
	ck_assert(!packetcache_find(f, a, &stats));
	stats_add(&stats.cache_hits_a, 2);
	stats_inc(&stats.relayed);
	stats_inc(&stats.prefixes[0]);
	stats_inc(&stats.prefixes[STATS_PREFIXES - 1]);
	packetcache_keep(f, answer, len, &why, &stats);
}

START_TEST(second_question_within_a_second_is_kept)
{
	struct packetcache_ask a = ask_for(1, 40);

	ck_assert(!packetcache_glance(f, a.msg, a.len, NOW_S));
	ck_assert(packetcache_glance(f, a.msg, a.len, NOW_S));
	ck_assert(!packetcache_glance(f, a.msg, a.len, NOW_S + 1));
	keep(&a, 60);
	question[0] = 0x12;
	question[1] = 0x34;
	ck_assert(find(&a));
	ck_assert_uint_eq(packetcache_write(f, out, &stats), 60);
	ck_assert_uint_eq(out[0], 0x12);
	ck_assert_uint_eq(out[1], 0x34);
	for (unsigned i = 2; i < 60; i++)
		ck_assert_uint_eq(out[i], 0xab);
	/* It counts as the first one did. */
	ck_assert_uint_eq(stats.cache_hits_a, 4);
	ck_assert_uint_eq(stats.relayed, 2);
	ck_assert_uint_eq(stats.prefixes[0], 2);
	ck_assert_uint_eq(stats.prefixes[STATS_PREFIXES - 1], 2);
	ck_assert_uint_eq(stats.answers_repeated, 1);
}
END_TEST

START_TEST(whatever_it_depends_on)
{
	struct packetcache_ask a = ask_for(1, 40), b;

	keep(&a, 60);
	ck_assert(find(&a));
	b = a;
	b.flushes++;
	ck_assert(!find(&b));
	b = a;
	b.conf_gen++;
	ck_assert(!find(&b));
	b = a;
	b.policy++;
	ck_assert(!find(&b));
	b = a;
	b.family = NETADDR_IPV4;
	ck_assert(!find(&b));
	b = a;
	b.now_s++;
	(void)find(&b);
	ck_assert(!find(&b));
	b = a;
	b.len--;
	(void)find(&b);
	ck_assert(!find(&b));
	question[39] ^= 1; /* its last octet */
	(void)find(&a);
	ck_assert(!find(&a));
}
END_TEST

START_TEST(question_and_answer_have_bounds)
{
	struct packetcache_ask a = ask_for(1, PACKETCACHE_QUESTION + 2), b;

	keep(&a, PACKETCACHE_ANSWER);
	ck_assert(find(&a));
	ck_assert_uint_eq(packetcache_write(f, out, &stats), PACKETCACHE_ANSWER);
	b = ask_for(2, 40);
	keep(&b, PACKETCACHE_ANSWER + 1);
	ck_assert(!find(&b));
	b = ask_for(3, PACKETCACHE_QUESTION + 3);
	packetcache_glance(f, b.msg, b.len, NOW_S);
	ck_assert(!packetcache_glance(f, b.msg, b.len, NOW_S));
	ck_assert(!packetcache_glance(f, b.msg, 2, NOW_S));
	ck_assert(!packetcache_glance(f, b.msg, 0, NOW_S));
}
END_TEST

/* What counts more than can be remembered is not repeated. */
START_TEST(too_many_counters)
{
	struct packetcache_ask a = ask_for(1, 40);
	_Atomic uint64_t *counter = &stats.client_udp;

	for (unsigned n = PACKETCACHE_COUNTS; n <= PACKETCACHE_COUNTS + 1; n++) {
		a = ask_for(n, 40);
		packetcache_glance(f, a.msg, a.len, NOW_S);
		ck_assert(packetcache_glance(f, a.msg, a.len, NOW_S));
		ck_assert(!packetcache_find(f, &a, &stats));
		for (unsigned i = 0; i < n; i++)
			stats_inc(counter + i);
		packetcache_keep(f, out, 60, &why, &stats);
		ck_assert_int_eq(find(&a), n == PACKETCACHE_COUNTS);
	}
	a = ask_for(1, 40);
	packetcache_glance(f, a.msg, a.len, NOW_S);
	ck_assert(!find(&a));
	stats_add(&stats.relayed, 256);
	packetcache_keep(f, out, 60, &why, &stats);
	ck_assert(!find(&a));
}
END_TEST

/* Whatever a loop counts is repeated, and so is what counts an answer by prefix. */
START_TEST(each_counter_is_repeated)
{
	_Atomic uint64_t *counter = &stats.client_udp;

	for (unsigned i = 0; i < STATS_LOOPS_N; i++) {
		struct packetcache_ask a = ask_for(i, 40);

		if (i == STATS_answers_repeated) /* it counts the repetition itself */
			continue;
		packetcache_glance(f, a.msg, a.len, NOW_S);
		ck_assert(packetcache_glance(f, a.msg, a.len, NOW_S));
		ck_assert(!packetcache_find(f, &a, &stats));
		stats_inc(counter + i);
		packetcache_keep(f, out, 60, &why, &stats);
		ck_assert(find(&a));
		ck_assert_uint_eq(packetcache_write(f, out, &stats), 60);
		ck_assert_uint_eq(counter[i], 2);
	}
}
END_TEST

/* Many questions: a slot's newest counts, and none gets another's answer. */
START_TEST(question_never_gets_anothers_answer)
{
	unsigned n_found = 0;

	for (unsigned n = 0; n < 3 * PACKETCACHE_SLOTS; n++) {
		struct packetcache_ask a = ask_for(n, 40);

		keep(&a, 20 + n % 100);
		ck_assert(find(&a));
		ck_assert_uint_eq(packetcache_write(f, out, &stats), 20 + n % 100);
	}
	for (unsigned n = 0; n < 3 * PACKETCACHE_SLOTS; n++) {
		struct packetcache_ask a = ask_for(n, 40);

		if (!find(&a))
			continue;
		ck_assert_uint_eq(packetcache_write(f, out, &stats), 20 + n % 100);
		n_found++;
	}
	ck_assert_uint_gt(n_found, 0); /* those alone in their slot */
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, second_question_within_a_second_is_kept);
	tcase_add_test(tc, whatever_it_depends_on);
	tcase_add_test(tc, question_and_answer_have_bounds);
	tcase_add_test(tc, too_many_counters);
	tcase_add_test(tc, each_counter_is_repeated);
	tcase_add_test(tc, question_never_gets_anothers_answer);
}
