/* SPDX-License-Identifier: BSD-2-Clause */
/* The prefixes of another DNS64, by its AAAA of ipv4only.arpa: RFC 7050 section 3, RFC 6052. */

#include "dns64/discover.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "dns/build.h"
#include "dns/name.h"
#include "dns64/special.h"
#include "support/tests.h"

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))
#define MANY 1000

static struct discover d;
static uint8_t addrs[MANY][16];

/* The addresses of TEXT, with blanks between them, to addrs. Returns how many. */
static size_t
read_addresses(const char *text)
{
	char copy[1024], *rest = copy, *word;
	size_t n = 0;

	snprintf(copy, sizeof(copy), "%s", text);
	while ((word = strsep(&rest, " ")) != NULL) {
		if (*word != '\0')
			ck_assert_msg(inet_pton(AF_INET6, word, addrs[n++]) == 1, "%s", word);
	}
	return n;
}

/* The prefixes that were found, with blanks between them. */
static const char *
found(void)
{
	static char text[DISCOVER_MAX * PREF64_TEXT];
	char prefix[PREF64_TEXT];

	text[0] = '\0';
	for (unsigned i = 0; i < d.n; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", i > 0 ? " " : "",
		    pref64_format(&d.prefixes[i], prefix));
	return text;
}

static const struct {
	const char *what;
	const char *addrs;
	enum discover_verdict verdict;
	const char *prefixes;
	unsigned n_foreign, n_ambiguous;
} cases[] = {
	/* Each length of RFC 6052 section 2.2, with both addresses. */
	{ "/96", "64:ff9b::c000:aa 64:ff9b::c000:ab", DISCOVER_FOUND, "64:ff9b::/96", 0, 0 },
	{ "/64", "2001:db8:122:344:c0:0:aa00:0 2001:db8:122:344:c0:0:ab00:0", DISCOVER_FOUND,
	    "2001:db8:122:344::/64", 0, 0 },
	{ "/56", "2001:db8:122:3c0:0:aa:: 2001:db8:122:3c0:0:ab::", DISCOVER_FOUND,
	    "2001:db8:122:300::/56", 0, 0 },
	{ "/48", "2001:db8:122:c000:0:aa00:: 2001:db8:122:c000:0:ab00::", DISCOVER_FOUND,
	    "2001:db8:122::/48", 0, 0 },
	{ "/40", "2001:db8:1c0:0:aa:: 2001:db8:1c0:0:ab::", DISCOVER_FOUND, "2001:db8:100::/40", 0,
	    0 },
	{ "/32", "2001:db8:c000:aa:: 2001:db8:c000:ab::", DISCOVER_FOUND, "2001:db8::/32", 0, 0 },
	/* One of them is enough; a suffix does not count (RFC 6052 section 2.3). */
	{ "one", "2001:db8:64::c000:ab", DISCOVER_FOUND, "2001:db8:64::/96", 0, 0 },
	{ "suffix", "2001:db8:c000:aa::1234", DISCOVER_FOUND, "2001:db8::/32", 0, 0 },
	{ "several",
	    "2001:db8:64::c000:aa 2001:db8:122:c000:0:aa00:: 2001:db8:64::c000:ab 2001:db8::1 "
	    "2001:db8:122:c000:0:ab00:: 64:ff9b::c000:aa",
	    DISCOVER_FOUND, "2001:db8:64::/96 2001:db8:122::/48 64:ff9b::/96", 1, 0 },
	/* Bits 64 to 71. */
	{ "u octet of a /96", "2001:db8:0:0:100:0:c000:aa", DISCOVER_FOREIGN, "", 1, 0 },
	{ "u octet of a /64", "2001:db8:0:0:1c0:0:aa00:0", DISCOVER_FOREIGN, "", 1, 0 },
	{ "u octet of a /32", "2001:db8:c000:aa:100::", DISCOVER_FOREIGN, "", 1, 0 },
	{ "shifted over it", "2001:db8:122:c000:aa::", DISCOVER_FOREIGN, "", 1, 0 },
	/* Two places: the one with both addresses is right. */
	{ "/96 with the like of a /56 in it",
	    "2001:db8:0:c0:0:aa:c000:aa 2001:db8:0:c0:0:aa:c000:ab", DISCOVER_FOUND,
	    "2001:db8:0:c0:0:aa::/96", 0, 0 },
	{ "/56 with the like of a /96 behind it",
	    "2001:db8:0:c0:0:aa:c000:aa 2001:db8:0:c0:0:ab:c000:aa", DISCOVER_FOUND,
	    "2001:db8::/56", 0, 0 },
	{ "/32 with the like of a /96 behind it",
	    "2001:db8:c000:aa::c000:aa 2001:db8:c000:ab::c000:aa", DISCOVER_FOUND, "2001:db8::/32",
	    0, 0 },
	{ "two places, one address", "2001:db8:c000:aa::c000:aa", DISCOVER_AMBIGUOUS, "", 0, 1 },
	{ "two places, both prefixes have both",
	    "2001:db8:c000:aa::c000:aa 2001:db8:c000:ab::c000:ab 2001:db8:c000:aa::c000:ab "
	    "2001:db8:c000:ab::c000:aa",
	    DISCOVER_AMBIGUOUS, "", 0, 4 },
	{ "two places beside a sound one", "2001:db8:c000:aa::c000:aa 64:ff9b::c000:aa",
	    DISCOVER_FOUND, "64:ff9b::/96", 0, 1 },
	/* What is no prefix of a translator. */
	{ "IPv4-mapped", "::ffff:192.0.0.170 ::ffff:192.0.0.171", DISCOVER_FOREIGN, "", 2, 0 },
	{ "IPv4-compatible", "::192.0.0.170", DISCOVER_FOREIGN, "", 1, 0 },
	{ "link-local", "fe80::c000:aa febf::c000:aa", DISCOVER_FOREIGN, "", 2, 0 },
	{ "multicast", "ff02::c000:aa", DISCOVER_FOREIGN, "", 1, 0 },
	{ "unique local", "fd00::c000:aa", DISCOVER_FOUND, "fd00::/96", 0, 0 },
	{ "local use", "64:ff9b:1:c000:0:aa00::", DISCOVER_FOUND, "64:ff9b:1::/48", 0, 0 },
	/* Other addresses. */
	{ "not synthesized", "2001:db8::1 2001:db8::c000:ac 2001:db8::c000:a9", DISCOVER_FOREIGN,
	    "", 3, 0 },
	{ "none", "", DISCOVER_NO_DNS64, "", 0, 0 },
};

START_TEST(addresses)
{
	size_t n = read_addresses(cases[_i].addrs);
	enum discover_verdict verdict = discover_addresses((const uint8_t(*)[16])addrs, n, 300, &d);

	ck_assert_msg(verdict == cases[_i].verdict, "%s: %d", cases[_i].what, (int)verdict);
	ck_assert_msg(strcmp(found(), cases[_i].prefixes) == 0, "%s: %s", cases[_i].what, found());
	ck_assert_uint_eq(d.n_foreign, cases[_i].n_foreign);
	ck_assert_uint_eq(d.n_ambiguous, cases[_i].n_ambiguous);
	ck_assert_uint_eq(d.ttl, d.n > 0 ? 300 : 0);
	ck_assert(!d.more);
	ck_assert(d.n == 0 || d.prefixes[0].well_known == (strcmp(found(), "64:ff9b::/96") == 0));
}
END_TEST

/* The order of the addresses does not count, but for that of the prefixes. */
START_TEST(backwards)
{
	size_t n = read_addresses(cases[_i].addrs);
	uint8_t turned[64][16];

	for (size_t i = 0; i < n; i++)
		memcpy(turned[i], addrs[n - 1 - i], 16);
	ck_assert_int_eq(
	    discover_addresses((const uint8_t(*)[16])turned, n, 300, &d), cases[_i].verdict);
	ck_assert_uint_eq(strlen(found()), strlen(cases[_i].prefixes));
	ck_assert_uint_eq(d.n_ambiguous, cases[_i].n_ambiguous);
}
END_TEST

/* 1,000 addresses, each under a prefix of its own, or one of them. */
START_TEST(a_thousand)
{
	for (unsigned i = 0; i < MANY; i++) {
		memcpy(addrs[i], (uint8_t[16]){ 0x20, 0x01, 0x0d, 0xb8 }, 16);
		addrs[i][10] = (uint8_t)(i >> 8);
		addrs[i][11] = (uint8_t)i;
		memcpy(addrs[i] + 12, (uint8_t[]){ 192, 0, 0, 170 }, 4);
	}
	ck_assert_int_eq(
	    discover_addresses((const uint8_t(*)[16])addrs, MANY, UINT32_MAX, &d), DISCOVER_FOUND);
	ck_assert(d.n == DISCOVER_MAX && d.more);
	ck_assert_uint_eq(d.ttl, 604800);
	ck_assert_int_eq(
	    discover_addresses((const uint8_t(*)[16])addrs, DISCOVER_MAX, 7, &d), DISCOVER_FOUND);
	ck_assert(d.n == DISCOVER_MAX && !d.more);
	for (unsigned i = 0; i < MANY; i++)
		addrs[i][10] = addrs[i][11] = 0;
	ck_assert_int_eq(
	    discover_addresses((const uint8_t(*)[16])addrs, MANY, 7, &d), DISCOVER_FOUND);
	ck_assert(d.n == 1 && d.more);
}
END_TEST

/* --- replies ---------------------------------------------------------------------------------- */

static uint8_t reply[DNS_MSG_MAX];

/* Begin a reply with RCODE and FLAGS to AAAA of ipv4only.arpa. */
static void
begin(struct build *b, uint16_t flags, uint16_t rcode)
{
	build_start(b, reply, sizeof(reply),
	    &(struct build_question){ .id = 1,
		.flags = (uint16_t)(DNS_QR | flags),
		.qname = special_ipv4only(),
		.qtype = DNS_TYPE_AAAA,
		.qclass = DNS_CLASS_IN });
	b->rcode = rcode;
}

static void
put(struct build *b, const char *owner, uint16_t type, uint32_t ttl, const char *address)
{
	uint8_t name[DNS_NAME_MAX], v6[16];

	ck_assert_uint_gt(name_from_text(owner, name), 0);
	ck_assert_int_eq(inet_pton(AF_INET6, address, v6), 1);
	ck_assert(build_rr(b, MSG_ANSWER, name, type, DNS_CLASS_IN, ttl, v6, sizeof(v6)));
}

static enum discover_verdict
end(struct build *b)
{
	const struct build_opt none = { .ede = DNS_EDE_NONE };
	struct msg m;

	ck_assert_int_eq(msg_parse(&m, reply, build_finish(b, sizeof(reply), &none)), MSG_OK);
	return discover_reply(&m, &d);
}

START_TEST(replies)
{
	struct build b;

	begin(&b, 0, DNS_NOERROR);
	put(&b, "IPv4only.ARPA", DNS_TYPE_AAAA, 700, "2001:db8:64::c000:aa");
	put(&b, "ipv4only.arpa", DNS_TYPE_AAAA, 500, "2001:db8:64::c000:ab");
	put(&b, "other.arpa", DNS_TYPE_AAAA, 5, "2001:db8:65::c000:ab");
	put(&b, "ipv4only.arpa", DNS_TYPE_TXT, 5, "2001:db8:66::c000:ab");
	ck_assert_int_eq(end(&b), DISCOVER_FOUND);
	ck_assert_str_eq(found(), "2001:db8:64::/96");
	ck_assert_uint_eq(d.ttl, 500);
	begin(&b, 0, DNS_NOERROR);
	ck_assert_int_eq(end(&b), DISCOVER_NO_DNS64);
	begin(&b, 0, DNS_NXDOMAIN);
	ck_assert_int_eq(end(&b), DISCOVER_NO_DNS64);
	ck_assert_uint_eq(d.ttl, 0);
}
END_TEST

/* An alias, which nobody needs but some may have. */
START_TEST(replies_with_a_chain)
{
	uint8_t name[DNS_NAME_MAX];
	struct build b;

	ck_assert_uint_gt(name_from_text("nat64.example", name), 0);
	begin(&b, 0, DNS_NOERROR);
	ck_assert(build_rr_name(
	    &b, MSG_ANSWER, special_ipv4only(), DNS_TYPE_CNAME, DNS_CLASS_IN, 60, name));
	put(&b, "nat64.example", DNS_TYPE_AAAA, 700, "2001:db8:64::c000:aa");
	ck_assert_int_eq(end(&b), DISCOVER_FOUND);
	ck_assert_uint_eq(d.ttl, 60);
	begin(&b, 0, DNS_NOERROR);
	ck_assert(build_rr_name(&b, MSG_ANSWER, special_ipv4only(), DNS_TYPE_CNAME, DNS_CLASS_IN,
	    60, special_ipv4only()));
	ck_assert_int_eq(end(&b), DISCOVER_FAILED);
}
END_TEST

START_TEST(replies_that_tell_nothing)
{
	static const uint16_t rcodes[] = { DNS_SERVFAIL, DNS_REFUSED, DNS_FORMERR, DNS_NOTIMP };
	struct build b;

	for (size_t i = 0; i < N_OF(rcodes); i++) {
		begin(&b, 0, rcodes[i]);
		put(&b, "ipv4only.arpa", DNS_TYPE_AAAA, 700, "2001:db8:64::c000:aa");
		ck_assert_int_eq(end(&b), DISCOVER_FAILED);
		ck_assert_uint_eq(d.n, 0);
	}
	begin(&b, DNS_TC, DNS_NOERROR);
	put(&b, "ipv4only.arpa", DNS_TYPE_AAAA, 700, "2001:db8:64::c000:aa");
	ck_assert_int_eq(end(&b), DISCOVER_FAILED);
}
END_TEST

START_TEST(a_reply_with_a_thousand)
{
	struct build b;

	begin(&b, 0, DNS_NOERROR);
	for (unsigned i = 0; i < MANY; i++)
		put(&b, "ipv4only.arpa", DNS_TYPE_AAAA, 700,
		    i % 2 == 0 ? "2001:db8:64::c000:aa" : "2001:db8::1");
	ck_assert_int_eq(end(&b), DISCOVER_FOUND);
	ck_assert(d.n == 1 && d.more && d.n_foreign == DISCOVER_ADDRESSES / 2);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_loop_test(tc, addresses, 0, (int)N_OF(cases));
	tcase_add_loop_test(tc, backwards, 0, (int)N_OF(cases));
	tcase_add_test(tc, a_thousand);
	tcase_add_test(tc, replies);
	tcase_add_test(tc, replies_with_a_chain);
	tcase_add_test(tc, replies_that_tell_nothing);
	tcase_add_test(tc, a_reply_with_a_thousand);
}
