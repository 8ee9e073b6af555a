/* SPDX-License-Identifier: BSD-2-Clause */
/* What the control socket tells of a loop that runs. */

#include "control/api_stats.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "core/stats.h"
#include "support/operator.h"
#include "support/rig.h"
#include "support/tests.h"

static struct operator op;
static struct rig rig;

static void
setup(void)
{
	operator_open(&op,
	    "nameserver 192.0.2.1\nlisten ::1\ndns64-prefix 64:ff9b::/96\n"
	    "dns64-prefix 2001:db8::/96 drain\nclient 10.0.0.0/8 {\nhide-a yes\n}\n");
	rig_init(&rig);
	rig_start(&rig);
	op.host.loops[0] = rig.loop;
	op.host.n_loops = 1;
	operator_begin(&op);
}

static void
teardown(void)
{
	operator_close(&op);
	rig_end(&rig);
}

static const json_t *
get(const char *path, const char *key)
{
	ck_assert_int_eq(caller_ask(&op.caller, "GET", path, NULL), 200);
	return json_object_get(op.caller.json, key);
}

/* Let the loop have counted N questions, while it waits for some. */
static void
loop_stats_set(const struct rig *r, uint64_t n)
{
	union {
		const struct stats *seen;
		struct stats *own;
	} s = { .seen = loop_stats(r->loop) };

	atomic_store(&s.own->bogus, n);
}

/* Every row of core/stats.h is there, with its help (unbound_exporter, unbound-control-stats). */
START_TEST(all_counters)
{
	struct stats_row rows[STATS_N];
	const json_t *counters = get("/stats", "counters");
	const json_t *help = json_object_get(op.caller.json, "help");

	stats_sum(NULL, 0, rows);
	ck_assert_uint_eq(json_object_size(counters), STATS_N);
	for (size_t i = 0; i < STATS_N; i++) {
		ck_assert(json_is_integer(json_object_get(counters, rows[i].name)));
		ck_assert_str_eq(
		    json_string_value(json_object_get(help, rows[i].name)), rows[i].help);
	}
	ck_assert(json_is_null(json_object_get(op.caller.json, "cache")));
	ck_assert(json_number_value(json_object_get(op.caller.json, "time")) > 0);
	/* Who looks changes nothing. */
	loop_stats_set(&rig, 7);
	ck_assert_int_eq(
	    json_integer_value(json_object_get(get("/stats", "counters"), "bogus")), 7);
	ck_assert_int_eq(
	    json_integer_value(json_object_get(get("/stats", "counters"), "bogus")), 7);
}
END_TEST

START_TEST(upstreams_of_a_loop)
{
	const json_t *list = get("/upstreams", "upstreams"), *u = json_array_get(list, 0);
	char text[NETADDR_TEXT];

	ck_assert_uint_eq(json_array_size(list), 1);
	ck_assert_str_eq(
	    json_string_value(json_object_get(u, "address")), netaddr_format(&rig.up, text));
	ck_assert_str_eq(json_string_value(json_object_get(u, "state")), "good");
	ck_assert_int_eq(json_integer_value(json_object_get(u, "loops")), 1);
	ck_assert(json_is_null(json_object_get(u, "udp")));
	ck_assert_int_ge(json_integer_value(json_object_get(u, "sockets")), 1);
	ck_assert_int_eq(json_integer_value(json_object_get(u, "connections")), 0);
	ck_assert_int_eq(json_integer_value(json_object_get(u, "in_flight")), 0);
	ck_assert_uint_eq(json_object_size(json_object_get(u, "guards")), 4);
	ck_assert_int_eq(json_integer_value(json_object_get(op.caller.json, "loops_silent")), 0);
}
END_TEST

START_TEST(status_of_the_daemon)
{
	const json_t *prefixes = get("/status", "prefixes"), *second = json_array_get(prefixes, 1);

	ck_assert_uint_eq(json_array_size(prefixes), 2);
	ck_assert_str_eq(json_string_value(json_object_get(second, "prefix")), "2001:db8::/96");
	ck_assert_str_eq(json_string_value(json_object_get(second, "state")), "drain");
	ck_assert_str_eq(caller_text(&op.caller, "version"), PACKAGE_VERSION);
	ck_assert_str_eq(caller_text(&op.caller, "configuration"), "/etc/t.conf");
	ck_assert_int_eq(json_integer_value(json_object_get(op.caller.json, "pid")), getpid());
	ck_assert_int_eq(json_integer_value(json_object_get(op.caller.json, "started")), 1000);
	ck_assert_int_gt(json_integer_value(json_object_get(op.caller.json, "uptime_s")), 0);
	ck_assert_int_eq(json_integer_value(json_object_get(op.caller.json, "loops")), 1);
	ck_assert_int_eq(json_integer_value(json_object_get(op.caller.json, "client_blocks")), 1);
	ck_assert_uint_eq(json_array_size(json_object_get(op.caller.json, "listening")), 1);
	ck_assert_uint_eq(json_array_size(json_object_get(op.caller.json, "waiting")), 0);
	ck_assert(json_is_null(json_object_get(op.caller.json, "reload")));
}
END_TEST

/* A listen address that the machine does not have is not told as served, with freebind either. */
START_TEST(status_of_an_address_that_is_waited_for)
{
	const json_t *listening = get("/status", "listening"), *w;

	op.waits.n = 1;
	op.waits.w[0].why = LISTENS_DUPLICATE;
	strcpy(op.waits.w[0].what, json_string_value(json_array_get(listening, 0)));
	ck_assert_uint_eq(json_array_size(get("/status", "listening")), 0);
	ck_assert_str_eq(caller_text(&op.caller, "verdict"), "not ready");
	ck_assert_str_eq(caller_text(&op.caller, "reason"), "no listen address is there");
	w = json_array_get(json_object_get(op.caller.json, "waiting"), 0);
	ck_assert_str_eq(json_string_value(json_object_get(w, "listen")), op.waits.w[0].what);
	ck_assert_str_eq(json_string_value(json_object_get(w, "why")),
	    "another machine on the link has it (duplicate)");
}
END_TEST

static void
has(const char *part)
{
	ck_assert_msg(strstr(op.caller.text, part) != NULL, "no %s in %s", part, op.caller.text);
}

static struct rig silent;
static struct snapshot *of_silent;

/* A loop that nobody runs, as if it hung. */
static void
silent_open(void)
{
	rig_init(&silent);
	of_silent = snapshot_new(&silent.conf);
	ck_assert_ptr_nonnull(of_silent);
	silent.loop = loop_new(of_silent, NULL, 0);
	ck_assert_ptr_nonnull(silent.loop);
}

static void
silent_close(void)
{
	loop_free(silent.loop);
	snapshot_unref(of_silent);
	close(silent.up_udp);
	close(silent.up_tcp);
	free(silent.taken);
	policies_unref(silent.conf.core.policies);
}

/* It is left out after ASK_MS, and nobody waits longer. */
START_TEST(loop_that_is_silent)
{
	uint64_t since_ns;

	silent_open();
	control_free(op.control);
	op.host.loops[1] = silent.loop;
	op.host.n_loops = 2;
	operator_begin(&op);
	ck_assert_int_eq(json_integer_value(get("/upstreams", "loops_silent")), 1);
	ck_assert_uint_eq(json_array_size(json_object_get(op.caller.json, "upstreams")), 1);
	ck_assert_int_eq(json_integer_value(get("/status", "loops_silent")), 1);
	/* It may be late. When it is too late that is told, and nobody waits for it any more. */
	ck_assert_int_eq(caller_ask(&op.caller, "GET", "/health", NULL), 200);
	since_ns = clock_now_ns();
	while (caller_ask(&op.caller, "GET", "/health", NULL) == 200) {
		ck_assert_uint_lt(clock_now_ns() - since_ns, 60 * NS_PER_SEC);
		(void)poll(NULL, 0, 20);
	}
	has("\r\n\r\nnot ready: 1 of 2 loops do not go round");
	ck_assert_int_eq(op.judged.state, VERDICT_UNREADY);
	ck_assert_uint_eq(op.judged.n_stuck, 1);
	ck_assert_int_eq(caller_ask(&op.caller, "GET", "/ready", NULL), 503);
	has("1 of 2 loops do not go round");
	ck_assert_str_eq(json_string_value(get("/status", "verdict")), "not ready");
	control_free(op.control);
	op.control = NULL;
	silent_close();
}
END_TEST

static void
count_one(void *arg)
{
	(*(unsigned *)arg)++;
}

/* What is known is not forgotten because a loop is late for once. */
START_TEST(loop_that_is_late)
{
	static struct ask a;
	struct host host = op.host;
	unsigned n = 0;

	silent_open();
	a = (struct ask){ .on_upstreams = count_one, .arg = &n };
	host.base = op.caller.base;
	ck_assert(waiting_init(&a.waiting, &ask_type, &host));
	while (n < 1)
		(void)event_base_loop(host.base, EVLOOP_ONCE);
	ck_assert_uint_eq(a.upstreams.n, 1);
	ck_assert_uint_eq(a.upstreams.n_missing, 0);
	host.loops[0] = silent.loop;
	while (n < 3)
		(void)event_base_loop(host.base, EVLOOP_ONCE);
	ck_assert_uint_eq(a.upstreams.n, 1);
	ck_assert_uint_eq(a.upstreams.n_missing, 1);
	ck_assert_uint_eq(a.upstreams.n_stuck, 0);
	while (n < 20 && a.upstreams.n_stuck == 0)
		(void)event_base_loop(host.base, EVLOOP_ONCE);
	ck_assert_uint_eq(a.upstreams.n_stuck, 1);
	ck_assert_uint_eq(a.upstreams.n, 0);
	waiting_fini(&a.waiting);
	silent_close();
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, all_counters);
	tcase_add_test(tc, upstreams_of_a_loop);
	tcase_add_test(tc, status_of_the_daemon);
	tcase_add_test(tc, status_of_an_address_that_is_waited_for);
	tcase_add_test(tc, loop_that_is_silent);
	tcase_add_test(tc, loop_that_is_late);
}
