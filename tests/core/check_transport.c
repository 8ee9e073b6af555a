/* SPDX-License-Identifier: BSD-2-Clause */
/* transport: each row, beside what is known of it without looking at the rows. */
#include "core/transport.h"

#include <string.h>

#include "support/tests.h"

/* What transport_is_stream is, though it does not read the rows. */
START_TEST(streams_are_what_is_reliable)
{
	for (unsigned t = 0; t < TRANSPORTS; t++)
		ck_assert_int_eq(
		    transport_is_stream((enum transport)t), transport_traits[t].reliable);
}
END_TEST

/* Who gets a stream has answered to an address; what it brings needs no truncation. */
START_TEST(streams_are_proven_and_whole)
{
	for (unsigned t = 0; t < TRANSPORTS; t++) {
		const struct transport_traits *row = &transport_traits[t];

		ck_assert_int_eq(row->proven, row->reliable);
		ck_assert_int_eq(row->whole, row->reliable);
		ck_assert(row->sealed || !row->padded); /* it would hide nothing */
	}
}
END_TEST

START_TEST(names_and_numbers_are_its_own)
{
	for (unsigned t = 0; t < TRANSPORTS; t++) {
		const struct transport_traits *row = &transport_traits[t];

		ck_assert_uint_gt(strlen(row->name), 0);
		ck_assert_uint_lt(strlen(row->name), sizeof(row->name));
		ck_assert_uint_lt(strlen(row->title), sizeof(row->title));
		for (unsigned other = 0; other < t; other++) {
			ck_assert_str_ne(row->name, transport_traits[other].name);
			ck_assert_str_ne(row->title, transport_traits[other].title);
			ck_assert_uint_ne(row->dnstap, transport_traits[other].dnstap);
		}
	}
	ck_assert_str_eq(transport_traits[TRANSPORT_UDP].name, "udp");
	ck_assert_str_eq(transport_traits[TRANSPORT_TCP].title, "TCP");
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_test(tc, streams_are_what_is_reliable);
	tcase_add_test(tc, streams_are_proven_and_whole);
	tcase_add_test(tc, names_and_numbers_are_its_own);
}
