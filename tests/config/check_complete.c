/* SPDX-License-Identifier: BSD-2-Clause */
/* What only the whole configuration and the machine can tell: ports, system nameservers, loops. */

#include "config/complete.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "support/said.h"
#include "support/scratch.h"
#include "support/tests.h"

static struct said said;
static struct settings settings;
static char resolv_conf[SCRATCH_PATH];

static void
make(void)
{
	close(scratch_file(resolv_conf));
}

static void
unmake(void)
{
	unlink(resolv_conf);
}

static void
set_resolv_conf(const char *text)
{
	FILE *f = fopen(resolv_conf, "w");

	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	fclose(f);
}

static void
complete(const char *text)
{
	said_nothing(&said, text, &settings);
	complete_settings(&settings, resolv_conf, &said.diag);
}

START_TEST(ports_of_listens)
{
	char text[NETADDR_TEXT];

	complete("nameserver 192.0.2.1\nlisten 192.0.2.2\nlisten 192.0.2.2 port 5353\nport 5300\n");
	ck_assert_str_eq(said.text, "");
	ck_assert_str_eq(netaddr_format(&settings.conf.io.listens[0], text), "192.0.2.2#5300");
	ck_assert_str_eq(netaddr_format(&settings.conf.io.listens[1], text), "192.0.2.2#5353");
}
END_TEST

/* D36: a round of prefix-check ends before the next one. */
START_TEST(rounds_of_prefix_check)
{
	complete("nameserver 192.0.2.1\nlisten 192.0.2.2\nprefix-check-interval 0.5\n"
		 "prefix-check-timeout 0.5\n");
	ck_assert_str_eq(said.text, "");
	complete("nameserver 192.0.2.1\nlisten 192.0.2.2\nprefix-check-interval 0.5\n"
		 "prefix-check-timeout 0.6\n");
	ck_assert_str_eq(said.text,
	    "error t.conf:4: prefix-check-timeout: 0.6 s are longer than prefix-check-interval, "
	    "0.5 s; allowed is that at most\n");
	complete("nameserver 192.0.2.1\nlisten 192.0.2.2\nprefix-check-interval 0.5\n");
	ck_assert_str_eq(said.text,
	    "error t.conf:3: prefix-check-timeout: 1 s are longer than prefix-check-interval, 0.5 "
	    "s; allowed is that at most\n");
}
END_TEST

START_TEST(same_listen_twice_is_refused)
{
	complete("nameserver 192.0.2.1\nlisten 192.0.2.2\n\nlisten 192.0.2.2 port 53\n");
	ck_assert_str_eq(said.text, "error t.conf:4: listen: 192.0.2.2#53 is at line 2 already\n");
}
END_TEST

/* D23: no listen line is loopback, and the line to add is named. */
START_TEST(without_listen_line_it_is_loopback)
{
	complete("nameserver 192.0.2.1\n");
	ck_assert_str_eq(said.text,
	    "notice t.conf: listen: no such line, so only this machine is served; "
	    "to serve a network add one with an address of this machine, or \"listen ::\" for all "
	    "its "
	    "IPv6 addresses\n");
	ck_assert_uint_eq(settings.conf.io.listens[1].port, 53);
}
END_TEST

START_TEST(missing_nameserver_is_an_error)
{
	char expected[DIAG_TEXT];

	complete("listen ::1\n");
	snprintf(expected, sizeof(expected),
	    "error t.conf: nameserver: there is none to ask; add a line "
	    "such as \"nameserver 2001:db8::53\", or \"nameserver defaults\" for those of %s\n",
	    resolv_conf);
	ck_assert_str_eq(said.text, expected);
}
END_TEST

/* All at once: this one too beside others, but not when the line is there and wrong. */
START_TEST(no_nameserver_beside_other_errors)
{
	said_parse(&said, "listen ::1\nport 0\n", &settings);
	complete_settings(&settings, resolv_conf, &said.diag);
	ck_assert_uint_eq(said.n_errors, 2);
	said_parse(&said, "listen ::1\nnameserver x\n", &settings);
	complete_settings(&settings, resolv_conf, &said.diag);
	ck_assert_uint_eq(said.n_errors, 1);
}
END_TEST

START_TEST(own_address_as_nameserver_is_refused)
{
	complete("listen ::1\nnameserver ::1\nnameserver 192.0.2.1\n");
	ck_assert_str_eq(said.text,
	    "error t.conf:2: nameserver: ::1#53 is served by this daemon (listen "
	    "::1#53): it would ask itself; name another resolver, or another address or port to "
	    "listen "
	    "on\n");
	complete("listen 0.0.0.0 port 5300\nnameserver 127.0.0.53 port 5300\n");
	ck_assert_uint_eq(said.n_errors, 1);
	/* Loopback by default. */
	complete("nameserver 127.0.0.1\n");
	ck_assert_uint_eq(said.n_errors, 1);
	/* Another port is another server. */
	complete("listen ::1\nnameserver ::1 port 5353\n");
	ck_assert_str_eq(said.text, "");
}
END_TEST

START_TEST(system_nameservers_leave_out_our_own)
{
	char text[NETADDR_TEXT], expected[DIAG_TEXT];

	set_resolv_conf("nameserver 127.0.0.1\nnameserver 192.0.2.1\nnameserver 192.0.2.1\n");
	complete("listen 127.0.0.1\nnameserver defaults\nnameserver 192.0.2.9\n");
	snprintf(expected, sizeof(expected),
	    "notice t.conf: nameserver: defaults: 127.0.0.1#53 of %s is this "
	    "daemon itself and left out\n",
	    resolv_conf);
	ck_assert_str_eq(said.text, expected);
	ck_assert_uint_eq(settings.conf.core.n_upstreams, 2);
	ck_assert_str_eq(
	    netaddr_format(&settings.conf.core.upstreams[0].addr, text), "192.0.2.9#53");
	ck_assert_str_eq(
	    netaddr_format(&settings.conf.core.upstreams[1].addr, text), "192.0.2.1#53");
}
END_TEST

/* What no line could say is passed over here. */
START_TEST(system_nameservers_that_cannot_be_asked)
{
	set_resolv_conf("nameserver fe80::1\nnameserver 0.0.0.0\nnameserver 192.0.2.1\n");
	complete("listen 127.0.0.1\nnameserver defaults\n");
	ck_assert_uint_eq(said.n_errors, 0);
	ck_assert_ptr_nonnull(strstr(said.text, "defaults: fe80::1#53 of "));
	ck_assert_ptr_nonnull(strstr(said.text, "defaults: 0.0.0.0#53 of "));
	ck_assert_uint_eq(settings.conf.core.n_upstreams, 1);
}
END_TEST

START_TEST(no_system_nameservers)
{
	set_resolv_conf("nameserver 127.0.0.1\n");
	complete("listen 127.0.0.1\nnameserver defaults\n");
	ck_assert_uint_eq(said.n_errors, 1);
	ck_assert_ptr_nonnull(strstr(said.text, "names no nameserver that could be asked"));
	unlink(resolv_conf);
	complete("listen 127.0.0.1\nnameserver defaults\n");
	ck_assert_uint_eq(said.n_errors, 1);
	ck_assert_ptr_nonnull(strstr(said.text, "cannot be read: No such file or directory"));
}
END_TEST

/* A link-local address without its interface has no way out, on any machine. */
START_TEST(link_local_without_interface_is_refused)
{
	complete("listen ::1\nnameserver fe80::1%lo\nnameserver 127.0.0.1\n");
	ck_assert_str_eq(said.text, "");
	settings.conf.core.upstreams[0].addr.scope = 0; /* as its interface went away */
	complete_reach(&settings, &said.diag);
	ck_assert_uint_eq(said.n_warnings, 1);
	ck_assert_ptr_nonnull(
	    strstr(said.text, "warning t.conf:2: nameserver: fe80::1#53 cannot be reached now: "));
	ck_assert_uint_eq(said.n_errors, 0);
}
END_TEST

/* Rule 35: a drawn secret outlives a reload, a configured one does not turn into a drawn one. */
START_TEST(rule35_cookie_secret)
{
	static struct settings now, next;
	static const uint8_t none[CONF_SECRET_LEN];

	memset(&now, 0, sizeof(now));
	memset(&next, 0, sizeof(next));
	complete_cookies(&now, NULL);
	ck_assert_mem_ne(now.conf.core.cookies.secrets[0], none, CONF_SECRET_LEN);
	ck_assert_uint_gt(now.conf.core.unix_s, 0);
	complete_cookies(&next, &now);
	ck_assert_mem_eq(
	    next.conf.core.cookies.secrets[0], now.conf.core.cookies.secrets[0], CONF_SECRET_LEN);
	now.conf.core.cookies.n_secrets = 1;
	complete_cookies(&next, &now);
	ck_assert_mem_ne(
	    next.conf.core.cookies.secrets[0], now.conf.core.cookies.secrets[0], CONF_SECRET_LEN);
	next = now;
	complete_cookies(&next, &now);
	ck_assert_mem_eq(
	    next.conf.core.cookies.secrets[0], now.conf.core.cookies.secrets[0], CONF_SECRET_LEN);
}
END_TEST

#define HEALTH "nameserver 192.0.2.1\nlisten 192.0.2.2\nhealth-name "
#define WARNED "warning t.conf:3: health-name: "

/* Names that hosts ask for are no health-name. */
START_TEST(health_name_of_others)
{
	static const char *const claimed[] = { "ipv4only.arpa", "a.IPV4only.arpa",
		"170.0.0.192.in-addr.arpa", "resolver.arpa", "localhost", "a.localhost" };
	char text[256];

	for (size_t i = 0; i < sizeof(claimed) / sizeof(claimed[0]); i++) {
		snprintf(text, sizeof(text), HEALTH "%s\n", claimed[i]);
		said_parse(&said, text, &settings);
		ck_assert_uint_eq(said.n_errors, 1);
		ck_assert_ptr_nonnull(strstr(said.text, "error t.conf:3: health-name: '"));
	}
	said_parse(&said, HEALTH ".\n", &settings);
	ck_assert_uint_eq(said.n_errors, 1);
	said_parse(&said, HEALTH "a..b\n", &settings);
	ck_assert_uint_eq(said.n_errors, 1);
	complete(HEALTH "health.invalid\nnever-synthesize invalid\n");
	ck_assert_str_eq(said.text, "");
	complete(HEALTH "1.10.in-addr.arpa\nlocal-zones yes\n");
	ck_assert_str_eq(said.text,
	    WARNED "is a reverse name: clients that ask for it do not get that of a host\n");
	complete(HEALTH "8.ip6.arpa\n");
	ck_assert_int_eq(strncmp(said.text, WARNED, strlen(WARNED)), 0);
	complete(HEALTH "www.example\nweb-name a.example WWW.example\n");
	ck_assert_str_eq(said.text, WARNED "is a web-name: whoever asks for it gets no address\n");
	complete(HEALTH "www.example\nclient 10.0.0.0/8 {\nignore-aaaa WWW.example\n}\n");
	ck_assert_str_eq(said.text,
	    WARNED "is a zone at line 5, for which clients ask: none of them gets its records\n");
	complete(HEALTH "www.example\nreverse local www.example\n");
	ck_assert_str_eq(said.text,
	    WARNED "is a name that \"reverse local\" gives: nobody gets its addresses\n");
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, make, unmake);
	tcase_add_test(tc, ports_of_listens);
	tcase_add_test(tc, rounds_of_prefix_check);
	tcase_add_test(tc, same_listen_twice_is_refused);
	tcase_add_test(tc, without_listen_line_it_is_loopback);
	tcase_add_test(tc, rule35_cookie_secret);
	tcase_add_test(tc, health_name_of_others);
	tcase_add_test(tc, missing_nameserver_is_an_error);
	tcase_add_test(tc, no_nameserver_beside_other_errors);
	tcase_add_test(tc, own_address_as_nameserver_is_refused);
	tcase_add_test(tc, system_nameservers_leave_out_our_own);
	tcase_add_test(tc, system_nameservers_that_cannot_be_asked);
	tcase_add_test(tc, no_system_nameservers);
	tcase_add_test(tc, link_local_without_interface_is_refused);
}
