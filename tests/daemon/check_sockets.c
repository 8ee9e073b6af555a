/* SPDX-License-Identifier: BSD-2-Clause */
/* Listeners for all loops: all or none, and every address that cannot be had is named. */

#include "daemon/sockets.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "support/tests.h"

static struct netaddr
addr(const char *text, uint16_t port)
{
	struct netaddr a;

	ck_assert(netaddr_parse(text, port, &a));
	return a;
}

/* The port that the kernel gave to FD. */
static uint16_t
port_of(int fd)
{
	struct sockaddr_storage ss;
	socklen_t len = sizeof(ss);
	struct netaddr a;

	ck_assert_int_eq(getsockname(fd, (struct sockaddr *)&ss, &len), 0);
	ck_assert(netaddr_from_sockaddr((const struct sockaddr *)&ss, &a));
	return a.port;
}

/* A free port of loopback, by asking for any. */
static uint16_t
free_port(void)
{
	struct netaddr any = addr("127.0.0.1", 0);
	struct bind_sockets s;
	uint16_t port;

	ck_assert_int_eq(bind_open(&any, 0, &s), 0);
	port = port_of(s.udp);
	bind_close(&s);
	return port;
}

START_TEST(every_loop_has_every_address)
{
	struct netaddr addrs[2] = { addr("127.0.0.1", free_port()),
		addr("127.0.0.2", free_port()) };
	struct sockets_wanted w = { .addrs = addrs, .n = 2, .n_loops = 3 };
	struct bind_sockets *all;

	ck_assert(sockets_open(&w, LOG_SERVER, &all));
	for (size_t i = 0; i < 6; i++) {
		ck_assert(netaddr_equal(&all[i].addr, &addrs[i % 2]));
		ck_assert_uint_eq(port_of(all[i].udp), addrs[i % 2].port);
		ck_assert_uint_eq(port_of(all[i].tcp), addrs[i % 2].port);
	}
	sockets_close(all, 6);
}
END_TEST

START_TEST(no_addresses_need_no_sockets)
{
	struct sockets_wanted w = { .n_loops = 3 };
	struct bind_sockets *all;

	ck_assert(sockets_open(&w, LOG_SERVER, &all));
	ck_assert_ptr_null(all);
	sockets_close(all, 0);
}
END_TEST

/* A second daemon gets an error, not half the questions. */
START_TEST(address_in_use_is_an_error)
{
	struct netaddr addrs[2] = { addr("127.0.0.2", free_port()),
		addr("127.0.0.1", free_port()) };
	struct sockets_wanted w = { .addrs = addrs, .n = 2, .n_loops = 1 };
	struct bind_sockets other, *all;

	ck_assert_int_eq(bind_open(&addrs[1], 0, &other), 0);
	ck_assert(!sockets_open(&w, LOG_SERVER, &all));
	ck_assert_ptr_null(all);
	/* Nothing was left open. */
	ck_assert_int_eq(bind_probe(&addrs[0]), 0);
	bind_close(&other);
	ck_assert(sockets_open(&w, LOG_SERVER, &all));
	sockets_close(all, 2);
}
END_TEST

/* On a reload our own wildcard is not another program. */
START_TEST(own_wildcard_is_no_conflict)
{
	uint16_t port = free_port();
	struct netaddr wildcard = addr("0.0.0.0", port), one = addr("127.0.0.1", port);
	struct sockets_wanted w = {
		.addrs = &one, .n = 1, .held = &wildcard, .n_held = 1, .n_loops = 1
	};
	struct bind_sockets held, *all;

	ck_assert_int_eq(bind_open(&wildcard, 0, &held), 0);
	ck_assert(sockets_open(&w, LOG_SERVER, &all));
	sockets_close(all, 1);
	bind_close(&held);
}
END_TEST

/* One that is not there is nobody's to wait for here; with freebind it is open at once. */
START_TEST(address_that_may_come_is_served_later)
{
	struct netaddr addrs[2] = { addr("127.0.0.1", free_port()), addr("192.0.2.1", 5353) };
	struct sockets_wanted w = { .addrs = addrs, .n = 2, .n_loops = 2 };
	struct bind_sockets *all;

	ck_assert(!sockets_open(&w, LOG_SERVER, &all));
	w.freebind = true;
	ck_assert(sockets_open(&w, LOG_SERVER, &all));
	sockets_close(all, 4);
}
END_TEST

START_TEST(default_addresses_that_are_missing)
{
	static struct settings s;

	s.conf.io.listens[0] = addr("192.0.2.1", free_port()); /* of no machine */
	s.conf.io.listens[1] = addr("127.0.0.1", free_port());
	s.conf.io.n_listens = 2;
	sockets_drop_missing(&s);
	ck_assert_uint_eq(s.conf.io.n_listens, 2);
	s.listens_by_default = true;
	sockets_drop_missing(&s);
	ck_assert_uint_eq(s.conf.io.n_listens, 1);
	ck_assert_uint_eq(s.conf.io.listens[0].addr[0], 127);
	ck_assert_uint_eq(s.listens.n_fixed, 1); /* nor are they waited for */
}
END_TEST

void
tests_add(TCase *tc)
{
	log_open(LOG_SINK_NONE);
	tcase_add_test(tc, every_loop_has_every_address);
	tcase_add_test(tc, no_addresses_need_no_sockets);
	tcase_add_test(tc, address_in_use_is_an_error);
	tcase_add_test(tc, own_wildcard_is_no_conflict);
	tcase_add_test(tc, address_that_may_come_is_served_later);
	tcase_add_test(tc, default_addresses_that_are_missing);
}
