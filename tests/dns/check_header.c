/* SPDX-License-Identifier: BSD-2-Clause */
/* RFC 1035 sections 4.1.1 and 4.1.2, RFC 6891 section 6.1.3. */

#include "dns/header.h"

#include "support/message.h"
#include "support/tests.h"

static const uint8_t qname[] = "\3www\7example\3com";
static uint8_t bytes[HEADER_QUESTION_MAX];

static void
set_up(void)
{
	memset(bytes, 0xaa, sizeof(bytes));
}

START_TEST(question_is_written_whole)
{
	header_start(bytes, 0x1234, DNS_RD | DNS_CD);
	header_set_qname(bytes, qname, sizeof(qname));
	header_set_qtype(bytes, sizeof(qname), DNS_TYPE_AAAA);
	header_set_qclass(bytes, sizeof(qname), DNS_CLASS_IN);
	ck_assert_uint_eq(header_question_end(sizeof(qname)), 33);
	message_expect(bytes, 33, "1234 0110 0001 0000 0000 0000 <www.example.com> 001c 0001");
	ck_assert_uint_eq(bytes[33], 0xaa);
	ck_assert_ptr_eq(header_qname(bytes), bytes + 12);
	ck_assert_ptr_eq(header_put_qname(bytes), bytes + 12);
	ck_assert_uint_eq(header_qclass(bytes, sizeof(qname)), DNS_CLASS_IN);
}
END_TEST

START_TEST(each_field_has_its_place)
{
	header_set_id(bytes, 1);
	header_set(bytes, HEADER_FLAGS, 2);
	header_set(bytes, HEADER_QDCOUNT, 3);
	header_set(bytes, HEADER_ANCOUNT, 4);
	header_set(bytes, HEADER_NSCOUNT, 5);
	header_set(bytes, HEADER_ARCOUNT, 0xfffe);
	header_add(bytes, HEADER_ARCOUNT);
	message_expect(bytes, DNS_HEADER_LEN, "0001 0002 0003 0004 0005 ffff");
	ck_assert_uint_eq(bytes[DNS_HEADER_LEN], 0xaa);
	ck_assert_uint_eq(header_id(bytes), 1);
	ck_assert_uint_eq(header_flags(bytes), 2);
	ck_assert_uint_eq(header_get(bytes, HEADER_NSCOUNT), 5);
	ck_assert_uint_eq(header_get(bytes, HEADER_ARCOUNT), 0xffff);
}
END_TEST

START_TEST(flags_not_named_stay)
{
	for (unsigned bit = 1; bit <= 0x8000; bit <<= 1) {
		header_set_flags(bytes, 0xffff);
		header_clear_flags(bytes, (uint16_t)bit);
		ck_assert_uint_eq(header_flags(bytes), 0xffff & ~bit);
		header_set_flags(bytes, 0);
		header_clear_flags(bytes, (uint16_t)bit);
		ck_assert_uint_eq(header_flags(bytes), 0);
	}
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, set_up, NULL);
	tcase_add_test(tc, question_is_written_whole);
	tcase_add_test(tc, each_field_has_its_place);
	tcase_add_test(tc, flags_not_named_stay);
}
