/* SPDX-License-Identifier: BSD-2-Clause */
/* What becomes of an entry that answers a question (rules 31-34, D22). */

#include "engine/fetch.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cache/cache.h"
#include "dns/name.h"
#include "dns/wire.h"
#include "engine/store.h"
#include "support/message.h"
#include "support/tests.h"

#define NOW_S 5000

static struct conf_core conf;
static struct stats stats;
static struct fetch *r;
static uint8_t bytes[1024];
static uint8_t qname[DNS_NAME_MAX];

static void
setup(void)
{
	memset(&conf, 0, sizeof(conf));
	memset(&stats, 0, sizeof(stats));
	conf.keep.stale_s = 1000;
	conf.keep.cut = CONF_CUT_ALL;
	conf.cache = cache_new(CACHE_MIN, 1000, 7);
	r = calloc(1, sizeof(*r));
	ck_assert(conf.cache != NULL && r != NULL);
}

static void
teardown(void)
{
	free(r);
	cache_free(conf.cache);
}

static struct question
key_of(const char *name, uint16_t qtype)
{
	struct question key = { .qname = qname, .qtype = qtype, .qclass = DNS_CLASS_IN };

	key.qname_len = name_from_text(name, qname);
	key.hash = hash_bytes(qname, key.qname_len, cache_seed(conf.cache));
	return key;
}

/* Keep the message in TEXT under the name and QTYPE, as old as AGE_S. */
static void
keep(const char *name, uint16_t qtype, const char *text, struct cache_entry e)
{
	const struct question key = key_of(name, qtype);
	struct msg m;

	message_read(&m, bytes, sizeof(bytes), text);
	e.flags |= CACHE_WITH_MSG;
	if (msg_is_plain(&m))
		e.flags |= CACHE_PLAIN;
	if (e.ede == 0)
		e.ede = DNS_EDE_NONE;
	cache_put(conf.cache, &key, &e, bytes, m.len, NOW_S);
}

static enum fetch_found
find(const char *name, uint16_t qtype, enum fetch_take take)
{
	const struct question key = key_of(name, qtype);

	return fetch_find(r, &conf, &stats, &key, take, NOW_S * NS_PER_SEC);
}

static uint32_t
ttl_of(enum msg_section s)
{
	return message_record(&r->msg, s, 0).ttl;
}

#define A_REPLY \
	"0000 81a0 0001 0002 0000 0000 <www.example> 0001 0001 " \
	"c00c 0001 0001 0000012c 0004 c0000201 c00c 0001 0001 0000012c 0004 c0000202"
#define SOA_RR "c010 0006 0001 0000003c 0016 0000 00000001 00000e10 000004b0 00093a80 0000003c"
#define NODATA_REPLY "0000 8180 0001 0000 0001 0000 <www.example> 001c 0001 " SOA_RR
#define NXDOMAIN_REPLY "0000 81a3 0001 0000 0001 0000 <www.example> 0001 0001 " SOA_RR

START_TEST(fresh_entry_is_a_hit)
{
	keep("www.example", DNS_TYPE_A, A_REPLY,
	    (struct cache_entry){ .ttl_s = 300, .age_s = 100, .flags = CACHE_TRUSTED });
	ck_assert_int_eq(find("www.example", DNS_TYPE_MX, FETCH_FAILING), FETCH_NOTHING);
	ck_assert_int_eq(find("example", DNS_TYPE_A, FETCH_FAILING), FETCH_NOTHING);
	ck_assert_int_eq(find("www.example", DNS_TYPE_A, FETCH_FAILING), FETCH_HIT);
	ck_assert_int_eq(r->result.outcome, LOOKUP_REPLY);
	ck_assert(r->result.msg == &r->msg && r->result.trusted && !r->stale);
	ck_assert_int_eq(r->result.upstream, UPSTREAM_NONE);
	ck_assert_uint_eq(ttl_of(MSG_ANSWER), 200);
	ck_assert(r->msg.flags & DNS_AD);
	ck_assert_uint_eq(stats.cache_hits_a, 1);
	ck_assert_uint_eq(stats.cache_stale, 0);
}
END_TEST

/* rule 33: not before upstream failed or is late; then 30 s, without AD. */
START_TEST(rule33_stale_waits_for_a_failure)
{
	keep("www.example", DNS_TYPE_A, A_REPLY,
	    (struct cache_entry){ .ttl_s = 300, .age_s = 400, .flags = CACHE_TRUSTED });
	ck_assert_int_eq(find("www.example", DNS_TYPE_A, FETCH_FAILING), FETCH_STALE);
	ck_assert_uint_eq(stats.cache_hits_a, 0);
	ck_assert_int_eq(find("www.example", DNS_TYPE_A, FETCH_ALL), FETCH_HIT);
	ck_assert(r->stale && !r->result.trusted);
	ck_assert_uint_eq(ttl_of(MSG_ANSWER), FETCH_STALE_TTL);
	ck_assert(!(r->msg.flags & DNS_AD));
	ck_assert_uint_eq(stats.cache_stale, 1);
	conf.keep.stale_s = 50;
	ck_assert_int_eq(find("www.example", DNS_TYPE_A, FETCH_ALL), FETCH_NOTHING);
}
END_TEST

/* What could not be refreshed a moment ago answers at once. */
START_TEST(rule33_failed_refresh_answers_stale_at_once)
{
	const struct cache_want want = { .now_s = NOW_S, .stale_s = 1000 };
	const struct cache_entry failure = {
		.kind = CACHE_SILENT, .ttl_s = 5, .ede = DNS_EDE_NONE
	};
	struct question key;

	keep(
	    "www.example", DNS_TYPE_A, A_REPLY, (struct cache_entry){ .ttl_s = 300, .age_s = 400 });
	ck_assert_int_eq(find("www.example", DNS_TYPE_A, FETCH_FAILING), FETCH_STALE);
	key = key_of("www.example", DNS_TYPE_A);
	cache_put_failure(conf.cache, &key, &failure, bytes, 30, &want, 300);
	ck_assert_int_eq(find("www.example", DNS_TYPE_A, FETCH_FAILING), FETCH_HIT);
	ck_assert(r->stale && r->failing);
}
END_TEST

/* rule 31: the SOA counts down; NXDOMAIN answers every type as if it had been asked for. */
START_TEST(rule31_negative_counts_down_for_all_types)
{
	keep("www.example", DNS_TYPE_AAAA, NODATA_REPLY,
	    (struct cache_entry){ .kind = CACHE_NODATA, .ttl_s = 60, .age_s = 20 });
	ck_assert_int_eq(find("www.example", DNS_TYPE_AAAA, FETCH_FAILING), FETCH_HIT);
	ck_assert_uint_eq(ttl_of(MSG_AUTHORITY), 40);
	keep("www.example", SHARD_ANY_TYPE, NXDOMAIN_REPLY,
	    (struct cache_entry){ .kind = CACHE_NXDOMAIN, .ttl_s = 60 });
	ck_assert_int_eq(find("www.example", DNS_TYPE_HTTPS, FETCH_FAILING), FETCH_HIT);
	ck_assert_uint_eq(r->msg.rcode, DNS_NXDOMAIN);
	ck_assert_uint_eq(r->msg.qtype, DNS_TYPE_HTTPS);
	ck_assert_uint_eq(stats.cache_hits_https, 1);
	/* SVCB is counted with it, as among the questions. */
	ck_assert_int_eq(find("www.example", DNS_TYPE_SVCB, FETCH_FAILING), FETCH_HIT);
	ck_assert_uint_eq(stats.cache_hits_https, 2);
	ck_assert_uint_eq(stats.cache_hits_other, 0);
}
END_TEST

/* rule 32: said of the name below it, with the same SOA, and never when stale. */
START_TEST(rule32_cut_has_the_same_soa)
{
	keep("www.example", SHARD_ANY_TYPE, NXDOMAIN_REPLY,
	    (struct cache_entry){
		.kind = CACHE_NXDOMAIN, .ttl_s = 60, .age_s = 20, .flags = CACHE_CUT });
	ck_assert_int_eq(find("a.b.www.example", DNS_TYPE_AAAA, FETCH_FAILING), FETCH_HIT);
	ck_assert_uint_eq(r->msg.rcode, DNS_NXDOMAIN);
	ck_assert_uint_eq(r->msg.qtype, DNS_TYPE_AAAA);
	ck_assert(name_equal(msg_qname(&r->msg), qname));
	ck_assert_uint_eq(ttl_of(MSG_AUTHORITY), 40);
	ck_assert_uint_eq(stats.cache_cut, 1);
	ck_assert_int_eq(find("wwww.example", DNS_TYPE_AAAA, FETCH_FAILING), FETCH_NOTHING);
	keep("www.example", SHARD_ANY_TYPE, NXDOMAIN_REPLY,
	    (struct cache_entry){
		.kind = CACHE_NXDOMAIN, .ttl_s = 60, .age_s = 70, .flags = CACHE_CUT });
	ck_assert_int_eq(find("a.b.www.example", DNS_TYPE_AAAA, FETCH_ALL), FETCH_NOTHING);
}
END_TEST

/* rule 32, D22: the settings of now count, not those it was kept by. */
START_TEST(rule32_cut_is_trusted_or_for_all)
{
	static const struct {
		enum conf_cut cut;
		uint8_t flags;
		const char *reply;
		bool found;
	} cases[] = {
		{ CONF_CUT_OFF, CACHE_TRUSTED, NXDOMAIN_REPLY, false },
		{ CONF_CUT_ALL, 0, NXDOMAIN_REPLY, true },
		{ CONF_CUT_SECURE, CACHE_TRUSTED, NXDOMAIN_REPLY, true },
		{ CONF_CUT_SECURE, 0, NXDOMAIN_REPLY, false },
		{ CONF_CUT_SECURE, CACHE_TRUSTED, /* without AD */
		    "0000 8183 0001 0000 0001 0000 <www.example> 0001 0001 " SOA_RR, false },
	};

	conf.any_trusted = true;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		conf.keep.cut = cases[i].cut;
		keep("www.example", SHARD_ANY_TYPE, cases[i].reply,
		    (struct cache_entry){
			.kind = CACHE_NXDOMAIN, .ttl_s = 60, .flags = CACHE_CUT | cases[i].flags });
		ck_assert_msg(find("a.www.example", DNS_TYPE_AAAA, FETCH_FAILING) ==
			(cases[i].found ? FETCH_HIT : FETCH_NOTHING),
		    "case %zu", i);
	}
}
END_TEST

START_TEST(rule34_failures_are_remembered)
{
	static const struct {
		enum cache_kind kind;
		enum lookup_outcome outcome;
	} failures[] = { { CACHE_ERROR, LOOKUP_ERROR }, { CACHE_SILENT, LOOKUP_SILENT },
		{ CACHE_BOGUS, LOOKUP_BOGUS } };

	for (unsigned i = 0; i < 3; i++) {
		const struct cache_entry e = {
			.kind = failures[i].kind, .ttl_s = 5, .ede = DNS_EDE_NONE
		};
		struct question key = key_of("www.example", DNS_TYPE_A);
		struct msg m;

		message_read(&m, bytes, sizeof(bytes),
		    "0000 8185 0001 0000 0000 0000 <www.example> 0001 0001");
		cache_put(conf.cache, &key, &e, bytes, m.len, NOW_S);
		ck_assert_int_eq(find("www.example", DNS_TYPE_A, FETCH_FAILING), FETCH_HIT);
		ck_assert_int_eq(r->result.outcome, failures[i].outcome);
		ck_assert_uint_eq(r->result.rcode, DNS_REFUSED);
		ck_assert_ptr_null(r->result.msg); /* it is our own writing */
		ck_assert_uint_eq(stats.cache_failures, i + 1);
	}
}
END_TEST

START_TEST(d22_ede_comes_back)
{
	keep("www.example", DNS_TYPE_A, A_REPLY, (struct cache_entry){ .ttl_s = 300, .ede = 22 });
	ck_assert_int_eq(find("www.example", DNS_TYPE_A, FETCH_FAILING), FETCH_HIT);
	ck_assert_uint_eq(msg_ede(&r->msg), 22);
	ck_assert_uint_eq(r->msg.count[MSG_ANSWER], 2);
}
END_TEST

/* rrset-order rotate: each address comes first as often, also at every second hit; none is lost. */
START_TEST(rotation_gives_each_address_its_turn)
{
	unsigned n[2][2] = { { 0 } };
	struct rr rr;

	keep("www.example", DNS_TYPE_A, A_REPLY, (struct cache_entry){ .ttl_s = 300 });
	for (unsigned i = 0; i <= 100; i++) {
		uint8_t first, second;

		conf.keep.rotate = i > 0;
		ck_assert_int_eq(find("www.example", DNS_TYPE_A, FETCH_FAILING), FETCH_HIT);
		rr = message_record(&r->msg, MSG_ANSWER, 0);
		first = r->bytes[rr.rdata + 3];
		rr = message_record(&r->msg, MSG_ANSWER, 1);
		second = r->bytes[rr.rdata + 3];
		ck_assert_int_eq(first + second, 3);
		if (i == 0)
			ck_assert_uint_eq(first, 1);
		else
			n[i % 2][first - 1]++;
	}
	for (unsigned i = 0; i < 4; i++) {
		ck_assert_uint_ge(n[i / 2][i % 2], 20);
		ck_assert_uint_le(n[i / 2][i % 2], 30);
	}
}
END_TEST

/* Asked for often and about to end: one who asks is told to have it refreshed. */
START_TEST(prefetch_is_told_once)
{
	conf.keep.prefetch = true;
	keep(
	    "www.example", DNS_TYPE_A, A_REPLY, (struct cache_entry){ .ttl_s = 300, .age_s = 290 });
	for (unsigned i = 0; i < 5; i++)
		ck_assert_int_eq(find("www.example", DNS_TYPE_A, FETCH_FAILING),
		    i == CACHE_POPULAR ? FETCH_DUE : FETCH_HIT);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, fresh_entry_is_a_hit);
	tcase_add_test(tc, rule33_stale_waits_for_a_failure);
	tcase_add_test(tc, rule33_failed_refresh_answers_stale_at_once);
	tcase_add_test(tc, rule31_negative_counts_down_for_all_types);
	tcase_add_test(tc, rule32_cut_has_the_same_soa);
	tcase_add_test(tc, rule32_cut_is_trusted_or_for_all);
	tcase_add_test(tc, rule34_failures_are_remembered);
	tcase_add_test(tc, d22_ede_comes_back);
	tcase_add_test(tc, rotation_gives_each_address_its_turn);
	tcase_add_test(tc, prefetch_is_told_once);
}
