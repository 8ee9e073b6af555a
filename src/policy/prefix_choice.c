/* SPDX-License-Identifier: BSD-2-Clause */
#include "policy/prefix_choice.h"

#include <stdbool.h>

#include "base/hash.h"

/* --- By turns --------------------------------------------------------------------------------- */

static uint32_t
common_divisor(uint32_t a, uint32_t b)
{
	while (b != 0) {
		uint32_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

static uint32_t
weight_of(const struct prefix_choice *c, const struct synth_policy *p, unsigned place)
{
	return c->weights[p->general[place]];
}

/*
 * Lay the turns out: each prefix has a run of places as long as its weight, and turns go round them
 * by a stride of the golden section, which spreads those of each prefix as evenly as can be. The
 * stride and the number of places have no common divisor, so no place is left out.
 */
static void
lay_out_turns(struct prefix_choice *c, const struct synth_policy *p)
{
	uint32_t unit = 0, sum = 0, n, stride;

	for (unsigned i = 0; i < p->n_general; i++) {
		unit = common_divisor(unit, weight_of(c, p, i));
		sum += weight_of(c, p, i);
	}
	n = sum / unit;
	stride = n * 618 / 1000;
	while (common_divisor(stride, n) != 1)
		stride++;
	c->unit = (uint16_t)unit;
	c->n_turns = (uint16_t)n;
	c->stride = (uint16_t)stride;
}

static unsigned
place_of_turn(const struct prefix_choice *c, const struct synth_policy *p, uint32_t turn)
{
	uint32_t at = turn % c->n_turns * c->stride % c->n_turns;
	unsigned i = 0;

	for (; at >= weight_of(c, p, i) / c->unit; i++)
		at -= weight_of(c, p, i) / c->unit;
	return i;
}

/* --- By client -------------------------------------------------------------------------------- */

/* The hash of a general prefix and a client. Hosts of one IPv6 /64 have the same. */
static uint64_t
hash_of(const struct synth_policy *p, unsigned place, const struct netaddr *client)
{
	const struct pref64 *prefix = &p->prefixes[p->general[place]];
	size_t len = client->family == NETADDR_IPV6 ? 8 : 4;
	/* Two prefixes may differ in nothing but their length. */
	uint64_t seed = hash_bytes(prefix->addr, sizeof(prefix->addr), prefix->len);

	return hash_bytes(client->addr, len, seed);
}

/*
 * The prefix with the highest hash, so that removing a prefix moves only its own clients
 * (rendezvous hashing).
 */
static unsigned
place_of_client(const struct synth_policy *p, const struct netaddr *client)
{
	uint64_t highest = 0;
	unsigned best = 0;

	for (unsigned i = 0; i < p->n_general; i++) {
		uint64_t hash = hash_of(p, i, client);

		if (hash > highest) {
			highest = hash;
			best = i;
		}
	}
	return best;
}

#define FRACTION 24 /* bits behind the point of a logarithm */

/*
 * 64 - log2(HASH), in units of 2^-FRACTION, where 0 counts as 1. It never grows with HASH: each
 * square keeps the order, and so do the bits that are taken of it.
 */
static uint32_t
distance(uint64_t hash)
{
	unsigned zeros = (unsigned)__builtin_clzll(hash | 1);
	uint64_t x = (hash | 1) << zeros; /* from 1 to below 2, with 63 bits behind the point */
	uint32_t log = 63 - zeros;

	for (unsigned i = 0; i < FRACTION; i++) {
		bool bit;

		x = (x >> 32) * (x >> 32); /* with 62 bits behind the point */
		bit = x >> 63 != 0;
		log = log << 1 | bit;
		x <<= bit ? 0 : 1;
	}
	return (UINT32_C(64) << FRACTION) - log;
}

/*
 * The same with weights: a hash h, as a fraction, becomes -log(h) / weight, and the smallest is
 * chosen. That gives each prefix its share of the clients, and with equal weights it is the one
 * with the highest hash. Fractions are compared by cross-multiplication.
 */
static unsigned
place_of_weighted_client(
    const struct prefix_choice *c, const struct synth_policy *p, const struct netaddr *client)
{
	uint64_t hash = hash_of(p, 0, client), nearest = distance(hash);
	unsigned best = 0;

	for (unsigned i = 1; i < p->n_general; i++) {
		uint64_t its_hash = hash_of(p, i, client), its = distance(its_hash);
		uint64_t left = its * weight_of(c, p, best);
		uint64_t right = nearest * weight_of(c, p, i);

		if (left > right || (left == right && its_hash <= hash))
			continue;
		best = i;
		hash = its_hash;
		nearest = its;
	}
	return best;
}

/* --- Both ------------------------------------------------------------------------------------- */

static bool
are_equal(const struct prefix_choice *c, const struct synth_policy *p)
{
	for (unsigned i = 1; i < p->n_general; i++) {
		if (weight_of(c, p, i) != weight_of(c, p, 0))
			return false;
	}
	return true;
}

void
prefix_choice_settle(
    struct prefix_choice *c, const struct synth_policy *p, enum prefix_choice_way way)
{
	c->way = (uint8_t)(p->n_general > 1 ? way : PREFIX_CHOICE_FIRST);
	if (c->way == PREFIX_CHOICE_FIRST || are_equal(c, p))
		return;
	if (way == PREFIX_CHOICE_CLIENT) {
		c->way = PREFIX_CHOICE_WEIGHTED_CLIENT;
		return;
	}
	c->way = PREFIX_CHOICE_WEIGHTED_TURNS;
	lay_out_turns(c, p);
}

unsigned
prefix_choice_among(const struct prefix_choice *c, const struct synth_policy *p,
    const struct netaddr *client, uint32_t turn)
{
	switch ((enum prefix_choice_way)c->way) {
	case PREFIX_CHOICE_FIRST:
		break;
	case PREFIX_CHOICE_TURNS:
		return turn % p->n_general;
	case PREFIX_CHOICE_WEIGHTED_TURNS:
		return place_of_turn(c, p, turn);
	case PREFIX_CHOICE_CLIENT:
		return place_of_client(p, client);
	case PREFIX_CHOICE_WEIGHTED_CLIENT:
		return place_of_weighted_client(c, p, client);
	}
	return 0;
}
