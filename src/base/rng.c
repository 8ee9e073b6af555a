/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/rng.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>

void
rng_init(struct rng *r)
{
	r->seeded = false;
	r->state = 0;
	rng_refill(r);
}

void
rng_init_seeded(struct rng *r, uint64_t seed)
{
	r->seeded = true;
	r->state = seed;
	rng_refill(r);
}

/* The next number of the splitmix64 sequence, which is good enough for tests. */
static uint64_t
splitmix64(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

static void
fill_seeded(struct rng *r)
{
	for (size_t i = 0; i < RNG_BLOCK; i += sizeof(uint64_t)) {
		uint64_t v = splitmix64(&r->state);

		memcpy(r->block + i, &v, sizeof(v));
	}
}

static void
fill_from_kernel(struct rng *r)
{
	size_t n = 0;

	while (n < RNG_BLOCK) {
		ssize_t got = getrandom(r->block + n, RNG_BLOCK - n, 0);

		/* Guessable IDs are worse than no service (RFC 5452 section 9). */
		if (got < 0 && errno != EINTR)
			abort();
		if (got > 0)
			n += (size_t)got;
	}
}

void
rng_refill(struct rng *r)
{
	if (r->seeded)
		fill_seeded(r);
	else
		fill_from_kernel(r);
	r->used = 0;
}

void
rng_fill(struct rng *r, void *out, size_t len)
{
	unsigned char *to = out;

	while (len > 0) {
		size_t n = RNG_BLOCK - r->used;

		if (n == 0) {
			rng_refill(r);
			n = RNG_BLOCK;
		}
		if (n > len)
			n = len;
		memcpy(to, r->block + r->used, n);
		memset(r->block + r->used, 0, n);
		r->used += n;
		to += n;
		len -= n;
	}
}
