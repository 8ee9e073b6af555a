/* SPDX-License-Identifier: BSD-2-Clause */
/* listener: what clients may do to the sockets, and what the machine may lack. */
#include "io/listener.h"

#include <pthread.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "support/heard.h"
#include "support/rig.h"
#include "support/testclock.h"
#include "support/tests.h"
#include "support/testsend.h"

static struct rig rig;
static struct rig_msg msg;

static void
setup(void)
{
	rig_init(&rig);
}

static void
teardown(void)
{
	rig_end(&rig);
	testclock_reset();
}

/* The answer comes from the address that was asked, on wildcard sockets too. */
static const char *const asked[] = { "127.0.0.1", "127.9.9.9", "::1" };

START_TEST(answer_comes_from_the_asked_address)
{
	struct netaddr at;
	int fd;

	rig.listen[0] = "0.0.0.0";
	rig.listen[1] = "::";
	rig_start(&rig);
	at = rig_addr(asked[_i], 0);
	at.port = rig.at[at.family == NETADDR_IPV6].port;
	fd = rig_connect(SOCK_DGRAM, &at);
	rig_question(&msg, 1, "a.test", RIG_AAAA);
	rig_send(fd, &msg);
	rig_serve(&rig, 2);
	ck_assert(rig_recv(fd, &msg));
	ck_assert_uint_eq(rig_answers(&msg), 1);
	close(fd);
}
END_TEST

/* Larger than a slot: counted and dropped, and those after it are served. */
START_TEST(oversized_datagram_is_dropped_alone)
{
	int fd;

	rig_start(&rig);
	fd = rig_connect(SOCK_DGRAM, &rig.at[0]);
	rig_question(&msg, 1, "a.test", RIG_AAAA);
	msg.len = 5000;
	rig_send(fd, &msg);
	msg.len = 5;
	rig_send(fd, &msg);
	rig_question(&msg, 2, "a.test", RIG_AAAA);
	rig_send(fd, &msg);
	rig_serve(&rig, 2);
	ck_assert(rig_recv(fd, &msg));
	ck_assert_uint_eq(rig_id(&msg), 2);
	ck_assert_uint_eq(rig_stat(&rig, "client_truncated"), 1);
	ck_assert_uint_eq(loop_stats(rig.loop)->reasons[REASON_DROP_LARGE][0][0], 1);
	ck_assert_uint_eq(rig_stat(&rig, "client_short"), 1);
	close(fd);
}
END_TEST

/*
 * Out of descriptors: UDP goes on, nothing spins, and connections are taken when there are some.
 */
START_TEST(out_of_descriptors)
{
	struct rlimit old, tight;
	int udp, tcp;

	testclock_hold(); /* no socket to the upstream gets too old to be used */
	rig_start(&rig);
	udp = rig_connect(SOCK_DGRAM, &rig.at[0]);
	rig_question(&msg, 1, "a.test", RIG_AAAA);
	rig_send(udp, &msg);
	rig_serve(&rig, 2);
	ck_assert(rig_recv(udp, &msg));
	tcp = rig_connect(SOCK_STREAM, &rig.at[1]);
	ck_assert(rig_until(&rig, "tcp_accepted", 1));
	close(tcp);
	tcp = socket(rig.at[1].family == NETADDR_IPV6 ? AF_INET6 : AF_INET, SOCK_STREAM, 0);
	ck_assert_int_ge(tcp, 0);
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &old), 0);
	tight = old;
	tight.rlim_cur = 3;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &tight), 0);
	{
		struct sockaddr_storage ss;
		socklen_t len = netaddr_to_sockaddr(&rig.at[1], &ss);

		ck_assert_int_eq(connect(tcp, (struct sockaddr *)&ss, len), 0);
	}
	ck_assert(rig_idle(300));
	ck_assert_uint_eq(rig_stat(&rig, "tcp_accepted"), 1);
	rig_question(&msg, 2, "b.test", RIG_AAAA);
	rig_send(udp, &msg);
	rig_serve(&rig, 2);
	ck_assert(rig_recv(udp, &msg));
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &old), 0);
	testclock_release();
	close(tcp);
	tcp = rig_connect(SOCK_STREAM, &rig.at[1]);
	ck_assert(rig_until(&rig, "tcp_accepted", 2));
	rig_question(&msg, 3, "c.test", RIG_AAAA);
	rig_put(tcp, &msg);
	rig_serve(&rig, 2);
	ck_assert(rig_get(tcp, &msg));
	close(tcp);
	close(udp);
}
END_TEST

/* The socket of TYPE that the loop, in this process, serves at ADDR. */
static int
serving(const struct netaddr *addr, int type)
{
	for (int fd = 3; fd < 1024; fd++) {
		int is = 0, accepts = 0;
		socklen_t len = sizeof(int);

		if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &is, &len) == 0 && is == type &&
		    getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &accepts, &len) == 0 &&
		    accepts == (type == SOCK_STREAM) && rig_local(fd).port == addr->port)
			return fd;
	}
	ck_abort_msg("nobody serves");
	return -1;
}

/* Accepting fails for good, whatever the reason: nothing spins, and it is said once. */
START_TEST(failing_accept_does_not_spin)
{
	static const char *const line = "cannot accept connections: Invalid argument";

	heard_start(LOG_LEVEL_NOTICE);
	rig_start(&rig);
	ck_assert_int_eq(shutdown(serving(&rig.at[0], SOCK_STREAM), SHUT_RD), 0);
	for (int i = 0; i < RIG_WAIT_MS && heard(line) == 0; i++)
		rig_pause(1);
	ck_assert(rig_idle(300));
	ck_assert_uint_eq(heard(line), 1);
	heard_end();
}
END_TEST

/* What the kernel drops as the receive buffer is full is counted. */
START_TEST(drops_of_the_kernel_are_counted)
{
	const int least = 1;
	int fd;

	rig_start(&rig);
	ck_assert_int_eq(setsockopt(serving(&rig.at[0], SOCK_DGRAM), SOL_SOCKET, SO_RCVBUF, &least,
			     sizeof(least)),
	    0);
	fd = rig_connect(SOCK_DGRAM, &rig.at[0]);
	for (uint16_t i = 0; i < 2000; i++) {
		rig_question(&msg, i,
		    (char[]){
			(char)('a' + i % 26), (char)('a' + i / 26 % 26), (char)('a' + i / 676), 0 },
		    RIG_A);
		rig_send(fd, &msg);
	}
	/* It says so with a datagram that came after them. */
	for (unsigned i = 0; i < 5000 && rig_stat(&rig, "socket_drops") == 0; i++) {
		if (rig_ready(rig.up_udp, RIG_QUIET_MS)) {
			rig_serve_now(&rig);
			continue;
		}
		rig_question(&msg, 1, "a.test", RIG_A);
		rig_send(fd, &msg);
	}
	ck_assert_uint_gt(rig_stat(&rig, "socket_drops"), 0);
	ck_assert_uint_eq(rig_stat(&rig, "client_dropped"), 0);
	close(fd);
}
END_TEST

static void *
run(void *loop)
{
	loop_run(loop);
	return NULL;
}

/*
 * A loop with a held clock, and N questions, which it can answer, in the queue of its socket with a
 * buffer of BUFFER bytes (0: the usual). They came by *FD.
 */
static struct loop *
loop_behind(unsigned n, uint32_t buffer, int *fd)
{
	const struct netaddr here = { .family = NETADDR_IPV4, .addr = { 127, 0, 0, 1 } };
	struct bind_sockets at;
	struct snapshot *s;
	struct loop *loop;

	ck_assert_int_eq(bind_open(&here, buffer, &at), 0);
	rig_stamped(at.udp, &at.addr);
	rig.conf.io.listens[0] = at.addr;
	rig.conf.io.n_listens = 1;
	s = snapshot_new(&rig.conf);
	ck_assert_ptr_nonnull(s);
	testclock_hold();
	loop = loop_new(s, &at, 1);
	ck_assert_ptr_nonnull(loop);
	snapshot_unref(s);
	*fd = rig_connect(SOCK_DGRAM, &at.addr);
	for (uint16_t i = 0; i < n; i++) {
		rig_question(&msg, i, "localhost", RIG_AAAA); /* known here */
		rig_send(*fd, &msg);
	}
	return loop;
}

/*
 * D32: what waited in the socket's queue for longer than its client waits is dropped unread, and
 * counted; who asks then is answered at once. The loop stands still while they come, as its clock
 * is set ahead before it sees them: the kernel does not know of that.
 */
START_TEST(d32_late_questions_are_dropped)
{
	const unsigned n = 3 * UDP_BATCH;
	struct loop *loop;
	pthread_t thread;
	int fd;

	loop = loop_behind(n, 0, &fd);
	if (_i == 1)
		testclock_set_wall(20 * (int64_t)NS_PER_SEC);
	else
		testclock_pass(20 * NS_PER_SEC); /* of which the machine may have taken some */
	ck_assert_int_eq(pthread_create(&thread, NULL, run, loop), 0);
	rig.loop = loop;
	if (_i == 0)
		ck_assert(rig_until(&rig, "client_late", n));
	rig_question(&msg, 7000, "localhost", RIG_AAAA);
	rig_send(fd, &msg);
	if (_i == 0) {
		ck_assert(rig_recv(fd, &msg));
		ck_assert_uint_eq(rig_id(&msg), 7000);
		ck_assert_uint_eq(rig_stat(&rig, "client_late"), n);
		ck_assert_uint_eq(loop_stats(loop)->reasons[REASON_DROP_LATE][0][0], n);
		ck_assert_uint_eq(rig_stat(&rig, "client_udp"), 1);
	} else { /* by a clock that is set nobody is late */
		for (unsigned i = 0; i < n; i++)
			ck_assert(rig_recv(fd, &msg));
		ck_assert(rig_recv(fd, &msg));
		ck_assert_uint_eq(rig_id(&msg), 7000);
		ck_assert_uint_eq(rig_stat(&rig, "client_late"), 0);
	}
	loop_stop(loop, 1000);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	rig.loop = NULL;
	loop_free(loop);
	close(fd);
}
END_TEST

/* While a socket is full four batches of it are read before the answers leave, all at once. */
START_TEST(full_socket_is_read_on)
{
	const unsigned n = 4 * UDP_BATCH + 8;
	struct loop *loop;
	pthread_t thread;
	int fd;

	loop = loop_behind(n, 1 << 20, &fd);
	testsend_reset();
	ck_assert_int_eq(pthread_create(&thread, NULL, run, loop), 0);
	rig.loop = loop;
	for (uint16_t i = 0; i < n; i++) {
		ck_assert(rig_recv(fd, &msg));
		ck_assert_uint_eq(rig_id(&msg), i);
	}
	ck_assert_int_eq(testsend_calls(), 2);
	loop_stop(loop, 1000);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	rig.loop = NULL;
	loop_free(loop);
	close(fd);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 300);
	tcase_add_loop_test(tc, answer_comes_from_the_asked_address, 0, 3);
	tcase_add_test(tc, oversized_datagram_is_dropped_alone);
	tcase_add_test(tc, out_of_descriptors);
	tcase_add_test(tc, failing_accept_does_not_spin);
	tcase_add_test(tc, drops_of_the_kernel_are_counted);
	tcase_add_loop_test(tc, d32_late_questions_are_dropped, 0, 2);
	tcase_add_test(tc, full_socket_is_read_on);
}
