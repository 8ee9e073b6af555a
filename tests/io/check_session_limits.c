/* SPDX-License-Identifier: BSD-2-Clause */
/* session: ceilings, who gives way at them, how long a client is waited for, and turns. */
#include "io/session.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "support/crowd.h"
#include "support/tests.h"

#define MANY 300

static struct crowd crowd;
static int fds[MANY];
static unsigned n_fds;

static void
setup(void)
{
	crowd_init(&crowd);
	n_fds = 0;
}

static void
teardown(void)
{
	while (n_fds > 0)
		close(fds[--n_fds]);
	crowd_end(&crowd);
}

/* With room for MAX connections, and for MAX_NETWORK of one network. */
static void
start(uint32_t max, uint32_t max_network)
{
	crowd.rig.conf.io.max_tcp_clients = max;
	crowd.rig.conf.io.max_tcp_per_client = max_network;
	crowd_start(&crowd);
}

static int
join(const char *address)
{
	ck_assert_uint_lt(n_fds, MANY);
	fds[n_fds] = crowd_join(&crowd, address);
	return fds[n_fds++];
}

/* One that asks for what is answered here, and has its answer. */
static int
join_and_ask(const char *address)
{
	int fd = join(address);

	crowd_ask(fd, CROWD_LOCAL, 1);
	(void)crowd_settle(&crowd);
	ck_assert_uint_gt(crowd_read(fd, 1000), 0);
	return fd;
}

/* One whose question is not answered. */
static int
join_busy(const char *address)
{
	int fd = join(address);

	crowd_ask_new(fd);
	(void)crowd_settle(&crowd);
	return fd;
}

static unsigned
n_open(void)
{
	unsigned n = 0;

	for (unsigned i = 0; i < n_fds; i++)
		n += crowd_is_open(fds[i]);
	return n;
}

static void
stat_is(const char *name, uint64_t n)
{
	ck_assert_msg(crowd_stat(&crowd, name) == n, "%s", name);
}

/* The largest number of connections that an address has. */
static unsigned
most_of_an_address(void)
{
	const struct fair *f = &crowd.sh->sessions.peers.fair;
	unsigned class = fair_below(f, FAIR_CLASSES);

	return class == FAIR_NONE ? 0 : (fair_weight(fair_first(f, class)) + 63) / 64;
}

/*
 * CVE-2018-5743: however many come and ask at once, there are never more connections than
 * max-tcp-clients and max-tcp-per-client say, nor more than the descriptors that these promise.
 */
START_TEST(cve_2018_5743_ceilings_hold)
{
	char address[32];

	start(20, 5);
	for (unsigned i = 0; i < 200; i++) {
		snprintf(address, sizeof(address), "2001:db8:0:%x::1", i % 8);
		crowd_ask_new(join(address));
		crowd_ask_new(fds[n_fds - 1]);
		crowd_ask(fds[n_fds - 1], CROWD_LOCAL, 3);
		if (i % 3 == 0)
			crowd_turn(&crowd);
		ck_assert_uint_le(crowd.sh->sessions.n, 20);
		ck_assert_uint_eq(crowd.sh->sessions.n, n_open());
		ck_assert_uint_le(most_of_an_address(), 5);
	}
	ck_assert_uint_eq(crowd.sh->sessions.n, 20);
}
END_TEST

/* Its own idlest one gives way to a new connection of a network at its ceiling. */
START_TEST(network_at_its_ceiling_replaces_its_own)
{
	int other, first, second;

	start(20, 2);
	other = join_and_ask("2001:db8:0:2::1");
	first = join_and_ask("2001:db8::1");
	second = join_and_ask("2001:db8::1");
	join_and_ask("2001:db8::1");
	ck_assert(!crowd_is_open(first));
	ck_assert(crowd_is_open(second));
	ck_assert(crowd_is_open(other));
	stat_is("tcp_evicted", 1);
	stat_is("tcp_refused", 0);
}
END_TEST

/*
 * D30: hosts of one /64 have max-tcp-per-client each, and together 16 times that; then the idlest
 * of them gives way.
 */
START_TEST(d30_hosts_of_one_network)
{
	char address[32];
	int other;

	start(100, 1);
	other = join_and_ask("2001:db8:0:1::1");
	for (unsigned i = 1; i <= 16; i++) {
		snprintf(address, sizeof(address), "2001:db8::%x", i);
		join_and_ask(address);
	}
	ck_assert_uint_eq(n_open(), 17);
	stat_is("tcp_evicted", 0);
	join_and_ask("2001:db8::99");
	ck_assert_uint_eq(n_open(), 17);
	ck_assert(!crowd_is_open(fds[1]));
	ck_assert(crowd_is_open(other));
	stat_is("tcp_evicted", 1);
}
END_TEST

/* Unless all of them have questions open: then the new one is refused. */
START_TEST(network_at_its_ceiling_is_refused)
{
	int new;

	start(20, 2);
	join_busy("192.0.2.1");
	join_busy("192.0.2.1");
	new = join("192.0.2.1");
	ck_assert(!crowd_is_open(new));
	ck_assert_uint_eq(n_open(), 2);
	stat_is("tcp_refused", 1);
	stat_is("tcp_evicted", 0);
}
END_TEST

/* When all places are taken the idlest of the fullest network gives way. */
START_TEST(fullest_network_gives_way_to_others)
{
	int idlest, new;

	start(10, 10);
	join_and_ask("192.0.2.1");
	for (unsigned i = 0; i < 3; i++)
		join_busy("2001:db8::1");
	idlest = join_and_ask("2001:db8::1");
	for (unsigned i = 0; i < 3; i++)
		join_and_ask("2001:db8::1");
	join_and_ask("192.0.2.2");
	join_and_ask("192.0.2.2");
	ck_assert_uint_eq(n_open(), 10);
	new = join_and_ask("192.0.2.3");
	ck_assert(crowd_is_open(new));
	ck_assert(!crowd_is_open(idlest));
	ck_assert_uint_eq(n_open(), 10);
	stat_is("tcp_evicted", 1);
}
END_TEST

/* So many from one network keep out nobody else, idle or not. */
START_TEST(one_network_keeps_out_nobody)
{
	char address[32];

	start(40, 40);
	for (unsigned i = 0; i < 60; i++)
		_i == 0 ? join("2001:db8::1") : join_busy("2001:db8::1");
	for (unsigned i = 0; i < 20; i++) {
		snprintf(address, sizeof(address), "192.0.2.%u", i);
		ck_assert(crowd_is_open(join_and_ask(address)));
	}
	for (unsigned i = n_fds - 20; i < n_fds; i++)
		ck_assert(crowd_is_open(fds[i]));
	ck_assert_uint_eq(n_open(), 40);
}
END_TEST

/* Where all networks have equally much, busy connections stay, and a new one is refused. */
START_TEST(busy_equals_stay)
{
	char address[32];

	start(10, 10);
	for (unsigned i = 0; i < 10; i++) {
		snprintf(address, sizeof(address), "192.0.2.%u", i);
		join_busy(address);
	}
	ck_assert(!crowd_is_open(join("192.0.2.99")));
	ck_assert_uint_eq(n_open(), 10);
	stat_is("tcp_refused", 1);
}
END_TEST

/* Up to half of the places idle connections have tcp-idle-timeout, then ever less. */
START_TEST(idle_time_shrinks)
{
	static const struct {
		unsigned n, stay_ms, left; /* so many; all stay for so long; so many after 100 ms */
	} rows[] = {
		{ 5, 9900, 0 }, { 6, 8000, 5 }, /* 10 - 9.8 / 5 = 8.04 s */
		{ 9, 2100, 8 },                 /* 10 - 9.8 * 4 / 5 = 2.16 s */
		{ 10, 100, 9 },                 /* 0.2 s */
	};

	start(10, 10);
	for (unsigned i = 0; i < rows[_i].n; i++)
		join("2001:db8::1");
	for (unsigned i = 0; i < rows[_i].n; i++)
		crowd_ask(fds[i], CROWD_LOCAL, 1);
	(void)crowd_settle(&crowd);
	crowd_pass(&crowd, rows[_i].stay_ms);
	ck_assert_uint_eq(n_open(), rows[_i].n);
	crowd_pass(&crowd, 100);
	ck_assert_uint_eq(n_open(), rows[_i].left);
	stat_is("tcp_idle", rows[_i].n - rows[_i].left);
}
END_TEST

/* A connection with a question open is not idle, even when all places are taken. */
START_TEST(open_questions_are_no_idleness)
{
	start(2, 2);
	join_busy("192.0.2.1");
	join_busy("192.0.2.1");
	crowd_pass(&crowd, 3000);
	ck_assert_uint_eq(n_open(), 2);
}
END_TEST

/* Who asks nothing has 3 s, whatever tcp-idle-timeout is. */
START_TEST(first_question_has_3_s)
{
	int mute, asks;

	crowd.rig.conf.io.tcp_idle_ms = 60000;
	start(10, 10);
	asks = join_and_ask("192.0.2.1");
	mute = join("192.0.2.1");
	ck_assert_int_eq(send(mute, "\0", 1, 0), 1);
	crowd_pass(&crowd, 2900);
	ck_assert(crowd_is_open(mute));
	crowd_pass(&crowd, 100);
	ck_assert(!crowd_is_open(mute));
	ck_assert(crowd_is_open(asks));
	stat_is("tcp_idle", 1);
}
END_TEST

/*
 * A question that trickles in has 5 s from its first byte on, though others are answered by the
 * same connection meanwhile, and its bytes are as far apart as they like.
 */
START_TEST(slow_question_has_5_s)
{
	int slow;

	crowd.rig.conf.io.tcp_idle_ms = 60000;
	start(10, 10);
	slow = join_and_ask("192.0.2.1");
	crowd_pass(&crowd, 4000);
	crowd_ask_new(slow);
	/* A frame of 256 bytes. */
	ck_assert_int_eq(send(slow, "\1\0", 2, 0), 2);
	(void)crowd_settle(&crowd);
	for (unsigned i = 0; i < 49; i++) {
		ck_assert_int_eq(send(slow, "x", 1, 0), 1);
		crowd_pass(&crowd, 100);
		ck_assert(crowd_is_open(slow));
	}
	crowd_pass(&crowd, 100);
	ck_assert(!crowd_is_open(slow));
	stat_is("tcp_slow", 1);
	stat_is("tcp_idle", 0);
}
END_TEST

/* Each question has its own 5 s. */
START_TEST(slow_questions_are_timed_one_by_one)
{
	static struct rig_msg m;
	int slow;

	crowd.rig.conf.io.tcp_idle_ms = 60000;
	start(10, 10);
	slow = join_and_ask("192.0.2.1");
	rig_question(&m, 1, CROWD_LOCAL, RIG_A);
	for (unsigned i = 0; i < 4; i++) {
		uint8_t len[2] = { 0, (uint8_t)m.len };

		/* The end of one and the beginning of the next arrive together. */
		if (i > 0)
			ck_assert_int_eq(send(slow, m.bytes + 5, m.len - 5, 0), (int)m.len - 5);
		ck_assert_int_eq(send(slow, len, 2, 0), 2);
		ck_assert_int_eq(send(slow, m.bytes, 5, 0), 5);
		(void)crowd_settle(&crowd);
		crowd_pass(&crowd, 4000);
	}
	ck_assert(crowd_is_open(slow));
	crowd_pass(&crowd, 1000);
	ck_assert(!crowd_is_open(slow));
	stat_is("tcp_slow", 1);
}
END_TEST

/*
 * CVE-2022-0396: a client that has closed its side leaves no connection behind when its questions
 * are answered, nor when they are not.
 */
START_TEST(cve_2022_0396_nothing_stays_of_who_has_gone)
{
	start(100, 100);
	for (unsigned i = 0; i < 50; i++) {
		int fd = join("192.0.2.1");

		crowd_ask(fd, CROWD_LOCAL, i % 3);
		if (i % 2 == 0)
			crowd_ask_new(fd);
		if (i % 5 == 0)
			ck_assert_int_eq(send(fd, "\1", 1, 0), 1);
		ck_assert_int_eq(shutdown(fd, SHUT_WR), 0);
		if (i % 7 == 0)
			crowd_turn(&crowd);
	}
	(void)crowd_settle(&crowd);
	ck_assert_uint_le(crowd.sh->sessions.n, 25);
	/* The engine gives up after 4.5 s. */
	crowd_pass(&crowd, 5000);
	ck_assert_uint_eq(crowd.sh->sessions.n, 0);
	ck_assert_uint_eq(most_of_an_address(), 0);
}
END_TEST

/*
 * CVE-2024-0760: a client asks by the thousand and reads nothing. What waits for it is bounded,
 * others are served, and it is closed.
 */
START_TEST(cve_2024_0760_flood_that_reads_nothing)
{
	unsigned n_asked = 0;
	int rude, good;

	start(10, 10);
	rude = join("192.0.2.1");
	for (unsigned i = 0; i < 200; i++) {
		if (!crowd_is_full(rude)) {
			crowd_ask(rude, CROWD_LOCAL, 500);
			n_asked += 500;
		}
		crowd_turn(&crowd);
		ck_assert_uint_le(crowd.sh->sessions.s[0].out.len, SESSION_UNSENT + 100000);
		ck_assert_uint_le(crowd.sh->sessions.s[0].in.len, STREAM_CAP);
	}
	ck_assert_uint_ge(n_asked, 5000);
	ck_assert(crowd.sh->sessions.s[0].stalled);
	good = join_and_ask("192.0.2.2");
	crowd_pass(&crowd, 4900);
	ck_assert(crowd_is_open(good));
	ck_assert(crowd_is_open(rude));
	crowd_pass(&crowd, 200);
	ck_assert(!crowd_is_open(rude));
	ck_assert(crowd_is_open(good));
	stat_is("tcp_stalled", 1);
}
END_TEST

/* Bytes that a client reads each second, and whether that is enough. */
static const struct {
	unsigned bytes;
	bool enough;
} paces[] = { { 2000, false }, { 6000, true } };

/* A client that reads a little now and then holds what waits for it no longer than one that does
 * not. */
START_TEST(reading_has_a_pace)
{
	const int least = 1; /* as small as the kernel makes it */
	int fd;

	start(10, 10);
	fd = join("192.0.2.1");
	ck_assert_int_eq(setsockopt(crowd.sh->sessions.s[0].link.fd, SOL_SOCKET, SO_SNDBUF, &least,
			     sizeof(least)),
	    0);
	/* More is waiting for it than it reads in this test. */
	for (unsigned i = 0; i < 30; i++) {
		crowd_ask(fd, CROWD_LOCAL, 60);
		(void)crowd_settle(&crowd);
	}
	ck_assert_uint_ge(crowd.sh->sessions.s[0].out.len, 100000);
	for (unsigned i = 0; i < 100; i++) {
		(void)crowd_read(fd, paces[_i].bytes / 10);
		crowd_pass(&crowd, 100);
	}
	ck_assert_int_eq(crowd_is_open(fd), paces[_i].enough);
	stat_is("tcp_stalled", paces[_i].enough ? 0 : 1);
}
END_TEST

/* Closings are worked off in slices. */
START_TEST(closings_in_slices)
{
	start(2 * MANY, MANY);
	for (unsigned i = 0; i < MANY; i++)
		join("192.0.2.1");
	crowd.sh->now_ns += 60 * NS_PER_SEC;
	ck_assert(session_beat(crowd.sh));
	ck_assert_uint_eq(n_open(), MANY - SESSION_CLOSINGS);
	ck_assert(!session_beat(crowd.sh));
	ck_assert_uint_eq(n_open(), 0);
}
END_TEST

/* --- questions are taken in turns ------------------------------------------------------------- */

#define CLIENTS 100

static uint64_t
n_taken(void)
{
	return crowd_stat(&crowd, "client_tcp");
}

/* A crowd that asks at once is served in many iterations, and each of them has little to do. */
START_TEST(iterations_are_short)
{
	uint64_t before = 0, sum = 0;
	unsigned n = 0;

	start(CLIENTS, CLIENTS);
	for (unsigned i = 0; i < CLIENTS; i++) {
		join("192.0.2.1");
		crowd_ask(fds[i], CROWD_LOCAL, 100);
	}
	do {
		crowd_turn(&crowd);
		ck_assert_uint_le(n_taken() - before, SESSION_TURN + UDP_BATCH);
		before = n_taken();
		n++;
	} while (crowd.sh->again);
	ck_assert_uint_ge(n, CLIENTS * 100 / (SESSION_TURN + UDP_BATCH));
	for (unsigned i = 0; i < CLIENTS; i++)
		sum += crowd_read(fds[i], 1000000) > 0;
	ck_assert_uint_eq(sum, CLIENTS);
	ck_assert_uint_eq(n_taken(), CLIENTS * 100);
}
END_TEST

/* One that asks much in a single write holds up nobody: who comes later has the next turn. */
START_TEST(flood_of_one_holds_up_nobody)
{
	start(CLIENTS, CLIENTS);
	join("192.0.2.1");
	join("192.0.2.2");
	crowd_ask(fds[0], CROWD_LOCAL, 1000);
	crowd_turn(&crowd);
	ck_assert(crowd.sh->again);
	ck_assert_uint_lt(n_taken(), 1000);
	crowd_ask(fds[1], CROWD_LOCAL, 1);
	crowd_turn(&crowd);
	ck_assert_uint_gt(crowd_read(fds[1], 1000), 0);
	ck_assert_uint_lt(n_taken(), 1000);
	(void)crowd_settle(&crowd);
	ck_assert_uint_eq(n_taken(), 1001);
}
END_TEST

/* A connection may have as many questions open as ever, and goes on when they are answered. */
START_TEST(own_limit_stalls_and_ends)
{
	start(CLIENTS, CLIENTS);
	join("192.0.2.1");
	for (unsigned i = 0; i < 2 * SESSION_QUESTIONS; i++)
		crowd_ask_new(fds[0]);
	(void)crowd_settle(&crowd);
	ck_assert_uint_eq(n_taken(), SESSION_QUESTIONS);
	ck_assert(crowd.sh->sessions.s[0].stalled);
	crowd_pass(&crowd, 10000); /* each is answered with SERVFAIL, nobody replies */
	ck_assert_uint_eq(n_taken(), 2 * SESSION_QUESTIONS);
	ck_assert(!crowd.sh->sessions.s[0].stalled);
}
END_TEST

/* All that was sent before the end is read and answered, over several turns. */
START_TEST(stop_reads_what_has_come)
{
	start(CLIENTS, CLIENTS);
	join("192.0.2.1");
	crowd_ask(fds[0], CROWD_LOCAL, 1000);
	session_stop(crowd.sh);
	(void)crowd_settle(&crowd);
	ck_assert_uint_eq(n_taken(), 1000);
	ck_assert_uint_eq(crowd.sh->sessions.n, 0);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 300);
	tcase_add_test(tc, cve_2018_5743_ceilings_hold);
	tcase_add_test(tc, network_at_its_ceiling_replaces_its_own);
	tcase_add_test(tc, d30_hosts_of_one_network);
	tcase_add_test(tc, network_at_its_ceiling_is_refused);
	tcase_add_test(tc, fullest_network_gives_way_to_others);
	tcase_add_loop_test(tc, one_network_keeps_out_nobody, 0, 2);
	tcase_add_test(tc, busy_equals_stay);
	tcase_add_loop_test(tc, idle_time_shrinks, 0, 4);
	tcase_add_test(tc, open_questions_are_no_idleness);
	tcase_add_test(tc, first_question_has_3_s);
	tcase_add_test(tc, slow_question_has_5_s);
	tcase_add_test(tc, slow_questions_are_timed_one_by_one);
	tcase_add_test(tc, cve_2022_0396_nothing_stays_of_who_has_gone);
	tcase_add_test(tc, cve_2024_0760_flood_that_reads_nothing);
	tcase_add_loop_test(tc, reading_has_a_pace, 0, 2);
	tcase_add_test(tc, closings_in_slices);
	tcase_add_test(tc, iterations_are_short);
	tcase_add_test(tc, flood_of_one_holds_up_nobody);
	tcase_add_test(tc, own_limit_stalls_and_ends);
	tcase_add_test(tc, stop_reads_what_has_come);
}
