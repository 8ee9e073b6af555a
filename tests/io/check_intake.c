/* SPDX-License-Identifier: BSD-2-Clause */
/* intake: questions over TCP are taken in turns. */
#include "io/intake.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "support/crowd.h"
#include "support/tests.h"

#define CLIENTS 100

static struct crowd crowd;
static int fds[CLIENTS];

static void
setup(void)
{
	crowd_init(&crowd);
	crowd.rig.conf.io.max_tcp_clients = CLIENTS;
	crowd.rig.conf.io.max_tcp_per_client = CLIENTS;
	crowd_start(&crowd);
	memset(fds, -1, sizeof(fds));
}

static void
teardown(void)
{
	for (unsigned i = 0; i < CLIENTS; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	crowd_end(&crowd);
}

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

	for (unsigned i = 0; i < CLIENTS; i++) {
		fds[i] = crowd_join(&crowd, "192.0.2.1");
		crowd_ask(fds[i], CROWD_LOCAL, 100);
	}
	do {
		crowd_turn(&crowd);
		ck_assert_uint_le(n_taken() - before, INTAKE_TURN + UDP_BATCH);
		before = n_taken();
		n++;
	} while (crowd.sh->again);
	ck_assert_uint_ge(n, CLIENTS * 100 / (INTAKE_TURN + UDP_BATCH));
	for (unsigned i = 0; i < CLIENTS; i++)
		sum += crowd_read(fds[i], 1000000) > 0;
	ck_assert_uint_eq(sum, CLIENTS);
	ck_assert_uint_eq(n_taken(), CLIENTS * 100);
}
END_TEST

/* One that asks much in a single write holds up nobody: who comes later has the next turn. */
START_TEST(flood_of_one_holds_up_nobody)
{
	fds[0] = crowd_join(&crowd, "192.0.2.1");
	fds[1] = crowd_join(&crowd, "192.0.2.2");
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
	fds[0] = crowd_join(&crowd, "192.0.2.1");
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
	fds[0] = crowd_join(&crowd, "192.0.2.1");
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
	tcase_add_test(tc, iterations_are_short);
	tcase_add_test(tc, flood_of_one_holds_up_nobody);
	tcase_add_test(tc, own_limit_stalls_and_ends);
	tcase_add_test(tc, stop_reads_what_has_come);
}
