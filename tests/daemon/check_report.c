/* SPDX-License-Identifier: BSD-2-Clause */
/* What the daemon says of itself: the ceiling of memory, the cache, the line for the service
 * manager. */

#include "daemon/report.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "config/textfile.h"
#include "support/scratch.h"

static struct settings settings;

START_TEST(memory_follows_the_limits)
{
	uint64_t base;

	settings.conf.core.max_queries = 256;
	settings.conf.io.max_tcp_clients = 1;
	base = report_memory(&settings);
	/* Some MiB whatever the settings, and no more than some. */
	ck_assert_uint_gt(base, 1 << 20);
	ck_assert_uint_lt(base, 64 << 20);
	/* Queries that each hold a lookup, a partial reply and long names: one to two KiB. */
	settings.conf.core.max_queries = 256 + 1000;
	ck_assert_uint_gt(report_memory(&settings) - base, 1000 * 1024);
	ck_assert_uint_lt(report_memory(&settings) - base, 1000 * 2048);
	/* Connections in the middle of a frame of 64 KiB. */
	settings.conf.core.max_queries = 256;
	settings.conf.io.max_tcp_clients = 11;
	ck_assert_uint_gt(report_memory(&settings) - base, 10 * 65536);
	/* No overflow with all at their ends. */
	settings.conf.core.max_queries = 1048576;
	settings.conf.io.max_tcp_clients = 65536;
	ck_assert_uint_gt(report_memory(&settings), (uint64_t)4 << 30);
}
END_TEST

/* What REPORT writes to the log, at standard error. */
static char *
told(void (*report)(void))
{
	char path[SCRATCH_PATH], *text;
	size_t len;
	int fd = scratch_file(path), before = dup(STDERR_FILENO);

	ck_assert_int_ge(before, 0);
	ck_assert_int_ge(dup2(fd, STDERR_FILENO), 0);
	log_open(LOG_SINK_STDERR, "check");
	report();
	ck_assert_int_ge(dup2(before, STDERR_FILENO), 0);
	ck_assert_int_eq(textfile_read(path, &text, &len), 0);
	close(before);
	close(fd);
	unlink(path);
	return text;
}

static void
start(void)
{
	struct cpus_plan plan = { .n_loops = 1 };

	report_start(&settings, &plan);
}

/* The ceiling of memory has the cache in it, once for all loops. */
START_TEST(start_tells_the_cache)
{
	char expected[64], *text;

	settings.conf.core.policies = policies_new(1);
	ck_assert_ptr_nonnull(settings.conf.core.policies);
	text = told(start);
	ck_assert_ptr_nonnull(strstr(text, "notice start: no cache, as cache-size is 0\n"));
	snprintf(expected, sizeof(expected), "at most %u MiB of memory",
	    (unsigned)(report_memory(&settings) >> 20));
	ck_assert_ptr_nonnull(strstr(text, expected));
	ck_assert_ptr_nonnull(strstr(text, " per loop\n"));
	free(text);
	settings.cache_size = 100 << 20;
	settings.conf.core.cache = cache_new(settings.cache_size, 0, 1);
	ck_assert_ptr_nonnull(settings.conf.core.cache);
	text = told(start);
	ck_assert_ptr_nonnull(
	    strstr(text, "notice start: cache 100 MiB in 64 parts for all loops\n"));
	snprintf(expected, sizeof(expected), "at most %u MiB of memory",
	    (unsigned)(report_memory(&settings) >> 20) + 100);
	ck_assert_ptr_nonnull(strstr(text, expected));
	ck_assert_ptr_nonnull(strstr(text, " per loop, and cache-size\n"));
	free(text);
	cache_free(settings.conf.core.cache);
	settings.conf.core.cache = NULL;
	settings.cache_size = 0;
	settings_fini(&settings);
}
END_TEST

static void
statistics(void)
{
	struct threads none = { .n = 0 };

	report_stats(&none, settings.conf.core.cache);
}

/* The system tests wait for "in flight", the last line. */
START_TEST(statistics_of_the_cache)
{
	static const uint8_t name[] = { 1, 'a', 0 };
	static const uint8_t msg[19] = { [5] = 1, [12] = 1, 'a', 0, 0, 1, 0, 1 };
	struct question key = { .qname = name, .qname_len = sizeof(name), .qtype = 1, .qclass = 1 };
	struct cache_entry e = { .ttl_s = 60, .kind = CACHE_POSITIVE };
	char *text = told(statistics);

	ck_assert_str_eq(text, "notice stats: in flight 0 (questions being worked on)\n");
	free(text);
	struct cache *c = cache_new(1 << 20, 0, 1);
	ck_assert_ptr_nonnull(c);
	settings.conf.core.cache = c;
	cache_put(c, &key, &e, msg, sizeof(msg), 1);
	text = told(statistics);
	ck_assert_str_eq(text,
	    "notice stats: cache_entries 1 (entries in the cache)\n"
	    "notice stats: cache_bytes 19 (bytes of their messages)\n"
	    "notice stats: cache_size 1048576 (bytes that the cache has)\n"
	    "notice stats: cache_put 1 (entries made)\n"
	    "notice stats: in flight 0 (questions being worked on)\n");
	free(text);
	cache_free(c);
	settings.conf.core.cache = NULL;
}
END_TEST

START_TEST(longest_status_fits)
{
	char text[REPORT_STATUS];

	settings.conf.io.n_listens = 64;
	settings.conf.core.n_upstreams = 32;
	ck_assert_str_eq(
	    report_status(&settings, 64, text), "Serving: addresses 64, loops 64, upstreams 32");
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("report");
	TCase *tc = tcase_create("report");
	SRunner *sr = srunner_create(s);

	suite_add_tcase(s, tc);
	tcase_add_test(tc, memory_follows_the_limits);
	tcase_add_test(tc, start_tells_the_cache);
	tcase_add_test(tc, statistics_of_the_cache);
	tcase_add_test(tc, longest_status_fits);
	srunner_run_all(sr, CK_ENV);
	int failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
