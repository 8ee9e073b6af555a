/* SPDX-License-Identifier: BSD-2-Clause */
/* Attempts: IDs, spaces and sockets at their limits; what the scenarios do not reach. */

#include "outbound/attempt.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "dns/wire.h"
#include "outbound/loss.h"
#include "outbound/reply.h"
#include "scenario/parts.h"
#include "support/tests.h"

#define CAP 70000

static struct parts p;

static void
setup(void)
{
	parts_init(&p, 2, CAP);
}

static void
teardown(void)
{
	parts_fini(&p);
}

static struct lookup *
start(unsigned number, const struct lookup_wish *wish)
{
	char name[64];

	snprintf(name, sizeof(name), "n%u.example", number);
	return parts_lookup(&p, name, wish);
}

static bool
is_busy(unsigned slot)
{
	return !list_empty(&p.upstreams.sockets[slot].open);
}

static const struct lookup_wish by_udp = { .prefer = UPSTREAM_NONE };
static const struct lookup_wish by_tcp = {
	.whole = true, .transport = TRANSPORT_TCP, .prefer = UPSTREAM_NONE
};

/*
 * Space 0 without a second one's sockets: UDP leaves LOOKUP_TCP_IDS to TCP; then it fails at the
 * next tick, not after a timeout, and not as the upstream's fault.
 */
START_TEST(without_ids_it_fails_at_the_next_tick)
{
	struct packet_out send;
	struct lookup_result result;
	struct lookup *last = NULL;

	for (unsigned i = 0; i < TXID_COUNT - LOOKUP_TCP_IDS; i++) {
		(void)start(i, &by_udp);
		PARTS_CHECK(parts_next(&p, &send));
		PARTS_CHECK(packet_is(&send.to, PACKET_UPSTREAM, TRANSPORT_UDP));
	}
	ck_assert_uint_eq(p.lookups.n_spaces, 2);
	last = start(CAP, &by_udp);
	ck_assert(!parts_next(&p, &send));
	ck_assert_uint_eq(parts_count(&p.stats.ids_exhausted), 1);
	ck_assert_ptr_eq(wheel_take(&p.wheel, p.now_ns + WHEEL_TICK_NS), &last->timer);
	ck_assert(loss_on_timer(&p.lookups, last, &result, p.now_ns));
	ck_assert_int_eq(result.outcome, LOOKUP_NO_ROOM);
	ck_assert_uint_eq(p.upstreams.table[0].failures.n, 0);
	for (unsigned i = 0; i < LOOKUP_TCP_IDS; i++) {
		(void)start(CAP + 1 + i, &by_tcp);
		ck_assert(parts_next(&p, &send));
		ck_assert(packet_is(&send.to, PACKET_UPSTREAM, TRANSPORT_TCP));
	}
	ck_assert_uint_eq(txid_room(&p.lookups.spaces[0]), 0);
	(void)start(2 * CAP, &by_tcp);
	ck_assert(!parts_next(&p, &send));
	ck_assert_uint_eq(parts_count(&p.stats.ids_exhausted), 2);
}
END_TEST

/* With a socket in the second space the same ID may be out twice; the socket tells them apart. */
START_TEST(same_id_in_two_spaces_is_told_by_the_socket)
{
	struct lookup *of_space[2][4];
	struct lookup_result result;
	struct packet_out send;
	unsigned n[2] = { 0, 0 };
	int slot = upstreams_socket_add(&p.upstreams, 0, 1);

	p.upstreams.most_waiting = UINT32_MAX;
	for (unsigned i = 0; i < TXID_COUNT - LOOKUP_TCP_IDS; i++) {
		of_space[0][i % 4] = start(i, &by_udp);
		PARTS_CHECK(parts_next(&p, &send));
		PARTS_CHECK(send.to.sock == 0);
	}
	p.upstreams.table[0].socket[1] = slot;
	for (unsigned i = 0; i < 4; i++) {
		of_space[1][i] = start(CAP + i, &by_udp);
		ck_assert(parts_next(&p, &send));
		ck_assert_int_eq((int)send.to.sock, slot);
		ck_assert_uint_eq(of_space[1][i]->now.space, 1);
		p.udp[2] |= DNS_QR >> 8;
		if (i < 3)
			continue;
		/* On the other socket the ID is another question's, or nobody's. */
		ck_assert_ptr_null(parts_hand_in(&p, TRANSPORT_UDP, 0, p.udp, send.len, &result));
		ck_assert_ptr_null(parts_hand_in(&p, TRANSPORT_UDP, 1, p.udp, send.len, &result));
		ck_assert_ptr_eq(
		    parts_hand_in(&p, TRANSPORT_UDP, (uint32_t)slot, p.udp, send.len, &result),
		    of_space[1][3]);
		ck_assert_int_eq(result.outcome, LOOKUP_REPLY);
	}
	for (unsigned i = 0; i < 4; i++) {
		n[0] += txid_in_flight(&p.lookups.spaces[0], of_space[0][i]->now.id);
		n[1] += txid_in_flight(&p.lookups.spaces[1], of_space[1][i]->now.id);
	}
	ck_assert_uint_eq(n[0], 4);
	ck_assert_uint_eq(n[1], 3);
}
END_TEST

/*
 * D28: a question of a check that did not leave, as none are left, is not waited for; one that did
 * is.
 */
START_TEST(d28_check_that_cannot_go_on)
{
	struct lookup *l = start(1, &by_udp);
	struct packet_out send;

	ck_assert(parts_next(&p, &send));
	lookup_shelve(&p.lookups, l);
	l->waiters.allowed = l->n_sends;
	l->check = LOOKUP_CHECK_AGAIN;
	lookup_ask(&p.lookups, l);
	ck_assert(!parts_next(&p, &send));
	ck_assert_uint_eq(l->wait, LOOKUP_SPENT);
	ck_assert_uint_eq(l->check, LOOKUP_CHECK_NONE);
	l->earlier->check = LOOKUP_CHECK_AGAIN;
	lookup_ask(&p.lookups, l);
	ck_assert(!parts_next(&p, &send));
	ck_assert_uint_eq(l->check, LOOKUP_CHECK_AGAIN);
}
END_TEST

/* All numbers taken by leaving upstreams: nobody to ask is silence at once, nobody's failure. */
START_TEST(with_nobody_to_ask_it_is_silent_at_once)
{
	struct lookup_result result;
	struct packet_out send;
	struct lookup *l;

	p.upstreams.n_order = 0;
	l = start(1, &by_udp);
	ck_assert(!parts_next(&p, &send));
	ck_assert_ptr_eq(wheel_take(&p.wheel, p.now_ns + WHEEL_TICK_NS), &l->timer);
	ck_assert(loss_on_timer(&p.lookups, l, &result, p.now_ns));
	ck_assert_int_eq(result.outcome, LOOKUP_SILENT);
	ck_assert_uint_eq(result.upstream, UPSTREAM_NONE);
}
END_TEST

/* N upstreams are known to reply within a moment: waits are short. */
static void
make_quick(unsigned n)
{
	for (unsigned u = 0; u < n; u++)
		for (unsigned over = 0; over < UPSTREAM_OVERS; over++)
			for (unsigned i = 0; i < 16; i++)
				times_learn(&p.upstreams.table[u].times[over], NS_PER_MS);
}

/* Time passes until L's timer fires. */
static void
listen_out(const struct lookup *l)
{
	p.now_ns = l->timer.due * WHEEL_TICK_NS;
}

/*
 * D27: each retry has an ID, and so have those that may still be answered; with the lookup all of
 * them end, and the sockets are free.
 */
START_TEST(retries_leave_nothing_open)
{
	struct lookup_result result;
	struct packet_out send;
	struct lookup *l = start(1, &by_udp);
	unsigned n = 0;

	make_quick(2);
	do {
		n += parts_next(&p, &send);
		ck_assert_uint_eq(txid_room(&p.lookups.spaces[0]), TXID_COUNT - n);
		listen_out(l);
	} while (!loss_on_timer(&p.lookups, l, &result, p.now_ns));
	ck_assert_uint_eq(n, 2 * 2 * CONF_MOST_TRIES); /* over UDP and TCP */
	ck_assert_int_eq(result.outcome, LOOKUP_SILENT);
	ck_assert(is_busy(0) && is_busy(1));
	lookup_free(&p.lookups, l);
	ck_assert(!is_busy(0) && !is_busy(1));
	ck_assert_uint_eq(p.upstreams.table[0].tcp[0].n_open, 0);
	ck_assert_uint_eq(txid_room(&p.lookups.spaces[0]), TXID_COUNT);
	ck_assert_uint_eq(p.lookups.attempts.n_used, 0);
	for (unsigned u = 0; u < 2; u++) /* both are in doubt */
		wheel_clear(&p.wheel, &p.upstreams.table[u].probe);
	ck_assert_uint_eq(p.wheel.n, 0);
}
END_TEST

/* D27: for an upstream without a socket no ID would help: nobody's attempt is ended for it. */
START_TEST(d27_given_up_attempts_stay_where_no_socket_is)
{
	struct lookup_result result;
	struct packet_out send;
	struct lookup *l = start(0, &by_udp);

	ck_assert(parts_next(&p, &send));
	ck_assert(!loss_on_timer(&p.lookups, l, &result, p.now_ns));
	ck_assert(parts_next(&p, &send));
	p.upstreams.table[0].socket[0] = -1;
	(void)start(1, &by_udp);
	ck_assert(!parts_next(&p, &send));
	ck_assert_ptr_nonnull(l->earlier);
}
END_TEST

/*
 * D27: attempts that were given up keep no question from being sent: when IDs run out the oldest of
 * them go first, and with few IDs left none is kept.
 */
START_TEST(d27_given_up_attempts_make_room)
{
	struct lookup_result result;
	struct packet_out send;
	struct lookup *old[4], *l = NULL;
	unsigned n = 0;

	for (unsigned i = 0; i < 4; i++) {
		old[i] = start(i, &by_udp);
		ck_assert(parts_next(&p, &send));
		ck_assert(!loss_on_timer(&p.lookups, old[i], &result, p.now_ns));
		ck_assert(parts_next(&p, &send));
		ck_assert_ptr_nonnull(old[i]->earlier);
	}
	while (txid_room(&p.lookups.spaces[0]) > LOOKUP_TCP_IDS) {
		l = start(4 + n++, &by_udp);
		PARTS_CHECK(parts_next(&p, &send));
	}
	for (unsigned i = 0; i < 4; i++) {
		ck_assert_ptr_nonnull(old[i]->earlier);
		(void)start(CAP + i, &by_udp);
		ck_assert(parts_next(&p, &send));
		ck_assert_ptr_null(old[i]->earlier);
		ck_assert_uint_eq(p.lookups.attempts.n_used, 3 - i);
	}
	ck_assert_uint_eq(parts_count(&p.stats.ids_exhausted), 0);
	ck_assert_ptr_nonnull(l);
	ck_assert(!loss_on_timer(&p.lookups, l, &result, p.now_ns));
	ck_assert_ptr_null(l->earlier);
	ck_assert(parts_next(&p, &send));
	(void)start(2 * CAP, &by_udp);
	ck_assert(!parts_next(&p, &send));
}
END_TEST

/*
 * Rule 34 (RFC 9520 section 3.1): three sends to each over one transport without a reply, in
 * whatever order they come.
 */
START_TEST(rule34_three_sends_each)
{
	struct lookup_result result;
	struct packet_out send;

	parts_fini(&p);
	parts_init(&p, 3, CAP);
	make_quick(3);
	p.upstreams.selection = CONF_RANDOM;
	p.conf.upstream_tries = 3;
	for (unsigned i = 0; i < 50; i++) {
		struct lookup *l = start(i, i % 2 == 0 ? &by_udp : &by_tcp);
		unsigned n[3][2] = { { 0 } };

		do {
			if (parts_next(&p, &send))
				n[l->upstream]
				 [packet_is(&send.to, PACKET_UPSTREAM, TRANSPORT_TCP)]++;
			listen_out(l);
		} while (!loss_on_timer(&p.lookups, l, &result, p.now_ns));
		ck_assert_int_eq(result.outcome, LOOKUP_SILENT);
		for (unsigned u = 0; u < 3; u++) {
			ck_assert_uint_eq(n[u][false], CONF_MOST_TRIES);
			ck_assert_uint_ge(n[u][true], 1);
			ck_assert_uint_le(n[u][true], CONF_MOST_TRIES);
		}
		lookup_free(&p.lookups, l);
	}
}
END_TEST

/* Rule 34: a wish for TCP, of one upstream, does not send to another one oftener than it may be. */
START_TEST(rule34_wish_for_tcp_ends)
{
	struct lookup *l = start(0, &by_tcp);
	struct packet_out send;

	p.conf.upstream_tries = 3;
	ck_assert(parts_next(&p, &send));
	ck_assert(packet_is(&send.to, PACKET_UPSTREAM, TRANSPORT_TCP));
	lookup_shelve(&p.lookups, l);
	l->tried.silent[UPSTREAM_FALLBACK][0] |= 2;
	l->tried.silent[UPSTREAM_FALLBACK][1] |= 2;
	ck_assert(attempt_again(&p.lookups, l, 1));
	ck_assert(parts_next(&p, &send));
	ck_assert_uint_eq(l->upstream, 1);
	ck_assert(packet_is(&send.to, PACKET_UPSTREAM, TRANSPORT_UDP));
}
END_TEST

/* The upstream that L was sent to by UDP says RCODE. Returns whether that ends L. */
static bool
reply(const struct lookup *l, const struct packet_out *send, uint16_t rcode,
    struct lookup_result *result)
{
	p.udp[2] |= DNS_QR >> 8;
	p.udp[3] = (uint8_t)rcode;
	return parts_hand_in(&p, send->to.transport, send->to.sock, p.udp, send->len, result) == l;
}

/* D21: a reply of one is doubted; when it fails, what another was asked before is no suspect. */
START_TEST(d21_doubt_is_of_one_upstream)
{
	struct lookup *l = start(0, &by_udp);
	struct lookup_result result;
	struct packet_out send;
	uint16_t first;

	ck_assert(parts_next(&p, &send));
	first = l->upstream;
	lookup_shelve(&p.lookups, l);
	(void)attempt_go_to(&p.lookups, l, first == 0 ? 1 : 0);
	ck_assert(parts_next(&p, &send));
	ck_assert_uint_ne(l->upstream, first);
	l->here.suspect = LOOKUP_SUSPECT_GUESS;
	l->here.no_edns = true;
	ck_assert(!reply(l, &send, DNS_REFUSED, &result));
	ck_assert_uint_eq(l->upstream, first);
	ck_assert_uint_eq(l->here.suspect, LOOKUP_NO_SUSPECT);
	ck_assert(!l->here.no_edns);
}
END_TEST

/* RULES D3: with an error at hand one that is known to be down is not asked: it counts at once. */
START_TEST(d3_error_and_the_other_down)
{
	struct lookup_result result;
	struct packet_out send;
	struct lookup *l = start(1, &by_udp);

	p.upstreams.table[1].down = true;
	ck_assert(parts_next(&p, &send));
	ck_assert(reply(l, &send, DNS_REFUSED, &result));
	ck_assert_int_eq(result.outcome, LOOKUP_ERROR);
	ck_assert_uint_eq(result.rcode, DNS_REFUSED);
	/* The same when it goes down while it has its one attempt. */
	lookup_free(&p.lookups, l);
	p.upstreams.table[1].down = false;
	l = start(2, &by_udp);
	ck_assert(parts_next(&p, &send));
	ck_assert(!reply(l, &send, DNS_REFUSED, &result));
	ck_assert(parts_next(&p, &send));
	ck_assert_uint_eq(l->upstream, 1);
	p.upstreams.table[1].down = true;
	ck_assert(loss_on_timer(&p.lookups, l, &result, p.now_ns));
	ck_assert_int_eq(result.outcome, LOOKUP_ERROR);
}
END_TEST

/* Milliseconds until the timer of L, the only one, fires. */
static uint64_t
waits_ms(const struct lookup *l)
{
	uint64_t ms = 0;

	while (wheel_take(&p.wheel, p.now_ns + ms * NS_PER_MS) != &l->timer)
		ms += 8;
	return ms;
}

/* RULES D5: all known to be down: one attempt of at most 1 s, whatever timeout and attempts are. */
START_TEST(d5_all_down_one_attempt)
{
	struct lookup_result result;
	struct packet_out send;
	struct lookup *l;
	uint64_t ms;

	p.conf.upstream_tries = 3;
	p.upstreams.timeout_ns = 3000 * NS_PER_MS;
	for (unsigned i = 0; i < 2; i++) {
		p.now_ns += 2 * NS_PER_SEC; /* the wheel has come so far */
		l = start(i, i == 0 ? &by_udp : &by_tcp);
		p.upstreams.table[0].down = p.upstreams.table[1].down = true;
		ck_assert(parts_next(&p, &send));
		ms = waits_ms(l);
		ck_assert_uint_le(ms, LOOKUP_DOWN_MS + 8);
		p.now_ns += ms * NS_PER_MS;
		ck_assert(loss_on_timer(&p.lookups, l, &result, p.now_ns));
		ck_assert_int_eq(result.outcome, LOOKUP_SILENT);
		lookup_free(&p.lookups, l);
	}
	/* A question that one is asked that is alive has its whole life. */
	p.upstreams.table[0].down = false;
	l = start(4, &by_udp);
	ck_assert(parts_next(&p, &send));
	ck_assert_uint_eq(l->end_ns - l->born_ns, LOOKUP_LIFE_MS * NS_PER_MS);
}
END_TEST

/*
 * RULES D5: the last one alive is found to be down while it is asked: nothing more is sent until
 * one is back, and the question listens to the end of its life.
 */
START_TEST(d5_down_meanwhile)
{
	struct lookup_result result;
	struct packet_out send;
	struct lookup *l = start(1, &by_udp);

	p.upstreams.table[1].down = true;
	ck_assert(parts_next(&p, &send));
	p.upstreams.table[0].down = true;
	for (unsigned i = 0; i < 3; i++) {
		p.now_ns += waits_ms(l) * NS_PER_MS;
		ck_assert(!loss_on_timer(&p.lookups, l, &result, p.now_ns));
		ck_assert(!parts_next(&p, &send));
	}
	p.upstreams.table[1].down = false;
	p.now_ns += waits_ms(l) * NS_PER_MS;
	ck_assert(!loss_on_timer(&p.lookups, l, &result, p.now_ns));
	ck_assert(parts_next(&p, &send));
	ck_assert_uint_eq(l->upstream, 1);
	p.upstreams.table[1].down = true;
	while (!loss_on_timer(&p.lookups, l, &result, p.now_ns)) {
		ck_assert(!parts_next(&p, &send));
		ck_assert_uint_lt(p.now_ns, l->end_ns);
		p.now_ns += waits_ms(l) * NS_PER_MS;
	}
	ck_assert_int_eq(result.outcome, LOOKUP_SILENT);
	ck_assert_uint_ge(p.now_ns, l->born_ns + LOOKUP_LIFE_MS * NS_PER_MS);
}
END_TEST

/* RULES D3: before silence counts, one that is down is asked too, once, when no other is left. */
START_TEST(d3_down_is_asked_once)
{
	unsigned n[2] = { 0 }; /* over UDP */
	struct lookup_result result;
	struct packet_out send;
	struct lookup *l = start(1, &by_udp);

	make_quick(2);
	p.conf.upstream_tries = 3;
	p.upstreams.table[1].down = true;
	do {
		bool sent = parts_next(&p, &send);

		listen_out(l);
		if (!sent || packet_is(&send.to, PACKET_UPSTREAM, TRANSPORT_TCP))
			continue;
		n[l->upstream]++;
		ck_assert(l->upstream == 0 || n[0] == CONF_MOST_TRIES);
	} while (!loss_on_timer(&p.lookups, l, &result, p.now_ns));
	ck_assert_int_eq(result.outcome, LOOKUP_SILENT);
	ck_assert_uint_eq(n[0], CONF_MOST_TRIES);
	ck_assert_uint_eq(n[1], 1);
}
END_TEST

/* How many of N first attempts of new questions go over TCP? */
static unsigned
count_tcp(unsigned n)
{
	unsigned n_tcp = 0;

	for (unsigned i = 0; i < n; i++) {
		struct lookup *l = start(i, &by_udp);
		struct packet_out send;

		PARTS_CHECK(parts_next(&p, &send));
		n_tcp += packet_is(&send.to, PACKET_UPSTREAM, TRANSPORT_TCP);
		lookup_free(&p.lookups, l);
	}
	return n_tcp;
}

/* D5: an upstream whose UDP is blocked is asked over TCP. A probe finds out when it is not. */
START_TEST(d27_mute_over_udp_asked_over_tcp)
{
	struct upstream *up = &p.upstreams.table[0];
	struct packet_out send;

	p.upstreams.n_order = 1;
	up->failures.n_primary_silent = UPSTREAM_PRIMARY_SILENT - 1;
	upstreams_learn(&p.upstreams, 0, UPSTREAM_FALLBACK, NS_PER_MS, p.now_ns);
	ck_assert_uint_eq(count_tcp(10), 0);
	up->failures.n_primary_silent = UPSTREAM_PRIMARY_SILENT; /* no reply over TCP since */
	ck_assert_uint_eq(count_tcp(10), 0);
	upstreams_learn(&p.upstreams, 0, UPSTREAM_FALLBACK, NS_PER_MS, p.now_ns);
	ck_assert_uint_eq(count_tcp(1000), 1000);
	p.now_ns += WAYS_RETRY_NS;
	ck_assert_uint_eq(count_tcp(1), 1);
	PARTS_CHECK(parts_next(&p, &send)); /* the probe */
	ck_assert(packet_is(&send.to, PACKET_UPSTREAM, TRANSPORT_UDP));
	upstreams_learn_way(&p.upstreams, 0, WAY_FULL, p.now_ns);
	ck_assert_uint_eq(count_tcp(10), 0);
}
END_TEST

/* Rule 34: where both transports are one, there is no last resort by the other. */
START_TEST(rule34_one_transport_is_asked_over_that)
{
	struct lookup *l = start(0, &by_udp);
	struct lookup_result result;
	struct packet_out send;
	unsigned n = 0;

	make_quick(2);
	p.upstreams.n_order = 1;
	p.upstreams.table[0].conf.transport[UPSTREAM_PRIMARY] = TRANSPORT_TCP;
	p.conf.upstream_tries = 3;
	do {
		if (parts_next(&p, &send)) {
			ck_assert(packet_is(&send.to, PACKET_UPSTREAM, TRANSPORT_TCP));
			ck_assert_uint_eq(l->now.over, UPSTREAM_PRIMARY);
			n++;
		}
		listen_out(l);
	} while (!loss_on_timer(&p.lookups, l, &result, p.now_ns));
	ck_assert_int_eq(result.outcome, LOOKUP_SILENT);
	ck_assert_uint_eq(n, CONF_MOST_TRIES);
	ck_assert_uint_gt(p.upstreams.table[0].failures.n, 0);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 300);
	tcase_add_test(tc, without_ids_it_fails_at_the_next_tick);
	tcase_add_test(tc, same_id_in_two_spaces_is_told_by_the_socket);
	tcase_add_test(tc, d28_check_that_cannot_go_on);
	tcase_add_test(tc, with_nobody_to_ask_it_is_silent_at_once);
	tcase_add_test(tc, retries_leave_nothing_open);
	tcase_add_test(tc, d27_given_up_attempts_stay_where_no_socket_is);
	tcase_add_test(tc, d27_given_up_attempts_make_room);
	tcase_add_test(tc, rule34_three_sends_each);
	tcase_add_test(tc, rule34_wish_for_tcp_ends);
	tcase_add_test(tc, d21_doubt_is_of_one_upstream);
	tcase_add_test(tc, d3_error_and_the_other_down);
	tcase_add_test(tc, d5_all_down_one_attempt);
	tcase_add_test(tc, d5_down_meanwhile);
	tcase_add_test(tc, d3_down_is_asked_once);
	tcase_add_test(tc, d27_mute_over_udp_asked_over_tcp);
	tcase_add_test(tc, rule34_one_transport_is_asked_over_that);
}
