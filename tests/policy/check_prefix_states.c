/* SPDX-License-Identifier: BSD-2-Clause */
/* The state of a prefix that follows from its line and what is reported of it. RULES D15, D36. */

#include "policy/prefix_states.h"

#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "support/tests.h"

#define GROUP 7
#define N 5 /* prefixes of the policy */

static struct prefix_states *states;
static struct policy policy;

static void
set_up(void)
{
	states = prefix_states_new();
	ck_assert_ptr_nonnull(states);
	memset(&policy, 0, sizeof(policy));
	policy.synth.n_prefixes = N;
	for (unsigned i = 0; i < N; i++) {
		char text[PREF64_TEXT];

		snprintf(text, sizeof(text), "2001:db8:%u::/96", i);
		ck_assert_int_eq(pref64_parse(text, &policy.synth.prefixes[i]), PREF64_OK);
	}
}

static void
tear_down(void)
{
	prefix_states_free(states);
}

static void
report(uint64_t group, unsigned prefix, enum policy_state state)
{
	ck_assert(prefix_states_put(states,
	    &(const struct prefix_report){ .group = group,
		.prefix = policy.synth.prefixes[prefix],
		.cause = POLICY_PROBE,
		.state = state }));
}

/* The policy of GROUP when its lines have the states that LINES names by their first letters
 * ("aadxa" with x for down); what it is then, likewise. */
static const char *
with(const char *lines)
{
	static const char letters[] = {
		[POLICY_ACTIVE] = 'a', [POLICY_DRAIN] = 'd', [POLICY_DOWN] = 'x'
	};
	static char now[N + 1];
	struct policy p = policy;

	for (unsigned i = 0; i < N; i++)
		p.states[i] = (uint8_t)((const char *)memchr(letters, lines[i], 3) - letters);
	prefix_states_lower(states, GROUP, &p);
	policy.held = p.held;
	memcpy(policy.causes, p.causes, sizeof(policy.causes));
	for (unsigned i = 0; i < N; i++)
		now[i] = letters[p.states[i]];
	return now;
}

START_TEST(the_lower_one_holds)
{
	ck_assert_str_eq(with("aaxda"), "aaxda");
	report(GROUP, 0, POLICY_DOWN);
	report(GROUP, 2, POLICY_ACTIVE);
	report(GROUP, 3, POLICY_DOWN);
	report(GROUP + 1, 4, POLICY_DOWN); /* of others */
	ck_assert_str_eq(with("aaxda"), "xaxxa");
	ck_assert_uint_eq(policy.causes[0], POLICY_PROBE);
	ck_assert_uint_eq(policy.causes[1], POLICY_CONFIGURED);
	ck_assert_uint_eq(policy.causes[2], POLICY_CONFIGURED);
	ck_assert_uint_eq(policy.causes[3], POLICY_PROBE);
	ck_assert_uint_eq(policy.held, POLICY_NONE_HELD);
	report(GROUP, 0, POLICY_ACTIVE);
	ck_assert_str_eq(with("aaxda"), "aaxxa");
}
END_TEST

/* Reports take the last one from nobody; the lines do. */
START_TEST(the_last_one_stays)
{
	report(GROUP, 1, POLICY_DOWN);
	report(GROUP, 0, POLICY_DOWN);
	ck_assert_str_eq(with("aaxxx"), "axxxx");
	ck_assert_uint_eq(policy.held, 0);
	ck_assert_uint_eq(policy.causes[0], POLICY_CONFIGURED);
	report(GROUP, 1, POLICY_DOWN); /* it failed last now */
	ck_assert_str_eq(with("aaxxx"), "xaxxx");
	ck_assert_str_eq(with("daxxx"), "xaxxx");
	ck_assert_str_eq(with("dxxxx"), "xxxxx");
	ck_assert_uint_eq(policy.held, POLICY_NONE_HELD);
}
END_TEST

/* What only a map line names has no reports, and keeps nobody's last one. */
START_TEST(map_lines_do_not_count)
{
	policy.mapped_only[1] = true;
	report(GROUP, 0, POLICY_DOWN);
	report(GROUP, 1, POLICY_DOWN);
	ck_assert_str_eq(with("aaxxx"), "aaxxx");
	ck_assert_uint_eq(policy.held, 0);
}
END_TEST

static bool
is_odd(const void *arg, const struct prefix_report *r)
{
	(void)arg;
	return r->prefix.addr[5] % 2 == 1;
}

START_TEST(what_is_dropped_is_forgotten)
{
	for (unsigned i = 0; i < N; i++)
		report(GROUP, i, POLICY_DRAIN);
	prefix_states_drop(states, POLICY_DISCOVERY, is_odd, NULL);
	ck_assert_str_eq(with("aaaaa"), "dddda");
	prefix_states_drop(states, POLICY_PROBE, is_odd, NULL);
	ck_assert_str_eq(with("aaaaa"), "adada");
	ck_assert_ptr_null(
	    prefix_states_find(states, POLICY_PROBE, GROUP, &policy.synth.prefixes[0]));
	for (unsigned i = 0; i < N; i++)
		report(GROUP, i, POLICY_DOWN);
	ck_assert_str_eq(with("aaaaa"), "xxxxa");
}
END_TEST

/* A small model: for each prefix its line, its report, and when that came. */
START_TEST(a_model_agrees)
{
	struct rng rng;
	unsigned line[N] = { 0 }, said[N] = { 0 }, when[N] = { 0 };
	static const char letters[] = "adx";

	rng_init_seeded(&rng, 29);
	for (unsigned turn = 1; turn < 20000; turn++) {
		unsigned i = rng_below(&rng, N), last = 0, up = 0, lines = 0;
		char want[N + 1] = "", given[N + 1] = "";

		if (rng_below(&rng, 2) == 0) {
			line[i] = rng_below(&rng, 3);
		} else {
			said[i] = rng_below(&rng, 3);
			when[i] = turn;
			report(GROUP, i, (enum policy_state)said[i]);
		}
		for (unsigned k = 0; k < N; k++) {
			unsigned low = said[k] > line[k] ? said[k] : line[k];

			given[k] = letters[line[k]];
			want[k] = letters[low];
			up += low == POLICY_ACTIVE;
			lines += line[k] == POLICY_ACTIVE;
			if (line[k] == POLICY_ACTIVE &&
			    (line[last] != POLICY_ACTIVE || when[k] > when[last]))
				last = k;
		}
		if (up == 0 && lines > 0)
			want[last] = 'a';
		ck_assert_str_eq(with(given), want);
	}
}
END_TEST

/* A group of which nothing was reported yet goes by others, and has their reports until its own. */
START_TEST(a_new_group_goes_by_others)
{
	report(GROUP + 1, 1, POLICY_DOWN);
	report(GROUP + 1, 2, POLICY_ACTIVE);
	ck_assert_str_eq(with("aaaaa"), "axaaa");
	report(GROUP, 0, POLICY_ACTIVE);
	ck_assert_str_eq(with("aaaaa"), "aaaaa");
	for (unsigned i = 1; i < 4; i++)
		ck_assert(
		    prefix_states_adopt(states, POLICY_PROBE, GROUP, &policy.synth.prefixes[i]));
	ck_assert_ptr_null(
	    prefix_states_find(states, POLICY_PROBE, GROUP, &policy.synth.prefixes[2]));
	ck_assert_str_eq(with("aaaaa"), "axaaa");
	report(GROUP + 1, 1, POLICY_ACTIVE);
	ck_assert_str_eq(with("aaaaa"), "axaaa");
	report(GROUP, 1, POLICY_ACTIVE);
	ck_assert_str_eq(with("aaaaa"), "aaaaa");
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, the_lower_one_holds);
	tcase_add_test(tc, the_last_one_stays);
	tcase_add_test(tc, map_lines_do_not_count);
	tcase_add_test(tc, what_is_dropped_is_forgotten);
	tcase_add_test(tc, a_new_group_goes_by_others);
	tcase_add_test(tc, a_model_agrees);
}
