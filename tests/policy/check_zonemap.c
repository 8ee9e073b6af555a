/* SPDX-License-Identifier: BSD-2-Clause */
/* Zones to numbers: the longest match, against a search through a list. RFC 4343. */

#include "policy/zonemap.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "dns/name.h"
#include "support/guard.h"
#include "support/tests.h"

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))
#define UNTOUCHED 12345

static struct zonemap *z;

static void
set_up(void)
{
	guard_setup();
	z = zonemap_new();
	ck_assert_ptr_nonnull(z);
}

static void
tear_down(void)
{
	zonemap_free(z);
	guard_teardown();
}

static int
add(const char *text, uint32_t value)
{
	uint8_t name[DNS_NAME_MAX];

	ck_assert_uint_gt(name_from_text(text, name), 0);
	return zonemap_add(z, name, value);
}

static uint32_t
find_name(const uint8_t *name, size_t len, size_t *at)
{
	struct zonemap_path path;

	zonemap_path(&path, name, len);
	return zonemap_find(z, &path, at);
}

/* The value of this very zone; ZONEMAP_NONE if it has none. */
static uint32_t
value_of(const uint8_t *zone)
{
	size_t at = UNTOUCHED;
	uint32_t value = find_name(zone, name_len(zone), &at);

	return at == 0 ? value : ZONEMAP_NONE;
}

static uint32_t
get(const char *text)
{
	uint8_t name[DNS_NAME_MAX];

	ck_assert_uint_gt(name_from_text(text, name), 0);
	return value_of(name);
}

/* The zone found must begin where it says: in *rest is the text from there. */
static uint32_t
find(const char *text, char rest[static NAME_TEXT])
{
	uint8_t name[DNS_NAME_MAX];
	size_t len = name_from_text(text, name);
	size_t at = UNTOUCHED;
	uint32_t v;

	ck_assert_uint_gt(len, 0);
	v = find_name(guard_put(&guard, name, len), len, &at);
	rest[0] = '\0';
	if (v == ZONEMAP_NONE) {
		ck_assert_uint_eq(at, UNTOUCHED);
	} else {
		ck_assert_uint_lt(at, len);
		name_to_text(name + at, rest);
	}
	return v;
}

struct find_case {
	const char *name;
	uint32_t value;
	const char *rest;
};

static void
expect(const struct find_case *cases, size_t n)
{
	char rest[NAME_TEXT];

	for (size_t i = 0; i < n; i++) {
		uint32_t v = find(cases[i].name, rest);

		ck_assert_msg(v == cases[i].value && strcmp(rest, cases[i].rest) == 0,
		    "%s: %u at %s", cases[i].name, v, rest);
	}
}

START_TEST(empty_map_finds_nothing)
{
	static const struct find_case none[] = { { ".", ZONEMAP_NONE, "" },
		{ "a", ZONEMAP_NONE, "" }, { "www.example.com", ZONEMAP_NONE, "" } };
	static const struct find_case root[] = { { ".", 0, "." }, { "a", 0, "." },
		{ "www.example.com", 0, "." } };

	expect(none, N_OF(none));
	ck_assert_uint_eq(get("."), ZONEMAP_NONE);
	ck_assert_uint_eq(get("com"), ZONEMAP_NONE);
	ck_assert_int_eq(add(".", 0), 0);
	ck_assert_uint_eq(get("."), 0);
	ck_assert_uint_eq(get("com"), ZONEMAP_NONE);
	expect(root, N_OF(root));
	zonemap_free(NULL);
}
END_TEST

/* RULES D13: zone lists match QNAME, longest match. */
START_TEST(the_longest_counts)
{
	static const struct find_case cases[] = {
		{ "example.com", 1, "example.com." },
		{ "www.EXAMPLE.com", 1, "EXAMPLE.com." },
		{ "a.b.c.d.example.COM", 1, "example.COM." },
		{ "a.b.c.example.com", 2, "a.b.c.example.com." },
		{ "x.a.b.c.example.com", 2, "a.b.c.example.com." },
		{ "b.c.example.com", 1, "example.com." },
		{ "wwwexample.com", ZONEMAP_NONE, "" },
		{ "xample.com", ZONEMAP_NONE, "" },
		{ "com", ZONEMAP_NONE, "" },
		{ "example.com.org", ZONEMAP_NONE, "" },
		{ "co", ZONEMAP_NONE, "" },
		{ "con", ZONEMAP_NONE, "" },
		{ "cxm", ZONEMAP_NONE, "" },
		{ "comm", ZONEMAP_NONE, "" },
		{ "net", 3, "net." },
		{ "www.Net", 3, "Net." },
		{ "very.long.example.net", 4, "very.long.example.net." },
		{ "long.example.net", 3, "net." },
		{ "x", 5, "x." },
		{ "www.X", 5, "X." },
		{ "y.x", 6, "y.x." },
		{ "z.y.x", 6, "y.x." },
		{ "y", ZONEMAP_NONE, "" },
		{ ".", ZONEMAP_NONE, "" },
	};

	ck_assert_int_eq(add("Example.Com", 1), 0);
	ck_assert_int_eq(add("a.b.c.example.com", 2), 0);
	ck_assert_int_eq(add("very.long.example.net", 4), 0);
	ck_assert_int_eq(add("net", 3), 0);
	ck_assert_int_eq(add("x", 5), 0);
	ck_assert_int_eq(add("y.X", 6), 0);
	expect(cases, N_OF(cases));
}
END_TEST

/* With a value for the root none is left without one. */
START_TEST(beside_the_root)
{
	static const struct find_case cases[] = { { "example.com", 1, "example.com." },
		{ "example.org", 7, "." }, { "com", 7, "." }, { "b.com", 7, "." },
		{ ".", 7, "." } };

	ck_assert_int_eq(add(".", 7), 0);
	ck_assert_int_eq(add("example.com", 1), 0);
	expect(cases, N_OF(cases));
}
END_TEST

START_TEST(zone_added_twice_is_refused)
{
	static const char *const zones[] = { ".", "com", "EXAMPLE.com", "a.b.c.d.e" };

	for (uint32_t i = 0; i < N_OF(zones); i++) {
		ck_assert_int_eq(add(zones[i], i), 0);
		ck_assert_int_eq(add(zones[i], 100), -EEXIST);
		ck_assert_uint_eq(get(zones[i]), i);
	}
	ck_assert_int_eq(add("eXample.COM", 100), -EEXIST);
	ck_assert_uint_eq(get("eXample.COM"), 2);
	/* Not a zone, though there is one below. */
	ck_assert_uint_eq(get("e"), ZONEMAP_NONE);
	ck_assert_uint_eq(get("d.e"), ZONEMAP_NONE);
	ck_assert_int_eq(add("e", 9), 0);
	ck_assert_uint_eq(get("e"), 9);
	ck_assert_uint_eq(get("a.b.c.d.e"), 3);
}
END_TEST

/*
 * RFC 4343 section 3: only letters fold; what differs from another byte in the same bit does not.
 */
START_TEST(only_letters_fold)
{
	static const struct find_case cases[] = { { "www.@[\\\\]^_x", 1, "@[\\\\]^_x." },
		{ "www.`{|}~\\127x", ZONEMAP_NONE, "" }, { "www.AZ", 2, "AZ." },
		{ "www.\\225\\250", ZONEMAP_NONE, "" } };
	char rest[NAME_TEXT];

	ck_assert_int_eq(add("@[\\\\]^_X", 1), 0);
	ck_assert_int_eq(add("az", 2), 0);
	for (size_t i = 0; i < N_OF(cases); i++)
		ck_assert_uint_eq(find(cases[i].name, rest), cases[i].value);
	/* Labels of 1 and 33 bytes: their lengths differ in the bit of case. */
	ck_assert_int_eq(add("a.b33.org", 3), 0);
	ck_assert_uint_eq(get("A.B33.ORG"), 3);
	ck_assert_uint_eq(get("\\001.b33.org"), ZONEMAP_NONE);
}
END_TEST

/* Bytes that are no letters but differ in the same bit: one hash, and zones below one or both. */
START_TEST(zones_of_one_hash_are_apart)
{
	static const struct find_case cases[] = { { "@.org", 1, "\\@.org." },
		{ "`.org", 2, "`.org." }, { "x.@.org", 3, "x.\\@.org." },
		{ "x.`.org", 2, "`.org." }, { "y.@.org", 1, "\\@.org." },
		{ "x.[.net", 4, "x.[.net." }, { "[.net", ZONEMAP_NONE, "" },
		{ "{.net", 5, "{.net." }, { "x.{.net", 5, "{.net." } };

	ck_assert_int_eq(add("@.org", 1), 0);
	ck_assert_int_eq(add("`.org", 2), 0);
	ck_assert_int_eq(add("x.@.org", 3), 0);
	ck_assert_int_eq(add("x.[.net", 4), 0);
	ck_assert_int_eq(add("{.net", 5), 0);
	expect(cases, N_OF(cases));
	for (unsigned i = 0; i < 500; i++) {
		char text[32];

		(void)snprintf(text, sizeof(text), "zone%u.org", i);
		ck_assert_int_eq(add(text, 100), 0);
		expect(cases, N_OF(cases));
	}
}
END_TEST

/* Labels of every length, alone in a name, behind others and before others. */
START_TEST(labels_of_all_lengths_are_found)
{
	static const char *const before[] = { "", "", "www.", "" };
	static const char *const behind[] = { "", ".a", ".bc", ".example" };
	char lower[DNS_LABEL_MAX + 1], upper[DNS_LABEL_MAX + 1];
	char text[NAME_TEXT], rest[NAME_TEXT];

	for (uint32_t size = 1; size <= DNS_LABEL_MAX; size++) {
		lower[size - 1] = (char)('c' + size % 20);
		upper[size - 1] = (char)('C' + size % 20);
		lower[size] = upper[size] = '\0';
		for (unsigned k = 0; k < N_OF(before); k++) {
			(void)snprintf(text, sizeof(text), "%s%s%s", before[k], lower, behind[k]);
			ck_assert_uint_eq(find(text, rest), ZONEMAP_NONE);
			ck_assert_int_eq(add(text, size), 0);
			ck_assert_uint_eq(find(text, rest), size);
			(void)snprintf(text, sizeof(text), "%s%s%s", before[k], upper, behind[k]);
			ck_assert_uint_eq(find(text, rest), size);
			ck_assert_uint_eq(get(text), size);
		}
	}
}
END_TEST

/* Zones of every depth that a name can have. */
START_TEST(zones_of_all_depths_are_found)
{
	uint32_t last = ZONEMAP_NONE;
	uint8_t name[DNS_NAME_MAX];
	size_t at;

	for (unsigned i = 0; i < DNS_NAME_MAX - 1; i += 2) {
		name[i] = 1;
		name[i + 1] = 'a';
	}
	name[DNS_NAME_MAX - 1] = 0;
	for (unsigned depth = 1; depth <= 127; depth += 1 + depth / 60) {
		size_t len = 2 * depth + 1;

		ck_assert_int_eq(zonemap_add(z, name + DNS_NAME_MAX - len, depth), 0);
		for (unsigned below = depth; below <= 127; below++) {
			const uint8_t *start = name + DNS_NAME_MAX - (2 * below + 1);

			ck_assert_uint_eq(find_name(start, 2 * below + 1, &at), depth);
			ck_assert_uint_eq(at, 2 * (below - depth));
		}
		ck_assert_uint_eq(find_name(name + DNS_NAME_MAX - len + 2, len - 2, &at), last);
		last = depth;
	}
}
END_TEST

/* --- Against a search through a list ---------------------------------------------------------- */

#define MANY 600

struct zone {
	uint8_t name[DNS_NAME_MAX];
	uint32_t value;
};

static struct zone zones[MANY];
static size_t n_zones;

/* A name of few different labels, so that zones lie in one another; in any case. */
static size_t
draw_name(struct rng *r, uint8_t name[static DNS_NAME_MAX])
{
	static const char *const labels[] = { "a", "b", "ab", "www", "com", "example", "exampl@",
		"exampl`", "eightlen", "ninebytes", "sixteen-bytes-id",
		"a-label-of-thirty-three-bytes-len", "[x]", "{x}" };
	unsigned n = rng_below(r, rng_below(r, 8) == 0 ? 20 : 5);
	size_t len = 0;

	for (unsigned i = 0; i < n; i++) {
		const char *label = labels[rng_below(r, N_OF(labels))];
		size_t size = strlen(label);

		if (len + 1 + size + 1 > DNS_NAME_MAX)
			break;
		name[len++] = (uint8_t)size;
		for (size_t k = 0; k < size; k++)
			name[len++] =
			    (uint8_t)(rng_below(r, 3) == 0 ? toupper(label[k]) : label[k]);
	}
	name[len] = 0;
	return len + 1;
}

static const struct zone *
list_find(const uint8_t *name)
{
	const struct zone *longest = NULL;

	for (size_t i = 0; i < n_zones; i++) {
		if (!name_is_below(name, zones[i].name))
			continue;
		if (longest == NULL || name_len(zones[i].name) > name_len(longest->name))
			longest = &zones[i];
	}
	return longest;
}

static void
compare(struct rng *r)
{
	uint8_t drawn[DNS_NAME_MAX];

	for (unsigned i = 0; i < 50; i++) {
		size_t len = draw_name(r, drawn);
		const uint8_t *name = guard_put(&guard, drawn, len);
		const struct zone *wanted = list_find(name);
		size_t at = UNTOUCHED;
		uint32_t v = find_name(name, len, &at);

		ck_assert_uint_eq(v, wanted == NULL ? ZONEMAP_NONE : wanted->value);
		ck_assert_uint_eq(at, wanted == NULL ? UNTOUCHED : len - name_len(wanted->name));
	}
}

START_TEST(as_in_a_list)
{
	struct rng r;

	rng_init_seeded(&r, (uint64_t)_i);
	n_zones = 0;
	compare(&r);
	for (unsigned i = 0; i < MANY; i++) {
		struct zone *zone = &zones[n_zones];
		size_t len = draw_name(&r, zone->name);
		const uint8_t *name = guard_put(&guard, zone->name, len);
		const struct zone *known = list_find(name);
		bool exists = known != NULL && name_equal(known->name, name);

		zone->value = rng_u32(&r) >> 1;
		ck_assert_uint_eq(value_of(name), exists ? known->value : ZONEMAP_NONE);
		ck_assert_int_eq(zonemap_add(z, name, zone->value), exists ? -EEXIST : 0);
		ck_assert_uint_eq(value_of(name), exists ? known->value : zone->value);
		n_zones += !exists;
		if (i % 16 == 0)
			compare(&r);
	}
	compare(&r);
	for (size_t i = 0; i < n_zones; i++)
		ck_assert_uint_eq(value_of(zones[i].name), zones[i].value);
}
END_TEST

START_TEST(twenty_thousand_zones_are_found)
{
	char text[64];
	char rest[NAME_TEXT];

	for (uint32_t i = 0; i < 20000; i++) {
		(void)snprintf(text, sizeof(text), "zone%u.tld%u", i, i % 700);
		ck_assert_int_eq(add(text, i), 0);
	}
	for (uint32_t i = 0; i < 20000; i++) {
		(void)snprintf(text, sizeof(text), "www.ZONE%u.Tld%u", i, i % 700);
		ck_assert_uint_eq(find(text, rest), i);
		(void)snprintf(text, sizeof(text), "www.zone%u.tld%u", i, (i + 1) % 700);
		ck_assert_uint_eq(find(text, rest), ZONEMAP_NONE);
	}
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, empty_map_finds_nothing);
	tcase_add_test(tc, the_longest_counts);
	tcase_add_test(tc, beside_the_root);
	tcase_add_test(tc, zone_added_twice_is_refused);
	tcase_add_test(tc, only_letters_fold);
	tcase_add_test(tc, zones_of_one_hash_are_apart);
	tcase_add_test(tc, labels_of_all_lengths_are_found);
	tcase_add_test(tc, zones_of_all_depths_are_found);
	tcase_add_loop_test(tc, as_in_a_list, 0, 8);
	tcase_add_test(tc, twenty_thousand_zones_are_found);
}
