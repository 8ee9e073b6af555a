/* SPDX-License-Identifier: BSD-2-Clause */
/* explain: a line for who asked for it, and for nobody else. What is said when:
 * tests/system/messages.sh. */

#include "core/explain.h"

#include <check.h>

#include "support/heard.h"

static const uint8_t name[] = "\3WwW\7example";

START_TEST(explanation_is_one_line)
{
	struct query q = { .qname = name,
		.qname_len = sizeof(name),
		.qtype = DNS_TYPE_AAAA,
		.reason = REASON_NO_A };

	ck_assert(netaddr_parse("2001:db8::c", 4000, &q.peer));
	heard_start(LOG_LEVEL_INFO);
	explain(&q);
	ck_assert_uint_eq(heard_all(), 0);
	log_set_level(LOG_LEVEL_DEBUG);
	explain(&q);
	ck_assert_uint_eq(
	    heard("debug dns64: WwW.example. for 2001:db8::c: it has no AAAA and no A"), 1);
	q.reason = REASON_SYNTH_ALWAYS;
	explain(&q);
	q.reason = REASON_RELAYED;
	q.qtype = DNS_TYPE_MX;
	explain(&q);
	ck_assert_uint_eq(heard_all(), 1);
	heard_end();
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("explain");
	TCase *tc = tcase_create("explain");
	SRunner *sr;
	int failed;

	tcase_add_test(tc, explanation_is_one_line);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? 0 : 1;
}
