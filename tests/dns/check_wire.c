/* SPDX-License-Identifier: BSD-2-Clause */
/* Cursors: byte order, bounds and the error that stays. */

#include "dns/wire.h"

#include "support/guard.h"
#include "support/tests.h"

START_TEST(numbers_are_big_endian)
{
	uint8_t buf[6];

	wire_set_u16(buf, 0x1234);
	wire_set_u32(buf + 2, 0x89abcdef);
	ck_assert_mem_eq(buf, "\x12\x34\x89\xab\xcd\xef", 6);
	ck_assert_uint_eq(wire_u16(buf), 0x1234);
	ck_assert_uint_eq(wire_u32(buf + 2), 0x89abcdef);
}
END_TEST

START_TEST(reader_reads_in_turn)
{
	static const uint8_t bytes[] = { 1, 2, 3, 4, 5, 6, 7, 0xff, 9 };
	struct wire_reader r = { .buf = bytes, .len = sizeof(bytes) };

	ck_assert_uint_eq(wire_get_u8(&r), 1);
	ck_assert_uint_eq(wire_get_u16(&r), 0x0203);
	ck_assert_uint_eq(wire_get_u32(&r), 0x04050607);
	wire_skip(&r, 1);
	ck_assert_uint_eq(wire_get_u8(&r), 9);
	ck_assert(!r.bad);
	ck_assert_uint_eq(r.pos, sizeof(bytes));
}
END_TEST

/* With _i bytes left every access of more than _i is refused, and nothing is read after it. */
START_TEST(reader_stops_at_the_end)
{
	static const uint8_t bytes[4] = { 0xff, 0xff, 0xff, 0xff };
	size_t len = (size_t)_i;
	struct guard g;
	struct wire_reader r;
	uint8_t *buf;

	guard_init(&g, sizeof(bytes));
	buf = guard_put(&g, bytes, len);
	r = (struct wire_reader){ .buf = buf, .len = len };
	ck_assert_uint_eq(wire_get_u32(&r), len < 4 ? 0 : 0xffffffff);
	ck_assert_int_eq(r.bad, len < 4);
	r = (struct wire_reader){ .buf = buf, .len = len };
	ck_assert_uint_eq(wire_get_u16(&r), len < 2 ? 0 : 0xffff);
	ck_assert_int_eq(r.bad, len < 2);
	r = (struct wire_reader){ .buf = buf, .len = len };
	wire_skip(&r, SIZE_MAX);
	ck_assert(r.bad);
	ck_assert_uint_eq(r.pos, 0);
	ck_assert_uint_eq(wire_get_u8(&r), 0);
	ck_assert_uint_eq(r.pos, 0);
	guard_fini(&g);
}
END_TEST

START_TEST(writer_writes_in_turn)
{
	uint8_t buf[10] = { 0 };
	struct wire_writer w = { .buf = buf, .cap = sizeof(buf) };

	wire_put_u8(&w, 1);
	wire_put_u16(&w, 0x0203);
	wire_put_u32(&w, 0x04050607);
	wire_put_bytes(&w, "abc", 3);
	ck_assert(!w.full);
	ck_assert_uint_eq(w.len, sizeof(buf));
	ck_assert_mem_eq(buf, "\1\2\3\4\5\6\7abc", sizeof(buf));
	wire_put_u8(&w, 1);
	ck_assert(w.full);
}
END_TEST

/* The error stays, so that the bytes behind what did not fit are not written in its place. */
START_TEST(writer_stops_at_the_end)
{
	struct guard g;
	struct wire_writer w;

	guard_init(&g, 4);
	w = (struct wire_writer){ .buf = guard_put(&g, "....", 4), .cap = 4 };
	wire_put_u16(&w, 0x4142);
	wire_put_u32(&w, 0xffffffff);
	ck_assert(w.full);
	wire_put_u8(&w, 0xff);
	wire_put_u16(&w, 0xffff);
	wire_put_bytes(&w, "x", 1);
	ck_assert_uint_eq(w.len, 2);
	ck_assert_mem_eq(w.buf, "AB..", 4);
	guard_fini(&g);
}
END_TEST

/* A length is that of what was written behind it, and nothing at all in a writer that is full. */
START_TEST(length_is_filled_in)
{
	struct guard g;
	struct wire_writer w;
	size_t start;

	guard_init(&g, 8);
	w = (struct wire_writer){ .buf = guard_put(&g, "........", 8), .cap = 8 };
	wire_put_u8(&w, 'A');
	start = wire_begin_length(&w);
	ck_assert_uint_eq(start, 3);
	wire_put_bytes(&w, "BC", 2);
	wire_end_length(&w, start);
	ck_assert_mem_eq(w.buf, "A\0\2BC...", 8);
	start = wire_begin_length(&w);
	wire_end_length(&w, start);
	ck_assert_mem_eq(w.buf, "A\0\2BC\0\0.", 8);
	start = wire_begin_length(&w);
	ck_assert(w.full);
	wire_end_length(&w, start);
	ck_assert_mem_eq(w.buf, "A\0\2BC\0\0.", 8);
	guard_fini(&g);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_test(tc, numbers_are_big_endian);
	tcase_add_test(tc, reader_reads_in_turn);
	tcase_add_loop_test(tc, reader_stops_at_the_end, 0, 5);
	tcase_add_test(tc, writer_writes_in_turn);
	tcase_add_test(tc, writer_stops_at_the_end);
	tcase_add_test(tc, length_is_filled_in);
}
