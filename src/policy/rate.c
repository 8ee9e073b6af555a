/* SPDX-License-Identifier: BSD-2-Clause */
#include "policy/rate.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/rng.h"
#include "base/secret.h"

#define LINE 64 /* bytes of a cache line */
#define CELLS (LINE / sizeof(uint64_t))
#define LINES (RATE_BYTES / LINE)
#define LINE_BITS 16
#define ID_BITS 16
#define UNIT_BITS 6   /* a counter's time is in units of 64 ns */
#define PRICE_BITS 16 /* of a ns, in prices; of a use, in amounts */
#define TRIES 4       /* changes of a counter that others may forestall */

/*
 * No counter in use is further ahead than this; what seems to be has not been used for a long time,
 * and is free: the 48 bits wrap in 208 days.
 */
#define AHEAD (UINT64_C(1) << 31)

_Static_assert(LINES == UINT64_C(1) << LINE_BITS, "16 bits of a hash choose a line");
_Static_assert(2 * RATE_MOST_NS >> UNIT_BITS < AHEAD, "a counter, and what is added at once");

/* A counter: 48 bits of time, 16 bits of the network's hash. 0: never used. */
typedef _Atomic uint64_t cell;

struct line {
	_Alignas(LINE) cell cells[CELLS];
};

struct rates {
	uint64_t seeds[RATE_KINDS][2][RATE_LEVELS];
	struct line *lines; /* in block */
	void *block;        /* owned */
};

/*
 * One in 2^SPARSE uses of a network of LEVEL is charged; then it is at most a quarter of what one
 * address is charged for one use.
 */
static inline unsigned
sparse_of(const struct netaddr_level *level)
{
	return level->doublings < 5 ? 0 : level->doublings - 2U;
}

struct rates *
rates_new(void)
{
	struct rates *r = calloc(1, sizeof(*r));
	struct rng rng;

	if (r == NULL)
		return NULL;
	/* calloc does not touch an allocation of this size, so an unused table costs no memory. */
	r->block = calloc(1, RATE_BYTES + LINE);
	if (r->block == NULL) {
		free(r);
		return NULL;
	}
	r->lines = (struct line *)(((uintptr_t)r->block + LINE - 1) / LINE * LINE);
	rng_init(&rng);
	rng_fill(&rng, r->seeds, sizeof(r->seeds));
	secret_lock(r->seeds, sizeof(r->seeds));
	return r;
}

void
rates_free(struct rates *r)
{
	if (r == NULL)
		return;
	free(r->block);
	free(r);
}

void
rate_plan_make(struct rate_plan *p, uint64_t per_s, uint64_t burst)
{
	const uint64_t second = UINT64_C(1000000000) << PRICE_BITS;

	p->most_ns = RATE_MOST_NS;
	if (burst < RATE_MOST_NS / UINT64_C(1000000000) * per_s)
		p->most_ns = burst * (second / per_s) >> PRICE_BITS;
	for (unsigned f = 0; f < 2; f++) {
		const struct netaddr any = { .family = f == 0 ? NETADDR_IPV4 : NETADDR_IPV6 };
		const struct netaddr_level *level;
		unsigned n;

		level = netaddr_levels(&any, &n);
		for (unsigned i = 0; i < n; i++)
			p->price[f][i] = second / (per_s << level[i].doublings);
	}
}

static inline uint64_t
read_cell(const cell *c)
{
	return atomic_load_explicit(c, memory_order_relaxed);
}

/* How far a counter with the value SEEN is ahead of NOW, both in units; 0: it is free. */
static inline uint64_t
ahead(uint64_t seen, uint64_t now)
{
	uint64_t units = (seen - (now << ID_BITS)) >> ID_BITS;

	return units < AHEAD && seen != 0 ? units : 0;
}

/* The counter whose bit is the lowest of BITS; NULL if there is none. */
static inline cell *
first_of(struct line *line, unsigned bits)
{
	return bits != 0 ? &line->cells[__builtin_ctz(bits)] : NULL;
}

/* The counter of the network ID in LINE; NULL. No branch depends on where it is. */
static inline cell *
find(struct line *line, uint16_t id)
{
	unsigned bits = 0;

#pragma GCC unroll 8
	for (unsigned i = 0; i < CELLS; i++)
		bits |= (unsigned)((uint16_t)read_cell(&line->cells[i]) == id) << i;
	return first_of(line, bits);
}

/* A counter in LINE that is free at NOW; NULL: there is none, or almost none. */
static inline cell *
vacant(struct line *line, uint64_t now)
{
	unsigned bits = 0;

#pragma GCC unroll 8
	for (unsigned i = 0; i < CELLS; i++) {
		uint64_t since = read_cell(&line->cells[i]) - (now << ID_BITS);

		bits |= (unsigned)(since >= AHEAD << ID_BITS) << i;
	}
	return first_of(line, bits);
}

/* The counter in LINE that is the least ahead of NOW. */
static cell *
lowest(struct line *line, uint64_t now)
{
	cell *at = &line->cells[0];

	for (unsigned i = 1; i < CELLS; i++) {
		if (ahead(read_cell(&line->cells[i]), now) < ahead(read_cell(at), now))
			at = &line->cells[i];
	}
	return at;
}

/*
 * The counter of the network with HASH, or else one to be its. The second line is for what the
 * first has no room for: as long as there is some, nobody looks there.
 */
static inline cell *
counter(struct rates *r, uint64_t hash, uint64_t now)
{
	struct line *line[2] = { &r->lines[hash % LINES], &r->lines[(hash >> LINE_BITS) % LINES] };
	uint16_t id = (uint16_t)(hash >> 48);
	cell *c[2];

	for (unsigned i = 0; i < 2; i++) {
		c[i] = find(line[i], id);
		if (c[i] == NULL)
			c[i] = vacant(line[i], now);
		if (c[i] != NULL)
			return c[i];
	}
	c[0] = lowest(line[0], now);
	c[1] = lowest(line[1], now);
	return ahead(read_cell(c[0]), now) < ahead(read_cell(c[1]), now) ? c[0] : c[1];
}

/* Let the counter C, from now on the network ID's, be further ahead by UNITS. */
static void
add(cell *c, uint16_t id, uint64_t units, uint64_t now)
{
	uint64_t seen = read_cell(c);

	for (unsigned i = 0; i < TRIES; i++) {
		uint64_t time = now + ahead(seen, now) + units;

		if (atomic_compare_exchange_weak_explicit(
			c, &seen, time << ID_BITS | id, memory_order_relaxed, memory_order_relaxed))
			return;
	}
}

/* The counters of the networks of a use, and what it costs each. */
struct bill {
	uint64_t hash[RATE_LEVELS], price[RATE_LEVELS]; /* in 2^-32 ns */
	cell *at[RATE_LEVELS];
};

/* Make the bill B of USE. Returns as rates_charge does, with nothing charged. */
static inline __attribute__((always_inline)) unsigned
make_bill(struct rates *r, const struct rate_plan *p, const struct rate_use *use, struct bill *b)
{
	unsigned family = use->who->family == NETADDR_IPV6 ? 1 : 0, n;
	const struct netaddr_level *level = netaddr_levels(use->who, &n);
	uint64_t now = use->now_ns >> UNIT_BITS;

	for (unsigned i = 0; i < n; i++) {
		b->hash[i] =
		    hash_bytes(use->who->addr, level[i].bytes, r->seeds[use->kind][family][i]);
		__builtin_prefetch(&r->lines[b->hash[i] % LINES]);
	}
	for (unsigned i = 0; i < n; i++) {
		b->at[i] = counter(r, b->hash[i], now);
		b->price[i] = p->price[family][i] * use->amount;
		if ((ahead(read_cell(b->at[i]), now) << UNIT_BITS) + (b->price[i] >> 32) >
		    p->most_ns)
			return level[i].bytes * 8U;
	}
	return 0;
}

unsigned
rates_charge(struct rates *r, const struct rate_plan *p, const struct rate_use *use)
{
	const struct netaddr_level *level;
	uint64_t now = use->now_ns >> UNIT_BITS;
	struct bill b;
	unsigned over = make_bill(r, p, use, &b), n;

	level = netaddr_levels(use->who, &n);
	for (unsigned i = 0; i < n && over == 0; i++) {
		unsigned sparse = sparse_of(&level[i]);
		/* A part of a unit is a whole one as often as it is long. */
		uint64_t part = (uint64_t)use->dice << UNIT_BITS;

		if ((use->dice & ((1U << sparse) - 1)) == 0)
			add(b.at[i], (uint16_t)(b.hash[i] >> 48),
			    ((b.price[i] << sparse) + part) >> (32 + UNIT_BITS), now);
	}
	return over;
}

unsigned
rates_over(struct rates *r, const struct rate_plan *p, const struct rate_use *use)
{
	struct bill b;

	return make_bill(r, p, use, &b);
}
