/* SPDX-License-Identifier: BSD-2-Clause */
/* Replies: is it ours, and what if not; what the scenarios do not reach. */

#include "core/reply.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/attempt.h"
#include "core/health.h"
#include "dns/build.h"
#include "dns/wire.h"
#include "scenario/parts.h"
#include "scenario/scene.h"

#define CAP 70000

static struct parts p;

static void
setup(void)
{
	parts_init(&p, 2, CAP);
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

	snprintf(name, sizeof(name), "n%u.example", number);
	return parts_lookup(&p, name, wish);
}

static const struct lookup_wish by_udp = { .prefer = UPSTREAM_NONE };
static const struct lookup_wish by_tcp = { .whole = true, .tcp = true, .prefer = UPSTREAM_NONE };

/* A reply over the connection to another upstream, or over UDP, is not ours. */
START_TEST(tcp_replies_count_on_their_connection)
{
	struct lookup_result result;
	struct packet_out send;
	struct lookup *l = start(1, &by_tcp);

	ck_assert(parts_next(&p, &send));
	ck_assert_uint_eq(send.way, PACKET_UPSTREAM_TCP);
	ck_assert_uint_eq(send.sock, 0);
	p.tcp[2] |= DNS_QR >> 8;
	ck_assert_ptr_null(parts_hand_in(&p, PACKET_UPSTREAM_TCP, 1, p.tcp, send.len, &result));
	ck_assert_ptr_null(parts_hand_in(&p, PACKET_UPSTREAM_UDP, 0, p.tcp, send.len, &result));
	ck_assert_uint_eq(parts_count(&p.stats.upstream_unknown_id), 2);
	ck_assert_ptr_eq(parts_hand_in(&p, PACKET_UPSTREAM_TCP, 0, p.tcp, send.len, &result), l);
	ck_assert_uint_eq(p.upstreams.table[0].tcp[0].n_open, 0);
}
END_TEST

START_TEST(garbage_is_counted)
{
	struct lookup_result result;
	struct packet_out send;
	uint8_t msg[12] = { 0 };

	(void)start(1, &by_udp);
	ck_assert(parts_next(&p, &send));
	for (size_t len = 0; len < 12; len++)
		ck_assert_ptr_null(parts_hand_in(&p, PACKET_UPSTREAM_UDP, 0, msg, len, &result));
	ck_assert_uint_eq(parts_count(&p.stats.upstream_short), 12);
	memcpy(msg, p.udp, 2);
	ck_assert_ptr_null(parts_hand_in(&p, PACKET_UPSTREAM_UDP, 0, msg, 12, &result));
	ck_assert_uint_eq(parts_count(&p.stats.upstream_not_reply), 1);
	msg[2] = DNS_QR >> 8;
	ck_assert_ptr_null(parts_hand_in(&p, PACKET_UPSTREAM_UDP, 0, msg, 12, &result));
	ck_assert_uint_eq(parts_count(&p.stats.upstream_mismatch), 1);
	ck_assert_uint_eq(parts_count(&p.stats.upstream_replies), 0);
}
END_TEST

/*
 * RULES D25: whatever it says, the reply to a probe shows that its upstream is alive, and ends it.
 */
START_TEST(d25_any_reply_ends_a_probe)
{
	struct lookup_result result;
	struct packet_out send;

	lookup_start_probe(&p.lookups, 0);
	ck_assert(parts_next(&p, &send));
	p.upstreams.table[0].down = true;
	p.upstreams.table[0].n_failures = HEALTH_SILENCES;
	p.udp[2] |= DNS_QR >> 8;
	wire_set_u16(p.udp + 6, 1); /* an answer that is not there */
	ck_assert_ptr_nonnull(parts_hand_in(&p, send.way, send.sock, p.udp, send.len, &result));
	ck_assert_int_eq(result.outcome, LOOKUP_SILENT);
	ck_assert(!p.upstreams.table[0].down);
	ck_assert_uint_eq(parts_count(&p.stats.upstream_malformed), 1);
	ck_assert_uint_eq(parts_count(&p.stats.upstream_errors), 0);
}
END_TEST

/* The result tells whether the upstream that gave it is trusted (RULES D9). */
START_TEST(d9_result_tells_if_trusted)
{
	struct lookup_result result;
	struct packet_out send;

	p.upstreams.table[1].trusted = true;
	for (uint16_t u = 0; u < 2; u++) {
		const struct lookup_wish wish = { .prefer = u };
		struct lookup *l = start(u, &wish);

		ck_assert(parts_next(&p, &send));
		p.udp[2] |= DNS_QR >> 8;
		ck_assert_ptr_eq(
		    parts_hand_in(&p, PACKET_UPSTREAM_UDP, u, p.udp, send.len, &result), l);
		ck_assert_uint_eq(result.upstream, u);
		ck_assert(result.trusted == (u == 1));
	}
}
END_TEST

/* RULES D3: that a question with CD is answered tells nothing of those without. */
START_TEST(d3_reply_to_cd_ends_no_errors)
{
	struct lookup_result result;
	struct packet_out send;
	uint8_t qname[DNS_NAME_MAX];
	struct question key = parts_key("n1.example", DNS_TYPE_AAAA, qname);
	bool found;
	struct lookup *l = lookup_find_or_start(&p.lookups, &key, &by_udp, &found);

	ck_assert_ptr_nonnull(l);
	ck_assert(parts_next(&p, &send));
	const struct upstream *up = &p.upstreams.table[l->upstream];
	wire_set_u16(p.udp + 2, DNS_QR | DNS_RD | DNS_RA | DNS_SERVFAIL);
	ck_assert_ptr_null(parts_hand_in(&p, send.way, send.sock, p.udp, send.len, &result));
	ck_assert_uint_eq(up->n_errors, 1);
	ck_assert(parts_next(&p, &send));
	ck_assert_uint_ne(wire_u16(p.udp + 2) & DNS_CD, 0);
	wire_set_u16(p.udp + 2, DNS_QR | DNS_RD | DNS_RA | DNS_CD);
	ck_assert_ptr_null(parts_hand_in(&p, send.way, send.sock, p.udp, send.len, &result));
	ck_assert_uint_eq(up->n_errors, 1);
}
END_TEST

/* RULES D1: a referral is told by all records of authority, whatever their order, and by no other.
 */
static const struct {
	const char *records[2];
	bool lame;
} referrals[] = {
	{ { "au example. 300 NS ns.example.", "au example. 300 NS ns2.example." }, true },
	{ { "au example. 300 TYPE43 0000", "au example. 300 NS ns.example." }, true },
	{ { "au example. 300 NS ns.example.", "au example. 300 TYPE43 0000" }, true },
	{ { "au example. 300 NS ns.example.", "au example. 300 SOA ns. host. 60" }, false },
	{ { "au example. 300 SOA ns. host. 60", "au example. 300 NS ns.example." }, false },
	{ { "au example. 300 TYPE43 0000", "ad example. 300 NS ns.example." }, false },
	{ { "au example. 300 NS ns.example.", "ad example. 300 SOA ns. host. 60" }, true },
};

START_TEST(d1_referral_is_told_by_all_of_authority)
{
	const struct build_opt opt = { .present = true, .bufsize = 1232, .ede = DNS_EDE_NONE };
	struct lookup *l = start(1, &by_udp);
	struct lookup_result result;
	struct packet_out send;
	uint8_t msg[512];
	struct build b;

	ck_assert(parts_next(&p, &send));
	build_start(&b, msg, sizeof(msg),
	    &(struct build_question){ .id = wire_u16(p.udp),
		.flags = DNS_QR | DNS_RD | DNS_RA,
		.qname = p.udp + DNS_HEADER_LEN,
		.qtype = DNS_TYPE_MX,
		.qclass = DNS_CLASS_IN });
	for (unsigned i = 0; i < 2; i++)
		ck_assert(scene_put(&b, referrals[_i].records[i]));
	struct lookup *ended = parts_hand_in(
	    &p, PACKET_UPSTREAM_UDP, send.sock, msg, build_finish(&b, sizeof(msg), &opt), &result);
	ck_assert_uint_eq(parts_count(&p.stats.upstream_lame), referrals[_i].lame);
	ck_assert_ptr_eq(ended, referrals[_i].lame ? NULL : l);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("reply");
	TCase *tc = tcase_create("reply");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 300);
	tcase_add_test(tc, tcp_replies_count_on_their_connection);
	tcase_add_test(tc, garbage_is_counted);
	tcase_add_test(tc, d9_result_tells_if_trusted);
	tcase_add_test(tc, d25_any_reply_ends_a_probe);
	tcase_add_test(tc, d3_reply_to_cd_ends_no_errors);
	tcase_add_loop_test(tc, d1_referral_is_told_by_all_of_authority, 0,
	    sizeof(referrals) / sizeof(referrals[0]));
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
