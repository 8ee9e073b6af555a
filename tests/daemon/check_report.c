/* SPDX-License-Identifier: BSD-2-Clause */
/* What the daemon says of itself: the ceiling of memory, the cache, the line for the service
 * manager. */

#include "daemon/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "config/textfile.h"
#include "io/routes.h"
#include "support/said.h"
#include "support/scratch.h"
#include "support/tests.h"

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
	/* Queries that each hold a lookup, a partial reply and long names: some two KiB. */
	settings.conf.core.max_queries = 256 + 1000;
	ck_assert_uint_gt(report_memory(&settings) - base, 1000 * 1024);
	ck_assert_uint_lt(report_memory(&settings) - base, 1000 * 2400);
	/* Connections in the middle of a frame of 64 KiB. */
	settings.conf.core.max_queries = 256;
	settings.conf.io.max_tcp_clients = 11;
	ck_assert_uint_gt(report_memory(&settings) - base, 10 * 65536);
	/* Behind proxies a question has a route. */
	settings.conf.io.max_tcp_clients = 1;
	settings.conf.io.n_proxies = 1;
	ck_assert_uint_eq(report_memory(&settings) - base, 256 * ROUTES_EACH);
	settings.conf.io.n_proxies = 0;
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
	log_open(LOG_SINK_STDERR);
	report();
	ck_assert_int_ge(dup2(before, STDERR_FILENO), 0);
	ck_assert_int_eq(textfile_read(path, &text, &len), 0);
	close(before);
	close(fd);
	unlink(path);
	return text;
}

static struct listens_waits waits;

static void
start(void)
{
	struct cpus_plan plan = { .n_loops = 1 };

	report_start(&settings, &waits, &plan);
}

/* The ceiling of memory has the cache in it, once for all loops. */
START_TEST(start_tells_the_cache)
{
	char expected[64], *text;

	settings.conf.core.policies = policies_new(1);
	ck_assert_ptr_nonnull(settings.conf.core.policies);
	text = told(start);
	ck_assert_ptr_nonnull(strstr(text, "notice server: no cache, as cache-size is 0\n"));
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
	    strstr(text, "notice server: cache 100 MiB in 64 parts for all loops\n"));
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
	cache_restore_begin(c);
	text = told(statistics);
	ck_assert_str_eq(text,
	    "notice stats: cache_entries 1 (entries in the cache)\n"
	    "notice stats: cache_bytes 19 (messages of the entries in the cache)\n"
	    "notice stats: cache_size_bytes 1048576 (what the cache has room for)\n"
	    "notice stats: cache_loading 1 (1 while cache-file is loaded, beside answering)\n"
	    "notice stats: cache_put 1 (entries made)\n"
	    "notice stats: in flight 0 (questions being worked on)\n");
	free(text);
	cache_free(c);
	settings.conf.core.cache = NULL;
}
END_TEST

static struct upstream_status views[3];

static void
upstreams(void)
{
	report_upstreams(views, 3, 100 * NS_PER_SEC);
}

/* A line for each upstream: state, times, tally, share. */
START_TEST(upstreams_are_told)
{
	struct upstream_status *v = views;
	char *text;

	for (unsigned i = 0; i < 3; i++) {
		v[i] = (struct upstream_status){ .n_loops = 4, .n_so = 4 };
		ck_assert(netaddr_parse("192.0.2.1", (uint16_t)(53 + i), &v[i].addr));
	}
	v[0].tally = (struct upstream_tally){
		.sends = 750, .replies = 740, .late = 3, .lost = { 7, 2, 1 }, .hedges = 12
	};
	v[0].heard_ns = 99900 * NS_PER_MS;
	v[0].since_ns = 58 * NS_PER_SEC;
	v[0].rtt[UPSTREAM_PRIMARY] =
	    (struct upstream_status_rtt){ 1250000, 310400, 700, TRANSPORT_UDP };
	v[0].rtt[UPSTREAM_FALLBACK] =
	    (struct upstream_status_rtt){ 40 * NS_PER_MS, 0, 40, TRANSPORT_TCP };
	v[1].state = UPSTREAM_STATUS_DOWN;
	v[1].n_so = 3;
	v[1].tally = (struct upstream_tally){ .sends = 250, .lost = { 250 } };
	v[1].since_ns = 87700 * NS_PER_MS;
	text = told(upstreams);
	ck_assert_str_eq(text,
	    "notice stats: upstream 192.0.2.1#53: good for 42.0 s, UDP 1.250 ms (deviation 0.310), "
	    "TCP 40.000 ms (deviation 0.000), sends 750, replies 740, overdue 3, lost 10, hedges "
	    "12, "
	    "share 75.0 %, last reply 0.1 s ago\n"
	    "notice stats: upstream 192.0.2.1#54: down for 12.3 s on 3 of 4 loops, UDP not "
	    "measured yet, sends 250, replies 0, overdue 0, lost 250, hedges 0, share 25.0 %, "
	    "no reply yet\n"
	    "notice stats: upstream 192.0.2.1#55: good, UDP not measured yet, sends 0, replies 0, "
	    "overdue 0, lost 0, hedges 0, share 0.0 %, no reply yet\n");
	free(text);
	/* A loop that goes on meanwhile may be ahead of the clock that was read before. */
	v[0].state = UPSTREAM_STATUS_IN_DOUBT;
	v[0].since_ns = v[0].heard_ns = 101 * NS_PER_SEC;
	v[1].state = UPSTREAM_STATUS_STARVED;
	v[1].since_ns = 0;
	text = told(upstreams);
	ck_assert_ptr_nonnull(strstr(text, "#53: in doubt for 0.0 s, UDP 1.250"));
	ck_assert_ptr_nonnull(strstr(text, "share 75.0 %, last reply 0.0 s ago\n"));
	ck_assert_ptr_nonnull(strstr(text, "#54: without a socket on 3 of 4 loops, UDP not"));
	free(text);
}
END_TEST

/* The longest line is told whole. */
START_TEST(longest_upstream_fits)
{
	const char *all = "hedges 18446744073709551615, share 100.0 %, last reply";
	char *text;

	memset(views, 0, sizeof(views));
	views[0] =
	    (struct upstream_status){ .state = UPSTREAM_STATUS_STARVED, .n_loops = 64, .n_so = 63 };
	views[0].since_ns = views[0].heard_ns = 1;
	views[0].rtt[0] = (struct upstream_status_rtt){ UINT64_MAX, UINT64_MAX, 1, TRANSPORT_UDP };
	views[0].rtt[1] = views[0].rtt[0];
	views[0].tally = (struct upstream_tally){ .sends = UINT64_MAX,
		.replies = UINT64_MAX,
		.late = UINT64_MAX,
		.lost = { UINT64_MAX },
		.hedges = UINT64_MAX };
	text = told(upstreams);
	ck_assert_ptr_nonnull(strstr(text, all));
	ck_assert_ptr_nonnull(strstr(text, " s ago\n"));
	free(text);
}
END_TEST

static struct thread still;

static void
statistics_of_a_loop(void)
{
	struct threads one = { .thread = &still, .n = 1 };

	report_stats(&one, NULL);
}

/* A loop that does not answer, as it hangs, is said to be missing, and keeps nobody waiting. */
START_TEST(loop_that_hangs_is_told)
{
	static struct said said;
	struct snapshot *s;
	char *text;

	ck_assert_ptr_nonnull(
	    said_make(&said, "nameserver 192.0.2.1\nmax-queries 256\n", &settings));
	s = snapshot_new(&settings.conf);
	ck_assert_ptr_nonnull(s);
	still.loop = loop_new(s, NULL, 0); /* and nobody runs it */
	ck_assert_ptr_nonnull(still.loop);
	text = told(statistics_of_a_loop);
	ck_assert_str_eq(text,
	    "warning stats: 1 of 1 loops did not say in 1000 ms what they know of upstreams\n"
	    "notice stats: in flight 0 (questions being worked on)\n");
	free(text);
	loop_free(still.loop);
	snapshot_unref(s);
	settings_fini(&settings);
}
END_TEST

START_TEST(longest_status_fits)
{
	struct verdict v = { .state = VERDICT_READY, .n_upstreams = 32, .n_answering = 32 };
	char text[REPORT_STATUS];

	for (unsigned i = 0; i < 64; i++)
		settings.conf.io.listens[i] =
		    (struct netaddr){ .addr = { 127 }, .family = NETADDR_IPV4, .port = 1 };
	settings.conf.io.n_listens = 64;
	settings.conf.core.n_upstreams = 32;
	ck_assert_str_eq(report_status(&settings, &waits, 64, &v, text),
	    "ready (addresses 64, loops 64, upstreams 32)");
	waits.n = 80;
	strcpy(waits.w[79].what, "127.0.0.1#53"); /* another port */
	v.state = VERDICT_UNREADY;
	v.n_answering = 0;
	strcpy(v.reason, "lameduck");
	ck_assert_str_eq(report_status(&settings, &waits, 64, &v, text),
	    "not ready: lameduck (addresses 64 (80 waited for), loops 64, upstreams 0 of 32)");
	strcpy(waits.w[79].what, "127.0.0.0#1");
	memset(v.reason, 'r', sizeof(v.reason) - 1);
	(void)report_status(&settings, &waits, 64, &v, text);
	ck_assert_ptr_nonnull(
	    strstr(text, "rr (addresses 0 (80 waited for), loops 64, upstreams 0 of 32)"));
	waits.n = 0;
}
END_TEST

/* D31: with one of three drained, the line had "1 of 3" beside "1 of 2 ... do not answer". */
START_TEST(status_counts_upstreams_as_the_verdict_does)
{
	struct verdict v = { .state = VERDICT_DEGRADED,
		.reason = "1 of 2 upstreams do not answer",
		.n_upstreams = 2,
		.n_answering = 1,
		.n_by_operator = 1 };
	char text[REPORT_STATUS];

	settings.conf.io.n_listens = 1;
	settings.conf.core.n_upstreams = 3;
	ck_assert_str_eq(report_status(&settings, &waits, 1, &v, text),
	    "degraded: 1 of 2 upstreams do not answer (addresses 1, loops 1, upstreams 1 of 2, 1 "
	    "drained or down by operator)");
	v = (struct verdict){ .n_upstreams = 2, .n_answering = 2, .n_by_operator = 1 };
	ck_assert_str_eq(report_status(&settings, &waits, 1, &v, text),
	    "ready (addresses 1, loops 1, upstreams 2, 1 drained or down by operator)");
	v = (struct verdict){ .n_by_operator = 3 };
	ck_assert_ptr_nonnull(strstr(report_status(&settings, &waits, 1, &v, text),
	    "upstreams 0, 3 drained or down by operator)"));
	/* No loop has reported yet. */
	v = (struct verdict){ .state = VERDICT_READY };
	ck_assert_ptr_nonnull(
	    strstr(report_status(&settings, &waits, 1, &v, text), "loops 1, upstreams 3)"));
}
END_TEST

static void
reasons(void)
{
	struct stats_reason rows[REASON_N] = {
		[REASON_NATIVE] = { .at_once = 3, .waited = 4 }, [REASON_SILENT] = { .waited = 1 }
	};

	report_reasons(rows);
}

/* D33: a line for each reason that was given. */
START_TEST(reasons_are_told)
{
	char *text = told(reasons);

	ck_assert_ptr_nonnull(strstr(text, "stats: reason native 7, at once 3 (it has AAAA)"));
	ck_assert_ptr_nonnull(strstr(text, "stats: reason silent 1, at once 0 ("));
	ck_assert_ptr_null(strstr(text, "reason relayed"));
	free(text);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_test(tc, reasons_are_told);
	tcase_add_test(tc, memory_follows_the_limits);
	tcase_add_test(tc, start_tells_the_cache);
	tcase_add_test(tc, statistics_of_the_cache);
	tcase_add_test(tc, upstreams_are_told);
	tcase_add_test(tc, longest_upstream_fits);
	tcase_add_test(tc, loop_that_hangs_is_told);
	tcase_add_test(tc, longest_status_fits);
	tcase_add_test(tc, status_counts_upstreams_as_the_verdict_does);
}
