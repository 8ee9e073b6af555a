/* SPDX-License-Identifier: BSD-2-Clause */
/* How fakedns reads names; check_fake_answer tests what it then says. */

#include "tools/fake_name.h"

#include <stdio.h>
#include <string.h>

#include "dns/name.h"
#include "support/tests.h"

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))

static void
read_name(const char *zone, const char *text, struct fake_name *out)
{
	uint8_t name[DNS_NAME_MAX];
	struct fake_zone z;

	ck_assert_uint_gt(name_from_text(zone, name), 0);
	fake_zone_init(&z, name);
	size_t len = name_from_text(text, name);
	ck_assert_uint_gt(len, 0);
	memset(out, 0xa5, sizeof(*out));
	fake_name_read(&z, name, len, out);
}

struct reading {
	const char *zone;
	const char *name;
	enum fake_kind kind;
	unsigned n; /* FAKE_MANY, FAKE_TEXT */
	unsigned n_cnames;
};

static const struct reading readings[] = {
	{ "test", "test", FAKE_APEX, 0, 0 },
	{ "test", "TEST", FAKE_APEX, 0, 0 },
	{ "test", "xtest", FAKE_OUTSIDE, 0, 0 },
	{ "test", "1-2-3-4.test", FAKE_ADDRESS, 0, 0 },
	{ "test", "1-2-3-4.test.test", FAKE_NOTHING, 0, 0 },
	{ "test", "1-2-3-4.aaaa-40.test", FAKE_ADDRESS, 0, 0 },
	{ "test", "1-2-3-4.aaaa-100.test", FAKE_ADDRESS, 0, 0 },
	{ "test", "1-2-3-4.aaaa-101.test", FAKE_NOTHING, 0, 0 },
	{ "test", "1-2-3-4.aaaa-.test", FAKE_NOTHING, 0, 0 },
	{ "test", "1-2-3-4.aaaa-40x.test", FAKE_NOTHING, 0, 0 },
	{ "test", "1-2-3-4.x.aaaa-40.test", FAKE_NOTHING, 0, 0 },
	{ "test", "1-2-3-4.aaaa-40.x.test", FAKE_NOTHING, 0, 0 },
	{ ".", "1-2-3-4.aaaa-40", FAKE_ADDRESS, 0, 0 },
	{ "test", "nx-1-2-3-4.aaaa-40.test", FAKE_NOTHING, 0, 0 },
	{ "test", "servfail-1.aaaa-40.test", FAKE_SERVFAIL, 0, 0 },
	{ "Big.Test", "1-2-3-4.bIG.tEST", FAKE_ADDRESS, 0, 0 },
	{ ".", "1-2-3-4", FAKE_ADDRESS, 0, 0 },
	{ ".", ".", FAKE_APEX, 0, 0 },
	{ ".", "1-2-3-4.test", FAKE_NOTHING, 0, 0 },
	{ ".", "1.e164.arpa", FAKE_NUMBER, 0, 0 },
	/* The zone's last bytes inside a label are not the zone. */
	{ "a", "\\001a", FAKE_OUTSIDE, 0, 0 },
	{ "a", "x\\001a", FAKE_OUTSIDE, 0, 0 },
	{ "test", "many-7.test", FAKE_MANY, 7, 0 },
	{ "test", "MANY-2000.test", FAKE_MANY, 2000, 0 },
	{ "test", "many-.test", FAKE_NOTHING, 0, 0 },
	{ "test", "many-7x.test", FAKE_NOTHING, 0, 0 },
	{ "test", "txt-0.test", FAKE_TEXT, 0, 0 },
	{ "test", "txt-60000.test", FAKE_TEXT, 60000, 0 },
	{ "test", "txt-100000.test", FAKE_NOTHING, 0, 0 },
	{ "test", "cname-1-many-7.test", FAKE_MANY, 7, 1 },
	{ "test", "cname-100-1-2-3-4.test", FAKE_ADDRESS, 0, 100 },
	{ "test", "cname-2-nx-1.test", FAKE_NOTHING, 0, 2 },
	{ "test", "cname-2-drop-1.test", FAKE_SILENT, 0, 2 },
	{ "test", "drop-1.deep.down.test", FAKE_SILENT, 0, 0 },
	{ "test", "servfail-.test", FAKE_SERVFAIL, 0, 0 },
	{ "test", "refused-x.test", FAKE_REFUSED, 0, 0 },
	{ "test", "drop.test", FAKE_NOTHING, 0, 0 },
	{ "test", "e164.arpa", FAKE_APEX, 0, 0 },
	{ "test", "1.1.e164.arpa", FAKE_NUMBER, 0, 0 },
	{ "test", "in-addr.arpa", FAKE_APEX, 0, 0 },
	{ "test", "0.in-addr.arpa", FAKE_EMPTY, 0, 0 },
	{ "test", "1.2.3.4.in-addr.arpa", FAKE_POINTER, 0, 0 },
	{ "test", "00.2.3.4.in-addr.arpa", FAKE_NOTHING, 0, 0 },
	{ "test", "1.ip6.arpa", FAKE_OUTSIDE, 0, 0 },
};

START_TEST(names_have_their_kind)
{
	const struct reading *r = &readings[_i];
	struct fake_name n;

	read_name(r->zone, r->name, &n);
	ck_assert_msg(n.kind == r->kind, "%s", r->name);
	if (r->kind == FAKE_MANY || r->kind == FAKE_TEXT)
		ck_assert_uint_eq(n.n, r->n);
	ck_assert_uint_eq(n.n_cnames, r->n_cnames);
}
END_TEST

/* The names below aaaa-40 have AAAA as those of a zone of that name with 40 percent have. */
START_TEST(shares_are_zones_of_their_own)
{
	char text[80];
	uint8_t name[DNS_NAME_MAX];
	struct fake_zone alone;
	struct fake_name n;
	unsigned with = 0;

	ck_assert_uint_gt(name_from_text("aaaa-40.test", name), 0);
	fake_zone_init(&alone, name);
	alone.aaaa_percent = 40;
	for (unsigned i = 0; i < 1000; i++) {
		(void)snprintf(text, sizeof(text), "10-0-%u-%u.AAAA-40.test", i / 256, i % 256);
		read_name("test", text, &n);
		ck_assert_int_eq(n.has_aaaa, fake_zone_has_aaaa(&alone, n.lower + 1, n.lower[0]));
		ck_assert_uint_eq(n.zone_at, strlen(text) - 4);
		with += n.has_aaaa;
	}
	ck_assert_uint_gt(with, 340);
	ck_assert_uint_lt(with, 460);
	read_name("test", "10-0-0-1.aaaa-0.test", &n);
	ck_assert(!n.has_aaaa);
	read_name("test", "10-0-0-1.aaaa-100.test", &n);
	ck_assert(n.has_aaaa);
}
END_TEST

START_TEST(addresses_and_numbers_are_in_order)
{
	static const uint8_t v4[4] = { 192, 0, 2, 33 };
	struct fake_name n;

	read_name("test", "33.2.0.192.in-addr.arpa", &n);
	ck_assert_mem_eq(n.v4, v4, sizeof(v4));
	read_name("test", "192-0-2-33.test", &n);
	ck_assert_mem_eq(n.v4, v4, sizeof(v4));
	read_name("test", "4.3.2.1.e164.arpa", &n);
	ck_assert_str_eq(n.digits, "1234");
	ck_assert_uint_eq(n.n_digits, 4);
}
END_TEST

START_TEST(names_have_their_quirks)
{
	struct fake_name n;

	read_name("test", "aaaafail-1-2-3-4.test", &n);
	ck_assert_int_eq(n.kind, FAKE_ADDRESS);
	ck_assert_int_eq(n.quirk, FAKE_TYPE_FAILS);
	ck_assert_uint_eq(n.quirk_type, DNS_TYPE_AAAA);
	read_name("test", "adrop-1-2-3-4.test", &n);
	ck_assert_int_eq(n.quirk, FAKE_TYPE_SILENT);
	ck_assert_uint_eq(n.quirk_type, DNS_TYPE_A);
	read_name("test", "aaaaonly-1-2-3-4.test", &n);
	ck_assert_int_eq(n.kind, FAKE_ADDRESS);
	ck_assert_int_eq(n.quirk, FAKE_TYPE_MISSING);
	ck_assert_uint_eq(n.quirk_type, DNS_TYPE_A);
	ck_assert(n.has_aaaa);
	read_name("test", "both-1-2-3-4.test", &n);
	ck_assert_int_eq(n.kind, FAKE_ADDRESS);
	ck_assert_int_eq(n.quirk, FAKE_BOTH_TYPES);
	ck_assert(n.has_aaaa);
	read_name("test", "adrop-x.test", &n);
	ck_assert_int_eq(n.kind, FAKE_NOTHING);
	ck_assert_int_eq(n.quirk, FAKE_SOUND);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_loop_test(tc, names_have_their_kind, 0, N_OF(readings));
	tcase_add_test(tc, shares_are_zones_of_their_own);
	tcase_add_test(tc, addresses_and_numbers_are_in_order);
	tcase_add_test(tc, names_have_their_quirks);
}
