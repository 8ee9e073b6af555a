/* SPDX-License-Identifier: BSD-2-Clause */
/* stream: frames however they are cut (RFC 7766 section 8), and what cannot be sent at once. */
#include "io/stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "support/tests.h"

static struct stream_mem mem;
static struct stream_in in;
static struct stream_out out;
static int fd[2]; /* we are 0, the other side is 1 */
static struct carrier_link us;

static void
setup(void)
{
	int r = stream_mem_init(&mem, 2);

	ck_assert_int_eq(r, 0);
	memset(&in, 0, sizeof(in));
	memset(&out, 0, sizeof(out));
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fd), 0);
	carrier_accept(&us, TRANSPORT_TCP, fd[0]);
}

static void
teardown(void)
{
	stream_in_clear(&in, &mem);
	stream_out_clear(&out, &mem);
	ck_assert_uint_eq(mem.buffers.n_used, 0);
	ck_assert_uint_eq(mem.chunks.n_used, 0);
	stream_mem_fini(&mem);
	carrier_end(&us);
	close(fd[1]);
}

/* Frame I of a stream has 12 + 3 * I bytes of value I. */
static size_t
make_frames(uint8_t *p, unsigned n)
{
	size_t at = 0;

	for (unsigned i = 0; i < n; i++) {
		size_t len = 12 + 3 * i;

		p[at] = (uint8_t)(len >> 8);
		p[at + 1] = (uint8_t)len;
		memset(p + at + 2, (int)i, len);
		at += 2 + len;
	}
	return at;
}

/* Take all frames of a window; returns how many there have been now. */
static unsigned
take_frames(struct stream_window *w, unsigned n)
{
	const uint8_t *msg;
	size_t len;
	enum stream_verdict v;

	while ((v = stream_frame(w, &msg, &len)) == STREAM_FRAME) {
		ck_assert_uint_eq(len, 12 + 3 * n);
		for (size_t i = 0; i < len; i++)
			ck_assert_uint_eq(msg[i], n);
		n++;
	}
	ck_assert_int_eq(v, STREAM_PARTIAL);
	return n;
}

/* Three frames cut in two at every byte; a short first read is no error (rule 26, RFC 7766 8). */
START_TEST(frames_cut_anywhere_are_joined)
{
	uint8_t bytes[200];
	size_t all = make_frames(bytes, 3);

	for (size_t at = 1; at < all; at++) {
		struct stream_window w;
		unsigned n = 0;

		ck_assert_int_eq(write(fd[1], bytes, at), (ssize_t)at);
		ck_assert_int_eq(stream_read(&in, &mem, &us, &w), (int)at);
		n = take_frames(&w, n);
		ck_assert(stream_keep(&in, &mem, &w));
		ck_assert_uint_eq(mem.buffers.n_used, w.used < at);
		ck_assert_int_eq(write(fd[1], bytes + at, all - at), (ssize_t)(all - at));
		ck_assert_int_eq(stream_read(&in, &mem, &us, &w), (int)(all - at));
		n = take_frames(&w, n);
		ck_assert(stream_keep(&in, &mem, &w));
		ck_assert_uint_eq(n, 3);
		ck_assert_uint_eq(mem.buffers.n_used, 0);
	}
}
END_TEST

/* One byte at a time. */
START_TEST(frames_byte_by_byte_are_joined)
{
	uint8_t bytes[400];
	size_t all = make_frames(bytes, 8);
	struct stream_window w;
	unsigned n = 0;

	for (size_t at = 0; at < all; at++) {
		ck_assert_int_eq(write(fd[1], bytes + at, 1), 1);
		ck_assert_int_eq(stream_read(&in, &mem, &us, &w), 1);
		n = take_frames(&w, n);
		ck_assert(stream_keep(&in, &mem, &w));
	}
	ck_assert_uint_eq(n, 8);
	ck_assert_uint_eq(mem.buffers.n_used, 0);
}
END_TEST

/* Frames that wait in the buffer are found again without reading. */
START_TEST(waiting_frames_are_found_without_reading)
{
	uint8_t bytes[200];
	size_t all = make_frames(bytes, 3);
	struct stream_window w;
	const uint8_t *msg;
	size_t len;

	ck_assert_int_eq(write(fd[1], bytes, all), (ssize_t)all);
	ck_assert_int_eq(stream_read(&in, &mem, &us, &w), (int)all);
	ck_assert_int_eq(stream_frame(&w, &msg, &len), STREAM_FRAME);
	ck_assert(stream_keep(&in, &mem, &w));
	stream_held(&in, &w);
	ck_assert_uint_eq(take_frames(&w, 1), 3);
	ck_assert(stream_keep(&in, &mem, &w));
	ck_assert_uint_eq(mem.buffers.n_used, 0);
}
END_TEST

/* The longest frame fits, behind another. */
START_TEST(longest_frame_fits_behind_another)
{
	size_t all = 2 + 12 + 2 + 65535;
	uint8_t *bytes = calloc(1, all);
	struct stream_window w;
	const uint8_t *msg;
	size_t len, sent = 0, n = 0;

	ck_assert_ptr_nonnull(bytes);
	bytes[1] = 12;
	bytes[14] = 0xff;
	bytes[15] = 0xff;
	bytes[all - 1] = 99;
	for (int i = 0; n < 2; i++) {
		ssize_t r = write(fd[1], bytes + sent, all - sent < 9000 ? all - sent : 9000);

		ck_assert_int_lt(i, 1000);
		sent += r > 0 ? (size_t)r : 0;
		ck_assert_int_gt(stream_read(&in, &mem, &us, &w), 0);
		for (; stream_frame(&w, &msg, &len) == STREAM_FRAME; n++)
			if (n == 1) {
				ck_assert_uint_eq(len, 65535);
				ck_assert_uint_eq(msg[65534], 99);
			}
		ck_assert(stream_keep(&in, &mem, &w));
	}
	free(bytes);
}
END_TEST

/* Lengths under that of a header: 0 to 11. */
START_TEST(frame_under_12_bytes_is_bad)
{
	uint8_t bytes[20] = { 0, (uint8_t)_i, 1, 2, 3 };
	struct stream_window w;
	const uint8_t *msg;
	size_t len;

	ck_assert_int_eq(write(fd[1], bytes, 20), 20);
	ck_assert_int_eq(stream_read(&in, &mem, &us, &w), 20);
	ck_assert_int_eq(stream_frame(&w, &msg, &len), STREAM_BAD);
	ck_assert_uint_eq(len, (size_t)_i);
}
END_TEST

START_TEST(end_of_stream_and_no_data_differ)
{
	struct stream_window w;

	ck_assert_int_eq(stream_read(&in, &mem, &us, &w), -EAGAIN);
	close(fd[1]);
	ck_assert_int_eq(stream_read(&in, &mem, &us, &w), 0);
	fd[1] = dup(0);
}
END_TEST

/* No buffer is free: said, not waited for. */
START_TEST(lack_of_a_buffer_is_said)
{
	void *a = pool_take(&mem.buffers), *b = pool_take(&mem.buffers);
	struct stream_window w;

	ck_assert_int_eq(write(fd[1], "x", 1), 1);
	ck_assert_int_eq(stream_read(&in, &mem, &us, &w), 1);
	ck_assert(!stream_keep(&in, &mem, &w));
	pool_give(&mem.buffers, a);
	pool_give(&mem.buffers, b);
}
END_TEST

/* Messages of all kinds of length through a socket that takes what it wants. */
START_TEST(messages_of_all_lengths_are_written)
{
	static uint8_t msg[65535], got[65537 * 2];
	static const size_t lens[] = { 12, 4078, 4079, 4080, 4081, 8190, 65535, 1, 65535 };
	size_t want = 0, n_got = 0;
	int r = 0;

	for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
		memset(msg, (int)(i + 1), lens[i]);
		ck_assert(stream_put(&out, &mem, msg, lens[i]));
		want += lens[i] + 2;
		ck_assert_uint_eq(out.len, want);
	}
	for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++)
		for (size_t at = 0; at < lens[i] + 2;) {
			ssize_t n;

			r = r == 1 ? 1 : stream_write(&out, &mem, &us);
			ck_assert_int_ge(r, 0);
			n = read(fd[1], got, lens[i] + 2 - at);
			ck_assert_int_gt(n, 0);
			if (at == 0 && n >= 2)
				ck_assert_uint_eq((size_t)got[0] << 8 | got[1], lens[i]);
			if (at >= 2)
				ck_assert_uint_eq(got[n - 1], i + 1);
			at += (size_t)n;
			n_got += (size_t)n;
		}
	ck_assert_uint_eq(n_got, want);
	ck_assert_int_eq(r, 1);
	ck_assert_uint_eq(out.len, 0);
	ck_assert_uint_eq(mem.chunks.n_used, 0);
}
END_TEST

/* All chunks are out: nothing is queued in part. */
START_TEST(without_chunks_nothing_is_queued_in_part)
{
	static uint8_t msg[65535];
	unsigned n = 0;
	size_t len, left;

	while (stream_put(&out, &mem, msg, sizeof(msg)))
		n++;
	ck_assert_uint_eq(n, (size_t)STREAM_CHUNKS * (STREAM_CHUNK - 16) / 65537);
	len = out.len;
	ck_assert(!stream_put(&out, &mem, msg, sizeof(msg)));
	ck_assert_uint_eq(out.len, len);
	/* The length before it has to fit too. */
	left = (size_t)STREAM_CHUNKS * (STREAM_CHUNK - 16) - len;
	ck_assert(!stream_put(&out, &mem, msg, left - 1));
	ck_assert_uint_eq(out.len, len);
	ck_assert(stream_put(&out, &mem, msg, left - 2));
	ck_assert_uint_eq(out.len, len + left);
}
END_TEST

START_TEST(broken_connection_is_an_error)
{
	uint8_t msg[12] = { 0 };

	ck_assert(stream_direct(&us, msg, sizeof(msg)));
	close(fd[1]);
	ck_assert(stream_put(&out, &mem, msg, sizeof(msg)));
	ck_assert_int_eq(stream_write(&out, &mem, &us), -EPIPE);
	ck_assert(!stream_direct(&us, msg, sizeof(msg)));
	fd[1] = dup(0);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, frames_cut_anywhere_are_joined);
	tcase_add_test(tc, frames_byte_by_byte_are_joined);
	tcase_add_test(tc, waiting_frames_are_found_without_reading);
	tcase_add_test(tc, longest_frame_fits_behind_another);
	tcase_add_loop_test(tc, frame_under_12_bytes_is_bad, 0, 12);
	tcase_add_test(tc, end_of_stream_and_no_data_differ);
	tcase_add_test(tc, lack_of_a_buffer_is_said);
	tcase_add_test(tc, messages_of_all_lengths_are_written);
	tcase_add_test(tc, without_chunks_nothing_is_queued_in_part);
	tcase_add_test(tc, broken_connection_is_an_error);
}
