/* SPDX-License-Identifier: BSD-2-Clause */
/* What a reload leaves as it was, and what it logs as changed. That it loses no question the system
 * tests show. */

#include "daemon/reload.h"

#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "cache/cache.h"
#include "config/keywords.h"
#include "config/load.h"
#include "config/loglevel.h"
#include "config/policy_lines.h"
#include "support/heard.h"
#include "support/said.h"
#include "support/scratch.h"
#include "support/tests.h"

static struct listen_watch watch = { .fd = -1, .look_ns = UINT64_MAX };
static struct said said;
static struct settings now, next;

static void
parse(struct settings *s, const char *text)
{
	said_parse(&said, text, s);
	ck_assert_str_eq(said.text, "");
}

START_TEST(same_file_changes_nothing)
{
	parse(&now, "nameserver 192.0.2.1\ncpu-affinity 0-3\nuser x\n");
	parse(&next, "nameserver 192.0.2.1\ncpu-affinity 0-3\nuser x\n");
	ck_assert_uint_eq(reload_keep(&now, &next), 0);
	/* But for the memory of what was read. */
	origin_fini(&now.origin);
	origin_fini(&next.origin);
	places_fini(&now.places);
	places_fini(&next.places);
	policy_lines_free(now.policy_lines);
	policy_lines_free(next.policy_lines);
	now.policy_lines = next.policy_lines = NULL;
	ck_assert_mem_eq(&now, &next, sizeof(now));
	settings_fini(&now);
	settings_fini(&next);
}
END_TEST

START_TEST(all_that_needs_a_restart)
{
	parse(&now, "nameserver 192.0.2.1\n");
	parse(&next,
	    "nameserver 192.0.2.1\nnum-threads 7\ncpu-affinity 0\nuser x\ngroup y\nchroot /z\n"
	    "pidfile /p\ncontrol-socket /s\ncontrol-group g\nlog syslog\nmax-queries "
	    "256\nmax-tcp-clients 1\ncache-size 0\n");
	ck_assert_uint_eq(reload_keep(&now, &next), 12);
	ck_assert_uint_eq(next.num_threads, 0);
	ck_assert(!next.affinity.given);
	ck_assert_str_eq(next.user, "auto");
	ck_assert_str_eq(next.group, "none");
	ck_assert_str_eq(next.chroot, "none");
	ck_assert_str_eq(next.pidfile, "auto");
	ck_assert_str_eq(next.control_socket, "auto");
	ck_assert_str_eq(next.control_group, "none");
	ck_assert_int_eq(next.log, SETTINGS_LOG_AUTO);
	ck_assert_uint_eq(next.conf.core.max_queries, 262144);
	ck_assert_uint_eq(next.conf.io.max_tcp_clients, 1024);
	ck_assert_uint_eq(next.cache_size, 64 << 20);
	settings_fini(&now);
	settings_fini(&next);
}
END_TEST

START_TEST(all_else_is_new)
{
	parse(&now, "nameserver 192.0.2.1\n");
	parse(&next,
	    "nameserver 192.0.2.2\nlisten ::\nport 54\ndns64-prefix 2001:db8::/96\n"
	    "upstream-timeout 2\nlog-level info\nstop-timeout 1\nmax-tcp-per-client "
	    "2\nudp-size-client 1400\ncache-min-ttl 7\ncache-max-ttl 8\n"
	    "cache-max-negative 9\ncache-failure-ttl 10\nserve-stale 0\n"
	    "nxdomain-cut all\nprefetch no\nrrset-order rotate\n");
	ck_assert_uint_eq(reload_keep(&now, &next), 0);
	ck_assert_uint_eq(next.conf.core.upstreams[0].addr.addr[3], 2);
	ck_assert_uint_eq(next.conf.io.n_listens, 1);
	ck_assert_uint_eq(next.conf.core.timeout_ms, 2000);
	ck_assert_uint_eq(loglevel_of(&next, LOG_CACHE), LOG_LEVEL_INFO);
	ck_assert_uint_eq(next.stop_timeout_ms, 1000);
	ck_assert_uint_eq(next.conf.io.max_tcp_per_client, 2);
	ck_assert_uint_eq(next.conf.core.udp_size_client, 1400);
	ck_assert_uint_eq(next.conf.core.keep.min_ttl_s, 7);
	ck_assert_uint_eq(next.conf.core.keep.max_ttl_s, 8);
	ck_assert_uint_eq(next.conf.core.keep.max_negative_s, 9);
	ck_assert_uint_eq(next.conf.core.keep.failure_s, 10);
	ck_assert_uint_eq(next.conf.core.keep.stale_s, 0);
	ck_assert_int_eq(next.conf.core.keep.cut, CONF_CUT_ALL);
	ck_assert(!next.conf.core.keep.prefetch && next.conf.core.keep.rotate);
	settings_fini(&now);
	settings_fini(&next);
}
END_TEST

/* Nothing changes, and no loop is looked at. */
START_TEST(bad_file_changes_nothing)
{
	struct options o = { .level = -1 };
	struct threads t = { .n = 0 };

	parse(&now, "nameserver 192.0.2.1\n");
	next = now;
	ck_assert(!reload_settings(&o, "/nonexistent/t.conf", &t, &watch, &now));
	ck_assert_mem_eq(&now, &next, sizeof(now));
	settings_fini(&now);
	memset(&next, 0, sizeof(next)); /* a copy of what was freed */
}
END_TEST

/* The cache is not the configuration's: what is in it survives, whatever the file says of it. */
START_TEST(cache_survives_a_reload)
{
	struct options o = { .level = -1 };
	struct threads t = { .n = 0 };
	char path[SCRATCH_PATH];
	int fd = scratch_file(path);
	static const char text[] = "nameserver 192.0.2.1\nlisten ::1\ncache-size 0\n";

	ck_assert_int_eq(write(fd, text, sizeof(text) - 1), sizeof(text) - 1);
	parse(&now, "nameserver 192.0.2.1\ncache-size 1m\n");
	struct cache *cache = cache_new(now.cache_size, 0, 1);
	ck_assert_ptr_nonnull(cache);
	now.conf.core.cache = cache;
	ck_assert(reload_settings(&o, path, &t, &watch, &now));
	ck_assert_ptr_eq(now.conf.core.cache, cache);
	ck_assert_uint_eq(now.cache_size, 1 << 20);
	settings_fini(&now);
	cache_free(cache);
	close(fd);
	unlink(path);
}
END_TEST

/* The policies before are let go of only when there are others; a bad file changes nothing. */
START_TEST(policies_change_hands)
{
	struct options o = { .level = -1 };
	struct threads t = { .n = 0 };
	char path[SCRATCH_PATH];
	int fd = scratch_file(path);
	const struct policies *before;
	static const char good[] = "nameserver 192.0.2.1\nlisten ::1\nhide-a yes\n"
				   "client 10.0.0.0/8 {\nhide-a no\n}\n";

	ck_assert_int_eq(write(fd, good, sizeof(good) - 1), sizeof(good) - 1);
	settings_fini(&now);
	ck_assert(load_settings(&o, path, NULL, diag_to_log, NULL, &now));
	before = now.conf.core.policies;
	ck_assert(reload_settings(&o, path, &t, &watch, &now));
	ck_assert_ptr_ne(now.conf.core.policies, before);
	ck_assert_uint_eq(now.conf.core.policies->n, 2);
	before = now.conf.core.policies;
	ck_assert_int_eq(write(fd, "hide-a no\n", 10), 10);
	ck_assert(!reload_settings(&o, path, &t, &watch, &now));
	ck_assert_ptr_eq(now.conf.core.policies, before);
	ck_assert(before->table[0].hide_a && !before->table[1].hide_a);
	settings_fini(&now);
	close(fd);
	unlink(path);
}
END_TEST

/* How many lines there are about the way from one text to the other; heard() looks into them. */
static void
reload(const char *before, const char *after)
{
	said_parse(&said, before, &now);
	ck_assert_uint_eq(said.n_errors, 0);
	said_parse(&said, after, &next);
	ck_assert_uint_eq(said.n_errors, 0);
	heard_start(LOG_LEVEL_INFO);
	reload_log(&now, &next);
}

static void
reload_end(void)
{
	heard_end();
	settings_fini(&now);
	settings_fini(&next);
}

/* The same in other words of the file, and what takes a restart. */
START_TEST(same_in_other_words_is_no_difference)
{
	reload("nameserver 192.0.2.1\ncache-stale 60\nuser a\n",
	    "# new\nserve-stale   60\nnameserver 192.0.2.1 # the same\nuser b\n");
	ck_assert_uint_eq(heard_all(), 0);
	reload_end();
}
END_TEST

START_TEST(changed_addresses_are_logged)
{
	reload("nameserver 192.0.2.1\nnameserver 192.0.2.2\nlisten 127.0.0.1\n",
	    "nameserver 192.0.2.2\nnameserver 192.0.2.3\nlisten 127.0.0.1\nlisten ::1 port 54\n");
	ck_assert_uint_eq(heard("info config: asks 192.0.2.3#53"), 1);
	ck_assert_uint_eq(heard("info config: asks 192.0.2.1#53 no more"), 1);
	ck_assert_uint_eq(heard("info config: listens on ::1#54"), 1);
	ck_assert_uint_eq(heard("info config: nameserver was changed"), 1);
	ck_assert_uint_eq(heard("info config: listen was changed"), 1);
	ck_assert_uint_eq(heard_all(), 5);
	reload_end();
}
END_TEST

/* A value, a line of a list, one in a client block, one that goes; not those around them. */
START_TEST(changed_lines_are_logged)
{
	reload("nameserver 192.0.2.1\nnever-synthesize a.test\nprefetch no\nhide-a yes\n"
	       "client 192.0.2.0/24 {\nhide-a no\nany minimal\n}\nmax-synthesized 3\n",
	    "nameserver 192.0.2.1\nnever-synthesize a.test\nnever-synthesize b.test\nprefetch yes\n"
	    "hide-a yes\nclient 192.0.2.0/24 {\nhide-a yes\nany minimal\n}\n");
	ck_assert_uint_eq(heard("never-synthesize was changed"), 1);
	ck_assert_uint_eq(heard("prefetch was changed"), 1);
	ck_assert_uint_eq(heard("hide-a was changed"), 1);
	ck_assert_uint_eq(heard("max-synthesized was changed"), 1);
	ck_assert_uint_eq(heard_all(), 4);
	reload_end();
}
END_TEST

void
tests_add(TCase *tc)
{
	log_open(LOG_SINK_NONE);
	tcase_add_test(tc, same_file_changes_nothing);
	tcase_add_test(tc, all_that_needs_a_restart);
	tcase_add_test(tc, all_else_is_new);
	tcase_add_test(tc, cache_survives_a_reload);
	tcase_add_test(tc, policies_change_hands);
	tcase_add_test(tc, bad_file_changes_nothing);
	tcase_add_test(tc, same_in_other_words_is_no_difference);
	tcase_add_test(tc, changed_addresses_are_logged);
	tcase_add_test(tc, changed_lines_are_logged);
}
