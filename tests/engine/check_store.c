/* SPDX-License-Identifier: BSD-2-Clause */
/* What of a reply is kept, for how long, and what of it is changed (rules 28, 31, 34, D22). */

#include "engine/store.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "cache/cache.h"
#include "dns/name.h"
#include "dns/wire.h"
#include "scenario/scene.h"
#include "support/message.h"
#include "support/tests.h"

#define NOW_NS (1000 * NS_PER_SEC)
#define MAX_RECORDS 4
#define NOTHING UINT32_MAX

static struct conf_core conf;
static struct lookups ls;
static struct lookup l;
static uint8_t kept[LOOKUP_KEPT];
static uint8_t found[LOOKUP_KEPT];
static uint8_t bytes[SHARD_MSG_MAX + 4096];

static void
setup(void)
{
	memset(&conf, 0, sizeof(conf));
	conf.keep = (struct conf_cache){ .max_ttl_s = 604800,
		.max_negative_s = 3600,
		.failure_s = 5,
		.stale_s = 86400,
		.cut = CONF_CUT_SECURE };
	conf.cache = cache_new(CACHE_MIN, conf.keep.stale_s, 7);
	ck_assert_ptr_nonnull(conf.cache);
	memset(&ls, 0, sizeof(ls));
	ls.conf = &conf;
	ls.kept = kept;
	ls.seed = cache_seed(conf.cache);
}

static void
teardown(void)
{
	cache_free(conf.cache);
}

static void
make_lookup(uint16_t qtype)
{
	static uint8_t qname[DNS_NAME_MAX];

	memset(&l, 0, sizeof(l));
	l.key.qname_len = (uint8_t)name_from_text("www.example", qname);
	l.key.qname = qname;
	l.key.hash = lookup_hash(&ls, l.key.qname, l.key.qname_len);
	l.key.qtype = qtype;
	l.key.qclass = DNS_CLASS_IN;
}

/* A reply to the lookup, its name in capitals; OPT: what its OPT says. */
static struct lookup_result
reply(struct msg *m, uint16_t rcode, uint16_t flags, const char *const *records,
    const struct build_opt *opt)
{
	struct lookup_result r = { .outcome = LOOKUP_REPLY, .rcode = rcode, .msg = m };
	uint8_t qname[DNS_NAME_MAX];
	struct build b;

	ck_assert_uint_gt(name_from_text("WWW.Example", qname), 0);
	build_start(&b, bytes, sizeof(bytes),
	    &(struct build_question){ .id = 77,
		.flags = DNS_QR | DNS_RD | DNS_RA | flags,
		.qname = qname,
		.qtype = l.key.qtype,
		.qclass = DNS_CLASS_IN });
	b.rcode = rcode;
	for (unsigned i = 0; i < MAX_RECORDS && records[i] != NULL; i++)
		ck_assert(scene_put(&b, records[i]));
	ck_assert_int_eq(msg_parse(m, bytes, build_finish(&b, sizeof(bytes), opt)), MSG_OK);
	return r;
}

static const struct build_opt usual = { .present = true, .bufsize = 1232, .ede = DNS_EDE_NONE };

/* What the cache has for the lookup's question as TYPE, parsed. */
static bool
look(uint16_t qtype, struct cache_entry *e, struct msg *m)
{
	const struct cache_want want = { .now_s = NOW_NS / NS_PER_SEC };
	const struct question key = { .qname = l.key.qname,
		.qname_len = l.key.qname_len,
		.hash = l.key.hash,
		.qtype = qtype,
		.qclass = l.key.qclass,
		.do_bit = l.key.do_bit,
		.cd = l.key.cd };

	if (!cache_get(conf.cache, &key, &want, found, sizeof(found), e))
		return false;
	ck_assert_int_eq(msg_parse(m, found, e->len), MSG_OK);
	ck_assert_int_eq((e->flags & CACHE_PLAIN) != 0, e->kind < CACHE_ERROR && msg_is_plain(m));
	return true;
}

static void
expect_records(const struct msg *m, const char *const *records)
{
	char line[SCENE_TEXT];
	unsigned at = 0;

	for (enum msg_section s = MSG_ANSWER; s < MSG_SECTIONS; s++) {
		struct msg_walk w = msg_walk(m, s);
		struct rr rr;

		while (msg_walk_next(&w, &rr)) {
			scene_print(m, s, &rr, line);
			ck_assert(at < MAX_RECORDS && records[at] != NULL);
			ck_assert_str_eq(line, records[at++]);
		}
	}
	ck_assert(at == MAX_RECORDS || records[at] == NULL);
}

#define SOA(ttl, minimum) "au example. " ttl " SOA ns.example. host.example. " minimum

static const struct {
	uint16_t rcode;
	uint16_t qtype;
	const char *records[MAX_RECORDS];
	uint32_t ttl_s; /* NOTHING: it is not kept */
	enum cache_kind kind;
	const char *kept[MAX_RECORDS]; /* if other than RECORDS */
} replies[] = {
	/* positive: the least of all TTLs */
	{ 0, 1, { "an www.example. 300 A 192.0.2.1" }, 300, CACHE_POSITIVE, { 0 } },
	{ 0, 1, { "an www.example. 300 A 192.0.2.1", "au example. 60 NS ns.example." }, 60,
	    CACHE_POSITIVE, { 0 } },
	{ 0, 1, { "an www.example. 50 CNAME t.example.", "an t.example. 300 A 192.0.2.1" }, 50,
	    CACHE_POSITIVE, { 0 } },
	/* TTL 0 never */
	{ 0, 1, { "an www.example. 0 A 192.0.2.1" }, NOTHING, CACHE_POSITIVE, { 0 } },
	{ 0, 1, { "an www.example. 300 A 192.0.2.1", "ad ns.example. 0 A 192.0.2.2" }, NOTHING,
	    CACHE_POSITIVE, { 0 } },
	/* unsigned, and a week at most */
	{ 0, 1, { "an www.example. 4294967295 A 192.0.2.1" }, 604800, CACHE_POSITIVE,
	    { "an www.example. 604800 A 192.0.2.1" } },
	{ 0, 1, { "an www.example. 300 A 192.0.2.1", "an www.example. 2147483648 A 192.0.2.2" },
	    300, CACHE_POSITIVE,
	    { "an www.example. 300 A 192.0.2.1", "an www.example. 604800 A 192.0.2.2" } },
	/* negative (rule 31): the least of TTL and MINIMUM, which the SOA then says */
	{ 0, 28, { SOA("900", "60") }, 60, CACHE_NODATA, { SOA("60", "60") } },
	{ 0, 28, { SOA("30", "60") }, 30, CACHE_NODATA, { 0 } },
	{ 3, 28, { SOA("90000", "90000") }, 3600, CACHE_NXDOMAIN, { SOA("3600", "90000") } },
	{ 0, 28, { SOA("900", "0") }, NOTHING, CACHE_NODATA, { 0 } },
	{ 0, 28, { "an www.example. 20 CNAME t.example.", SOA("900", "60") }, 20, CACHE_NODATA,
	    { "an www.example. 20 CNAME t.example.", SOA("20", "60") } },
	/* without an SOA, or one that is somebody else's */
	{ 0, 28, { NULL }, NOTHING, CACHE_NODATA, { 0 } },
	{ 3, 28, { NULL }, NOTHING, CACHE_NODATA, { 0 } },
	{ 0, 28, { "au other. 900 SOA ns.example. host.example. 60" }, NOTHING, CACHE_NODATA,
	    { 0 } },
	{ 3, 28, { "au a.www.example. 900 SOA ns.example. host.example. 60" }, NOTHING,
	    CACHE_NODATA, { 0 } },
	{ 0, 28, { "au example. 900 SOA \\# 27 016e0001680000000001" }, NOTHING, CACHE_NODATA,
	    { 0 } },
	/* a chain left open lasts as long as it does */
	{ 0, 28, { "an www.example. 40 CNAME t.example." }, 40, CACHE_POSITIVE, { 0 } },
	/* NXDOMAIN at the end of a chain is about that name and type */
	{ 3, 28, { "an www.example. 40 CNAME t.example.", SOA("900", "60") }, 40, CACHE_NXDOMAIN,
	    { "an www.example. 40 CNAME t.example.", SOA("40", "60") } },
	/* ANY: whatever there is */
	{ 0, 255, { "an www.example. 70 MX 000a00" }, 70, CACHE_POSITIVE, { 0 } },
};

/* Incidents: unbound-4144. */
START_TEST(d22_replies_are_kept_as_listed)
{
	const char *const *wanted =
	    replies[_i].kept[0] != NULL ? replies[_i].kept : replies[_i].records;
	struct lookup_result r;
	struct cache_entry e;
	struct msg m, k;

	make_lookup(replies[_i].qtype);
	r = reply(&m, replies[_i].rcode, DNS_AA | DNS_AD, replies[_i].records, &usual);
	store_result(&ls, &l, &r, NOW_NS);
	if (replies[_i].ttl_s == NOTHING) {
		ck_assert(!look(l.key.qtype, &e, &k));
		return;
	}
	ck_assert(look(l.key.qtype, &e, &k));
	ck_assert_uint_eq(e.ttl_s, replies[_i].ttl_s);
	ck_assert_int_eq(e.kind, replies[_i].kind);
	ck_assert_uint_eq(e.age_s, 0);
	/* rule 28: no OPT; D22: no AA, no ID; the AD received stays (D9) */
	ck_assert(!k.edns.present);
	ck_assert_uint_eq(k.id, 0);
	ck_assert_uint_eq(k.flags & (DNS_AA | DNS_AD), DNS_AD);
	ck_assert_mem_eq(msg_qname(&k), l.key.qname, l.key.qname_len); /* in lower case */
	expect_records(&k, wanted);
	/* One NXDOMAIN for all types, but not behind a chain. */
	ck_assert_int_eq(
	    look(DNS_TYPE_MX, &e, &k), e.kind == CACHE_NXDOMAIN && replies[_i].records[1] == NULL);
}
END_TEST

/*
 * An SOA whose owner is a pointer and nothing else says of the question's name only if it points to
 * a label of it: not to a name elsewhere in the message, nor into the middle of a label.
 */
static const struct {
	const char *what;
	const char *qname; /* as hex.h has it */
	const char *authority;
	uint32_t ttl_s;
} pointers[] = {
	{ "the name itself", "<www.example>", "c00c 0006 0001 00000384 0016", 60 },
	{ "the label above", "<www.example>", "c010 0006 0001 00000384 0016", 60 },
	{ "the root", "<www.example>", "c018 0006 0001 00000384 0016", 60 },
	{ "a name behind the question", "<www.example>",
	    "c00c 0002 0001 00000384 0015 <abcdefghijklm.other> c037 0006 0001 00000384 0016",
	    NOTHING },
	{ "a name inside a label", "03 78 01 79 {example} 00", "c00e 0006 0001 00000384 0016",
	    NOTHING },
};

START_TEST(d22_soa_owner_points_to_the_questions_name)
{
	char text[512];
	struct cache_entry e;
	struct msg m, k;

	snprintf(text, sizeof(text), "1234 8180 0001 0000 000%c 0000 %s 001c 0001 %s %s",
	    strstr(pointers[_i].authority, " 0002 ") != NULL ? '2' : '1', pointers[_i].qname,
	    pointers[_i].authority, "00 00 00000001 00000e10 000004b0 00093a80 0000003c");
	message_read(&m, bytes, sizeof(bytes), text);
	make_lookup(DNS_TYPE_AAAA);
	l.key.qname = msg_qname(&m);
	l.key.qname_len = (uint8_t)m.qname_len;
	l.key.hash = lookup_hash(&ls, l.key.qname, l.key.qname_len);
	const struct lookup_result r = { .outcome = LOOKUP_REPLY, .msg = &m };
	store_result(&ls, &l, &r, NOW_NS);
	bool is_kept = look(DNS_TYPE_AAAA, &e, &k);
	ck_assert_msg(is_kept == (pointers[_i].ttl_s != NOTHING), "%s", pointers[_i].what);
	if (is_kept)
		ck_assert_uint_eq(e.ttl_s, pointers[_i].ttl_s);
}
END_TEST

/* cache-min-ttl raises what is not 0 and no negative answer's too; cache-max-ttl lowers. */
START_TEST(d22_bounds_raise_and_lower_ttls)
{
	static const char *const two[MAX_RECORDS] = { "an www.example. 5 A 192.0.2.1",
		"au example. 900 NS ns.example." };
	static const char *const want[MAX_RECORDS] = { "an www.example. 20 A 192.0.2.1",
		"au example. 100 NS ns.example." };
	struct lookup_result r;
	struct cache_entry e;
	struct msg m, k;

	conf.keep.min_ttl_s = 20;
	conf.keep.max_ttl_s = 100;
	make_lookup(DNS_TYPE_A);
	r = reply(&m, 0, 0, two, &usual);
	store_result(&ls, &l, &r, NOW_NS);
	ck_assert(look(DNS_TYPE_A, &e, &k));
	ck_assert_uint_eq(e.ttl_s, 20);
	expect_records(&k, want);
}
END_TEST

/* What is not for everybody, or not whole, is not kept (rule 28, D1, D20). */
START_TEST(what_is_not_for_everybody_is_not_kept)
{
	static const char *const a[MAX_RECORDS] = { "an www.example. 300 A 192.0.2.1" };
	/* an OPT with a client subnet: family, source, scope */
	static const char *const ecs[2][MAX_RECORDS] = {
		{ "an www.example. 300 A 192.0.2.1", "ad . 0 TYPE41 0008000700011818c00002" },
		{ "an www.example. 300 A 192.0.2.1", "ad . 0 TYPE41 0008000700011800c00002" }
	};
	const struct build_opt none = { .present = false, .ede = DNS_EDE_NONE };
	struct lookup_result r;
	struct cache_entry e;
	struct msg m, k;

	make_lookup(DNS_TYPE_A);
	r = reply(&m, 0, DNS_TC, a, &usual);
	r.outcome = LOOKUP_TRUNCATED;
	store_result(&ls, &l, &r, NOW_NS);
	ck_assert(!look(DNS_TYPE_A, &e, &k));
	r = reply(&m, 0, 0, a, &usual);
	l.message.bytes = bytes; /* the client's own, signed */
	store_result(&ls, &l, &r, NOW_NS);
	l.message.bytes = NULL;
	l.probe.is = true;
	store_result(&ls, &l, &r, NOW_NS);
	l.probe.is = false;
	ck_assert(!look(DNS_TYPE_A, &e, &k));
	for (unsigned i = 0; i < 2; i++) {
		r = reply(&m, 0, 0, ecs[i], &none);
		ck_assert(m.edns.present);
		store_result(&ls, &l, &r, NOW_NS);
		ck_assert_int_eq(look(DNS_TYPE_A, &e, &k), i == 1); /* a scope of 0: for all */
	}
	/* D22: nor is what was kept before. */
	r = reply(&m, 0, 0, ecs[0], &none);
	store_result(&ls, &l, &r, NOW_NS);
	ck_assert(!look(DNS_TYPE_A, &e, &k));
}
END_TEST

/* The extended error is remembered, its text is not (D22). An OPT before other records goes too. */
START_TEST(d22_ede_is_kept_without_text)
{
	static const char *const behind[MAX_RECORDS] = { "an www.example. 300 A 192.0.2.1",
		"ad . 0 TYPE41 000f00020003", "ad ns.example. 300 A 192.0.2.2" };
	static const char *const want[MAX_RECORDS] = { "an www.example. 300 A 192.0.2.1",
		"ad ns.example. 300 A 192.0.2.2" };
	const struct build_opt none = { .present = false, .ede = DNS_EDE_NONE };
	struct lookup_result r;
	struct cache_entry e;
	struct msg m, k;

	make_lookup(DNS_TYPE_A);
	r = reply(&m, 0, 0, behind, &none);
	store_result(&ls, &l, &r, NOW_NS);
	ck_assert(look(DNS_TYPE_A, &e, &k));
	ck_assert_uint_eq(e.ede, 3);
	expect_records(&k, want);
}
END_TEST

/* rule 34, D4: an error, silence and bogus data are remembered for a while. */
START_TEST(rule34_failures_are_kept_a_while)
{
	static const char *const none[MAX_RECORDS] = { NULL };
	static const struct {
		enum lookup_outcome outcome;
		uint16_t rcode;
		bool msg;
		enum cache_kind kind;
	} failures[] = { { LOOKUP_ERROR, DNS_SERVFAIL, true, CACHE_ERROR },
		{ LOOKUP_ERROR, DNS_REFUSED, false, CACHE_ERROR },
		{ LOOKUP_SILENT, DNS_NOERROR, false, CACHE_SILENT },
		{ LOOKUP_BOGUS, DNS_SERVFAIL, true, CACHE_BOGUS } };

	for (unsigned i = 0; i < sizeof(failures) / sizeof(failures[0]); i++) {
		struct lookup_result r;
		struct cache_entry e;
		struct msg m, k;

		make_lookup((uint16_t)(100 + i));
		r = reply(&m, failures[i].rcode, 0, none, &usual);
		r.outcome = failures[i].outcome;
		if (!failures[i].msg)
			r.msg = NULL;
		/* RULES D26: that nobody could be asked is our own fault. */
		l.wait = LOOKUP_HOPELESS;
		if (!failures[i].msg)
			store_result(&ls, &l, &r, NOW_NS);
		ck_assert(!look(l.key.qtype, &e, &k));
		l.wait = LOOKUP_AWAITS;
		r.outcome = LOOKUP_NO_ROOM;
		store_result(&ls, &l, &r, NOW_NS);
		ck_assert(!look(l.key.qtype, &e, &k));
		r.outcome = failures[i].outcome;
		store_result(&ls, &l, &r, NOW_NS);
		ck_assert(look(l.key.qtype, &e, &k));
		ck_assert_int_eq(e.kind, failures[i].kind);
		ck_assert_uint_eq(e.ttl_s, 5);
		ck_assert_uint_eq(k.rcode, failures[i].rcode);
		ck_assert_int_eq((e.flags & CACHE_WITH_MSG) != 0, failures[i].msg);
	}
}
END_TEST

/* rule 32, D22: which NXDOMAIN speaks for the names below it. */
START_TEST(rule32_nxdomain_speaks_for_names_below)
{
	static const char *const records[MAX_RECORDS] = { SOA("900", "60") };
	static const struct {
		enum conf_cut cut;
		uint16_t flags;
		bool trusted;
		bool cuts;
	} cases[] = { { CONF_CUT_OFF, DNS_AD, true, false }, { CONF_CUT_ALL, 0, false, true },
		{ CONF_CUT_SECURE, DNS_AD, true, true }, { CONF_CUT_SECURE, 0, true, false },
		{ CONF_CUT_SECURE, DNS_AD, false, false } };

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct lookup_result r;
		struct cache_entry e;
		struct msg m, k;

		make_lookup(DNS_TYPE_A);
		conf.keep.cut = cases[i].cut;
		r = reply(&m, DNS_NXDOMAIN, cases[i].flags, records, &usual);
		r.trusted = cases[i].trusted;
		store_result(&ls, &l, &r, NOW_NS);
		ck_assert(look(DNS_TYPE_A, &e, &k));
		ck_assert_int_eq((e.flags & CACHE_CUT) != 0, cases[i].cuts);
		ck_assert_msg(
		    ((e.flags & CACHE_TRUSTED) != 0) == cases[i].trusted, "%u: %x", i, e.flags);
	}
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(
	    tc, d22_replies_are_kept_as_listed, 0, sizeof(replies) / sizeof(replies[0]));
	tcase_add_loop_test(tc, d22_soa_owner_points_to_the_questions_name, 0,
	    sizeof(pointers) / sizeof(pointers[0]));
	tcase_add_test(tc, d22_bounds_raise_and_lower_ttls);
	tcase_add_test(tc, what_is_not_for_everybody_is_not_kept);
	tcase_add_test(tc, d22_ede_is_kept_without_text);
	tcase_add_test(tc, rule34_failures_are_kept_a_while);
	tcase_add_test(tc, rule32_nxdomain_speaks_for_names_below);
}
