/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_LOAD_ZIPF_H
#define DNS64D_BENCH_LOAD_ZIPF_H

/*
 * bench_zipf: names by their popularity: of N of them the one of rank R, counted from 1, is asked
 * for with a probability in proportion to 1 / R^S (Zipf's law). Pure, but for the table it needs.
 *
 * It is the alias method (A. J. Walker, "An Efficient Method for Generating Discrete Random
 * Variables with General Distributions", 1977): N columns of the same width, each shared by two
 * ranks. A draw takes a column, and a height in it. No rank is too rare to be drawn at all: a part
 * of a column is counted in 2^-64 of it, and the least, of the last of BENCH_ZIPF_MAX ranks with
 * the highest S, is some 50,000 of these.
 */

#include <stdint.h>

#include "base/attr.h"

#define BENCH_ZIPF_MAX (1U << 24) /* ranks: the table takes 12 bytes for each */
#define BENCH_ZIPF_LEAST 0.1      /* S */
#define BENCH_ZIPF_MOST 3.0

struct bench_zipf {
	double s;
	uint32_t n;      /* ranks */
	double total;    /* of 1 / R^S over all of them */
	uint64_t *keep;  /* owned: how much of a column is its own rank's, in 2^-64 */
	uint32_t *other; /* owned: whose the rest is */
};

/*
 * bench_zipf_new: the law with the exponent S, BENCH_ZIPF_LEAST to BENCH_ZIPF_MOST, for N ranks, 1
 * to BENCH_ZIPF_MAX. The caller's; NULL without memory.
 */
MUST_USE struct bench_zipf *bench_zipf_new(double s, uint32_t n);

/* bench_zipf_free: end *z, which may be NULL. */
void bench_zipf_free(struct bench_zipf *z);

/*
 * bench_zipf_rank: a rank, counted from 0, from two numbers that have nothing to do with each other
 * and are each any 64 bits as likely: that of a column and a height.
 */
MUST_USE uint32_t bench_zipf_rank(const struct bench_zipf *z, uint64_t column, uint64_t height);

/* bench_zipf_share: the share, from 0 to 1, of the questions that are for the TOP first ranks. */
MUST_USE double bench_zipf_share(const struct bench_zipf *z, uint32_t top);

#endif
