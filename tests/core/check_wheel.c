/* SPDX-License-Identifier: BSD-2-Clause */
/* The timing wheel: never early, at most one tick late, whatever the duration and the pauses. */

#include "core/wheel.h"

#include "base/rng.h"
#include "scenario/parts.h"
#include "support/tests.h"

#define START 123456789123ULL
#define SECOND 1000000000ULL
#define TURN (WHEEL_SLOTS * WHEEL_TICK_NS)

static struct wheel wheel;

static void
setup(void)
{
	wheel_init(&wheel, START);
}

static const uint64_t durations[] = { 0, 1, WHEEL_TICK_NS - 1, WHEEL_TICK_NS, WHEEL_TICK_NS + 1,
	SECOND, 2 * SECOND, 5 * SECOND, TURN - WHEEL_TICK_NS, TURN - 1, TURN, TURN + 1, 2 * TURN,
	60 * SECOND, 300 * SECOND, 86400 * SECOND };
#define N_DURATIONS (int)(sizeof(durations) / sizeof(durations[0]))

/* Time in steps of a millisecond: the timer fires in [due, due + tick). */
START_TEST(timer_fires_within_one_tick)
{
	uint64_t due = START + durations[_i];
	uint64_t step = durations[_i] > 60 * SECOND ? 5 * WHEEL_TICK_NS / 8 : 1000000;
	uint64_t now = START;
	struct wheel_timer t;

	wheel_timer_init(&t, WHEEL_QUERY);
	wheel_set(&wheel, &t, due);
	ck_assert_uint_eq(wheel.n, 1);
	while (wheel_take(&wheel, now) == NULL)
		now += step;
	ck_assert_uint_ge(now, due);
	ck_assert_uint_lt(now, due + WHEEL_TICK_NS + step);
	ck_assert_uint_eq(wheel.n, 0);
	ck_assert_ptr_null(wheel_take(&wheel, now + 2 * TURN));
}
END_TEST

/* The same when nobody looked before it was due, or long after. */
START_TEST(timer_fires_after_a_pause)
{
	uint64_t due = START + durations[_i];
	struct wheel_timer t;

	wheel_timer_init(&t, WHEEL_LOOKUP);
	wheel_set(&wheel, &t, due);
	if (durations[_i] > WHEEL_TICK_NS)
		ck_assert_ptr_null(wheel_take(&wheel, due - WHEEL_TICK_NS));
	ck_assert_ptr_eq(wheel_take(&wheel, due + 3 * TURN + 5), &t);
	ck_assert_ptr_null(wheel_take(&wheel, due + 3 * TURN + 5));
}
END_TEST

START_TEST(what_is_past_is_due_at_once)
{
	struct wheel_timer t;

	wheel_timer_init(&t, WHEEL_QUERY);
	ck_assert_ptr_null(wheel_take(&wheel, START + 10 * SECOND));
	wheel_set(&wheel, &t, START);
	ck_assert_ptr_eq(wheel_take(&wheel, START + 10 * SECOND + WHEEL_TICK_NS), &t);
}
END_TEST

START_TEST(set_again_and_cleared)
{
	struct wheel_timer t;

	wheel_timer_init(&t, WHEEL_UPSTREAM);
	wheel_clear(&wheel, &t); /* not set: nothing happens */
	wheel_set(&wheel, &t, START + SECOND);
	wheel_set(&wheel, &t, START + 3 * SECOND);
	ck_assert_uint_eq(wheel.n, 1);
	ck_assert_ptr_null(wheel_take(&wheel, START + 2 * SECOND));
	wheel_clear(&wheel, &t);
	ck_assert_uint_eq(wheel.n, 0);
	ck_assert_ptr_null(wheel_take(&wheel, START + 4 * SECOND));
	wheel_set(&wheel, &t, START + 5 * SECOND);
	ck_assert_ptr_eq(wheel_take(&wheel, START + 6 * SECOND), &t);
	ck_assert_int_eq(t.kind, WHEEL_UPSTREAM);
}
END_TEST

/* What one deadline does to others of its tick: clear one, move one. */
START_TEST(changed_while_being_taken)
{
	uint64_t due = START + SECOND;
	struct wheel_timer t[4];
	struct wheel_timer *first;
	unsigned n = 0;

	for (unsigned i = 0; i < 4; i++) {
		wheel_timer_init(&t[i], WHEEL_QUERY);
		wheel_set(&wheel, &t[i], due);
	}
	first = wheel_take(&wheel, due + WHEEL_TICK_NS);
	ck_assert_ptr_nonnull(first);
	wheel_clear(&wheel, first == &t[0] ? &t[1] : &t[0]);
	wheel_set(&wheel, first == &t[2] ? &t[3] : &t[2], due + SECOND);
	while (wheel_take(&wheel, due + WHEEL_TICK_NS) != NULL)
		n++;
	ck_assert_uint_eq(n, 1);
	ck_assert_uint_eq(wheel.n, 1);
	ck_assert_ptr_nonnull(wheel_take(&wheel, due + 2 * SECOND));
}
END_TEST

/* --- against a plain list --------------------------------------------------------------------- */

#define TIMERS 400
#define STEPS 20000

struct model {
	struct wheel_timer timer;
	uint64_t due_ns; /* 0: not set */
};

static struct model models[TIMERS];

static uint64_t
draw_duration(struct rng *rng)
{
	switch (rng_below(rng, 4)) {
	case 0:
		return rng_below(rng, 20000000);
	case 1:
		return rng_below(rng, 2000000000);
	case 2:
		return 5 * SECOND + rng_below(rng, 4000000000);
	default:
		return rng_u64(rng) % (100 * SECOND);
	}
}

static void
change_one(struct rng *rng, uint64_t now)
{
	struct model *m = &models[rng_below(rng, TIMERS)];

	if (rng_below(rng, 3) == 0) {
		wheel_clear(&wheel, &m->timer);
		m->due_ns = 0;
	} else {
		m->due_ns = now + draw_duration(rng);
		wheel_set(&wheel, &m->timer, m->due_ns);
	}
}

/* Take all that is due: each must be, and none may remain whose tick has come. */
static void
take_all(uint64_t now)
{
	struct wheel_timer *t;
	uint32_t n_set = 0;

	while ((t = wheel_take(&wheel, now)) != NULL) {
		struct model *m = LIST_OBJECT(t, struct model, timer);

		PARTS_CHECK(m->due_ns != 0);
		PARTS_CHECK(m->due_ns <= now);
		m->due_ns = 0;
	}
	for (unsigned i = 0; i < TIMERS; i++) {
		if (models[i].due_ns == 0)
			continue;
		n_set++;
		PARTS_CHECK(models[i].due_ns + WHEEL_TICK_NS > now);
	}
	PARTS_CHECK(wheel.n == n_set);
}

START_TEST(like_a_plain_list)
{
	uint64_t now = START;
	struct rng rng;

	rng_init_seeded(&rng, (uint64_t)_i);
	for (unsigned i = 0; i < TIMERS; i++) {
		wheel_timer_init(&models[i].timer, WHEEL_QUERY);
		models[i].due_ns = 0;
	}
	for (unsigned i = 0; i < STEPS; i++) {
		change_one(&rng, now);
		if (rng_below(&rng, 8) > 0)
			continue;
		now += rng_below(&rng, 50) == 0 ? rng_u64(&rng) % (30 * SECOND)
						: rng_below(&rng, 12000000);
		take_all(now);
	}
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_set_timeout(tc, 300);
	tcase_add_loop_test(tc, timer_fires_within_one_tick, 0, N_DURATIONS);
	tcase_add_loop_test(tc, timer_fires_after_a_pause, 0, N_DURATIONS);
	tcase_add_test(tc, what_is_past_is_due_at_once);
	tcase_add_test(tc, set_again_and_cleared);
	tcase_add_test(tc, changed_while_being_taken);
	tcase_add_loop_test(tc, like_a_plain_list, 0, 4);
}
