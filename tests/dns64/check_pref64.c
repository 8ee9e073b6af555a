/* SPDX-License-Identifier: BSD-2-Clause */
/* RFC 6052 sections 2.2-2.4 and 3.1; RULES D14. */

#include "dns64/pref64.h"

#include <arpa/inet.h>
#include <string.h>
#include <sys/socket.h>

#include "support/tests.h"

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))

static struct pref64
prefix(const char *text)
{
	struct pref64 p;

	ck_assert_int_eq(pref64_parse(text, &p), PREF64_OK);
	return p;
}

static void
address(int family, const char *text, uint8_t *out)
{
	ck_assert_msg(inet_pton(family, text, out) == 1, "%s", text);
}

struct vector {
	const char *prefix;
	const char *v4;
	const char *v6;
};

static const struct vector vectors[] = {
	/* RFC 6052 section 2.4, tables 1 and 2. */
	{ "2001:db8::/32", "192.0.2.33", "2001:db8:c000:221::" },
	{ "2001:db8:100::/40", "192.0.2.33", "2001:db8:1c0:2:21::" },
	{ "2001:db8:122::/48", "192.0.2.33", "2001:db8:122:c000:2:2100::" },
	{ "2001:db8:122:300::/56", "192.0.2.33", "2001:db8:122:3c0:0:221::" },
	{ "2001:db8:122:344::/64", "192.0.2.33", "2001:db8:122:344:c0:2:2100::" },
	{ "2001:db8:122:344::/96", "192.0.2.33", "2001:db8:122:344::192.0.2.33" },
	{ "64:ff9b::/96", "192.0.2.33", "64:ff9b::192.0.2.33" },
	/* Every bit set: none may spill into the u octet or the suffix (section 2.2). */
	{ "2001:db8::/32", "255.255.255.255", "2001:db8:ffff:ffff::" },
	{ "2001:db8:100::/40", "255.255.255.255", "2001:db8:1ff:ffff:ff::" },
	{ "2001:db8:122::/48", "255.255.255.255", "2001:db8:122:ffff:ff:ff00::" },
	{ "2001:db8:122:300::/56", "255.255.255.255", "2001:db8:122:3ff:ff:ffff::" },
	{ "2001:db8:122:344::/64", "255.255.255.255", "2001:db8:122:344:ff:ffff:ff00::" },
	{ "2001:db8:1:2:3:4::/96", "255.255.255.255", "2001:db8:1:2:3:4:ffff:ffff" },
};

START_TEST(rfc6052_2_4_embed)
{
	const struct vector *v = &vectors[_i];
	struct pref64 p = prefix(v->prefix);
	uint8_t v4[4], want[16], got[16];

	address(AF_INET, v->v4, v4);
	address(AF_INET6, v->v6, want);
	memset(got, 0xa5, sizeof(got)); /* all 16 bytes must be written */
	pref64_embed(&p, v4, got);
	ck_assert_mem_eq(got, want, sizeof(want));
}
END_TEST

START_TEST(rfc6052_2_4_extract)
{
	const struct vector *v = &vectors[_i];
	struct pref64 p = prefix(v->prefix);
	uint8_t want[4], got[4], v6[16];

	address(AF_INET, v->v4, want);
	address(AF_INET6, v->v6, v6);
	ck_assert(pref64_covers(&p, v6));
	ck_assert(pref64_extract(&p, v6, got));
	ck_assert_mem_eq(got, want, sizeof(want));
}
END_TEST

/* Section 2.2: bits 64-71 are zero; an address in which one is not was not made by this format. */
START_TEST(rfc6052_2_2_u_octet)
{
	struct pref64 p = prefix(vectors[_i].prefix);
	uint8_t v6[16], v4[4];

	address(AF_INET6, vectors[_i].v6, v6);
	for (unsigned bit = 0; bit < 8; bit++) {
		v6[8] = (uint8_t)(1u << bit);
		ck_assert(!pref64_extract(&p, v6, v4));
	}
	v6[8] = 0;
	ck_assert(pref64_extract(&p, v6, v4));
}
END_TEST

/* Section 2.3: what stands behind the IPv4 address is ignored. */
START_TEST(rfc6052_2_3_suffix_ignored)
{
	struct pref64 p = prefix(vectors[_i].prefix);
	uint8_t want[4], got[4], v6[16], other[16];
	unsigned ignored = 0;

	address(AF_INET, vectors[_i].v4, want);
	address(AF_INET6, vectors[_i].v6, v6);
	for (unsigned bit = 0; bit < 128; bit++) {
		memcpy(other, v6, sizeof(v6));
		other[bit / 8] = (uint8_t)(other[bit / 8] ^ 0x80u >> bit % 8);
		if (pref64_extract(&p, other, got) && memcmp(got, want, sizeof(want)) == 0)
			ignored++;
	}
	/* All bits but prefix, IPv4 address and u octet (inside the prefix of a /96). */
	ck_assert_uint_eq(ignored, p.len == 96 ? 0 : 128u - 32 - 8 - p.len);
}
END_TEST

START_TEST(covers_exactly_its_bits)
{
	struct pref64 p = prefix(vectors[_i].prefix);
	uint8_t v6[16];

	for (unsigned bit = 0; bit < 128; bit++) {
		memcpy(v6, p.addr, sizeof(v6));
		v6[bit / 8] = (uint8_t)(v6[bit / 8] ^ 0x80u >> bit % 8);
		ck_assert_msg(pref64_covers(&p, v6) == (bit >= p.len), "bit %u", bit);
	}
}
END_TEST

struct text {
	const char *text;
	enum pref64_verdict verdict;
	const char *prefix; /* what is in *p afterwards; NULL: untouched */
};

static const struct text texts[] = {
	{ "64:ff9b::/96", PREF64_OK, "64:ff9b::/96" },
	{ "64:FF9B:0:0:0:0:0.0.0.0/96", PREF64_OK, "64:ff9b::/96" },
	{ "2001:db8:64::/96", PREF64_OK, "2001:db8:64::/96" },
	{ "2001:db8:dead:beef::/96", PREF64_OK, "2001:db8:dead:beef::/96" },
	{ "2001:db8:1:2:0:3::/96", PREF64_OK, "2001:db8:1:2:0:3::/96" },
	{ "2001:db8:1:2:ff:3::/96", PREF64_OK, "2001:db8:1:2:ff:3::/96" }, /* bits 72-79 are free */
	{ "2001:db8::/32", PREF64_OK, "2001:db8::/32" },
	{ "2001:db8:ff00::/40", PREF64_OK, "2001:db8:ff00::/40" },
	{ "2001:db8:ffff:ffff::/64", PREF64_OK, "2001:db8:ffff:ffff::/64" },
	{ "::/96", PREF64_OK, "::/96" },
	/* Section 2.2: bits 64-71 inside a /96. The first is mtd64-ng's sample. */
	{ "2001:db8:63a9:2ef5:dead:beef::/96", PREF64_BAD_U, "2001:db8:63a9:2ef5:ad:beef::/96" },
	{ "2001:db8::100:0:0:0/96", PREF64_BAD_U, "2001:db8::/96" },
	{ "2001:db8::8000:0:0:1/96", PREF64_BAD_U, "2001:db8::/96" },
	{ "2001:db8:64::1/96", PREF64_HOST_BITS, "2001:db8:64::/96" },
	{ "64:ff9b::192.0.2.1/96", PREF64_HOST_BITS, "64:ff9b::/96" },
	{ "2001:db8:0:0:100::/64", PREF64_HOST_BITS, "2001:db8::/64" },
	{ "2001:db8:8000::/32", PREF64_HOST_BITS, "2001:db8::/32" },
	{ "2001:db8:1ff::/40", PREF64_HOST_BITS, "2001:db8:100::/40" },
	/* The lengths that section 2.2 does not have, 72 among them. */
	{ "2001:db8::/0", PREF64_BAD_LEN, NULL },
	{ "2001:db8::/31", PREF64_BAD_LEN, NULL },
	{ "2001:db8::/33", PREF64_BAD_LEN, NULL },
	{ "2001:db8::/72", PREF64_BAD_LEN, NULL },
	{ "2001:db8::/80", PREF64_BAD_LEN, NULL },
	{ "2001:db8::/88", PREF64_BAD_LEN, NULL },
	{ "2001:db8::/95", PREF64_BAD_LEN, NULL },
	{ "2001:db8::/97", PREF64_BAD_LEN, NULL },
	{ "2001:db8::/128", PREF64_BAD_LEN, NULL },
	{ "2001:db8::/352", PREF64_BAD_LEN, NULL },        /* 352 - 256 = 96 */
	{ "2001:db8::/4294967392", PREF64_BAD_LEN, NULL }, /* 2^32 + 96 */
	/* A misprint in the paper on mtd64-ng: no slash. */
	{ "2001:db8:dead:beef::96", PREF64_NOT_A_PREFIX, NULL },
	{ "", PREF64_NOT_A_PREFIX, NULL },
	{ "/96", PREF64_NOT_A_PREFIX, NULL },
	{ "2001:db8::/", PREF64_NOT_A_PREFIX, NULL },
	{ "2001:db8::/9x", PREF64_NOT_A_PREFIX, NULL },
	{ "2001:db8::/-96", PREF64_NOT_A_PREFIX, NULL },
	{ "2001:db8::/+96", PREF64_NOT_A_PREFIX, NULL },
	{ "2001:db8::/ 96", PREF64_NOT_A_PREFIX, NULL },
	{ "2001:db8::/96/96", PREF64_NOT_A_PREFIX, NULL },
	{ "192.0.2.0/96", PREF64_NOT_A_PREFIX, NULL },
	{ "fe80::%lo/64", PREF64_NOT_A_PREFIX, NULL },
	{ "2001:db8:::/96", PREF64_NOT_A_PREFIX, NULL },
	{ "0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000/96", PREF64_NOT_A_PREFIX, NULL },
};

START_TEST(parse_and_format)
{
	const struct text *t = &texts[_i];
	char text[PREF64_TEXT];
	struct pref64 p, untouched;

	memset(&p, 0xa5, sizeof(p));
	p.well_known = true;
	memcpy(&untouched, &p, sizeof(p));
	ck_assert_msg(pref64_parse(t->text, &p) == t->verdict, "%s", t->text);
	if (t->prefix == NULL) {
		ck_assert_msg(memcmp(&p, &untouched, sizeof(p)) == 0, "%s", t->text);
		return;
	}
	ck_assert_str_eq(pref64_format(&p, text), t->prefix);
	ck_assert(p.well_known == (strcmp(t->prefix, "64:ff9b::/96") == 0));
}
END_TEST

/* RFC 6052 section 2.1; a /64 of the same bits is a network-specific prefix. */
START_TEST(rfc6052_2_1_well_known)
{
	struct pref64 p = pref64_well_known();
	char text[PREF64_TEXT];

	ck_assert_str_eq(pref64_format(&p, text), "64:ff9b::/96");
	ck_assert(p.well_known);
	ck_assert(!prefix("64:ff9b::/64").well_known);
	ck_assert(!prefix("64:ff9b:1::/96").well_known); /* RFC 8215 */
}
END_TEST

/* PREF64_TEXT is enough for the longest prefix there can be. */
START_TEST(longest_prefix_fits_its_text)
{
	struct pref64 p = { .len = 96 };
	char text[PREF64_TEXT];

	memset(p.addr, 0xff, sizeof(p.addr));
	ck_assert_str_eq(pref64_format(&p, text), "ffff:ffff:ffff:ffff:ffff:ffff::/96");
}
END_TEST

/* RFC 6052 section 2.2: a suffix stands behind the IPv4 address and nowhere else. */
static const struct {
	const char *prefix;
	const char *suffix;
	const char *made; /* with 192.0.2.33; NULL: refused */
} suffixes[] = {
	{ "2001:db8::/32", "::1234", "2001:db8:c000:221::1234" },
	{ "2001:db8::/32", "::1:0:0:1234", "2001:db8:c000:221:1::1234" },
	{ "2001:db8::/32", "::100:0:0:0", NULL },
	{ "2001:db8:122:344::/64", "::ab:cdef", "2001:db8:122:344:c0:2:21ab:cdef" },
	{ "2001:db8:122:344::/64", "::0021:0:0", NULL },
	{ "2001:db8:122:344::/96", "::1", NULL },
	{ "2001:db8:122:344::/96", "::", "2001:db8:122:344::192.0.2.33" },
};

START_TEST(rfc6052_2_2_suffix)
{
	struct pref64 p = prefix(suffixes[_i].prefix);
	uint8_t v4[4], suffix[16], made[16], want[16];
	char text[PREF64_TEXT];

	address(AF_INET6, suffixes[_i].suffix, suffix);
	ck_assert_int_eq(pref64_set_suffix(&p, suffix), suffixes[_i].made != NULL);
	ck_assert_str_eq(pref64_format(&p, text), suffixes[_i].prefix);
	if (suffixes[_i].made == NULL)
		return;
	address(AF_INET, "192.0.2.33", v4);
	address(AF_INET6, suffixes[_i].made, want);
	pref64_embed(&p, v4, made);
	ck_assert_mem_eq(made, want, 16);
	ck_assert(pref64_extract(&p, made, suffix));
	ck_assert_mem_eq(suffix, v4, 4);
}
END_TEST

/* What an address begins with: all lengths; the u octet of a /96 alone counts. */
START_TEST(beginnings_of_addresses)
{
	static const uint8_t lengths[] = { 32, 40, 48, 56, 64, 96 };
	struct pref64 p = { .len = 7 };
	char text[PREF64_TEXT];
	uint8_t v6[16];

	address(AF_INET6, "2001:db8:102:304:5:607:809:a0b", v6);
	for (size_t i = 0; i < N_OF(lengths); i++) {
		struct pref64 want;

		ck_assert_int_eq(pref64_of(v6, lengths[i], &p), PREF64_OK);
		ck_assert_int_eq(pref64_parse(pref64_format(&p, text), &want), PREF64_OK);
		ck_assert(pref64_same(&p, &want) && memcmp(p.addr, want.addr, 16) == 0);
	}
	ck_assert_str_eq(text, "2001:db8:102:304:5:607::/96");
	ck_assert_int_eq(pref64_of(v6, 72, &p), PREF64_BAD_LEN);
	ck_assert_int_eq(pref64_of(v6, 128, &p), PREF64_BAD_LEN);
	v6[8] = 1;
	ck_assert_int_eq(pref64_of(v6, 96, &p), PREF64_BAD_U);
	ck_assert_int_eq(p.len, 96);
	ck_assert_int_eq(pref64_of(v6, 64, &p), PREF64_OK);
	address(AF_INET6, "64:ff9b::c000:aa", v6);
	ck_assert_int_eq(pref64_of(v6, 96, &p), PREF64_OK);
	ck_assert(p.well_known);
	ck_assert_int_eq(pref64_of(v6, 64, &p), PREF64_OK);
	ck_assert(!p.well_known);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_test(tc, beginnings_of_addresses);
	tcase_add_loop_test(tc, rfc6052_2_4_embed, 0, N_OF(vectors));
	tcase_add_loop_test(tc, rfc6052_2_4_extract, 0, N_OF(vectors));
	tcase_add_loop_test(tc, rfc6052_2_2_u_octet, 0, N_OF(vectors));
	tcase_add_loop_test(tc, rfc6052_2_3_suffix_ignored, 0, N_OF(vectors));
	tcase_add_loop_test(tc, covers_exactly_its_bits, 0, N_OF(vectors));
	tcase_add_loop_test(tc, parse_and_format, 0, N_OF(texts));
	tcase_add_test(tc, rfc6052_2_1_well_known);
	tcase_add_test(tc, longest_prefix_fits_its_text);
	tcase_add_loop_test(
	    tc, rfc6052_2_2_suffix, 0, (int)(sizeof(suffixes) / sizeof(suffixes[0])));
}
