/* SPDX-License-Identifier: BSD-2-Clause */
/* RULES D26: networks are told apart, the fullest is found, what is the same is counted. */
#include "core/fair.h"

#include "base/rng.h"
#include "scenario/parts.h"
#include "support/tests.h"

#define CAP 4096
#define QUESTION 0x9e3779b97f4a7c15 /* like a hash */
#define ANOTHER 0xc2b2ae3d27d4eb4f

static struct fair fair;
static struct fair_place places[CAP];
static unsigned n_places;

static void
setup(void)
{
	ck_assert_int_eq(fair_init(&fair, 0x123456789abcdef0, CAP), 0);
	n_places = 0;
}

static void
teardown(void)
{
	while (n_places > 0)
		fair_leave(&fair, &places[--n_places]);
	ck_assert_uint_eq(fair.nets.n_used, 0);
	ck_assert_ptr_null(fair_fullest(&fair));
	for (size_t i = 0; i < (size_t)FAIR_ROWS << fair.bits; i++)
		PARTS_CHECK(fair.same[i] == 0);
	fair_fini(&fair);
}

static struct netaddr
address(const char *text)
{
	struct netaddr a;

	ck_assert(netaddr_parse(text, 1000, &a));
	return a;
}

/* A question from PEER gets a place. */
static struct fair_place *
enter(const struct netaddr *peer)
{
	struct fair_place *p = &places[n_places++];

	*p = (struct fair_place){ .net = NULL };
	PARTS_CHECK(fair_enter(&fair, peer, n_places * QUESTION, 0, 1000, p) == FAIR_WELCOME);
	PARTS_CHECK(p->net != NULL);
	return p;
}

START_TEST(d26_an_ipv6_64_or_an_ipv4_address_is_a_network)
{
	static const char *const text[][2] = { { "2001:db8::1", "2001:db8::ffff:2" },
		{ "2001:db8::1", "2001:db8:0:1::1" }, { "192.0.2.1", "192.0.2.1" },
		{ "192.0.2.1", "192.0.2.2" }, { "192.0.2.1", "c000:201::" } };
	static const bool same[] = { true, false, true, false, false };

	for (unsigned i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
		struct netaddr a = address(text[i][0]);
		struct netaddr b = address(text[i][1]);

		b.port = 2000;
		ck_assert_int_eq(enter(&a)->net == enter(&b)->net, same[i]);
	}
}
END_TEST

/* fe80::/64 is on every link: the interface tells the networks apart. */
START_TEST(d26_link_local_networks_are_those_of_their_interfaces)
{
	struct netaddr a = address("fe80::1"), b = address("fe80::2");

	a.scope = 1;
	b.scope = 1;
	ck_assert_ptr_eq(enter(&a)->net, enter(&b)->net);
	b.scope = 2;
	ck_assert_ptr_ne(enter(&a)->net, enter(&b)->net);
}
END_TEST

START_TEST(classes_grow_by_an_eighth)
{
	uint32_t first = 1; /* the least number in its class */

	for (uint32_t n = 2; n <= 1u << 20; n++) {
		PARTS_CHECK(fair_class(n) >= fair_class(n - 1));
		if (fair_class(n) != fair_class(n - 1))
			first = n;
		PARTS_CHECK(n - first < first / 8 + 1);
	}
	ck_assert_uint_lt(fair_class(UINT32_C(1) << 21), FAIR_CLASSES);
}
END_TEST

/* Whoever enters and leaves: the fullest has most, to within an eighth. */
START_TEST(d26_the_fullest_network_is_found)
{
	struct netaddr peers[40];
	static unsigned owner[CAP];
	unsigned n[40] = { 0 };
	struct rng rng;

	rng_init_seeded(&rng, (uint64_t)_i);
	for (unsigned i = 0; i < 40; i++) {
		peers[i] = address("2001:db8::1");
		peers[i].addr[7] = (uint8_t)i;
	}
	for (unsigned step = 0; step < 20000; step++) {
		unsigned most = 0;

		if (n_places < CAP && (n_places == 0 || rng_below(&rng, 100) < 52)) {
			unsigned i = rng_below(&rng, 1 + rng_below(&rng, 40));

			owner[n_places] = i;
			n[i]++;
			(void)enter(&peers[i]);
		} else {
			n_places--;
			n[owner[n_places]]--;
			fair_leave(&fair, &places[n_places]);
			PARTS_CHECK(places[n_places].net == NULL);
		}
		for (unsigned i = 0; i < 40; i++)
			most = n[i] > most ? n[i] : most;
		if (most == 0)
			PARTS_CHECK(fair_fullest(&fair) == NULL);
		else
			PARTS_CHECK(fair_fullest(&fair)->n + most / 8 >= most);
	}
}
END_TEST

START_TEST(d26_who_has_waited_longest_is_first)
{
	struct netaddr a = address("192.0.2.1"), b = address("192.0.2.2");
	struct fair_place *first = enter(&a), *second;

	(void)enter(&b);
	second = enter(&a);
	ck_assert_ptr_eq(fair_fullest(&fair), first->net);
	ck_assert_ptr_eq(fair_fullest(&fair)->waiting.next, &first->link);
	fair_leave(&fair, first);
	ck_assert_ptr_eq(second->net->waiting.next, &second->link);
}
END_TEST

START_TEST(d26_ceiling_of_a_network)
{
	struct netaddr a = address("192.0.2.1"), b = address("192.0.2.2");
	struct fair_place p = { .net = NULL };

	for (unsigned i = 0; i < 5; i++)
		(void)enter(&a);
	ck_assert_int_eq(fair_enter(&fair, &a, 9, 5, 0, &p), FAIR_CEILING);
	ck_assert_ptr_null(p.net);
	ck_assert_int_eq(fair_enter(&fair, &b, 9, 5, 0, &places[n_places++]), FAIR_WELCOME);
	fair_leave(&fair, &places[0]);
	ck_assert_int_eq(fair_enter(&fair, &a, 9, 5, 0, &places[0]), FAIR_WELCOME);
}
END_TEST

START_TEST(d26_ceiling_of_the_same_question)
{
	struct netaddr a = address("2001:db8::1"), b = address("2001:db8:0:1::1");
	struct fair_place p = { .net = NULL };

	for (unsigned i = 0; i < 16; i++)
		ck_assert_int_eq(
		    fair_enter(&fair, &a, QUESTION, 0, 16, &places[n_places++]), FAIR_WELCOME);
	ck_assert_int_eq(fair_enter(&fair, &a, QUESTION, 0, 16, &p), FAIR_SAME);
	ck_assert_ptr_null(p.net);
	/* another question, another network, and one that does not count */
	ck_assert_int_eq(fair_enter(&fair, &a, ANOTHER, 0, 16, &places[n_places++]), FAIR_WELCOME);
	ck_assert_int_eq(fair_enter(&fair, &b, QUESTION, 0, 16, &places[n_places++]), FAIR_WELCOME);
	ck_assert_int_eq(fair_enter(&fair, &a, QUESTION, 0, 0, &places[n_places++]), FAIR_WELCOME);
	ck_assert_int_eq(fair_enter(&fair, &a, QUESTION, 0, 16, &p), FAIR_SAME);
	fair_leave(&fair, &places[3]);
	ck_assert_int_eq(fair_enter(&fair, &a, QUESTION, 0, 16, &places[3]), FAIR_WELCOME);
}
END_TEST

/* The count is never too low, and with a full table hardly ever too high. */
START_TEST(d26_different_questions_are_not_the_same)
{
	struct netaddr a = address("2001:db8::1");
	unsigned n_wrong = 0;
	struct rng rng;

	rng_init_seeded(&rng, 5);
	while (n_places < CAP) {
		a.addr[6] = (uint8_t)rng_below(&rng, 256);
		n_wrong +=
		    fair_enter(&fair, &a, rng_u64(&rng), 0, 4, &places[n_places]) != FAIR_WELCOME;
		n_places++;
	}
	ck_assert_uint_le(n_wrong, 8);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, d26_an_ipv6_64_or_an_ipv4_address_is_a_network);
	tcase_add_test(tc, d26_link_local_networks_are_those_of_their_interfaces);
	tcase_add_test(tc, classes_grow_by_an_eighth);
	tcase_add_loop_test(tc, d26_the_fullest_network_is_found, 0, 4);
	tcase_add_test(tc, d26_who_has_waited_longest_is_first);
	tcase_add_test(tc, d26_ceiling_of_a_network);
	tcase_add_test(tc, d26_ceiling_of_the_same_question);
	tcase_add_test(tc, d26_different_questions_are_not_the_same);
}
