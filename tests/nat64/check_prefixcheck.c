/* SPDX-License-Identifier: BSD-2-Clause */
/* Rounds of probes over real sockets, until the policies say what follows. RULES D36. */

#include "nat64/prefixcheck.h"

#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "io/evbase.h"
#include "support/configured.h"
#include "support/heard.h"
#include "support/tests.h"

/* Under the first prefix 0.0.0.1 is ::1; under the second nobody is. */
#define LINES \
	"dns64-prefix ::/96\ndns64-prefix 2001:db8:64::/96\nprefix-check-interval 0.1\n" \
	"prefix-check-timeout 0.1\nprefix-check-fall 2\nprefix-check-rise 2\n" \
	"prefix-check tcp 192.0.2.1 port 80\n"

static struct event_base *base;
static struct settings settings;
static struct prefixes prefixes;
static struct prefixcheck *checks;
static bool is_pending;
static unsigned n_posts;
static int server;

static bool
pack(void *arg, struct settings *s)
{
	(void)arg;
	(void)s;
	return true;
}

static void
post(void *arg)
{
	(void)arg;
	n_posts++;
}

static bool
pending(void *arg)
{
	(void)arg;
	return is_pending;
}

/* Let the target be at ::1 where SERVER listens. */
static void
aim(void)
{
	struct policy_lines *l = policy_lines_at(settings.policy_lines, 0);
	struct policy_lines_check *c = l->checks.items;
	struct sockaddr_in6 at;
	socklen_t len = sizeof(at);

	ck_assert_int_eq(getsockname(server, (struct sockaddr *)&at, &len), 0);
	memcpy(c->v4, (const uint8_t[4]){ 0, 0, 0, 1 }, 4);
	c->port = ntohs(at.sin6_port);
}

static void
set_up(void)
{
	const struct sockaddr_in6 at = { .sin6_family = AF_INET6,
		.sin6_addr = IN6ADDR_LOOPBACK_INIT };

	heard_start(LOG_LEVEL_INFO);
	server = socket(AF_INET6, SOCK_STREAM, 0);
	ck_assert_int_ge(server, 0);
	ck_assert_int_eq(bind(server, (const struct sockaddr *)&at, sizeof(at)), 0);
	ck_assert_int_eq(listen(server, 100), 0);
	base = evbase_new();
	ck_assert_ptr_nonnull(base);
	configured("prefixcheck", LINES, &settings);
	aim();
	settings.prefix_states = prefix_states_new();
	prefixes = (struct prefixes){ .settings = &settings,
		.path = "conf",
		.loops = { .pack = pack, .post = post, .pending = pending } };
	is_pending = false;
	n_posts = 0;
	checks = prefixcheck_new(base, &prefixes);
	ck_assert_ptr_nonnull(checks);
}

static void
tear_down(void)
{
	prefixcheck_free(checks);
	event_base_free(base);
	prefix_states_free(settings.prefix_states);
	settings_fini(&settings);
	close(server);
	heard_end();
}

static enum policy_state
state_of(unsigned prefix)
{
	return (enum policy_state)settings.conf.core.policies->table[0].states[prefix];
}

/* Let rounds pass until prefix I is in STATE, or for MS. */
static bool
becomes_within(unsigned i, enum policy_state state, unsigned ms)
{
	uint64_t end = clock_now_ns() + ms * NS_PER_MS;

	while (state_of(i) != state && clock_now_ns() < end) {
		const struct timeval wait = { .tv_usec = 10000 };

		(void)event_base_loopexit(base, &wait);
		(void)event_base_dispatch(base);
		prefixes_settle(&prefixes, clock_now_ns());
	}
	return state_of(i) == state;
}

/* Does it come to that? On a busy machine it takes longer. */
static bool
becomes(unsigned i, enum policy_state state)
{
	return becomes_within(i, state, 20000);
}

/* Would it have come to that, but does not? */
static bool
stays_out_of(unsigned i, enum policy_state state)
{
	return !becomes_within(i, state, 1000);
}

START_TEST(one_of_two_is_down)
{
	const struct policy *p;

	ck_assert(becomes(1, POLICY_DOWN));
	p = &settings.conf.core.policies->table[0];
	ck_assert_uint_eq(n_posts, 1);
	ck_assert_int_eq(state_of(0), POLICY_ACTIVE);
	ck_assert_uint_eq(p->synth.active_bits, 1);
	ck_assert_int_eq(p->causes[1], POLICY_PROBE);
	ck_assert_uint_eq(
	    heard("prefix 2001:db8:64::/96 is down by prefix-check: tcp 0.0.0.1 port"), 1);
}
END_TEST

/* What is reported while a loop has a change to take is handed out afterwards, together. */
START_TEST(it_waits_for_loops)
{
	is_pending = true;
	ck_assert(stays_out_of(1, POLICY_DOWN));
	ck_assert_uint_eq(n_posts, 0);
	is_pending = false;
	prefixes_settle(&prefixes, clock_now_ns());
	ck_assert_int_eq(state_of(1), POLICY_DOWN);
	ck_assert_uint_eq(n_posts, 1);
	ck_assert(!prefixes_due(&prefixes, clock_now_ns()));
}
END_TEST

/* But not for ever for one that stands still. */
START_TEST(it_does_not_wait_for_ever)
{
	is_pending = true;
	ck_assert(stays_out_of(1, POLICY_DOWN));
	prefixes_settle(&prefixes, clock_now_ns() + PREFIXES_TAKE_MS * NS_PER_MS);
	ck_assert_int_eq(state_of(1), POLICY_DOWN);
}
END_TEST

/* Operator and probes: the lower state holds; what the operator takes, the last one too, goes. */
START_TEST(beside_the_operator)
{
	const struct prefix_change drain = { .what = PREFIX_CHANGE_DRAIN, .prefix = "::/96" };
	char error[HOST_ERROR];

	ck_assert(becomes(1, POLICY_DOWN));
	ck_assert_int_eq(prefixes_change(&prefixes, &drain, error), HOST_DONE);
	ck_assert_int_eq(state_of(0), POLICY_DRAIN);
	ck_assert_int_eq(state_of(1), POLICY_ACTIVE); /* the last one */
	ck_assert_int_eq(settings.conf.core.policies->table[0].held, 1);
	ck_assert_uint_eq(heard("no prefix passes prefix-check for 1 of 1 policies"), 1);
}
END_TEST

/* Without targets nothing is asked, and what was reported goes. */
START_TEST(a_reload_takes_them_away)
{
	struct prefix_states *states = settings.prefix_states;

	ck_assert(becomes(1, POLICY_DOWN));
	settings_fini(&settings);
	memset(&settings, 0, sizeof(settings));
	configured("prefixcheck", "dns64-prefix ::/96\ndns64-prefix 2001:db8:64::/96\n", &settings);
	settings.prefix_states = states;
	prefixcheck_renew(checks);
	ck_assert_int_eq(state_of(1), POLICY_ACTIVE);
	ck_assert(stays_out_of(1, POLICY_DOWN));
	settings_fini(&settings);
	memset(&settings, 0, sizeof(settings));
	configured("prefixcheck", LINES, &settings);
	aim();
	settings.prefix_states = states;
	prefixcheck_renew(checks);
	ck_assert(becomes(1, POLICY_DOWN));
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, one_of_two_is_down);
	tcase_add_test(tc, it_waits_for_loops);
	tcase_add_test(tc, it_does_not_wait_for_ever);
	tcase_add_test(tc, beside_the_operator);
	tcase_add_test(tc, a_reload_takes_them_away);
}
