/* SPDX-License-Identifier: BSD-2-Clause */
/* What is there is opened, what is not is waited for; an error is one still. The rest, addresses
 * that come and go, is for tests/system/late.sh. */

#include "daemon/listen_watch.h"

#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "config/policy_lines.h"
#include "daemon/conf_push.h"
#include "daemon/sockets.h"
#include "support/said.h"
#include "support/tests.h"

static struct settings settings;
static struct listen_watch watch;
static struct bind_sockets *sockets;

static void
setup(void)
{
	memset(&settings, 0, sizeof(settings));
	listen_watch_init(&watch);
	sockets = NULL;
}

static void
teardown(void)
{
	sockets_close(sockets, settings.conf.io.n_listens);
	listen_watch_fini(&watch);
}

static void
add(const char *text, uint16_t port)
{
	struct settings_listens *l = &settings.listens;

	ck_assert(netaddr_parse(text, port, &l->fixed[l->n_fixed++]));
}

/* The port of a socket at 127.0.0.1 that is open until the end of the test. */
static uint16_t
taken_port(void)
{
	struct netaddr any;
	struct bind_sockets s;

	ck_assert(netaddr_parse("127.0.0.1", 0, &any));
	ck_assert_int_eq(bind_open(&any, 0, &s), 0);
	return s.addr.port;
}

static uint16_t
free_port(void)
{
	struct netaddr any;
	struct bind_sockets s;

	ck_assert(netaddr_parse("127.0.0.1", 0, &any));
	ck_assert_int_eq(bind_open(&any, 0, &s), 0);
	bind_close(&s);
	return s.addr.port;
}

/* addresses-come-and-go */
START_TEST(what_is_absent_is_waited_for)
{
	add("127.0.0.1", free_port());
	add("192.0.2.77", 5353);
	settings.listens.n_of = 1;
	settings.listens.of[0] = (struct settings_interface){ .name = "nosuch0", .addr.port = 53 };
	ck_assert(listen_watch_open(&watch, &settings, 1, &sockets));
	ck_assert_uint_eq(settings.conf.io.n_listens, 1);
	ck_assert_ptr_nonnull(sockets);
	ck_assert_uint_eq(watch.waits.n, 0); /* before it begins */
	ck_assert_uint_eq(watch.look_ns, UINT64_MAX);
	listen_watch_begin(&watch);
	ck_assert_uint_eq(watch.waits.n, 2);
	ck_assert_int_eq(listens_wait_of(&watch.waits, "192.0.2.77#5353")->why, LISTENS_ABSENT);
	ck_assert_int_eq(listens_wait_of(&watch.waits, "nosuch0#53")->why, LISTENS_NO_INTERFACE);
	ck_assert_uint_lt(watch.look_ns, UINT64_MAX);
	ck_assert_int_ge(watch.fd, 0);
}
END_TEST

START_TEST(nothing_may_be_there_at_all)
{
	add("192.0.2.77", 5353);
	ck_assert(listen_watch_open(&watch, &settings, 2, &sockets));
	ck_assert_uint_eq(settings.conf.io.n_listens, 0);
	ck_assert_ptr_null(sockets);
}
END_TEST

/* With freebind it is open at once, but told as waited for all the same. */
START_TEST(freebind_opens_what_is_absent)
{
	add("192.0.2.77", 5353);
	settings.conf.io.freebind = true;
	ck_assert(listen_watch_open(&watch, &settings, 1, &sockets));
	ck_assert_uint_eq(settings.conf.io.n_listens, 1);
	listen_watch_begin(&watch);
	ck_assert_uint_eq(watch.waits.n, 1);
}
END_TEST

/* What stays open while it is absent is not given up by a reload. */
START_TEST(what_is_held_stays)
{
	struct listen_watch_plan plan;
	struct conf_io held = { .n_listens = 1 };

	add("192.0.2.77", 5353);
	held.listens[0] = settings.listens.fixed[0];
	ck_assert(listen_watch_plan(&watch, &held, &settings, LOG_CONFIG, &plan));
	ck_assert_uint_eq(plan.n, 1);
	ck_assert_uint_eq(plan.waits.n, 1);
	held.listens[0].port = 5354;
	ck_assert(listen_watch_plan(&watch, &held, &settings, LOG_CONFIG, &plan));
	ck_assert_uint_eq(plan.n, 0);
}
END_TEST

START_TEST(another_program_is_an_error_still)
{
	add("127.0.0.1", taken_port());
	ck_assert(!listen_watch_open(&watch, &settings, 1, &sockets));
	ck_assert_ptr_null(sockets);
}
END_TEST

/* But what a reload finds waited for already, for whatever reason, does not hold it up. */
START_TEST(what_is_waited_for_holds_up_nothing)
{
	struct listen_watch_plan plan;
	struct conf_io held = { .n_listens = 0 };

	add("127.0.0.1", taken_port());
	ck_assert(listen_watch_plan(&watch, &held, &settings, LOG_CONFIG, &plan));
	ck_assert_uint_eq(plan.n, 1); /* to be opened, which fails */
	watch.waits.n = 1;
	netaddr_format(&settings.listens.fixed[0], watch.waits.w[0].what);
	ck_assert(listen_watch_plan(&watch, &held, &settings, LOG_CONFIG, &plan));
	ck_assert_uint_eq(plan.n, 0);
	ck_assert_uint_eq(plan.waits.n, 1);
	ck_assert_int_eq(plan.waits.w[0].why, LISTENS_FAILED);
	ck_assert_int_eq(plan.waits.w[0].err, EADDRINUSE);
	listen_watch_use(&watch, &plan, LOG_CONFIG);
	ck_assert_uint_le(watch.look_ns, watch.looked_ns + NS_PER_SEC);
}
END_TEST

/* Named ones come first; of an interface's it is told once that not all have a place. */
START_TEST(more_than_there_is_room_for)
{
	char text[32];

	settings.conf.io.freebind = true;
	for (int i = 1; i <= CONF_MAX_LISTENS; i++) {
		snprintf(text, sizeof(text), "203.0.113.%d", i);
		add(text, 5353);
	}
	settings.listens.n_of = 1;
	settings.listens.of[0] = (struct settings_interface){ .name = "lo", .addr.port = 5353 };
	ck_assert(listen_watch_open(&watch, &settings, 1, &sockets));
	ck_assert_uint_eq(settings.conf.io.n_listens, CONF_MAX_LISTENS);
	listen_watch_begin(&watch);
	ck_assert_uint_eq(watch.waits.n, CONF_MAX_LISTENS + 1);
	ck_assert_int_eq(listens_wait_of(&watch.waits, "lo#5353")->why, LISTENS_TOO_MANY);
}
END_TEST

/* Where nothing can come or go nobody listens for it. */
START_TEST(wildcards_and_loopback_need_no_watch)
{
	struct listen_watch_plan plan;

	add("127.0.0.1", free_port());
	add("0.0.0.0", 5353);
	ck_assert(listen_watch_plan(&watch, NULL, &settings, LOG_SERVER, &plan));
	ck_assert_int_eq(watch.fd, -1);
	listen_watch_use(&watch, &plan, LOG_SERVER);
	ck_assert_uint_eq(watch.look_ns, UINT64_MAX);
}
END_TEST

/* Changes come in crowds, and are looked at together. */
START_TEST(a_bell_is_heard_soon)
{
	struct listen_watch_plan plan;

	add("192.0.2.77", 5353);
	ck_assert(listen_watch_plan(&watch, NULL, &settings, LOG_SERVER, &plan));
	listen_watch_use(&watch, &plan, LOG_SERVER);
	uint64_t later = watch.look_ns;
	listen_watch_rings(&watch);
	ck_assert_uint_lt(watch.look_ns, later);
	ck_assert_uint_gt(watch.look_ns, watch.looked_ns);
}
END_TEST

/* --- A list that changes while it is read -------------------------------------------------------
 */

static const struct hostaddr *listed; /* NULL: the kernel's list */
static size_t n_listed;

int __real_hostaddr_list(struct array *out);
int __wrap_hostaddr_list(struct array *out);

int
__wrap_hostaddr_list(struct array *out)
{
	if (listed == NULL)
		return __real_hostaddr_list(out);
	for (size_t i = 0; i < n_listed; i++) {
		struct hostaddr *h = array_add(out, sizeof(*h));

		ck_assert_ptr_nonnull(h);
		*h = listed[i];
	}
	return -EAGAIN;
}

/*
 * Where 127.0.0.1 is served, what listening on an interface comes to while the list changes: it
 * stays, unless there is no such interface or the list has it at another one.
 */
START_TEST(what_is_served_stays_while_the_list_changes)
{
	static const struct {
		const char *name;
		uint32_t index; /* that the list has 127.0.0.1 at; 0: it is missing */
		size_t n;       /* served */
	} rows[] = { { "lo", 0, 1 }, { "lo", 1, 1 }, { "lo", 77, 0 }, { "nosuch0", 0, 0 } };
	struct hostaddr all[1] = { { .index = rows[_i].index, .prefix_len = 8 } };
	struct conf_io held = { .n_listens = 1 };
	struct listen_watch_plan plan;

	ck_assert_uint_eq(if_nametoindex("lo"), 1);
	ck_assert(netaddr_parse("127.0.0.1", 0, &all[0].addr));
	ck_assert(netaddr_parse("127.0.0.1", free_port(), &held.listens[0]));
	settings.listens.n_of = 1;
	settings.listens.of[0] = (struct settings_interface){ .addr.port = held.listens[0].port };
	(void)snprintf(
	    settings.listens.of[0].name, sizeof(settings.listens.of[0].name), "%s", rows[_i].name);
	listed = all;
	n_listed = rows[_i].index > 0;
	ck_assert(listen_watch_plan(&watch, &held, &settings, LOG_CONFIG, &plan));
	ck_assert_uint_eq(plan.n, rows[_i].n);
	ck_assert_uint_eq(plan.waits.n, 1 - rows[_i].n);
	listed = NULL;
}
END_TEST

/* --- Who may ask, without an allow line --------------------------------------------------------
 */

static bool push_fails;

bool __real_conf_push_pack(
    struct conf_push *p, unsigned n_loops, const struct conf_io *now, struct settings *next);
bool __wrap_conf_push_pack(
    struct conf_push *p, unsigned n_loops, const struct conf_io *now, struct settings *next);

bool
__wrap_conf_push_pack(
    struct conf_push *p, unsigned n_loops, const struct conf_io *now, struct settings *next)
{
	return !push_fails && __real_conf_push_pack(p, n_loops, now, next);
}

static enum policy_access
access_of(const char *client)
{
	struct netaddr a;

	ck_assert(netaddr_parse(client, 0, &a));
	return policies_access(settings.conf.core.policies, &a);
}

/* What cannot be handed to the loops is found again, and so are the networks that may ask then. */
START_TEST(networks_are_those_of_the_policies)
{
	static struct said said;
	struct hostaddr all[1] = { { .index = 5, .prefix_len = 24 } };
	struct threads none = { .n = 0 };
	uint16_t port = free_port();
	size_t n;

	ck_assert(netaddr_parse("10.9.0.1", 0, &all[0].addr));
	listed = all;
	n_listed = 0;
	ck_assert_ptr_nonnull(said_make(&said, "nameserver 192.0.2.1\n", &settings));
	n = settings.policy_lines->usual.n;
	settings.listens.n_fixed = 0;
	add("127.0.0.1", port);
	add("127.0.0.2", port);
	settings.conf.io.listens[0] = settings.listens.fixed[0];
	settings.conf.io.n_listens = 1;
	n_listed = 1;
	push_fails = true;
	ck_assert(!listen_watch_look(&watch, &settings, &none, "t.conf"));
	ck_assert_uint_eq(settings.conf.io.n_listens, 1);
	ck_assert_uint_eq(settings.policy_lines->usual.n, n);
	ck_assert_int_eq(access_of("10.9.0.7"), POLICY_STRANGER);
	push_fails = false;
	ck_assert(listen_watch_look(&watch, &settings, &none, "t.conf"));
	ck_assert_uint_eq(settings.policy_lines->usual.n, n + 1);
	ck_assert_int_eq(access_of("10.9.0.7"), POLICY_SERVED);
	listed = NULL;
	settings_fini(&settings);
}
END_TEST

void
tests_add(TCase *tc)
{
	log_open(LOG_SINK_NONE);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, what_is_absent_is_waited_for);
	tcase_add_test(tc, nothing_may_be_there_at_all);
	tcase_add_test(tc, freebind_opens_what_is_absent);
	tcase_add_test(tc, what_is_held_stays);
	tcase_add_test(tc, another_program_is_an_error_still);
	tcase_add_test(tc, what_is_waited_for_holds_up_nothing);
	tcase_add_test(tc, more_than_there_is_room_for);
	tcase_add_test(tc, wildcards_and_loopback_need_no_watch);
	tcase_add_test(tc, a_bell_is_heard_soon);
	tcase_add_loop_test(tc, what_is_served_stays_while_the_list_changes, 0, 4);
	tcase_add_test(tc, networks_are_those_of_the_policies);
}
