/* SPDX-License-Identifier: BSD-2-Clause */
/* listen: groups of sockets, and who else has the port. */
#include "io/bind.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <unistd.h>

#include "support/rig.h"
#include "support/tests.h"

static const char *const addrs[] = { "127.0.0.1", "::1", "0.0.0.0", "::" };

#define N_ADDRS ((int)(sizeof(addrs) / sizeof(addrs[0])))

static int
option(int fd, int level, int name)
{
	int value = -1;
	socklen_t len = sizeof(value);

	ck_assert_int_eq(getsockopt(fd, level, name, &value, &len), 0);
	return value;
}

static struct bind_sockets
opened(const char *text, uint16_t port)
{
	struct netaddr addr = rig_addr(text, port);
	struct bind_sockets s;

	ck_assert_int_eq(bind_open(&addr, 0, &s), 0);
	return s;
}

/* A port that the kernel chooses is nobody else's, though sockets may share one. */
START_TEST(chosen_ports_are_not_shared)
{
	enum { N = 450 }; /* of 28,000 ports: three or four would be chosen twice */
	static struct bind_sockets s[N];
	static bool seen[UINT16_MAX + 1];

	for (unsigned i = 0; i < N; i++) {
		s[i] = opened("127.0.0.1", 0);
		ck_assert_msg(!seen[s[i].addr.port], "port %u twice", s[i].addr.port);
		seen[s[i].addr.port] = true;
	}
	for (unsigned i = 0; i < N; i++)
		bind_close(&s[i]);
}
END_TEST

/* One port for both, told when it was 0; non-blocking; PKTINFO on a wildcard only. */
START_TEST(sockets_have_their_options)
{
	struct bind_sockets s = opened(addrs[_i], 0);
	bool v6 = s.addr.family == NETADDR_IPV6;
	int info = v6 ? option(s.udp, IPPROTO_IPV6, IPV6_RECVPKTINFO)
		      : option(s.udp, IPPROTO_IP, IP_PKTINFO);

	ck_assert_uint_ne(s.addr.port, 0);
	ck_assert_uint_eq(rig_local(s.udp).port, s.addr.port);
	ck_assert_uint_eq(rig_local(s.tcp).port, s.addr.port);
	ck_assert_int_ne(fcntl(s.udp, F_GETFL) & O_NONBLOCK, 0);
	ck_assert_int_ne(fcntl(s.tcp, F_GETFL) & O_NONBLOCK, 0);
	ck_assert_int_eq(option(s.udp, SOL_SOCKET, SO_RXQ_OVFL), 1);
	ck_assert_int_eq(option(s.udp, SOL_SOCKET, SO_REUSEPORT), 1);
	ck_assert_int_eq(option(s.tcp, SOL_SOCKET, SO_REUSEPORT), 1);
	ck_assert_int_ne(option(s.tcp, IPPROTO_TCP, TCP_NODELAY), 0);
	ck_assert_int_eq(info, netaddr_is_wildcard(&s.addr));
	if (v6)
		ck_assert_int_eq(option(s.udp, IPPROTO_IPV6, IPV6_V6ONLY), 1);
	bind_close(&s);
}
END_TEST

/* Every loop has its own sockets of one group. */
START_TEST(loops_share_a_port_by_group)
{
	struct bind_sockets a = opened(addrs[_i], 0);
	struct bind_sockets b;

	ck_assert_int_eq(bind_open(&a.addr, 0, &b), 0);
	ck_assert(netaddr_equal(&a.addr, &b.addr));
	bind_close(&a);
	bind_close(&b);
}
END_TEST

/* A second daemon gets an error, not half the questions. */
START_TEST(address_in_use_is_an_error)
{
	struct bind_sockets s = opened(addrs[_i], 0);
	struct netaddr at = s.addr;

	ck_assert_int_eq(bind_probe(&at), -EADDRINUSE);
	bind_close(&s);
	ck_assert_int_eq(bind_probe(&at), 0);
	ck_assert_int_eq(bind_probe(&at), 0);
}
END_TEST

/* What bind_open finds when somebody had a port for TYPE only, and has let it go. */
static int
open_after(int type)
{
	struct netaddr any = rig_addr("127.0.0.1", 0);
	int fd = rig_bound(type, &any), rc;
	struct netaddr at = rig_local(fd);
	struct bind_sockets s = { .udp = -2, .tcp = -2 };

	ck_assert_int_eq(bind_probe(&at), -EADDRINUSE);
	ck_assert_int_eq(bind_open(&at, 0, &s), -EADDRINUSE);
	ck_assert_int_eq(s.udp, -2);
	close(fd);
	rc = bind_open(&at, 0, &s);
	if (rc == 0)
		bind_close(&s);
	return rc;
}

/* Another program, which gets the port in between, is no fault: then by another one. */
START_TEST(port_taken_for_one_protocol_is_an_error)
{
	int type = _i == 0 ? SOCK_DGRAM : SOCK_STREAM, rc = -EADDRINUSE;

	for (int tries = 0; rc == -EADDRINUSE && tries < 5; tries++)
		rc = open_after(type);
	ck_assert_int_eq(rc, 0);
}
END_TEST

START_TEST(foreign_address_is_an_error)
{
	struct netaddr addr = rig_addr("192.0.2.1", 5353);
	struct bind_sockets s;

	ck_assert_int_eq(bind_probe(&addr), -EADDRNOTAVAIL);
	ck_assert_int_eq(bind_open(&addr, 0, &s), -EADDRNOTAVAIL);
}
END_TEST

static const char *const absent[] = { "192.0.2.1", "2001:db8::77" };

/* An address that may come later; that somebody serves there already is an error still. */
START_TEST(address_that_may_come_can_be_bound)
{
	struct netaddr addr = rig_addr(absent[_i], 0);
	struct bind_sockets s, again;

	ck_assert_int_eq(bind_probe(&addr), -EADDRNOTAVAIL);
	ck_assert_int_eq(bind_probe_free(&addr), 0);
	ck_assert_int_eq(bind_open_free(&addr, 0, &s), 0);
	ck_assert_uint_eq(rig_local(s.tcp).port, s.addr.port);
	ck_assert_int_eq(bind_probe_free(&s.addr), -EADDRINUSE);
	ck_assert_int_eq(bind_open_free(&s.addr, 0, &again), 0);
	bind_close(&again);
	bind_close(&s);
}
END_TEST

START_TEST(socket_buffer_is_as_asked)
{
	struct netaddr addr = rig_addr("127.0.0.1", 0);
	struct bind_sockets s;

	ck_assert_int_eq(bind_open(&addr, 20000, &s), 0);
	ck_assert_int_eq(option(s.udp, SOL_SOCKET, SO_RCVBUF), 40000);
	bind_close(&s);
}
END_TEST

START_TEST(closing_twice_closes_nothing_else)
{
	struct bind_sockets s = opened("127.0.0.1", 0);
	int fd;

	bind_close(&s);
	fd = dup(0);
	bind_close(&s);
	ck_assert_int_eq(s.udp, -1);
	ck_assert_int_eq(s.tcp, -1);
	ck_assert_int_ge(fcntl(fd, F_GETFD), 0);
	close(fd);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_test(tc, chosen_ports_are_not_shared);
	tcase_add_loop_test(tc, sockets_have_their_options, 0, N_ADDRS);
	tcase_add_loop_test(tc, loops_share_a_port_by_group, 0, N_ADDRS);
	tcase_add_loop_test(tc, address_in_use_is_an_error, 0, N_ADDRS);
	tcase_add_loop_test(tc, port_taken_for_one_protocol_is_an_error, 0, 2);
	tcase_add_test(tc, foreign_address_is_an_error);
	tcase_add_loop_test(tc, address_that_may_come_can_be_bound, 0, 2);
	tcase_add_test(tc, socket_buffer_is_as_asked);
	tcase_add_test(tc, closing_twice_closes_nothing_else);
}
