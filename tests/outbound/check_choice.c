/* SPDX-License-Identifier: BSD-2-Clause */
/* Whom to ask under each selection-mode. */

#include "outbound/choice.h"

#include <stdlib.h>

#include "base/clock.h"
#include "scenario/parts.h"
#include "support/tests.h"

static struct upstreams us;
static struct conf_core conf;
static struct wheel wheel;
static struct rng rng;
static uint64_t now_ns;

static void
configure(unsigned n)
{
	parts_conf(&conf, n, 100);
	upstreams_configure(&us, &conf, &wheel);
}

static void
setup(void)
{
	now_ns = PARTS_START_NS;
	rng_init_seeded(&rng, 5);
	wheel_init(&wheel, now_ns);
	upstreams_init(&us);
}

static uint16_t
pick(uint64_t errored, uint16_t last, uint16_t prefer)
{
	const struct choice_wish wish = { .exhausted = errored, .last = last, .prefer = prefer };

	return choice_pick(&us, &wish, &rng).upstream;
}

static void
take_down(unsigned u)
{
	us.table[u].down = true;
}

START_TEST(in_order_takes_the_first_alive)
{
	configure(3);
	ck_assert_uint_eq(pick(0, UPSTREAM_NONE, UPSTREAM_NONE), 0);
	ck_assert_uint_eq(pick(0, 0, UPSTREAM_NONE), 1);
	ck_assert_uint_eq(pick(0, 1, UPSTREAM_NONE), 0);
	ck_assert_uint_eq(pick(1, 0, UPSTREAM_NONE), 1);
	ck_assert_uint_eq(pick(3, 1, UPSTREAM_NONE), 2);
	ck_assert_uint_eq(pick(7, 2, UPSTREAM_NONE), UPSTREAM_NONE);
	take_down(0);
	ck_assert_uint_eq(pick(0, UPSTREAM_NONE, UPSTREAM_NONE), 1);
}
END_TEST

/* Alive and another; alive; another; any. */
START_TEST(down_only_when_no_other_is_left)
{
	configure(3);
	take_down(0);
	take_down(1);
	ck_assert_uint_eq(pick(0, 2, UPSTREAM_NONE), 2);
	ck_assert_uint_eq(pick(4, 2, UPSTREAM_NONE), 0);
	ck_assert_uint_eq(pick(4, 0, UPSTREAM_NONE), 1);
	ck_assert_uint_eq(pick(6, 0, UPSTREAM_NONE), 0);
}
END_TEST

/* RULES D3, D5: with an error at hand none that is down. */
START_TEST(with_an_error_at_hand_none_is_asked_that_is_down)
{
	const struct choice_wish wish = {
		.exhausted = 4, .last = UPSTREAM_NONE, .prefer = UPSTREAM_NONE, .alive = true
	};

	configure(3);
	take_down(0);
	ck_assert_uint_eq(choice_pick(&us, &wish, &rng).upstream, 1);
	ck_assert(!upstreams_all_down(&us));
	take_down(1);
	ck_assert_uint_eq(choice_pick(&us, &wish, &rng).upstream, UPSTREAM_NONE);
	ck_assert(!upstreams_all_down(&us));
	take_down(2);
	ck_assert(upstreams_all_down(&us));
}
END_TEST

START_TEST(preferred_if_it_may_be_asked)
{
	configure(3);
	ck_assert_uint_eq(pick(0, UPSTREAM_NONE, 2), 2);
	ck_assert_uint_eq(pick(4, UPSTREAM_NONE, 2), 0);
	take_down(2);
	ck_assert_uint_eq(pick(0, UPSTREAM_NONE, 2), 0);
	configure(1);
	ck_assert_uint_eq(pick(0, UPSTREAM_NONE, 1), 0);
}
END_TEST

/* mtd64-ng: the same one until it does not reply in time, then the next, round and round. */
START_TEST(round_robin_stays)
{
	configure(3);
	us.selection = CONF_ROUND_ROBIN;
	for (unsigned turn = 0; turn < 7; turn++) {
		uint16_t want = (uint16_t)(turn % 3);

		ck_assert_uint_eq(pick(0, UPSTREAM_NONE, UPSTREAM_NONE), want);
		ck_assert_uint_eq(pick(0, UPSTREAM_NONE, UPSTREAM_NONE), want);
		/* An error is a reply in time. */
		ck_assert_uint_eq(pick(UINT64_C(1) << want, want, UPSTREAM_NONE), (turn + 1) % 3);
		ck_assert_uint_eq(pick(0, UPSTREAM_NONE, UPSTREAM_NONE), want);
		choice_on_failure(&us, want, UPSTREAM_PRIMARY, true, now_ns);
		ck_assert_uint_eq(pick(0, want, UPSTREAM_NONE), (turn + 1) % 3);
	}
	/* Another question that was silent at the one before does not move it. */
	choice_on_failure(&us, 0, UPSTREAM_PRIMARY, true, now_ns);
	ck_assert_uint_eq(pick(0, 0, UPSTREAM_NONE), 1);
	ck_assert_uint_eq(pick(0, 0, UPSTREAM_NONE), 1);
}
END_TEST

START_TEST(random_is_even)
{
	unsigned counts[4] = { 0 };
	unsigned after[4] = { 0 };

	configure(4);
	us.selection = CONF_RANDOM;
	for (unsigned i = 0; i < 40000; i++) {
		counts[pick(0, UPSTREAM_NONE, UPSTREAM_NONE)]++;
		after[pick(0, 2, UPSTREAM_NONE)]++;
	}
	for (unsigned u = 0; u < 4; u++) {
		ck_assert_uint_gt(counts[u], 9600);
		ck_assert_uint_lt(counts[u], 10400);
	}
	ck_assert_uint_eq(after[2], 0);
	ck_assert_uint_gt(after[0], 9000);
	ck_assert_uint_gt(after[1], 9000);
	ck_assert_uint_gt(after[3], 9000);
}
END_TEST

/* D33: those that would be asked are told, and asked. */
START_TEST(those_that_are_likely)
{
	static const enum conf_selection modes[] = { CONF_RANDOM, CONF_ROUND_ROBIN, CONF_IN_ORDER,
		CONF_FASTEST };
	uint16_t at[CONF_MAX_UPSTREAMS];

	configure(3);
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		us.selection = modes[i];
		us.table[0].down = false;
		ck_assert_uint_eq(choice_likely(&us, at),
		    modes[i] == CONF_ROUND_ROBIN || modes[i] == CONF_IN_ORDER ? 1 : 3);
		ck_assert_uint_eq(at[0], 0);
		take_down(0);
		ck_assert_uint_ge(choice_likely(&us, at), 1);
		ck_assert_uint_eq(at[0], 1);
	}
	us.selection = CONF_FASTEST;
	us.table[1].cost.ns = 2 * NS_PER_MS;
	us.table[2].cost.ns = NS_PER_MS;
	ck_assert_uint_eq(choice_likely(&us, at), 1);
	ck_assert_uint_eq(at[0], 2);
	configure(0);
	ck_assert_uint_eq(choice_likely(&us, at), 0);
}
END_TEST

START_TEST(without_upstreams_none_is_picked)
{
	ck_assert_uint_eq(pick(0, UPSTREAM_NONE, UPSTREAM_NONE), UPSTREAM_NONE);
	us.selection = CONF_ROUND_ROBIN;
	ck_assert_uint_eq(pick(0, UPSTREAM_NONE, 3), UPSTREAM_NONE);
}
END_TEST

/* --- beside another --------------------------------------------------------------------------- */

static void
learn(unsigned u, unsigned ms)
{
	for (unsigned i = 0; i < 100; i++) {
		now_ns += 10 * NS_PER_MS;
		upstreams_learn(&us, u, UPSTREAM_PRIMARY, ms * NS_PER_MS, now_ns);
	}
}

/* D27: at most one question in twenty is hedged. */
START_TEST(d27_hedges_keep_to_their_budget)
{
	unsigned n = 0;

	configure(2);
	us.selection = CONF_RANDOM;
	us.hedge = true;
	learn(0, 30);
	learn(1, 30);
	for (unsigned i = 0; i < 2000; i++) {
		uint16_t u = pick(0, UPSTREAM_NONE, UPSTREAM_NONE);
		uint64_t early = choice_early_ns(&us, u, false);

		if (early == UINT64_MAX)
			continue;
		ck_assert_uint_ge(early, 29 * NS_PER_MS);
		ck_assert_uint_le(early, 40 * NS_PER_MS);
		ck_assert_uint_eq(choice_beside(&us, u, false, 0, &rng), 1U - u);
		n++;
	}
	ck_assert_uint_eq(n, 2000 / CHOICE_HEDGE_EACH);
	ck_assert_uint_eq(us.table[0].tally.hedges + us.table[1].tally.hedges, n);
	/* After quiet times some more. */
	for (unsigned i = 0; i < 1000; i++)
		ck_assert_uint_lt(pick(0, UPSTREAM_NONE, UPSTREAM_NONE), 2);
	for (n = 0; choice_beside(&us, 0, false, 0, &rng) != UPSTREAM_NONE; n++)
		;
	ck_assert_uint_eq(n, CHOICE_HEDGE_SAVED);
}
END_TEST

/* Nobody is asked beside one of several if it is worse, and nobody without the setting. */
START_TEST(hedged_where_another_is_as_good)
{
	configure(2);
	us.selection = CONF_RANDOM;
	us.hedge_credit = CHOICE_HEDGE_EACH;
	learn(0, 2);
	learn(1, 2);
	ck_assert_uint_eq(choice_early_ns(&us, 0, false), UINT64_MAX);
	us.hedge = true;
	ck_assert_uint_eq(choice_early_ns(&us, 0, false), CHOICE_HEDGE_NS);
	us.table[1].in_doubt = true;
	ck_assert_uint_eq(choice_early_ns(&us, 0, false), UINT64_MAX);
	ck_assert_uint_eq(choice_beside(&us, 0, false, 0, &rng), UPSTREAM_NONE);
	us.table[1].in_doubt = false;
	learn(1, 40);
	ck_assert_uint_eq(choice_early_ns(&us, 0, false), UINT64_MAX);
	ck_assert_uint_ne(choice_early_ns(&us, 1, false), UINT64_MAX);
	ck_assert_uint_eq(choice_beside(&us, 1, false, 1, &rng), UPSTREAM_NONE);
	ck_assert_uint_eq(us.hedge_credit, CHOICE_HEDGE_EACH);
	configure(1);
	ck_assert_uint_eq(choice_early_ns(&us, 0, false), UINT64_MAX);
}
END_TEST

/* D27: an exploring question waits for the best one's time only, and costs what that says. */
START_TEST(d27_exploring_waits_for_the_best_ones_time)
{
	configure(2);
	us.selection = CONF_RANDOM;
	learn(0, 800);
	learn(1, 1);
	ck_assert_uint_eq(choice_early_ns(&us, 0, true), TIMES_LEAST_NS);
	ck_assert_uint_eq(choice_beside(&us, 0, true, 0, &rng), 1);
	ck_assert_uint_eq(us.table[1].tally.hedges, 0);
	choice_on_overtaken(&us, 0, now_ns);
	ck_assert_uint_le(us.table[0].cost.ns, 801 * NS_PER_MS);
	us.table[0].cost.ns = 0;
	choice_on_overtaken(&us, 0, now_ns);
	ck_assert_uint_eq(us.table[0].cost.ns, 2 * TIMES_LEAST_NS);
	us.table[1].down = true;
	ck_assert_uint_eq(choice_early_ns(&us, 0, true), UINT64_MAX);
	ck_assert_uint_eq(choice_beside(&us, 0, true, 0, &rng), UPSTREAM_NONE);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_test(tc, in_order_takes_the_first_alive);
	tcase_add_test(tc, down_only_when_no_other_is_left);
	tcase_add_test(tc, with_an_error_at_hand_none_is_asked_that_is_down);
	tcase_add_test(tc, preferred_if_it_may_be_asked);
	tcase_add_test(tc, round_robin_stays);
	tcase_add_test(tc, random_is_even);
	tcase_add_test(tc, without_upstreams_none_is_picked);
	tcase_add_test(tc, those_that_are_likely);
	tcase_add_test(tc, d27_hedges_keep_to_their_budget);
	tcase_add_test(tc, hedged_where_another_is_as_good);
	tcase_add_test(tc, d27_exploring_waits_for_the_best_ones_time);
}
