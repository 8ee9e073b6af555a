/* SPDX-License-Identifier: BSD-2-Clause */
/* The sockets of web-listen. */

#include "daemon/websock.h"

#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include "base/log.h"
#include "support/heard.h"
#include "support/tests.h"

static struct settings settings;
static struct websock w;

static void
setup(void)
{
	memset(&settings, 0, sizeof(settings));
	memset(&w, 0, sizeof(w));
	ck_assert(netaddr_parse("127.0.0.1", 0, &settings.web.addr[0]));
	settings.web.n = 1;
	heard_start(LOG_LEVEL_ERROR);
}

static void
teardown(void)
{
	heard_end();
}

START_TEST(they_listen)
{
	int on = 0;
	socklen_t len = sizeof(on);

	ck_assert(websock_open(&w, &settings));
	ck_assert_uint_eq(w.n, 1);
	ck_assert_int_eq(getsockopt(w.fd[0], SOL_SOCKET, SO_ACCEPTCONN, &on, &len), 0);
	ck_assert_int_eq(on, 1);
	ck_assert(w.has_memory);
	websock_close(&w);
	ck_assert_uint_eq(w.n, 0);
	ck_assert(!w.has_memory);
	websock_close(&w);
}
END_TEST

START_TEST(none_without_all)
{
	struct sockaddr_in a;
	socklen_t len = sizeof(a);
	struct websock second;

	ck_assert(websock_open(&w, &settings));
	ck_assert_int_eq(getsockname(w.fd[0], (struct sockaddr *)&a, &len), 0);
	ck_assert(netaddr_parse("127.0.0.1", ntohs(a.sin_port), &settings.web.addr[1]));
	settings.web.n = 2;
	ck_assert(!websock_open(&second, &settings));
	ck_assert_uint_eq(second.n, 0);
	ck_assert_uint_eq(heard("error server: web-listen 127.0.0.1#"), 1);
	websock_close(&w);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, they_listen);
	tcase_add_test(tc, none_without_all);
}
