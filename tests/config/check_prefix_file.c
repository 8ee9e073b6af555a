/* SPDX-License-Identifier: BSD-2-Clause */
/* The file that dns64ctl saves prefixes in: what it has of a block replaces the configuration's. */

#include "config/prefix_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/policies.h"
#include "support/said.h"
#include "support/scratch.h"
#include "support/tests.h"

static const char conf[] = "nameserver 192.0.2.1\nlisten ::1\nprefix-file /f\n"
			   "dns64-prefix 2001:db8:1::/96\n"
			   "client 10.0.0.0/8 172.16.0.0/12 {\ndns64-prefix 2001:db8:2::/96\n}\n"
			   "client 192.168.0.0/16 {\nhide-a yes\n}\n";
static const char mapping[] = "nameserver 192.0.2.1\nlisten ::1\n"
			      "dns64-prefix 2001:db8:1::/96\n"
			      "dns64-prefix 2001:db8:6::/96 drain map\n"
			      "map 10.0.0.0/8 2001:db8:5::/96\nmap 11.0.0.0/8 2001:db8:6::/96\n"
			      "client 10.0.0.0/8 {\ndns64-prefix 2001:db8:2::/96\n}\n";

static struct said said;
static struct settings settings;
static char path[SCRATCH_PATH];
static const char *configuration = conf;

static void
setup(void)
{
	close(scratch_file(path));
}

static void
teardown(void)
{
	settings_fini(&settings);
	unlink(path);
}

/* Read CONF, then a prefix-file TEXT. */
static void
read_both(const char *text)
{
	FILE *f = fopen(path, "w");

	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	fclose(f);
	said_nothing(&said, configuration, &settings);
	prefix_file_read(path, geteuid(), &settings, &said.diag);
}

/* The prefixes of policy I, as "prefix state, ..."; those that a map has come last. */
static void
expect(size_t i, const char *want)
{
	struct policies *ps = policies_make(&settings, &said.diag);
	const struct policy *p;
	char text[PREF64_TEXT], got[512] = "";

	ck_assert_msg(ps != NULL, "%s", said.text);
	p = &ps->table[i];
	for (size_t k = 0; k < p->synth.n_prefixes; k++)
		snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s%s %s", k > 0 ? ", " : "",
		    pref64_format(&p->synth.prefixes[k], text), policy_state_word(p->states[k]));
	ck_assert_str_eq(got, want);
	policies_unref(ps);
}

/* All that was said is the notice TEXT, behind the file's path. */
static void
expect_notices(const char *text)
{
	char want[SCRATCH_PATH + 256];

	snprintf(want, sizeof(want), "notice %s%s\n", path, text);
	ck_assert_str_eq(said.text, want);
}

START_TEST(what_it_has_replaces)
{
	read_both("# saved\ndns64-prefix 2001:db8:8::/96 drain\ndns64-prefix 2001:db8:9::/96\n");
	expect_notices(
	    ":2: dns64-prefix: '2001:db8:1::/96 active' of the configuration, line 4, does "
	    "not hold: these are in its place");
	expect(0, "2001:db8:8::/96 drain, 2001:db8:9::/96 active");
	expect(1, "2001:db8:2::/96 active");
	/* It has none of its own. */
	expect(2, "2001:db8:8::/96 drain, 2001:db8:9::/96 active");
}
END_TEST

/* The state is the same, the weight is not. */
START_TEST(another_weight_is_told)
{
	read_both("dns64-prefix 2001:db8:1::/96 weight 300\n");
	expect_notices(":1: dns64-prefix: '2001:db8:1::/96 active' of the configuration, line 4, "
		       "does not hold: it is here as active weight 300");
}
END_TEST

START_TEST(what_it_has_of_a_block_replaces_there)
{
	read_both("client 172.16.0.0/12 {\n\tdns64-prefix 2001:db8:8::/96 down\n"
		  "dns64-prefix 2001:db8:7::/96\n}\n"
		  "client 192.168.0.0/16 {\ndns64-prefix 2001:db8:9::/96\n}\n");
	expect_notices(
	    ":2: dns64-prefix: '2001:db8:2::/96 active' of the configuration, line 6, does "
	    "not hold: these are in its place");
	expect(0, "2001:db8:1::/96 active");
	expect(1, "2001:db8:8::/96 down, 2001:db8:7::/96 active");
	expect(2, "2001:db8:9::/96 active");
}
END_TEST

/* D15: a state of map lines alone, of all policies, and that of the configuration it replaces. */
START_TEST(states_in_map_lines)
{
	configuration = mapping;
	read_both(
	    "dns64-prefix 2001:db8:5::/96 down map\ndns64-prefix 2001:db8:6::/96 active map\n");
	expect_notices(":2: dns64-prefix: '2001:db8:6::/96 drain' of the configuration, line 4, "
		       "does not hold: it is here as active");
	expect(0, "2001:db8:1::/96 active, 2001:db8:5::/96 down, 2001:db8:6::/96 active");
	expect(1, "2001:db8:2::/96 active, 2001:db8:5::/96 down, 2001:db8:6::/96 active");
	settings_fini(&settings);
	read_both("client 10.0.0.0/8 {\ndns64-prefix 2001:db8:6::/96 active map\n}\n");
	expect(0, "2001:db8:1::/96 active, 2001:db8:5::/96 active, 2001:db8:6::/96 drain");
	expect(1, "2001:db8:2::/96 active, 2001:db8:5::/96 active, 2001:db8:6::/96 active");
	configuration = conf;
}
END_TEST

/* Blocks that were removed or joined since the file was written; the other lines count. */
static const struct {
	const char *text;
	const char *warning;
	const char *want; /* prefixes of the first block */
} gone[] = {
	{ "dns64-prefix 2001:db8:1::/96\nclient 10.9.0.0/16 {\ndns64-prefix 2001:db8:9::/96\n}\n"
	  "client 10.0.0.0/8 {\ndns64-prefix 2001:db8:2::/96\n}\n",
	    ":2: client: the configuration has no client block with 10.9.0.0/16; these prefixes "
	    "are skipped",
	    "2001:db8:2::/96 active" },
	{ "client 10.0.0.0/8 192.168.0.0/16 {\ndns64-prefix 2001:db8:9::/96\n}\n",
	    ":1: client: the configuration has no client block with 192.168.0.0/16 beside the one "
	    "before; these prefixes are skipped",
	    "2001:db8:2::/96 active" },
	{ "client 10.0.0.0/8 {\ndns64-prefix 2001:db8:2::/96\ndns64-prefix 2001:db8:7::/96\n}\n"
	  "client 172.16.0.0/12 {\ndns64-prefix 2001:db8:8::/96\n}\n",
	    ":5: client: its block of the configuration has those of line 2; these prefixes are "
	    "skipped",
	    "2001:db8:2::/96 active, 2001:db8:7::/96 active" },
};

START_TEST(blocks_that_are_gone_are_skipped)
{
	char want[SCRATCH_PATH + 256];

	read_both(gone[_i].text);
	snprintf(want, sizeof(want), "warning %s%s\n", path, gone[_i].warning);
	ck_assert_str_eq(said.text, want);
	ck_assert_uint_eq(said.n_errors, 0);
	expect(1, gone[_i].want);
}
END_TEST

START_TEST(without_the_file_nothing_is_saved)
{
	said_parse(&said, conf, &settings);
	prefix_file_read("/nonexistent/prefixes", geteuid(), &settings, &said.diag);
	ck_assert_str_eq(said.text, "");
	expect(0, "2001:db8:1::/96 active");
	read_both("# nothing\nclient 10.0.0.0/8 {\n}\n");
	ck_assert_str_eq(said.text, "");
	expect(1, "2001:db8:2::/96 active");
}
END_TEST

/* Who writes into the configuration what does not hold is told; who says the same is not. */
START_TEST(what_does_not_hold_is_told)
{
	read_both("dns64-prefix 2001:db8:1::/96\n");
	ck_assert_str_eq(said.text, "");
	read_both("dns64-prefix 2001:db8:9::/96\ndns64-prefix 2001:db8:1::/96 drain\n");
	expect_notices(
	    ":2: dns64-prefix: '2001:db8:1::/96 active' of the configuration, line 4, does "
	    "not hold: it is here as drain");
}
END_TEST

/* Each error has the file's line, and what is allowed. */
static const struct {
	const char *text;
	const char *error;
} bad[] = {
	{ "dns64-prefix 2001:db8::1/96\n",
	    ":1: dns64-prefix: '2001:db8::1/96' has bits set behind its length; the prefix of "
	    "that length is 2001:db8::/96" },
	{ "dns64-prefix 2001:db8:9::/96\nhide-a yes\n",
	    ":2: hide-a: cannot stand in the prefix-file; allowed are dns64-prefix and client "
	    "blocks with it" },
	{ "client 10.0.0.0/8 {\nmap 10.0.0.0/8 none\n}\n",
	    ":2: map: cannot stand in the prefix-file" },
	{ "client 10.0.0.0/8 {\ndns64-prefix 2001:db8:9::/96\n",
	    ":1: client: the block is not closed" },
	{ "dns64-prefx 2001:db8:9::/96\n", ":1: dns64-prefx: unknown keyword" },
};

START_TEST(errors_have_their_line)
{
	char want[SCRATCH_PATH + 256];

	read_both(bad[_i].text);
	snprintf(want, sizeof(want), "error %s%s", path, bad[_i].error);
	ck_assert_msg(strstr(said.text, want) != NULL, "%s", said.text);
	ck_assert_uint_eq(said.n_errors, 1);
	ck_assert_str_eq(said.diag.file, "t.conf");
}
END_TEST

/* What only the whole shows is told with the keyword's file, too. */
START_TEST(a_prefix_that_stands_twice)
{
	read_both("dns64-prefix 2001:db8:9::/96\ndns64-prefix 2001:db8:9::/96 down\n");
	said.len = 0;
	said.text[0] = '\0';
	ck_assert_ptr_null(policies_make(&settings, &said.diag));
	ck_assert_str_eq(said.text,
	    "error /f:2: dns64-prefix: '2001:db8:9::/96' is down here and active at line 1; only "
	    "one of them can hold\n");
}
END_TEST

/* Read it again, as USER's: nothing of it is believed. */
static void
expect_refused(uid_t user)
{
	said_parse(&said, conf, &settings);
	prefix_file_read(path, user, &settings, &said.diag);
	ck_assert_uint_eq(said.n_errors, 1);
	ck_assert_msg(strstr(said.text,
			  ": cannot be read: it must belong to the daemon's user or root, and "
			  "nobody else may be able to write it") != NULL,
	    "%s", said.text);
	expect(0, "2001:db8:1::/96 active");
}

/* That of another user, or that others can write, is not believed, as the cache's is not. */
START_TEST(a_file_that_cannot_be_trusted)
{
	read_both("dns64-prefix 2001:db8:9::/96\n");
	ck_assert_uint_eq(said.n_errors, 0);
	ck_assert_int_eq(chmod(path, 0664), 0);
	expect_refused(geteuid());
	ck_assert_int_eq(chmod(path, 0646), 0);
	expect_refused(geteuid());
	ck_assert_int_eq(chmod(path, 0644), 0);
	if (geteuid() == 0) {
		ck_assert_int_eq(chown(path, 61234, 0), 0);
		expect_refused(0);
		expect_refused(61235);
		said_parse(&said, conf, &settings);
		prefix_file_read(path, 61234, &settings, &said.diag);
		ck_assert_uint_eq(said.n_errors, 0);
	}
	said_parse(&said, conf, &settings);
	prefix_file_read("/", geteuid(), &settings, &said.diag);
	ck_assert_uint_eq(said.n_errors, 1);
}
END_TEST

/* What is written says the same when it is read, at the lines that are told. */
START_TEST(written_and_read_again)
{
	const struct policy_lines_prefix *p;
	char *text;
	size_t len;

	read_both("dns64-prefix 2001:db8:8::/96 drain weight 300\n\n\nclient 172.16.0.0/12 {\n"
		  "dns64-prefix 2001:db8:7::/96\ndns64-prefix 2001:db8:6::/64 down\n}\n");
	text = prefix_file_text(settings.policy_lines, &len);
	ck_assert_ptr_nonnull(text);
	ck_assert_uint_eq(strlen(text), len);
	ck_assert_str_eq(strchr(text, '\n') + 1,
	    "dns64-prefix 2001:db8:8::/96 drain weight 300\nclient 10.0.0.0/8 {\n"
	    "\tdns64-prefix 2001:db8:7::/96 active\n\tdns64-prefix 2001:db8:6::/64 down\n}\n");
	prefix_file_number(settings.policy_lines);
	p = policy_lines_at(settings.policy_lines, 0)->prefixes.items;
	ck_assert_uint_eq(p[0].line, 2);
	ck_assert_uint_eq(p[0].weight, 300);
	p = policy_lines_at(settings.policy_lines, 1)->prefixes.items;
	ck_assert_uint_eq(p[0].line, 4);
	ck_assert_uint_eq(p[1].line, 5);
	read_both(text);
	ck_assert_uint_eq(said.n_errors + said.n_warnings, 0);
	p = policy_lines_at(settings.policy_lines, 1)->prefixes.items;
	ck_assert_uint_eq(p[1].line, 5);
	expect(0, "2001:db8:8::/96 drain");
	expect(1, "2001:db8:7::/96 active, 2001:db8:6::/64 down");
	free(text);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, what_it_has_replaces);
	tcase_add_test(tc, states_in_map_lines);
	tcase_add_test(tc, what_does_not_hold_is_told);
	tcase_add_test(tc, another_weight_is_told);
	tcase_add_test(tc, what_it_has_of_a_block_replaces_there);
	tcase_add_test(tc, without_the_file_nothing_is_saved);
	tcase_add_loop_test(
	    tc, blocks_that_are_gone_are_skipped, 0, (int)(sizeof(gone) / sizeof(gone[0])));
	tcase_add_loop_test(tc, errors_have_their_line, 0, (int)(sizeof(bad) / sizeof(bad[0])));
	tcase_add_test(tc, a_prefix_that_stands_twice);
	tcase_add_test(tc, a_file_that_cannot_be_trusted);
	tcase_add_test(tc, written_and_read_again);
}
