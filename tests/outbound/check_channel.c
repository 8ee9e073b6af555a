/* SPDX-License-Identifier: BSD-2-Clause */
/* channel: which connection a question goes over, and which of them is stuck. */
#include "outbound/channel.h"

#include <string.h>

#include "support/tests.h"

static struct channel c[CHANNELS_EACH];
static struct list links[CHANNELS_EACH * CHANNEL_BUSY + 1];
static unsigned n_links;

static void
setup(void)
{
	channels_init(c);
	n_links = 0;
}

/* One more question, by the connection that is picked. Returns its index. */
static unsigned
ask(void)
{
	unsigned k = channels_pick(c, CHANNEL_ENDLESS);

	list_init(&links[n_links]);
	channel_add(&c[k], &links[n_links++]);
	return k;
}

/* How many more questions channels_pick finds room for. */
static unsigned
room_of(const struct channel *all, uint32_t yield)
{
	struct channel copy[CHANNELS_EACH];
	unsigned n = 0;

	memcpy(copy, all, sizeof(copy));
	for (unsigned k; (k = channels_pick(copy, yield)) < CHANNELS_EACH; n++) {
		copy[k].n_open++;
		copy[k].n_awaited++;
	}
	return n;
}

/* One connection, until it is busy; then the next one; at last that with the fewest. */
START_TEST(connections_fill_one_after_the_other)
{
	ck_assert(channels_unused(c));
	for (unsigned i = 0; i < CHANNELS_EACH * CHANNEL_BUSY; i++)
		ck_assert_uint_eq(ask(), i / CHANNEL_BUSY);
	ck_assert(!channels_unused(c));
	c[2].n_open--;
	ck_assert_uint_eq(channels_pick(c, CHANNEL_ENDLESS), 2);
	c[2].n_open += 3;
	c[0].n_open += 2;
	c[1].n_open += 1;
	c[3].n_open += 2;
	ck_assert_uint_eq(channels_pick(c, CHANNEL_ENDLESS), 1);
}
END_TEST

/* D27: a connection that said nothing since a question was sent in vain gets no more of them. */
START_TEST(d27_stuck_connection_gets_no_question)
{
	ck_assert_uint_eq(ask(), 0);
	channel_heard(&c[0], 1000);
	ck_assert(!channel_silent(&c[0], 999)); /* it spoke since */
	ck_assert_uint_eq(channels_pick(c, CHANNEL_ENDLESS), 0);
	ck_assert(channel_silent(&c[0], 1000));
	ck_assert(!channel_silent(&c[0], 1001)); /* once */
	ck_assert_uint_eq(channels_pick(c, CHANNEL_ENDLESS), 1);
	channel_heard(&c[0], 2000);
	ck_assert_uint_eq(channels_pick(c, CHANNEL_ENDLESS), 0);
	ck_assert(channel_silent(&c[0], 2000));
	channel_closed(&c[0], true);
	ck_assert_uint_eq(channels_pick(c, CHANNEL_ENDLESS), 0);
}
END_TEST

/* All stuck: the one with the fewest questions. One that is not stuck is before them, busy or not.
 */
START_TEST(stuck_connection_is_better_than_none)
{
	for (unsigned k = 0; k < CHANNELS_EACH; k++) {
		c[k].n_open = k == 2 ? 1 : 5;
		ck_assert(channel_silent(&c[k], 0));
	}
	ck_assert_uint_eq(channels_pick(c, CHANNEL_ENDLESS), 2);
	c[CHANNELS_EACH - 1].n_open = 10 * CHANNEL_BUSY;
	channel_heard(&c[CHANNELS_EACH - 1], 1);
	ck_assert_uint_eq(channels_pick(c, CHANNEL_ENDLESS), CHANNELS_EACH - 1);
	channel_heard(&c[0], 1);
	c[0].n_open = 11 * CHANNEL_BUSY;
	ck_assert_uint_eq(channels_pick(c, CHANNEL_ENDLESS), CHANNELS_EACH - 1);
}
END_TEST

/* Three questions are asked and answered over the connection 0. */
static void
serve_three(void)
{
	for (int i = 0; i < 3; i++)
		channel_served(&c[0]);
}

/*
 * Rule 26: after a connection was lost with questions open, others get as many as it gave replies;
 * when they have given these, one more, and one more after each that they answer.
 */
START_TEST(connection_that_ends_early_gets_few_questions)
{
	uint32_t yield;

	(void)ask();
	serve_three();
	yield = channel_yield(&c[0], CHANNEL_ENDLESS);
	ck_assert_uint_eq(yield, 3);
	channel_closed(&c[0], true);
	list_init(&c[0].lost);
	c[0].n_awaited = 0;
	ck_assert_uint_eq(room_of(c, yield), 3 * CHANNELS_EACH);
	for (unsigned i = 0; i < 3 * CHANNELS_EACH; i++) {
		unsigned k = channels_pick(c, yield);

		ck_assert_uint_eq(k, i / 3);
		c[k].n_awaited++;
	}
	ck_assert_uint_eq(channels_pick(c, yield), CHANNELS_EACH);
	ck_assert_uint_eq(room_of(c, yield), 0);
	c[0].n_awaited = 2;
	channel_served(&c[0]);
	ck_assert_uint_eq(channels_pick(c, yield), CHANNELS_EACH);
	c[0].n_awaited = 0;
	channel_served(&c[0]);
	channel_served(&c[0]);
	ck_assert_uint_eq(room_of(c, yield), 1);
	channel_served(&c[0]);
	ck_assert_uint_eq(room_of(c, yield), 2);
}
END_TEST

/* A connection that gives more raises the yield; one without a reply or a question says nothing. */
START_TEST(yield_follows_what_connections_give)
{
	ck_assert_uint_eq(channel_yield(&c[0], 3), 3);
	serve_three();
	ck_assert_uint_eq(channel_yield(&c[0], CHANNEL_ENDLESS), CHANNEL_ENDLESS);
	ck_assert_uint_eq(channel_yield(&c[0], 5), 5);
	ck_assert_uint_eq(channel_yield(&c[0], 2), 3);
	(void)ask();
	ck_assert_uint_eq(channel_yield(&c[0], 5), 3);
	/* It was not cut short: nobody waits for what is open, or it was silent. */
	c[0].n_awaited = 0;
	ck_assert_uint_eq(channel_yield(&c[0], 5), 5);
	c[0].n_awaited = 1;
	c[0].stuck = true;
	ck_assert_uint_eq(channel_yield(&c[0], 5), 5);
	c[0].stuck = false;
	c[0].n_served = 0;
	ck_assert_uint_eq(channel_yield(&c[0], 5), 5);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_test(tc, connections_fill_one_after_the_other);
	tcase_add_test(tc, d27_stuck_connection_gets_no_question);
	tcase_add_test(tc, stuck_connection_is_better_than_none);
	tcase_add_test(tc, connection_that_ends_early_gets_few_questions);
	tcase_add_test(tc, yield_follows_what_connections_give);
}
