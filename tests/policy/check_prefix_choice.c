/* SPDX-License-Identifier: BSD-2-Clause */
/* Which of several prefixes an answer has: shares by weight, the same on all machines. RULES D13.
 */

#include "policy/prefix_choice.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "support/tests.h"

#define CLIENTS 100000

/* General prefixes with their weights, as a policy has them. */
struct table {
	struct synth_policy synth;
	struct prefix_choice choice;
};

static void
add(struct table *t, const char *prefix, uint16_t weight)
{
	uint8_t at = t->synth.n_prefixes++;

	ck_assert_int_eq(pref64_parse(prefix, &t->synth.prefixes[at]), PREF64_OK);
	t->choice.weights[at] = weight;
	t->synth.general[t->synth.n_general++] = at;
}

static struct table
table_of(const char *const *prefixes, const uint16_t *weights, size_t n, enum prefix_choice_way way)
{
	struct table t = { .synth = { .n_prefixes = 0 } };

	for (size_t i = 0; i < n; i++)
		add(&t, prefixes[i], weights[i]);
	prefix_choice_settle(&t.choice, &t.synth, way);
	return t;
}

/* Client I: even ones by IPv6, each in a /64 of its own, odd ones by IPv4. */
static struct netaddr
client(unsigned i)
{
	struct netaddr a = { .family = i % 2 == 0 ? NETADDR_IPV6 : NETADDR_IPV4 };
	uint8_t *at = a.addr + (i % 2 == 0 ? 4 : 0);

	if (i % 2 == 0)
		memcpy(a.addr, (uint8_t[]){ 0x20, 0x01, 0x0d, 0xb8 }, 4);
	at[1] = (uint8_t)(i >> 16);
	at[2] = (uint8_t)(i >> 8);
	at[3] = (uint8_t)i;
	return a;
}

/* The prefix of client I. */
static const struct pref64 *
prefix_of(const struct table *t, unsigned i)
{
	const struct netaddr a = client(i);

	return &t->synth
		    .prefixes[t->synth.general[prefix_choice_place(&t->choice, &t->synth, &a, 0)]];
}

/* How many clients have each prefix of T, to N; at the indices of prefixes. */
static void
count_clients(const struct table *t, unsigned n[static SYNTH_MAX_PREFIXES])
{
	memset(n, 0, SYNTH_MAX_PREFIXES * sizeof(n[0]));
	for (unsigned i = 0; i < CLIENTS; i++)
		n[prefix_of(t, i) - t->synth.prefixes]++;
}

static const char *const four[] = { "2001:db8:1::/96", "2001:db8:2::/96", "2001:db8:2::/64",
	"64:ff9b::/96" };
static const char *const four_otherwise[] = { "64:ff9b::/96", "2001:db8:2::/64", "2001:db8:2::/96",
	"2001:db8:1::/96" };

/* Shares of weights, within 2 %. */
START_TEST(clients_by_weight)
{
	static const uint16_t weights[][4] = { { 100, 300 }, { 1, 3 }, { 250, 750 } };
	unsigned n[SYNTH_MAX_PREFIXES];

	for (size_t i = 0; i < sizeof(weights) / sizeof(weights[0]); i++) {
		struct table t = table_of(four, weights[i], 2, PREFIX_CHOICE_CLIENT);

		ck_assert_int_eq(t.choice.way, PREFIX_CHOICE_WEIGHTED_CLIENT);
		count_clients(&t, n);
		ck_assert_uint_ge(n[0], CLIENTS / 4 - CLIENTS / 200);
		ck_assert_uint_le(n[0], CLIENTS / 4 + CLIENTS / 200);
		ck_assert_uint_eq(n[0] + n[1], CLIENTS);
	}
}
END_TEST

/* 1 beside 1000, and lengths that differ alone. */
START_TEST(clients_by_weights_far_apart)
{
	static const uint16_t weights[] = { 1, 1000, 500, 499 };
	struct table t = table_of(four, weights, 4, PREFIX_CHOICE_CLIENT);
	unsigned n[SYNTH_MAX_PREFIXES];

	count_clients(&t, n);
	ck_assert_uint_ge(n[0], 25);
	ck_assert_uint_le(n[0], 75);
	ck_assert_uint_ge(n[1], CLIENTS / 2 - CLIENTS / 100);
	ck_assert_uint_le(n[1], CLIENTS / 2 + CLIENTS / 100);
	ck_assert_uint_ge(n[2], CLIENTS / 4 - CLIENTS / 200);
	ck_assert_uint_le(n[2], CLIENTS / 4 + CLIENTS / 200);
}
END_TEST

/* Two machines whose files have the prefixes in another order. */
START_TEST(the_order_of_lines_does_not_count)
{
	static const uint16_t weights[][4] = { { 100, 300, 200, 7 }, { 100, 100, 100, 100 } };
	static const uint16_t otherwise[][4] = { { 7, 200, 300, 100 }, { 100, 100, 100, 100 } };

	for (size_t k = 0; k < 2; k++) {
		struct table a = table_of(four, weights[k], 4, PREFIX_CHOICE_CLIENT);
		struct table b = table_of(four_otherwise, otherwise[k], 4, PREFIX_CHOICE_CLIENT);

		for (unsigned i = 0; i < CLIENTS; i++)
			ck_assert(pref64_same(prefix_of(&a, i), prefix_of(&b, i)));
	}
}
END_TEST

/* One goes down: only its clients move; when it is back, so are they. */
START_TEST(only_clients_of_what_goes_move)
{
	static const uint16_t weights[] = { 100, 300, 200, 7 };

	for (unsigned gone = 0; gone < 4; gone++) {
		struct table all = table_of(four, weights, 4, PREFIX_CHOICE_CLIENT), t = all;

		memmove(t.synth.general + gone, t.synth.general + gone + 1, 3U - gone);
		t.synth.n_general--;
		prefix_choice_settle(&t.choice, &t.synth, PREFIX_CHOICE_CLIENT);
		for (unsigned i = 0; i < CLIENTS / 10; i++) {
			size_t before = (size_t)(prefix_of(&all, i) - all.synth.prefixes);
			size_t now = (size_t)(prefix_of(&t, i) - t.synth.prefixes);

			ck_assert(before == gone ? now != gone : now == before);
		}
	}
}
END_TEST

/* A weight that grows takes clients from all others, and moves none between these. */
START_TEST(a_larger_weight_only_attracts)
{
	static const uint16_t before[] = { 100, 300, 200, 7 }, after[] = { 100, 400, 200, 7 };
	struct table a = table_of(four, before, 4, PREFIX_CHOICE_CLIENT);
	struct table b = table_of(four, after, 4, PREFIX_CHOICE_CLIENT);
	unsigned moved = 0;

	for (unsigned i = 0; i < CLIENTS; i++) {
		size_t was = (size_t)(prefix_of(&a, i) - a.synth.prefixes);
		size_t now = (size_t)(prefix_of(&b, i) - b.synth.prefixes);

		ck_assert(now == was || now == 1);
		moved += now != was;
	}
	/* 400 / 707 - 300 / 607 of them: 7154 */
	ck_assert_uint_ge(moved, 6900);
	ck_assert_uint_le(moved, 7400);
}
END_TEST

/* With equal weights it is the highest hash, as it was before there were any. */
START_TEST(equal_weights_are_as_without)
{
	static const uint16_t weights[] = { 300, 300, 300, 300 };
	struct table t = table_of(four, weights, 4, PREFIX_CHOICE_CLIENT), u = t;

	ck_assert_int_eq(t.choice.way, PREFIX_CHOICE_CLIENT);
	u.choice.way = PREFIX_CHOICE_WEIGHTED_CLIENT;
	for (unsigned i = 0; i < CLIENTS; i++) {
		const struct netaddr a = client(i);
		uint64_t highest = 0;
		size_t best = 0;

		for (size_t k = 0; k < 4; k++) {
			const struct pref64 *p = &t.synth.prefixes[k];
			uint64_t h = hash_bytes(a.addr, a.family == NETADDR_IPV6 ? 8 : 4,
			    hash_bytes(p->addr, sizeof(p->addr), p->len));

			best = h > highest ? k : best;
			highest = h > highest ? h : highest;
		}
		ck_assert_ptr_eq(prefix_of(&t, i), &t.synth.prefixes[best]);
		ck_assert_ptr_eq(prefix_of(&u, i), &u.synth.prefixes[best]);
	}
}
END_TEST

/* These choices must not change: other machines of a site may run another version. */
START_TEST(known_choices)
{
	static const uint16_t weights[] = { 100, 300, 200, 7 };
	struct table t = table_of(four, weights, 4, PREFIX_CHOICE_CLIENT);
	char got[33] = "";

	for (unsigned i = 0; i < 32; i++)
		got[i] = (char)('1' + (prefix_of(&t, i) - t.synth.prefixes));
	ck_assert_str_eq(got, "33211222332221212232312132232312");
}
END_TEST

/* A prefix that is alone, or whose others are not active, is there for all. */
START_TEST(one_is_no_choice)
{
	static const uint16_t weights[] = { 7 };
	struct table t = table_of(four, weights, 1, PREFIX_CHOICE_CLIENT);
	const struct netaddr a = client(1);

	ck_assert_int_eq(t.choice.way, PREFIX_CHOICE_FIRST);
	ck_assert_uint_eq(prefix_choice_place(&t.choice, &t.synth, &a, 5), 0);
	t.synth.n_general = 0;
	prefix_choice_settle(&t.choice, &t.synth, PREFIX_CHOICE_TURNS);
	ck_assert_int_eq(t.choice.way, PREFIX_CHOICE_FIRST);
}
END_TEST

/* The first N turns of T, as digits from 1. */
static const char *
turns(const struct table *t, unsigned n)
{
	static char got[64];
	const struct netaddr a = client(1);

	for (unsigned i = 0; i < n; i++)
		got[i] = (char)('1' + prefix_choice_place(&t->choice, &t->synth, &a, i));
	got[n] = '\0';
	return got;
}

START_TEST(turns_by_weight)
{
	static const uint16_t equal[] = { 5, 5, 5 }, three[] = { 100, 300 };
	static const uint16_t five[] = { 500, 100, 100 }, near[] = { 200, 300 };
	struct table t = table_of(four, equal, 3, PREFIX_CHOICE_TURNS);

	ck_assert_str_eq(turns(&t, 7), "1231231");
	t = table_of(four, three, 2, PREFIX_CHOICE_TURNS);
	ck_assert_str_eq(turns(&t, 9), "122212221");
	t = table_of(four, five, 3, PREFIX_CHOICE_TURNS);
	ck_assert_str_eq(turns(&t, 8), "11121311");
	t = table_of(four, near, 2, PREFIX_CHOICE_TURNS);
	ck_assert_str_eq(turns(&t, 6), "121221");
}
END_TEST

/*
 * After as many turns as all weights together each prefix had as many as its own; and meanwhile
 * none is far from its share.
 */
START_TEST(turns_are_exact_and_spread)
{
	static const uint16_t weights[] = { 1000, 7, 333, 64 };
	struct table t = table_of(four, weights, 4, PREFIX_CHOICE_TURNS);
	const struct netaddr a = client(1);
	unsigned n[4] = { 0 };

	ck_assert_uint_eq(t.choice.n_turns, 1404);
	for (unsigned i = 0; i < 1404; i++) {
		n[prefix_choice_place(&t.choice, &t.synth, &a, i + 1404 * 5)]++;
		for (unsigned k = 0; k < 4; k++) {
			int off = (int)(n[k] * 1404) - (int)((i + 1) * weights[k]);

			ck_assert_int_lt(off, 3 * 1404);
			ck_assert_int_gt(off, -3 * 1404);
		}
	}
	for (unsigned k = 0; k < 4; k++)
		ck_assert_uint_eq(n[k], weights[k]);
}
END_TEST

/* As many prefixes as there can be, with weights that have no common divisor. */
START_TEST(turns_of_many)
{
	struct table t = { .synth = { .n_prefixes = 0 } };
	const struct netaddr a = client(1);
	unsigned n[SYNTH_MAX_PREFIXES] = { 0 };
	char prefix[PREF64_TEXT];

	for (unsigned i = 0; i < SYNTH_MAX_PREFIXES; i++) {
		(void)snprintf(prefix, sizeof(prefix), "2001:db8:%x::/96", i);
		add(&t, prefix, (uint16_t)(PREFIX_CHOICE_WEIGHT_MAX - i));
	}
	prefix_choice_settle(&t.choice, &t.synth, PREFIX_CHOICE_TURNS);
	for (uint32_t i = 0; i < t.choice.n_turns; i++)
		n[prefix_choice_place(&t.choice, &t.synth, &a, i)]++;
	for (unsigned i = 0; i < SYNTH_MAX_PREFIXES; i++)
		ck_assert_uint_eq(n[i], PREFIX_CHOICE_WEIGHT_MAX - i);
	ck_assert_uint_lt(prefix_choice_place(&t.choice, &t.synth, &a, UINT32_MAX), 32);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_test(tc, clients_by_weight);
	tcase_add_test(tc, clients_by_weights_far_apart);
	tcase_add_test(tc, the_order_of_lines_does_not_count);
	tcase_add_test(tc, only_clients_of_what_goes_move);
	tcase_add_test(tc, a_larger_weight_only_attracts);
	tcase_add_test(tc, equal_weights_are_as_without);
	tcase_add_test(tc, known_choices);
	tcase_add_test(tc, one_is_no_choice);
	tcase_add_test(tc, turns_by_weight);
	tcase_add_test(tc, turns_are_exact_and_spread);
	tcase_add_test(tc, turns_of_many);
}
