/* SPDX-License-Identifier: BSD-2-Clause */
/* RULES D26: networks are told apart, the fullest is found, what is the same is counted. */
#include "policy/fair.h"

#include "base/rng.h"
#include "scenario/parts.h"
#include "support/tests.h"

#define CAP 4096
#define QUESTION 0x9e3779b97f4a7c15 /* like a hash */
#define ANOTHER 0xc2b2ae3d27d4eb4f

static struct fair fair;
static struct fair_place places[CAP];
static unsigned n_places;

/* The heaviest network, to within its class, if there is one. */
static struct fair_net *
heaviest(void)
{
	return fair_first(&fair, fair_below(&fair, FAIR_CLASSES));
}

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
	ck_assert_uint_eq(fair.clients.n_used, 0);
	ck_assert_uint_eq(fair_below(&fair, FAIR_CLASSES), FAIR_NONE);
	for (size_t i = 0; i < (size_t)FAIR_ROWS * fair.row; i++)
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

static enum fair_verdict
try_to_enter(const struct netaddr *peer, uint64_t question, uint32_t max_net, uint32_t max_same,
    struct fair_place *p)
{
	const struct fair_terms terms = {
		.question = question, .max_net = max_net, .max_same = max_same, .scarce = true
	};

	*p = (struct fair_place){ .client = NULL };
	return fair_enter(&fair, peer, &terms, p);
}

/* A question from PEER gets a place. */
static struct fair_place *
enter(const struct netaddr *peer)
{
	struct fair_place *p = &places[n_places++];

	PARTS_CHECK(try_to_enter(peer, n_places * QUESTION, 0, 1000, p) == FAIR_WELCOME);
	PARTS_CHECK(p->client != NULL);
	return p;
}

/* Which networks have both addresses? */
static const struct {
	const char *a, *b;
	bool same[NETADDR_LEVELS];
} pairs[] = {
	{ "2001:db8::1", "2001:db8::1", { true, true, true } },
	{ "2001:db8::1", "2001:db8::ffff:2", { false, true, true } },
	{ "2001:db8::1", "2001:db8:0:1::1", { false, false, true } },
	{ "2001:db8::1", "2001:db8:0:100::1", { false, false, false } },
	{ "192.0.2.1", "192.0.2.1", { true, true, true } },
	{ "192.0.2.1", "192.0.2.2", { false, true, true } },
	{ "192.0.2.1", "192.0.3.1", { false, false, true } }, /* there is no third */
	{ "192.0.2.1", "c000:201::", { false, false, false } },
};

START_TEST(d30_addresses_and_networks_around_them)
{
	struct netaddr a = address(pairs[_i].a), b = address(pairs[_i].b);
	struct fair_client *one, *other;

	b.port = 2000;
	one = enter(&a)->client;
	other = enter(&b)->client;
	ck_assert_int_eq(one == other, pairs[_i].same[0]);
	for (unsigned i = 0; i < FAIR_WIDE; i++)
		ck_assert_int_eq(one->wide[i] == other->wide[i], pairs[_i].same[i + 1]);
}
END_TEST

/* fe80::/64 is on every link: the interface tells the networks apart. */
START_TEST(d26_link_local_networks_are_those_of_their_interfaces)
{
	struct netaddr a = address("fe80::1"), b = address("fe80::2");

	a.scope = 1;
	b.scope = 1;
	ck_assert_ptr_eq(enter(&a)->client->wide[0], enter(&b)->client->wide[0]);
	b.scope = 2;
	ck_assert_ptr_ne(enter(&a)->client->wide[0], enter(&b)->client->wide[0]);
}
END_TEST

START_TEST(classes_grow_by_an_eighth)
{
	uint32_t first = 1; /* the least weight in its class */

	for (uint32_t n = 2; n <= 1u << 20; n++) {
		PARTS_CHECK(fair_class(n) >= fair_class(n - 1));
		if (fair_class(n) != fair_class(n - 1))
			first = n;
		PARTS_CHECK(n - first < first / 8 + 1);
	}
	ck_assert_uint_lt(fair_class(fair_weigh(UINT32_C(1) << 20, 0)), FAIR_CLASSES);
}
END_TEST

/*
 * Whoever enters and leaves, of addresses of two /56 with two /64 each: the heaviest of all their
 * networks is found, to within an eighth, and classes are visited from both ends.
 */
START_TEST(d26_the_fullest_network_is_found)
{
	struct netaddr peers[40];
	static unsigned owner[CAP];
	unsigned n[40] = { 0 };
	struct rng rng;

	rng_init_seeded(&rng, (uint64_t)_i);
	for (unsigned i = 0; i < 40; i++) {
		peers[i] = address("2001:db8::1");
		peers[i].addr[6] = i / 20 % 2;
		peers[i].addr[7] = i / 10 % 2;
		peers[i].addr[15] = (uint8_t)i;
	}
	for (unsigned step = 0; step < 20000; step++) {
		unsigned wide[2][4] = { { 0 } }, most = 0, class;

		if (n_places < CAP && (n_places == 0 || rng_below(&rng, 100) < 52)) {
			unsigned i = rng_below(&rng, 1 + rng_below(&rng, 40));

			i = _i % 2 == 0 ? i : rng_below(&rng, 40);
			owner[n_places] = i;
			n[i]++;
			(void)enter(&peers[i]);
		} else {
			n_places--;
			n[owner[n_places]]--;
			fair_leave(&fair, &places[n_places]);
			PARTS_CHECK(places[n_places].client == NULL);
		}
		for (unsigned i = 0; i < 40; i++) {
			wide[0][i / 10] += n[i];
			wide[1][i / 20] += n[i];
			most = 64 * n[i] > most ? 64 * n[i] : most;
		}
		for (unsigned i = 0; i < 4; i++) {
			most = 4 * wide[0][i] > most ? 4 * wide[0][i] : most;
			most = wide[1][i] > most ? wide[1][i] : most;
		}
		if (most == 0) {
			PARTS_CHECK(fair_below(&fair, FAIR_CLASSES) == FAIR_NONE);
			PARTS_CHECK(fair_above(&fair, 0) == FAIR_NONE);
			continue;
		}
		PARTS_CHECK(fair_weight(heaviest()) + most / 8 >= most);
		PARTS_CHECK(fair_weight(heaviest()) <= most);
		class = fair_below(&fair, FAIR_CLASSES);
		PARTS_CHECK(class == fair_class(most));
		for (unsigned low = 0; low != class; low++) {
			low = fair_above(&fair, low);
			PARTS_CHECK(low <= class);
			if (low == class)
				break;
			PARTS_CHECK(fair_class(fair_weight(fair_first(&fair, low))) == low);
		}
	}
}
END_TEST

START_TEST(d26_who_has_waited_longest_is_first)
{
	struct netaddr a = address("192.0.2.1"), b = address("192.0.3.2");
	struct fair_place *first = enter(&a), *second;

	(void)enter(&b);
	second = enter(&a);
	ck_assert_ptr_eq(heaviest(), &first->client->own);
	ck_assert_ptr_eq(first->client->own.of[FAIR_WAITING].next, &first->link);
	fair_leave(&fair, first);
	ck_assert_ptr_eq(second->client->own.of[FAIR_WAITING].next, &second->link);
	/* and of networks that have as many, the one that has had so many for longest */
	ck_assert_ptr_ne(heaviest(), &second->client->own);
	fair_later(&fair, heaviest());
	ck_assert_ptr_eq(heaviest(), &second->client->own);
}
END_TEST

/* D30: 18 addresses of one /64 with one each: the /64 is heavier; its first member is the oldest.
 */
START_TEST(d30_many_addresses_weigh_together)
{
	struct netaddr a = address("2001:db8::1"), b = address("2001:db8:0:100::1");
	struct fair_place *first = NULL;
	struct fair_net *net;

	for (unsigned i = 0; i < 18; i++) {
		struct fair_place *p;

		ck_assert(fair_below(&fair, FAIR_CLASSES) == FAIR_NONE || heaviest()->level == 0);
		a.addr[15] = (uint8_t)i;
		p = enter(&a);
		first = i == 0 ? p : first;
	}
	net = heaviest();
	ck_assert_ptr_eq(net, first->client->wide[0]);
	ck_assert_uint_eq(net->n, 18);
	ck_assert_uint_eq(fair_bits(net), 64);
	ck_assert_ptr_eq(fair_member(net), first->client);
	fair_later(&fair, net);
	ck_assert_ptr_ne(fair_member(net), first->client);
	ck_assert(fair_net_in(first->client, net));
	/* an address with two is heavier */
	(void)enter(&b);
	ck_assert(!fair_net_in(enter(&b)->client, net));
	ck_assert_uint_eq(fair_bits(heaviest()), 128);
	ck_assert_uint_eq(fair_network(heaviest()).addr[6], 1);
}
END_TEST

/* While there is plenty of room wider networks are not counted; who is there then is later. */
START_TEST(wider_networks_are_counted_from_when_room_is_scarce)
{
	const struct fair_terms plenty = { .max_same = 0 };
	struct netaddr a = address("2001:db8::1");
	struct fair_nets nets;

	for (unsigned i = 0; i < 20; i++)
		ck_assert_int_eq(fair_enter(&fair, &a, &plenty, &places[n_places++]), FAIR_WELCOME);
	fair_find(&fair, &a, &nets);
	ck_assert_uint_eq(nets.at[0]->n, 20);
	ck_assert_ptr_null(nets.at[1]);
	(void)enter(&a);
	fair_find(&fair, &a, &nets);
	for (unsigned i = 0; i < NETADDR_LEVELS; i++)
		ck_assert_uint_eq(nets.at[i]->n, 21);
}
END_TEST

/* The addresses of one network, until one network is full. */
static unsigned
until_full(struct netaddr *a, unsigned at, uint32_t max_net)
{
	unsigned n = 0;

	for (;; n++) {
		a->addr[at] = (uint8_t)n;
		if (try_to_enter(a, 9, max_net, 0, &places[n_places]) != FAIR_WELCOME)
			return n;
		n_places++;
	}
}

/* D30: an address, 16 times as many of a /64 or an IPv4 /24, 64 times of a /56. */
START_TEST(d30_ceilings_of_networks)
{
	static const struct {
		const char *addr, *other; /* another one, which may have some */
		unsigned at, most;
	} cases[] = { { "192.0.2.1", "192.0.2.2", 15, 5 }, { "192.0.2.1", "192.0.3.1", 3, 80 },
		{ "2001:db8::1", "2001:db8::2", 0, 5 },
		{ "2001:db8::1", "2001:db8:0:1::1", 15, 80 },
		{ "2001:db8::1", "2001:db8:0:100::1", 7, 256 } };
	struct netaddr a = address(cases[_i].addr), b = address(cases[_i].other);
	struct fair_place p;

	if (_i % 2 == 0 && _i < 4) {
		for (unsigned i = 0; i < 5; i++)
			(void)enter(&a);
	} else if (_i < 4) {
		/* five of each address */
		for (unsigned i = 0; i < 5; i++)
			for (unsigned k = 0; k < 16; k++) {
				a.addr[cases[_i].at] = (uint8_t)k;
				ck_assert_int_eq(
				    try_to_enter(&a, 9, 5, 0, &places[n_places++]), FAIR_WELCOME);
			}
		a.addr[cases[_i].at] = 200;
	} else {
		/* four of a /56 are 256 */
		ck_assert_uint_eq(until_full(&a, 7, 4), 256);
	}
	ck_assert_uint_eq(n_places, cases[_i].most);
	ck_assert_int_eq(try_to_enter(&a, 9, _i < 4 ? 5 : 4, 0, &p), FAIR_CEILING);
	ck_assert_ptr_null(p.client);
	ck_assert_int_eq(try_to_enter(&b, 9, 5, 0, &places[n_places++]), FAIR_WELCOME);
	fair_leave(&fair, &places[0]);
	a = address(cases[_i].addr);
	a.addr[cases[_i].at] = _i % 2 == 1 ? 0 : a.addr[cases[_i].at];
	ck_assert_int_eq(try_to_enter(&a, 9, 5, 0, &places[0]), FAIR_WELCOME);
}
END_TEST

START_TEST(d26_ceiling_of_the_same_question)
{
	struct netaddr a = address("2001:db8::1"), b = address("2001:db8::2");
	struct fair_place p;

	for (unsigned i = 0; i < 16; i++)
		ck_assert_int_eq(
		    try_to_enter(&a, QUESTION, 0, 16, &places[n_places++]), FAIR_WELCOME);
	ck_assert_int_eq(try_to_enter(&a, QUESTION, 0, 16, &p), FAIR_SAME);
	ck_assert_ptr_null(p.client);
	/* another question, another address, and one that does not count */
	ck_assert_int_eq(try_to_enter(&a, ANOTHER, 0, 16, &places[n_places++]), FAIR_WELCOME);
	ck_assert_int_eq(try_to_enter(&b, QUESTION, 0, 16, &places[n_places++]), FAIR_WELCOME);
	ck_assert_int_eq(try_to_enter(&a, QUESTION, 0, 0, &places[n_places++]), FAIR_WELCOME);
	ck_assert_int_eq(try_to_enter(&a, QUESTION, 0, 16, &p), FAIR_SAME);
	fair_leave(&fair, &places[3]);
	ck_assert_int_eq(try_to_enter(&a, QUESTION, 0, 16, &places[3]), FAIR_WELCOME);
}
END_TEST

/* D30: of many addresses that wait for the same, too: one begins, and others join. */
START_TEST(d30_networks_that_wait_for_the_same)
{
	static const struct {
		const char *addr;
		unsigned at, times;
	} cases[] = { { "2001:db8::1", 15, 16 }, { "2001:db8::1", 7, 64 }, { "192.0.2.1", 3, 16 } };
	const uint32_t max_same = 2;
	struct netaddr a = address(cases[_i].addr), b = address("2001:db8:1::1");
	unsigned n = 0;

	for (bool in = true; in; n += in) {
		struct fair_place *p = &places[n_places++];

		a.addr[cases[_i].at] = (uint8_t)n;
		ck_assert_int_eq(try_to_enter(&a, QUESTION, 0, max_same, p), FAIR_WELCOME);
		in = n == 0 || fair_join(&fair, QUESTION, max_same, p);
		ck_assert(in == p->joined || n == 0);
		/* to be asked again changes nothing */
		ck_assert_int_eq(n == 0 || fair_join(&fair, QUESTION, max_same, p), in);
		ck_assert(!fair_same_over(&fair, p, max_same));
		ck_assert(!p->joined || fair_same_over(&fair, p, 1) == (n > cases[_i].times));
	}
	ck_assert_uint_eq(n, max_same * cases[_i].times);
	/* another question, and another network */
	ck_assert_int_eq(try_to_enter(&a, ANOTHER, 0, max_same, &places[n_places]), FAIR_WELCOME);
	ck_assert(fair_join(&fair, ANOTHER, max_same, &places[n_places++]));
	ck_assert_int_eq(try_to_enter(&b, QUESTION, 0, max_same, &places[n_places]), FAIR_WELCOME);
	ck_assert(fair_join(&fair, QUESTION, max_same, &places[n_places++]));
	/* one goes, and makes room for one */
	fair_leave(&fair, &places[1]);
	ck_assert(fair_join(&fair, QUESTION, max_same, &places[n]));
}
END_TEST

/*
 * D30: 200 hosts of one /64 ask for the same. With these secrets one of them shares both counters
 * with its /64 and /56 where a row has no more of them than there are places, and is turned away.
 */
START_TEST(d30_no_host_is_taken_for_its_network)
{
	static const uint64_t secrets[] = { 1350, 1633 };
	struct netaddr a = address("2001:db8::");

	fair_fini(&fair);
	ck_assert_int_eq(fair_init(&fair, secrets[_i] * QUESTION, 1024), 0);
	for (unsigned i = 0; i < 200; i++) {
		a.addr[15] = (uint8_t)i;
		ck_assert_int_eq(
		    try_to_enter(&a, QUESTION, 0, 16, &places[n_places]), FAIR_WELCOME);
		ck_assert(i == 0 || fair_join(&fair, QUESTION, 16, &places[n_places]));
		n_places++;
	}
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
		n_wrong += try_to_enter(&a, rng_u64(&rng), 0, 4, &places[n_places]) != FAIR_WELCOME;
		n_places++;
	}
	ck_assert_uint_le(n_wrong, 8);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(
	    tc, d30_addresses_and_networks_around_them, 0, sizeof(pairs) / sizeof(pairs[0]));
	tcase_add_test(tc, d26_link_local_networks_are_those_of_their_interfaces);
	tcase_add_test(tc, classes_grow_by_an_eighth);
	tcase_add_loop_test(tc, d26_the_fullest_network_is_found, 0, 4);
	tcase_add_test(tc, d26_who_has_waited_longest_is_first);
	tcase_add_test(tc, d30_many_addresses_weigh_together);
	tcase_add_test(tc, wider_networks_are_counted_from_when_room_is_scarce);
	tcase_add_loop_test(tc, d30_ceilings_of_networks, 0, 5);
	tcase_add_test(tc, d26_ceiling_of_the_same_question);
	tcase_add_loop_test(tc, d30_networks_that_wait_for_the_same, 0, 3);
	tcase_add_loop_test(tc, d30_no_host_is_taken_for_its_network, 0, 2);
	tcase_add_test(tc, d26_different_questions_are_not_the_same);
}
