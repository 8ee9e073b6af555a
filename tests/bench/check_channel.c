/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages between testers: in pieces, too long, without sense, and too slow. */

#include "bench/channel.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "support/tests.h"

static struct bench_channel c;
static int other;
static atomic_bool stop;

static void
setup(void)
{
	int fd[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fd), 0);
	bench_channel_init(&c, fd[0], 100);
	other = fd[1];
}

static void
teardown(void)
{
	bench_channel_close(&c);
	if (other >= 0)
		(void)close(other);
}

static void
write_all(const char *bytes, size_t len)
{
	ck_assert_int_eq(write(other, bytes, len), (ssize_t)len);
}

static void
none_yet(void)
{
	ck_assert_ptr_null(bench_channel_take(&c));
	ck_assert_str_eq(c.error, "");
	ck_assert_int_ge(c.fd, 0);
}

static void
failed(const char *why)
{
	ck_assert_ptr_null(bench_channel_take(&c));
	ck_assert_str_eq(c.error, why);
	ck_assert_int_eq(c.fd, -1);
	ck_assert_ptr_null(c.text);
	/* Nothing more comes of it, and the first reason stays. */
	ck_assert_ptr_null(bench_channel_take(&c));
	ck_assert(!bench_channel_send(&c, json_object()));
	ck_assert_str_eq(c.error, why);
}

static json_int_t
number_of(json_t *message)
{
	json_int_t n = json_integer_value(json_object_get(message, "n"));

	ck_assert_ptr_nonnull(message);
	json_decref(message);
	return n;
}

START_TEST(message_comes_as_it_was_sent)
{
	struct bench_channel d;

	bench_channel_init(&d, other, 100);
	other = -1;
	none_yet();
	ck_assert(bench_channel_send(&d, json_pack("{s:i}", "n", 5)));
	ck_assert(bench_channel_send(&d, json_pack("{s:i}", "n", 6)));
	ck_assert_int_eq(number_of(bench_channel_take(&c)), 5);
	ck_assert_int_eq(number_of(bench_channel_wait(&c, 5, &stop)), 6);
	none_yet();
	bench_channel_close(&d);
	failed("the connection was closed");
}
END_TEST

START_TEST(bytes_one_by_one_are_a_message)
{
	static const char bytes[] = "\0\0\0\007{\"n\":9}";

	for (size_t i = 0; i + 2 < sizeof(bytes); i++) {
		write_all(bytes + i, 1);
		none_yet();
	}
	write_all("}", 1);
	ck_assert_int_eq(number_of(bench_channel_take(&c)), 9);
}
END_TEST

/* No memory is taken for what is too long. */
START_TEST(too_long_or_empty_message_ends_it)
{
	if (_i == 0)
		write_all("\0\0\0\145", 4);
	else if (_i == 1)
		write_all("\377\377\377\377", 4);
	else
		write_all("\0\0\0\0", 4);
	failed(_i == 0    ? "a message of 101 bytes, more than 100 or none"
		: _i == 1 ? "a message of 4294967295 bytes, more than 100 or none"
			  : "a message of 0 bytes, more than 100 or none");
}
END_TEST

START_TEST(longest_message_is_one)
{
	char bytes[104] = "\0\0\0\144{\"n\":3";

	memset(bytes + 10, ' ', 93);
	bytes[103] = '}';
	write_all(bytes, sizeof(bytes));
	ck_assert_int_eq(number_of(bench_channel_take(&c)), 3);
}
END_TEST

START_TEST(message_without_sense_ends_it)
{
	static const struct {
		const char *bytes;
		size_t len;
	} bad[] = { { "\0\0\0\003abc", 7 }, { "\0\0\0\002[]", 6 }, { "\0\0\0\003{} ", 7 },
		{ "\0\0\0\015{\"n\":1,\"n\":2}", 17 }, { "\0\0\0\001\0", 5 },
		{ "\0\0\0\003{}x", 7 } };

	write_all(bad[_i].bytes, bad[_i].len);
	if (_i == 2) /* blanks behind it are none of its business */
		json_decref(bench_channel_take(&c));
	else
		failed("a message that is no object of JSON");
}
END_TEST

START_TEST(end_in_a_message_is_told)
{
	write_all("\0\0\0\007{\"n", 7);
	none_yet();
	(void)close(other);
	other = -1;
	failed("the connection was closed");
}
END_TEST

/* Whatever part of it has come; but who says nothing may be silent. */
START_TEST(slow_message_ends_it)
{
	uint64_t long_ago = clock_now_ns() - (BENCH_CHANNEL_SLOW_S + 1) * NS_PER_SEC;

	c.since_ns = long_ago;
	none_yet();
	write_all("\0\0\0\007{\"n\":", _i == 0 ? 2 : _i == 1 ? 4 : 7);
	none_yet();
	c.since_ns = long_ago;
	failed("the rest of a message did not come in 5 s");
}
END_TEST

/* The other side may have written the reason. */
START_TEST(reason_is_plain)
{
	char text[] = "a\033[31m\r\n\177~ \302\251";

	ck_assert_str_eq(bench_channel_plain(text), "a?[31m???~ ??");
	ck_assert(!bench_channel_fail(&c, "no: %s", "\007\033"));
	failed("no: ??");
}
END_TEST

START_TEST(silence_ends_a_wait)
{
	uint64_t begin_ns = clock_now_ns();

	ck_assert_ptr_null(bench_channel_wait(&c, 0.2, &stop));
	ck_assert_uint_ge(clock_now_ns() - begin_ns, 200 * NS_PER_MS);
	failed("no answer for 0.2 s");
}
END_TEST

START_TEST(wait_is_interrupted)
{
	atomic_store(&stop, true);
	ck_assert_ptr_null(bench_channel_wait(&c, 1000, &stop));
	failed("it was interrupted");
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, message_comes_as_it_was_sent);
	tcase_add_test(tc, bytes_one_by_one_are_a_message);
	tcase_add_loop_test(tc, too_long_or_empty_message_ends_it, 0, 3);
	tcase_add_test(tc, longest_message_is_one);
	tcase_add_loop_test(tc, message_without_sense_ends_it, 0, 6);
	tcase_add_test(tc, end_in_a_message_is_told);
	tcase_add_loop_test(tc, slow_message_ends_it, 0, 3);
	tcase_add_test(tc, reason_is_plain);
	tcase_add_test(tc, silence_ends_a_wait);
	tcase_add_test(tc, wait_is_interrupted);
}
