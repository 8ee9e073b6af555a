/* SPDX-License-Identifier: BSD-2-Clause */
/* Which replies are right. */

#include "bench/load/check.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/hex.h"

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))
#define SUFFIX ".dns64perf.test"
#define HOST "<010-000-000-001" SUFFIX ">"
#define AAAA_OF(v6) "c00c 001c 0001 0000003c 0010" v6 /* of the question's name */
#define A_OF(v4) "c00c 0001 0001 0000003c 0004" v4
#define RIGHT "20010db8 00640000 00000000 0a000001" /* 10.0.0.1 under 2001:db8:64::/96 */
#define HEAD(counts) "1234 8180 0001" counts "0000 0000"

static const struct bench_question first = { BENCH_NEW, 1 };

static void
load(struct bench_load *l, const char *prefix)
{
	bench_load_init(l);
	if (prefix == NULL)
		return;
	ck_assert_int_eq(pref64_parse(prefix, &l->prefix), PREF64_OK);
	l->any_prefix = false;
}

/* The reply TEXT is for Q, and this is what it is worth. */
static void
expect(const struct bench_load *l, struct bench_question q, const char *text, enum bench_verdict v)
{
	uint8_t buf[2048];
	struct msg m;

	ck_assert(bench_check_parse(&m, buf, hex_read(text, buf, sizeof(buf))));
	ck_assert_msg(bench_check_is_for(l, q, &m), "%s", text);
	ck_assert_msg(bench_check(l, q, &m) == v, "%s: %s, not %s", text,
	    bench_check_name(bench_check(l, q, &m)), bench_check_name(v));
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
	struct bench_load l;

	load(&l, aaaa[_i].prefix);
	expect(&l, first, aaaa[_i].reply, aaaa[_i].verdict);
	/* A hit is judged as any. */
	expect(&l, (struct bench_question){ BENCH_HIT, 1 }, aaaa[_i].reply, aaaa[_i].verdict);
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
	struct bench_load l;

	load(&l, "2001:db8:64::/96");
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
		expect(&l, q, native, has ? BENCH_VALID : BENCH_WRONG_DATA);
		expect(&l, q, made, has ? BENCH_WRONG_DATA : BENCH_VALID);
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
	struct bench_load l;

	load(&l, "2001:db8:64::/96");
	l.zone.aaaa_percent = 100;
	expect(&l, q, HEAD("0001") HOST "0001 0001" A_OF("0a000001"), BENCH_VALID);
	expect(&l, q, HEAD("0001") HOST "0001 0001" A_OF("0a000002"), BENCH_WRONG_DATA);
	expect(&l, q, HEAD("0002") HOST "0001 0001" A_OF("0a000001") A_OF("0a000002"),
	    BENCH_WRONG_DATA);
	expect(&l, q, HEAD("0001") HOST "0001 0001 c00c 0001 0001 0000003c 0003 0a0000",
	    BENCH_WRONG_DATA);
	expect(&l, q, HEAD("0000") HOST "0001 0001", BENCH_NO_DATA);
	expect(&l, q, "1234 8183 0001 0000 0000 0000" HOST "0001 0001", BENCH_RCODE);
}
END_TEST

#define REVERSE "<1.0.0.0.0.0.a.0.0.0.0.0.0.0.0.0.0.0.0.0.4.6.0.0.8.b.d.0.1.0.0.2.ip6.arpa>"

START_TEST(replies_to_ptr)
{
	struct bench_question q = { BENCH_REVERSE, 1 };
	struct bench_load l;

	load(&l, "2001:db8:64::/96");
	expect(&l, q, HEAD("0001") REVERSE "000c 0001 c00c 000c 0001 0000003c 000f <a.example.net>",
	    BENCH_VALID);
	/* through a CNAME to in-addr.arpa (RFC 6147 section 5.3.1) */
	expect(&l, q,
	    HEAD("0002") REVERSE "000c 0001"
				 "c00c 0005 0001 0000003c 0017 <1.0.0.10.in-addr.arpa>"
				 "<1.0.0.10.in-addr.arpa> 000c 0001 0000003c 000f <a.example.net>",
	    BENCH_VALID);
	expect(&l, q,
	    HEAD("0001") REVERSE "000c 0001"
				 "c00c 0005 0001 0000003c 0017 <1.0.0.10.in-addr.arpa>",
	    BENCH_NO_DATA);
	expect(
	    &l, q, HEAD("0001") REVERSE "000c 0001 c00c 000c 0001 0000003c 0000", BENCH_WRONG_DATA);
	expect(&l, q, "1234 8183 0001 0000 0000 0000" REVERSE "000c 0001", BENCH_RCODE);
}
END_TEST

START_TEST(replies_to_naptr)
{
	struct bench_question q = { BENCH_NUMBER, 1234 };
	struct bench_load l;

	load(&l, NULL);
	l.numbers = l.missing = (struct bench_range){ 0, 9999, 4 };
	expect(&l, q,
	    HEAD("0001") "<4.3.2.1.e164.arpa> 0023 0001"
			 "c00c 0023 0001 0000003c 0013 000a 0064 01'u' 07'E2U+sip' 03'!a!' <>",
	    BENCH_VALID);
	expect(&l, q, "1234 8183 0001 0000 0000 0000 <4.3.2.1.e164.arpa> 0023 0001", BENCH_RCODE);
	q.kind = BENCH_NO_NUMBER;
	expect(&l, q, "1234 8183 0001 0000 0000 0000 <4.3.2.1.e164.arpa> 0023 0001", BENCH_VALID);
	expect(&l, q, HEAD("0000") "<4.3.2.1.e164.arpa> 0023 0001", BENCH_RCODE);
}
END_TEST

START_TEST(replies_for_what_is_missing)
{
	struct bench_question q = { BENCH_MISSING, 1 };
	struct bench_load l;

	load(&l, NULL);
	expect(&l, q, "1234 8183 0001 0000 0000 0000 <nx-010-000-000-001" SUFFIX "> 001c 0001",
	    BENCH_VALID);
	expect(&l, q, "1234 8383 0001 0000 0000 0000 <nx-010-000-000-001" SUFFIX "> 001c 0001",
	    BENCH_TRUNCATED);
	expect(&l, q, HEAD("0000") "<nx-010-000-000-001" SUFFIX "> 001c 0001", BENCH_RCODE);
	expect(&l, q, HEAD("0001") "<nx-010-000-000-001" SUFFIX "> 001c 0001" AAAA_OF(RIGHT),
	    BENCH_RCODE);
	expect(&l, q, "1234 8182 0001 0000 0000 0000 <nx-010-000-000-001" SUFFIX "> 001c 0001",
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

	ck_assert(!bench_check_parse(&m, buf, hex_read(no_replies[_i], buf, sizeof(buf))));
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
	struct bench_load l;
	struct msg m;

	load(&l, NULL);
	ck_assert(bench_check_parse(&m, buf, hex_read(for_others[_i], buf, sizeof(buf))));
	ck_assert(!bench_check_is_for(&l, first, &m));
}
END_TEST

/* A question of ours, sent back with QR, is the one that it was. */
START_TEST(own_question_sent_back_is_recognized)
{
	static const enum bench_kind kinds[] = { BENCH_NEW, BENCH_HIT, BENCH_MISSING, BENCH_ADDRESS,
		BENCH_REVERSE, BENCH_NUMBER, BENCH_NO_NUMBER };
	struct bench_load l;

	load(&l, "64:ff9b::/96");
	l.numbers = l.missing = (struct bench_range){ 0, 99999, 5 };
	l.bufsize = 1232;
	for (size_t i = 0; i < N_OF(kinds); i++) {
		struct bench_question q = { kinds[i], 4711 }, next = { kinds[i], 4712 };
		uint8_t buf[BENCH_QUESTION_MAX];
		size_t len = bench_load_write(&l, q, 1, buf);
		struct msg m;

		ck_assert(!bench_check_parse(&m, buf, len));
		buf[2] |= 0x80;
		ck_assert(bench_check_parse(&m, buf, len));
		ck_assert(bench_check_is_for(&l, q, &m));
		ck_assert(!bench_check_is_for(&l, next, &m));
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
	struct bench_load l;
	uint8_t buf[512];
	struct msg m;

	ck_assert(bench_replay_read((const uint8_t *)lines, strlen(lines), &r, error));
	bench_load_init(&l);
	l.replay = r;
	expect(&l, q, "1234 8180 0001 0000 0000 0000 <wWw.test> 000f 0001", BENCH_VALID);
	expect(&l, q, "1234 8183 0001 0000 0000 0000 <wWw.test> 000f 0001", BENCH_VALID);
	expect(&l, q, "1234 8182 0001 0000 0000 0000 <wWw.test> 000f 0001", BENCH_RCODE);
	expect(&l, q, "1234 8185 0001 0000 0000 0000 <wWw.test> 000f 0001", BENCH_RCODE);
	expect(&l, q, "1234 8380 0001 0000 0000 0000 <wWw.test> 000f 0001", BENCH_TRUNCATED);
	ck_assert(bench_check_parse(&m, buf,
	    hex_read("1234 8180 0001 0000 0000 0000 <wWw.test> 0001 0001", buf, sizeof(buf))));
	ck_assert(!bench_check_is_for(&l, q, &m));
	ck_assert(bench_check_parse(&m, buf,
	    hex_read("1234 8180 0001 0000 0000 0000 <www.test> 000f 0001", buf, sizeof(buf))));
	ck_assert(!bench_check_is_for(&l, q, &m));
	bench_replay_free(r);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("bench_check");
	TCase *tc = tcase_create("replies");

	tcase_add_loop_test(tc, replies_to_aaaa, 0, N_OF(aaaa));
	tcase_add_loop_test(tc, native_aaaa_are_right_and_synthesized_wrong, 0, 3);
	tcase_add_test(tc, replies_to_a);
	tcase_add_test(tc, replies_to_ptr);
	tcase_add_test(tc, replies_to_naptr);
	tcase_add_test(tc, replies_for_what_is_missing);
	tcase_add_loop_test(tc, what_is_no_reply_is_refused, 0, N_OF(no_replies));
	tcase_add_loop_test(tc, reply_to_another_question_is_not_for_it, 0, N_OF(for_others));
	tcase_add_test(tc, own_question_sent_back_is_recognized);
	tcase_add_test(tc, recorded_questions_are_answered);
	suite_add_tcase(s, tc);

	SRunner *sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	int failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
