/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_LOAD_ARRIVALS_H
#define DNS64D_BENCH_LOAD_ARRIVALS_H

/*
 * bench_arrivals: when questions arrive that many clients ask who know nothing of each other: a
 * Poisson process, whose gaps are exponential. Its times are drawn once, BENCH_ARRIVALS of them, in
 * units of the mean gap, so that they serve every rate and every question's is known by its number;
 * after the last one they come again. All of them take BENCH_ARRIVALS mean gaps exactly. Pure.
 */

#include <stdint.h>

#include "base/attr.h"

#define BENCH_ARRIVALS (1U << 20)

struct bench_arrivals {
	double at[BENCH_ARRIVALS]; /* ascending: 0 is the first, all are below BENCH_ARRIVALS */
};

/* bench_arrivals_new: times that SEED determines; the caller's. NULL without memory. */
MUST_USE struct bench_arrivals *bench_arrivals_new(uint64_t seed);

/* bench_arrivals_free: end *a, which may be NULL. */
void bench_arrivals_free(struct bench_arrivals *a);

#endif
