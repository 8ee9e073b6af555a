/* SPDX-License-Identifier: BSD-2-Clause */
/* One question to a target, over real sockets: what answers, and what does not. RULES D36. */

#include "nat64/probe.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "dns/name.h"
#include "io/evbase.h"
#include "support/tests.h"

/* Under this prefix 0.0.0.1 is ::1. */
#define HERE "::/96"

static struct event_base *base;
static struct rng rng;
static struct probe probe;
static unsigned n_ends;
static const char *why; /* of the end: NULL, it was answered */

static void
set_up(void)
{
	base = evbase_new();
	ck_assert_ptr_nonnull(base);
	rng_init_seeded(&rng, 1);
	n_ends = 0;
	why = "it has not ended";
}

static void
tear_down(void)
{
	event_base_free(base);
}

static void
on_end(struct probe *p, const char *reason)
{
	ck_assert_ptr_eq(p, &probe);
	why = reason;
	n_ends++;
}

/* A socket of TYPE at ::1, to *PORT. */
static int
serve(int type, uint16_t *port)
{
	struct sockaddr_in6 at = { .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	socklen_t len = sizeof(at);
	int fd = socket(AF_INET6, type, 0);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&at, len), 0);
	ck_assert_int_eq(getsockname(fd, (struct sockaddr *)&at, &len), 0);
	*port = ntohs(at.sin6_port);
	return fd;
}

static struct policy_lines_check
check_of(enum policy_lines_check_kind kind, uint16_t port)
{
	struct policy_lines_check c = { .kind = kind, .v4 = { 0, 0, 0, 1 }, .port = port };

	ck_assert_uint_gt(name_from_text("a.test", c.name), 0);
	return c;
}

static void
ask(const struct policy_lines_check *c, const char *text)
{
	struct pref64 prefix;

	ck_assert_int_eq(pref64_parse(text, &prefix), PREF64_OK);
	probe_start(&probe, base, c, &prefix, &rng, on_end);
}

/* Let events come for a while, or until it has ended. */
static void
go_on(void)
{
	for (unsigned i = 0; i < 50 && n_ends == 0; i++) {
		const struct timeval wait = { .tv_usec = 10000 };

		(void)event_base_loopexit(base, &wait);
		(void)event_base_dispatch(base);
	}
}

START_TEST(tcp_is_accepted)
{
	uint16_t port;
	int fd = serve(SOCK_STREAM, &port);
	const struct policy_lines_check c = check_of(POLICY_LINES_TCP, port);
	char byte;

	ck_assert_int_eq(listen(fd, 5), 0);
	ask(&c, HERE);
	go_on();
	ck_assert_uint_eq(n_ends, 1);
	ck_assert_ptr_null(why);
	ck_assert_ptr_null(probe_stop(&probe)); /* it does not run */
	/* Nothing is left of it there. */
	int got = accept(fd, NULL, NULL);
	if (got >= 0) {
		ck_assert_int_le(read(got, &byte, 1), 0);
		close(got);
	}
	close(fd);
}
END_TEST

START_TEST(tcp_is_refused)
{
	uint16_t port;
	int fd = serve(SOCK_STREAM, &port); /* does not listen */
	const struct policy_lines_check c = check_of(POLICY_LINES_TCP, port);

	ask(&c, HERE);
	go_on();
	ck_assert_uint_eq(n_ends, 1);
	ck_assert_str_eq(why, strerror(ECONNREFUSED));
	close(fd);
}
END_TEST

/* It is known at once, before probe_start returns or right after. */
START_TEST(there_is_no_route)
{
	const struct policy_lines_check c = check_of(POLICY_LINES_TCP, 80);

	ask(&c, "2001:db8:64::/96");
	go_on();
	if (n_ends == 0) /* tests may run beside a route */
		ck_assert_ptr_nonnull(probe_stop(&probe));
	else
		ck_assert_ptr_nonnull(why);
}
END_TEST

/* Receive the question at FD, and send it back with its first byte XORed with ID and the octet of
 * flags set to FLAGS, CUT octets shorter. */
static void
reply(int fd, unsigned id, unsigned flags, size_t cut)
{
	struct sockaddr_in6 from;
	socklen_t len = sizeof(from);
	uint8_t bytes[512];
	ssize_t n = recvfrom(fd, bytes, sizeof(bytes), 0, (struct sockaddr *)&from, &len);

	ck_assert_int_eq(n, 12 + 8 + 4);
	bytes[0] = (uint8_t)(bytes[0] ^ id);
	bytes[2] = (uint8_t)flags;
	ck_assert_int_eq(
	    sendto(fd, bytes, (size_t)n - cut, 0, (struct sockaddr *)&from, len), n - (ssize_t)cut);
}

START_TEST(dns_is_answered)
{
	uint16_t port;
	int fd = serve(SOCK_DGRAM, &port);
	const struct policy_lines_check c = check_of(POLICY_LINES_DNS, port);

	ask(&c, HERE);
	reply(fd, 0, 0x81, 0);
	go_on();
	ck_assert_uint_eq(n_ends, 1);
	ck_assert_ptr_null(why);
	close(fd);
}
END_TEST

/* Another ID, no response, half of one: what matters is whether an answer comes, too. */
START_TEST(dns_garbage)
{
	static const struct {
		unsigned id, flags;
		size_t cut;
	} bad[] = { { 1, 0x81, 0 }, { 0, 1, 0 }, { 0, 0x81, 3 }, { 0, 0x81, 23 } };
	uint16_t port;
	int fd = serve(SOCK_DGRAM, &port);
	const struct policy_lines_check c = check_of(POLICY_LINES_DNS, port);

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		ask(&c, HERE);
		reply(fd, bad[i].id, bad[i].flags, bad[i].cut);
		for (unsigned k = 0; k < 200 && !probe.garbage; k++) {
			(void)event_base_loop(base, EVLOOP_NONBLOCK);
			usleep(1000);
		}
		ck_assert_uint_eq(n_ends, 0);
		ck_assert_str_eq(probe_stop(&probe), "what came is no answer");
	}
	close(fd);
}
END_TEST

START_TEST(dns_is_silent)
{
	uint16_t port;
	int fd = serve(SOCK_DGRAM, &port);
	const struct policy_lines_check c = check_of(POLICY_LINES_DNS, port);

	ask(&c, HERE);
	(void)event_base_loop(base, EVLOOP_NONBLOCK);
	ck_assert_uint_eq(n_ends, 0);
	ck_assert_str_eq(probe_stop(&probe), "no answer in time");
	close(fd);
	/* Nobody is there: an ICMP message says so. */
	ask(&c, HERE);
	go_on();
	ck_assert_uint_eq(n_ends, 1);
	ck_assert_str_eq(why, strerror(ECONNREFUSED));
}
END_TEST

/* Where ping_group_range has this group. */
START_TEST(an_echo)
{
	const struct policy_lines_check c = check_of(POLICY_LINES_ICMP, 0);
	int rc = probe_try_icmp();

	ask(&c, HERE);
	go_on();
	ck_assert_uint_eq(n_ends, 1);
	if (rc == 0)
		ck_assert_ptr_null(why);
	else
		ck_assert_str_eq(why, strerror(-rc));
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, tcp_is_accepted);
	tcase_add_test(tc, tcp_is_refused);
	tcase_add_test(tc, there_is_no_route);
	tcase_add_test(tc, dns_is_answered);
	tcase_add_test(tc, dns_garbage);
	tcase_add_test(tc, dns_is_silent);
	tcase_add_test(tc, an_echo);
}
