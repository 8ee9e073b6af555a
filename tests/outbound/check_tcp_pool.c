/* SPDX-License-Identifier: BSD-2-Clause */
/* tcp_pool: which connection a question goes over, and which of them is stuck. */
#include "outbound/tcp_pool.h"

#include <string.h>

#include "support/tests.h"

static struct tcp_conn c[TCP_POOL_SIZE];
static struct list links[TCP_POOL_SIZE * TCP_CONN_BUSY + 1];
static unsigned n_links;

static void
setup(void)
{
	tcp_pool_init(c);
	n_links = 0;
}

/* One more question, by the connection that is picked. Returns its index. */
static unsigned
ask(void)
{
	unsigned k = tcp_pool_pick(c, TCP_CONN_ENDLESS);

	list_init(&links[n_links]);
	tcp_conn_add(&c[k], &links[n_links++]);
	return k;
}

/* How many more questions tcp_pool_pick finds room for. */
static unsigned
room_of(const struct tcp_conn *all, uint32_t yield)
{
	struct tcp_conn copy[TCP_POOL_SIZE];
	unsigned n = 0;

	memcpy(copy, all, sizeof(copy));
	for (unsigned k; (k = tcp_pool_pick(copy, yield)) < TCP_POOL_SIZE; n++) {
		copy[k].n_open++;
		copy[k].n_awaited++;
	}
	return n;
}

/* One connection, until it is busy; then the next one; at last that with the fewest. */
START_TEST(connections_fill_one_after_the_other)
{
	ck_assert(tcp_pool_unused(c));
	for (unsigned i = 0; i < TCP_POOL_SIZE * TCP_CONN_BUSY; i++)
		ck_assert_uint_eq(ask(), i / TCP_CONN_BUSY);
	ck_assert(!tcp_pool_unused(c));
	c[2].n_open--;
	ck_assert_uint_eq(tcp_pool_pick(c, TCP_CONN_ENDLESS), 2);
	c[2].n_open += 3;
	c[0].n_open += 2;
	c[1].n_open += 1;
	c[3].n_open += 2;
	ck_assert_uint_eq(tcp_pool_pick(c, TCP_CONN_ENDLESS), 1);
}
END_TEST

/* D27: a connection that said nothing since a question was sent in vain gets no more of them. */
START_TEST(d27_stuck_connection_gets_no_question)
{
	ck_assert_uint_eq(ask(), 0);
	tcp_conn_heard(&c[0], 1000);
	ck_assert(!tcp_conn_silent(&c[0], 999)); /* it spoke since */
	ck_assert_uint_eq(tcp_pool_pick(c, TCP_CONN_ENDLESS), 0);
	ck_assert(tcp_conn_silent(&c[0], 1000));
	ck_assert(!tcp_conn_silent(&c[0], 1001)); /* once */
	ck_assert_uint_eq(tcp_pool_pick(c, TCP_CONN_ENDLESS), 1);
	tcp_conn_heard(&c[0], 2000);
	ck_assert_uint_eq(tcp_pool_pick(c, TCP_CONN_ENDLESS), 0);
	ck_assert(tcp_conn_silent(&c[0], 2000));
	tcp_conn_closed(&c[0], true);
	ck_assert_uint_eq(tcp_pool_pick(c, TCP_CONN_ENDLESS), 0);
}
END_TEST

/* All stuck: the one with the fewest questions. One that is not stuck is before them, busy or not.
 */
START_TEST(stuck_connection_is_better_than_none)
{
	for (unsigned k = 0; k < TCP_POOL_SIZE; k++) {
		c[k].n_open = k == 2 ? 1 : 5;
		ck_assert(tcp_conn_silent(&c[k], 0));
	}
	ck_assert_uint_eq(tcp_pool_pick(c, TCP_CONN_ENDLESS), 2);
	c[TCP_POOL_SIZE - 1].n_open = 10 * TCP_CONN_BUSY;
	tcp_conn_heard(&c[TCP_POOL_SIZE - 1], 1);
	ck_assert_uint_eq(tcp_pool_pick(c, TCP_CONN_ENDLESS), TCP_POOL_SIZE - 1);
	tcp_conn_heard(&c[0], 1);
	c[0].n_open = 11 * TCP_CONN_BUSY;
	ck_assert_uint_eq(tcp_pool_pick(c, TCP_CONN_ENDLESS), TCP_POOL_SIZE - 1);
}
END_TEST

/* Three questions are asked and answered over the connection 0. */
static void
serve_three(void)
{
	for (int i = 0; i < 3; i++)
		tcp_conn_served(&c[0]);
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
	yield = tcp_conn_yield(&c[0], TCP_CONN_ENDLESS);
	ck_assert_uint_eq(yield, 3);
	tcp_conn_closed(&c[0], true);
	list_init(&c[0].lost);
	c[0].n_awaited = 0;
	ck_assert_uint_eq(room_of(c, yield), 3 * TCP_POOL_SIZE);
	for (unsigned i = 0; i < 3 * TCP_POOL_SIZE; i++) {
		unsigned k = tcp_pool_pick(c, yield);

		ck_assert_uint_eq(k, i / 3);
		c[k].n_awaited++;
	}
	ck_assert_uint_eq(tcp_pool_pick(c, yield), TCP_POOL_SIZE);
	ck_assert_uint_eq(room_of(c, yield), 0);
	c[0].n_awaited = 2;
	tcp_conn_served(&c[0]);
	ck_assert_uint_eq(tcp_pool_pick(c, yield), TCP_POOL_SIZE);
	c[0].n_awaited = 0;
	tcp_conn_served(&c[0]);
	tcp_conn_served(&c[0]);
	ck_assert_uint_eq(room_of(c, yield), 1);
	tcp_conn_served(&c[0]);
	ck_assert_uint_eq(room_of(c, yield), 2);
}
END_TEST

/* A connection that gives more raises the yield; one without a reply or a question says nothing. */
START_TEST(yield_follows_what_connections_give)
{
	ck_assert_uint_eq(tcp_conn_yield(&c[0], 3), 3);
	serve_three();
	ck_assert_uint_eq(tcp_conn_yield(&c[0], TCP_CONN_ENDLESS), TCP_CONN_ENDLESS);
	ck_assert_uint_eq(tcp_conn_yield(&c[0], 5), 5);
	ck_assert_uint_eq(tcp_conn_yield(&c[0], 2), 3);
	(void)ask();
	ck_assert_uint_eq(tcp_conn_yield(&c[0], 5), 3);
	/* It was not cut short: nobody waits for what is open, or it was silent. */
	c[0].n_awaited = 0;
	ck_assert_uint_eq(tcp_conn_yield(&c[0], 5), 5);
	c[0].n_awaited = 1;
	c[0].stuck = true;
	ck_assert_uint_eq(tcp_conn_yield(&c[0], 5), 5);
	c[0].stuck = false;
	c[0].n_served = 0;
	ck_assert_uint_eq(tcp_conn_yield(&c[0], 5), 5);
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
