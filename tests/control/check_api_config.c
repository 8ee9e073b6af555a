/* SPDX-License-Identifier: BSD-2-Clause */
/* Every keyword that has a value is told once, with its place, and no secret is. */

#include "control/api_config.h"

#include <string.h>

#include "config/keywords.h"
#include "support/operator.h"
#include "support/tests.h"

static struct operator op;

static void
setup(void)
{
	operator_open(&op,
	    "nameserver 192.0.2.1\ncookie-secret 00112233445566778899aabbccddeeff\n"
	    "client 10.0.0.0/8 {\nhide-a yes\n}\nserver-id M\xfcnchen\n");
	operator_begin(&op);
	ck_assert_int_eq(caller_ask(&op.caller, "GET", "/config", NULL), 200);
}

static void
teardown(void)
{
	operator_close(&op);
}

/* The lines of KEYWORD; *N: how many. The first of them. */
static const json_t *
find(const char *keyword, unsigned *n)
{
	const json_t *l, *found = NULL;
	size_t i;

	*n = 0;
	json_array_foreach(json_object_get(op.caller.json, "lines"), i, l)
	{
		if (strcmp(json_string_value(json_object_get(l, "keyword")), keyword) != 0)
			continue;
		if ((*n)++ == 0)
			found = l;
	}
	return found;
}

static const char *
text_of(const json_t *l, const char *key)
{
	const char *text = json_string_value(json_object_get(l, key));

	return text == NULL ? "" : text;
}

START_TEST(each_with_its_place)
{
	unsigned n;
	const json_t *l = find("nameserver", &n);

	ck_assert_str_eq(caller_text(&op.caller, "file"), "/etc/t.conf");
	ck_assert_uint_eq(n, 1);
	ck_assert_str_eq(text_of(l, "value"), "192.0.2.1");
	ck_assert_str_eq(text_of(l, "from"), "file");
	ck_assert_int_eq(json_integer_value(json_object_get(l, "line")), 1);
	ck_assert_ptr_null(json_object_get(l, "block"));
	l = find("hide-a", &n);
	ck_assert_uint_eq(n, 2); /* in the block; and for all others */
	ck_assert_int_eq(json_integer_value(json_object_get(l, "line")), 4);
	ck_assert_int_eq(json_integer_value(json_object_get(l, "block")), 3);
	l = find("server-id", &n); /* no UTF-8, and no secret */
	ck_assert_str_eq(text_of(l, "value"), "M?nchen");
	l = find("listen", &n);
	ck_assert_uint_eq(n, 2);
	ck_assert_str_eq(text_of(l, "value"), "::1");
	ck_assert_str_eq(text_of(l, "from"), "default");
}
END_TEST

START_TEST(all_defaults)
{
	size_t n_rows;
	const struct keyword *table = keywords(&n_rows);

	for (size_t i = 0; i < n_rows; i++) {
		unsigned n;

		(void)find(table[i].name, &n);
		ck_assert_msg(n > 0 || table[i].fallback == NULL, "%s", table[i].name);
	}
}
END_TEST

START_TEST(no_secret)
{
	unsigned n;

	ck_assert(json_is_null(json_object_get(find("cookie-secret", &n), "value")));
	ck_assert_ptr_null(strstr(op.caller.text, "0011"));
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, each_with_its_place);
	tcase_add_test(tc, all_defaults);
	tcase_add_test(tc, no_secret);
}
