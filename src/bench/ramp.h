/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_RAMP_H
#define DNS64D_BENCH_RAMP_H

/* bench_ramp: a first look at a server: the rate grows from 0 on; where do answers fall behind? */

#include <stddef.h>

#include "base/attr.h"

/* What happened in a second of a ramp. */
struct bench_ramp_second {
	double due;   /* questions, without those that the tester's pauses took */
	double valid; /* answers */
};

/* Answers are behind if fewer than this of the questions that are due get one that is valid, in %.
 */
#define BENCH_RAMP_BEHIND 95.0

/*
 * bench_ramp_behind: the index of the first of the N seconds at S in which answers fell behind, and
 * in the next one, too; N: they never did.
 */
MUST_USE size_t bench_ramp_behind(const struct bench_ramp_second *s, size_t n);

#endif
