/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_PAIRED_H
#define DNS64D_BENCH_PAIRED_H

/*
 * bench_paired: what two series of values say of each other, as the rates of two servers that were
 * measured in turn, round after round. Pure: the same values give the same result each time.
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"

/* --- The ratio -------------------------------------------------------------------------------- */

/*
 * What a round does to both values of its pair (the machine is warmer, another one is its
 * neighbour) is no part of their ratio. So the ratio of each pair is taken first, then their mean:
 * the geometric one, which is the same whichever of the two comes first.
 *
 * How far that can be trusted is found by a bootstrap: many series are drawn, with replacement,
 * from the pairs that there are. It is the studentized one (B. Efron and R. Tibshirani, "An
 * Introduction to the Bootstrap", section 12.5): that of the means alone is too short for a dozen
 * pairs. Fewer than BENCH_PAIRS_LEAST say nothing of how they are spread.
 */

#define BENCH_PAIRS_LEAST 5      /* for an interval */
#define BENCH_PAIRED_INSIDE 0.95 /* of all intervals have the true ratio in them */

struct bench_pair {
	double a, b; /* > 0 */
};

struct bench_ratio {
	size_t n;         /* pairs */
	double ratio;     /* of b to a; 0 without pairs */
	bool known;       /* is there an interval? */
	double low, high; /* its ends */
};

/*
 * bench_paired_ratio: the ratio of b to a in the N PAIRS. Without an interval if there are too few,
 * or no memory.
 */
MUST_USE struct bench_ratio bench_paired_ratio(const struct bench_pair *pairs, size_t n);

/* bench_paired_differ: does the interval show a difference: is 1 outside? */
MUST_USE bool bench_paired_differ(const struct bench_ratio *r);

/* --- Ranks ------------------------------------------------------------------------------------ */

/*
 * The test of Mann and Whitney (1947), which knows no pairs: is a value of B more often above one
 * of A than below it? It asks nothing of how the values are distributed.
 */

struct bench_ranks {
	double
	    u; /* how many pairs of a value of A and one of B have the latter above; ties: half */
	double p;   /* how likely a U as far from the middle is if there is no difference */
	bool exact; /* p is; else by the normal distribution, with correction for ties */
};

/*
 * bench_paired_ranks: compare the NA >= 1 values A with the NB >= 1 values B. p is exact for up to
 * 20 values of each without ties. False without memory.
 */
MUST_USE bool bench_paired_ranks(
    const double *a, size_t na, const double *b, size_t nb, struct bench_ranks *r);

#endif
