/* SPDX-License-Identifier: BSD-2-Clause */
/* Which upstreams reply, and what the operator is logonce of it (RULES D27). */

#include "outbound/health.h"

#include <string.h>

#include "base/clock.h"
#include "base/logonce.h"
#include "scenario/parts.h"
#include "support/heard.h"
#include "support/tests.h"

static struct upstreams us;
static struct conf_core conf;
static struct wheel wheel;
static struct rng rng;
static uint64_t now_ns;
static bool no_room; /* no probe leaves */

/* What the timer led to, since the test looked last. */
static struct {
	unsigned n_udp; /* probes */
	unsigned n_bare, n_tcp;
	unsigned n_down;
} led;

static void
configure(unsigned n)
{
	parts_conf(&conf, n, 100);
	upstreams_configure(&us, &conf, &wheel);
}

static void
setup(void)
{
	now_ns = PARTS_START_NS;
	rng_init_seeded(&rng, 5);
	wheel_init(&wheel, now_ns);
	upstreams_init(&us);
	memset(&led, 0, sizeof(led));
	no_room = false;
}

static void
be_silent(unsigned u, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		health_on_silence(&us, u, UPSTREAM_PRIMARY, now_ns);
}

/* Of what a timer of LOOP asks: each probe leaves, and is refused if REFUSED is set. */
static void
on_timer(struct upstreams *loop, unsigned u, bool refused)
{
	switch (health_on_timer(loop, u, &rng, now_ns)) {
	case HEALTH_NOTHING:
		break;
	case HEALTH_PROBE:
		if (loop->table[u].probe_way == WAY_BARE) {
			led.n_bare++;
			break;
		}
		if (loop->table[u].probe_way == WAY_TCP) {
			led.n_tcp++;
			break;
		}
		health_on_probe_sent(loop, u);
		led.n_udp++;
		if (no_room)
			health_on_probe_unsent(loop, u);
		if (refused)
			health_on_refused(loop, u, now_ns);
		break;
	case HEALTH_WENT_DOWN:
		led.n_down++;
		break;
	}
}

/* MS pass, a tick at a time. */
static void
pass(unsigned ms, bool refused)
{
	for (uint64_t end_ns = now_ns + ms * NS_PER_MS; now_ns < end_ns;) {
		struct wheel_timer *t;

		now_ns += 4 * NS_PER_MS;
		while ((t = wheel_take(&wheel, now_ns)) != NULL) {
			struct upstream *up = LIST_OBJECT(t, struct upstream, probe);

			on_timer(&us, (unsigned)(up - us.table), refused);
		}
	}
}

/* --- in doubt --------------------------------------------------------------------------------- */

START_TEST(three_timeouts_put_it_in_doubt)
{
	configure(2);
	be_silent(0, 2);
	ck_assert(!us.table[0].in_doubt);
	ck_assert(!health_on_reply(&us, 0, now_ns));
	be_silent(0, 2);
	health_on_silence(&us, 0, UPSTREAM_FALLBACK, now_ns); /* says nothing of UDP */
	health_on_no_tcp(&us, 0, now_ns);
	ck_assert(!us.table[0].in_doubt);
	ck_assert_uint_eq(wheel.n, 0);
	be_silent(0, 1);
	ck_assert(us.table[0].in_doubt && !us.table[0].down);
	ck_assert(!us.table[1].in_doubt);
	pass(16, false);
	ck_assert_uint_eq(led.n_udp, 1);
	ck_assert(!health_on_reply(&us, 0, now_ns));
	ck_assert(!us.table[0].in_doubt);
	ck_assert_uint_eq(wheel.n, 0);
}
END_TEST

/* D27: the kernel's word puts it in doubt at once, but takes nothing down. */
START_TEST(d27_refused_is_in_doubt_at_once)
{
	configure(1);
	health_on_refused(&us, 0, now_ns);
	ck_assert(us.table[0].in_doubt && !us.table[0].down);
	for (unsigned i = 0; i < 100; i++)
		health_on_refused(&us, 0, now_ns);
	pass(16, false);
	ck_assert_uint_eq(led.n_udp, 1);
	ck_assert(!us.table[0].down);
	ck_assert(!health_on_reply(&us, 0, now_ns));
	ck_assert(!us.table[0].in_doubt);
}
END_TEST

/*
 * D27: where the primary transport is a stream, no connection is as a refusal; and as there is no
 * other transport, no probe goes over it.
 */
START_TEST(d27_no_connection_of_the_primary_is_a_refusal)
{
	parts_conf(&conf, 1, 100);
	conf.upstreams[0].transport[UPSTREAM_PRIMARY] = TRANSPORT_TCP;
	upstreams_configure(&us, &conf, &wheel);
	ck_assert(!upstream_has_fallback(&us.table[0]));
	health_on_no_tcp(&us, 0, now_ns);
	ck_assert(us.table[0].in_doubt && !us.table[0].down);
	pass(2 * HEALTH_LOST_MS, false);
	ck_assert(us.table[0].down);
	pass(20 * HEALTH_LOST_MS, false);
	ck_assert_uint_ge(led.n_udp, 2 * HEALTH_TCP_EACH);
	ck_assert_uint_eq(led.n_tcp, 0);
	ck_assert_uint_gt(led.n_bare, 0);
}
END_TEST

/*
 * D27: probes that the kernel had no room for say nothing: for as long as none leaves it is not
 * down, and then only when those that leave have gone unanswered.
 */
START_TEST(d27_unsent_probes_take_nothing_down)
{
	configure(1);
	be_silent(0, 3);
	no_room = true;
	pass(4 * HEALTH_LOST_MS, false);
	ck_assert_uint_ge(led.n_udp, 2 * HEALTH_LOST_PROBES);
	ck_assert(us.table[0].in_doubt && !us.table[0].down);
	no_room = false;
	led.n_udp = 0;
	pass(HEALTH_LOST_MS, false);
	ck_assert(us.table[0].down);
	ck_assert_uint_ge(led.n_udp, HEALTH_LOST_PROBES);
}
END_TEST

/* However often it is in doubt: a probe each half second at the most. */
START_TEST(probes_do_not_add_up)
{
	configure(1);
	for (unsigned i = 0; i < 100; i++) {
		be_silent(0, 3);
		pass(100, false);
		ck_assert(!health_on_reply(&us, 0, now_ns));
	}
	ck_assert_uint_ge(led.n_udp + led.n_tcp, 14);
	ck_assert_uint_le(led.n_udp + led.n_tcp, 25);
	ck_assert_uint_eq(led.n_down, 0);
}
END_TEST

/* --- down ------------------------------------------------------------------------------------- */

/* D27: names alone never do it, and neither do probes that could not be sent. */
START_TEST(d27_down_by_silent_probes)
{
	configure(1);
	be_silent(0, 1000);
	pass(2900, false);
	ck_assert(!us.table[0].down);
	ck_assert_uint_ge(led.n_udp, 4);
	ck_assert_uint_ge(led.n_tcp, 1);
	ck_assert_uint_le(led.n_udp + led.n_tcp, 8);
	pass(300, false);
	ck_assert(us.table[0].down);
	ck_assert_uint_eq(led.n_down, 1);
	pass(4000, false);
	ck_assert(health_on_reply(&us, 0, now_ns));
	ck_assert(!us.table[0].down && !us.table[0].in_doubt);
	ck_assert_uint_eq(us.table[0].revived_ns, now_ns);
	ck_assert_uint_eq(us.table[0].failures.since_ns, PARTS_START_NS);
	ck_assert_uint_eq(wheel.n, 0);
	ck_assert_uint_eq(led.n_down, 1);
	ck_assert(!health_on_reply(&us, 0, now_ns));
}
END_TEST

START_TEST(d26_probes_that_were_not_sent_say_nothing)
{
	configure(1);
	be_silent(0, 3);
	for (unsigned i = 0; i < 100; i++) {
		now_ns += 100 * NS_PER_MS;
		ck_assert_int_ne(health_on_timer(&us, 0, &rng, now_ns), HEALTH_WENT_DOWN);
	}
}
END_TEST

/* A slow upstream gets two of its waits. */
START_TEST(patience_goes_by_the_measured_time)
{
	configure(1);
	us.timeout_ns = 2000 * NS_PER_MS;
	upstreams_learn(&us, 0, UPSTREAM_PRIMARY, 1900 * NS_PER_MS, now_ns);
	ck_assert_uint_eq(health_lost_ns(&us, 0), 4000 * NS_PER_MS);
	be_silent(0, 3);
	pass(3900, false);
	ck_assert(!us.table[0].down);
	pass(400, false);
	ck_assert(us.table[0].down);
}
END_TEST

/* Refused throughout: 1.6 s. One probe that was not refused: three. */
START_TEST(refused_throughout_is_down_sooner)
{
	configure(1);
	health_on_refused(&us, 0, now_ns);
	pass(1580, true);
	ck_assert(!us.table[0].down);
	pass(300, true);
	ck_assert(us.table[0].down);
	setup();
	configure(1);
	be_silent(0, 3);
	pass(300, false);
	pass(2500, true);
	ck_assert(!us.table[0].down);
	pass(500, true);
	ck_assert(us.table[0].down);
}
END_TEST

/* From 400 ms to 5 s, an eighth of the time that it is away; and each a bit different. */
START_TEST(probes_back_off)
{
	unsigned n;

	configure(1);
	be_silent(0, 3);
	pass(3200, false);
	n = led.n_udp + led.n_tcp;
	pass(4000, false);
	ck_assert_uint_ge(led.n_udp + led.n_tcp - n, 4);
	ck_assert_uint_le(led.n_udp + led.n_tcp - n, 12);
	pass(60000, false);
	n = led.n_udp + led.n_tcp;
	pass(100000, false);
	ck_assert_uint_ge(led.n_udp + led.n_tcp - n, 16);
	ck_assert_uint_le(led.n_udp + led.n_tcp - n, 25);
	ck_assert_uint_ge(led.n_tcp * 5, led.n_udp);
	ck_assert_uint_eq(led.n_down, 1);
}
END_TEST

/* What a question cost before says nothing once it is back: it gets its share at once. */
START_TEST(back_with_a_clean_sheet)
{
	configure(2);
	be_silent(0, 3);
	ck_assert_uint_gt(us.table[0].cost.ns, 0);
	pass(3300, false);
	ck_assert(health_on_reply(&us, 0, now_ns));
	ck_assert_uint_eq(us.table[0].cost.ns, 0);
}
END_TEST

/* D27: a reload takes it away: nothing it does says anything any more. */
START_TEST(a_removed_upstream_is_not_probed)
{
	configure(2);
	be_silent(1, 3);
	ck_assert_int_ge(upstreams_socket_add(&us, 1, 0), 0);
	configure(1);
	ck_assert_uint_eq(wheel.n, 0);
	be_silent(1, 9);
	health_on_refused(&us, 1, now_ns);
	ck_assert_uint_eq(wheel.n, 0);
	ck_assert(!us.table[1].in_doubt);
}
END_TEST

/* --- several loops ---------------------------------------------------------------------------- */

/* Two loops, each with its own view, and one operator. */
static struct upstreams loops[2];
static struct wheel wheels[2];
static struct health_table *health;

static void
configure_loops(unsigned n, struct logonce *logonce)
{
	parts_conf(&conf, n, 100);
	conf.logonce = logonce;
	conf.health_table = health;
	for (int i = 0; i < 2; i++)
		upstreams_configure(&loops[i], &conf, &wheels[i]);
}

static void
start_loops(struct logonce *logonce)
{
	health = health_table_new();
	for (int i = 0; i < 2; i++) {
		wheel_init(&wheels[i], now_ns);
		upstreams_init(&loops[i]);
	}
	configure_loops(2, logonce);
	heard_start(LOG_LEVEL_NOTICE);
}

static void
end_loops(struct logonce *logonce)
{
	heard_end();
	logonce_free(logonce);
	health_table_free(health);
}

static void
pass_loops(unsigned ms)
{
	for (uint64_t end_ns = now_ns + ms * NS_PER_MS; now_ns < end_ns;) {
		now_ns += 4 * NS_PER_MS;
		for (int i = 0; i < 2; i++) {
			struct wheel_timer *t;

			while ((t = wheel_take(&wheels[i], now_ns)) != NULL) {
				struct upstream *up = LIST_OBJECT(t, struct upstream, probe);

				on_timer(&loops[i], (unsigned)(up - loops[i].table), false);
			}
		}
	}
}

static void
silence_loop(unsigned i, unsigned u, unsigned n)
{
	while (n-- > 0)
		health_on_silence(&loops[i], u, UPSTREAM_PRIMARY, now_ns);
}

/*
 * D5, D27: one loop has learned a narrower way and gets replies by it after sporadic timeouts; the
 * other one, which gets none by its own, does not take them for its own, and searches too.
 */
START_TEST(d27_replies_by_another_way_are_of_one_loop)
{
	struct logonce *logonce = logonce_new();

	start_loops(logonce);
	upstreams_learn_way(&loops[0], 0, WAY_BARE, now_ns);
	silence_loop(1, 0, 3);
	for (unsigned i = 0; i < 20; i++) {
		silence_loop(0, 0, 1);
		pass_loops(20);
		(void)health_on_reply(&loops[0], 0, now_ns);
		silence_loop(1, 0, 1);
	}
	ck_assert(loops[1].table[0].in_doubt);
	ck_assert_uint_ge(led.n_bare, 1);
	end_loops(logonce);
}
END_TEST

/* D27: one process sends one probe at a time, and what one loop hears the other knows. */
START_TEST(d27_loops_share_the_probes)
{
	struct logonce *logonce = logonce_new();

	start_loops(logonce);
	silence_loop(0, 0, 3);
	silence_loop(1, 0, 3);
	pass_loops(2000);
	ck_assert_uint_le(led.n_udp + led.n_tcp, 6); /* one is of the search for another way */
	ck_assert_uint_eq(led.n_bare, 1);
	ck_assert_uint_ge(led.n_udp + led.n_tcp, 3);
	ck_assert(!health_on_reply(&loops[1], 0, now_ns));
	ck_assert(loops[0].table[0].in_doubt);
	pass_loops(HEALTH_LOOK_MS + 16);
	ck_assert(!loops[0].table[0].in_doubt);
	ck_assert_uint_eq(wheels[0].n + wheels[1].n, 0);
	end_loops(logonce);
}
END_TEST

/* What one loop's probes have shown another need not find out again. */
START_TEST(down_is_known_to_all)
{
	struct logonce *logonce = logonce_new();

	start_loops(logonce);
	silence_loop(0, 0, 3);
	pass_loops(3300);
	ck_assert(loops[0].table[0].down && !loops[1].table[0].in_doubt);
	silence_loop(1, 0, 1);
	pass_loops(16);
	ck_assert(loops[1].table[0].down);
	ck_assert(health_on_reply(&loops[0], 0, now_ns));
	pass_loops(HEALTH_LOOK_MS + 16);
	ck_assert(!loops[1].table[0].down);
	end_loops(logonce);
}
END_TEST

/* --- what is logonce -----------------------------------------------------------------------------
 */

/* Down and up again: said once, by the first and by the last. */
START_TEST(down_is_told_once)
{
	struct logonce *logonce = logonce_new();

	start_loops(logonce);
	for (unsigned again = 1; again <= 2; again++) {
		silence_loop(0, 0, 3);
		silence_loop(1, 0, 3);
		pass_loops(3500);
		ck_assert(loops[0].table[0].down && loops[1].table[0].down);
		ck_assert_uint_eq(heard("192.0.2.1#53: no reply to 3 questions"), 1);
		ck_assert(health_on_reply(&loops[1], 0, now_ns));
		ck_assert_uint_eq(heard("replies again"), 0);
		pass_loops(HEALTH_LOOK_MS + 16);
		ck_assert_uint_eq(heard("192.0.2.1#53: replies again"), 1);
		ck_assert_uint_eq(heard_all(), 2);
	}
	end_loops(logonce);
}
END_TEST

/* One that is configured no more while it is down leaves nothing behind that would keep quiet
 * later. */
START_TEST(down_is_told_anew)
{
	struct logonce *logonce = logonce_new();

	start_loops(logonce);
	for (int again = 0; again < 2; again++) {
		silence_loop(0, 1, 3);
		silence_loop(1, 1, 3);
		pass_loops(3500);
		ck_assert_uint_eq(heard("192.0.2.2#53: no reply"), 1);
		ck_assert_uint_eq(heard_all(), 1);
		configure_loops(1, logonce);
		configure_loops(2, logonce);
		ck_assert_uint_eq(shared_health_since_ns(loops[0].table[1].shared), 0);
	}
	end_loops(logonce);
}
END_TEST

/*
 * Errors and nothing else for a time are logonce; one that is none ends it, whichever loop hears
 * it.
 */
START_TEST(errors_are_told_once)
{
	struct logonce *logonce = logonce_new();

	start_loops(logonce);
	for (unsigned i = 0; i < 2 * HEALTH_ERRORS; i++)
		health_on_rcode(&loops[i % 2], 0, UPSTREAM_PRIMARY, DNS_SERVFAIL, now_ns);
	ck_assert_uint_eq(heard_all(), 0);
	now_ns += HEALTH_ERRORS_MS * NS_PER_MS;
	for (unsigned i = 0; i < 2 * HEALTH_ERRORS; i++)
		health_on_rcode(&loops[i % 2], 0, UPSTREAM_PRIMARY, DNS_SERVFAIL, now_ns);
	ck_assert_uint_eq(
	    heard("192.0.2.1#53: every reply for 10 s was an error (last SERVFAIL)"), 1);
	health_on_rcode(&loops[1], 0, UPSTREAM_PRIMARY, DNS_NXDOMAIN, now_ns);
	health_on_rcode(&loops[0], 0, UPSTREAM_PRIMARY, DNS_NOERROR, now_ns);
	health_on_rcode(&loops[0], 0, UPSTREAM_PRIMARY, DNS_NOERROR, now_ns);
	ck_assert_uint_eq(heard("192.0.2.1#53: replies without error again"), 1);
	ck_assert_uint_eq(heard_all(), 2);
	end_loops(logonce);
}
END_TEST

/* Few errors, or some among others, are the names' own. */
START_TEST(some_errors_are_not_told)
{
	struct logonce *logonce = logonce_new();

	start_loops(logonce);
	for (unsigned i = 0; i < 10 * HEALTH_ERRORS; i++) {
		now_ns += HEALTH_ERRORS_MS * NS_PER_MS / 10;
		health_on_rcode(&loops[0], 0, UPSTREAM_PRIMARY, DNS_REFUSED, now_ns);
		if (i % (HEALTH_ERRORS - 1) == 0)
			health_on_rcode(&loops[0], 0, UPSTREAM_PRIMARY, DNS_NOERROR, now_ns);
	}
	ck_assert_uint_eq(heard_all(), 0);
	end_loops(logonce);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_test(tc, three_timeouts_put_it_in_doubt);
	tcase_add_test(tc, d27_refused_is_in_doubt_at_once);
	tcase_add_test(tc, d27_no_connection_of_the_primary_is_a_refusal);
	tcase_add_test(tc, d27_unsent_probes_take_nothing_down);
	tcase_add_test(tc, probes_do_not_add_up);
	tcase_add_test(tc, d27_down_by_silent_probes);
	tcase_add_test(tc, d26_probes_that_were_not_sent_say_nothing);
	tcase_add_test(tc, patience_goes_by_the_measured_time);
	tcase_add_test(tc, refused_throughout_is_down_sooner);
	tcase_add_test(tc, probes_back_off);
	tcase_add_test(tc, back_with_a_clean_sheet);
	tcase_add_test(tc, a_removed_upstream_is_not_probed);
	tcase_add_test(tc, d27_replies_by_another_way_are_of_one_loop);
	tcase_add_test(tc, d27_loops_share_the_probes);
	tcase_add_test(tc, down_is_known_to_all);
	tcase_add_test(tc, down_is_told_once);
	tcase_add_test(tc, down_is_told_anew);
	tcase_add_test(tc, errors_are_told_once);
	tcase_add_test(tc, some_errors_are_not_told);
}
