/* SPDX-License-Identifier: BSD-2-Clause */
/* The secrets of cookies, by the control socket (RFC 9018 section 5). On loops:
 * tests/system/cookies.sh */

#include "control/api_cookie.h"

#include <string.h>

#include "support/heard.h"
#include "support/operator.h"
#include "support/tests.h"

#define FIRST "000102030405060708090a0b0c0d0e0f"
#define SECOND "0F0E0D0C0B0A09080706050403020100"
#define THIRD "ffeeddccbbaa99887766554433221100"

static struct operator op;

static void
setup(void)
{
	operator_open(&op, "nameserver 192.0.2.1\ncookie-secret " FIRST "\n");
	operator_begin(&op);
}

static void
teardown(void)
{
	operator_close(&op);
}

static int
add(const char *secret)
{
	char body[256];

	snprintf(body, sizeof(body), "{\"secret\": \"%s\"}", secret);
	return caller_ask(&op.caller, "POST", "/cookie-secret/add", body);
}

static int
post(const char *what)
{
	char path[64];

	snprintf(path, sizeof(path), "/cookie-secret/%s", what);
	return caller_ask(&op.caller, "POST", path, NULL);
}

/* The value of KEY of secret I in the last answer; "" if there is none. */
static const char *
secret(size_t i, const char *key)
{
	const json_t *s = json_array_get(json_object_get(op.caller.json, "secrets"), i);
	const char *text = json_string_value(json_object_get(s, key));

	return text == NULL ? "" : text;
}

/* The first byte of each secret in force. */
static void
in_force(unsigned n, unsigned first, unsigned second)
{
	const struct conf_core *c = &op.settings.conf.core;

	ck_assert_uint_eq(c->cookies.n_secrets, n);
	ck_assert_uint_eq(c->cookies.secrets[0][0], first);
	if (n > 1)
		ck_assert_uint_eq(c->cookies.secrets[1][0], second);
}

START_TEST(rollover)
{
	char first[16], second[16];

	ck_assert_int_eq(caller_ask(&op.caller, "GET", "/cookie-secret", NULL), 200);
	ck_assert_str_eq(caller_text(&op.caller, "from"), "configuration");
	ck_assert_str_eq(secret(0, "state"), "active");
	snprintf(first, sizeof(first), "%s", secret(0, "fingerprint"));
	ck_assert_uint_eq(strlen(first), 8);
	ck_assert_int_eq(add(SECOND), 200);
	in_force(2, 0x00, 0x0f);
	ck_assert_str_eq(caller_text(&op.caller, "from"), "dns64ctl");
	ck_assert_str_eq(secret(0, "fingerprint"), first);
	ck_assert_str_eq(secret(1, "state"), "accepted");
	snprintf(second, sizeof(second), "%s", secret(1, "fingerprint"));
	ck_assert_str_ne(first, second);
	ck_assert_int_eq(post("activate"), 200);
	in_force(2, 0x0f, 0x00);
	ck_assert_str_eq(secret(0, "fingerprint"), second);
	ck_assert_str_eq(secret(1, "fingerprint"), first);
	/* And back, as long as both are there. */
	ck_assert_int_eq(post("activate"), 200);
	in_force(2, 0x00, 0x0f);
	ck_assert_int_eq(post("activate"), 200);
	ck_assert_int_eq(post("drop"), 200);
	in_force(1, 0x0f, 0);
	ck_assert_str_eq(secret(1, "state"), "");
}
END_TEST

/* Nothing that cannot be done changes anything, nor is a secret told back. */
START_TEST(what_cannot_be)
{
	static const char *const wrong[] = { "", "00", ("" FIRST "00"), ("x" FIRST), "auto" };

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		ck_assert_int_eq(add(wrong[i]), 400);
		ck_assert_str_eq(
		    caller_text(&op.caller, "error"), "secret is not 32 hexadecimal digits");
	}
	ck_assert_int_eq(post("add"), 400);
	ck_assert_int_eq(
	    caller_ask(&op.caller, "POST", "/cookie-secret/drop", "{\"secret\": \"" FIRST "\"}"),
	    400);
	ck_assert_int_eq(caller_ask(&op.caller, "GET", "/cookie-secret?secret=" FIRST, NULL), 400);
	ck_assert_ptr_null(strstr(op.caller.text, FIRST));
	ck_assert_int_eq(post("activate"), 422);
	ck_assert_int_eq(post("drop"), 422);
	ck_assert_int_eq(add(FIRST), 422);
	ck_assert_ptr_null(strstr(op.caller.text, FIRST));
	in_force(1, 0x00, 0);
	ck_assert_int_eq(add(SECOND), 200);
	ck_assert_int_eq(add(THIRD), 422);
	ck_assert_ptr_null(strstr(op.caller.text, THIRD));
	in_force(2, 0x00, 0x0f);
	op.refuses = true;
	ck_assert_int_eq(post("drop"), 422);
	in_force(2, 0x00, 0x0f);
}
END_TEST

/* While loops still take a change there is no other one; the answer comes when they have it. */
START_TEST(one_after_the_other)
{
	op.n_changing = 2;
	ck_assert_int_eq(add(SECOND), 503);
	in_force(1, 0x00, 0);
	op.n_changing = 0;
	ck_assert_int_eq(add(SECOND), 200);
	in_force(2, 0x00, 0x0f);
}
END_TEST

/* A drawn secret is taken as it is today, so that its cookies count until it is dropped. */
START_TEST(drawn_secret)
{
	struct conf_core *c = &op.settings.conf.core;

	c->cookies.n_secrets = 0;
	ck_assert_int_eq(caller_ask(&op.caller, "GET", "/cookie-secret", NULL), 200);
	ck_assert_str_eq(caller_text(&op.caller, "from"), "drawn");
	ck_assert_str_eq(secret(0, "state"), "");
	ck_assert_int_eq(post("activate"), 422);
	ck_assert_int_eq(post("drop"), 422);
	ck_assert_uint_eq(c->cookies.n_secrets, 0);
	ck_assert_int_eq(add(FIRST), 200);
	ck_assert_uint_eq(c->cookies.n_secrets, 2);
	ck_assert_str_eq(secret(1, "state"), "accepted");
	ck_assert_uint_eq(c->cookies.secrets[1][15], 0x0f);
}
END_TEST

/* A secret in the wrong place is refused, and gets into no log. */
START_TEST(secret_in_the_path)
{
	heard_start(LOG_LEVEL_DEBUG);
	ck_assert_int_eq(post("add?secret=" SECOND), 400);
	ck_assert_uint_eq(heard("POST /cookie-secret/add"), 1);
	ck_assert_uint_eq(heard("0F0E0D"), 0);
	heard_end();
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, rollover);
	tcase_add_test(tc, what_cannot_be);
	tcase_add_test(tc, one_after_the_other);
	tcase_add_test(tc, drawn_secret);
	tcase_add_test(tc, secret_in_the_path);
}
