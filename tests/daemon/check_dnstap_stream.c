/* SPDX-License-Identifier: BSD-2-Clause */
/* The connection to a reader of dnstap: whole frames; a reader that is stuck or gone holds up
 * nobody.
 */

#include "daemon/dnstap_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "support/scratch.h"
#include "support/tapreader.h"
#include "support/tests.h"

#ifdef HAVE_DNSTAP

#define FRAMES 300
#define SPARE_MS 700 /* of a busy machine */

static struct dnstap_stream stream;
static struct tapreader reader;
static int wake_fd;
static char dir[SCRATCH_PATH], path[SCRATCH_PATH + 16];
static uint8_t bytes[65535];
static struct iovec frames[FRAMES];

static void
setup(void)
{
	scratch_dir(dir);
	snprintf(path, sizeof(path), "%s/sock", dir);
	wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	ck_assert_int_ge(wake_fd, 0);
	dnstap_stream_init(&stream, wake_fd);
	for (unsigned i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * 7 + i / 256);
	/* Of 1 to 65,535 bytes. */
	for (unsigned i = 0; i < FRAMES; i++)
		frames[i] = (struct iovec){ .iov_base = bytes,
			.iov_len = 1 + i * 131 % 1500 + (i == 7 ? 64000 : 0) };
}

static void
teardown(void)
{
	dnstap_stream_close(&stream);
	close(wake_fd);
	(void)unlink(path);
	(void)rmdir(dir);
}

static void
wake(void)
{
	uint64_t one = 1;

	ck_assert_int_eq(write(wake_fd, &one, sizeof(one)), sizeof(one));
}

static uint64_t
ms_since(uint64_t then_ns)
{
	return (clock_now_ns() - then_ns) / NS_PER_MS;
}

static void
wait_for(const atomic_uint *counter, unsigned n)
{
	for (unsigned i = 0; i < 1000 && atomic_load(counter) < n; i++)
		(void)poll(NULL, 0, 10);
	ck_assert_uint_eq(atomic_load(counter), n);
}

START_TEST(frames_arrive_whole)
{
	size_t len;

	tapreader_start(&reader, path, TAPREADER_READS);
	ck_assert_int_eq(dnstap_stream_open(&stream, path), 0);
	ck_assert(dnstap_stream_alive(&stream));
	ck_assert(dnstap_stream_write(&stream, frames, FRAMES));
	ck_assert(dnstap_stream_write(&stream, frames, 1));
	dnstap_stream_close(&stream);
	wait_for(&reader.n_ended, 1);
	ck_assert_uint_eq(atomic_load(&reader.n), FRAMES + 1);
	for (unsigned i = 0; i < FRAMES; i++) {
		const uint8_t *got = tapreader_frame(&reader, i, &len);

		ck_assert_uint_eq(len, frames[i].iov_len);
		ck_assert_mem_eq(got, bytes, len);
	}
	/* And again, with another connection. */
	ck_assert(!dnstap_stream_alive(&stream));
	ck_assert_int_eq(dnstap_stream_open(&stream, path), 0);
	ck_assert(dnstap_stream_write(&stream, frames, 1));
	dnstap_stream_close(&stream);
	wait_for(&reader.n_ended, 2);
	tapreader_end(&reader);
}
END_TEST

START_TEST(no_reader_is_told)
{
	int fd;

	ck_assert_int_eq(dnstap_stream_open(&stream, path), -ENOENT);
	fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	ck_assert_int_ge(fd, 0);
	close(fd);
	ck_assert_int_eq(dnstap_stream_open(&stream, path), -ENOTSOCK);
	tapreader_start(&reader, path, TAPREADER_READS);
	tapreader_end(&reader);
	ck_assert_int_eq(dnstap_stream_open(&stream, path), -ECONNREFUSED);
	ck_assert(!dnstap_stream_alive(&stream));
	ck_assert(!dnstap_stream_write(&stream, frames, 1));
}
END_TEST

/* D34: a reader that has gone is noticed before anything is written to it. */
START_TEST(reader_that_has_gone_is_noticed)
{
	tapreader_start(&reader, path, TAPREADER_READS);
	ck_assert_int_eq(dnstap_stream_open(&stream, path), 0);
	ck_assert(dnstap_stream_write(&stream, frames, 1));
	wait_for(&reader.n, 1);
	ck_assert(dnstap_stream_alive(&stream));
	tapreader_end(&reader);
	ck_assert(!dnstap_stream_alive(&stream));
	ck_assert(!dnstap_stream_write(&stream, frames, FRAMES)); /* and no SIGPIPE */
	dnstap_stream_close(&stream);
}
END_TEST

/* D34: a reader that says nothing: it is given up in a while, or soon when somebody wakes. */
START_TEST(dumb_reader_is_given_up)
{
	uint64_t then_ns = clock_now_ns();

	tapreader_start(&reader, path, TAPREADER_DUMB);
	ck_assert_int_eq(dnstap_stream_open(&stream, path), -EPROTO);
	ck_assert_uint_ge(ms_since(then_ns), 1000);
	ck_assert_uint_lt(ms_since(then_ns), 2000 + SPARE_MS);
	tapreader_end(&reader);
	tapreader_start(&reader, path, TAPREADER_DUMB);
	wake();
	then_ns = clock_now_ns();
	ck_assert_int_eq(dnstap_stream_open(&stream, path), -EPROTO);
	ck_assert_uint_lt(ms_since(then_ns), DNSTAP_STREAM_HURRY_MS + SPARE_MS);
	tapreader_end(&reader);
}
END_TEST

/* D34: a reader that is stuck is waited for, until somebody wakes; nothing takes long then. */
START_TEST(stuck_reader_holds_up_nobody)
{
	uint64_t then_ns;

	tapreader_start(&reader, path, TAPREADER_STUCK);
	ck_assert_int_eq(dnstap_stream_open(&stream, path), 0);
	wake();
	then_ns = clock_now_ns();
	while (dnstap_stream_write(&stream, frames, FRAMES))
		continue;
	wake(); /* more hurry does not grant more time */
	ck_assert(!dnstap_stream_write(&stream, frames, FRAMES));
	dnstap_stream_close(&stream);
	ck_assert_uint_ge(ms_since(then_ns), DNSTAP_STREAM_HURRY_MS - 1);
	ck_assert_uint_lt(ms_since(then_ns), DNSTAP_STREAM_HURRY_MS + SPARE_MS);
	tapreader_end(&reader);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, frames_arrive_whole);
	tcase_add_test(tc, no_reader_is_told);
	tcase_add_test(tc, reader_that_has_gone_is_noticed);
	tcase_add_test(tc, dumb_reader_is_given_up);
	tcase_add_test(tc, stuck_reader_holds_up_nobody);
}

#else

void
tests_add(TCase *tc)
{
	(void)tc;
	tests_skip("built without dnstap");
}

#endif
