/* SPDX-License-Identifier: BSD-2-Clause */
/* What a server is asked before a run: is it there, which one is it, what does it know? */

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "bench/played.h"
#include "bench/server.h"
#include "support/tests.h"

static struct bench_settings settings;
static struct bench_tally tally;
static atomic_bool stop;
static struct bench_job job;

static void
setup(void)
{
	played_job(&job, &settings, &tally, &stop);
}

static void
teardown(void)
{
	bench_run_free(job.run);
}

/* --- Is it there? ----------------------------------------------------------------------------- */

/* A socket that is bound and never answers; its address is the server's. */
static int
mute_server(void)
{
	struct sockaddr_in in = { .sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(in);
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&in, sizeof(in)), 0);
	ck_assert_int_eq(getsockname(fd, (struct sockaddr *)&in, &len), 0);
	ck_assert(netaddr_parse("127.0.0.1", ntohs(in.sin_port), &settings.plan.server));
	settings.plan.timeout_ns = 20 * NS_PER_MS;
	return fd;
}

START_TEST(silent_server_is_not_ready)
{
	int fd = mute_server();

	ck_assert(!bench_server_ready(&job, 0.05));
	ck_assert_str_eq(played_failures(job.run), "the server does not answer\n");
	(void)close(fd);
}
END_TEST

START_TEST(server_without_a_listener_is_not_ready)
{
	(void)close(mute_server());
	ck_assert(!bench_server_ready(&job, 0.05));
	ck_assert_str_eq(
	    played_failures(job.run), "nobody listens at the server's address and port\n");
}
END_TEST

/* Reads what is asked and answers the second datagram: the first one got lost. */
static void *
lose_one(void *arg)
{
	const int *fd = arg;
	struct sockaddr_storage from;
	socklen_t len = sizeof(from);
	uint8_t msg[512];
	ssize_t n = 0;

	for (int i = 0; i < 2; i++)
		n = recvfrom(*fd, msg, sizeof(msg), 0, (struct sockaddr *)&from, &len);
	ck_assert_int_gt(n, 12);
	msg[2] |= 0x80; /* QR */
	msg[3] = 3;     /* NXDOMAIN is an answer, too */
	ck_assert_int_eq(sendto(*fd, msg, (size_t)n, 0, (struct sockaddr *)&from, len), n);
	return NULL;
}

/*
 * Answers the first two questions SERVFAIL, and all others right, for 10.255.255.255: on a busy
 * machine the third one may be given up and asked again. It ends with its socket.
 */
static void *
begin_slowly(void *arg)
{
	static const uint8_t rr[] = { 0xc0, 12, 0, DNS_TYPE_AAAA, 0, DNS_CLASS_IN, 0, 0, 1, 0, 0,
		16, 0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0, 10, 255, 255, 255 };
	const int *fd = arg;
	struct sockaddr_storage from;
	socklen_t len = sizeof(from);
	uint8_t msg[512];

	for (int i = 0;; i++) {
		ssize_t n = recvfrom(*fd, msg, 256, 0, (struct sockaddr *)&from, &len);

		if (n <= 0)
			return NULL;
		ck_assert_int_gt(n, 12);
		msg[2] |= 0x80; /* QR */
		msg[3] = i < 2 ? DNS_SERVFAIL : 0;
		msg[7] = i >= 2; /* ANCOUNT */
		memcpy(msg + n, rr, sizeof(rr));
		n += i >= 2 ? (ssize_t)sizeof(rr) : 0;
		ck_assert_int_eq(sendto(*fd, msg, (size_t)n, 0, (struct sockaddr *)&from, len), n);
	}
}

/* A server that has just begun fails at first: a trial then would say that it always does. */
START_TEST(server_that_fails_at_first_is_not_ready)
{
	int fd = mute_server();
	pthread_t thread;

	settings.plan.timeout_ns = NS_PER_SEC;
	ck_assert_int_eq(pthread_create(&thread, NULL, begin_slowly, &fd), 0);
	ck_assert(bench_server_ready(&job, 60));
	ck_assert_uint_eq(job.tally->replies[BENCH_VALID], 1);
	(void)shutdown(fd, SHUT_RDWR);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	(void)close(fd);
}
END_TEST

/* With a timeout as long as what is waited for, a single question that got lost ended the run. */
START_TEST(lost_first_question_does_not_end_the_wait)
{
	int fd = mute_server();
	pthread_t thread;

	settings.plan.timeout_ns = 60 * NS_PER_SEC;
	ck_assert_int_eq(pthread_create(&thread, NULL, lose_one, &fd), 0);
	ck_assert(bench_server_ready(&job, 0.05));
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	ck_assert_str_eq(played_failures(job.run), "");
	(void)close(fd);
}
END_TEST

/* Ctrl-C while waiting for a first answer: the method goes on and ends at once. */
START_TEST(told_to_stop_it_waits_no_longer)
{
	int fd = mute_server();

	atomic_store(&stop, true);
	ck_assert(bench_server_ready(&job, 3600));
	ck_assert_str_eq(played_failures(job.run), "");
	(void)close(fd);
}
END_TEST

START_TEST(trial_that_cannot_begin_is_told)
{
	/* Nothing can be sent there from a socket without the right to broadcast. */
	ck_assert(netaddr_parse("255.255.255.255", 53, &settings.plan.server));
	ck_assert(!bench_server_ready(&job, 0.05));
	ck_assert_ptr_nonnull(strstr(played_failures(job.run), "the trial could not be started: "));
}
END_TEST

/* --- Which one is it? ------------------------------------------------------------------------- */

static uint8_t answer[600];
static size_t answer_len;
static bool keep_id;
static int its_fd;
static struct netaddr server;

/* Answer one question by what is in answer, with the ID of the question. */
static void *
serve(void *arg)
{
	struct sockaddr_in from;
	socklen_t len = sizeof(from);
	uint8_t q[512];
	ssize_t n = recvfrom(its_fd, q, sizeof(q), 0, (struct sockaddr *)&from, &len);

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
	(void)sendto(its_fd, out, (size_t)n + answer_len, 0, (struct sockaddr *)&from, len);
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

	its_fd = socket(AF_INET, SOCK_DGRAM, 0);
	ck_assert_int_eq(bind(its_fd, (struct sockaddr *)&at, len), 0);
	ck_assert_int_eq(getsockname(its_fd, (struct sockaddr *)&at, &len), 0);
	ck_assert(netaddr_from_sockaddr((struct sockaddr *)&at, &server));
	ck_assert_int_eq(pthread_create(&thread, NULL, serve, NULL), 0);
	bool told = bench_server_version(&server, answer_len > 0 && keep_id ? 20000 : 50, text);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	(void)close(its_fd);
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
	ck_assert(!bench_server_version(&server, 50, text));
	ck_assert_str_eq(text, "");
}
END_TEST

START_TEST(version_is_a_setting_of_the_run)
{
	json_t *set = json_object_get(bench_run_tree(job.run), "settings");
	pthread_t thread;

	its_fd = mute_server();
	set_answer("\004that", 5);
	ck_assert_int_eq(pthread_create(&thread, NULL, serve, NULL), 0);
	bench_server_tell(&job);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	ck_assert_str_eq(json_string_value(json_object_get(set, "server_version")), "that");
	(void)close(its_fd);
	bench_server_tell(&job); /* nobody is there */
	ck_assert_str_eq(json_string_value(json_object_get(set, "server_version")), "not told");
}
END_TEST

/* --- Did it know the names? ------------------------------------------------------------------- */

#define FIRST 5000
#define TRIAL 2000 /* questions */

/* A server that has been asked before: for which names, and how long ago. */
static struct {
	int fd;
	uint32_t known_from, known_to; /* numbers of names in 10.0.0.0/8; the second is not known */
	uint32_t age_s;
	uint32_t ttl_s, native_ttl_s; /* of new names without and with AAAA of their own */
	unsigned wait_ms;             /* before each answer */
	unsigned questions;           /* read after the thread's end only */
} cache;

/* The number of the name in the question: "010-000-000-001", behind the header and a length. */
static uint32_t
number_of(const uint8_t *msg)
{
	uint32_t number = 0;

	for (size_t i = 1; i < 4; i++)
		number = number << 8 |
		    (uint32_t)((msg[13 + 4 * i] - '0') * 100 + (msg[14 + 4 * i] - '0') * 10 +
			msg[15 + 4 * i] - '0');
	return number;
}

/* Answers AAAA with the TTL that a cache would give. It ends with its socket. */
static void *
answer_from_cache(void *arg)
{
	const struct fake_zone *zone = &settings.plan.load.zone;
	struct sockaddr_storage from;
	socklen_t len = sizeof(from);
	uint8_t msg[512];

	for (;;) {
		uint8_t rr[28] = { 0xc0, 12, 0, DNS_TYPE_AAAA, 0, DNS_CLASS_IN, [11] = 16 };
		ssize_t n = recvfrom(cache.fd, msg, 256, 0, (struct sockaddr *)&from, &len);

		if (n <= 0)
			return arg;
		uint32_t number = number_of(msg);
		bool known = number >= cache.known_from && number < cache.known_to;
		uint32_t ttl =
		    fake_zone_has_aaaa(zone, msg + 13, msg[12]) ? cache.native_ttl_s : cache.ttl_s;
		ttl -= known ? cache.age_s : 0;
		rr[8] = (uint8_t)(ttl >> 8);
		rr[9] = (uint8_t)ttl;
		msg[2] |= 0x80; /* QR */
		msg[7] = 1;     /* ANCOUNT */
		memcpy(msg + n, rr, sizeof(rr));
		cache.questions++;
		(void)poll(NULL, 0, (int)cache.wait_ms);
		(void)sendto(
		    cache.fd, msg, (size_t)n + sizeof(rr), 0, (struct sockaddr *)&from, len);
	}
}

static const struct {
	uint32_t from, to, age_s, ttl_s;
	unsigned aaaa_percent;
	unsigned known; /* of 16 of a trial */
	bool warned;    /* of a run that begins 100 names before it */
} caches[] = {
	/* An empty one; as a trial before left it; with two TTLs, which are no sign of anything. */
	{ 0, 0, 0, 3600, 0, 0, false },
	{ FIRST, FIRST + TRIAL, 5, 3600, 0, 16, true },
	{ FIRST, FIRST + TRIAL, 5, 3600, 50, 16, true },
	{ 0, 0, 0, 3600, 50, 0, false },
	/* What a short trial left, what another run did, and what is about other names. */
	{ FIRST, FIRST + 1, 5, 3600, 0, 1, false },
	{ FIRST + TRIAL / 2, FIRST + TRIAL, 2, 600, 0, 8, true },
	{ 0, FIRST, 100, 3600, 0, 0, true },
	/* A second may be lost on the way, but not by all; without a TTL it is not used again. */
	{ FIRST, FIRST + TRIAL / 2, 1, 600, 0, 0, false },
	{ FIRST, FIRST + TRIAL, 1, 600, 0, 16, false },
	{ FIRST, FIRST + TRIAL, 0, 0, 0, 0, false },
};

/* Only what the server knew before it was asked counts, and no more than a hundredth is asked. */
START_TEST(names_that_were_known_are_found)
{
	struct bench_load *l = &settings.plan.load;
	pthread_t thread;
	unsigned asked;

	cache.fd = mute_server();
	cache.known_from = caches[_i].from;
	cache.known_to = caches[_i].to;
	cache.age_s = caches[_i].age_s;
	cache.ttl_s = caches[_i].ttl_s;
	cache.native_ttl_s = caches[_i].ttl_s * 2;
	cache.questions = cache.wait_ms = 0;
	l->zone.aaaa_percent = caches[_i].aaaa_percent;
	l->first = FIRST - 100;
	ck_assert_int_eq(pthread_create(&thread, NULL, answer_from_cache, NULL), 0);
	ck_assert_uint_eq(bench_server_known(&job, 100, TRIAL, &asked), caches[_i].known);
	ck_assert_uint_eq(asked, 16);
	bench_server_try_names(&job, TRIAL + 100); /* from the first question on */
	ck_assert((played_found(job.run, "warning") != NULL) == caches[_i].warned);
	ck_assert_uint_le(bench_server_known(&job, 100, 150, &asked), 2);
	ck_assert_uint_eq(asked, 2);
	(void)shutdown(cache.fd, SHUT_RDWR);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	ck_assert_uint_le(cache.questions, 16 + 16 + 2 + 3 * 2 * 4);
	(void)close(cache.fd);
}
END_TEST

/* A slow server is not asked for long: no question leaves after 3 s. */
START_TEST(slow_server_is_asked_for_some_seconds)
{
	pthread_t thread;
	unsigned asked;

	cache.fd = mute_server();
	cache.questions = 0;
	cache.wait_ms = 500;
	ck_assert_int_eq(pthread_create(&thread, NULL, answer_from_cache, NULL), 0);
	ck_assert_uint_eq(bench_server_known(&job, 0, TRIAL, &asked), 0);
	(void)shutdown(cache.fd, SHUT_RDWR);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	ck_assert_uint_le(cache.questions, 6);
	ck_assert_uint_le(asked, 2); /* behind four for comparison */
	(void)close(cache.fd);
}
END_TEST

/* Nobody answers, or nothing is asked for that could be known: nothing can be said. */
START_TEST(without_an_answer_nothing_was_known)
{
	unsigned asked = 1;
	int fd = mute_server();

	ck_assert_uint_eq(bench_server_known(&job, 0, TRIAL, &asked), 0);
	ck_assert_uint_eq(asked, 0);
	memset(settings.plan.load.mix, BENCH_HIT, sizeof(settings.plan.load.mix));
	ck_assert_uint_eq(bench_server_known(&job, 0, TRIAL, &asked), 0);
	(void)close(fd);
	ck_assert_uint_eq(asked, 0);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, silent_server_is_not_ready);
	tcase_add_test(tc, lost_first_question_does_not_end_the_wait);
	tcase_add_test(tc, server_that_fails_at_first_is_not_ready);
	tcase_add_test(tc, server_without_a_listener_is_not_ready);
	tcase_add_test(tc, told_to_stop_it_waits_no_longer);
	tcase_add_test(tc, trial_that_cannot_begin_is_told);
	tcase_add_test(tc, version_is_told);
	tcase_add_test(tc, longest_version_fits);
	tcase_add_test(tc, what_is_no_version_is_not_told);
	tcase_add_test(tc, version_is_a_setting_of_the_run);

	tcase_add_test(tc, without_an_answer_nothing_was_known);
	tcase_add_test(tc, slow_server_is_asked_for_some_seconds);
	tcase_add_loop_test(
	    tc, names_that_were_known_are_found, 0, (int)(sizeof(caches) / sizeof(caches[0])));
}
