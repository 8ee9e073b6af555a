/* SPDX-License-Identifier: BSD-2-Clause */
/* What a run asks: names, shares of kinds, messages; and which replies are right. */

#include "bench/load/load.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "dns/msg.h"
#include "dns/name.h"
#include "dns/wire.h"
#include "support/hex.h"
#include "support/tests.h"

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))

#define SUFFIX ".dns64perf.test"

static struct bench_load l;

/* The question's name is that of TEXT, byte for byte. */
static void
expect_name(struct bench_question q, const char *text)
{
	uint8_t got[DNS_NAME_MAX], want[DNS_NAME_MAX];
	size_t want_len = name_from_text(text, want);
	size_t len = bench_load_name(&l, q, got);

	ck_assert_msg(want_len > 0, "%s", text);
	ck_assert_uint_eq(len, want_len);
	ck_assert_mem_eq(got, want, len);
}

/* --- Names ------------------------------------------------------------------------------------ */

START_TEST(names_of_new_questions_count_up)
{
	bench_load_init(&l);
	expect_name((struct bench_question){ BENCH_NEW, 0 }, "010-000-000-000" SUFFIX);
	expect_name((struct bench_question){ BENCH_NEW, 1 }, "010-000-000-001" SUFFIX);
	expect_name((struct bench_question){ BENCH_NEW, 256 }, "010-000-001-000" SUFFIX);
	expect_name((struct bench_question){ BENCH_NEW, 0x7b2d43 }, "010-123-045-067" SUFFIX);
	expect_name((struct bench_question){ BENCH_NEW, 0xffffff }, "010-255-255-255" SUFFIX);
	expect_name((struct bench_question){ BENCH_ADDRESS, 9 }, "010-000-000-009" SUFFIX);
	expect_name((struct bench_question){ BENCH_HIT, 0xffffff }, "010-255-255-255" SUFFIX);
	expect_name((struct bench_question){ BENCH_MISSING, 5 }, "nx-010-000-000-005" SUFFIX);
	/* A run longer than the namespace begins again. */
	expect_name((struct bench_question){ BENCH_NEW, 0x1000000 }, "010-000-000-000" SUFFIX);
	expect_name(
	    (struct bench_question){ BENCH_NEW, 0xff00000000000003 }, "010-000-000-003" SUFFIX);
	l.base = 0;
	l.size = 1ULL << 32; /* all of IPv4 */
	expect_name((struct bench_question){ BENCH_NEW, 0xffffffff }, "255-255-255-255" SUFFIX);
	expect_name((struct bench_question){ BENCH_NEW, 0x100000000 }, "000-000-000-000" SUFFIX);
}
END_TEST

/* Each name of a namespace is another one, and means to fakedns what it means to us. */
START_TEST(no_name_of_a_namespace_is_there_twice)
{
	bench_load_init(&l);
	l.base = 0xc6120000;
	l.size = 1 << 16;
	for (uint64_t n = 0; n < l.size; n++) {
		uint8_t name[DNS_NAME_MAX], v4[4];
		struct bench_question q = bench_load_question(&l, n);
		struct fake_name meaning;

		fake_name_read(&l.zone, name, bench_load_name(&l, q, name), &meaning);
		bench_load_address(&l, q, v4);
		if (q.kind != BENCH_NEW || meaning.kind != FAKE_ADDRESS ||
		    wire_u32(meaning.v4) != 0xc6120000 + n || memcmp(v4, meaning.v4, 4) != 0)
			ck_abort_msg("%ju", (uintmax_t)n);
	}
}
END_TEST

/* A run that begins elsewhere asks for the same names in another order, and for each once. */
START_TEST(names_begin_where_they_are_told)
{
	static uint8_t seen[1000];

	bench_load_init(&l);
	l.size = 1000;
	l.first = 990 + 7000;
	ck_assert(bench_load_mix(&l, BENCH_ADDRESS, 20));
	memset(seen, 0, sizeof(seen));
	ck_assert_uint_eq(bench_load_question(&l, 0).number, 990);
	ck_assert_uint_eq(bench_load_question(&l, 10).number, 0);
	for (uint64_t n = 0; n < 1000; n++) {
		struct bench_question q = bench_load_question(&l, n);

		ck_assert_uint_lt(q.number, 1000);
		ck_assert_uint_eq(seen[q.number]++, 0);
	}
}
END_TEST

START_TEST(missing_does_not_exist)
{
	bench_load_init(&l);
	for (uint64_t n = 0; n < 1000; n++) {
		uint8_t name[DNS_NAME_MAX];
		struct fake_name meaning;
		size_t len =
		    bench_load_name(&l, (struct bench_question){ BENCH_MISSING, n * 7919 }, name);

		fake_name_read(&l.zone, name, len, &meaning);
		ck_assert_int_eq(meaning.kind, FAKE_NOTHING);
	}
}
END_TEST

/* The longest zone that the options allow: the name is as long as a name may be, almost. */
START_TEST(longest_zone_gives_a_name_that_fits)
{
	char text[256] = "";
	uint8_t name[DNS_NAME_MAX];

	for (unsigned i = 0; i < 3; i++)
		(void)strcat(
		    text, "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghi01.");
	(void)strcat(text, "abcdefghijklmnopqrstuvwxyzabcdefghijklmno");
	ck_assert_uint_eq(name_from_text(text, name), DNS_NAME_MAX - 20);
	bench_load_init(&l);
	fake_zone_init(&l.zone, name);
	l.bufsize = 1232;
	uint8_t message[BENCH_QUESTION_MAX];
	size_t len = bench_load_write(&l, (struct bench_question){ BENCH_MISSING, 1 }, 1, message);
	struct msg m;
	ck_assert_int_eq(msg_parse(&m, message, len), MSG_OK);
	ck_assert_uint_eq(m.qname_len, DNS_NAME_MAX - 1);
}
END_TEST

/* RFC 6052 section 2.4: 192.0.2.33 under each length of prefix. */
static const char *const embedded[][2] = {
	{ "2001:db8::/32", "2001:db8:c000:221::" },
	{ "2001:db8:100::/40", "2001:db8:1c0:2:21::" },
	{ "2001:db8:122::/48", "2001:db8:122:c000:2:2100::" },
	{ "2001:db8:122:300::/56", "2001:db8:122:3c0:0:221::" },
	{ "2001:db8:122:344::/64", "2001:db8:122:344:c0:2:2100::" },
	{ "2001:db8:122:344::/96", "2001:db8:122:344::192.0.2.33" },
	{ "64:ff9b::/96", "64:ff9b::192.0.2.33" },
};

START_TEST(reverse_names_are_of_embedded_addresses)
{
	uint8_t v6[16];
	char text[80] = "";

	bench_load_init(&l);
	l.base = 0xc0000200;
	l.size = 256;
	ck_assert_int_eq(pref64_parse(embedded[_i][0], &l.prefix), PREF64_OK);
	l.any_prefix = false;
	ck_assert_int_eq(inet_pton(AF_INET6, embedded[_i][1], v6), 1);
	for (int i = 15; i >= 0; i--)
		(void)sprintf(text + strlen(text), "%x.%x.", v6[i] & 15u, v6[i] >> 4);
	(void)strcat(text, "ip6.arpa");
	expect_name((struct bench_question){ BENCH_REVERSE, 33 }, text);
}
END_TEST

START_TEST(number_names_have_all_their_digits)
{
	bench_load_init(&l);
	l.numbers = (struct bench_range){ 0, 9999, 4 };
	l.missing = (struct bench_range){ 0, 999999999999999, 15 };
	expect_name((struct bench_question){ BENCH_NUMBER, 1234 }, "4.3.2.1.e164.arpa");
	expect_name((struct bench_question){ BENCH_NUMBER, 12 }, "2.1.0.0.e164.arpa");
	expect_name((struct bench_question){ BENCH_NO_NUMBER, 123456789012345 },
	    "5.4.3.2.1.0.9.8.7.6.5.4.3.2.1.e164.arpa");
}
END_TEST

/* --- Shares ----------------------------------------------------------------------------------- */

/* Of each hundred in a row just PERCENT are of KIND, and none is far from the next. */
static void
expect_share(enum bench_kind kind, unsigned percent)
{
	uint64_t last = 0;
	unsigned n = 0;
	bool any = false;

	for (uint64_t i = 0; i < 1100; i++) {
		if (i >= 100) {
			if (n != percent)
				ck_abort_msg("%u of kind %d before %ju, not %u", n, (int)kind,
				    (uintmax_t)i, percent);
			n -= bench_load_question(&l, i - 100).kind == kind;
		}
		if (bench_load_question(&l, i).kind != kind)
			continue;
		if (any && (i - last) * percent > 200)
			ck_abort_msg(
			    "%u %%: %ju after %ju", percent, (uintmax_t)i, (uintmax_t)last);
		any = true;
		last = i;
		n++;
	}
}

START_TEST(share_of_one_kind_is_its_percentage)
{
	unsigned percent = (unsigned)_i;

	bench_load_init(&l);
	ck_assert(bench_load_mix(&l, BENCH_MISSING, percent));
	expect_share(BENCH_MISSING, percent);
	ck_assert_uint_eq(bench_load_names(&l, 12345), 12345);
}
END_TEST

START_TEST(shares_of_all_kinds_are_their_percentages)
{
	static const unsigned percents[] = { [BENCH_NEW] = 29, 30, 5, 20, 10, 4, 2 };

	bench_load_init(&l);
	for (unsigned kind = BENCH_HIT; kind < BENCH_REPLAY; kind++)
		ck_assert(bench_load_mix(&l, (enum bench_kind)kind, percents[kind]));
	l.numbers.digits = l.missing.digits = 1;
	for (unsigned kind = 0; kind < BENCH_REPLAY; kind++) {
		unsigned n = 0;

		for (uint64_t i = 77; i < 177; i++)
			n += bench_load_question(&l, i).kind == kind;
		ck_assert_uint_eq(n, percents[kind]);
	}
	ck_assert(!bench_load_mix(&l, BENCH_HIT, 30)); /* one too many */
}
END_TEST

START_TEST(mix_over_100_percent_is_refused)
{
	bench_load_init(&l);
	ck_assert(bench_load_mix(&l, BENCH_HIT, 60));
	ck_assert(bench_load_mix(&l, BENCH_MISSING, 40));
	ck_assert(bench_load_mix(&l, BENCH_ADDRESS, 0));
	ck_assert(!bench_load_mix(&l, BENCH_ADDRESS, 1));
}
END_TEST

/* How many names a run takes: hits are apart from the new ones. */
START_TEST(names_of_a_run)
{
	bench_load_init(&l);
	l.hot = 50;
	ck_assert_uint_eq(bench_load_names(&l, 1000), 1000);
	ck_assert(bench_load_mix(&l, BENCH_HIT, 1));
	ck_assert_uint_eq(bench_load_names(&l, 1000), 1050);
	ck_assert(bench_load_mix(&l, BENCH_HIT, 99));
	ck_assert_uint_eq(bench_load_names(&l, 1000), 50);
	memset(l.mix, BENCH_NUMBER, sizeof(l.mix));
	ck_assert_uint_eq(bench_load_names(&l, 1000), 0);
}
END_TEST

/* Hits are all of the last names and no other, about as often each; a full run meets no hit. */
START_TEST(hits_are_of_the_last_names_only)
{
	unsigned seen[50] = { 0 };

	bench_load_init(&l);
	l.size = 1050;
	l.hot = 50;
	l.seed = 0x64;
	ck_assert(bench_load_mix(&l, BENCH_HIT, 50));
	for (uint64_t n = 0; n < 100000; n++) {
		struct bench_question q = bench_load_question(&l, n);

		if (q.kind == BENCH_NEW) {
			if (q.number != n % 1000)
				ck_abort_msg("%ju: %ju", (uintmax_t)n, (uintmax_t)q.number);
			continue;
		}
		if (q.number < 1000 || q.number >= 1050)
			ck_abort_msg("%ju: %ju", (uintmax_t)n, (uintmax_t)q.number);
		seen[q.number - 1000]++;
	}
	for (unsigned i = 0; i < 50; i++)
		ck_assert_msg(seen[i] > 800 && seen[i] < 1200, "%u: %u times", i, seen[i]);
}
END_TEST

/* Numbers of the range, its ends too, each about as often, others with another seed. */
START_TEST(numbers_are_even_over_their_range)
{
	unsigned seen[200] = { 0 }, same = 0;
	struct bench_load again;

	bench_load_init(&l);
	memset(l.mix, BENCH_NUMBER, sizeof(l.mix));
	l.numbers = (struct bench_range){ 1900, 2099, 4 };
	again = l;
	again.seed = 1;
	for (uint64_t n = 0; n < 200000; n++) {
		struct bench_question q = bench_load_question(&l, n);

		if (q.kind != BENCH_NUMBER || q.number < 1900 || q.number > 2099 ||
		    q.number != bench_load_question(&l, n).number)
			ck_abort_msg("%ju: %ju", (uintmax_t)n, (uintmax_t)q.number);
		seen[q.number - 1900]++;
		same += q.number == bench_load_question(&again, n).number;
	}
	for (unsigned i = 0; i < 200; i++)
		ck_assert_msg(seen[i] > 850 && seen[i] < 1150, "%u: %u times", i, seen[i]);
	ck_assert_uint_lt(same, 1500); /* 1000 by chance */
}
END_TEST

START_TEST(missing_numbers_stay_in_their_range)
{
	bench_load_init(&l);
	memset(l.mix, BENCH_NO_NUMBER, sizeof(l.mix));
	l.missing = (struct bench_range){ 7, 7, 1 };
	for (uint64_t n = 0; n < 100; n++)
		ck_assert_uint_eq(bench_load_question(&l, n).number, 7);
	l.missing = (struct bench_range){ 0, 999999999999999, 15 };
	for (uint64_t n = 0; n < 100; n++)
		ck_assert_uint_le(bench_load_question(&l, n).number, 999999999999999);
}
END_TEST

/* --- Messages --------------------------------------------------------------------------------- */

static void
expect_message(struct bench_question q, uint16_t id, const char *text)
{
	uint8_t got[BENCH_QUESTION_MAX], want[BENCH_QUESTION_MAX];
	size_t want_len = hex_read(text, want, sizeof(want));

	memset(got, 0xee, sizeof(got));
	ck_assert_uint_eq(bench_load_write(&l, q, id, got), want_len);
	ck_assert_mem_eq(got, want, want_len);
}

START_TEST(messages_are_as_the_options_say)
{
	struct bench_question q = { BENCH_NEW, 1 };

	bench_load_init(&l);
	expect_message(
	    q, 0xabcd, "abcd 0100 0001 0000 0000 0000 <010-000-000-001" SUFFIX "> 001c 0001");
	l.bufsize = 1232;
	expect_message(q, 0,
	    "0000 0100 0001 0000 0000 0001 <010-000-000-001" SUFFIX "> 001c 0001"
	    "00 0029 04d0 00 00 0000 0000");
	l.dnssec_ok = true;
	expect_message(q, 0,
	    "0000 0100 0001 0000 0000 0001 <010-000-000-001" SUFFIX "> 001c 0001"
	    "00 0029 04d0 00 00 8000 0000");
	l.bufsize = 0;
	l.numbers = (struct bench_range){ 0, 99, 2 };
	q = (struct bench_question){ BENCH_NUMBER, 64 };
	expect_message(q, 1, "0001 0100 0001 0000 0000 0000 <4.6.e164.arpa> 0023 0001");
}
END_TEST

START_TEST(each_kind_asks_its_type)
{
	static const uint16_t want[BENCH_REPLAY] = { DNS_TYPE_AAAA, DNS_TYPE_AAAA, DNS_TYPE_AAAA,
		DNS_TYPE_A, DNS_TYPE_PTR, DNS_TYPE_NAPTR, DNS_TYPE_NAPTR };

	for (unsigned kind = 0; kind < BENCH_REPLAY; kind++)
		ck_assert_uint_eq(
		    bench_load_type(&l, (struct bench_question){ (enum bench_kind)kind, 0 }),
		    want[kind]);
}
END_TEST

/* --- Replies ---------------------------------------------------------------------------------- */

#define HOST "<010-000-000-001" SUFFIX ">"
#define AAAA_OF(v6) "c00c 001c 0001 0000003c 0010" v6 /* of the question's name */
#define A_OF(v4) "c00c 0001 0001 0000003c 0004" v4
#define RIGHT "20010db8 00640000 00000000 0a000001" /* 10.0.0.1 under 2001:db8:64::/96 */
#define HEAD(counts) "1234 8180 0001" counts "0000 0000"

static const struct bench_question first = { BENCH_NEW, 1 };

static void
make_load(const char *prefix)
{
	bench_load_init(&l);
	if (prefix == NULL)
		return;
	ck_assert_int_eq(pref64_parse(prefix, &l.prefix), PREF64_OK);
	l.any_prefix = false;
}

/* The reply TEXT is for Q, and this is what it is worth. */
static void
expect(struct bench_question q, const char *text, enum bench_verdict v)
{
	uint8_t buf[2048];
	struct msg m;

	ck_assert(bench_load_parse(&m, buf, hex_read(text, buf, sizeof(buf))));
	ck_assert_msg(bench_load_is_for(&l, q, &m), "%s", text);
	ck_assert_msg(bench_load_judge(&l, q, &m) == v, "%s: %s, not %s", text,
	    bench_verdict_name(bench_load_judge(&l, q, &m)), bench_verdict_name(v));
}

/* --- AAAA ------------------------------------------------------------------------------------- */

/* Replies to the AAAA of 010-000-000-001, the prefix that is expected, the verdict. */
static const struct {
	const char *reply;
	const char *prefix; /* NULL: any */
	enum bench_verdict verdict;
} aaaa[] = {
	{ HEAD("0001") HOST "001c 0001" AAAA_OF(RIGHT), "2001:db8:64::/96", BENCH_VALID },
	{ HEAD("0001") HOST "001c 0001" AAAA_OF(RIGHT), NULL, BENCH_VALID },
	{ HEAD("0001") HOST "001c 0001" AAAA_OF(RIGHT), "64:ff9b::/96", BENCH_WRONG_DATA },
	{ HEAD("0001") HOST "001c 0001" AAAA_OF(RIGHT), "2001:db8:64::/64", BENCH_WRONG_DATA },
	/* AA, AD and CD do not matter. */
	{ "1234 8530 0001 0001 0000 0000" HOST "001c 0001" AAAA_OF(RIGHT), NULL, BENCH_VALID },
	/* TC, whatever else there is */
	{ "1234 8380 0001 0000 0000 0000" HOST "001c 0001", NULL, BENCH_TRUNCATED },
	{ "1234 8380 0001 0001 0000 0000" HOST "001c 0001" AAAA_OF(RIGHT), NULL, BENCH_TRUNCATED },
	{ "1234 8382 0001 0000 0000 0000" HOST "001c 0001", NULL, BENCH_TRUNCATED },
	/* other rcodes, the twelve bits of BADVERS too */
	{ "1234 8182 0001 0000 0000 0000" HOST "001c 0001", NULL, BENCH_RCODE },
	{ "1234 8183 0001 0000 0000 0000" HOST "001c 0001", NULL, BENCH_RCODE },
	{ "1234 8185 0001 0001 0000 0000" HOST "001c 0001" AAAA_OF(RIGHT), NULL, BENCH_RCODE },
	{ "1234 8180 0001 0001 0000 0001" HOST
	  "001c 0001" AAAA_OF(RIGHT) "00 0029 04d0 01000000 0000",
	    NULL, BENCH_RCODE },
	/* nothing, or nothing of the type */
	{ HEAD("0000") HOST "001c 0001", NULL, BENCH_NO_DATA },
	{ HEAD("0001") HOST "001c 0001" A_OF("0a000001"), NULL, BENCH_NO_DATA },
	/* the owner is another name */
	{ HEAD("0001") HOST "001c 0001 <010-000-000-002" SUFFIX "> 001c 0001 0000003c 0010" RIGHT,
	    NULL, BENCH_NO_DATA },
	/* under the right prefix, but another address */
	{ HEAD("0001") HOST "001c 0001" AAAA_OF("20010db8 00640000 00000000 0a000002"),
	    "2001:db8:64::/96", BENCH_WRONG_DATA },
	{ HEAD("0001") HOST "001c 0001" AAAA_OF("20010db8 00640000 00000000 0a000002"), NULL,
	    BENCH_WRONG_DATA },
	/* 15 or 17 bytes are no address */
	{ HEAD("0001") HOST
	    "001c 0001 c00c 001c 0001 0000003c 000f 20010db8 00640000 00000000 0a0000",
	    NULL, BENCH_WRONG_DATA },
	{ HEAD("0001") HOST "001c 0001 c00c 001c 0001 0000003c 0011" RIGHT "00", NULL,
	    BENCH_WRONG_DATA },
	/* several prefixes: any will do, or all of the one */
	{ HEAD("0002") HOST "001c 0001" AAAA_OF(RIGHT)
		AAAA_OF("0064ff9b 00000000 00000000 0a000001"),
	    NULL, BENCH_VALID },
	{ HEAD("0002") HOST "001c 0001" AAAA_OF(RIGHT)
		AAAA_OF("0064ff9b 00000000 00000000 0a000001"),
	    "2001:db8:64::/96", BENCH_WRONG_DATA },
	{ HEAD("0002") HOST "001c 0001" AAAA_OF(RIGHT)
		AAAA_OF("20010db8 00640000 00000000 0a000002"),
	    NULL, BENCH_WRONG_DATA },
	/* what is in other sections is not the answer */
	{ "1234 8180 0001 0001 0000 0001" HOST "001c 0001" AAAA_OF(RIGHT)
		AAAA_OF("20010db8 00640000 00000000 0a000009"),
	    NULL, BENCH_VALID },
	/* RFC 6052 section 2.2: under each length; 10.0.0.1 */
	{ HEAD("0001") HOST "001c 0001" AAAA_OF("20010db8 0a000001 00000000 00000000"), NULL,
	    BENCH_VALID },
	{ HEAD("0001") HOST "001c 0001" AAAA_OF("20010db8 010a0000 00010000 00000000"),
	    "2001:db8:100::/40", BENCH_VALID },
	{ HEAD("0001") HOST "001c 0001" AAAA_OF("20010db8 010a0000 00010000 00000000"), NULL,
	    BENCH_VALID },
	{ HEAD("0001") HOST "001c 0001" AAAA_OF("20010db8 01220a00 00000100 00000000"), NULL,
	    BENCH_VALID },
	{ HEAD("0001") HOST "001c 0001" AAAA_OF("20010db8 0122030a 00000001 00000000"), NULL,
	    BENCH_VALID },
	{ HEAD("0001") HOST "001c 0001" AAAA_OF("20010db8 01220344 000a0000 01000000"), NULL,
	    BENCH_VALID },
	/* bits 64-71 are set: no such address */
	{ HEAD("0001") HOST "001c 0001" AAAA_OF("20010db8 01220344 ff0a0000 01000000"), NULL,
	    BENCH_WRONG_DATA },
	/* along CNAMEs, in any order */
	{ HEAD("0002") HOST "001c 0001 c00c 0005 0001 0000003c 000f <a.example.net>"
			    "<a.example.net> 001c 0001 0000003c 0010" RIGHT,
	    NULL, BENCH_VALID },
	{ HEAD("0003") HOST "001c 0001 <b.example.net> 001c 0001 0000003c 0010" RIGHT
			    "<a.example.net> 0005 0001 0000003c 000f <b.example.net>"
			    "c00c 0005 0001 0000003c 000f <a.example.net>",
	    NULL, BENCH_VALID },
	{ HEAD("0001") HOST "001c 0001 c00c 0005 0001 0000003c 000f <a.example.net>", NULL,
	    BENCH_NO_DATA },
	{ HEAD("0002") HOST "001c 0001 c00c 0005 0001 0000003c 000f <a.example.net>"
			    "<b.example.net> 001c 0001 0000003c 0010" RIGHT,
	    NULL, BENCH_NO_DATA },
	/* a chain in a circle */
	{ HEAD("0001") HOST "001c 0001 c00c 0005 0001 0000003c 0002 c00c", NULL, BENCH_NO_DATA },
};

START_TEST(replies_to_aaaa)
{

	make_load(aaaa[_i].prefix);
	expect(first, aaaa[_i].reply, aaaa[_i].verdict);
	/* A hit is judged as any. */
	expect((struct bench_question){ BENCH_HIT, 1 }, aaaa[_i].reply, aaaa[_i].verdict);
}
END_TEST

/*
 * Names with AAAA of their own: that is the right answer, and a synthesized one is not (RFC 6147
 * section 5.1.1); of the others it is the other way about. Natives: 2001:db8:6:4::/96 (fakedns).
 */
START_TEST(native_aaaa_are_right_and_synthesized_wrong)
{
	static const unsigned percents[] = { 0, 50, 100 };
	unsigned percent = percents[_i], n_native = 0;

	make_load("2001:db8:64::/96");
	l.zone.aaaa_percent = percent;
	for (uint64_t n = 0; n < 256; n++) {
		struct bench_question q = { BENCH_NEW, n };
		uint8_t name[DNS_NAME_MAX];
		char native[300], made[300];

		(void)bench_load_name(&l, q, name);
		bool has = percent == 100 ||
		    (percent > 0 && fake_zone_has_aaaa(&l.zone, name + 1, name[0]));
		(void)snprintf(native, sizeof(native),
		    HEAD("0001") "<010-000-000-%03u" SUFFIX
				 "> 001c 0001" AAAA_OF("20010db8 00060004 00000000 0a0000%02x"),
		    (unsigned)n, (unsigned)n);
		(void)snprintf(made, sizeof(made),
		    HEAD("0001") "<010-000-000-%03u" SUFFIX
				 "> 001c 0001" AAAA_OF("20010db8 00640000 00000000 0a0000%02x"),
		    (unsigned)n, (unsigned)n);
		expect(q, native, has ? BENCH_VALID : BENCH_WRONG_DATA);
		expect(q, made, has ? BENCH_WRONG_DATA : BENCH_VALID);
		n_native += has;
	}
	ck_assert_uint_ge(n_native, percent * 2);
	ck_assert_uint_le(n_native, percent * 3);
}
END_TEST

/* --- Others ----------------------------------------------------------------------------------- */

START_TEST(replies_to_a)
{
	struct bench_question q = { BENCH_ADDRESS, 1 };

	make_load("2001:db8:64::/96");
	l.zone.aaaa_percent = 100;
	expect(q, HEAD("0001") HOST "0001 0001" A_OF("0a000001"), BENCH_VALID);
	expect(q, HEAD("0001") HOST "0001 0001" A_OF("0a000002"), BENCH_WRONG_DATA);
	expect(
	    q, HEAD("0002") HOST "0001 0001" A_OF("0a000001") A_OF("0a000002"), BENCH_WRONG_DATA);
	expect(
	    q, HEAD("0001") HOST "0001 0001 c00c 0001 0001 0000003c 0003 0a0000", BENCH_WRONG_DATA);
	expect(q, HEAD("0000") HOST "0001 0001", BENCH_NO_DATA);
	expect(q, "1234 8183 0001 0000 0000 0000" HOST "0001 0001", BENCH_RCODE);
}
END_TEST

/* Of another type only the rcode is known. */
START_TEST(replies_to_another_type)
{
	struct bench_question q = { BENCH_OTHER_LAST, 1 };
	unsigned n = 0;

	make_load("2001:db8:64::/96");
	l.other[0] = DNS_TYPE_MX;
	l.other[BENCH_OTHERS - 1] = DNS_TYPE_HTTPS;
	ck_assert_uint_eq(
	    bench_load_type(&l, (struct bench_question){ BENCH_OTHER, 1 }), DNS_TYPE_MX);
	expect(q, HEAD("0000") HOST "0041 0001", BENCH_VALID);
	expect(q, HEAD("0001") HOST "0041 0001 c00c 0041 0001 0000003c 0003 0000 00", BENCH_VALID);
	expect(q, "1234 8183 0001 0000 0000 0000" HOST "0041 0001", BENCH_RCODE);
	expect(q, "1234 8380 0001 0000 0000 0000" HOST "0041 0001", BENCH_TRUNCATED);
	/* Its names are new, as those of AAAA. */
	ck_assert(bench_load_mix(&l, BENCH_OTHER_LAST, 5));
	ck_assert_uint_eq(bench_load_names(&l, 1000), 1000);
	for (uint64_t i = 0; i < 100; i++) {
		struct bench_question asked = bench_load_question(&l, i);

		ck_assert_uint_eq(asked.number, i);
		n += asked.kind == BENCH_OTHER_LAST;
	}
	ck_assert_uint_eq(n, 5);
}
END_TEST

#define REVERSE "<1.0.0.0.0.0.a.0.0.0.0.0.0.0.0.0.0.0.0.0.4.6.0.0.8.b.d.0.1.0.0.2.ip6.arpa>"

START_TEST(replies_to_ptr)
{
	struct bench_question q = { BENCH_REVERSE, 1 };

	make_load("2001:db8:64::/96");
	expect(q, HEAD("0001") REVERSE "000c 0001 c00c 000c 0001 0000003c 000f <a.example.net>",
	    BENCH_VALID);
	/* through a CNAME to in-addr.arpa (RFC 6147 section 5.3.1) */
	expect(q,
	    HEAD("0002") REVERSE "000c 0001"
				 "c00c 0005 0001 0000003c 0017 <1.0.0.10.in-addr.arpa>"
				 "<1.0.0.10.in-addr.arpa> 000c 0001 0000003c 000f <a.example.net>",
	    BENCH_VALID);
	expect(q,
	    HEAD("0001") REVERSE "000c 0001"
				 "c00c 0005 0001 0000003c 0017 <1.0.0.10.in-addr.arpa>",
	    BENCH_NO_DATA);
	expect(q, HEAD("0001") REVERSE "000c 0001 c00c 000c 0001 0000003c 0000", BENCH_WRONG_DATA);
	expect(q, "1234 8183 0001 0000 0000 0000" REVERSE "000c 0001", BENCH_RCODE);
}
END_TEST

START_TEST(replies_to_naptr)
{
	struct bench_question q = { BENCH_NUMBER, 1234 };

	make_load(NULL);
	l.numbers = l.missing = (struct bench_range){ 0, 9999, 4 };
	expect(q,
	    HEAD("0001") "<4.3.2.1.e164.arpa> 0023 0001"
			 "c00c 0023 0001 0000003c 0013 000a 0064 01'u' 07'E2U+sip' 03'!a!' <>",
	    BENCH_VALID);
	expect(q, "1234 8183 0001 0000 0000 0000 <4.3.2.1.e164.arpa> 0023 0001", BENCH_RCODE);
	q.kind = BENCH_NO_NUMBER;
	expect(q, "1234 8183 0001 0000 0000 0000 <4.3.2.1.e164.arpa> 0023 0001", BENCH_VALID);
	expect(q, HEAD("0000") "<4.3.2.1.e164.arpa> 0023 0001", BENCH_RCODE);
}
END_TEST

START_TEST(replies_for_what_is_missing)
{
	struct bench_question q = { BENCH_MISSING, 1 };

	make_load(NULL);
	expect(q, "1234 8183 0001 0000 0000 0000 <nx-010-000-000-001" SUFFIX "> 001c 0001",
	    BENCH_VALID);
	expect(q, "1234 8383 0001 0000 0000 0000 <nx-010-000-000-001" SUFFIX "> 001c 0001",
	    BENCH_TRUNCATED);
	expect(q, HEAD("0000") "<nx-010-000-000-001" SUFFIX "> 001c 0001", BENCH_RCODE);
	expect(
	    q, HEAD("0001") "<nx-010-000-000-001" SUFFIX "> 001c 0001" AAAA_OF(RIGHT), BENCH_RCODE);
	expect(q, "1234 8182 0001 0000 0000 0000 <nx-010-000-000-001" SUFFIX "> 001c 0001",
	    BENCH_RCODE);
}
END_TEST

/* --- Is it a reply at all, and for this question? --------------------------------------------- */

static const char *const no_replies[] = {
	"",
	"1234 8180 0001",
	"1234 0100 0001 0000 0000 0000" HOST "001c 0001",    /* a question */
	"1234 a180 0001 0000 0000 0000" HOST "001c 0001",    /* opcode 4 */
	"1234 8180 0001 0001 0000 0000" HOST "001c 0001",    /* a record short */
	"1234 8180 0001 0000 0000 0000" HOST "001c 0001 00", /* a byte too many */
	"1234 8180 0002 0000 0000 0000" HOST "001c 0001" HOST "001c 0001",
};

START_TEST(what_is_no_reply_is_refused)
{
	uint8_t buf[512];
	struct msg m;

	ck_assert(!bench_load_parse(&m, buf, hex_read(no_replies[_i], buf, sizeof(buf))));
}
END_TEST

static const char *const for_others[] = {
	"1234 8180 0001 0000 0000 0000 <010-000-000-002" SUFFIX "> 001c 0001",
	/* not as sent */
	"1234 8180 0001 0000 0000 0000 <010-000-000-001.DNS64perf.test> 001c 0001",
	"1234 8180 0001 0000 0000 0000 <010-000-000-001" SUFFIX ".a> 001c 0001",
	"1234 8180 0001 0000 0000 0000 <010-000-000-001> 001c 0001",
	"1234 8180 0001 0000 0000 0000 <> 001c 0001",
	"1234 8180 0001 0000 0000 0000" HOST "0001 0001",
	"1234 8180 0001 0000 0000 0000" HOST "001c 0003",
	"1234 8182 0000 0000 0000 0000", /* no question */
};

START_TEST(reply_to_another_question_is_not_for_it)
{
	uint8_t buf[512];
	struct msg m;

	make_load(NULL);
	ck_assert(bench_load_parse(&m, buf, hex_read(for_others[_i], buf, sizeof(buf))));
	ck_assert(!bench_load_is_for(&l, first, &m));
}
END_TEST

/* A question of ours, sent back with QR, is the one that it was. */
START_TEST(own_question_sent_back_is_recognized)
{
	static const enum bench_kind kinds[] = { BENCH_NEW, BENCH_HIT, BENCH_MISSING, BENCH_ADDRESS,
		BENCH_REVERSE, BENCH_NUMBER, BENCH_NO_NUMBER };

	make_load("64:ff9b::/96");
	l.numbers = l.missing = (struct bench_range){ 0, 99999, 5 };
	l.bufsize = 1232;
	for (size_t i = 0; i < N_OF(kinds); i++) {
		struct bench_question q = { kinds[i], 4711 }, next = { kinds[i], 4712 };
		uint8_t buf[BENCH_QUESTION_MAX];
		size_t len = bench_load_write(&l, q, 1, buf);
		struct msg m;

		ck_assert(!bench_load_parse(&m, buf, len));
		buf[2] |= 0x80;
		ck_assert(bench_load_parse(&m, buf, len));
		ck_assert(bench_load_is_for(&l, q, &m));
		ck_assert(!bench_load_is_for(&l, next, &m));
	}
}
END_TEST

/* --- Recorded questions ----------------------------------------------------------------------- */

/* What is right is not known: it must be a whole answer to that question, in that spelling. */
START_TEST(recorded_questions_are_answered)
{
	static const char lines[] = "wWw.test MX\n";
	const struct bench_question q = { BENCH_REPLAY, 0 };
	struct bench_replay *r;
	char error[BENCH_REPLAY_ERROR];
	uint8_t buf[512];
	struct msg m;

	ck_assert(bench_replay_read((const uint8_t *)lines, strlen(lines), &r, error));
	bench_load_init(&l);
	l.replay = r;
	expect(q, "1234 8180 0001 0000 0000 0000 <wWw.test> 000f 0001", BENCH_VALID);
	expect(q, "1234 8183 0001 0000 0000 0000 <wWw.test> 000f 0001", BENCH_VALID);
	expect(q, "1234 8182 0001 0000 0000 0000 <wWw.test> 000f 0001", BENCH_RCODE);
	expect(q, "1234 8185 0001 0000 0000 0000 <wWw.test> 000f 0001", BENCH_RCODE);
	expect(q, "1234 8380 0001 0000 0000 0000 <wWw.test> 000f 0001", BENCH_TRUNCATED);
	ck_assert(bench_load_parse(&m, buf,
	    hex_read("1234 8180 0001 0000 0000 0000 <wWw.test> 0001 0001", buf, sizeof(buf))));
	ck_assert(!bench_load_is_for(&l, q, &m));
	ck_assert(bench_load_parse(&m, buf,
	    hex_read("1234 8180 0001 0000 0000 0000 <www.test> 000f 0001", buf, sizeof(buf))));
	ck_assert(!bench_load_is_for(&l, q, &m));
	bench_replay_free(r);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_test(tc, names_of_new_questions_count_up);
	tcase_add_test(tc, no_name_of_a_namespace_is_there_twice);
	tcase_add_test(tc, missing_does_not_exist);
	tcase_add_test(tc, longest_zone_gives_a_name_that_fits);
	tcase_add_loop_test(tc, reverse_names_are_of_embedded_addresses, 0, N_OF(embedded));
	tcase_add_test(tc, names_begin_where_they_are_told);
	tcase_add_test(tc, number_names_have_all_their_digits);
	tcase_add_loop_test(tc, share_of_one_kind_is_its_percentage, 0, 101);
	tcase_add_test(tc, shares_of_all_kinds_are_their_percentages);
	tcase_add_test(tc, mix_over_100_percent_is_refused);
	tcase_add_test(tc, names_of_a_run);
	tcase_add_test(tc, hits_are_of_the_last_names_only);
	tcase_add_test(tc, numbers_are_even_over_their_range);
	tcase_add_test(tc, missing_numbers_stay_in_their_range);
	tcase_add_test(tc, messages_are_as_the_options_say);
	tcase_add_test(tc, each_kind_asks_its_type);
	tcase_add_loop_test(tc, replies_to_aaaa, 0, N_OF(aaaa));
	tcase_add_loop_test(tc, native_aaaa_are_right_and_synthesized_wrong, 0, 3);
	tcase_add_test(tc, replies_to_a);
	tcase_add_test(tc, replies_to_another_type);
	tcase_add_test(tc, replies_to_ptr);
	tcase_add_test(tc, replies_to_naptr);
	tcase_add_test(tc, replies_for_what_is_missing);
	tcase_add_loop_test(tc, what_is_no_reply_is_refused, 0, N_OF(no_replies));
	tcase_add_loop_test(tc, reply_to_another_question_is_not_for_it, 0, N_OF(for_others));
	tcase_add_test(tc, own_question_sent_back_is_recognized);
	tcase_add_test(tc, recorded_questions_are_answered);
}
