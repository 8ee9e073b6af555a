/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Recordings: what is read of each format, what is told of those that are malformed, and when their
 * questions are due. The files are the corpus of tests/fuzz/fuzz_replay.
 */

#include "bench/load/replay.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "dns/name.h"
#include "support/guard.h"
#include "support/scratch.h"
#include "support/tests.h"

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))
#define MS NS_PER_MS

static char error[BENCH_REPLAY_ERROR];

static char *
path_of(const char *file)
{
	static char path[512];

	(void)snprintf(path, sizeof(path), "%s/fuzz/corpus/replay/%s", getenv("TEST_SRCDIR"), file);
	return path;
}

/* The lines TEXT as a recording. */
static struct bench_replay *
read_lines(const char *text)
{
	struct bench_replay *r = NULL;

	ck_assert_msg(
	    bench_replay_read((const uint8_t *)text, strlen(text), &r, error), "%s", error);
	return r;
}

static void
expect_question(const struct bench_replay *r, uint64_t n, const char *text, uint16_t type)
{
	uint8_t got[DNS_NAME_MAX], want[DNS_NAME_MAX];
	size_t len = bench_replay_name(r, n, got);

	ck_assert_uint_eq(len, name_from_text(text, want));
	ck_assert_mem_eq(got, want, len);
	ck_assert_uint_eq(bench_replay_at(r, n)->type, type);
}

/* --- Formats ---------------------------------------------------------------------------------- */

/* All have the same three questions, half a second and a second apart. */
static const struct {
	const char *file;
	const char *format;
	uint64_t left_out;
} same[] = {
	{ "pcap-ethernet", "pcap", 0 },
	{ "pcap-vlan-ip6", "pcap", 0 },
	{ "pcap-big-ns", "pcap", 0 },
	{ "pcap-cooked", "pcap", 0 },
	{ "pcap-cooked2", "pcap", 0 },
	{ "pcap-loopback", "pcap", 0 },
	{ "pcap-extensions", "pcap", 0 },
	/* an answer, a fragment, TCP, mDNS, no IP, one cut off, no DNS, class CH */
	{ "pcap-others", "pcap", 8 },
	{ "pcap-unsorted", "pcap", 0 },
	{ "log-text", "text", 2 }, /* without a question, class CH */
	{ "log-json", "text", 1 },
};

START_TEST(formats_are_read)
{
	struct bench_replay *r;

	ck_assert_msg(bench_replay_open(path_of(same[_i].file), &r, error), "%s", error);
	ck_assert_str_eq(r->format, same[_i].format);
	ck_assert_uint_eq(r->n, 3);
	ck_assert_uint_eq(r->n_left_out, same[_i].left_out);
	ck_assert(r->timed);
	expect_question(r, 0, "a.test", DNS_TYPE_AAAA);
	expect_question(r, 1, "b.example.org", DNS_TYPE_A);
	expect_question(r, 2, "c.test", DNS_TYPE_HTTPS);
	expect_question(r, 4, "b.example.org", DNS_TYPE_A);
	ck_assert_uint_eq(bench_replay_time(r, 0), 0);
	ck_assert_uint_eq(bench_replay_time(r, 1), 500 * MS);
	ck_assert_uint_eq(bench_replay_time(r, 2), 1500 * MS);
	bench_replay_free(r);
}
END_TEST

/* Who asked: clients have numbers in the order in which they come; their ports do not count. */
START_TEST(clients_are_told_apart)
{
	static const struct {
		const char *file;
		uint32_t n, clients[3];
	} cases[] = {
		{ "pcap-ethernet", 1, { 0, 0, 0 } },
		{ "pcap-vlan-ip6", 1, { 0, 0, 0 } },
		{ "log-text", 2, { 0, 0, 1 } },
		{ "log-json", 1, { 0, 0, 0 } },
		{ "dnsperf", 0, { 0, 0, 0 } },
	};
	struct bench_replay *r;

	for (size_t i = 0; i < N_OF(cases); i++) {
		ck_assert_msg(bench_replay_open(path_of(cases[i].file), &r, error), "%s", error);
		ck_assert_uint_eq(r->n_clients, cases[i].n);
		for (uint32_t q = 0; q < 6; q++)
			ck_assert_uint_eq(bench_replay_at(r, q)->client, cases[i].clients[q % 3]);
		bench_replay_free(r);
	}
}
END_TEST

/* Many of them, each asking twice. */
START_TEST(many_clients_are_told_apart)
{
	enum { MANY = 5000 };
	char *text = malloc(2 * MANY * 120), *at = text;
	struct bench_replay *r;

	ck_assert_ptr_nonnull(text);
	for (unsigned i = 0; i < 2 * MANY; i++) {
		unsigned k = i % MANY;

		at += sprintf(at,
		    "2023-11-14T22:13:20.%06uZ 10.0.%u.%u#%u udp a.test. IN A NOERROR relay - - - "
		    "0\n",
		    i, k / 256, k % 256, 1024 + i);
	}
	r = read_lines(text);
	ck_assert_uint_eq(r->n_clients, MANY);
	for (unsigned i = 0; i < 2 * MANY; i++)
		ck_assert_uint_eq(bench_replay_at(r, i)->client, i % MANY);
	bench_replay_free(r);
	free(text);
}
END_TEST

START_TEST(lines_without_times_are_read)
{
	struct bench_replay *r;

	ck_assert_msg(bench_replay_open(path_of("dnsperf"), &r, error), "%s", error);
	ck_assert(!r->timed);
	ck_assert_uint_eq(r->n, 3);
	ck_assert_uint_eq(r->n_left_out, 0);
	expect_question(r, 0, "a.test", DNS_TYPE_AAAA);
	expect_question(r, 1, "b.example.org", DNS_TYPE_A);
	expect_question(r, 2, "c.test", DNS_TYPE_HTTPS);
	bench_replay_free(r);
	ck_assert_msg(bench_replay_open(path_of("text-escapes"), &r, error), "%s", error);
	expect_question(r, 0, "a\\.b\\032c.test", DNS_TYPE_AAAA);
	expect_question(r, 1, ".", DNS_TYPE_NS);
	bench_replay_free(r);
}
END_TEST

/* --- What is wrong ---------------------------------------------------------------------------- */

static const struct {
	const char *file;
	const char *error; /* the beginning */
} wrong[] = {
	{ "pcap-cut", "offset 206: the packet is cut off" },
	{ "pcap-link", "offset 20: links of type 105 are not known" },
	{ "pcapng", "is pcapng: \"editcap -F pcap\" makes pcap of it" },
	{ "text-no-type", "line 2: \"BBBB\" is no type" },
	{ "text-no-name", "line 1: \"a..test\" is no domain name" },
	{ "text-one-word", "line 2: neither" },
	{ "text-torn", "line 1: no whole line of a query log" },
	{ "text-mixed", "line 2: has a time, and those before do not" },
	{ "text-time", "line 1: no time like" },
	{ "json-broken", "line 1: no JSON object" },
	{ "gzip", "is compressed by gzip: unpack it" },
	{ "comments", "has no question of class IN, but 0 other lines" },
};

START_TEST(errors_say_where)
{
	struct bench_replay *r;

	ck_assert(!bench_replay_open(path_of(wrong[_i].file), &r, error));
	ck_assert_msg(strncmp(error, wrong[_i].error, strlen(wrong[_i].error)) == 0, "%s: %s",
	    wrong[_i].file, error);
}
END_TEST

/* Zeros are in no text, even if what is before them would do. */
START_TEST(zeros_are_no_text)
{
	static const char *const lines[] = { "a.test A\0", "\0", "a.test A\nb.test A\0b\n" };
	static const size_t len[] = { 9, 1, 20 };
	struct bench_replay *r;

	for (size_t i = 0; i < N_OF(lines); i++) {
		ck_assert(!bench_replay_read((const uint8_t *)lines[i], len[i], &r, error));
		ck_assert_ptr_nonnull(strstr(error, "neither \"NAME TYPE\" nor a line"));
	}
}
END_TEST

START_TEST(files_that_are_none)
{
	char path[SCRATCH_PATH];
	struct bench_replay *r;
	int fd = scratch_file(path);

	ck_assert(!bench_replay_open(path, &r, error));
	ck_assert_str_eq(error, "is empty");
	(void)close(fd);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert(!bench_replay_open(path, &r, error));
	ck_assert_str_eq(error, strerror(ENOENT));
	ck_assert(!bench_replay_open("/dev/null", &r, error));
	ck_assert_str_eq(error, "is no file with bytes");
	ck_assert(!bench_replay_open("/", &r, error));
}
END_TEST

/* However a file is cut off, nothing behind its end is read, and it is good or it is told why. */
START_TEST(any_beginning_of_a_file_is_safe)
{
	static uint8_t bytes[65536];
	FILE *f = fopen(path_of(same[_i].file), "rb");
	struct guard g;

	ck_assert_ptr_nonnull(f);
	size_t len = fread(bytes, 1, sizeof(bytes), f);
	(void)fclose(f);
	guard_init(&g, sizeof(bytes));
	for (size_t n = 0; n <= len; n++) {
		struct bench_replay *r;

		error[0] = '\0';
		if (bench_replay_read(guard_put(&g, bytes, n), n, &r, error))
			bench_replay_free(r);
		else if (error[0] == '\0')
			ck_abort_msg("%s: %zu bytes", same[_i].file, n);
	}
	guard_fini(&g);
}
END_TEST

/* One question more than there may be. */
START_TEST(recordings_are_bounded)
{
	size_t len = 4 * (size_t)(BENCH_REPLAY_MAX + 1);
	char *text = malloc(len + 1);
	struct bench_replay *r;

	ck_assert_ptr_nonnull(text);
	for (size_t i = 0; i < len; i += 4)
		memcpy(text + i, ". A\n", 4);
	ck_assert(!bench_replay_read((uint8_t *)text, len, &r, error));
	ck_assert_str_eq(error,
	    "line 16777217: more than 16777216 questions, or 1073741824 bytes of names: take a "
	    "part of it");
	ck_assert_msg(bench_replay_read((uint8_t *)text, len - 4, &r, error), "%s", error);
	ck_assert_uint_eq(r->n, BENCH_REPLAY_MAX);
	bench_replay_free(r);
	free(text);
}
END_TEST

START_TEST(times_are_within_a_year)
{
	static const char line[] =
	    "{\"time\":\"%s-11-14T22:13:20.5Z\",\"name\":\"a.test\",\"type\":\"A\"}\n";
	char text[300];
	struct bench_replay *r = NULL;
	int n = snprintf(text, sizeof(text), line, "2023");

	(void)snprintf(text + n, sizeof(text) - (size_t)n, line, "2025");
	ck_assert(!bench_replay_read((uint8_t *)text, strlen(text), &r, error));
	ck_assert_str_eq(error, "its times are more than a year apart");
	ck_assert_ptr_null(r); /* nobody is given what has been freed */
}
END_TEST

/* --- Times ------------------------------------------------------------------------------------ */

#define AT(time) "{\"time\":\"2023-11-14T22:13:" time "Z\",\"name\":\"a.test\",\"type\":\"A\"}\n"

/* 0, 10, 10, 10, 30 ms; then 37.5 ms and one nanosecond behind the first it begins again. */
static const char five[] = AT("20.100") AT("20.110") AT("20.110") AT("20.110") AT("20.130");

START_TEST(times_are_those_recorded)
{
	static const uint64_t want_ms[] = { 0, 10, 10, 10, 30 };
	struct bench_replay *r = read_lines(five);
	uint64_t span_ns = 37500001;

	ck_assert_uint_eq(r->n, 5);
	ck_assert_uint_eq(r->span_ns, span_ns);
	for (uint64_t n = 0; n < 17; n++)
		ck_assert_uint_eq(bench_replay_time(r, n), n / 5 * span_ns + want_ms[n % 5] * MS);
	for (uint64_t turn = 0; turn < 3; turn++) {
		uint64_t at_ns = turn * span_ns, n = 5 * turn;

		ck_assert_uint_eq(bench_replay_due(r, at_ns), n + 1);
		ck_assert_uint_eq(bench_replay_due(r, at_ns + 10 * MS - 1), n + 1);
		ck_assert_uint_eq(bench_replay_due(r, at_ns + 10 * MS), n + 4);
		ck_assert_uint_eq(bench_replay_due(r, at_ns + 30 * MS - 1), n + 4);
		ck_assert_uint_eq(bench_replay_due(r, at_ns + 30 * MS), n + 5);
		ck_assert_uint_eq(bench_replay_due(r, at_ns + span_ns - 1), n + 5);
	}
	ck_assert_uint_eq(bench_replay_rate(r, 1000), 134); /* 133.3 */
	ck_assert_uint_eq(bench_replay_rate(r, 100), 100);
	bench_replay_free(r);
}
END_TEST

START_TEST(busiest_time_is_found)
{
	struct bench_replay *r = read_lines(five);

	ck_assert_uint_eq(bench_replay_peak(r, 0), 3);
	ck_assert_uint_eq(bench_replay_peak(r, 10 * MS), 4);
	ck_assert_uint_eq(bench_replay_peak(r, 15 * MS), 4);
	ck_assert_uint_eq(bench_replay_peak(r, 30 * MS), 5);
	/* 30, and 0, 10, 10, 10 of the next time */
	ck_assert_uint_eq(bench_replay_peak(r, 18 * MS), 5);
	ck_assert_uint_eq(bench_replay_peak(r, 10 * r->span_ns), 50 + 3);
	bench_replay_free(r);
}
END_TEST

START_TEST(speed_divides_times)
{
	struct bench_replay *r = read_lines(five);

	bench_replay_hasten(r, 10);
	ck_assert_uint_eq(bench_replay_time(r, 1), MS);
	ck_assert_uint_eq(bench_replay_time(r, 4), 3 * MS);
	ck_assert_uint_eq(r->span_ns, 3750001);
	bench_replay_hasten(r, 0.05);
	ck_assert_uint_eq(bench_replay_time(r, 4), 60 * MS);
	bench_replay_free(r);
	/* All at once, which is a second then. */
	r = read_lines(AT("20.100") AT("20.100"));
	ck_assert_uint_eq(r->span_ns, NS_PER_SEC);
	ck_assert_uint_eq(bench_replay_due(r, 0), 2);
	ck_assert_uint_eq(bench_replay_rate(r, 1000), 2);
	bench_replay_free(r);
	bench_replay_free(NULL);
}
END_TEST

/* What took an hour to answer was asked an hour before. */
START_TEST(answers_are_logged_later_than_asked)
{
	struct bench_replay *r = read_lines(
	    "{\"time\":\"2023-11-14T22:00:00.0Z\",\"name\":\"b.test\",\"type\":\"A\",\"us\":0}\n"
	    "{\"time\":\"2023-11-14T22:00:01.0Z\",\"name\":\"a.test\",\"type\":\"A\","
	    "\"us\":3000000}\n");

	expect_question(r, 0, "a.test", DNS_TYPE_A);
	ck_assert_uint_eq(bench_replay_time(r, 1), 2 * NS_PER_SEC);
	bench_replay_free(r);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, formats_are_read, 0, N_OF(same));
	tcase_add_test(tc, clients_are_told_apart);
	tcase_add_test(tc, many_clients_are_told_apart);
	tcase_add_test(tc, lines_without_times_are_read);
	tcase_add_loop_test(tc, errors_say_where, 0, N_OF(wrong));
	tcase_add_test(tc, zeros_are_no_text);
	tcase_add_test(tc, files_that_are_none);
	tcase_add_loop_test(tc, any_beginning_of_a_file_is_safe, 0, N_OF(same));
	tcase_add_test(tc, recordings_are_bounded);
	tcase_add_test(tc, times_are_within_a_year);
	tcase_add_test(tc, times_are_those_recorded);
	tcase_add_test(tc, busiest_time_is_found);
	tcase_add_test(tc, speed_divides_times);
	tcase_add_test(tc, answers_are_logged_later_than_asked);
}
