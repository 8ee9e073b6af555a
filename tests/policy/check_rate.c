/* SPDX-License-Identifier: BSD-2-Clause */
/* What networks have used, in one table for all loops (RULES D26). */

#include "policy/rate.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/clock.h"
#include "base/rng.h"
#include "support/tests.h"

#define START_NS 1000000000000ULL
#define ONE (UINT64_C(1) << 16)
#define THREADS 4

static struct rates *rates;
static struct rng dice;

static void
setup(void)
{
	rates = rates_new();
	ck_assert_ptr_nonnull(rates);
	rng_init_seeded(&dice, 1);
}

static void
teardown(void)
{
	rates_free(rates);
}

/* 2001:db8:HIGH:: and LOW in its last 4 bytes. */
static struct netaddr
v6(uint32_t high, uint32_t low)
{
	struct netaddr a = { .family = NETADDR_IPV6, .addr = { 0x20, 0x01, 0x0d, 0xb8 } };

	for (unsigned i = 0; i < 4; i++) {
		a.addr[4 + i] = (uint8_t)(high >> (24 - 8 * i));
		a.addr[12 + i] = (uint8_t)(low >> (24 - 8 * i));
	}
	return a;
}

static struct netaddr
v4(uint32_t n)
{
	struct netaddr a = { .family = NETADDR_IPV4 };

	for (unsigned i = 0; i < 4; i++)
		a.addr[i] = (uint8_t)(n >> (24 - 8 * i));
	return a;
}

static unsigned
use(const struct rate_plan *p, struct netaddr who, uint64_t amount, uint64_t now_ns)
{
	const struct rate_use u = {
		.who = &who, .amount = amount, .dice = rng_u32(&dice), .now_ns = now_ns
	};

	return rates_charge(rates, p, &u);
}

/* How many of N questions of WHO pass at NOW_NS. */
static unsigned
passed(const struct rate_plan *p, struct netaddr who, unsigned n, uint64_t now_ns)
{
	unsigned n_passed = 0;

	for (unsigned i = 0; i < n; i++)
		n_passed += use(p, who, ONE, now_ns) == 0;
	return n_passed;
}

START_TEST(a_burst_then_the_rate)
{
	struct netaddr who = _i == 0 ? v4(0xc0000201) : v6(1, 1);
	struct rate_plan p;
	unsigned n = 0;

	rate_plan_make(&p, 20, 50);
	ck_assert_uint_eq(passed(&p, who, 1000, START_NS), 50);
	ck_assert_uint_eq(use(&p, who, ONE, START_NS), _i == 0 ? 32 : 128);
	/* 10 s of 1,000 questions a second: 20 of each. */
	for (unsigned ms = 1; ms <= 10000; ms++)
		n += passed(&p, who, 1, START_NS + ms * NS_PER_MS);
	ck_assert_uint_eq(n, 200);
	/* After 2.5 s of silence the whole burst again, and no more after an hour. */
	ck_assert_uint_eq(passed(&p, who, 1000, START_NS + 12500 * NS_PER_MS), 50);
	ck_assert_uint_eq(passed(&p, who, 1000, START_NS + 3600 * NS_PER_SEC), 50);
}
END_TEST

START_TEST(amounts_are_parts_and_multiples)
{
	struct rate_plan p;
	unsigned n = 0;

	rate_plan_make(&p, 10, 10);
	while (use(&p, v4(1), ONE / 4, START_NS) == 0)
		n++;
	ck_assert_uint_eq(n, 40);
	ck_assert_uint_eq(use(&p, v4(0x01000000), 10 * ONE, START_NS), 0);
	ck_assert_uint_eq(use(&p, v4(0x01000000), ONE, START_NS), 32);
	/* More than the burst at once never passes. */
	ck_assert_uint_eq(use(&p, v4(0x02000000), 11 * ONE, START_NS), 32);
	ck_assert_uint_eq(use(&p, v4(0x02000000), 10 * ONE, START_NS), 0);
}
END_TEST

/*
 * A network of many addresses: which length stops it, and when? Each address comes as seldom as can
 * be, so that two of them that share a counter by chance are not stopped before their network.
 */
START_TEST(d30_networks_have_their_multiples)
{
	/* the first byte of the address that changes; how many pass at a burst of 10; what stops
	 * them */
	static const struct {
		unsigned from, least, most, len;
	} nets[] = { { 12, 159, 160, 64 }, { 7, 540, 760, 56 }, { 3, 159, 160, 24 } };
	bool is_v6 = _i < 2;
	unsigned n = 0, len;
	struct rate_plan p;

	rate_plan_make(&p, 10, 10);
	do {
		struct netaddr who = is_v6 ? v6(0xabcd0000, 0) : v4(0xc6336400);
		uint32_t rest = n;

		for (unsigned i = nets[_i].from; i < (is_v6 ? 16U : 4U); i++, rest /= 256)
			who.addr[i] = (uint8_t)rest;
		len = use(&p, who, ONE, START_NS);
		n += len == 0;
	} while (len == 0);
	ck_assert_uint_eq(len, nets[_i].len);
	ck_assert_uint_ge(n, nets[_i].least);
	ck_assert_uint_le(n, nets[_i].most);
}
END_TEST

/* Who is blocked by a network does not pay itself. */
START_TEST(nothing_is_charged_if_one_is_over)
{
	struct rate_plan p;

	rate_plan_make(&p, 10, 10);
	/* counters are rounded */
	for (unsigned i = 0; i < 16; i++)
		ck_assert_uint_eq(passed(&p, v6(1, i), 10, START_NS + i * 1000), 10);
	for (unsigned i = 0; i < 100; i++)
		ck_assert_uint_eq(use(&p, v6(1, 19), ONE, START_NS), 64);
	/* A second later the network has 160, and the address its whole 10. */
	ck_assert_uint_eq(passed(&p, v6(1, 19), 20, START_NS + NS_PER_SEC), 10);
}
END_TEST

START_TEST(kinds_and_families_are_apart)
{
	struct netaddr six = v6(0, 0), four = { .family = NETADDR_IPV4 };
	struct rate_use u = { .amount = ONE, .now_ns = START_NS, .dice = 1 };
	struct rate_plan p;

	memcpy(four.addr, six.addr, 4);
	rate_plan_make(&p, 1, 1);
	u.who = &six;
	ck_assert_uint_eq(rates_charge(rates, &p, &u), 0);
	ck_assert_uint_ne(rates_charge(rates, &p, &u), 0);
	u.kind = RATE_AMPLIFIED;
	ck_assert_uint_eq(rates_charge(rates, &p, &u), 0);
	u.who = &four;
	ck_assert_uint_eq(rates_charge(rates, &p, &u), 0);
}
END_TEST

START_TEST(a_plan_has_bounds)
{
	struct rate_plan p;

	/* No burst is worth more than a minute. */
	rate_plan_make(&p, 1, 1000000);
	ck_assert_uint_eq(p.most_ns, RATE_MOST_NS);
	ck_assert_uint_eq(passed(&p, v4(1), 1000, START_NS), 60);
	rate_plan_make(&p, 1000000, 1000000);
	ck_assert_uint_eq(p.most_ns, NS_PER_SEC);
	rate_plan_make(&p, 1000000, 1);
	ck_assert_uint_eq(passed(&p, v4(1 << 24), 10, START_NS), 1);
	ck_assert_uint_eq(passed(&p, v4(1 << 24), 10, START_NS + 2000), 1);
}
END_TEST

/* A counter that was left alone for longer than its time is free, not far ahead. */
START_TEST(the_time_wraps)
{
	const uint64_t wrap = UINT64_C(1) << 54;
	struct rate_plan p;

	rate_plan_make(&p, 10, 10);
	ck_assert_uint_eq(passed(&p, v4(1), 100, START_NS), 10);
	ck_assert_uint_eq(passed(&p, v4(1), 100, START_NS + wrap / 2), 10);
	ck_assert_uint_eq(passed(&p, v4(1), 100, START_NS + 2 * wrap - 70 * NS_PER_SEC), 10);
	/* And in use while it wraps; those never used are free then too. */
	ck_assert_uint_eq(passed(&p, v4(1 << 24), 100, wrap - NS_PER_SEC / 2), 10);
	ck_assert_uint_eq(passed(&p, v4(1 << 24), 100, wrap + NS_PER_SEC / 2), 10);
}
END_TEST

/*
 * A million forged addresses a second for a second: those who ask 5 a second beside them stay below
 * their 20, and who asks 1,000 gets no more than 20.
 */
START_TEST(a_flood_of_addresses_hides_nobody)
{
	unsigned n_over = 0, n_busy = 0;
	struct rate_plan p;

	rate_plan_make(&p, 20, 50);
	for (unsigned i = 0; i < 1000000; i++) {
		uint64_t now_ns = START_NS + i * 1000;

		(void)use(&p, v6(rng_u32(&dice), rng_u32(&dice)), ONE, now_ns);
		if (i % 1000 == 0)
			n_busy += use(&p, v4(0xc0000201), ONE, now_ns) == 0;
		if (i % 200 == 0) /* 1,000 of them */
			n_over += use(&p, v4(0x0a000000 + i / 200 % 1000 * 65536), ONE, now_ns) > 0;
	}
	ck_assert_uint_le(n_busy, 70);
	ck_assert_uint_ge(n_busy, 60);
	ck_assert_uint_eq(n_over, 0);
}
END_TEST

/*
 * Too many addresses in use for the table: too much is counted, never too little; and not so much
 * too much that who asks once is limited, as it is the lowest counter that passes to a newcomer.
 */
START_TEST(a_full_table_forgets_no_heavy_one)
{
	unsigned n_busy = 0, n_over = 0;
	struct rate_plan p;

	rate_plan_make(&p, 1, 10);
	for (unsigned i = 0; i < 2000000; i++) {
		n_over += use(&p, v6(i * 2654435761U, i), ONE, START_NS + i) > 0;
		if (i % 1000 == 0)
			n_busy += use(&p, v4(0xc0000201), ONE, START_NS + i) == 0;
	}
	ck_assert_uint_le(n_busy, 20);
	ck_assert_uint_le(n_over, 100);
}
END_TEST

static atomic_uint n_passed;

static void *
ask_much(void *arg)
{
	const struct rate_plan *p = arg;
	struct netaddr who = v4(0xc0000201), other = v4(0xc0000202);
	struct rate_use u = { .who = &who, .amount = ONE, .now_ns = START_NS };

	for (unsigned i = 0; i < 100000; i++) {
		u.dice = i;
		u.who = i % 2 == 0 ? &who : &other;
		if (rates_charge(rates, p, &u) == 0 && i % 2 == 0)
			atomic_fetch_add(&n_passed, 1);
	}
	return NULL;
}

/* Loops that charge at the same time pass the limit by a use each at the most. */
START_TEST(loops_count_together)
{
	pthread_t thread[THREADS];
	struct rate_plan p;

	rate_plan_make(&p, 10000, 10000);
	atomic_store(&n_passed, 0);
	for (unsigned i = 0; i < THREADS; i++)
		ck_assert_int_eq(pthread_create(&thread[i], NULL, ask_much, &p), 0);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	/* 100 us are 1,562.5 units */
	ck_assert_uint_ge(atomic_load(&n_passed), 9900);
	ck_assert_uint_le(atomic_load(&n_passed), 10100);
}
END_TEST

/* What shares a counter is another in each process. */
START_TEST(the_seed_is_secret)
{
	enum { N = 200000 };
	struct rates *second = rates_new(), *first = rates;
	unsigned n_both = 0, n_first = 0, n_second = 0;
	struct rate_plan p;

	ck_assert_ptr_nonnull(second);
	rate_plan_make(&p, 1, 1);
	for (unsigned i = 0; i < N; i++) {
		struct netaddr who = v4(i * 65536 + i / 65536);
		unsigned a, b;

		rates = first;
		a = use(&p, who, ONE, START_NS) > 0;
		rates = second;
		b = use(&p, who, ONE, START_NS) > 0;
		n_first += a;
		n_second += b;
		n_both += a && b;
	}
	rates = first;
	rates_free(second);
	ck_assert_uint_lt(n_both, 1 + (n_first + n_second) / 4);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, a_burst_then_the_rate, 0, 2);
	tcase_add_test(tc, amounts_are_parts_and_multiples);
	tcase_add_loop_test(tc, d30_networks_have_their_multiples, 0, 3);
	tcase_add_test(tc, nothing_is_charged_if_one_is_over);
	tcase_add_test(tc, kinds_and_families_are_apart);
	tcase_add_test(tc, a_plan_has_bounds);
	tcase_add_test(tc, the_time_wraps);
	tcase_add_test(tc, a_flood_of_addresses_hides_nobody);
	tcase_add_test(tc, a_full_table_forgets_no_heavy_one);
	tcase_add_test(tc, loops_count_together);
	tcase_add_test(tc, the_seed_is_secret);
}
