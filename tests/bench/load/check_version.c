/* SPDX-License-Identifier: BSD-2-Clause */
/* What a server says of itself. */

#include "bench/load/version.h"

#include <check.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static uint8_t answer[600];
static size_t answer_len;
static bool keep_id;
static int fd;
static struct netaddr server;

/* Answer one question by what is in answer, with the ID of the question. */
static void *
serve(void *arg)
{
	struct sockaddr_in from;
	socklen_t len = sizeof(from);
	uint8_t q[512];
	ssize_t n = recvfrom(fd, q, sizeof(q), 0, (struct sockaddr *)&from, &len);

	ck_assert_int_gt(n, 12);
	if (answer_len == 0)
		return arg;
	/* The header and the question, then what the test says. */
	uint8_t out[1200];
	memcpy(out, q, (size_t)n);
	out[0] ^= keep_id ? 0 : 1;
	out[2] |= 0x80;
	out[7] = 1;
	memcpy(out + n, answer, answer_len);
	(void)sendto(fd, out, (size_t)n + answer_len, 0, (struct sockaddr *)&from, len);
	return arg;
}

/* A TXT record in class CH, with LEN bytes of RDATA at RDATA. */
static void
set_answer(const void *rdata, size_t len)
{
	static const uint8_t head[] = { 0xc0, 12, 0, 16, 0, 3, 0, 0, 0, 0 };

	memcpy(answer, head, sizeof(head));
	answer[sizeof(head)] = (uint8_t)(len / 256);
	answer[sizeof(head) + 1] = (uint8_t)len;
	memcpy(answer + sizeof(head) + 2, rdata, len);
	answer_len = sizeof(head) + 2 + len;
	keep_id = true;
}

static bool
ask(char text[static BENCH_VERSION_TEXT])
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t len = sizeof(at);
	pthread_t thread;

	fd = socket(AF_INET, SOCK_DGRAM, 0);
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&at, len), 0);
	ck_assert_int_eq(getsockname(fd, (struct sockaddr *)&at, &len), 0);
	ck_assert(netaddr_from_sockaddr((struct sockaddr *)&at, &server));
	ck_assert_int_eq(pthread_create(&thread, NULL, serve, NULL), 0);
	bool told = bench_version_ask(&server, answer_len > 0 ? 20000 : 50, text);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	(void)close(fd);
	return told;
}

START_TEST(version_is_told)
{
	char text[BENCH_VERSION_TEXT];

	set_answer("\007BIND \0019", 8);
	ck_assert(ask(text));
	ck_assert_str_eq(text, "BIND ?9");
	/* Of several strings the first. */
	set_answer("\003abc\002de", 7);
	ck_assert(ask(text));
	ck_assert_str_eq(text, "abc");
}
END_TEST

START_TEST(longest_version_fits)
{
	char text[BENCH_VERSION_TEXT], rdata[256];

	memset(rdata, 'x', sizeof(rdata));
	rdata[0] = (char)255;
	set_answer(rdata, sizeof(rdata));
	ck_assert(ask(text));
	ck_assert_uint_eq(strlen(text), 255);
}
END_TEST

START_TEST(what_is_no_version_is_not_told)
{
	char text[BENCH_VERSION_TEXT];

	set_answer("\011short", 6); /* longer than its record */
	ck_assert(!ask(text));
	ck_assert_str_eq(text, "");
	set_answer("\000", 1);
	ck_assert(!ask(text));
	set_answer("\003abc", 4);
	keep_id = false;
	ck_assert(!ask(text));
	answer_len = 0; /* silent */
	ck_assert(!ask(text));
	/* Nobody is there. */
	ck_assert(!bench_version_ask(&server, 50, text));
	ck_assert_str_eq(text, "");
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("bench_version");
	TCase *tc = tcase_create("version");

	tcase_add_test(tc, version_is_told);
	tcase_add_test(tc, longest_version_fits);
	tcase_add_test(tc, what_is_no_version_is_not_told);
	suite_add_tcase(s, tc);

	SRunner *sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	int failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
