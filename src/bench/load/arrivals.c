/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/load/arrivals.h"

#include <math.h>
#include <stdlib.h>

#include "base/rng.h"

/* A gap with the mean 1: no draw is 0, whose logarithm would be infinite. */
static double
gap(struct rng *rng)
{
	return -log(((double)(rng_u64(rng) >> 11) + 0.5) * 0x1p-53);
}

struct bench_arrivals *
bench_arrivals_new(uint64_t seed)
{
	struct bench_arrivals *a = malloc(sizeof(*a));
	double sum = 0;
	struct rng rng;

	if (a == NULL)
		return NULL;
	rng_init_seeded(&rng, seed);
	for (uint32_t i = 0; i < BENCH_ARRIVALS; i++) {
		a->at[i] = sum;
		sum += gap(&rng);
	}
	for (uint32_t i = 0; i < BENCH_ARRIVALS; i++)
		a->at[i] *= BENCH_ARRIVALS / sum;
	return a;
}

void
bench_arrivals_free(struct bench_arrivals *a)
{
	free(a);
}
