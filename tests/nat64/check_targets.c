/* SPDX-License-Identifier: BSD-2-Clause */
/* Which targets are asked under which prefixes, and what a round of answers changes; with operator
 * and reload in between, beside a model. RULES D35. */

#include "nat64/targets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "config/policies.h"
#include "support/configured.h"
#include "support/tests.h"

static struct settings settings;
static struct targets targets;
static char told[2048];

static void
tell_target(void *arg, const struct targets_group *g, size_t i)
{
	size_t len = strlen(told);

	(void)arg;
	snprintf(told + len, sizeof(told) - len, "target %zu %s;", i,
	    health_word(g->targets[i].health.state));
}

static void
tell_prefix(void *arg, const struct targets_group *g, size_t k)
{
	size_t len = strlen(told);

	(void)arg;
	snprintf(told + len, sizeof(told) - len, "prefix %zu %s;", k,
	    health_word(g->prefixes[k].health.state));
}

static const struct targets_tell tell = { .target = tell_target, .prefix = tell_prefix };
static const struct health_rules rules = { .fall = 2, .rise = 2 };

static void
set_up(void)
{
	targets = (struct targets){ .n = 0 };
	told[0] = '\0';
}

static void
tear_down(void)
{
	targets_fini(&targets);
	settings_fini(&settings);
}

static void
begin(const char *text)
{
	configured("targets", text, &settings);
	ck_assert(targets_make(&targets, &settings));
}

/* The same after a reload of TEXT. */
static void
again(const char *text)
{
	settings_fini(&settings);
	memset(&settings, 0, sizeof(settings));
	begin(text);
}

/* A round of the first group, in which ANSWERS has a "+" or "-" for each prefix, those of one
 * target after those of another. What it told. */
static const char *
play(const char *answers)
{
	static uint64_t now;
	struct targets_group *g = targets.groups;

	told[0] = '\0';
	for (size_t i = 0; i < g->n_targets * g->n_prefixes; i++) {
		if (answers[i] == '+')
			targets_answer(g, i / g->n_prefixes, i % g->n_prefixes);
		else
			targets_fail(g, i / g->n_prefixes, i % g->n_prefixes, "no answer in time");
	}
	targets_end_round(g, &rules, now += NS_PER_SEC, &tell);
	return told;
}

#define TWO "dns64-prefix 2001:db8:1::/96\ndns64-prefix 2001:db8:2::/96\n"

START_TEST(one_prefix_of_two)
{
	begin(TWO "prefix-check tcp 192.0.2.1 port 80\n");
	ck_assert_uint_eq(targets.n_pairs, 2);
	ck_assert_str_eq(play("++"), "");
	ck_assert_str_eq(play("+-"), "");
	ck_assert_str_eq(play("+-"), "prefix 1 down;");
	ck_assert_str_eq(
	    targets.groups[0].prefixes[1].why, "tcp 192.0.2.1 port 80: no answer in time");
	ck_assert_str_eq(play("++"), "");
	ck_assert_str_eq(play("++"), "prefix 1 up;");
}
END_TEST

/* A target that answers nowhere changes nothing, whether or not there is another. */
START_TEST(the_fault_of_a_target)
{
	begin(TWO "prefix-check tcp 192.0.2.1 port 80\nprefix-check dns 192.0.2.2 a.test\n");
	ck_assert_str_eq(play("--++"), "");
	ck_assert_str_eq(play("--++"), "target 0 down;");
	ck_assert_str_eq(play("----"), "");
	ck_assert_str_eq(play("----"), "target 1 down;");
	ck_assert_str_eq(play("----"), "");
	ck_assert_str_eq(play("--+-"), "");
	ck_assert_str_eq(play("--+-"), "target 1 up;prefix 1 down;");
	ck_assert_str_eq(play("----"), "");
	ck_assert_str_eq(play("+---"), "target 1 down;");
	ck_assert_str_eq(play("++--"), "target 0 up;");
	ck_assert_str_eq(play("+++-"), "prefix 1 up;");
}
END_TEST

/* One that answers is enough. */
START_TEST(one_target_is_enough)
{
	begin(TWO "prefix-check icmp 192.0.2.1\nprefix-check icmp 192.0.2.2\n");
	for (unsigned i = 0; i < 10; i++)
		ck_assert_str_eq(play(i % 2 == 0 ? "+--+" : "-++-"), "");
}
END_TEST

START_TEST(groups)
{
	begin(TWO "prefix-check icmp 192.0.2.1\n"
		  "client 10.0.0.0/8 {\nhide-a yes\n}\n"
		  "client 10.1.0.0/16 {\ndns64-prefix 2001:db8:3::/96\n}\n"
		  "client 10.2.0.0/16 {\nprefix-check none\n}\n"
		  "client 10.3.0.0/16 {\nprefix-check icmp 192.0.2.2\nprefix-check icmp 192.0.2.3\n"
		  "map 192.0.2.0/24 2001:db8:9::/96\n}\n"
		  "client 10.4.0.0/16 {\nprefix-check icmp 192.0.2.3\nprefix-check icmp 192.0.2.2\n"
		  "}\n");
	ck_assert_uint_eq(targets.n, 2);
	ck_assert_uint_eq(targets.groups[0].n_prefixes, 3);
	ck_assert_uint_eq(targets.groups[0].n_targets, 1);
	ck_assert_uint_eq(targets.groups[1].n_prefixes, 2);
	ck_assert_uint_eq(targets.groups[1].n_targets, 2);
	ck_assert_uint_eq(targets.n_pairs, 3 + 4);
	ck_assert(!targets.cut);
}
END_TEST

START_TEST(nothing_is_asked_by_default)
{
	begin(TWO);
	ck_assert_uint_eq(targets.n, 0);
	ck_assert_uint_eq(targets.n_pairs, 0);
}
END_TEST

START_TEST(there_is_a_limit)
{
	char *text;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	ck_assert_ptr_nonnull(f);
	for (unsigned i = 0; i < POLICY_MAX_PREFIXES; i++)
		fprintf(f, "dns64-prefix 2001:db8:%u::/96\n", i);
	for (unsigned i = 1; i < 40; i++)
		fprintf(f, "client 10.%u.0.0/16 {\nprefix-check icmp 192.0.2.%u\n}\n", i, i);
	fclose(f);
	begin(text);
	free(text);
	ck_assert_uint_eq(targets.n_pairs, TARGETS_MOST);
	ck_assert(targets.cut);
}
END_TEST

START_TEST(a_reload_keeps_what_is_known)
{
	begin(TWO "prefix-check icmp 192.0.2.1\nprefix-check icmp 192.0.2.2\n");
	ck_assert_str_eq(play("+---"), "");
	ck_assert_str_eq(play("+---"), "target 1 down;prefix 1 down;");
	again("dns64-prefix 2001:db8:2::/96\ndns64-prefix 2001:db8:3::/96\n"
	      "prefix-check icmp 192.0.2.2\nprefix-check icmp 192.0.2.1\n");
	ck_assert_int_eq(targets.groups[0].prefixes[0].health.state, HEALTH_DOWN);
	ck_assert_int_eq(targets.groups[0].prefixes[1].health.state, HEALTH_UP);
	ck_assert_int_eq(targets.groups[0].targets[0].health.state, HEALTH_DOWN);
	ck_assert_int_eq(targets.groups[0].targets[1].health.state, HEALTH_UP);
	again(TWO "prefix-check icmp 192.0.2.1\n"); /* others: all is forgotten */
	ck_assert_int_eq(targets.groups[0].prefixes[1].health.state, HEALTH_UP);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, one_prefix_of_two);
	tcase_add_test(tc, the_fault_of_a_target);
	tcase_add_test(tc, one_target_is_enough);
	tcase_add_test(tc, groups);
	tcase_add_test(tc, nothing_is_asked_by_default);
	tcase_add_test(tc, there_is_a_limit);
	tcase_add_test(tc, a_reload_keeps_what_is_known);
}
