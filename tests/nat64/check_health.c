/* SPDX-License-Identifier: BSD-2-Clause */
/* Up and down by answers in a row, and for longer what goes down often. RULES D36. */

#include "nat64/health.h"

#include <string.h>

#include "base/rng.h"
#include "support/tests.h"

static const struct health_rules rules = { .fall = 3, .rise = 5 };

/* What H is after ANSWERS, "+" and "-", a second each from *NOW on. */
static const char *
after(struct health *h, const char *answers, uint64_t *now)
{
	for (; *answers != '\0'; answers++)
		health_take(h, &rules, *answers == '+', *now += NS_PER_SEC);
	return health_word(h->state);
}

START_TEST(each_row)
{
	struct health h = { .n = 0 };
	uint64_t now = 0;

	ck_assert_str_eq(after(&h, "++", &now), "up");
	ck_assert_str_eq(after(&h, "-", &now), "failing");
	ck_assert_str_eq(after(&h, "+", &now), "up");
	ck_assert_str_eq(after(&h, "--", &now), "failing");
	ck_assert(health_passes(&h));
	ck_assert_str_eq(after(&h, "-", &now), "down");
	ck_assert(!health_passes(&h));
	ck_assert_str_eq(after(&h, "--", &now), "down");
	ck_assert_str_eq(after(&h, "++++", &now), "rising");
	ck_assert(!health_passes(&h));
	ck_assert_str_eq(after(&h, "-", &now), "down");
	ck_assert_str_eq(after(&h, "++++", &now), "rising");
	ck_assert_str_eq(after(&h, "+", &now), "up");
}
END_TEST

START_TEST(one_is_enough_if_so_configured)
{
	const struct health_rules one = { .fall = 1, .rise = 1 };
	struct health h = { .n = 0 };

	ck_assert(health_take(&h, &one, false, 1));
	ck_assert_int_eq(h.state, HEALTH_DOWN);
	ck_assert(!health_take(&h, &one, false, 2));
	ck_assert(health_take(&h, &one, true, 3));
	ck_assert_int_eq(h.state, HEALTH_UP);
}
END_TEST

/* By the rules of a reload, also where it is down already. */
START_TEST(other_rules_hold_at_once)
{
	const struct health_rules sooner = { .fall = 3, .rise = 2 };
	struct health h = { .n = 0 };
	uint64_t now = 0;

	ck_assert_str_eq(after(&h, "---+", &now), "rising");
	ck_assert(health_take(&h, &sooner, true, now + 1));
	ck_assert_int_eq(h.state, HEALTH_UP);
}
END_TEST

/* Let H go down, and count the answers until it is up. */
static unsigned
answers_until_up(struct health *h, uint64_t *now)
{
	unsigned n = 0;

	after(h, "---", now);
	while (!health_passes(h)) {
		after(h, "+", now);
		n++;
	}
	return n;
}

/* Each down beyond the second in ten minutes doubles rise, up to 16 times. */
START_TEST(what_goes_down_often_rises_late)
{
	static const unsigned times[] = { 1, 1, 2, 4, 8, 16, 16, 16 };
	struct health h = { .n = 0 };
	uint64_t now = 0;

	for (unsigned i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		ck_assert_uint_eq(answers_until_up(&h, &now), times[i] * rules.rise);
	now += HEALTH_DOWNS_NS;
	ck_assert_uint_eq(answers_until_up(&h, &now), rules.rise);
}
END_TEST

/* A model that keeps all answers, and counts back. */
START_TEST(a_model_agrees)
{
	enum { MOST = 20000 };
	static bool answered[MOST];
	static uint64_t downs[MOST];
	struct health h = { .n = 0 };
	struct rng rng;
	bool up = true;
	unsigned n_downs = 0, needs = 0, since = 0;
	uint64_t now = 0;

	rng_init_seeded(&rng, 30);
	for (unsigned i = 0, bad = 0; i < MOST; i++) {
		unsigned row = 0, recent = 0;

		if (rng_below(&rng, 30) == 0)
			bad = rng_below(&rng, 11);
		answered[i] = rng_below(&rng, 10) >= bad;
		now += (1 + rng_below(&rng, 8)) * NS_PER_SEC;
		ck_assert_int_eq(health_passes(&h), up);
		(void)health_take(&h, &rules, answered[i], now);
		while (row <= i - since && i >= row && answered[i - row] == answered[i])
			row++;
		if (up && !answered[i] && row >= rules.fall) {
			up = false;
			downs[n_downs++] = now;
			for (unsigned k = 0; k < n_downs; k++)
				recent += now - downs[k] <= HEALTH_DOWNS_NS;
			needs = rules.rise;
			for (unsigned k = 3; k <= recent && k <= 6; k++)
				needs *= 2;
			since = i + 1;
		} else if (!up && answered[i] && row >= needs) {
			up = true;
			since = i + 1;
		}
		ck_assert_int_eq(health_passes(&h), up);
	}
	ck_assert_uint_gt(n_downs, 20);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_test(tc, each_row);
	tcase_add_test(tc, one_is_enough_if_so_configured);
	tcase_add_test(tc, other_rules_hold_at_once);
	tcase_add_test(tc, what_goes_down_often_rises_late);
	tcase_add_test(tc, a_model_agrees);
}
