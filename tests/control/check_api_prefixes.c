/* SPDX-License-Identifier: BSD-2-Clause */
/* Prefixes as the control socket tells them, and changes of them. */

#include "control/api_prefixes.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "config/policy_lines.h"
#include "policy/prefix_index.h"
#include "policy/prefix_states.h"
#include "support/operator.h"
#include "support/tests.h"

static struct operator op;

static void
setup(void)
{
	operator_open(&op,
	    "nameserver 192.0.2.1\nprefix-file /f\n"
	    "dns64-prefix 2001:db8:1::/96\ndns64-prefix 2001:db8:2::/96 drain\n"
	    "map 10.0.0.0/8 2001:db8:3::/96\n"
	    "client 10.0.0.0/8 2001:db8::/32 {\ndns64-prefix 2001:db8:4::/96\n}\n"
	    "client 192.168.0.0/16 {\nhide-a yes\n}\n");
	operator_begin(&op);
}

static void
teardown(void)
{
	operator_close(&op);
}

static int
post(const char *path, const char *body)
{
	return caller_ask(&op.caller, "POST", path, body);
}

/* The prefixes of block I, as "prefix state from:line ..."; true: it has its own. */
static bool
prefixes(size_t i, char out[static 512])
{
	const json_t *b, *p;
	size_t k;

	ck_assert_int_eq(caller_ask(&op.caller, "GET", "/prefixes", NULL), 200);
	b = json_array_get(json_object_get(op.caller.json, "blocks"), i);
	ck_assert_ptr_nonnull(b);
	out[0] = '\0';
	json_array_foreach(json_object_get(b, "prefixes"), k, p)
	{
		size_t len = strlen(out);

		snprintf(out + len, 512 - len, "%s%s %s %s:%d", k > 0 ? ", " : "",
		    json_string_value(json_object_get(p, "prefix")),
		    json_string_value(json_object_get(p, "state")),
		    json_string_value(json_object_get(p, "from")),
		    (int)json_integer_value(json_object_get(p, "line")));
	}
	return json_is_true(json_object_get(b, "own"));
}

static void
expect(size_t i, const char *want)
{
	char got[512];

	(void)prefixes(i, got);
	ck_assert_str_eq(got, want);
}

START_TEST(each_with_its_place)
{
	char got[512];

	expect(0,
	    "2001:db8:1::/96 active file:3, 2001:db8:2::/96 drain file:4, "
	    "2001:db8:3::/96 active map:0");
	ck_assert(prefixes(1, got));
	ck_assert_str_eq(got, "2001:db8:4::/96 active file:7, 2001:db8:3::/96 active map:0");
	ck_assert(!prefixes(2, got));
	expect(2,
	    "2001:db8:1::/96 active file:3, 2001:db8:2::/96 drain file:4, "
	    "2001:db8:3::/96 active map:0");
}
END_TEST

/* D36: what prefix-check has found, where it asks. */
START_TEST(what_is_checked)
{
	struct settings *s = &op.settings;
	struct prefix_report r = { .group = 7,
		.prefix = s->conf.core.policies->table[0].synth.prefixes[1],
		.cause = POLICY_PROBE,
		.state = POLICY_DOWN,
		.since = 1000,
		.why = "icmp 192.0.2.1: no answer in time" };
	const json_t *list, *c;

	policy_lines_at(s->policy_lines, 0)->group = r.group;
	s->prefix_states = prefix_states_new();
	ck_assert(prefix_states_put(s->prefix_states, &r));
	ck_assert_int_eq(caller_ask(&op.caller, "GET", "/prefixes", NULL), 200);
	list = json_object_get(
	    json_array_get(json_object_get(op.caller.json, "blocks"), 0), "prefixes");
	c = json_object_get(json_array_get(list, 1), "check");
	ck_assert_str_eq(json_string_value(json_object_get(c, "state")), "down");
	ck_assert_str_eq(json_string_value(json_object_get(c, "error")), r.why);
	ck_assert_int_eq(json_integer_value(json_object_get(c, "since")), 1000);
	ck_assert(json_is_null(json_object_get(json_array_get(list, 0), "check")));
	ck_assert_str_eq(
	    json_string_value(json_object_get(json_array_get(list, 0), "cause")), "configured");
	ck_assert(json_is_false(json_object_get(json_array_get(list, 0), "held")));
	prefix_states_free(s->prefix_states);
	s->prefix_states = NULL;
}
END_TEST

START_TEST(changes_are_told)
{
	ck_assert_int_eq(post("/prefix/add", "{\"prefix\": \"2001:db8:9::/96\"}"), 200);
	ck_assert(json_is_true(json_object_get(op.caller.json, "done")));
	ck_assert_str_eq(
	    json_string_value(json_object_get(
		json_array_get(json_object_get(op.caller.json, "messages"), 0), "text")),
	    "changed 2001:db8:9::/96");
	ck_assert_int_eq(post("/prefix/down", "{\"prefix\": \"2001:db8:1::/96\"}"), 200);
	ck_assert_int_eq(post("/prefix/active", "{\"prefix\": \"2001:db8:2::/96\"}"), 200);
	expect(0,
	    "2001:db8:1::/96 down dns64ctl:0, 2001:db8:2::/96 active dns64ctl:0, "
	    "2001:db8:9::/96 active dns64ctl:0, 2001:db8:3::/96 active map:0");
	ck_assert_int_eq(
	    post("/prefix/del", "{\"prefix\": \"2001:db8:1::/96\", \"persist\": \"yes\"}"), 200);
	expect(0,
	    "2001:db8:2::/96 active prefix-file:2, 2001:db8:9::/96 active prefix-file:3, "
	    "2001:db8:3::/96 active map:0");
	ck_assert_int_eq(post("/prefix/drain",
			     "{\"prefix\": \"2001:db8:2::/96\", \"client\": \"192.168.0.0/16\"}"),
	    200);
	expect(2,
	    "2001:db8:2::/96 drain dns64ctl:0, 2001:db8:9::/96 active prefix-file:3, "
	    "2001:db8:3::/96 active map:0");
	ck_assert_uint_eq(op.n_changes, 5);
}
END_TEST

/* The policies at KEY of the answer, as "line state/before ...". */
static void
expect_policies(const char *key, const char *want)
{
	const json_t *b;
	char got[512] = "";
	size_t k;

	json_array_foreach(json_object_get(op.caller.json, key), k, b)
	{
		const char *state = json_string_value(json_object_get(b, "state"));
		const char *before = json_string_value(json_object_get(b, "before"));
		size_t len = strlen(got);

		snprintf(got + len, sizeof(got) - len, "%s%d %s/%s", k > 0 ? ", " : "",
		    (int)json_integer_value(json_object_get(b, "line")),
		    state != NULL ? state : "-", before != NULL ? before : "-");
	}
	ck_assert_str_eq(got, want);
}

/* D15: a change is one for each policy that has the prefix; the answer lists them, and those that
 * have it otherwise still. */
START_TEST(policies_are_listed)
{
	ck_assert_int_eq(
	    post("/prefix/add", "{\"prefix\": \"2001:db8:1::/96\", \"client\": \"10.0.0.0/8\"}"),
	    200);
	expect_policies("changed", "6 active/-");
	expect_policies("unchanged", "");
	ck_assert_int_eq(
	    post("/prefix/down", "{\"prefix\": \"2001:db8:1::/96\", \"client\": \"10.0.0.0/8\"}"),
	    200);
	expect_policies("changed", "6 down/active");
	expect_policies("unchanged", "0 active/-, 9 active/-");
	ck_assert_int_eq(post("/prefix/drain", "{\"prefix\": \"2001:db8:1::/96\"}"), 200);
	expect_policies("changed", "0 drain/active, 6 drain/down, 9 drain/active");
	expect_policies("unchanged", "");
	ck_assert_int_eq(post("/prefix/add", "{\"prefix\": \"2001:db8:9::/96\"}"), 200);
	expect_policies("changed", "0 active/-, 9 active/-");
	expect_policies("unchanged", "6 -/-");
	/* One that only map lines name. */
	ck_assert_int_eq(
	    post("/prefix/down", "{\"prefix\": \"2001:db8:3::/96\", \"persist\": \"yes\"}"), 200);
	expect_policies("changed", "0 down/active, 6 down/active, 9 down/active");
	expect(1,
	    "2001:db8:4::/96 active file:7, 2001:db8:1::/96 drain dns64ctl:0, "
	    "2001:db8:3::/96 down prefix-file:5");
}
END_TEST

/* The configuration in force has them as they are, where they come from. */
START_TEST(config_has_them)
{
	const json_t *l;
	char got[1024] = "";
	size_t i;

	ck_assert_int_eq(
	    post("/prefix/add", "{\"prefix\": \"2001:db8:9::/96\", \"persist\": \"yes\"}"), 200);
	ck_assert_int_eq(
	    post("/prefix/add", "{\"prefix\": \"2001:db8:8::/96\", \"client\": \"2001:db8::/32\"}"),
	    200);
	ck_assert_int_eq(caller_ask(&op.caller, "GET", "/config", NULL), 200);
	json_array_foreach(json_object_get(op.caller.json, "lines"), i, l)
	{
		size_t len = strlen(got);

		if (strcmp(json_string_value(json_object_get(l, "keyword")), "dns64-prefix") == 0)
			snprintf(got + len, sizeof(got) - len, "%s %s:%d in %d\n",
			    json_string_value(json_object_get(l, "value")),
			    json_string_value(json_object_get(l, "from")),
			    (int)json_integer_value(json_object_get(l, "line")),
			    (int)json_integer_value(json_object_get(l, "block")));
	}
	ck_assert_str_eq(got,
	    "2001:db8:1::/96 active prefix-file:2 in 0\n"
	    "2001:db8:2::/96 drain prefix-file:3 in 0\n"
	    "2001:db8:9::/96 active prefix-file:4 in 0\n"
	    "2001:db8:4::/96 active file:7 in 6\n"
	    "2001:db8:8::/96 active dns64ctl:0 in 6\n");
}
END_TEST

/* A weight is told, and stays when dns64ctl changes the state; one that it adds has the default. */
START_TEST(weights_are_kept)
{
	static const int weights[] = { 100, 300, 100, 100 };
	const json_t *b, *p;
	size_t k;

	operator_close(&op);
	operator_open(&op,
	    "nameserver 192.0.2.1\nprefix-file /f\ndns64-prefix 2001:db8:1::/96\n"
	    "dns64-prefix 2001:db8:2::/96 drain weight 300\nmap 10.0.0.0/8 2001:db8:3::/96\n");
	operator_begin(&op);
	ck_assert_int_eq(post("/prefix/active", "{\"prefix\": \"2001:db8:2::/96\"}"), 200);
	ck_assert_int_eq(post("/prefix/add", "{\"prefix\": \"2001:db8:9::/96\"}"), 200);
	ck_assert_int_eq(caller_ask(&op.caller, "GET", "/prefixes", NULL), 200);
	b = json_array_get(json_object_get(op.caller.json, "blocks"), 0);
	json_array_foreach(json_object_get(b, "prefixes"), k, p)
	{
		ck_assert_int_eq(json_integer_value(json_object_get(p, "weight")), weights[k]);
	}
	ck_assert_uint_eq(k, 4);
	ck_assert_int_eq(caller_ask(&op.caller, "GET", "/config", NULL), 200);
	ck_assert_ptr_nonnull(strstr(op.caller.text, "\"2001:db8:1::/96 active\""));
	ck_assert_ptr_nonnull(strstr(op.caller.text, "\"2001:db8:2::/96 active weight 300\""));
}
END_TEST

static const struct {
	const char *path;
	const char *body;
	int code;
	const char *error;
} bad[] = {
	{ "/prefix/add", NULL, 400, "prefix is missing" },
	{ "/prefix/add", "{\"prefix\": 7}", 400, "prefix is not a string" },
	{ "/prefix/add", "{\"prefix\": \"2001:db8:9::/96\", \"network\": \"10.0.0.0/8\"}", 400,
	    "'network' is not known here" },
	{ "/prefix/add", "{\"prefix\": \"2001:db8:9::/96\", \"persist\": \"maybe\"}", 400,
	    "persist is neither yes nor no" },
	{ "/prefix/add", "{\"prefix\": \"2001:db8::1/96\"}", 400,
	    "the prefix of that length is 2001:db8::/96" },
	{ "/prefix/add", "{\"prefix\": \"2001:db8:1::/96\"}", 400, "is there already, active" },
	{ "/prefix/del", "{\"prefix\": \"2001:db8:9::/96\"}", 400, "is not there" },
	{ "/prefix/drain", "{\"prefix\": \"2001:db8:1::/96\", \"client\": \"10.0.0.0/9\"}", 400,
	    "there is no client block with '10.0.0.0/9'" },
	{ "/prefix/drain", "{\"prefix\": \"2001:db8:1::/96\", \"persist\": \"yes\"}", 422,
	    "no file" },
};

START_TEST(what_is_refused)
{
	op.cannot_save = true;
	ck_assert_int_eq(post(bad[_i].path, bad[_i].body), bad[_i].code);
	ck_assert_msg(
	    strstr(caller_text(&op.caller, "error"), bad[_i].error) != NULL, "%s", op.caller.text);
	expect(0,
	    "2001:db8:1::/96 active file:3, 2001:db8:2::/96 drain file:4, "
	    "2001:db8:3::/96 active map:0");
}
END_TEST

static int
begin(const char *prefix)
{
	char raw[256], body[128];
	int fd = caller_connect(&op.caller);

	snprintf(body, sizeof(body), "{\"prefix\": \"%s\"}", prefix);
	snprintf(raw, sizeof(raw), "POST /prefix/add HTTP/1.1\r\nContent-Length: %zu\r\n\r\n%s",
	    strlen(body), body);
	ck_assert_int_gt(send(fd, raw, strlen(raw), 0), 0);
	return fd;
}

/* The answer comes when the loops have the change; who comes meanwhile has his turn after that. */
START_TEST(one_after_the_other)
{
	int first, second, gone;

	op.changing_for = 20;
	first = begin("2001:db8:7::/96");
	while (op.n_changes == 0)
		caller_turn(&op.caller, 1);
	second = begin("2001:db8:7::/96");
	gone = begin("2001:db8:8::/96");
	caller_turn(&op.caller, 5);
	close(gone);
	ck_assert_uint_eq(op.n_changes, 1);
	ck_assert_uint_gt(op.n_changing, 0);
	ck_assert_int_eq(caller_wait(&op.caller, first), 200);
	/* It is there already now. */
	ck_assert_int_eq(caller_wait(&op.caller, second), 400);
	while (op.n_changes < 3 || op.n_changing > 0)
		caller_turn(&op.caller, 1);
	ck_assert_ptr_nonnull(
	    policy_lines_find(&policy_lines_at(op.settings.policy_lines, 0)->prefixes,
		&op.settings.conf.core.policies->table[0].synth.prefixes[3]));
}
END_TEST

/* A loop does not go round: its change is made, those behind it are not, and nobody waits for ever.
 */
START_TEST(loop_that_takes_nothing)
{
	int first, second;

	op.changing_for = 100000000;
	first = begin("2001:db8:7::/96");
	while (op.n_changes == 0)
		caller_turn(&op.caller, 1);
	second = begin("2001:db8:8::/96");
	ck_assert_int_eq(caller_wait(&op.caller, first), 503);
	ck_assert_ptr_nonnull(strstr(caller_text(&op.caller, "error"), "made, but not all loops"));
	ck_assert_int_eq(caller_wait(&op.caller, second), 503);
	ck_assert_ptr_nonnull(strstr(caller_text(&op.caller, "error"), "not made"));
	ck_assert_uint_eq(op.n_changes, 1);
	/* It goes round again. */
	op.n_changing = 0;
	op.changing_for = 0;
	ck_assert_int_eq(caller_wait(&op.caller, begin("2001:db8:8::/96")), 200);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, each_with_its_place);
	tcase_add_test(tc, what_is_checked);
	tcase_add_test(tc, changes_are_told);
	tcase_add_test(tc, policies_are_listed);
	tcase_add_test(tc, config_has_them);
	tcase_add_test(tc, weights_are_kept);
	tcase_add_loop_test(tc, what_is_refused, 0, (int)(sizeof(bad) / sizeof(bad[0])));
	tcase_add_test(tc, one_after_the_other);
	tcase_add_test(tc, loop_that_takes_nothing);
}
