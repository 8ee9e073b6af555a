/* SPDX-License-Identifier: BSD-2-Clause */
/* Which targets are asked under which prefixes, and what a round of answers changes; with operator
 * and reload in between, beside a model. RULES D36. */

#include "nat64/targets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "config/policies.h"
#include "nat64/prefixes.h"
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

/* Whether a prefix works is not known where this machine could not ask. */
START_TEST(what_was_not_asked_has_not_failed)
{
	begin(TWO "prefix-check icmp 192.0.2.1\n");
	for (unsigned i = 0; i < 5; i++) {
		targets_skip(targets.groups, 1);
		ck_assert_str_eq(play("+-"), "");
	}
	ck_assert_str_eq(play("+-"), "");
	targets_skip(targets.groups, 1);
	ck_assert_str_eq(play("+-"), "");
	ck_assert_str_eq(play("+-"), "prefix 1 down;");
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
	/* Others: what was down is so until they find otherwise. */
	again(TWO "prefix-check icmp 192.0.2.1\n");
	ck_assert_int_eq(targets.groups[0].prefixes[0].health.state, HEALTH_UP);
	ck_assert_int_eq(targets.groups[0].prefixes[1].health.state, HEALTH_DOWN);
	ck_assert_str_eq(play("++"), "");
	ck_assert_str_eq(play("++"), "prefix 1 up;");
}
END_TEST

/* --- A model beside all of it ----------------------------------------------------------------- */

#define THREE TWO "dns64-prefix 2001:db8:3::/96\n"
#define CHECKED THREE "prefix-check icmp 192.0.2.1\nprefix-check icmp 192.0.2.2\n"
#define N 3 /* prefixes */

static struct prefixes prefixes;

static void
report(void *arg, const struct targets_group *g, size_t k)
{
	const struct prefix_report r = { .group = g->key,
		.prefix = g->prefixes[k].prefix,
		.cause = POLICY_PROBE,
		.state = health_passes(&g->prefixes[k].health) ? POLICY_ACTIVE : POLICY_DOWN };

	(void)arg;
	ck_assert(prefixes_report(&prefixes, &r, 1));
}

static bool
pack(void *arg, struct settings *s)
{
	(void)arg;
	(void)s;
	return true;
}

static void
post(void *arg)
{
	(void)arg;
}

/* In every third moment a loop has a change to take. */
static bool
pending(void *arg)
{
	unsigned *n = arg;

	return ++*n % 3 == 0;
}

/* What the model knows of a prefix: no states, but what came in a row. */
struct known_prefix {
	enum policy_state line;
	bool down;
	unsigned failed, answered; /* in a row, in rounds that count */
	unsigned needs;            /* answers until it is up */
	unsigned downs[20];        /* rounds in which it went down, the last ones */
	unsigned n_downs;
	unsigned turn; /* of its last change by probes */
};

static struct known_prefix model[N];

/* A round of the model, its number ROUND, in which the prefixes with a bit in ANSWERED did. */
static void
play_model(unsigned answered, unsigned round, unsigned *turn)
{
	for (unsigned k = 0; k < N && answered != 0; k++) {
		struct known_prefix *m = &model[k];
		unsigned recent = 1;

		m->answered = answered >> k & 1 ? m->answered + 1 : 0;
		m->failed = answered >> k & 1 ? 0 : m->failed + 1;
		if (m->down ? m->answered < m->needs : m->failed < rules.fall)
			continue;
		m->down = !m->down;
		m->turn = ++*turn;
		m->answered = m->failed = 0;
		if (!m->down)
			continue;
		for (unsigned i = 0; i < 20 && i < m->n_downs; i++)
			recent += round - m->downs[i] <= 600;
		m->needs = rules.rise << (recent < 3 ? 0 : recent > 6 ? 4 : recent - 2);
		m->downs[m->n_downs++ % 20] = round;
	}
}

/* The state of prefix K by the model. */
static enum policy_state
state_of(unsigned k)
{
	unsigned last = N, n_up = 0;

	for (unsigned i = 0; i < N; i++) {
		if (model[i].line != POLICY_ACTIVE)
			continue;
		n_up += !model[i].down;
		if (last == N || model[i].turn > model[last].turn)
			last = i;
	}
	if (!model[k].down || (n_up == 0 && k == last))
		return model[k].line;
	return POLICY_DOWN;
}

/* dns64ctl sets the state of prefix K. */
static void
order(unsigned k, enum policy_state state)
{
	static const enum prefix_change_what whats[] = { [POLICY_ACTIVE] = PREFIX_CHANGE_ACTIVE,
		[POLICY_DRAIN] = PREFIX_CHANGE_DRAIN,
		[POLICY_DOWN] = PREFIX_CHANGE_DOWN };
	char text[PREF64_TEXT], error[HOST_ERROR];
	const struct prefix_change c = { .what = whats[state],
		.prefix =
		    pref64_format(&settings.conf.core.policies->table[0].synth.prefixes[k], text) };

	ck_assert_int_eq(prefixes_change(&prefixes, &c, error), HOST_DONE);
	model[k].line = state;
}

/* As a reload of the daemon, which forgets what dns64ctl has changed. */
static void
reload(struct prefix_states *states)
{
	struct policies *next;

	again(CHECKED);
	settings.prefix_states = states;
	next = policies_change_states(&settings, settings.conf.core.policies);
	ck_assert_ptr_nonnull(next);
	policies_unref(settings.conf.core.policies);
	settings.conf.core.policies = next;
	for (unsigned k = 0; k < N; k++)
		model[k].line = POLICY_ACTIVE;
}

/* Rounds, dns64ctl and reloads in any order: the states in force are those of the model, which
 * looks at none of ours. */
START_TEST(a_model_agrees)
{
	const struct targets_tell reports = { .target = tell_target, .prefix = report };
	struct prefix_states *states = prefix_states_new();
	unsigned n_asked = 0, turn = 0, bad[N] = { 0 }, n_down = 0;
	struct rng rng;

	rng_init_seeded(&rng, (uint64_t)_i);
	memset(model, 0, sizeof(model));
	begin(CHECKED);
	settings.prefix_states = states;
	prefixes = (struct prefixes){ .settings = &settings,
		.path = "conf",
		.loops = { .pack = pack, .post = post, .pending = pending, .arg = &n_asked } };
	for (unsigned round = 1; round < 2000; round++) {
		struct targets_group *g = targets.groups;
		unsigned answered = 0, what = rng_below(&rng, 40);

		if (what < 4)
			bad[rng_below(&rng, N)] = what * 3;
		for (unsigned k = 0; k < N; k++) {
			if (rng_below(&rng, 10) < bad[k])
				continue;
			targets_answer(g, rng_below(&rng, 2), k);
			answered |= 1U << k;
		}
		told[0] = '\0';
		targets_end_round(g, &rules, round * NS_PER_SEC, &reports);
		play_model(answered, round, &turn);
		if (what < 8)
			order(rng_below(&rng, N), (enum policy_state)rng_below(&rng, 3));
		else if (what == 8)
			reload(states);
		while (prefixes_due(&prefixes, 1))
			prefixes_settle(&prefixes, 1);
		for (unsigned k = 0; k < N; k++) {
			ck_assert_uint_eq(
			    settings.conf.core.policies->table[0].states[k], state_of(k));
			n_down += state_of(k) == POLICY_DOWN;
		}
	}
	ck_assert_uint_gt(n_down, 100);
	prefix_states_free(states);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, one_prefix_of_two);
	tcase_add_test(tc, the_fault_of_a_target);
	tcase_add_test(tc, what_was_not_asked_has_not_failed);
	tcase_add_test(tc, one_target_is_enough);
	tcase_add_test(tc, groups);
	tcase_add_test(tc, nothing_is_asked_by_default);
	tcase_add_test(tc, there_is_a_limit);
	tcase_add_test(tc, a_reload_keeps_what_is_known);
	tcase_add_loop_test(tc, a_model_agrees, 0, 20);
}
