/* SPDX-License-Identifier: BSD-2-Clause */
/* Types by name, there and back, and what is known of them. */

#include "dns/proto.h"
#include "dns/type.h"

#include "support/tests.h"

START_TEST(names)
{
	static const struct {
		const char *text;
		unsigned type; /* 0: none */
	} cases[] = { { "A", 1 }, { "aaaa", 28 }, { "Https", 65 }, { "TYPE1", 1 },
		{ "type65535", 65535 }, { "TYPE28", 28 }, { "ANY", 255 }, { "TYPE0", 0 },
		{ "TYPE65536", 0 }, { "TYPE99999999999999999999", 0 }, { "TYPE", 0 },
		{ "TYPE1x", 0 }, { "TYPE-1", 0 }, { "AAA", 0 }, { "", 0 }, { "28", 0 } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint16_t type = 0;
		bool known = type_from_text(cases[i].text, &type);

		ck_assert_msg(known == (cases[i].type != 0), "%s", cases[i].text);
		if (known)
			ck_assert_uint_eq(type, cases[i].type);
	}
}
END_TEST

START_TEST(there_and_back)
{
	char text[TYPE_TEXT];

	for (unsigned type = 1; type <= UINT16_MAX; type++) {
		uint16_t again = 0;

		ck_assert(type_from_text(type_to_text((uint16_t)type, text), &again));
		ck_assert_uint_eq(again, type);
	}
	ck_assert_str_eq(type_to_text(28, text), "AAAA");
	ck_assert_str_eq(type_to_text(65280, text), "TYPE65280");
}
END_TEST

/* Without a row: opaque RDATA, no text, no kind of its own. */
START_TEST(what_has_no_row)
{
	static const uint16_t types[] = { 0, 10, 66, TYPE_NUMBERED - 4, TYPE_NUMBERED, UINT16_MAX };

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		const struct type_row *row = type_row(types[i]);

		ck_assert_ptr_null(row->name);
		ck_assert_uint_eq(row->parts.names, 0);
		ck_assert_uint_eq(row->form, TYPE_FORM_OPAQUE);
		ck_assert_uint_eq(row->check, TYPE_CHECK_NEVER);
		ck_assert_uint_eq(row->added, TYPE_ADDED_NOTHING);
		ck_assert_uint_eq(type_kind(types[i]), TYPE_KIND_OTHER);
	}
}
END_TEST

/* RFC 9460 section 2: HTTPS is SVCB under another number. */
START_TEST(rfc9460_https_is_svcb)
{
	const struct type_row *svcb = type_row(DNS_TYPE_SVCB), *https = type_row(DNS_TYPE_HTTPS);

	ck_assert_uint_eq(svcb->form, https->form);
	ck_assert_uint_eq(svcb->check, https->check);
	ck_assert_uint_eq(svcb->added, https->added);
	ck_assert_uint_eq(type_kind(DNS_TYPE_SVCB), type_kind(DNS_TYPE_HTTPS));
	ck_assert_str_eq(type_kind_label(type_kind(DNS_TYPE_SVCB)), "HTTPS");
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_test(tc, names);
	tcase_add_test(tc, there_and_back);
	tcase_add_test(tc, what_has_no_row);
	tcase_add_test(tc, rfc9460_https_is_svcb);
}
