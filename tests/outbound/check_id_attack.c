/* SPDX-License-Identifier: BSD-2-Clause */
/* Guesses at the IDs of questions (RULES D21): what the scenarios d21-guess*.scn do not reach. */

#include "outbound/id_attack.h"

#include <string.h>

#include "base/clock.h"
#include "base/logonce.h"
#include "outbound/loss.h"
#include "scenario/parts.h"
#include "support/heard.h"
#include "support/tests.h"

#define CAP 64

static struct parts p;
static struct upstream *up;
static int last; /* slot of other_socket; -1: none */
static const struct lookup_wish by_udp = { .prefer = 0 };

static void
setup(void)
{
	parts_init(&p, 2, CAP);
	up = &p.upstreams.table[0];
	last = -1;
}

static void
teardown(void)
{
	parts_fini(&p);
}

static void
guess(unsigned slot, unsigned n)
{
	while (n-- > 0)
		id_attack_note(&p.lookups, slot, p.now_ns);
}

static bool
is_wary(void)
{
	return up->suspicion.state != SUSPICION_NONE && up->suspicion.until_ns > p.now_ns;
}

/* A socket more; its slot. */
static unsigned
add_socket(void)
{
	return (unsigned)upstreams_socket_add(&p.upstreams, 0, 0);
}

/* Another one instead of the last. */
static unsigned
other_socket(void)
{
	if (last >= 0 && p.upstreams.sockets[last].upstream == 0)
		upstreams_socket_del(&p.upstreams, (unsigned)last);
	last = (int)add_socket();
	return (unsigned)last;
}

/* Few guesses at each of several sockets count together, if they come within a minute. */
START_TEST(d21_few_guesses_at_many_sockets)
{
	for (unsigned i = 0; i < ID_ATTACK_UPSTREAM / 4 - 1; i++)
		guess(add_socket(), 4);
	guess(0, 3);
	p.now_ns += ID_ATTACK_WINDOW_NS;
	guess(0, 1);
	ck_assert(!is_wary()); /* that was the first of another minute */
	p.now_ns += ID_ATTACK_WINDOW_NS - 1;
	guess(add_socket(), ID_ATTACK_UPSTREAM - 2);
	ck_assert(!is_wary());
	guess(0, 1);
	ck_assert(is_wary());
	ck_assert_uint_eq(parts_count(&p.stats.upstream_guessed), 0);
}
END_TEST

/* Who does not know the ports meets the more of them: with many two for each are a sign. */
START_TEST(d21_many_sockets_meet_more_guesses)
{
	unsigned slot = 0, n = 0;

	while (up->n_sockets < 20)
		slot = add_socket();
	for (; n < 39; n++)
		guess(n % 2 == 0 ? 0 : slot, 1);
	ck_assert(!is_wary());
	guess(slot, 1);
	ck_assert(is_wary());
}
END_TEST

/* A suspicion ends a minute after the last sign; guesses that are none do not hold it open. */
START_TEST(d21_a_trickle_holds_nothing_open)
{
	guess(0, ID_ATTACK_UPSTREAM);
	ck_assert(is_wary());
	for (unsigned s = 0; s < 59; s++) {
		p.now_ns += NS_PER_SEC;
		if (s % 4 == 0) /* 15 of them */
			guess(other_socket(), 1);
	}
	ck_assert(is_wary());
	p.now_ns += NS_PER_SEC;
	ck_assert(!is_wary());
	/* a sign in between does */
	guess(other_socket(), ID_ATTACK_UPSTREAM);
	ck_assert(is_wary());
	p.now_ns += ID_ATTACK_WARY_NS - 1;
	guess(other_socket(), ID_ATTACK_UPSTREAM);
	p.now_ns += ID_ATTACK_WARY_NS - 1;
	ck_assert(is_wary());
	p.now_ns += 1;
	ck_assert(!is_wary());
}
END_TEST

/* Right replies take guesses back: with very many some are so late that they look like one. */
START_TEST(d21_right_replies_take_guesses_back)
{
	guess(0, 1);
	up->tally.replies += 2 * ID_ATTACK_REPLIES - 1; /* one of two */
	guess(0, ID_ATTACK_UPSTREAM - 1);
	ck_assert(!is_wary());
	guess(0, 1);
	ck_assert(is_wary());
}
END_TEST

/* --- does TCP work? --------------------------------------------------------------------------- */

/* A question that goes over TCP on a suspicion now, by *SEND. */
static struct lookup *
ask_by_tcp(struct packet_out *send)
{
	static char name[] = "1a.";
	struct lookup *l;

	name[1]++;
	l = parts_lookup(&p, name, &by_udp);
	ck_assert(parts_next(&p, send));
	ck_assert(packet_is(&send->to, PACKET_UPSTREAM, TRANSPORT_TCP));
	return l;
}

/* One such question, to which TCP gives no reply in time. */
static void
ask_in_vain(void)
{
	struct lookup_result result;
	struct packet_out send;
	struct lookup *l = ask_by_tcp(&send);

	p.now_ns += id_attack_wait_ns(up);
	ck_assert(!loss_on_timer(&p.lookups, l, &result, p.now_ns));
	ck_assert(parts_next(&p, &send));
	ck_assert(packet_is(&send.to, PACKET_UPSTREAM, TRANSPORT_UDP));
	ck_assert_ptr_nonnull(l->earlier); /* a reply over TCP is taken still */
	lookup_free(&p.lookups, l);
}

/* One to which TCP replies after NS. */
static void
ask_well(uint64_t ns)
{
	struct lookup_result result;
	struct packet_out send;
	struct lookup *l = ask_by_tcp(&send);

	p.now_ns += ns;
	p.tcp[2] |= DNS_QR >> 8;
	ck_assert_ptr_eq(
	    parts_hand_in(&p, send.to.transport, send.to.sock, p.tcp, send.len, &result), l);
	lookup_free(&p.lookups, l);
}

/* Suspicious, and UDP takes 10 ms. */
static void
start_suspicion(void)
{
	p.conf.case_randomization = false;
	p.upstreams.n_order = 1;
	times_learn(&up->times[UPSTREAM_PRIMARY], 10 * NS_PER_MS);
	guess(0, ID_ATTACK_UPSTREAM);
	ck_assert_int_eq(up->suspicion.state, SUSPICION_BY_TCP);
}

/* Eight questions to which TCP is mute: then each goes over UDP, by a port of its own. Logged once.
 */
START_TEST(d21_mute_tcp_is_given_up)
{
	struct packet_out send;

	start_suspicion();
	p.upstreams.logonce = logonce_new();
	heard_start(LOG_LEVEL_NOTICE);
	for (unsigned i = 0; i < ID_ATTACK_VAIN; i++) {
		ck_assert(!id_attack_needs_ports(up, p.now_ns));
		ask_in_vain();
	}
	ck_assert_int_eq(up->suspicion.state, SUSPICION_BY_PORTS);
	ck_assert(id_attack_needs_ports(up, p.now_ns));
	id_attack_on_no_tcp(&p.lookups, 0, p.now_ns);
	ck_assert_uint_eq(heard("a port of its own, as TCP does not work"), 1);
	heard_end();
	logonce_free(p.upstreams.logonce);
	p.upstreams.logonce = NULL;
	ck_assert_ptr_nonnull(parts_lookup(&p, "b.", &by_udp));
	ck_assert(parts_next(&p, &send));
	ck_assert(packet_is(&send.to, PACKET_UPSTREAM, TRANSPORT_UDP));
	ck_assert_uint_eq(parts_count(&p.stats.upstream_id_attack_tcp_failed), ID_ATTACK_VAIN);
	ck_assert_uint_eq(parts_count(&p.stats.upstream_timeouts), 0); /* nobody is blamed */
	p.now_ns = up->suspicion.until_ns;
	ck_assert(!id_attack_needs_ports(up, p.now_ns));
}
END_TEST

/* Replies in time: three of them make up for one that was not. Almost four times UDP's time is not.
 */
START_TEST(d21_slow_tcp_is_given_up)
{
	start_suspicion();
	for (unsigned i = 0; i < 4 * ID_ATTACK_VAIN; i++) {
		ask_in_vain();
		for (unsigned n = 0; n < 3; n++)
			ask_well(37 * NS_PER_MS);
	}
	ck_assert_int_eq(up->suspicion.state, SUSPICION_BY_TCP);
	for (unsigned i = 0; i < ID_ATTACK_VAIN; i++) {
		ck_assert_int_eq(up->suspicion.state, SUSPICION_BY_TCP);
		ask_well(38 * NS_PER_MS);
	}
	ck_assert_int_eq(up->suspicion.state, SUSPICION_BY_PORTS);
}
END_TEST

/* Every other question answered is not enough. */
START_TEST(d21_tcp_that_answers_one_of_two_is_given_up)
{
	unsigned n = 0;

	start_suspicion();
	for (; up->suspicion.state == SUSPICION_BY_TCP; n++) {
		if (n % 2 == 0)
			ask_in_vain();
		else
			ask_well(10 * NS_PER_MS);
	}
	ck_assert_uint_lt(n, 3 * ID_ATTACK_VAIN);
}
END_TEST

/* UDP was never measured: as long as the shortest wait. It takes no time: two ticks. */
START_TEST(d21_wait_for_tcp)
{
	struct times *t = &up->times[UPSTREAM_PRIMARY];

	ck_assert_uint_eq(id_attack_wait_ns(up), TIMES_LEAST_NS);
	times_learn(t, 1000);
	ck_assert_uint_eq(id_attack_wait_ns(up), 2 * WHEEL_TICK_NS);
	*t = (struct times){ .srtt_ns = 10 * NS_PER_MS };
	ck_assert_uint_eq(id_attack_wait_ns(up), 40 * NS_PER_MS);
}
END_TEST

/* A connection that cannot be made is enough, and holds for a minute; then TCP is tried again. */
START_TEST(d21_no_connection_is_enough)
{
	start_suspicion();
	id_attack_on_no_tcp(&p.lookups, 0, p.now_ns);
	ck_assert_int_eq(up->suspicion.state, SUSPICION_BY_PORTS);
	p.now_ns += ID_ATTACK_NO_TCP_NS - 1;
	guess(other_socket(), ID_ATTACK_UPSTREAM);
	ck_assert_int_eq(up->suspicion.state, SUSPICION_BY_PORTS);
	p.now_ns += 1;
	guess(other_socket(), ID_ATTACK_UPSTREAM);
	ck_assert_int_eq(up->suspicion.state, SUSPICION_BY_TCP);
}
END_TEST

/* That there was no connection before the first sign counts, too; but nothing that is long ago. */
START_TEST(d21_no_connection_before)
{
	id_attack_on_no_tcp(&p.lookups, 0, p.now_ns);
	ck_assert_int_eq(up->suspicion.state, SUSPICION_NONE);
	guess(0, ID_ATTACK_UPSTREAM);
	ck_assert_int_eq(up->suspicion.state, SUSPICION_BY_PORTS);
	p.now_ns += ID_ATTACK_WARY_NS;
	guess(other_socket(), 1); /* it has ended */
	ck_assert_int_eq(up->suspicion.state, SUSPICION_NONE);
	guess(other_socket(), ID_ATTACK_UPSTREAM - 1);
	ck_assert_int_eq(up->suspicion.state, SUSPICION_BY_TCP);
	id_attack_on_no_tcp(&p.lookups, 0, p.now_ns);
	id_attack_on_no_tcp(&p.lookups, 1, p.now_ns); /* each upstream for itself */
	ck_assert_int_eq(up->suspicion.state, SUSPICION_BY_PORTS);
	ck_assert_int_eq(p.upstreams.table[1].suspicion.state, SUSPICION_NONE);
}
END_TEST

/* A host that was started a moment ago has not found out yet that TCP fails. */
START_TEST(d21_tcp_is_tried_at_first)
{
	p.now_ns = ID_ATTACK_NO_TCP_NS / 2;
	guess(0, ID_ATTACK_SOCKET);
	ck_assert_int_eq(up->suspicion.state, SUSPICION_BY_TCP);
}
END_TEST

/* A reply over TCP that came too late to be waited for was counted when it did not come. */
START_TEST(d21_late_over_tcp_counts_once)
{
	struct attempt a = { .upstream = 0, .sent_ns = p.now_ns, .silent = true };

	start_suspicion();
	up->suspicion.vain = ID_ATTACK_GOOD_EACH;
	id_attack_on_tcp_reply(&p.lookups, &a, p.now_ns);
	ck_assert_uint_eq(up->suspicion.vain, ID_ATTACK_GOOD_EACH);
	a.silent = false;
	id_attack_on_tcp_reply(&p.lookups, &a, p.now_ns);
	ck_assert_uint_eq(up->suspicion.vain, ID_ATTACK_GOOD_EACH - 1);
}
END_TEST

/* All connections have as many questions as they may: none waits for room on a suspicion. */
START_TEST(d21_no_room_over_tcp)
{
	struct packet_out send;

	start_suspicion();
	up->tcp_yield = 1;
	for (unsigned i = 0; i < TCP_POOL_SIZE; i++)
		(void)ask_by_tcp(&send);
	ck_assert_ptr_nonnull(parts_lookup(&p, "b.", &by_udp));
	ck_assert(parts_next(&p, &send));
	ck_assert(packet_is(&send.to, PACKET_UPSTREAM, TRANSPORT_UDP));
	ck_assert_uint_eq(parts_count(&p.stats.tcp_upstream_waits), 0);
}
END_TEST

/* --- sockets ---------------------------------------------------------------------------------- */

/* One socket that is given up is enough; the log says so once a minute, the counter each time. */
START_TEST(d21_a_socket_given_up_is_told)
{
	p.upstreams.logonce = logonce_new();
	heard_start(LOG_LEVEL_WARN);
	guess(0, ID_ATTACK_SOCKET - 1);
	ck_assert(!id_attack_given_up(&p.upstreams.sockets[0]));
	ck_assert_uint_eq(heard("forged replies"), 1); /* they are a sign before that, too */
	guess(0, 100);
	ck_assert(id_attack_given_up(&p.upstreams.sockets[0]));
	ck_assert(is_wary());
	guess((unsigned)upstreams_socket_add(&p.upstreams, 0, 0), ID_ATTACK_SOCKET);
	ck_assert_uint_eq(parts_count(&p.stats.upstream_guessed), 2);
	ck_assert_uint_eq(heard("forged replies"), 1);
	heard_end();
	logonce_free(p.upstreams.logonce);
	p.upstreams.logonce = NULL;
	ck_assert_int_eq(
	    p.upstreams.table[1].suspicion.state, SUSPICION_NONE); /* each upstream for itself */
}
END_TEST

/* A slot that is used again begins anew, and a free one has no guesses. */
START_TEST(d21_slot_begins_anew)
{
	guess(0, ID_ATTACK_SOCKET);
	loss_on_given_up(&p.lookups, 0, p.now_ns);
	ck_assert_int_eq(up->socket[0], -1);
	upstreams_socket_del(&p.upstreams, 0);
	guess(0, ID_ATTACK_SOCKET);
	ck_assert(!id_attack_given_up(&p.upstreams.sockets[0]));
}
END_TEST

/* Whose name has 20 letters, wherever they are, is guarded by 0x20; others by cookies or TCP. */
START_TEST(d21_who_is_guarded_enough)
{
	static const struct {
		const char *name;
		bool cases, cookies, edns, by_tcp;
	} kinds[] = {
		{ "abcdefghij.klmnopqrst.", true, false, true, false },
		{ "abcdefghij.klmnopqrs1.", true, false, true, true },
		{ "abcdefghij.klmnopqrst.", false, false, true, true },
		{ "1.", false, true, true, false },
		{ "1.", false, true, false, true },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct packet_out send;
		struct lookup *l;

		up->suspicion.state = SUSPICION_BY_TCP;
		up->suspicion.until_ns = p.now_ns + 1;
		p.conf.case_randomization = kinds[i].cases;
		p.conf.cookies.upstream = kinds[i].cookies;
		up->cookie.len = 16;
		up->edns.off_until_ns = kinds[i].edns ? 0 : p.now_ns + 1;
		l = parts_lookup(&p, kinds[i].name, &by_udp);
		ck_assert(parts_next(&p, &send));
		ck_assert_msg(
		    (packet_is(&send.to, PACKET_UPSTREAM, TRANSPORT_TCP)) == kinds[i].by_tcp,
		    "kind %zu", i);
		lookup_free(&p.lookups, l);
	}
	ck_assert_uint_eq(parts_count(&p.stats.upstream_id_attack_tcp), 3);
	/* The guard is off, as the upstream cannot: it guards nothing. */
	p.conf.case_randomization = true;
	up->case_guard.off_until_ns = p.now_ns + 1;
	ck_assert_ptr_nonnull(parts_lookup(&p, kinds[0].name, &by_udp));
	struct packet_out send;
	ck_assert(parts_next(&p, &send));
	ck_assert(packet_is(&send.to, PACKET_UPSTREAM, TRANSPORT_TCP));
}
END_TEST

/* An attempt that was given up for another one is not answered by that socket any more. */
START_TEST(d21_earlier_attempt_is_dropped)
{
	struct lookup *l = parts_lookup(&p, "a.example", &by_udp);
	struct lookup_result result;
	struct packet_out send;

	ck_assert(parts_next(&p, &send));
	ck_assert_uint_eq(send.to.sock, 0);
	p.now_ns += (uint64_t)p.conf.timeout_ms * 1000000;
	ck_assert(!loss_on_timer(&p.lookups, l, &result, p.now_ns));
	ck_assert(parts_next(&p, &send));
	ck_assert_uint_ne(send.to.sock, 0);
	ck_assert_ptr_nonnull(l->earlier);
	guess(0, ID_ATTACK_SOCKET);
	loss_on_given_up(&p.lookups, 0, p.now_ns);
	ck_assert_ptr_null(l->earlier);
	ck_assert(!parts_next(&p, &send));
	ck_assert_uint_eq(parts_count(&p.stats.upstream_id_attack_tcp), 0);
}
END_TEST

/* A lookup that has sent all it may, and only listens on. */
static struct lookup *
listens(void)
{
	struct lookup *l = parts_lookup(&p, "a.example", &by_udp);
	struct lookup_result result;
	struct packet_out send;

	l->waiters.allowed = 1;
	ck_assert(parts_next(&p, &send));
	p.now_ns += (uint64_t)p.conf.timeout_ms * 1000000;
	ck_assert(!loss_on_timer(&p.lookups, l, &result, p.now_ns));
	ck_assert(!parts_next(&p, &send));
	ck_assert_uint_eq(l->wait, LOOKUP_SPENT);
	return l;
}

/* A question that only listened on there has nothing to wait for: it goes out once more, free. */
START_TEST(d28_who_listened_there_asks_again)
{
	struct lookup *l = listens();
	struct lookup_result result;
	struct packet_out send;

	guess(0, ID_ATTACK_SOCKET);
	loss_on_given_up(&p.lookups, 0, p.now_ns);
	p.now_ns += WHEEL_TICK_NS;
	ck_assert_ptr_eq(wheel_take(&p.wheel, p.now_ns), &l->timer);
	ck_assert(!loss_on_timer(&p.lookups, l, &result, p.now_ns));
	ck_assert(parts_next(&p, &send));
	ck_assert_uint_eq(l->n_sends, 1);
	p.now_ns += (uint64_t)p.conf.timeout_ms * 1000000; /* and that was the last */
	ck_assert(!loss_on_timer(&p.lookups, l, &result, p.now_ns));
	ck_assert(!parts_next(&p, &send));
	ck_assert_uint_eq(l->wait, LOOKUP_SPENT);
}
END_TEST

/* Nor is anything taken off where the lookup has begun anew and sent nothing yet (D27). */
START_TEST(d28_what_was_sent_before_is_not_counted)
{
	struct lookup *l = listens();

	l->n_sends = 0;
	guess(0, ID_ATTACK_SOCKET);
	loss_on_given_up(&p.lookups, 0, p.now_ns);
	ck_assert_uint_eq(l->n_sends, 0);
}
END_TEST

/*
 * RULES D5, D28: what a forger makes leave again by one port after the other costs its client no
 * try, so AAAA does not end early; and the question leaves later and later.
 */
START_TEST(d28_moves_are_no_tries)
{
	uint64_t began_ns = p.now_ns, next_ns = 0;
	struct lookup_result result;
	struct packet_out send;
	struct lookup *l;
	unsigned n = 0;

	p.upstreams.n_order = 1; /* the other one could be asked */
	l = parts_lookup(&p, "a.example", &by_udp);
	id_attack_on_no_tcp(&p.lookups, 0, p.now_ns);
	l->waiters.allowed = 1;
	while (p.now_ns < began_ns + 1500 * NS_PER_MS) {
		if (!parts_next(&p, &send)) {
			next_ns = l->timer.due * WHEEL_TICK_NS;
			p.now_ns = next_ns > p.now_ns ? next_ns : p.now_ns + WHEEL_TICK_NS;
			ck_assert_ptr_eq(wheel_take(&p.wheel, p.now_ns), &l->timer);
			ck_assert(!loss_on_timer(&p.lookups, l, &result, p.now_ns));
			continue;
		}
		ck_assert(packet_is(&send.to, PACKET_UPSTREAM, TRANSPORT_UDP));
		ck_assert_uint_eq(l->n_sends, 1);
		n++;
		guess(send.to.sock, ID_ATTACK_SOCKET);
		loss_on_given_up(&p.lookups, send.to.sock, p.now_ns);
		upstreams_socket_del(&p.upstreams, send.to.sock);
		up->socket[0] = (int32_t)add_socket();
	}
	ck_assert_uint_ge(n, 8);
	ck_assert_uint_le(n, 24);
}
END_TEST

/* What is about to be asked again, as ICMP refused the socket, is not answered by it either. */
START_TEST(d21_refused_is_not_answered)
{
	struct lookup *l = parts_lookup(&p, "a.example", &by_udp);
	struct lookup_result result;
	struct packet_out send;

	ck_assert(parts_next(&p, &send));
	loss_on_refused(&p.lookups, send.to.sock);
	guess(send.to.sock, ID_ATTACK_SOCKET);
	loss_on_given_up(&p.lookups, send.to.sock, p.now_ns);
	p.udp[2] |= DNS_QR >> 8;
	ck_assert_ptr_null(
	    parts_hand_in(&p, send.to.transport, send.to.sock, p.udp, send.len, &result));
	ck_assert_uint_eq(parts_count(&p.stats.upstream_replies), 0);
	ck_assert(lookup_in_flight(l));
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, d21_few_guesses_at_many_sockets);
	tcase_add_test(tc, d21_many_sockets_meet_more_guesses);
	tcase_add_test(tc, d21_a_trickle_holds_nothing_open);
	tcase_add_test(tc, d21_mute_tcp_is_given_up);
	tcase_add_test(tc, d21_slow_tcp_is_given_up);
	tcase_add_test(tc, d21_tcp_that_answers_one_of_two_is_given_up);
	tcase_add_test(tc, d21_wait_for_tcp);
	tcase_add_test(tc, d21_no_connection_is_enough);
	tcase_add_test(tc, d21_no_connection_before);
	tcase_add_test(tc, d21_tcp_is_tried_at_first);
	tcase_add_test(tc, d21_late_over_tcp_counts_once);
	tcase_add_test(tc, d21_no_room_over_tcp);
	tcase_add_test(tc, d21_right_replies_take_guesses_back);
	tcase_add_test(tc, d21_a_socket_given_up_is_told);
	tcase_add_test(tc, d21_slot_begins_anew);
	tcase_add_test(tc, d21_who_is_guarded_enough);
	tcase_add_test(tc, d21_earlier_attempt_is_dropped);
	tcase_add_test(tc, d28_who_listened_there_asks_again);
	tcase_add_test(tc, d28_what_was_sent_before_is_not_counted);
	tcase_add_test(tc, d28_moves_are_no_tries);
	tcase_add_test(tc, d21_refused_is_not_answered);
}
