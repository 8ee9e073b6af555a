/* SPDX-License-Identifier: BSD-2-Clause */
/* upstream_udp: ports that vary (RFC 5452 section 9.2), sockets that come and go, upstreams that
 * cannot be had. */
#include "io/upstream_udp.h"

#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/attr.h"
#include "outbound/id_attack.h"
#include "support/rig.h"
#include "support/testclock.h"
#include "support/tests.h"
#include "support/testsend.h"

#define N_PORTS 8 /* rig_settings */

static struct rig rig;
static struct rig_msg msg;
static int client;
static bool seen[65536]; /* ports */
static unsigned n_asked;

/* Nobody is late, and sockets are as young as at the start, until a test lets time pass. */
static void
setup(void)
{
	testclock_hold();
	rig_init(&rig);
	memset(seen, 0, sizeof(seen));
	n_asked = 0;
	client = -1;
}

static void
start(void)
{
	rig_start(&rig);
	client = rig_connect(SOCK_DGRAM, &rig.at[0]);
}

static void
teardown(void)
{
	close(client);
	rig_end(&rig);
	testclock_reset();
	testsend_reset();
}

/* For a name that nobody has asked for. */
static void
ask(void)
{
	char name[32];

	snprintf(name, sizeof(name), "n%u.test", n_asked);
	rig_question(&msg, (uint16_t)n_asked++, name, RIG_A);
	rig_send(client, &msg);
}

/* N questions in groups of BATCH; counts in *n_ports the ports not seen before. */
static void
exchange(unsigned n, unsigned batch, unsigned *n_ports)
{
	for (unsigned i = 0; i < n; i += batch) {
		for (unsigned k = 0; k < batch; k++)
			ask();
		for (unsigned k = 0; k < batch; k++) {
			ck_assert(rig_take(&rig, &msg));
			*n_ports += !seen[msg.from.port];
			seen[msg.from.port] = true;
			rig_reply(&msg, &msg, 1);
			rig_give(&rig, &msg);
		}
		for (unsigned k = 0; k < batch; k++)
			ck_assert(rig_recv(client, &msg));
	}
}

/* Rule 25: single questions come from eight ports, and from others when those are old; none under
 * 1024. */
START_TEST(questions_leave_by_eight_high_ports)
{
	unsigned n = 0, more = 0;

	start();
	exchange(200, 1, &n);
	ck_assert_uint_eq(n, N_PORTS);
	testclock_pass(UPSTREAM_SET_AGE_NS);
	exchange(200, 1, &more);
	ck_assert_uint_ge(more, N_PORTS - 1); /* chance may draw an old port once */
	ck_assert_uint_le(more, N_PORTS);
	for (unsigned port = 0; port < 1024; port++)
		ck_assert(!seen[port]);
}
END_TEST

/*
 * Rule 25: no question leaves by a port that was open all the while nobody asked: it might have
 * been found. Without questions the sockets are closed, and then nothing happens any more.
 */
START_TEST(idle_ports_are_closed)
{
	struct rusage before, after;
	unsigned n = 0, open;

	start();
	exchange(100, 1, &n);
	ck_assert_uint_ge(n, N_PORTS);
	open = rig_descriptors();
	testclock_pass(UPSTREAM_SET_AGE_NS + UPSTREAM_UDP_EXPIRE_NS);
	ck_assert(rig_until_descriptors(open - N_PORTS));
	ck_assert_uint_eq(rig_descriptors(), open - N_PORTS);
	testclock_release(); /* its timers, if there were any, would do something */
	getrusage(RUSAGE_SELF, &before);
	rig_pause(1000);
	getrusage(RUSAGE_SELF, &after);
#ifndef WITH_TSAN /* its runtime has a thread that wakes ten times a second */
	ck_assert_int_le(after.ru_nvcsw - before.ru_nvcsw, 3);
#endif
	n = 0;
	exchange(8, 1, &n); /* chance may draw an old port once */
	ck_assert_uint_ge(n, 7);
	ck_assert_uint_eq(rig_stat(&rig, "upstream_timeouts"), 0);
}
END_TEST

/* A socket that has been used enough is replaced, and the old ones are closed. */
START_TEST(used_sockets_are_replaced)
{
	const unsigned questions = 4 * UPSTREAM_SET_USES;
	unsigned n = 0, before;

	rig.conf.io.outgoing_ports = 1;
	start();
	exchange(1, 1, &n);
	ck_assert_uint_eq(n, 1);
	n = 0;
	before = rig_descriptors();
	exchange(questions, 64, &n);
	ck_assert_uint_ge(n, 4);
	ck_assert(rig_until_descriptors(before));
	ck_assert_uint_eq(rig_stat(&rig, "lookups_failed"), 0);
}
END_TEST

/* One question that gets ID_ATTACK_UPSTREAM replies with other IDs before the right one. */
static void
exchange_with_guesses(void)
{
	uint8_t id;

	ask();
	ck_assert(rig_take(&rig, &msg));
	rig_reply(&msg, &msg, 1);
	id = msg.bytes[1];
	for (unsigned i = 1; i <= ID_ATTACK_UPSTREAM; i++) {
		msg.bytes[1] = (uint8_t)(id + i);
		rig_give(&rig, &msg);
	}
	msg.bytes[1] = id;
	rig_give(&rig, &msg);
	ck_assert(rig_recv(client, &msg));
}

/*
 * D21: while somebody guesses IDs, and the upstream refuses TCP, each question leaves by a port of
 * its own; and as before when that is over.
 */
START_TEST(d21_guessed_at_each_question_has_a_port)
{
	unsigned n = 0;

	close(rig.up_tcp);
	rig.up_tcp = -1;
	start();
	exchange_with_guesses();
	exchange(1, 1, &n); /* TCP is refused */
	ck_assert_uint_eq(rig_stat(&rig, "upstream_id_attack_tcp_failed"), 1);
	exchange(8, 1, &n); /* of the eight ports some were used before */
	n = 0;
	exchange(120, 12, &n);
	ck_assert_uint_ge(n, 110);
	ck_assert_uint_eq(rig_stat(&rig, "upstream_id_attack_tcp"), 1);
	testclock_pass(ID_ATTACK_WARY_NS);
	exchange(1, 1, &n);
	n = 0;
	exchange(100, 1, &n);
	ck_assert_uint_le(n, N_PORTS);
}
END_TEST

/* ICMP port unreachable costs the upstream its reputation and nobody an answer. */
START_TEST(icmp_refusal_loses_no_answer)
{
	struct netaddr at = rig.up;

	testclock_release();
	rig.conf.core.timeout_ms = 200;
	close(rig.up_udp);
	start();
	ask();
	ck_assert(rig_until(&rig, "upstream_refused", 1));
	rig.up_udp = rig_bound(SOCK_DGRAM, &at);
	while (!rig_ready(client, 5))
		rig_serve_now(&rig);
	ck_assert(rig_recv(client, &msg));
	ck_assert_uint_eq(rig_answers(&msg), 1);
}
END_TEST

/* No socket can be had for one upstream: the other answers, and it is tried again, but not in a
 * spin. */
START_TEST(unreachable_upstream_is_no_spin)
{
	uint64_t n, begin_ms;

	testclock_release();
	rig.conf.core.upstreams[1] = rig.conf.core.upstreams[0];
	rig.conf.core.upstreams[0].addr = rig_addr("255.255.255.255", 53);
	rig.conf.core.n_upstreams = 2;
	rig.conf.core.timeout_ms = 200;
	start();
	ask();
	rig_serve(&rig, 1);
	ck_assert(rig_recv(client, &msg));
	ck_assert_uint_eq(rig_answers(&msg), 1);
	begin_ms = rig_now_ms();
	n = rig_stat(&rig, "upstream_refused");
	ck_assert(rig_until(&rig, "upstream_refused", n + 4));
	n = rig_stat(&rig, "upstream_refused") - n;
	ck_assert_uint_ge(rig_now_ms() - begin_ms, (n - 1) * UPSTREAM_SET_RETRY_NS / 2000000);
	ck_assert(rig_idle(200));
}
END_TEST

/*
 * D27: a question that the kernel does not take, for want of room or of a way, leaves some ms
 * later, and counts as nobody's silence.
 */
static const struct {
	int err;
	long n;
} unsent[] = {
	{ ENOBUFS, 1 },
	{ ENOBUFS, 2 },
	{ EAGAIN, 5 },
	{ EPERM, 1 },
	{ EPERM, 3 },
	{ ENETUNREACH, 2 },
};

START_TEST(d27_unsent_question_is_sent_again)
{
	testsend_refuse(true, 0, unsent[_i].n, unsent[_i].err);
	start();
	ask();
	while (!rig_ready(client, 1)) {
		testclock_pass(1000000); /* 1 ms, of the 50 that it is waited for at least */
		rig_serve_now(&rig);     /* a probe, too, where there was no way */
	}
	ck_assert(rig_recv(client, &msg));
	ck_assert_uint_eq(rig_answers(&msg), 1);
	ck_assert_int_eq(testsend_refused(), unsent[_i].n);
	ck_assert_uint_eq(rig_stat(&rig, "upstream_timeouts"), 0);
	ck_assert_uint_eq(rig_stat(&rig, "upstream_unreachable"), 0);
	ck_assert_uint_eq(rig_stat(&rig, "send_again"), (uint64_t)unsent[_i].n / 2);
	ck_assert_uint_eq(rig_stat(&rig, "send_failed"), 0);
}
END_TEST

/* D27: more than a batch has, all at once, and none is lost or waits for a timeout. */
START_TEST(d27_many_unsent_questions)
{
	const unsigned n = 3 * UDP_BATCH + 6;
	unsigned n_ports = 0;

	start();
	exchange(1, 1, &n_ports);
	testsend_refuse(true, 0, 100, ENOBUFS);
	for (unsigned i = 0; i < n; i++)
		ask();
	for (unsigned i = 0; i < n; i++) {
		while (!rig_ready(rig.up_udp, 1))
			testclock_pass(1000000);
		ck_assert(rig_take(&rig, &msg));
		rig_reply(&msg, &msg, 1);
		rig_give(&rig, &msg);
	}
	for (unsigned i = 0; i < n; i++)
		ck_assert(rig_recv(client, &msg));
	ck_assert_int_eq(testsend_refused(), 100);
	ck_assert_uint_eq(rig_stat(&rig, "send_failed"), 0);
}
END_TEST

/* Rule 25, RFC 5452 section 9.1: what comes from elsewhere does not count. */
START_TEST(datagrams_of_strangers_do_not_count)
{
	struct netaddr any = rig_addr("127.0.0.1", 0);
	struct rig other = rig;

	start();
	other.up_udp = rig_bound(SOCK_DGRAM, &any);
	ask();
	ck_assert(rig_take(&rig, &msg));
	rig_reply(&msg, &msg, 1);
	rig_give(&other, &msg);
	ck_assert(!rig_ready(client, RIG_QUIET_MS));
	rig_give(&rig, &msg);
	ck_assert(rig_recv(client, &msg));
	close(other.up_udp);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 300);
	tcase_add_test(tc, questions_leave_by_eight_high_ports);
	tcase_add_test(tc, idle_ports_are_closed);
	tcase_add_test(tc, used_sockets_are_replaced);
	tcase_add_test(tc, d21_guessed_at_each_question_has_a_port);
	tcase_add_test(tc, icmp_refusal_loses_no_answer);
	tcase_add_test(tc, unreachable_upstream_is_no_spin);
	tcase_add_test(tc, datagrams_of_strangers_do_not_count);
	tcase_add_loop_test(
	    tc, d27_unsent_question_is_sent_again, 0, (int)(sizeof(unsent) / sizeof(unsent[0])));
	tcase_add_test(tc, d27_many_unsent_questions);
}
