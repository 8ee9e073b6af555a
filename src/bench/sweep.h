/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_SWEEP_H
#define DNS64D_BENCH_SWEEP_H

/*
 * bench_sweep: latency under load: which rate is next, what its trials say together, and from which
 * rate on the server is overloaded.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/attr.h"
#include "bench/settings.h"

/*
 * bench_sweep_order: the order in which repetition REPETITION asks at N rates: each index from 0 to
 * N - 1 once, to ORDER, drawn by SEED.
 */
void bench_sweep_order(uint32_t seed, unsigned repetition, size_t n, size_t *order);

/* What the trials at a rate say: medians. */
struct bench_sweep_point {
	uint32_t rate;
	double valid;  /* % of the questions */
	double rtt_us; /* of the trials' median RTT; NAN: there were no answers */
};

#define BENCH_SWEEP_LOWEST 3   /* rates that the others are compared with */
#define BENCH_SWEEP_KNEE_MIN 4 /* rates without which there is no knee */
#define BENCH_SWEEP_TIMES 2.0  /* so many times the RTT at the lowest rates is overload */

/*
 * bench_sweep_knee: the index of the lowest of the N POINTS, by ascending rates, from which on
 * rtt_us is over BENCH_SWEEP_TIMES *base, or not all questions had a valid answer; N: no such rate,
 * or fewer than BENCH_SWEEP_KNEE_MIN. *base is the median at the lowest rates that have RTTs; NAN:
 * none has.
 */
MUST_USE size_t bench_sweep_knee(const struct bench_sweep_point *points, size_t n, double *base);

/* bench_sweep_fits: are there names enough for the sweep of S? If not, ERRORS gets a line. */
MUST_USE bool bench_sweep_fits(const struct bench_settings *s, FILE *errors);

#endif
