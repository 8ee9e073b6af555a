/* SPDX-License-Identifier: BSD-2-Clause */
/* dnstap's keywords: what good lines become, and the whole text about bad ones. */

#include "config/set_logs.h"

#include <string.h>

#include "config/complete.h"
#include "support/said.h"
#include "support/tests.h"

/* 99 characters */
#define LONG \
	"/1234567890123456789012345678901234567890123456789" \
	"0123456789012345678901234567890123456789012345678"

static struct said said;
static struct settings settings;

static const struct conf_dnstap *
parse_silently(const char *text)
{
	said_nothing(&said, text, &settings);
	return &settings.conf.core.dnstap;
}

START_TEST(which_messages)
{
	const struct conf_dnstap *c = parse_silently("dnstap-socket none\n");

	ck_assert_str_eq(settings.dnstap_socket, "none");
	ck_assert_str_eq(settings.dnstap_identity, "hostname");
	ck_assert_str_eq(settings.dnstap_version, "auto");
	ck_assert_uint_eq(c->types, CONF_DNSTAP_ALL);
	ck_assert_uint_eq(c->sample, 1);
	c = parse_silently("dnstap-messages forwarder-query client-response\n"
			   "dnstap-sample 1000000\ndnstap-identity resolver 7 here\n"
			   "dnstap-version none\n");
	ck_assert_uint_eq(c->types, CONF_FORWARDER_QUERY | CONF_CLIENT_RESPONSE);
	ck_assert_uint_eq(c->sample, 1000000);
	ck_assert_str_eq(settings.dnstap_identity, "resolver 7 here");
	ck_assert_str_eq(settings.dnstap_version, "");
	c = parse_silently("dnstap-messages client-query\n");
	ck_assert_uint_eq(c->types, CONF_CLIENT_QUERY);
	c = parse_silently("dnstap-messages forwarder-response\n");
	ck_assert_uint_eq(c->types, CONF_FORWARDER_RESPONSE);
	c = parse_silently("dnstap-messages all\n");
	ck_assert_uint_eq(c->types, CONF_DNSTAP_ALL);
}
END_TEST

static const struct said_bad bad[] = {
	{ "dnstap-socket tap.sock",
	    "dnstap-socket: 'tap.sock' does not begin with a slash; allowed is none|PATH" },
	{ "dnstap-socket " LONG "/12345678",
	    "dnstap-socket: the path is longer than 107 characters, which is the most for a "
	    "socket" },
#ifndef HAVE_DNSTAP
	{ "dnstap-socket /run/tap.sock",
	    "dnstap-socket: this dns64d was built without dnstap (./configure --with-dnstap); "
	    "only none is possible" },
#endif
	{ "dnstap-messages client",
	    "dnstap-messages: 'client' is not one of "
	    "all|client-query|client-response|forwarder-query|forwarder-response" },
	{ "dnstap-sample 0", "dnstap-sample: '0' is not a number from 1 to 1000000" },
	{ "dnstap-identity 12345678901234567890123456789012345678901234567890123456789 12345",
	    "dnstap-identity: is longer than 63 characters" },
};

START_TEST(bad_values_are_told)
{
	said_bad(&said, &bad[_i], &settings);
}
END_TEST

/* Without a reader the engine copies nothing. */
START_TEST(nothing_is_copied_without_a_reader)
{
	parse_silently("dnstap-messages all\n");
	complete_settings(&settings, "/nonexistent", &said.diag);
	ck_assert_uint_eq(settings.conf.core.dnstap.types, 0);
#ifdef HAVE_DNSTAP
	parse_silently("dnstap-socket " LONG "/1234567\n");
	ck_assert_uint_eq(strlen(settings.dnstap_socket), SET_DNSTAP_PATH);
	complete_settings(&settings, "/nonexistent", &said.diag);
	ck_assert_uint_eq(settings.conf.core.dnstap.types, CONF_DNSTAP_ALL);
#endif
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_test(tc, which_messages);
	tcase_add_loop_test(tc, bad_values_are_told, 0, sizeof(bad) / sizeof(bad[0]));
	tcase_add_test(tc, nothing_is_copied_without_a_reader);
}
