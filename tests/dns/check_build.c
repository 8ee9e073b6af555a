/* SPDX-License-Identifier: BSD-2-Clause */
/* Whole messages: header and OPT, fitting a limit (RULES D12), passing on (D20, D24). */
#include <stdio.h>
#include <string.h>

#include "dns/build.h"
#include "dns/name.h"
#include "support/guard.h"
#include "support/hex.h"
#include "support/message.h"
#include "support/tests.h"

#define A_IN "0001 0001"
#define TTL_60 "0000003c"
#define ADDRESS "c00c" A_IN TTL_60 "0004 c0000221"

static const uint8_t www[] = "\3www\7example\3com";
static const struct build_opt no_opt = { .present = false, .ede = DNS_EDE_NONE };
static const struct build_opt plain_opt = { .present = true, .bufsize = 1232, .ede = DNS_EDE_NONE };
static const struct build_opt ede_opt = { .present = true, .bufsize = 1232, .ede = 29 };
static const struct build_opt *const opts[] = { &no_opt, &plain_opt, &ede_opt };
static const size_t limits[] = { 512, 1232, 4096, 65535 };
static uint8_t out[DNS_MSG_MAX];
static uint8_t in[DNS_MSG_MAX];
static uint8_t zeros[DNS_MSG_MAX];

#define N(array) (sizeof(array) / sizeof(array)[0])

/* A record to the question's name with RDLEN zero bytes, 12 + RDLEN in all. */
static void
put(struct build *b, enum msg_section s, uint16_t type, uint16_t rdlen)
{
	ck_assert(build_rr(b, s, www, type, DNS_CLASS_IN, 60, zeros, rdlen));
}

static void
start(struct build *b)
{
	build_start(b, out, sizeof(out),
	    &(struct build_question){ .id = 0x1234,
		.flags = DNS_QR | DNS_RD | DNS_RA,
		.qname = www,
		.qtype = DNS_TYPE_AAAA,
		.qclass = DNS_CLASS_IN });
}

/* --- Header, question, OPT -------------------------------------------------------------------- */

START_TEST(header_and_question_are_written)
{
	struct build b;
	size_t len;

	build_start(&b, out, sizeof(out),
	    &(struct build_question){ .id = 0xbeef,
		.flags = DNS_QR | DNS_AA | DNS_CD,
		.qname = (const uint8_t *)"\3WwW\7eXample\3com",
		.qtype = DNS_TYPE_MX,
		.qclass = DNS_CLASS_CH });
	b.rcode = DNS_NXDOMAIN;
	len = build_finish(&b, 512, &no_opt);
	message_expect(out, len, "beef 8413 0001 0000 0000 0000 <WwW.eXample.com> 000f 0003");
}
END_TEST

START_TEST(message_without_question_has_its_opt)
{
	struct build b;
	size_t len;

	build_start(
	    &b, out, sizeof(out), &(struct build_question){ .id = 0xbeef, .flags = DNS_QR });
	len = build_finish(&b, 512, &plain_opt);
	message_expect(out, len, "beef 8000 0000 0000 0000 0001 00 0029 04d0 00000000 0000");
}
END_TEST

START_TEST(opt_has_upper_rcode)
{
	uint8_t bytes[DNS_OPT_LEN + 1];

	memset(bytes, 0xaa, sizeof(bytes));
	build_set_opt(bytes, 1232, DNS_BADCOOKIE, true, 6);
	message_expect(bytes, DNS_OPT_LEN, "00 0029 04d0 01 00 8000 0006");
	build_set_opt(bytes, 512, DNS_RCODE, false, 0);
	message_expect(bytes, DNS_OPT_LEN, "00 0029 0200 00 00 0000 0000");
	build_set_opt(bytes, 512, 0xfff, false, 0);
	message_expect(bytes, DNS_OPT_LEN, "00 0029 0200 ff 00 0000 0000");
	ck_assert_uint_eq(bytes[DNS_OPT_LEN], 0xaa);
}
END_TEST

/* RFC 6891 6.1.3: the rcode's upper bits; RFC 3225: DO; RFC 8914 2: EDE. */
static const struct opt_case {
	struct build_opt opt;
	uint16_t rcode;
	const char *text;
} opt_cases[] = {
	{ { .present = false, .do_bit = true, .bufsize = 1, .ede = 29 }, DNS_SERVFAIL,
	    "1234 8182 0001 0000 0000 0000 <www.example.com> 001c 0001" },
	{ { .present = true, .bufsize = 1232, .ede = DNS_EDE_NONE }, DNS_NOERROR,
	    "1234 8180 0001 0000 0000 0001 <www.example.com> 001c 0001"
	    "00 0029 04d0 00000000 0000" },
	{ { .present = true, .do_bit = true, .bufsize = 4096, .ede = DNS_EDE_NONE }, DNS_REFUSED,
	    "1234 8185 0001 0000 0000 0001 <www.example.com> 001c 0001"
	    "00 0029 1000 00008000 0000" },
	{ { .present = true, .do_bit = true, .bufsize = 4096, .ede = 20 }, DNS_REFUSED,
	    "1234 8185 0001 0000 0000 0001 <www.example.com> 001c 0001"
	    "00 0029 1000 00008000 0006 000f 0002 0014" },
	{ { .present = true, .bufsize = 1232, .ede = DNS_EDE_OTHER }, DNS_BADVERS,
	    "1234 8180 0001 0000 0000 0001 <www.example.com> 001c 0001"
	    "00 0029 04d0 01000000 0006 000f 0002 0000" },
	{ { .present = true, .bufsize = 1232, .ede = DNS_EDE_NONE }, 0xfff,
	    "1234 818f 0001 0000 0000 0001 <www.example.com> 001c 0001"
	    "00 0029 04d0 ff000000 0000" },
	/* An rcode that cannot be told is no NOERROR. */
	{ { .present = false, .ede = DNS_EDE_NONE }, DNS_BADVERS,
	    "1234 8182 0001 0000 0000 0000 <www.example.com> 001c 0001" },
};

START_TEST(rfc6891_6_1_opt)
{
	const struct opt_case *c = &opt_cases[_i];
	struct build b;
	struct msg m;
	size_t len;

	start(&b);
	b.rcode = c->rcode;
	len = build_finish(&b, 512, &c->opt);
	message_expect(out, len, c->text);
	message_sound(&m, out, len, 512);
	ck_assert_uint_eq(m.edns.present, c->opt.present);
	ck_assert_uint_eq(msg_ede(&m), c->opt.present ? c->opt.ede : (uint16_t)DNS_EDE_NONE);
}
END_TEST

START_TEST(d9_query_sets_ad_and_opt)
{
	size_t len = build_query(out, 512,
	    &(struct build_question){ .id = 0xabcd,
		.qname = (const uint8_t *)"\3wWw\4Test",
		.qtype = DNS_TYPE_AAAA,
		.qclass = DNS_CLASS_IN },
	    &ede_opt);

	message_expect(out, len,
	    "abcd 0120 0001 0000 0000 0001 <wWw.Test> 001c 0001"
	    "00 0029 04d0 00000000 0000");
	len = build_query(out, 512,
	    &(struct build_question){ .id = 1,
		.flags = DNS_CD,
		.qname = (const uint8_t *)"",
		.qtype = 65280,
		.qclass = DNS_CLASS_ANY },
	    &no_opt);
	message_expect(out, len, "0001 0130 0001 0000 0000 0000 <> ff00 00ff");
}
END_TEST

/* --- Limits ----------------------------------------------------------------------------------- */

/* 60 addresses at each limit: what fits, whole, and the OPT. Loops over limits and opts. */
START_TEST(d12_sixty_addresses)
{
	size_t limit = limits[(size_t)_i / N(opts)];
	const struct build_opt *opt = opts[(size_t)_i % N(opts)];
	size_t opt_len = opt == &no_opt ? 0 : DNS_OPT_LEN;
	size_t fits = (limit - 33 - opt_len) / 28;
	bool cut = fits < 60;
	struct build b;
	struct msg m;
	size_t len;

	start(&b);
	for (unsigned i = 0; i < 60; i++)
		put(&b, MSG_ANSWER, DNS_TYPE_AAAA, 16);
	put(&b, MSG_AUTHORITY, DNS_TYPE_TXT, 1);
	len = build_finish(&b, limit, opt);
	message_sound(&m, out, len, limit);
	ck_assert_uint_eq(m.count[MSG_ANSWER], cut ? fits : 60);
	ck_assert_uint_eq(m.count[MSG_AUTHORITY], !cut);
	ck_assert_uint_eq((m.flags & DNS_TC) != 0, cut);
	ck_assert_uint_eq(m.edns.present, opt->present);
	ck_assert_uint_eq(msg_ede(&m), cut || opt != &ede_opt ? DNS_EDE_NONE : 29);
	ck_assert_uint_eq(len,
	    cut ? 33 + fits * 28 + opt_len
		: 33 + 60 * 28 + 13 + opt_len + (opt == &ede_opt ? 6 : 0));
}
END_TEST

/*
 * Answer 567 bytes up to 600, authority 17 up to 617, additional 16 up to 633, OPT 11 up to 644,
 * EDE 6 up to 650.
 */
static const struct drop_case {
	const struct build_opt *opt;
	size_t limit;
	size_t len;
	bool tc;
	uint16_t counts[MSG_SECTIONS];
	bool ede;
} drops[] = {
	{ &ede_opt, 650, 650, false, { 1, 1, 2 }, true },
	{ &ede_opt, 649, 644, true, { 1, 1, 2 }, false }, /* RFC 8914 section 3: TC */
	{ &ede_opt, 644, 644, true, { 1, 1, 2 }, false },
	{ &ede_opt, 643, 628, true, { 1, 1, 1 }, false },
	{ &plain_opt, 644, 644, false, { 1, 1, 2 }, false },
	{ &plain_opt, 643, 628, false, { 1, 1, 1 }, false }, /* RFC 2181 section 9: no TC */
	{ &plain_opt, 628, 628, false, { 1, 1, 1 }, false },
	{ &plain_opt, 627, 611, false, { 1, 0, 1 }, false },
	{ &plain_opt, 611, 611, false, { 1, 0, 1 }, false },
	{ &plain_opt, 610, 44, true, { 0, 0, 1 }, false },
	{ &plain_opt, 512, 44, true, { 0, 0, 1 }, false },
	{ &no_opt, 633, 633, false, { 1, 1, 1 }, false },
	{ &no_opt, 632, 617, false, { 1, 1, 0 }, false },
	{ &no_opt, 616, 600, false, { 1, 0, 0 }, false },
	{ &no_opt, 599, 33, true, { 0, 0, 0 }, false },
};

static void
put_sections(struct build *b)
{
	start(b);
	put(b, MSG_ANSWER, DNS_TYPE_TXT, 555);
	put(b, MSG_AUTHORITY, DNS_TYPE_TXT, 5);
	put(b, MSG_ADDITIONAL, DNS_TYPE_A, 4);
}

static void
check_drop(const struct drop_case *c, size_t len)
{
	struct msg m;

	message_sound(&m, out, len, c->limit);
	ck_assert_uint_eq(len, c->len);
	ck_assert_uint_eq((m.flags & DNS_TC) != 0, c->tc);
	for (unsigned s = 0; s < MSG_SECTIONS; s++)
		ck_assert_uint_eq(m.count[s], c->counts[s]);
	ck_assert_uint_eq(m.edns.present, c->opt->present);
	ck_assert_uint_eq(msg_ede(&m), c->ede ? 29 : DNS_EDE_NONE);
}

START_TEST(d12_order_of_what_is_dropped)
{
	struct build b;

	put_sections(&b);
	check_drop(&drops[_i], build_finish(&b, drops[_i].limit, drops[_i].opt));
}
END_TEST

START_TEST(d12_order_relayed)
{
	struct build b;
	struct msg m;
	size_t len;

	put_sections(&b);
	len = build_finish(&b, DNS_MSG_MAX, &no_opt);
	memcpy(in, out, len);
	ck_assert_int_eq(msg_parse(&m, in, len), MSG_OK);
	check_drop(&drops[_i],
	    build_relay(out, drops[_i].limit, &m,
		&(struct build_question){ .id = 1, .flags = m.flags, .qname = www },
		drops[_i].opt));
}
END_TEST

/* An empty answer's authority is what was asked for: to drop of it sets TC. */
START_TEST(d12_dropped_soa_sets_tc)
{
	struct build b;
	struct msg m;
	size_t len;

	start(&b);
	put(&b, MSG_AUTHORITY, DNS_TYPE_SOA, 456);  /* up to 501 */
	put(&b, MSG_AUTHORITY, DNS_TYPE_NSEC, 200); /* up to 713 */
	put(&b, MSG_ADDITIONAL, DNS_TYPE_TXT, 100);
	/* Once without the additional section; then the SOA fits to the byte. */
	len = build_finish(&b, 724, &plain_opt);
	ck_assert_int_eq(msg_parse(&m, out, len), MSG_OK);
	ck_assert_uint_eq(len, 724);
	ck_assert_uint_eq(m.flags & DNS_TC, 0);
	len = build_finish(&b, 512, &plain_opt);
	ck_assert_int_eq(msg_parse(&m, out, len), MSG_OK);
	ck_assert_uint_eq(len, 501 + 11);
	ck_assert_uint_eq(m.flags & DNS_TC, DNS_TC);
	ck_assert_uint_eq(m.count[MSG_AUTHORITY], 1);
	ck_assert_uint_eq(m.count[MSG_ADDITIONAL], 1);
}
END_TEST

/* A TXT of 3,000 bytes at 1232 leaves question and OPT. */
START_TEST(d12_one_large_record)
{
	struct build b;
	size_t len;

	start(&b);
	put(&b, MSG_ANSWER, DNS_TYPE_TXT, 3000);
	len = build_finish(&b, 1232, &plain_opt);
	message_expect(out, len,
	    "1234 8380 0001 0000 0000 0001 <www.example.com> 001c 0001"
	    "00 0029 04d0 00000000 0000");
}
END_TEST

/* The buffer's end is a limit too, and 65,535 bytes are the end of all. */
START_TEST(buffer_is_limit)
{
	static uint8_t large[DNS_MSG_MAX + 100];
	struct build b;
	struct msg m;
	size_t len;

	build_start(&b, large, sizeof(large),
	    &(struct build_question){ .id = 1,
		.flags = DNS_QR,
		.qname = www,
		.qtype = DNS_TYPE_TXT,
		.qclass = DNS_CLASS_IN });
	put(&b, MSG_ANSWER, DNS_TYPE_TXT, 50000);
	put(&b, MSG_ANSWER, DNS_TYPE_TXT, (uint16_t)(DNS_MSG_MAX - 50045 - 12));
	ck_assert(!build_rr(&b, MSG_ADDITIONAL, www, DNS_TYPE_TXT, 1, 0, zeros, 0));
	ck_assert_uint_eq(b.w.len, DNS_MSG_MAX);
	len = build_finish(&b, sizeof(large), &plain_opt);
	message_sound(&m, large, len, DNS_MSG_MAX);
	ck_assert_uint_eq(m.count[MSG_ANSWER], 1);
	ck_assert_uint_eq(m.flags & DNS_TC, DNS_TC);
}
END_TEST

/* --- Passing on ------------------------------------------------------------------------------- */

static const struct relay_case {
	const char *what;
	const char *src;
	const char *qname;
	unsigned clear;
	const struct build_opt *opt;
	const char *text;
} relays[] = {
	{ "D24: ID, the question's case, AD",
	    "1234 85a0 0001 0001 0000 0000 <wWW.examPLE.com>" A_IN ADDRESS, "www.example.com",
	    DNS_AA | DNS_AD, &no_opt,
	    "abcd 8180 0001 0001 0000 0000 <www.example.com>" A_IN ADDRESS },
	{ "AD may stay", "1234 81a0 0001 0001 0000 0000 <www.example.com>" A_IN ADDRESS,
	    "www.example.com", 0, &no_opt,
	    "abcd 81a0 0001 0001 0000 0000 <www.example.com>" A_IN ADDRESS },
	{ "RFC 5625 4.1: TC stays", "1234 8380 0001 0001 0000 0000 <www.example.com>" A_IN ADDRESS,
	    "www.example.com", DNS_AD, &no_opt,
	    "abcd 8380 0001 0001 0000 0000 <www.example.com>" A_IN ADDRESS },
	{ "RFC 5625 4.2: the reserved flag stays",
	    "1234 81c3 0001 0000 0000 0000 <www.example.com>" A_IN, "www.example.com", DNS_AD,
	    &no_opt, "abcd 81c3 0001 0000 0000 0000 <www.example.com>" A_IN },
	{ "RFC 6891 6.1.1: an OPT is not passed on, its options neither",
	    "1234 8180 0001 0001 0000 0001 <www.example.com>" A_IN ADDRESS
	    "00 0029 1000 00008000 000c 000a 0008 0123456789abcdef",
	    "www.example.com", 0, &no_opt,
	    "abcd 8180 0001 0001 0000 0000 <www.example.com>" A_IN ADDRESS },
	{ "replaced by our own",
	    "1234 8180 0001 0001 0000 0001 <www.example.com>" A_IN ADDRESS
	    "00 0029 1000 00008000 000c 000a 0008 0123456789abcdef",
	    "www.example.com", 0, &plain_opt,
	    "abcd 8180 0001 0001 0000 0001 <www.example.com>" A_IN ADDRESS
	    "00 0029 04d0 00000000 0000" },
	{ "ours, where there was none, with EDE",
	    "1234 8180 0001 0001 0000 0001 <www.example.com>" A_IN ADDRESS "c010 0002 0001" TTL_60
	    "0002 c010",
	    "www.example.com", 0, &ede_opt,
	    "abcd 8180 0001 0001 0000 0002 <www.example.com>" A_IN ADDRESS "c010 0002 0001" TTL_60
	    "0002 c010 00 0029 04d0 00000000 0006 000f 0002 001d" },
	{ "the rcode's 12 bits",
	    "1234 8187 0001 0000 0000 0001 <www.example.com>" A_IN "00 0029 1000 01000000 0000",
	    "www.example.com", 0, &plain_opt,
	    "abcd 8187 0001 0000 0000 0001 <www.example.com>" A_IN "00 0029 04d0 01000000 0000" },
	{ "the rcode's 12 bits cannot be told",
	    "1234 8180 0001 0000 0000 0001 <www.example.com>" A_IN "00 0029 1000 01000000 0000",
	    "www.example.com", 0, &no_opt, "abcd 8182 0001 0000 0000 0000 <www.example.com>" A_IN },
	{ "RFC 5625 4.3: what is not known passes, pointer-like RDATA too",
	    "1234 8180 0001 0001 0001 0001 <www.example.com> ff01 fe00"
	    "{x}c00c ff01 fe00 ffffffff 0003 c0ffee c010 ff02 fe00 00000000 0000"
	    "{y}c021 ff03 fe00 00000001 0001 c0",
	    "www.example.com", 0, &no_opt,
	    "abcd 8180 0001 0001 0001 0001 <www.example.com> ff01 fe00"
	    "{x}c00c ff01 fe00 ffffffff 0003 c0ffee c010 ff02 fe00 00000000 0000"
	    "{y}c021 ff03 fe00 00000001 0001 c0" },
	{ "no question", "1234 8185 0000 0000 0000 0000", NULL, 0, &plain_opt,
	    "abcd 8185 0000 0000 0000 0001 00 0029 04d0 00000000 0000" },
	{ "an OPT before other records: they are rewritten, pointers among them right",
	    "1234 8180 0001 0001 0000 0005 <www.example.com>" A_IN ADDRESS
	    "@49. {ns}c010" A_IN TTL_60 "0004 c0000201"
	    "@68. 00 0029 1000 00008000 0004 000a 0000"
	    "@83. {ns2}c010" A_IN TTL_60 "0004 c0000202"
	    "@103. c053 0002 0001" TTL_60 "0004 {x}c053"
	    "@119. c031" A_IN TTL_60 "0004 c0000203",
	    "WWW.example.com", 0, &plain_opt,
	    "abcd 8180 0001 0001 0000 0005 <WWW.example.com>" A_IN ADDRESS
	    "@49. {ns}c010" A_IN TTL_60 "0004 c0000201"
	    "@68. {ns2}c010" A_IN TTL_60 "0004 c0000202"
	    "@88. c044 0002 0001" TTL_60 "0004 {x}c044"
	    "@104. {ns}c010" A_IN TTL_60 "0004 c0000203"
	    "00 0029 04d0 00000000 0000" },
	{ "behind an OPT, a record that cannot be rewritten is left out",
	    "1234 8180 0001 0001 0000 0003 <www.example.com>" A_IN ADDRESS
	    "00 0029 1000 00008000 0000 c00c 0002 0001" TTL_60 "0003 c00c00"
	    "c010" A_IN TTL_60 "0004 c0000203",
	    "www.example.com", 0, &no_opt,
	    "abcd 8180 0001 0001 0000 0001 <www.example.com>" A_IN ADDRESS "c010" A_IN TTL_60
	    "0004 c0000203" },
};

START_TEST(d24_relay_keeps_the_records)
{
	const struct relay_case *c = &relays[_i];
	uint8_t qname[DNS_NAME_MAX];
	struct guard g;
	struct msg m;
	struct msg again;
	size_t len;

	if (c->qname != NULL)
		ck_assert_uint_gt(name_from_text(c->qname, qname), 0);
	message_read(&m, in, sizeof(in), c->src);
	guard_init(&g, sizeof(in));
	ck_assert_int_eq(msg_parse(&m, guard_put(&g, in, m.len), m.len), MSG_OK);
	len = build_relay(out, 512, &m,
	    &(struct build_question){ .id = 0xabcd,
		.flags = m.flags & (uint16_t)~c->clear,
		.qname = c->qname != NULL ? qname : NULL },
	    c->opt);
	message_expect(out, len, c->text);
	if (c->qname != NULL && m.rcode <= DNS_RCODE)
		message_sound(&again, out, len, 512);
	guard_fini(&g);
}
END_TEST

/* A reply with N addresses, two NS, glue and an OPT; in IN. */
static void
read_reply(struct msg *m, unsigned n)
{
	struct build b;

	build_start(&b, in, sizeof(in),
	    &(struct build_question){ .id = 0x1234,
		.flags = DNS_QR | DNS_RD | DNS_RA,
		.qname = www,
		.qtype = DNS_TYPE_A,
		.qclass = DNS_CLASS_IN });
	while (n-- > 0)
		put(&b, MSG_ANSWER, DNS_TYPE_A, 4);
	ck_assert(build_rr_name(&b, MSG_AUTHORITY, www + 4, DNS_TYPE_NS, DNS_CLASS_IN, 60,
	    (const uint8_t *)"\2ns\7example\3com"));
	ck_assert(build_rr_name(&b, MSG_AUTHORITY, www + 4, DNS_TYPE_NS, DNS_CLASS_IN, 60,
	    (const uint8_t *)"\2ns\4test"));
	ck_assert(build_rr(&b, MSG_ADDITIONAL, (const uint8_t *)"\2ns\4test", DNS_TYPE_A,
	    DNS_CLASS_IN, 60, zeros, 4));
	ck_assert_int_eq(msg_parse(m, in, build_finish(&b, DNS_MSG_MAX, &plain_opt)), MSG_OK);
}

START_TEST(d12_sixty_addresses_relayed)
{
	size_t limit = limits[(size_t)_i / N(opts)];
	const struct build_opt *opt = opts[(size_t)_i % N(opts)];
	size_t opt_len = opt == &no_opt ? 0 : DNS_OPT_LEN;
	size_t fits = (limit - 33 - opt_len) / 16;
	bool cut = fits < 60;
	struct msg m;
	struct msg again;
	size_t len;

	read_reply(&m, 60);
	len = build_relay(out, limit, &m,
	    &(struct build_question){ .id = 1, .flags = m.flags, .qname = www }, opt);
	message_sound(&again, out, len, limit);
	ck_assert_uint_eq(again.count[MSG_ANSWER], cut ? fits : 60);
	ck_assert_uint_eq(again.count[MSG_AUTHORITY], cut ? 0 : 2);
	ck_assert_uint_eq(again.count[MSG_ADDITIONAL], (cut ? 0u : 1u) + opt->present);
	ck_assert_uint_eq((again.flags & DNS_TC) != 0, cut);
	ck_assert_uint_eq(again.edns.present, opt->present);
}
END_TEST

/*
 * At every limit a passed message is what it would be if built here, it parses again and not a
 * byte is written behind the limit.
 */
START_TEST(relay_every_limit)
{
	const struct build_opt *opt = opts[_i];
	struct guard g;

	guard_init(&g, 1200);
	for (size_t limit = 512; limit < 1200; limit++) {
		uint8_t *buf = guard_put(&g, zeros, limit);
		struct build b;
		struct msg m;
		struct msg again;
		size_t len;

		read_reply(&m, 64);
		len = build_relay(buf, limit, &m,
		    &(struct build_question){ .id = 0x1234, .flags = m.flags, .qname = www }, opt);
		message_sound(&again, buf, len, limit);
		b = (struct build){ .w = { .buf = in, .cap = sizeof(in) },
			.qname_len = m.qname_len,
			.flags = m.flags };
		memcpy(b.count, m.count, sizeof(b.count));
		b.count[MSG_ADDITIONAL]--;
		b.end[MSG_ANSWER] = m.at[MSG_AUTHORITY];
		b.end[MSG_AUTHORITY] = m.at[MSG_ADDITIONAL];
		b.end[MSG_ADDITIONAL] = m.edns.at;
		ck_assert_uint_eq(build_finish(&b, limit, opt), len);
		ck_assert(memcmp(in, buf, len) == 0);
	}
	guard_fini(&g);
}
END_TEST

/* An OPT in the middle of 600 bytes, at every limit. */
START_TEST(relay_opt_in_the_middle)
{
	const struct build_opt *opt = opts[_i];
	static char text[8192];
	struct guard g;
	struct msg m;
	size_t used;

	used = (size_t)snprintf(text, sizeof(text),
	    "1234 8180 0001 0001 0001 0020 <www.example.com>" A_IN ADDRESS "c010 0002 0001" TTL_60
	    "0004 {n}c010 {a}c010 " A_IN TTL_60 "0004 c0000201"
	    "00 0029 1000 00008000 0000");
	for (unsigned i = 0; i < 30; i++)
		used += (size_t)snprintf(
		    text + used, sizeof(text) - used, "{%02u}c010" A_IN TTL_60 "0004 c0000201", i);
	message_read(&m, in, sizeof(in), text);
	guard_init(&g, 1200);
	for (size_t limit = 512; limit < 800; limit++) {
		uint8_t *buf = guard_put(&g, zeros, limit);
		size_t len = build_relay(buf, limit, &m,
		    &(struct build_question){ .id = 0x1234, .flags = m.flags, .qname = www }, opt);
		struct msg again;

		message_sound(&again, buf, len, limit);
		ck_assert_uint_eq(again.count[MSG_ANSWER], 1);
		ck_assert_uint_eq(again.count[MSG_AUTHORITY], 1);
		ck_assert_uint_ge(again.count[MSG_ADDITIONAL], 2);
		ck_assert_uint_eq(again.edns.present, opt->present);
		ck_assert_uint_eq(again.flags & DNS_TC, 0);
	}
	guard_fini(&g);
}
END_TEST

/* Where the records before the OPT had to go, those behind it go as well. */
START_TEST(relay_opt_in_the_middle_cut)
{
	const size_t at = 33 + 512 + 312; /* of the OPT */
	struct build b;
	struct msg m;
	struct msg again;
	size_t len;

	start(&b);
	put(&b, MSG_ANSWER, DNS_TYPE_TXT, 500);
	put(&b, MSG_ADDITIONAL, DNS_TYPE_TXT, 300);
	put(&b, MSG_ADDITIONAL, DNS_TYPE_OPT, 0);
	put(&b, MSG_ADDITIONAL, DNS_TYPE_A, 4);
	len = build_finish(&b, DNS_MSG_MAX, &no_opt);
	/* An OPT's owner is the root: a byte less. */
	memcpy(in, out, at);
	in[at] = 0;
	memcpy(in + at + 1, out + at + 2, len - at - 2);
	ck_assert_int_eq(msg_parse(&m, in, len - 1), MSG_OK);
	len = build_relay(out, 700, &m,
	    &(struct build_question){ .id = 1, .flags = m.flags, .qname = www }, &plain_opt);
	message_sound(&again, out, len, 700);
	ck_assert_uint_eq(len, 33 + 512 + 11);
	ck_assert_uint_eq(again.count[MSG_ADDITIONAL], 1);
	ck_assert_uint_eq(again.flags & DNS_TC, 0);
}
END_TEST

/* --- Signed messages -------------------------------------------------------------------------- */

#define TSIG_RR "{key}c010 00fa 00ff 00000000 0006 'abcdef'"
#define SIG0_RR "00 0018 00ff 00000000 0013 0000 05 00 00000000 00000002 00000001 0007 00"

static const struct {
	const char *behind; /* the reply's additional section */
	const char *arcount;
} signed_cases[] = {
	{ TSIG_RR, "0001" },
	{ SIG0_RR, "0001" },
	{ "00 0029 1000 00008000 0000" TSIG_RR, "0002" },
};

START_TEST(d20_signed_is_passed_whole)
{
	char text[1024];
	struct msg m;
	size_t len;

	snprintf(text, sizeof(text),
	    "1234 85b0 0001 0001 0000 %s <wWw.example.com>" A_IN ADDRESS "%s",
	    signed_cases[_i].arcount, signed_cases[_i].behind);
	message_read(&m, in, sizeof(in), text);
	ck_assert(m.signature);
	len = build_relay(out, 512, &m,
	    &(struct build_question){
		.id = 0xabcd, .flags = m.flags & (uint16_t) ~(DNS_AA | DNS_AD), .qname = www },
	    &ede_opt);
	memcpy(text, "abcd", 4);
	message_expect(out, len, text);
}
END_TEST

START_TEST(d20_signed_too_long)
{
	static char text[4096];
	struct msg m;
	size_t len;
	size_t used = (size_t)snprintf(
	    text, sizeof(text), "1234 85b0 0001 0020 0000 0001 <www.example.com>" A_IN);

	for (unsigned i = 0; i < 32; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, ADDRESS);
	snprintf(text + used, sizeof(text) - used, TSIG_RR);
	message_read(&m, in, sizeof(in), text);
	len = build_relay(out, 512, &m,
	    &(struct build_question){
		.id = 0xabcd, .flags = m.flags & (uint16_t)~DNS_AD, .qname = www },
	    &plain_opt);
	message_expect(out, len,
	    "abcd 8790 0001 0000 0000 0001 <www.example.com>" A_IN "00 0029 04d0 00000000 0000");
	len = build_relay(out, m.len, &m,
	    &(struct build_question){
		.id = 0xabcd, .flags = m.flags & (uint16_t)~DNS_AD, .qname = www },
	    &plain_opt);
	memcpy(text, "abcd", 4);
	message_expect(out, len, text);
}
END_TEST

/*
 * Owners that repeat the question get the client's spelling, others keep theirs (RULES D21, D24).
 */
START_TEST(d21_owners_get_the_clients_spelling)
{
	struct msg m;
	size_t len;

	message_read(&m, in, sizeof(in),
	    "1234 8180 0001 0003 0000 0001 <wWw.ExaMple.com>" A_IN
	    "<wWw.ExaMple.com> 0001 0001 0000003c 0004 c0000201"
	    "03 'wWw' c010 0001 0001 0000003c 0004 c0000202"
	    "<wwX.ExaMple.com> 0001 0001 0000003c 0004 c0000203"
	    "<ns.ExaMple.com> 0001 0001 0000003c 0004 c0000204");
	ck_assert(m.spelled && !m.dname);
	len = build_relay(out, 512, &m,
	    &(struct build_question){ .id = 0xabcd, .flags = m.flags, .qname = www },
	    &(struct build_opt){ 0 });
	message_expect(out, len,
	    "abcd 8180 0001 0003 0000 0001 <www.example.com>" A_IN
	    "<www.example.com> 0001 0001 0000003c 0004 c0000201"
	    "03 'www' c010 0001 0001 0000003c 0004 c0000202"
	    "<wwX.ExaMple.com> 0001 0001 0000003c 0004 c0000203"
	    "<ns.ExaMple.com> 0001 0001 0000003c 0004 c0000204");
}
END_TEST

/* RFC 7873 section 4: the option, behind an EDE. */
START_TEST(rfc7873_4_cookie)
{
	const struct build_opt opt = { .present = true,
		.bufsize = 1232,
		.ede = 29,
		.cookie = (const uint8_t *)"abcdefghABCDEFGH",
		.cookie_len = 16 };
	struct build b;
	struct msg m;
	size_t len, at;

	build_start(&b, out, sizeof(out),
	    &(struct build_question){
		.id = 1, .flags = DNS_QR, .qname = www, .qtype = 1, .qclass = 1 });
	len = build_finish(&b, 512, &opt);
	ck_assert_int_eq(msg_parse(&m, out, len), MSG_OK);
	ck_assert_uint_eq(msg_ede(&m), 29);
	ck_assert_mem_eq(msg_option(&m, EDNS_COOKIE, &at), "abcdefghABCDEFGH", 16);
	ck_assert_uint_eq(at, 16);
	ck_assert_ptr_null(msg_option(&m, 11, &at));
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_test(tc, header_and_question_are_written);
	tcase_add_test(tc, message_without_question_has_its_opt);
	tcase_add_test(tc, opt_has_upper_rcode);
	tcase_add_loop_test(tc, rfc6891_6_1_opt, 0, (int)N(opt_cases));
	tcase_add_test(tc, d9_query_sets_ad_and_opt);
	tcase_add_loop_test(tc, d12_sixty_addresses, 0, (int)(N(limits) * N(opts)));
	tcase_add_loop_test(tc, d12_order_of_what_is_dropped, 0, (int)N(drops));
	tcase_add_loop_test(tc, d12_order_relayed, 0, (int)N(drops));
	tcase_add_test(tc, d12_dropped_soa_sets_tc);
	tcase_add_test(tc, d12_one_large_record);
	tcase_add_test(tc, buffer_is_limit);
	tcase_add_loop_test(tc, d24_relay_keeps_the_records, 0, (int)N(relays));
	tcase_add_loop_test(tc, d12_sixty_addresses_relayed, 0, (int)(N(limits) * N(opts)));
	tcase_add_loop_test(tc, relay_every_limit, 0, (int)N(opts));
	tcase_add_loop_test(tc, relay_opt_in_the_middle, 0, (int)N(opts));
	tcase_add_test(tc, relay_opt_in_the_middle_cut);
	tcase_add_loop_test(tc, d20_signed_is_passed_whole, 0, (int)N(signed_cases));
	tcase_add_test(tc, d20_signed_too_long);
	tcase_add_test(tc, d21_owners_get_the_clients_spelling);
	tcase_add_test(tc, rfc7873_4_cookie);
}
