/* SPDX-License-Identifier: BSD-2-Clause */
/* What is to be seen by HTTP, of a loop that runs. */

#include "control/pages.h"

#include <string.h>

#include "support/operator.h"
#include "support/rig.h"
#include "support/tests.h"

static struct operator op;
static struct rig rig;

static void
setup(void)
{
	operator_open(&op, "nameserver 192.0.2.1\nlisten ::1\ndns64-prefix 64:ff9b::/96\n");
	rig_init(&rig);
	rig_start(&rig);
	op.host.loops[0] = rig.loop;
	op.host.n_loops = 1;
	operator_begin(&op);
}

static void
teardown(void)
{
	operator_close(&op);
	rig_end(&rig);
}

static void
has(const char *part)
{
	ck_assert_msg(strstr(op.caller.text, part) != NULL, "no %s in %s", part, op.caller.text);
}

START_TEST(metrics_in_the_format_that_is_asked_for)
{
	static const char open[] =
	    "GET /metrics HTTP/1.1\r\nHost: h\r\nAccept: "
	    "application/openmetrics-text;version=1.0.0;q=0.5,*/*;q=0.1\r\n\r\n";

	ck_assert_int_eq(caller_ask(&op.caller, "GET", "/metrics", NULL), 200);
	has("Content-Type: text/plain; version=0.0.4");
	has("dns64d_loops 1\n");
	has("dns64d_loops_silent 0\n");
	ck_assert_int_eq(caller_send(&op.caller, open, sizeof(open) - 1), 200);
	has("Content-Type: application/openmetrics-text; version=1.0.0");
	has("# EOF\n");
}
END_TEST

START_TEST(up_and_ready)
{
	ck_assert_int_eq(caller_ask(&op.caller, "GET", "/health", NULL), 200);
	has("\r\n\r\nready\n");
	ck_assert_int_eq(caller_ask(&op.caller, "GET", "/ready", NULL), 200);
	has("\r\n\r\nready\n");
}
END_TEST

START_TEST(not_ready)
{
	op.settings.conf.core.policies->table[0].synth.active_bits = 0;
	ck_assert_int_eq(caller_ask(&op.caller, "GET", "/ready", NULL), 503);
	ck_assert_str_eq(caller_text(&op.caller, "error"), "no prefix is active");
	/* A restart would not mend it; but it says the same. */
	ck_assert_int_eq(caller_ask(&op.caller, "GET", "/health", NULL), 200);
	has("\r\n\r\nnot ready: no prefix is active\n");
}
END_TEST

START_TEST(headers)
{
	static const char *const each[] = { "X-Content-Type-Options: nosniff\r\n",
		"X-Frame-Options: DENY\r\n", "Content-Security-Policy: default-src 'self';",
		"Referrer-Policy: no-referrer\r\n", "Cache-Control: no-store\r\n" };

	(void)caller_ask(&op.caller, "GET", "/health", NULL);
	for (size_t i = 0; i < sizeof(each) / sizeof(each[0]); i++)
		has(each[i]);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, metrics_in_the_format_that_is_asked_for);
	tcase_add_test(tc, up_and_ready);
	tcase_add_test(tc, not_ready);
	tcase_add_test(tc, headers);
}
