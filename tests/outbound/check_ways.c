/* SPDX-License-Identifier: BSD-2-Clause */
#include "outbound/ways.h"

#include "support/tests.h"

static struct ways w;
static uint64_t now_ns;

static void
setup(void)
{
	ways_init(&w);
	now_ns = 1000 * NS_PER_SEC;
}

/* What a search asks by, one after another, with OPTIONS. */
static unsigned
search(bool options, enum way to[static WAYS])
{
	unsigned n = 0;

	ways_begin(&w, options, now_ns);
	ck_assert_int_eq(ways_step(&w, options, now_ns + WAYS_STEP_NS - 1), WAYS);
	for (enum way way;; n++) {
		now_ns += WAYS_STEP_NS;
		way = ways_step(&w, options, now_ns);
		if (way == WAYS)
			return n;
		ck_assert_uint_lt(n, WAYS);
		to[n] = way;
	}
}

/* D5: a search tries each way but the present one, the fullest first. */
START_TEST(d5_search_tries_the_others)
{
	enum way by[WAYS];

	ck_assert_uint_eq(search(true, by), 3);
	ck_assert(by[0] == WAY_PLAIN && by[1] == WAY_BARE && by[2] == WAY_TCP);
	ck_assert_uint_eq(search(false, by), 2);
	ck_assert(by[0] == WAY_BARE && by[1] == WAY_TCP);
	w.now = WAY_BARE;
	ck_assert_uint_eq(search(true, by), 3);
	ck_assert(by[0] == WAY_FULL && by[1] == WAY_PLAIN && by[2] == WAY_TCP);
	ways_begin(&w, true, now_ns);
	ways_heard(&w);
	ck_assert_int_eq(ways_step(&w, true, now_ns + WAYS_STEP_NS), WAYS);
}
END_TEST

/* D5, D21: a narrower way is learned by its second reply, and by none while the present one works.
 */
START_TEST(d21_one_reply_teaches_nothing)
{
	ck_assert_int_eq(ways_found(&w, WAY_BARE, false, now_ns), WAYS_NOTHING);
	ck_assert_int_eq(ways_found(&w, WAY_BARE, true, now_ns), WAYS_ONCE_MORE);
	ck_assert_int_eq(ways_found(&w, WAY_TCP, true, now_ns), WAYS_NOTHING);
	ck_assert_int_eq(w.now, WAY_FULL);
	ways_heard(&w); /* the present one works after all */
	ck_assert_int_eq(ways_found(&w, WAY_BARE, true, now_ns), WAYS_ONCE_MORE);
	ck_assert_int_eq(ways_found(&w, WAY_PLAIN, true, now_ns), WAYS_ONCE_MORE);
	ck_assert_int_eq(ways_found(&w, WAY_PLAIN, true, now_ns), WAYS_LEARNED);
	ck_assert_int_eq(w.now, WAY_PLAIN);
	ck_assert_int_eq(ways_found(&w, WAY_PLAIN, true, now_ns), WAYS_NOTHING);
	ck_assert_int_eq(ways_found(&w, WAY_FULL, false, now_ns), WAYS_LEARNED);
	ck_assert_int_eq(w.now, WAY_FULL);
}
END_TEST

/* D5: fuller ways are tried in turn, less and less often, but at least each eleven minutes. */
START_TEST(d5_fuller_ways_are_tried)
{
	uint64_t wait_ns = WAYS_RETRY_NS;

	ck_assert_int_eq(ways_retry(&w, true, now_ns + NS_PER_SEC * 1000), WAYS);
	ways_learn(&w, WAY_TCP, now_ns);
	for (unsigned i = 0; i < 600; i++) {
		ck_assert_int_eq(ways_retry(&w, true, now_ns + wait_ns - 1), WAYS);
		now_ns += wait_ns;
		ck_assert_int_eq(ways_retry(&w, true, now_ns), i % 2 == 0 ? WAY_FULL : WAY_BARE);
		wait_ns = WAYS_RETRY_NS << (i + 1 < WAYS_DOUBLINGS ? i + 1 : WAYS_DOUBLINGS);
	}
}
END_TEST

/* What comes and goes is tried as seldom as before; after a while of WAY_FULL it begins anew. */
START_TEST(d5_coming_and_going_is_remembered)
{
	ways_learn(&w, WAY_BARE, now_ns);
	now_ns += WAYS_RETRY_NS;
	ck_assert_int_eq(ways_retry(&w, true, now_ns), WAY_FULL);
	ways_learn(&w, WAY_FULL, now_ns);
	now_ns += NS_PER_SEC;
	ways_learn(&w, WAY_BARE, now_ns);
	ck_assert_int_eq(ways_retry(&w, true, now_ns + WAYS_RETRY_NS), WAYS);
	ways_learn(&w, WAY_FULL, now_ns);
	now_ns += (WAYS_RETRY_NS << WAYS_DOUBLINGS) + 1;
	ways_learn(&w, WAY_BARE, now_ns);
	ck_assert_int_ne(ways_retry(&w, true, now_ns + WAYS_RETRY_NS), WAYS);
}
END_TEST

/* D5: sixteen names and a probe teach that there is no AAAA, if others were heard meanwhile. */
START_TEST(d5_no_aaaa_after_16_and_a_probe)
{
	for (unsigned i = 1; i < WAYS_AAAA_LATE; i++)
		ck_assert(!ways_aaaa_late(&w));
	ck_assert(!ways_aaaa_lost(&w, true, now_ns)); /* not that probe */
	ck_assert(ways_aaaa_late(&w));
	ck_assert(!ways_no_aaaa(&w));
	ck_assert(!ways_aaaa_lost(&w, false, now_ns));
	ck_assert(ways_aaaa_late(&w));
	ck_assert(ways_aaaa_lost(&w, true, now_ns));
	ck_assert(ways_no_aaaa(&w));
	ck_assert(!ways_aaaa_due(&w, now_ns + WAYS_AGAIN_NS - 1));
	ck_assert(ways_aaaa_due(&w, now_ns + WAYS_AGAIN_NS));
	ck_assert(!ways_aaaa_due(&w, now_ns + WAYS_AGAIN_NS));
}
END_TEST

/* D5: four large replies that came over TCP only. */
START_TEST(d5_large_replies_are_lost)
{
	for (unsigned i = 1; i < WAYS_LARGE_LOST; i++)
		ck_assert(!ways_large_lost(&w, now_ns));
	ck_assert(!ways_small(&w));
	ck_assert(ways_large_lost(&w, now_ns));
	ck_assert(ways_small(&w));
	ck_assert(!ways_large_lost(&w, now_ns));
	ck_assert(!ways_large_due(&w, now_ns + WAYS_AGAIN_NS - 1));
	ck_assert(ways_large_due(&w, now_ns + WAYS_AGAIN_NS));
	ck_assert(!ways_large_due(&w, now_ns + WAYS_AGAIN_NS));
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_test(tc, d5_search_tries_the_others);
	tcase_add_test(tc, d21_one_reply_teaches_nothing);
	tcase_add_test(tc, d5_fuller_ways_are_tried);
	tcase_add_test(tc, d5_coming_and_going_is_remembered);
	tcase_add_test(tc, d5_no_aaaa_after_16_and_a_probe);
	tcase_add_test(tc, d5_large_replies_are_lost);
}
