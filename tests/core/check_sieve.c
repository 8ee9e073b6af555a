/* SPDX-License-Identifier: BSD-2-Clause */
/* 0x20 and its fallback (RULES D21): what the scenarios d21-*.scn do not reach. */

#include "core/sieve.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "core/attempt.h"
#include "core/parts.h"
#include "core/verdict.h"
#include "dns/build.h"
#include "dns/name.h"

#define CAP 64

static struct parts p;

static void
setup(void)
{
	parts_init(&p, 2, CAP);
	p.conf.case_randomization = true;
}

static void
teardown(void)
{
	parts_fini(&p);
}

static struct lookup *
start(unsigned number, const struct lookup_wish *wish)
{
	char name[64];

	snprintf(name, sizeof(name), "n%u.long-enough-name.example", number);
	return parts_lookup(&p, name, wish);
}

static const struct lookup_wish by_udp = { .prefer = UPSTREAM_NONE };

/* Ask, and reply in lower case, with MSG_LEN - CUT bytes. */
static struct lookup *
near_miss(unsigned number, size_t cut)
{
	struct lookup_result result;
	struct engine_send send;
	struct lookup *l = start(number, &by_udp);

	ck_assert(parts_next(&p, &send));
	p.udp[2] |= DNS_QR >> 8;
	name_lower(p.udp + DNS_HEADER_LEN, p.udp + DNS_HEADER_LEN, l->qname_len);
	ck_assert_ptr_null(parts_hand_in(&p, send.way, send.sock, p.udp, send.len - cut, &result));
	ck_assert_uint_eq(l->suspect, LOOKUP_SUSPECT_CASE);
	return l;
}

/* The question is drawn anew for each; all bits of the drawn number are of use. */
START_TEST(d21_cases_differ)
{
	struct engine_send send;
	uint64_t first;
	struct lookup *l = start(1, &by_udp);

	ck_assert(parts_next(&p, &send));
	first = l->cases;
	ck_assert_uint_ne(first, 0);
	ck_assert_int_eq(sieve_name(l, p.udp + DNS_HEADER_LEN), SIEVE_SAME);
	ck_assert_int_eq(sieve_name(l, l->qname), SIEVE_SUSPECT_CASE);
	p.udp[DNS_HEADER_LEN + 1] = 'x';
	ck_assert_int_eq(sieve_name(l, p.udp + DNS_HEADER_LEN), SIEVE_OTHER);
	l = start(2, &by_udp);
	ck_assert(parts_next(&p, &send));
	ck_assert_uint_ne(l->cases, first);
}
END_TEST

/* Nothing of the case we asked in is left, wherever an upstream repeats it (RULES D21, D24). */
START_TEST(d21_unmixed)
{
	const struct build_opt opt = { .present = true, .bufsize = 1232, .ede = 22 };
	static const uint8_t other[] = { 5, 'O', 't', 'h', 'e', 'r', 0 };
	static const uint8_t v4[4] = { 192, 0, 2, 1 };
	uint8_t mixed[DNS_NAME_MAX], target[DNS_NAME_MAX], lower[DNS_NAME_MAX], msg[2048];
	struct lookup_result result;
	struct engine_send send;
	struct build b;
	struct msg m;
	struct rr rr;
	struct lookup *l = start(1, &by_udp);
	size_t first;

	ck_assert(parts_next(&p, &send));
	memcpy(mixed, p.udp + DNS_HEADER_LEN, l->qname_len);
	ck_assert_mem_ne(mixed, l->qname, l->qname_len);
	/* first.other, the first label as in the question */
	first = (size_t)mixed[0] + 1 + mixed[mixed[0] + 1] + 1;
	memcpy(target, mixed, first);
	memcpy(target + first, other, sizeof(other));
	ck_assert_int_eq(msg_parse(&m, p.udp, send.len), MSG_OK);
	build_start(&b, msg, sizeof(msg), m.id, DNS_QR, l->qname, m.qtype, m.qclass);
	ck_assert(
	    build_rr(&b, MSG_ANSWER, mixed + first, DNS_TYPE_DNAME, 1, 60, other, sizeof(other)));
	/* Not the question, so that it is written out, as are the names in RDATA. */
	msg[DNS_HEADER_LEN + 1] = '-';
	ck_assert(build_rr(&b, MSG_ANSWER, mixed, DNS_TYPE_CNAME, 1, 60, target,
	    (uint16_t)(first + sizeof(other))));
	ck_assert(build_rr(&b, MSG_ANSWER, target, DNS_TYPE_A, 1, 60, v4, 4));
	memcpy(msg + DNS_HEADER_LEN, mixed, l->qname_len);
	ck_assert_ptr_eq(
	    parts_hand_in(&p, send.way, send.sock, msg, build_finish(&b, 2048, &opt), &result), l);
	ck_assert_mem_eq(msg_qname(result.msg), l->qname, l->qname_len);
	ck_assert_mem_eq(msg + DNS_HEADER_LEN, mixed, l->qname_len); /* the input stays */
	ck_assert_uint_eq(msg_ede(result.msg), 22);
	ck_assert(msg_first(result.msg, MSG_ANSWER, &rr) && msg_next(result.msg, &rr));
	ck_assert_uint_eq(msg_owner(result.msg, &rr, lower), l->qname_len);
	ck_assert_mem_eq(lower, l->qname, l->qname_len);
	memcpy(target, l->qname, first);
	ck_assert_uint_eq(msg_rdata_name(result.msg, &rr, 0, lower), first + sizeof(other));
	ck_assert_mem_eq(lower, target, first + sizeof(other));
	ck_assert(msg_next(result.msg, &rr));
	ck_assert_uint_eq(msg_owner(result.msg, &rr, lower), first + sizeof(other));
	ck_assert_mem_eq(lower, target, first + sizeof(other));
}
END_TEST

/* A malformed near miss cannot be confirmed, however often. */
START_TEST(d21_malformed_is_never_the_same)
{
	struct lookup_result result;
	struct engine_send send;

	for (unsigned i = 0; i < 2 * UPSTREAM_SAME; i++) {
		struct lookup *l = near_miss(i, 1);

		ck_assert(parts_next(&p, &send));
		ck_assert_int_eq(send.way, ENGINE_UPSTREAM_TCP);
		ck_assert_uint_eq(l->cases, 0);
		p.tcp[2] |= DNS_QR >> 8;
		ck_assert_ptr_eq(parts_hand_in(&p, send.way, send.sock, p.tcp, send.len, &result), l);
		lookup_free(&p.lookups, l);
	}
	ck_assert_uint_eq(parts_count(&p.stats.upstream_unguarded), 0);
	ck_assert_uint_eq(parts_count(&p.stats.upstream_case), 2 * UPSTREAM_SAME);
}
END_TEST

/* What was learned about one upstream says nothing of another. */
START_TEST(d21_each_upstream_for_itself)
{
	struct lookup_result result;
	struct engine_send send;
	struct lookup *l;

	for (unsigned i = 0; i < UPSTREAM_SAME; i++) {
		l = near_miss(i, 0);
		ck_assert(parts_next(&p, &send));
		p.tcp[2] |= DNS_QR >> 8;
		ck_assert_ptr_eq(parts_hand_in(&p, send.way, send.sock, p.tcp, send.len, &result), l);
		lookup_free(&p.lookups, l);
	}
	ck_assert_uint_eq(parts_count(&p.stats.upstream_unguarded), 1);
	ck_assert(!upstream_guarded(&p.upstreams.table[0].case_guard, p.now_ns));
	ck_assert(upstream_guarded(
	    &p.upstreams.table[0].case_guard, p.now_ns + UPSTREAM_UNGUARDED_MS * NS_PER_MS));
	l = start(9, &(struct lookup_wish){ .prefer = 0 });
	ck_assert(parts_next(&p, &send));
	ck_assert_uint_eq(l->cases, 0);
	l = start(10, &(struct lookup_wish){ .prefer = 1 });
	ck_assert(parts_next(&p, &send));
	ck_assert_uint_ne(l->cases, 0);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("sieve");
	TCase *tc = tcase_create("sieve");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, d21_cases_differ);
	tcase_add_test(tc, d21_unmixed);
	tcase_add_test(tc, d21_malformed_is_never_the_same);
	tcase_add_test(tc, d21_each_upstream_for_itself);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
