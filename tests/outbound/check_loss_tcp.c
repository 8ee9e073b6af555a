/* SPDX-License-Identifier: BSD-2-Clause */
/* silence: questions on TCP connections that end, are stuck, or have no room (D11, D27). */
#include "outbound/loss.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "dns/wire.h"
#include "outbound/attempt.h"
#include "scenario/parts.h"
#include "support/tests.h"

static const struct lookup_wish by_tcp = {
	.whole = true, .transport = TRANSPORT_TCP, .prefer = UPSTREAM_NONE
};
static struct parts p;
static struct packet_out sent;
static struct lookup_result result;
static unsigned n_asked;

static void
setup(void)
{
	parts_init(&p, 2, 1000);
	n_asked = 0;
}

static void
teardown(void)
{
	parts_fini(&p);
}

/* The next question that is sent goes over the connection CONN. */
static void
expect_tcp(unsigned conn)
{
	ck_assert(parts_next(&p, &sent));
	ck_assert(packet_is(&sent.to, PACKET_UPSTREAM, TRANSPORT_TCP));
	ck_assert_uint_eq(sent.to.sock, conn);
}

static void
expect_udp(void)
{
	ck_assert(parts_next(&p, &sent));
	ck_assert(packet_is(&sent.to, PACKET_UPSTREAM, TRANSPORT_UDP));
}

/* A new question, sent over TCP by the connection CONN. */
static struct lookup *
ask(unsigned conn)
{
	char name[64];
	struct lookup *l;

	snprintf(name, sizeof(name), "n%u.example", n_asked++);
	l = parts_lookup(&p, name, &by_tcp);
	expect_tcp(conn);
	return l;
}

/* Any message comes by CONN: the connection is alive. */
static void
hear(unsigned conn)
{
	const uint8_t stray[12] = { 0, 0, 0x80 };

	ck_assert_ptr_null(parts_hand_in(&p, TRANSPORT_TCP, conn, stray, 12, &result));
}

/* A question is answered by CONN. */
static void
serve(unsigned conn)
{
	struct lookup *l = ask(conn);

	p.tcp[2] |= 0x80; /* QR */
	ck_assert_ptr_eq(parts_hand_in(&p, TRANSPORT_TCP, conn, p.tcp, sent.len, &result), l);
	lookup_free(&p.lookups, l);
}

static void
lose(unsigned conn, bool established)
{
	ck_assert_ptr_null(parts_lose(&p, conn, established, &result));
}

/* The wait of L is over. */
static void
wait_out(struct lookup *l)
{
	wheel_clear(&p.wheel, &l->timer);
	ck_assert(!loss_on_timer(&p.lookups, l, &result, p.now_ns));
}

/* A busy connection gets company; each question ends with its own connection only. */
START_TEST(connection_takes_its_own_questions_along)
{
	for (unsigned i = 0; i < TCP_CONN_BUSY; i++)
		(void)ask(0);
	(void)ask(1);
	lose(1, true);
	expect_tcp(1);
	ck_assert(!parts_next(&p, &sent));
	lose(0, true);
	for (unsigned i = 0; i < TCP_CONN_BUSY; i++)
		expect_tcp(0);
	ck_assert(!parts_next(&p, &sent));
}
END_TEST

/* Rule 26: a connection that brought nothing is tried again once; one that brought replies, often.
 */
START_TEST(fruitful_connection_may_end_often)
{
	(void)ask(0);
	for (unsigned i = 0; i < 32 - 1; i++) {
		serve(0);
		lose(0, true);
		p.upstreams.table[0].tcp_yield = TCP_CONN_ENDLESS;
		expect_tcp(0);
	}
	serve(0);
	lose(0, true);
	p.upstreams.table[0].tcp_yield = TCP_CONN_ENDLESS;
	expect_udp();
	(void)ask(0);
	hear(0); /* what answers nothing does not count */
	lose(0, true);
	expect_tcp(0);
	hear(0);
	lose(0, true);
	expect_udp();
}
END_TEST

/* Rule 34: a connection that ends without a reply is made again, and that counts as a send. */
START_TEST(rule34_connections_that_end)
{
	unsigned n = 1;
	bool ended = false;
	struct lookup *l;

	parts_fini(&p);
	parts_init(&p, 1, 100);
	p.conf.upstream_tries = 3;
	l = ask(0);
	lookup_plan(l, LOOKUP_NEEDS_STREAM);
	while (!ended) {
		if (l->progress == LOOKUP_ASKED_STREAM) {
			ended = parts_lose(&p, 0, true, &result) == l;
		} else {
			wheel_clear(&p.wheel, &l->timer);
			ended = loss_on_timer(&p.lookups, l, &result, p.now_ns += NS_PER_SEC / 8);
		}
		if (parts_next(&p, &sent))
			n += packet_is(&sent.to, PACKET_UPSTREAM, TRANSPORT_TCP);
	}
	ck_assert_uint_eq(n, CONF_MOST_TRIES);
	ck_assert_int_eq(result.outcome, LOOKUP_SILENT);
}
END_TEST

/* D27: that TCP is refused says nothing of UDP: no upstream is blamed. */
START_TEST(d27_refused_connection_blames_no_upstream)
{
	for (unsigned i = 0; i < 20; i++) {
		(void)ask(0);
		lose(0, false);
		expect_udp();
	}
	ck_assert_uint_eq(p.upstreams.table[0].failures.n, 0);
	ck_assert(!p.upstreams.table[0].down);
}
END_TEST

/*
 * D27: a connection that says nothing for longer than a reply takes gets no new questions, and what
 * is open on it is asked elsewhere at the next tick.
 */
START_TEST(d27_stuck_connection_is_left_at_once)
{
	struct lookup *l = ask(0), *other = ask(0);

	p.now_ns += NS_PER_SEC / 5;
	ck_assert_ptr_null(wheel_take(&p.wheel, p.now_ns));
	other->wait = LOOKUP_EARLY;
	wait_out(l);
	ck_assert_uint_eq(other->wait, LOOKUP_AWAITS);
	ck_assert(p.upstreams.table[0].tcp[0].stuck);
	ck_assert_ptr_eq(wheel_take(&p.wheel, p.now_ns + WHEEL_TICK_NS), &other->timer);
	wait_out(other);
	ck_assert_uint_eq(p.upstreams.table[0].failures.n, 0); /* of UDP it says nothing */
	while (parts_next(&p, &sent))
		ck_assert(packet_is(&sent.to, PACKET_UPSTREAM, TRANSPORT_UDP));
	(void)ask(1);
	hear(0);
	(void)ask(0);
}
END_TEST

/* A connection that spoke since the question was sent is not stuck: the name is slow. */
START_TEST(slow_name_leaves_the_connection_alone)
{
	struct lookup *l = ask(0);

	(void)ask(0);
	p.now_ns += NS_PER_SEC / 5;
	hear(0);
	wait_out(l);
	ck_assert(!p.upstreams.table[0].tcp[0].stuck);
	ck_assert_ptr_null(wheel_take(&p.wheel, p.now_ns + WHEEL_TICK_NS));
	(void)parts_next(&p, &sent);
	(void)ask(0);
}
END_TEST

/*
 * D11, D26, D27: what has no room goes over UDP, or over TCP once more and then ends without blame;
 * another's ID is not touched.
 */
START_TEST(d11_no_room_concerns_one_question)
{
	struct lookup *l = ask(0);
	uint16_t id = wire_u16(p.tcp);

	loss_on_tcp_full(&p.lookups, 1, id, p.now_ns);
	loss_on_tcp_full(&p.lookups, TCP_POOL_SIZE, id, p.now_ns);
	ck_assert(!parts_next(&p, &sent));
	loss_on_tcp_full(&p.lookups, 0, id, p.now_ns);
	expect_udp();
	l = ask(0);
	l->stream.plan = LOOKUP_STREAM_HERE;
	l->n_unsent = 1; /* over UDP, before: that is another matter */
	loss_on_tcp_full(&p.lookups, 0, wire_u16(p.tcp), p.now_ns);
	ck_assert_uint_eq(l->n_sends, 0);
	ck_assert(!parts_next(&p, &sent));
	ck_assert(!loss_on_timer(&p.lookups, l, &result, p.now_ns));
	ck_assert(parts_next(&p, &sent) && packet_is(&sent.to, PACKET_UPSTREAM, TRANSPORT_TCP));
	loss_on_tcp_full(&p.lookups, 0, wire_u16(p.tcp), p.now_ns);
	ck_assert(!parts_next(&p, &sent));
	ck_assert(loss_on_timer(&p.lookups, l, &result, p.now_ns));
	ck_assert_int_eq(result.outcome, LOOKUP_NO_ROOM);
	ck_assert_uint_eq(p.upstreams.table[0].failures.n, 0);
}
END_TEST

/*
 * D11, D26: where a stream is the primary transport, what has no room in it waits and goes the same
 * way, and what loses its connection too.
 */
START_TEST(d11_primary_stream_is_kept_to)
{
	static const struct lookup_wish usual = { .whole = true, .prefer = UPSTREAM_NONE };
	struct lookup *l;

	p.upstreams.table[0].conf.transport[UPSTREAM_PRIMARY] = TRANSPORT_TCP;
	l = parts_lookup(&p, "a.example", &usual);
	expect_tcp(0);
	ck_assert_uint_eq(l->now.over, UPSTREAM_PRIMARY);
	loss_on_tcp_full(&p.lookups, 0, wire_u16(p.tcp), p.now_ns);
	ck_assert(!parts_next(&p, &sent));
	wait_out(l);
	expect_tcp(0);
	lose(0, true);
	expect_tcp(0);
	ck_assert_uint_eq(l->now.over, UPSTREAM_PRIMARY);
	lose(0, false);
	expect_udp(); /* to the other one, which is asked as usual */
	ck_assert_uint_eq(l->upstream, 1);
}
END_TEST

/* D27: connections of the primary transport that end without a reply are silence. */
START_TEST(d27_primary_stream_that_ends_is_silence)
{
	static const struct lookup_wish usual = { .whole = true, .prefer = UPSTREAM_NONE };
	struct upstream *up = &p.upstreams.table[0];

	up->conf.transport[UPSTREAM_PRIMARY] = TRANSPORT_TCP;
	(void)parts_lookup(&p, "a.example", &usual);
	expect_tcp(0);
	lose(0, true);
	expect_tcp(0);
	ck_assert_uint_eq(up->failures.n, 0);
	lose(0, true);
	expect_udp();
	ck_assert_uint_eq(up->failures.n, 1);
	p.upstreams.order[0] = 1;
	p.upstreams.n_order = 1;
	(void)ask(TCP_POOL_SIZE); /* over the fallback of the other one it is none */
	lose(TCP_POOL_SIZE, true);
	expect_tcp(TCP_POOL_SIZE);
	lose(TCP_POOL_SIZE, true);
	ck_assert_uint_eq(p.upstreams.table[1].failures.n, 0);
}
END_TEST

/*
 * Rule 34: an attempt that was given up early, as a late reply to another one led on, is a try too
 * when its connection ends.
 */
START_TEST(rule34_lost_when_given_up_is_a_try)
{
	struct lookup *l = ask(0);

	lookup_shelve(&p.lookups, l);
	ck_assert_uint_eq(attempt_timeouts(l, UPSTREAM_FALLBACK, 0), 0);
	ck_assert_ptr_null(parts_lose(&p, 0, true, &result));
	ck_assert_uint_eq(attempt_timeouts(l, UPSTREAM_FALLBACK, 0), 1);
	ck_assert_ptr_null(l->earlier);
}
END_TEST

/* A new question for which no connection has room. */
static struct lookup *
ask_in_vain(void)
{
	char name[64];
	struct lookup *l;

	snprintf(name, sizeof(name), "n%u.example", n_asked++);
	l = parts_lookup(&p, name, &by_tcp);
	ck_assert(!parts_next(&p, &sent));
	ck_assert_uint_eq(l->n_sends, 0);
	return l;
}

/* Connections to upstream 0 end after a reply each, and each has its question. */
static void
fill_connections(void)
{
	p.upstreams.table[0].tcp_yield = 1;
	for (unsigned conn = 0; conn < TCP_POOL_SIZE; conn++)
		(void)ask(conn);
}

/*
 * Rule 26: where connections end after a reply, each gets one question. The others wait, in turn,
 * and are sent once each: by a connection that has ended, or when one gives more.
 */
START_TEST(questions_wait_where_connections_end_early)
{
	struct lookup *first;

	fill_connections();
	first = ask_in_vain();
	(void)ask_in_vain();
	(void)ask_in_vain();
	lose(0, true); /* without a reply: what was open is sent again, after those that wait */
	ck_assert_uint_eq(p.upstreams.table[0].tcp_yield, 1);
	expect_tcp(0);
	ck_assert_uint_eq(first->n_sends, 1);
	ck_assert(!parts_next(&p, &sent));
	p.tcp[2] |= 0x80; /* QR */
	ck_assert_ptr_eq(parts_hand_in(&p, TRANSPORT_TCP, 0, p.tcp, sent.len, &result), first);
	lookup_free(&p.lookups, first);
	expect_tcp(0); /* it is there still, and may give more */
	ck_assert(!parts_next(&p, &sent));
	ck_assert_uint_eq(atomic_load(&p.stats.tcp_upstream_waits), 4);
}
END_TEST

/* D5: while all upstreams are down it waits no longer than for a reply then. */
START_TEST(all_down_shortens_the_wait_for_a_connection)
{
	struct lookup *waits;

	p.upstreams.n_order = 1;
	fill_connections();
	p.upstreams.table[0].down = true;
	waits = ask_in_vain();
	p.now_ns += LOOKUP_DOWN_MS * NS_PER_MS;
	ck_assert_uint_eq(waits->end_ns, p.now_ns);
	ck_assert(loss_on_timer(&p.lookups, waits, &result, p.now_ns));
}
END_TEST

/*
 * What is awaited no more takes no room, or replies that never come would keep all others waiting:
 * the next question goes by a connection that answers others, or by a stuck one if all are.
 */
START_TEST(silence_makes_room_on_a_connection)
{
	struct lookup *asked[TCP_POOL_SIZE], *waits;

	p.upstreams.n_order = 1;
	p.upstreams.table[0].tcp_yield = 1;
	for (unsigned conn = 0; conn < TCP_POOL_SIZE; conn++)
		asked[conn] = ask(conn);
	waits = ask_in_vain();
	p.now_ns += NS_PER_SEC / 5;
	hear(3);
	for (unsigned conn = 0; conn < TCP_POOL_SIZE - 1; conn++)
		wait_out(asked[conn]);
	ck_assert_uint_eq(waits->n_sends, 0);
	wait_out(asked[3]);
	while (waits->n_sends == 0)
		ck_assert(parts_next(&p, &sent));
	ck_assert(packet_is(&sent.to, PACKET_UPSTREAM, TRANSPORT_TCP));
	ck_assert_uint_eq(sent.to.sock, 3);
	while (parts_next(&p, &sent)) /* those that were silent */
		ck_assert(packet_is(&sent.to, PACKET_UPSTREAM, TRANSPORT_UDP));
	for (unsigned conn = 0; conn < TCP_POOL_SIZE; conn++)
		p.upstreams.table[0].tcp[conn].stuck = true;
	(void)ask(0);
}
END_TEST

/* Upstream 0 took RTT_MS for each reply over TCP, and once 2 s. */
static void
measure(unsigned rtt_ms)
{
	struct times *t = &p.upstreams.table[0].times[UPSTREAM_FALLBACK];

	for (unsigned i = 0; i < 20; i++) {
		uint64_t ms = i == 10 ? 2000 : rtt_ms;

		times_learn(t, ms * NS_PER_MS);
		times_rank(t, ms * NS_PER_MS);
	}
}

/* The lookup whose timer is due by now, which is over for it; NULL. */
static struct lookup *
time_out(void)
{
	struct wheel_timer *t = wheel_take(&p.wheel, p.now_ns);
	struct lookup *l = t == NULL ? NULL : LIST_OBJECT(t, struct lookup, timer);

	if (l != NULL)
		ck_assert(!loss_on_timer(&p.lookups, l, &result, p.now_ns));
	return l;
}

/*
 * Rule 26: a question keeps its place on a connection that gives few replies for as long as a reply
 * usually takes, though it is waited for longer, as one was slow: what waits is not held up by a
 * name that the upstream is mute for. No connection is made for that.
 */
START_TEST(rule26_mute_name_holds_no_place)
{
	struct tcp_conn *c = p.upstreams.table[0].tcp;
	struct lookup *mute[TCP_POOL_SIZE], *waits, *last;

	measure(10);
	p.upstreams.table[0].tcp_yield = 1;
	for (unsigned conn = 0; conn < TCP_POOL_SIZE; conn++)
		mute[conn] = ask(conn);
	waits = ask_in_vain();
	last = ask_in_vain();
	p.now_ns += 40 * NS_PER_MS;
	ck_assert_ptr_null(time_out());
	p.now_ns += 20 * NS_PER_MS;
	ck_assert_ptr_eq(time_out(), mute[0]);
	expect_tcp(0);
	ck_assert_uint_eq(waits->n_sends, 1);
	ck_assert_uint_eq(c[0].n_awaited, 1);
	ck_assert(!parts_next(&p, &sent));
	/* It is waited for still, by what was measured; then it is silent, and takes no place. */
	ck_assert_uint_eq(mute[0]->progress, LOOKUP_ASKED_STREAM);
	ck_assert_uint_gt(mute[0]->timer.due * WHEEL_TICK_NS, p.now_ns + NS_PER_SEC / 4);
	hear(0);
	wait_out(mute[0]);
	ck_assert(mute[0]->earlier->silent);
	ck_assert_uint_eq(c[0].n_awaited, 1);
	ck_assert_uint_eq(last->n_sends, 0);
}
END_TEST

/* What comes late all the same is a reply, and one that is asked again takes a place again. */
START_TEST(rule26_late_reply_without_a_place)
{
	struct lookup *l;
	uint8_t reply[512];
	size_t len;

	measure(10);
	p.upstreams.table[0].tcp_yield = 2;
	l = ask(0);
	memcpy(reply, p.tcp, len = sent.len);
	p.now_ns += 60 * NS_PER_MS;
	ck_assert_ptr_eq(time_out(), l);
	ck_assert_uint_eq(p.upstreams.table[0].tcp[0].n_awaited, 0);
	reply[2] |= 0x80; /* QR */
	ck_assert_ptr_eq(parts_hand_in(&p, TRANSPORT_TCP, 0, reply, len, &result), l);
	lookup_free(&p.lookups, l);
	ck_assert_uint_eq(p.upstreams.table[0].tcp[0].n_awaited, 0);
	l = ask(0);
	p.now_ns += 60 * NS_PER_MS;
	ck_assert_ptr_eq(time_out(), l);
	lose(0, true);
	expect_tcp(0);
	ck_assert_uint_eq(p.upstreams.table[0].tcp[0].n_awaited, 1);
}
END_TEST

/*
 * Rule 34: where each connection ends after a reply, a name that others overtake is sent no more
 * often than any other.
 */
START_TEST(rule34_mute_name_is_not_sent_with_each_connection)
{
	struct lookup *mute;
	unsigned n = 1;

	measure(10);
	p.upstreams.table[0].tcp_yield = 1;
	mute = ask(0);
	for (; n < 2 * CONF_MOST_TRIES && mute->progress == LOOKUP_ASKED_STREAM; n++) {
		p.now_ns += 60 * NS_PER_MS;
		ck_assert_ptr_eq(time_out(), mute);
		ck_assert(mute->now.displaced);
		serve(0);
		lose(0, true);
		(void)parts_next(&p, &sent);
	}
	ck_assert_uint_gt(n, 1);
	ck_assert_uint_le(n, CONF_MOST_TRIES);
}
END_TEST

/* A probe keeps a place no longer, and is waited for as long as ever. */
START_TEST(rule26_mute_probe_holds_no_place)
{
	struct lookup *l;

	measure(10);
	p.upstreams.table[0].tcp_yield = 1;
	lookup_start_probe(&p.lookups, 0, WAY_TCP, DNS_TYPE_NS);
	expect_tcp(0);
	p.now_ns += 60 * NS_PER_MS;
	l = time_out();
	ck_assert_ptr_nonnull(l);
	ck_assert_uint_eq(p.upstreams.table[0].tcp[0].n_awaited, 0);
	ck_assert_uint_ge(l->timer.due * WHEEL_TICK_NS, l->end_ns);
}
END_TEST

/* Where connections do not end there are places for all. */
START_TEST(endless_connection_has_places)
{
	struct lookup *l;

	measure(10);
	l = ask(0);
	ck_assert_uint_eq(l->wait, LOOKUP_AWAITS);
}
END_TEST

/* One that is stuck is left by those without a place, too. */
START_TEST(stuck_connection_is_left_before_places_are)
{
	struct lookup *l, *other;

	measure(10);
	p.upstreams.table[0].tcp_yield = 2;
	l = ask(0);
	other = ask(0);
	ck_assert_uint_eq(other->wait, LOOKUP_PLACED);
	wait_out(l);
	ck_assert_uint_eq(l->wait, LOOKUP_AWAITS);
	wait_out(l);
	ck_assert(p.upstreams.table[0].tcp[0].stuck);
	ck_assert_uint_eq(other->wait, LOOKUP_AWAITS);
}
END_TEST

/* Who waits for a connection to an upstream that is one no more goes to another. */
START_TEST(question_does_not_wait_for_who_is_gone)
{
	struct lookup *l;

	fill_connections();
	l = ask_in_vain();
	p.upstreams.table[0].active = false;
	p.upstreams.order[0] = 1;
	p.upstreams.n_order = 1;
	lookup_tcp_room_all(&p.lookups);
	ck_assert(parts_next(&p, &sent));
	ck_assert_uint_eq(l->upstream, 1);
	ck_assert_uint_eq(l->n_sends, 1);
}
END_TEST

/*
 * With another upstream, or if it need not go over TCP, a question waits as long as a reply takes;
 * else until it ends.
 */
START_TEST(question_does_not_wait_for_a_connection_for_ever)
{
	struct lookup *l;

	fill_connections();
	l = ask_in_vain();
	ck_assert(l->timer.due * WHEEL_TICK_NS < p.now_ns + 2 * NS_PER_SEC);
	wait_out(l);
	expect_udp();
	ck_assert_uint_eq(l->upstream, 1);
	ck_assert_uint_eq(p.upstreams.table[0].failures.n, 0);
	p.upstreams.n_order = 1;
	l = ask_in_vain();
	ck_assert(l->timer.due * WHEEL_TICK_NS < p.now_ns + 2 * NS_PER_SEC);
	wait_out(l);
	expect_udp();
	ck_assert_uint_eq(l->upstream, 0);
	l = parts_lookup(&p, "whole.example", &by_tcp);
	lookup_plan(l, LOOKUP_NEEDS_STREAM);
	ck_assert(!parts_next(&p, &sent));
	ck_assert_uint_ge(l->timer.due * WHEEL_TICK_NS, l->end_ns);
	p.now_ns = l->end_ns;
	wheel_clear(&p.wheel, &l->timer);
	ck_assert(loss_on_timer(&p.lookups, l, &result, p.now_ns));
	ck_assert_int_eq(result.outcome, LOOKUP_NO_ROOM);
	lookup_free(&p.lookups, l);
	ck_assert(list_empty(&p.lookups.unsent.for_tcp[0]));
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, connection_takes_its_own_questions_along);
	tcase_add_test(tc, fruitful_connection_may_end_often);
	tcase_add_test(tc, rule34_connections_that_end);
	tcase_add_test(tc, d27_refused_connection_blames_no_upstream);
	tcase_add_test(tc, d27_stuck_connection_is_left_at_once);
	tcase_add_test(tc, slow_name_leaves_the_connection_alone);
	tcase_add_test(tc, d11_no_room_concerns_one_question);
	tcase_add_test(tc, d11_primary_stream_is_kept_to);
	tcase_add_test(tc, d27_primary_stream_that_ends_is_silence);
	tcase_add_test(tc, questions_wait_where_connections_end_early);
	tcase_add_test(tc, all_down_shortens_the_wait_for_a_connection);
	tcase_add_test(tc, silence_makes_room_on_a_connection);
	tcase_add_test(tc, rule26_mute_name_holds_no_place);
	tcase_add_test(tc, rule26_late_reply_without_a_place);
	tcase_add_test(tc, rule34_mute_name_is_not_sent_with_each_connection);
	tcase_add_test(tc, rule26_mute_probe_holds_no_place);
	tcase_add_test(tc, endless_connection_has_places);
	tcase_add_test(tc, stuck_connection_is_left_before_places_are);
	tcase_add_test(tc, question_does_not_wait_for_who_is_gone);
	tcase_add_test(tc, rule34_lost_when_given_up_is_a_try);
	tcase_add_test(tc, question_does_not_wait_for_a_connection_for_ever);
}
