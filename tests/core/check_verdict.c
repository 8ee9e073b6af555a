/* SPDX-License-Identifier: BSD-2-Clause */
/* Replies: is it ours, and what if not; what the scenarios do not reach. */

#include "core/verdict.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/attempt.h"
#include "core/parts.h"
#include "dns/wire.h"

#define CAP 70000

static struct parts p;
static uint8_t udp[ENGINE_UDP_CAP];
static uint8_t tcp[ENGINE_TCP_CAP];

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
	uint8_t qname[DNS_NAME_MAX];
	struct lookup_key key;
	struct lookup *l;
	char text[32];
	bool found;

	snprintf(text, sizeof(text), "n%u.example", number);
	key = parts_key(text, 15, qname);
	l = lookup_find_or_start(&p.lookups, &key, wish, &found);
	PARTS_CHECK(l != NULL);
	return l;
}

static bool
next(struct engine_send *send)
{
	return attempt_next_question(&p.lookups, udp, tcp, send, p.now_ns);
}

static struct lookup *
hand_in(enum engine_way way, uint32_t sock, const uint8_t *msg, size_t len,
    struct lookup_result *result)
{
	const struct engine_in in = { .msg = msg, .len = len, .way = way, .sock = sock };
	static struct msg parsed;

	verdict_prefetch(&p.lookups, &in, 1);
	return verdict_on_message(&p.lookups, &in, &parsed, result, p.now_ns);
}

static const struct lookup_wish by_udp = { .prefer = UPSTREAM_NONE };
static const struct lookup_wish by_tcp = { .whole = true, .tcp = true, .prefer = UPSTREAM_NONE };

/* A reply over the connection to another upstream, or over UDP, is not ours. */
START_TEST(tcp_replies_count_on_their_connection)
{
	struct lookup_result result;
	struct engine_send send;
	struct lookup *l = start(1, &by_tcp);

	ck_assert(next(&send));
	ck_assert_uint_eq(send.way, ENGINE_UPSTREAM_TCP);
	ck_assert_uint_eq(send.sock, 0);
	tcp[2] |= DNS_QR >> 8;
	ck_assert_ptr_null(hand_in(ENGINE_UPSTREAM_TCP, 1, tcp, send.len, &result));
	ck_assert_ptr_null(hand_in(ENGINE_UPSTREAM_UDP, 0, tcp, send.len, &result));
	ck_assert_uint_eq(parts_count(&p.stats.upstream_unknown_id), 2);
	ck_assert_ptr_eq(hand_in(ENGINE_UPSTREAM_TCP, 0, tcp, send.len, &result), l);
	ck_assert_uint_eq(p.upstreams.table[0].n_tcp, 0);
}
END_TEST

START_TEST(garbage_is_counted)
{
	struct lookup_result result;
	struct engine_send send;
	uint8_t msg[12] = { 0 };

	(void)start(1, &by_udp);
	ck_assert(next(&send));
	for (size_t len = 0; len < 12; len++)
		ck_assert_ptr_null(hand_in(ENGINE_UPSTREAM_UDP, 0, msg, len, &result));
	ck_assert_uint_eq(parts_count(&p.stats.upstream_short), 12);
	memcpy(msg, udp, 2);
	ck_assert_ptr_null(hand_in(ENGINE_UPSTREAM_UDP, 0, msg, 12, &result));
	ck_assert_uint_eq(parts_count(&p.stats.upstream_not_reply), 1);
	msg[2] = DNS_QR >> 8;
	ck_assert_ptr_null(hand_in(ENGINE_UPSTREAM_UDP, 0, msg, 12, &result));
	ck_assert_uint_eq(parts_count(&p.stats.upstream_mismatch), 1);
	ck_assert_uint_eq(parts_count(&p.stats.upstream_replies), 0);
}
END_TEST

/* The result tells whether the upstream that gave it is trusted (RULES D9). */
START_TEST(d9_trusted)
{
	struct lookup_result result;
	struct engine_send send;

	p.upstreams.table[1].trusted = true;
	for (uint16_t u = 0; u < 2; u++) {
		const struct lookup_wish wish = { .prefer = u };
		struct lookup *l = start(u, &wish);

		ck_assert(next(&send));
		udp[2] |= DNS_QR >> 8;
		ck_assert_ptr_eq(hand_in(ENGINE_UPSTREAM_UDP, u, udp, send.len, &result), l);
		ck_assert_uint_eq(result.upstream, u);
		ck_assert(result.trusted == (u == 1));
	}
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("verdict");
	TCase *tc = tcase_create("verdict");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, tcp_replies_count_on_their_connection);
	tcase_add_test(tc, garbage_is_counted);
	tcase_add_test(tc, d9_trusted);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
