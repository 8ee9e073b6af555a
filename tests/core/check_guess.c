/* SPDX-License-Identifier: BSD-2-Clause */
/* Guesses at the IDs of questions (RULES D21): what the scenarios d21-guess*.scn do not reach. */

#include "core/guess.h"

#include <string.h>

#include "base/told.h"
#include "core/silence.h"
#include "scenario/parts.h"
#include "support/heard.h"
#include "support/tests.h"

#define CAP 64

static struct parts p;
static struct upstream *up;
static const struct lookup_wish by_udp = { .prefer = 0 };

static void
setup(void)
{
	parts_init(&p, 2, CAP);
	up = &p.upstreams.table[0];
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
		guess_note(&p.lookups, slot, p.now_ns);
}

static bool
is_wary(void)
{
	return up->wary_until_ns > p.now_ns;
}

/* Few guesses at each of many sockets count together; time takes them back, one in ten seconds. */
START_TEST(d21_few_guesses_at_many_sockets)
{
	unsigned slot = 0;

	for (unsigned i = 0; i < GUESS_UPSTREAM - 1; i++) {
		slot = (unsigned)upstreams_socket_add(&p.upstreams, 0, 0);
		guess(slot, 1);
	}
	ck_assert(!is_wary());
	p.now_ns += GUESS_LEAK_NS;
	guess(slot, 1);
	ck_assert(!is_wary());
	p.now_ns += GUESS_LEAK_NS - 1;
	guess(slot, 1);
	ck_assert(is_wary());
	ck_assert_uint_eq(parts_count(&p.stats.upstream_guessed), 0);
	p.now_ns += GUESS_WARY_NS;
	ck_assert(!is_wary());
	p.now_ns += GUESS_LEAK_NS;
	guess(slot, 6); /* 7 were taken back */
	ck_assert(!is_wary());
	guess(slot, 1);
	ck_assert(is_wary());
}
END_TEST

/* Right replies take guesses back, too: with very many some are so late that they look like one. */
START_TEST(d21_right_replies_take_guesses_back)
{
	guess(0, GUESS_SOCKET - 1);
	guess((unsigned)upstreams_socket_add(&p.upstreams, 0, 0), GUESS_SOCKET - 1);
	guess((unsigned)upstreams_socket_add(&p.upstreams, 0, 0), 1);
	up->tally.replies += 2 * GUESS_REPLIES - 1; /* one of two */
	guess((unsigned)upstreams_socket_add(&p.upstreams, 0, 0), 1);
	ck_assert(!is_wary());
	guess((unsigned)upstreams_socket_add(&p.upstreams, 0, 0), 1);
	ck_assert(is_wary());
}
END_TEST

/* One socket that is given up is enough; the log says so once a minute, the counter each time. */
START_TEST(d21_a_socket_given_up_is_told)
{
	p.upstreams.told = told_new();
	heard_start(LOG_LEVEL_WARN);
	guess(0, GUESS_SOCKET - 1);
	ck_assert(!guess_given_up(&p.upstreams.sockets[0]));
	ck_assert(!is_wary());
	guess(0, 100);
	ck_assert(guess_given_up(&p.upstreams.sockets[0]));
	ck_assert(is_wary());
	guess((unsigned)upstreams_socket_add(&p.upstreams, 0, 0), GUESS_SOCKET);
	ck_assert_uint_eq(parts_count(&p.stats.upstream_guessed), 2);
	ck_assert_uint_eq(heard("forged replies"), 1);
	heard_end();
	told_free(p.upstreams.told);
	p.upstreams.told = NULL;
	ck_assert_uint_eq(p.upstreams.table[1].wary_until_ns, 0); /* each upstream for itself */
}
END_TEST

/* A slot that is used again begins anew, and a free one has no guesses. */
START_TEST(d21_slot_begins_anew)
{
	guess(0, GUESS_SOCKET);
	guess_move(&p.lookups, 0, p.now_ns);
	ck_assert_int_eq(up->socket[0], -1);
	upstreams_socket_del(&p.upstreams, 0);
	guess(0, GUESS_SOCKET);
	ck_assert(!guess_given_up(&p.upstreams.sockets[0]));
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

		up->wary_until_ns = p.now_ns + 1;
		p.conf.case_randomization = kinds[i].cases;
		p.conf.upstream_cookies = kinds[i].cookies;
		up->cookie_len = 16;
		up->no_edns_until_ns = kinds[i].edns ? 0 : p.now_ns + 1;
		l = parts_lookup(&p, kinds[i].name, &by_udp);
		ck_assert(parts_next(&p, &send));
		ck_assert_msg((send.way == PACKET_UPSTREAM_TCP) == kinds[i].by_tcp, "kind %zu", i);
		lookup_free(&p.lookups, l);
	}
	ck_assert_uint_eq(parts_count(&p.stats.upstream_wary), 3);
	/* The guard is off, as the upstream cannot: it guards nothing. */
	p.conf.case_randomization = true;
	up->case_guard.off_until_ns = p.now_ns + 1;
	ck_assert_ptr_nonnull(parts_lookup(&p, kinds[0].name, &by_udp));
	struct packet_out send;
	ck_assert(parts_next(&p, &send));
	ck_assert_int_eq(send.way, PACKET_UPSTREAM_TCP);
}
END_TEST

/* An attempt that was given up for another one is not answered by that socket any more. */
START_TEST(d21_earlier_attempt_is_dropped)
{
	struct lookup *l = parts_lookup(&p, "a.example", &by_udp);
	struct lookup_result result;
	struct packet_out send;

	ck_assert(parts_next(&p, &send));
	ck_assert_uint_eq(send.sock, 0);
	p.now_ns += (uint64_t)p.conf.timeout_ms * 1000000;
	ck_assert(!silence_on_timer(&p.lookups, l, &result, p.now_ns));
	ck_assert(parts_next(&p, &send));
	ck_assert_uint_ne(send.sock, 0);
	ck_assert_ptr_nonnull(l->earlier);
	guess(0, GUESS_SOCKET);
	guess_move(&p.lookups, 0, p.now_ns);
	ck_assert_ptr_null(l->earlier);
	ck_assert(!parts_next(&p, &send));
	ck_assert_uint_eq(parts_count(&p.stats.upstream_wary), 0);
}
END_TEST

/* A question that only listened on there has nothing to wait for: it ends. */
START_TEST(d21_who_listened_there_ends)
{
	struct lookup *l = parts_lookup(&p, "a.example", &by_udp);
	struct lookup_result result;
	struct packet_out send;

	l->allowed = 1;
	ck_assert(parts_next(&p, &send));
	p.now_ns += (uint64_t)p.conf.timeout_ms * 1000000;
	ck_assert(!silence_on_timer(&p.lookups, l, &result, p.now_ns));
	ck_assert(!parts_next(&p, &send));
	ck_assert(l->spent);
	guess(0, GUESS_SOCKET);
	guess_move(&p.lookups, 0, p.now_ns);
	p.now_ns += WHEEL_TICK_NS;
	ck_assert_ptr_eq(wheel_take(&p.wheel, p.now_ns), &l->timer);
	ck_assert(!silence_on_timer(&p.lookups, l, &result, p.now_ns));
	ck_assert(!parts_next(&p, &send)); /* it may not be sent once more */
	p.now_ns += WHEEL_TICK_NS;
	ck_assert_ptr_eq(wheel_take(&p.wheel, p.now_ns), &l->timer);
	ck_assert(silence_on_timer(&p.lookups, l, &result, p.now_ns));
	ck_assert_int_eq(result.outcome, LOOKUP_SILENT);
}
END_TEST

/* What is about to be asked again, as ICMP refused the socket, is not answered by it either. */
START_TEST(d21_refused_is_not_answered)
{
	struct lookup *l = parts_lookup(&p, "a.example", &by_udp);
	struct lookup_result result;
	struct packet_out send;

	ck_assert(parts_next(&p, &send));
	silence_on_refused(&p.lookups, send.sock);
	guess(send.sock, GUESS_SOCKET);
	guess_move(&p.lookups, send.sock, p.now_ns);
	p.udp[2] |= DNS_QR >> 8;
	ck_assert_ptr_null(parts_hand_in(&p, send.way, send.sock, p.udp, send.len, &result));
	ck_assert_uint_eq(parts_count(&p.stats.upstream_replies), 0);
	ck_assert(lookup_in_flight(l));
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, d21_few_guesses_at_many_sockets);
	tcase_add_test(tc, d21_right_replies_take_guesses_back);
	tcase_add_test(tc, d21_a_socket_given_up_is_told);
	tcase_add_test(tc, d21_slot_begins_anew);
	tcase_add_test(tc, d21_who_is_guarded_enough);
	tcase_add_test(tc, d21_earlier_attempt_is_dropped);
	tcase_add_test(tc, d21_who_listened_there_ends);
	tcase_add_test(tc, d21_refused_is_not_answered);
}
