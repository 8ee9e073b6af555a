/* SPDX-License-Identifier: BSD-2-Clause */
/* Whole files: all errors at once, duplicates, forms of lines, and those of the predecessors. */

#include "config/conffile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "config/loglevel.h"
#include "config/policy_lines.h"
#include "config/textfile.h"
#include "support/said.h"
#include "support/scratch.h"
#include "support/tests.h"

static struct said said;
static struct settings settings;

START_TEST(all_errors_at_once)
{
	said_parse(&said,
	    "nameserver 192.0.2.1\nprot 53\nupstream-timeout 9\n\n# comment\nlisten ::here\n"
	    "xyzzy 1\ndns64-prefix 2001:db8::/95\n",
	    &settings);
	ck_assert_str_eq(said.text,
	    "error t.conf:2: prot: unknown keyword; did you mean port?\n"
	    "error t.conf:3: upstream-timeout: '9' is not a time from 0.1 to 5 seconds\n"
	    "error t.conf:6: listen: '::here' is not an IPv4 or IPv6 address (a link-local one "
	    "ends "
	    "in "
	    "%INTERFACE, which must exist); allowed is ADDRESS|INTERFACE [port N]\n"
	    "error t.conf:7: xyzzy: unknown keyword; dns64d -h and dns64d.conf(5) list those there "
	    "are\n"
	    "error t.conf:8: dns64-prefix: '2001:db8::/95' has a length that RFC 6052 does not "
	    "have; "
	    "allowed are 32, 40, 48, 56, 64 and 96\n");
	ck_assert_uint_eq(said.diag.n_errors, 5);
}
END_TEST

/* What would be wrong behind them is not looked for: each line may cost a search for memory. */
START_TEST(reading_ends_at_the_most_errors)
{
	char text[2 * (DIAG_MAX_ERRORS + 50) + 1], *at = text;

	for (unsigned i = 0; i < DIAG_MAX_ERRORS + 50; i++)
		at += sprintf(at, "x\n");
	said_parse(&said, text, &settings);
	ck_assert_uint_eq(said.diag.n_errors, DIAG_MAX_ERRORS);
	ck_assert_ptr_nonnull(strstr(said.text, "too many errors, the rest is not shown"));
}
END_TEST

struct conflict {
	const char *text;
	const char *said;
};

/* Both lines are named. */
static const struct conflict conflicts[] = {
	{ "port 53\nport 54\nport 55\n",
	    "error t.conf:2: port: is at line 1 already; it may be given once\n"
	    "error t.conf:3: port: is at line 1 already; it may be given once\n" },
	{ "udp-size-client 1400\nresponse-maxlength 1400\n",
	    "error t.conf:2: response-maxlength: sets the same as udp-size-client at line 1; only "
	    "one of "
	    "them may be given\n" },
	{ "timeout-time-sec 1\nupstream-timeout 1.0\n",
	    "error t.conf:1: timeout-time-sec: sets the same as upstream-timeout at line 2; only "
	    "one "
	    "of them "
	    "may be given\n" },
	{ "upstream-timeout 1.0\ntimeout-time-usec 1\n",
	    "error t.conf:2: timeout-time-usec: sets the same as upstream-timeout at line 1; only "
	    "one "
	    "of them "
	    "may be given\n" },
	{ "timeout-time-usec 500000\n",
	    "error t.conf:1: timeout-time-usec: needs a timeout-time-sec beside it\n" },
	{ "timeout-time-sec 5\ntimeout-time-usec 1000\n",
	    "error t.conf:1: timeout-time-sec: makes 5.001 s in all; allowed is a time from 0.1 to "
	    "5 "
	    "seconds\n" },
	{ "timeout-time-sec 0\n",
	    "error t.conf:1: timeout-time-sec: makes 0.000 s in all; allowed "
	    "is a time from 0.1 to 5 "
	    "seconds\n" },
	{ "resend-attempts 1\nupstream-tries 2\n",
	    "error t.conf:1: resend-attempts: sets the same as upstream-tries at line 2; only one "
	    "of them may be given\n" },
	/* Words of before are read, with a notice. */
	{ "timeout-time 1\ncache-stale 60\n",
	    "notice t.conf:1: timeout-time: is called upstream-timeout now; the old name is read "
	    "too\n"
	    "notice t.conf:2: cache-stale: is called serve-stale now; the old name is read too\n" },
	{ "serve-stale 60\ncache-stale 60\n",
	    "error t.conf:2: serve-stale: is at line 1 already; it may be given once\n" },
	{ "log-level info\ndebugging yes\n",
	    "error t.conf:2: debugging: sets the same as "
	    "log-level at line 1; only one of them may be "
	    "given\n" },
	{ "log-level info\ndebugging no\n", "" },
	{ "cache-min-ttl 30\ncache-max-ttl 29\n",
	    "error t.conf:2: cache-max-ttl: cache-min-ttl 30 is more than cache-max-ttl 29\n" },
	{ "cache-max-ttl 59\ncache-min-ttl 60\n",
	    "error t.conf:2: cache-min-ttl: cache-min-ttl 60 is more than cache-max-ttl 59\n" },
	{ "cache-min-ttl 60\ncache-max-ttl 60\n", "" },
	/* Said in vain, which is no error; every one of them. */
	{ "prefetch no\ncache-size 0\nserve-stale 0\n",
	    "notice t.conf:3: serve-stale: has no effect with cache-size 0\n"
	    "notice t.conf:1: prefetch: has no effect with cache-size 0\n" },
	{ "cache-size 0\ncache-min-ttl 0\ncache-max-ttl 1\ncache-max-negative 1\n"
	  "cache-failure-ttl 1\nnxdomain-cut off\nrrset-order fixed\n"
	  "cache-file /f\n",
	    "notice t.conf:2: cache-min-ttl: has no effect with cache-size 0\n"
	    "notice t.conf:3: cache-max-ttl: has no effect with cache-size 0\n"
	    "notice t.conf:4: cache-max-negative: has no effect with cache-size 0\n"
	    "notice t.conf:5: cache-failure-ttl: has no effect with cache-size 0\n"
	    "notice t.conf:6: nxdomain-cut: has no effect with cache-size 0\n"
	    "notice t.conf:7: rrset-order: has no effect with cache-size 0\n"
	    "notice t.conf:8: cache-file: has no effect with cache-size 0\n" },
	{ "cache-size 0\n", "" },
	/* The size is wrong, not the lines that need a cache. */
	{ "cache-size 1k\nprefetch no\n",
	    "error t.conf:1: cache-size: '1k' is too little: a cache has 1m at least, and 0 is "
	    "none\n" },
	{ "nameserver 192.0.2.1\nnameserver 192.0.2.2\n", "" },
	/* Each block for itself. */
	{ "hide-a yes\nclient 192.0.2.0/24 {\nhide-a no\n}\nclient 192.0.3.0/24 {\nhide-a no\n}\n",
	    "" },
	{ "client 192.0.2.0/24 {\nhide-a no\nany relay\nhide-a yes\n}\n",
	    "error t.conf:4: hide-a: is at line 2 already; it may be given once\n" },
};

/* Where blocks begin and end. Nothing in a block that is told is told once more for it. */
static const struct conflict braces[] = {
	{ "client 192.0.2.0/24 2001:db8::/32 { # here\n\n # there\n any minimal\n } // end\n", "" },
	{ "client 192.0.2.0/24 {\n}\nport 54\n", "" },
	{ "client 192.0.2.0/24 {\nhide-a yes\n",
	    "error t.conf:1: client: the block is not closed; a } alone on a line closes it\n" },
	{ "}\n", "error t.conf:1: there is no client block that this } could close\n" },
	{ "client 192.0.2.0/24 {\n} }\n}\n",
	    "error t.conf:2: '}' is too much; a } stands alone on its line\n"
	    "error t.conf:3: there is no client block that this } could close\n" },
	{ "client 192.0.2.0/24\n{\nhide-a yes\n}\n",
	    "error t.conf:1: client: the line does not end in a { with a blank before it; allowed "
	    "is "
	    "NETWORK[/LENGTH]... {\n"
	    "error t.conf:2: a { stands at the end of the client line it belongs to\n" },
	{ "client 192.0.2.0/24 { hide-a yes }\nport 54\n",
	    "error t.conf:1: client: 'hide-a' stands behind the {; what is in the block goes on "
	    "lines "
	    "of its own\n" },
	{ "client {\n}\n",
	    "error t.conf:1: client: names no network; allowed is NETWORK[/LENGTH]... {\n" },
	{ "client 192.0.2.0/24 {\nclient 192.0.3.0/24 {\nhide-a yes\n}\n",
	    "error t.conf:2: client: the block that begins at line 1 is not closed; a } alone on a "
	    "line closes it, and blocks do not stand in one another\n" },
	{ "client 192.0.2.0/24 {\nport 54\nnameserver 192.0.2.1\n}\n",
	    "error t.conf:2: port: cannot stand in the client block that begins at line 1, only "
	    "outside of any\n"
	    "error t.conf:3: nameserver: cannot stand in the client block that begins at line 1, "
	    "only "
	    "outside of any\n" },
	{ "client 192.0.2.0/24 {\nhide-b yes\n}\n",
	    "error t.conf:2: hide-b: unknown keyword; did you mean hide-a?\n" },
};

START_TEST(braces_out_of_place_are_refused)
{
	said_parse(&said, braces[_i].text, &settings);
	ck_assert_str_eq(said.text, braces[_i].said);
}
END_TEST

START_TEST(keyword_given_twice_is_refused)
{
	said_parse(&said, conflicts[_i].text, &settings);
	ck_assert_str_eq(said.text, conflicts[_i].said);
}
END_TEST

START_TEST(bom_crlf_and_comments_are_read)
{
	said_parse(&said,
	    "\xef\xbb\xbfport 5300\r\n\r\n  nameserver\t192.0.2.1 // far\r\n#\n//\nuser x",
	    &settings);
	ck_assert_str_eq(said.text, "");
	ck_assert_uint_eq(settings.port, 5300);
	ck_assert_uint_eq(settings.conf.core.n_upstreams, 1);
	ck_assert_uint_eq(settings.upstream_lines[0], 3);
	ck_assert_str_eq(settings.user, "x");
}
END_TEST

START_TEST(line_over_the_limit_is_refused)
{
	char text[CONFFILE_LINE + 32];

	/* The longest that fits, all comment. */
	memset(text, '#', sizeof(text));
	memcpy(text + CONFFILE_LINE - 1, "\nport 54\n", 10);
	said_nothing(&said, text, &settings);
	ck_assert_uint_eq(settings.port, 54);
	memset(text, '#', sizeof(text));
	memcpy(text + CONFFILE_LINE, "\nport 54\n", 10);
	said_parse(&said, text, &settings);
	ck_assert_str_eq(said.text, "error t.conf:1: is longer than 1023 characters\n");
	ck_assert_uint_eq(settings.port, 54);
}
END_TEST

START_TEST(file_with_zero_bytes_is_refused)
{
	static const char text[] = "port 53\n\0port 54\n";

	said_init(&said);
	settings_fini(&settings);
	conffile_parse(text, sizeof(text) - 1, &settings, &said.diag);
	ck_assert_str_eq(said.text, "error t.conf: has zero bytes in it and is no configuration\n");
}
END_TEST

START_TEST(no_end_of_text_is_read)
{
	/* Not terminated: the length counts. */
	char text[] = { 'p', 'o', 'r', 't', ' ', '5', '4', '7' };

	said_init(&said);
	settings_fini(&settings);
	conffile_parse(text, 7, &settings, &said.diag);
	ck_assert_str_eq(said.text, "");
	ck_assert_uint_eq(settings.port, 54);
}
END_TEST

START_TEST(unreadable_file_is_told)
{
	char path[SCRATCH_PATH];
	int fd = scratch_file(path);

	said_init(&said);
	settings_fini(&settings);
	conffile_read("/nonexistent/t.conf", NULL, &settings, &said.diag);
	ck_assert_str_eq(said.text, "error t.conf: cannot be read: No such file or directory\n");
	said_init(&said);
	settings_fini(&settings);
	conffile_read("/", NULL, &settings, &said.diag);
	ck_assert_str_eq(said.text, "error t.conf: cannot be read: Is a directory\n");
	ck_assert_int_eq(write(fd, "port 54\n", 8), 8);
	said_init(&said);
	settings_fini(&settings);
	conffile_read(path, NULL, &settings, &said.diag);
	ck_assert_str_eq(said.text, "");
	ck_assert_uint_eq(settings.port, 54);
	ck_assert_int_eq(ftruncate(fd, TEXTFILE_MAX + 1), 0);
	said_init(&said);
	settings_fini(&settings);
	conffile_read(path, NULL, &settings, &said.diag);
	ck_assert_str_eq(
	    said.text, "error t.conf: is larger than 64 MiB and is no configuration\n");
	close(fd);
	unlink(path);
}
END_TEST

/* A file of tests/data. */
static void
read_data(const char *name)
{
	const char *dir = getenv("TEST_SRCDIR");
	char path[1024];

	snprintf(path, sizeof(path), "%s/data/%s", dir != NULL ? dir : "tests", name);
	said_init(&said);
	settings_fini(&settings);
	conffile_read(path, NULL, &settings, &said.diag);
}

static void
check_common(const char *upstream, const char *prefix)
{
	const struct conf_core *c = &settings.conf.core;
	char text[NETADDR_TEXT];

	ck_assert_uint_eq(said.n_errors, 0);
	ck_assert_uint_eq(c->n_upstreams, 1);
	ck_assert_str_eq(netaddr_format(&c->upstreams[0].addr, text), upstream);
	const struct policy_lines *lines = policy_lines_at(settings.policy_lines, 0);
	const struct policy_lines_prefix *p = lines->prefixes.items;
	ck_assert_uint_eq(lines->prefixes.n, 1);
	ck_assert_str_eq(pref64_format(&p->prefix, text), prefix);
	ck_assert_uint_eq(c->timeout_ms, 1000);
	ck_assert_uint_eq(c->upstream_tries, 2);
	ck_assert_uint_eq(c->udp_size_client, 512);
	ck_assert_uint_eq(loglevel_of(&settings, LOG_CACHE), LOG_LEVEL_NOTICE);
	ck_assert_uint_eq(settings.port, 53);
	ck_assert(settings.listens_by_default);
}

/* Attempts after the first one, of which more than 2 count as 2. */
START_TEST(mtd64_ng_attempts_are_tries)
{
	static const unsigned tries[] = { 1, 2, 3, 3 };
	char text[64];

	for (unsigned i = 0; i < 4; i++) {
		snprintf(text, sizeof(text), "nameserver 192.0.2.1\nresend-attempts %u\n", i);
		said_parse(&said, text, &settings);
		ck_assert_uint_eq(said.n_errors, 0);
		ck_assert_uint_eq(settings.conf.core.upstream_tries, tries[i]);
	}
}
END_TEST

/* The three configurations printed in the papers, with the meaning they had. */
START_TEST(mtd64_ng_core)
{
	read_data("mtd64-ng-core.conf");
	check_common("192.168.1.112#53", "2001:db8:dead:beef::/96");
	ck_assert_uint_eq(settings.num_threads, 4);
}
END_TEST

START_TEST(configuration_of_mtd64_is_read)
{
	read_data("mtd64.conf");
	check_common("192.168.1.147#53", "2001:db8::/96");
	ck_assert_uint_eq(settings.num_threads, 0);
}
END_TEST

START_TEST(mtd64_ng_main)
{
	read_data("mtd64-ng-main.conf");
	check_common("192.168.1.147#53", "2001:db8::/96");
	ck_assert_uint_eq(settings.num_threads, 16);
}
END_TEST

/* As printed, with the slash lost. */
START_TEST(mtd64_ng_misprint)
{
	read_data("mtd64-ng-misprint.conf");
	ck_assert_uint_eq(said.n_errors, 1);
	ck_assert_ptr_nonnull(strstr(said.text,
	    "t.conf:2: dns64-prefix: '2001:db8:dead:beef::96' has no length; did you mean "
	    "2001:db8:dead:beef::/96?"));
}
END_TEST

/* In the manner of the sample that mtd64-ng came with: all of it is read, but for the prefix. */
START_TEST(mtd64_ng_u_octet)
{
	read_data("mtd64-ng-u-octet.conf");
	ck_assert_uint_eq(said.n_errors, 1);
	ck_assert_ptr_nonnull(strstr(said.text, "t.conf:10: dns64-prefix:"));
	ck_assert_ptr_nonnull(strstr(said.text, "a correct prefix is 2001:db8:64:1:ad:beef::/96"));
	ck_assert_uint_eq(settings.conf.core.n_upstreams, 2);
	ck_assert_uint_eq(settings.conf.core.timeout_ms, 2500);
	ck_assert_uint_eq(settings.num_threads, 30);
	ck_assert_uint_eq(loglevel_of(&settings, LOG_CACHE), LOG_LEVEL_DEBUG);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_test(tc, all_errors_at_once);
	tcase_add_test(tc, mtd64_ng_attempts_are_tries);
	tcase_add_test(tc, reading_ends_at_the_most_errors);
	tcase_add_loop_test(
	    tc, keyword_given_twice_is_refused, 0, (int)(sizeof(conflicts) / sizeof(conflicts[0])));
	tcase_add_loop_test(
	    tc, braces_out_of_place_are_refused, 0, (int)(sizeof(braces) / sizeof(braces[0])));
	tcase_add_test(tc, bom_crlf_and_comments_are_read);
	tcase_add_test(tc, line_over_the_limit_is_refused);
	tcase_add_test(tc, file_with_zero_bytes_is_refused);
	tcase_add_test(tc, no_end_of_text_is_read);
	tcase_add_test(tc, unreadable_file_is_told);
	tcase_add_test(tc, mtd64_ng_core);
	tcase_add_test(tc, configuration_of_mtd64_is_read);
	tcase_add_test(tc, mtd64_ng_main);
	tcase_add_test(tc, mtd64_ng_misprint);
	tcase_add_test(tc, mtd64_ng_u_octet);
}
