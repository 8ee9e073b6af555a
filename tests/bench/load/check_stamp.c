/* SPDX-License-Identifier: BSD-2-Clause */
/* When the kernel received what we read, by our clock. */

#include "bench/load/stamp.h"

#include <check.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

static _Alignas(struct cmsghdr) uint8_t control[BENCH_STAMP_CONTROL];

/* A message with a stamp of REAL_NS. */
static struct msghdr
stamped(uint64_t real_ns)
{
	struct msghdr h = { .msg_control = control, .msg_controllen = sizeof(control) };
	struct timespec ts = { .tv_sec = (time_t)(real_ns / NS_PER_SEC),
		.tv_nsec = (long)(real_ns % NS_PER_SEC) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&h);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_TIMESTAMPNS;
	c->cmsg_len = CMSG_LEN(sizeof(ts));
	memcpy(CMSG_DATA(c), &ts, sizeof(ts));
	return h;
}

START_TEST(stamp_is_told_by_our_clock)
{
	const struct bench_stamp now = { .real_ns = 50 * NS_PER_SEC, .now_ns = 7 * NS_PER_SEC };
	struct msghdr none = { .msg_control = NULL };
	struct msghdr h = stamped(50 * NS_PER_SEC - 3);

	ck_assert_uint_eq(bench_stamp_of(&h, &now), 7 * NS_PER_SEC - 3);
	h = stamped(50 * NS_PER_SEC);
	ck_assert_uint_eq(bench_stamp_of(&h, &now), 7 * NS_PER_SEC);
	/* The wall clock was set: back, and ahead by more than our clock has run. */
	h = stamped(50 * NS_PER_SEC + 1);
	ck_assert_uint_eq(bench_stamp_of(&h, &now), 7 * NS_PER_SEC);
	h = stamped(20 * NS_PER_SEC);
	ck_assert_uint_eq(bench_stamp_of(&h, &now), 7 * NS_PER_SEC);
	ck_assert_uint_eq(bench_stamp_of(&none, &now), 7 * NS_PER_SEC);
}
END_TEST

/* What waits for its reader has the time at which it came. */
START_TEST(kernel_stamps_what_comes)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t len = sizeof(at);
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	uint8_t byte = 1;
	struct iovec iov = { &byte, 1 };
	struct msghdr h = { .msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control) };

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&at, len), 0);
	ck_assert_int_eq(getsockname(fd, (struct sockaddr *)&at, &len), 0);
	bench_stamp_enable(fd);
	uint64_t before_ns = clock_now_ns();
	ck_assert_int_eq(sendto(fd, &byte, 1, 0, (struct sockaddr *)&at, len), 1);
	uint64_t after_ns = clock_now_ns();
	(void)usleep(200000);
	ck_assert_int_eq(recvmsg(fd, &h, 0), 1);
	struct bench_stamp now = bench_stamp_now();
	uint64_t came_ns = bench_stamp_of(&h, &now);
	/* The wall clock may be slewed meanwhile. */
	ck_assert_uint_ge(came_ns + NS_PER_MS, before_ns);
	ck_assert_uint_le(came_ns, after_ns + NS_PER_MS);
	ck_assert_uint_ge(now.now_ns - came_ns, 190 * NS_PER_MS);
	(void)close(fd);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("bench_stamp");
	TCase *tc = tcase_create("stamp");

	tcase_add_test(tc, stamp_is_told_by_our_clock);
	tcase_add_test(tc, kernel_stamps_what_comes);
	suite_add_tcase(s, tc);

	SRunner *sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	int failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
