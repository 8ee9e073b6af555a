/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * port: random, of the upper range, not those to be avoided, and ours alone (RFC 5452 section 9.2).
 */
#include "io/port.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "support/rig.h"
#include "support/tests.h"

#define N 400

static struct conf_io conf;
static struct rng rng;
static struct rig rig;
static uint16_t last;
static struct rig_msg msg;

static void
setup(void)
{
	conf = (struct conf_io){ .n_avoid_ports = 0 };
	last = 0;
	rng_init_seeded(&rng, 7);
	rig_init(&rig);
}

static void
teardown(void)
{
	rig_end(&rig);
}

/*
 * Rule 25: many ports, 1024 and up; connected, so that only the upstream is heard. Incidents:
 * CVE-2021-20322.
 */
START_TEST(ports_are_many_and_high)
{
	static bool seen[65536];
	unsigned n = 0;

	for (unsigned i = 0; i < N; i++) {
		uint16_t before = last, port;
		int fd = port_open(&conf, &rng, &rig.up, &last);
		char name[32];

		ck_assert_int_ge(fd, 0);
		port = rig_local(fd).port;
		ck_assert_uint_eq(port, last);
		ck_assert_uint_ne(port, before);
		ck_assert_uint_ge(port, 1024);
		n += !seen[port];
		seen[port] = true;
		snprintf(name, sizeof(name), "n%u.test", i);
		rig_question(&msg, 1, name, RIG_A);
		rig_send(fd, &msg);
		ck_assert(rig_take(&rig, &msg));
		ck_assert_uint_eq(msg.from.port, port);
		close(fd);
	}
	ck_assert_uint_ge(n, N * 9 / 10);
}
END_TEST

/* Rule 25: the same draw finds another port when the first is to be avoided. */
START_TEST(avoided_port_is_drawn_anew)
{
	int fd = port_open(&conf, &rng, &rig.up, &last);

	ck_assert_int_ge(fd, 0);
	conf.avoid_ports[0] = rig_local(fd).port;
	conf.n_avoid_ports = 1;
	close(fd);
	last = 0;
	rng_init_seeded(&rng, 7);
	fd = port_open(&conf, &rng, &rig.up, &last);
	ck_assert_int_ge(fd, 0);
	ck_assert_uint_ne(rig_local(fd).port, conf.avoid_ports[0]);
	close(fd);
}
END_TEST

/*
 * Rule 25: the same draw finds another port when the first is the one that was used last.
 * Incidents: CVE-2021-3448.
 */
START_TEST(no_port_twice_in_a_row)
{
	int fd = port_open(&conf, &rng, &rig.up, &last);
	uint16_t first = last;

	ck_assert_int_ge(fd, 0);
	ck_assert_uint_eq(first, rig_local(fd).port);
	close(fd);
	rng_init_seeded(&rng, 7);
	fd = port_open(&conf, &rng, &rig.up, &last);
	ck_assert_int_ge(fd, 0);
	ck_assert_uint_ne(rig_local(fd).port, first);
	close(fd);
}
END_TEST

/* The same when somebody else has it. */
START_TEST(taken_port_is_drawn_anew)
{
	int first = port_open(&conf, &rng, &rig.up, &last);
	int second;

	last = 0;
	rng_init_seeded(&rng, 7);
	second = port_open(&conf, &rng, &rig.up, &last);
	ck_assert(first >= 0 && second >= 0);
	ck_assert_uint_ne(rig_local(first).port, rig_local(second).port);
	close(first);
	close(second);
}
END_TEST

/* What cannot be, a broadcast, is an error, and leaves nothing open. Loopback always has a route.
 */
START_TEST(unreachable_upstream_opens_nothing)
{
	const struct netaddr nobody = rig_addr("127.255.255.255", 53);

	ck_assert_int_eq(port_open(&conf, &rng, &nobody, &last), -EACCES);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, ports_are_many_and_high);
	tcase_add_test(tc, avoided_port_is_drawn_anew);
	tcase_add_test(tc, no_port_twice_in_a_row);
	tcase_add_test(tc, taken_port_is_drawn_anew);
	tcase_add_test(tc, unreachable_upstream_opens_nothing);
}
