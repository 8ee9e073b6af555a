/* SPDX-License-Identifier: BSD-2-Clause */
/* What one loop knows of its upstreams, and what all loops know together (RULES D27). */

#include "outbound/upstream_status.h"

#include "base/clock.h"
#include "outbound/health.h"
#include "scenario/parts.h"
#include "support/tests.h"

static struct upstreams us;
static struct conf_core conf;
static struct wheel wheel;
static uint64_t now_ns;
static struct upstream_status one[CONF_MAX_UPSTREAMS];
static struct upstream_status all[UPSTREAM_MAX];
static size_t n_all;

static void
setup(void)
{
	now_ns = PARTS_START_NS;
	n_all = 0;
	wheel_init(&wheel, now_ns);
	upstreams_init(&us);
	parts_conf(&conf, 3, 100);
	upstreams_configure(&us, &conf, &wheel);
}

START_TEST(nothing_is_known_at_first)
{
	ck_assert_uint_eq(upstream_status_all(&us, one), 3);
	for (unsigned i = 0; i < 3; i++) {
		ck_assert(netaddr_equal(&one[i].addr, &conf.upstreams[i].addr));
		ck_assert_uint_eq(one[i].state, UPSTREAM_STATUS_GOOD);
		ck_assert_uint_eq(one[i].since_ns, 0);
		ck_assert_uint_eq(one[i].heard_ns, 0);
		ck_assert_uint_eq(one[i].rtt[UPSTREAM_PRIMARY].weight, 0);
		ck_assert_uint_eq(one[i].rtt[UPSTREAM_PRIMARY].transport, TRANSPORT_UDP);
		ck_assert_uint_eq(one[i].rtt[UPSTREAM_FALLBACK].transport, TRANSPORT_TCP);
		ck_assert_uint_eq(one[i].rtt[UPSTREAM_FALLBACK].weight, 0);
		ck_assert_uint_eq(one[i].tally.sends, 0);
	}
}
END_TEST

/* In the order of the settings in force, and those alone. */
START_TEST(views_are_of_what_is_configured)
{
	struct conf_core other = conf;

	other.upstreams[0].addr = conf.upstreams[2].addr;
	other.upstreams[1].addr = conf.upstreams[0].addr;
	other.n_upstreams = 2;
	upstreams_configure(&us, &other, &wheel);
	ck_assert_uint_eq(upstream_status_all(&us, one), 2);
	ck_assert(netaddr_equal(&one[0].addr, &conf.upstreams[2].addr));
	ck_assert(netaddr_equal(&one[1].addr, &conf.upstreams[0].addr));
}
END_TEST

START_TEST(states_and_since_when)
{
	for (unsigned i = 0; i < HEALTH_SILENCES; i++)
		health_on_silence(&us, 0, UPSTREAM_PRIMARY, now_ns + i);
	us.table[1].down = true;
	us.table[1].in_doubt = true;
	us.table[1].failures.since_ns = now_ns + 7;
	us.table[2].starved = true;
	ck_assert_uint_eq(upstream_status_all(&us, one), 3);
	ck_assert_uint_eq(one[0].state, UPSTREAM_STATUS_IN_DOUBT);
	ck_assert_uint_eq(one[0].since_ns, now_ns);
	ck_assert_uint_eq(one[1].state, UPSTREAM_STATUS_DOWN);
	ck_assert_uint_eq(one[1].since_ns, now_ns + 7);
	ck_assert_uint_eq(one[2].state, UPSTREAM_STATUS_STARVED);
	ck_assert_uint_eq(one[2].since_ns, 0);
	/* Back: good since then, as it was down; what was in doubt only is as good as before. */
	(void)health_on_reply(&us, 0, now_ns + 10);
	us.table[1].failures.n = 1;
	ck_assert(health_on_reply(&us, 1, now_ns + 10));
	ck_assert_uint_eq(upstream_status_all(&us, one), 3);
	ck_assert_uint_eq(one[0].state, UPSTREAM_STATUS_GOOD);
	ck_assert_uint_eq(one[0].since_ns, 0);
	ck_assert_uint_eq(one[1].state, UPSTREAM_STATUS_GOOD);
	ck_assert_uint_eq(one[1].since_ns, now_ns + 10);
}
END_TEST

/* A guard is off on all loops while it is so on one; sockets and questions are summed. */
START_TEST(guards_and_what_is_open)
{
	uint64_t hour_ns = UPSTREAM_UNGUARDED_MS * NS_PER_MS;
	struct upstream *up = &us.table[0];

	up->n_sockets = 3;
	up->n_waiting = 5;
	ck_assert_uint_eq(upstream_status_all(&us, one), 3);
	for (unsigned g = 0; g < UPSTREAM_STATUS_GUARDS; g++)
		ck_assert_uint_eq(
		    upstream_status_off_ns(&one[0], (enum upstream_status_guard)g, now_ns), 0);
	ck_assert(!one[0].has_cookie);
	ck_assert(!upstream_status_has_learned(&one[0]));
	upstream_status_merge(all, &n_all, one, 3);
	up->ways.now = WAY_TCP;
	up->case_guard.off_until_ns = now_ns + hour_ns;
	up->suspicion.until_ns = now_ns + 1;
	up->cookie.len = DNS_COOKIE_CLIENT + 8;
	ck_assert_uint_eq(upstream_status_all(&us, one), 3);
	one[0].connections = 2;
	one[0].waiting = 7;
	upstream_status_merge(all, &n_all, one, 3);
	ck_assert_uint_eq(all[0].sockets, 6);
	ck_assert_uint_eq(all[0].in_flight, 10);
	ck_assert_uint_eq(all[0].connections, 2);
	ck_assert_uint_eq(all[0].waiting, 7);
	ck_assert_uint_eq(all[0].n_learned[UPSTREAM_STATUS_NO_UDP], 1);
	ck_assert(upstream_status_has_learned(&all[0]) && !upstream_status_has_learned(&all[1]));
	ck_assert_str_eq(upstream_status_learned_text(UPSTREAM_STATUS_NO_UDP), "UDP");
	ck_assert(all[0].has_cookie && !all[1].has_cookie);
	ck_assert_uint_eq(upstream_status_off_ns(&all[0], UPSTREAM_STATUS_CASE, now_ns + 60), 60);
	ck_assert_uint_eq(upstream_status_off_ns(&all[0], UPSTREAM_STATUS_CASE, now_ns - 1),
	    1); /* of another clock */
	ck_assert_uint_eq(
	    upstream_status_off_ns(&all[0], UPSTREAM_STATUS_CASE, now_ns + hour_ns), 0);
	ck_assert_uint_eq(upstream_status_off_ns(&all[0], UPSTREAM_STATUS_COOKIE, now_ns), 0);
	ck_assert_uint_gt(upstream_status_off_ns(&all[0], UPSTREAM_STATUS_IDS, now_ns), 0);
	ck_assert_uint_eq(upstream_status_off_ns(&all[1], UPSTREAM_STATUS_CASE, now_ns), 0);
}
END_TEST

START_TEST(times_of_each_transport)
{
	upstreams_learn(&us, 1, UPSTREAM_FALLBACK, 4 * NS_PER_MS, now_ns);
	upstreams_learn(&us, 1, UPSTREAM_FALLBACK, 4 * NS_PER_MS, now_ns + 5);
	ck_assert_uint_eq(upstream_status_all(&us, one), 3);
	ck_assert_uint_eq(one[1].rtt[UPSTREAM_PRIMARY].weight, 0);
	ck_assert_uint_eq(one[1].rtt[UPSTREAM_FALLBACK].weight, 2);
	ck_assert_uint_eq(one[1].rtt[UPSTREAM_PRIMARY].transport, TRANSPORT_UDP);
	ck_assert_uint_eq(one[1].rtt[UPSTREAM_FALLBACK].transport, TRANSPORT_TCP);
	ck_assert_uint_eq(
	    one[1].rtt[UPSTREAM_FALLBACK].srtt_ns, us.table[1].times[UPSTREAM_FALLBACK].srtt_ns);
	ck_assert_uint_eq(
	    one[1].rtt[UPSTREAM_FALLBACK].var_ns, us.table[1].times[UPSTREAM_FALLBACK].var_ns);
	ck_assert_uint_eq(one[1].heard_ns, now_ns + 5);
	ck_assert_uint_eq(one[1].tally.replies, 2);
}
END_TEST

/* A loop that knows the upstream ADDR: REPLIES of MS each over UDP. */
static struct upstream_status
view(const char *addr, uint64_t replies, uint64_t ms)
{
	struct upstream_status v = { .n_loops = 1, .n_so = 1 };

	ck_assert(netaddr_parse(addr, 53, &v.addr));
	v.tally = (struct upstream_tally){
		.sends = 2 * replies, .replies = replies, .late = 3, .lost = { 4, 1 }, .hedges = 5
	};
	v.rtt[UPSTREAM_PRIMARY] = (struct upstream_status_rtt){ ms * NS_PER_MS, ms * NS_PER_MS / 2,
		replies, TRANSPORT_UDP };
	return v;
}

static void
add(struct upstream_status v)
{
	upstream_status_merge(all, &n_all, &v, 1);
}

START_TEST(tallies_are_sums_and_times_means)
{
	add(view("192.0.2.1", 100, 10));
	add(view("192.0.2.2", 7, 1));
	add(view("192.0.2.1", 300, 30));
	ck_assert_uint_eq(n_all, 2);
	ck_assert_uint_eq(all[0].tally.sends, 800);
	ck_assert_uint_eq(all[0].tally.replies, 400);
	ck_assert_uint_eq(all[0].tally.late, 6);
	ck_assert_uint_eq(all[0].tally.lost[UPSTREAM_LOST_TIMEOUT], 8);
	ck_assert_uint_eq(all[0].tally.lost[UPSTREAM_LOST_UNREACHABLE], 2);
	ck_assert_uint_eq(all[0].tally.lost[UPSTREAM_LOST_DISCONNECTED], 0);
	ck_assert_uint_eq(all[0].tally.hedges, 10);
	ck_assert_uint_eq(all[0].rtt[UPSTREAM_PRIMARY].srtt_ns, 25 * NS_PER_MS);
	ck_assert_uint_eq(all[0].rtt[UPSTREAM_PRIMARY].var_ns, 25 * NS_PER_MS / 2);
	ck_assert_uint_eq(all[0].rtt[UPSTREAM_PRIMARY].weight, 400);
	ck_assert_uint_eq(all[0].rtt[UPSTREAM_FALLBACK].weight, 0);
	ck_assert_uint_eq(all[1].rtt[UPSTREAM_PRIMARY].srtt_ns, NS_PER_MS);
	ck_assert_uint_eq(all[1].tally.late, 3);
}
END_TEST

/* Does an upstream answer, by what was added? */
static bool
answers(void)
{
	bool yes = upstream_status_answers(&all[0], now_ns);

	n_all = 0;
	return yes;
}

/* D31: of two loops one asks an upstream that went down, the other one was never asked anything. */
START_TEST(d31_who_has_not_asked_has_no_vote)
{
	struct upstream *up = &us.table[us.order[0]];
	struct upstream_status idle;

	ck_assert_uint_gt(upstream_status_all(&us, one), 0);
	idle = one[0];
	add(idle);
	ck_assert(answers()); /* nobody knows better */
	up->down = true;
	up->failures.since_ns = now_ns - 10 * NS_PER_SEC;
	up->heard_ns = now_ns - 11 * NS_PER_SEC;
	ck_assert_uint_gt(upstream_status_all(&us, one), 0);
	add(one[0]);
	ck_assert(!answers());
	for (unsigned i = 0; i < 2; i++) { /* in either order */
		add(i == 0 ? one[0] : idle);
		add(i == 0 ? idle : one[0]);
		ck_assert(!answers());
	}
	/* A reply to the other loop from before says nothing; one from after does, for a while. */
	idle.good_ns = up->failures.since_ns - 1;
	add(one[0]);
	add(idle);
	ck_assert(!answers());
	idle.good_ns = now_ns - NS_PER_SEC;
	add(one[0]);
	add(idle);
	ck_assert(answers());
	now_ns += UPSTREAM_STATUS_FRESH_NS;
	add(one[0]);
	add(idle);
	ck_assert(!answers());
}
END_TEST

/* D31: one that answers only SERVFAIL was "good". */
START_TEST(d31_errors_are_no_answers)
{
	unsigned u = us.order[0];
	struct upstream *up = &us.table[u];

	for (unsigned i = 0; i < HEALTH_ERRORS; i++) {
		upstreams_learn(&us, u, UPSTREAM_PRIMARY, NS_PER_MS, now_ns);
		if (i == 0)
			ck_assert_uint_eq(up->errors.n, 0);
		now_ns += HEALTH_ERRORS_MS * NS_PER_MS / (HEALTH_ERRORS - 2);
		health_on_rcode(&us, u, UPSTREAM_PRIMARY, DNS_SERVFAIL, now_ns);
		ck_assert_uint_gt(upstream_status_all(&us, one), 0);
		ck_assert_int_eq(one[0].state == UPSTREAM_STATUS_ERRING, i + 1 == HEALTH_ERRORS);
	}
	up->heard_ns = now_ns;
	ck_assert_uint_gt(upstream_status_all(&us, one), 0);
	ck_assert_str_eq(upstream_status_state_text(one[0].state), "only errors");
	ck_assert_uint_eq(one[0].since_ns, up->errors.since_ns);
	ck_assert_uint_eq(one[0].good_ns, PARTS_START_NS);
	add(one[0]);
	ck_assert(!answers());
	/* Who is asked no more cannot show that it is well again. */
	now_ns += UPSTREAM_STATUS_FRESH_NS;
	add(one[0]);
	ck_assert(answers());
	health_on_rcode(&us, u, UPSTREAM_PRIMARY, DNS_NXDOMAIN, now_ns);
	ck_assert_uint_gt(upstream_status_all(&us, one), 0);
	ck_assert_uint_eq(one[0].state, UPSTREAM_STATUS_GOOD);
	ck_assert_uint_eq(one[0].unanswering_ns, 0);
}
END_TEST

/* What was counted by rcode and by time is added up too; NOERROR is the rest. */
START_TEST(rcodes_and_times_are_sums)
{
	struct upstream_status v = view("192.0.2.1", 100, 10);

	v.tally.sends_tcp = 5;
	v.tally.rcodes[DNS_NXDOMAIN] = 20;
	v.tally.rcodes[UPSTREAM_RCODES - 1] = 1;
	latency_add(&v.tally.rtt, NS_PER_MS);
	add(v);
	add(v);
	ck_assert_uint_eq(n_all, 1);
	ck_assert_uint_eq(all[0].tally.sends_tcp, 10);
	ck_assert_uint_eq(upstream_status_rcode(&all[0], DNS_NXDOMAIN), 40);
	ck_assert_uint_eq(upstream_status_rcode(&all[0], UPSTREAM_RCODES - 1), 2);
	ck_assert_uint_eq(upstream_status_rcode(&all[0], DNS_NOERROR), 158);
	ck_assert_uint_eq(latency_count(&all[0].tally.rtt), 2);
	ck_assert_uint_eq(all[0].tally.rtt.sum_ns, 2 * NS_PER_MS);
}
END_TEST

/* A loop that measured nothing does not make the others faster; nor do large numbers. */
START_TEST(only_those_who_measured_count)
{
	add(view("192.0.2.1", 0, 0));
	add(view("192.0.2.1", UINT64_C(1) << 40, 5000));
	add(view("192.0.2.1", 0, 0));
	add(view("192.0.2.1", UINT64_C(1) << 40, 5000));
	ck_assert_uint_eq(all[0].rtt[UPSTREAM_PRIMARY].srtt_ns, 5000 * NS_PER_MS);
	ck_assert_uint_eq(all[0].n_loops, 4);
}
END_TEST

static struct upstream_status
in_state(enum upstream_status_state state, uint64_t since_ns, uint64_t heard_ns)
{
	struct upstream_status v = view("192.0.2.1", 1, 1);

	v.state = state;
	v.since_ns = since_ns;
	v.heard_ns = heard_ns;
	return v;
}

/* The worst state, since the first loop saw it; who never asked has nothing against it. */
START_TEST(worst_state_counts)
{
	add(in_state(UPSTREAM_STATUS_GOOD, 500, 900));
	add(in_state(UPSTREAM_STATUS_DOWN, 300, 100));
	add(in_state(UPSTREAM_STATUS_IN_DOUBT, 200, 150));
	add(in_state(UPSTREAM_STATUS_DOWN, 250, 120));
	add(in_state(UPSTREAM_STATUS_DOWN, 350, 120));
	ck_assert_uint_eq(all[0].state, UPSTREAM_STATUS_DOWN);
	ck_assert_uint_eq(all[0].since_ns, 250);
	ck_assert_uint_eq(all[0].heard_ns, 900);
	ck_assert_uint_eq(all[0].n_so, 3);
	ck_assert_uint_eq(all[0].n_loops, 5);
}
END_TEST

/* All are good since the last of them is; one that always was says nothing. */
START_TEST(good_since_the_last_loop_is)
{
	add(in_state(UPSTREAM_STATUS_GOOD, 0, 0));
	add(in_state(UPSTREAM_STATUS_GOOD, 500, 0));
	add(in_state(UPSTREAM_STATUS_GOOD, 700, 0));
	add(in_state(UPSTREAM_STATUS_GOOD, 600, 0));
	add(in_state(UPSTREAM_STATUS_GOOD, 0, 0));
	ck_assert_uint_eq(all[0].since_ns, 700);
	ck_assert_uint_eq(all[0].n_so, 5);
}
END_TEST

START_TEST(shares_are_of_all_sends)
{
	add(view("192.0.2.1", 0, 0));
	ck_assert_double_eq(upstream_status_share(&all[0], all, n_all), 0);
	add(view("192.0.2.2", 30, 1));
	add(view("2001:db8::2", 10, 1));
	ck_assert_double_eq(upstream_status_share(&all[0], all, n_all), 0);
	ck_assert_double_eq(upstream_status_share(&all[1], all, n_all), 75);
	ck_assert_double_eq(upstream_status_share(&all[2], all, n_all), 25);
}
END_TEST

START_TEST(no_more_than_there_is_room_for)
{
	for (unsigned i = 0; i < UPSTREAM_MAX + 3; i++) {
		struct upstream_status v = view("192.0.2.1", 1, 1);

		v.addr.port = (uint16_t)(1000 + i);
		add(v);
	}
	ck_assert_uint_eq(n_all, UPSTREAM_MAX);
	ck_assert_uint_eq(all[UPSTREAM_MAX - 1].addr.port, 1000 + UPSTREAM_MAX - 1);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_test(tc, nothing_is_known_at_first);
	tcase_add_test(tc, views_are_of_what_is_configured);
	tcase_add_test(tc, states_and_since_when);
	tcase_add_test(tc, guards_and_what_is_open);
	tcase_add_test(tc, times_of_each_transport);
	tcase_add_test(tc, tallies_are_sums_and_times_means);
	tcase_add_test(tc, d31_who_has_not_asked_has_no_vote);
	tcase_add_test(tc, d31_errors_are_no_answers);
	tcase_add_test(tc, rcodes_and_times_are_sums);
	tcase_add_test(tc, only_those_who_measured_count);
	tcase_add_test(tc, worst_state_counts);
	tcase_add_test(tc, good_since_the_last_loop_is);
	tcase_add_test(tc, shares_are_of_all_sends);
	tcase_add_test(tc, no_more_than_there_is_room_for);
}
