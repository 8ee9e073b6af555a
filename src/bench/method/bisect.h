/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_METHOD_BISECT_H
#define DNS64D_BENCH_METHOD_BISECT_H

/*
 * bench_bisect: the binary search of RFC 8219 section 9 for the highest rate without a fault.
 * Pure: it says which rate to try next, and is told the outcome.
 *
 * The search has an interval of two rates: it assumes that the lower one passes and the upper one
 * fails. When the interval is narrow enough, an end of it that was not tried yet is tried. The rate
 * in between is the geometric mean, as the resolution is a part of the rate: from 1000 to 1000000
 * in steps of 0.5 % that takes 11 trials instead of 18.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"

enum bench_outcome {
	BENCH_PASSED,     /* every answer was valid and in time */
	BENCH_FAILED,     /* not so */
	BENCH_NO_VERDICT, /* the tester was at fault: nothing is known of the server */
	BENCH_OUTCOMES
};

/* Which end of the interval is tried first. */
enum bench_begin {
	BENCH_BEGIN_BETWEEN, /* none */
	BENCH_BEGIN_LOW,     /* a server that does nothing right is then found out at once */
	BENCH_BEGIN_HIGH /* it is likely to pass, and then the search is over; else the low one */
};

/* Why is the result not higher? */
enum bench_limit {
	BENCH_LIMIT_SERVER, /* it failed above that */
	BENCH_LIMIT_HIGH,   /* the upper rate passed: the server's limit is there or higher */
	BENCH_LIMIT_TESTER, /* the tester could not ask faster: likewise */
	BENCH_LIMIT_LOW     /* the lower rate failed already: there is no result */
};

struct bench_bisect {
	uint32_t low;      /* passed, if low_known; 1 at least */
	uint32_t high;     /* failed, if high_known (unless passed_high); >= low */
	double resolution; /* % of the rate: how narrow the interval must become */
	enum bench_begin begin;
	bool low_known, high_known;
	bool passed_high;
	bool failed_low;
	bool by_tester; /* the upper rate "failed" since the tester was at fault there, twice */
	bool again;     /* the last trial was without a verdict, and is done once more */
	uint32_t rate;  /* of the last trial */
};

/* bench_bisect_init: begin a search from LOW to HIGH >= LOW >= 1; no rate was tried. */
void bench_bisect_init(
    struct bench_bisect *b, uint32_t low, uint32_t high, double resolution, enum bench_begin begin);

/* bench_bisect_next: the rate to try; 0: the search is over. */
MUST_USE uint32_t bench_bisect_next(const struct bench_bisect *b);

/* bench_bisect_put: the OUTCOME of the trial at RATE, which bench_bisect_next has given. */
void bench_bisect_put(struct bench_bisect *b, uint32_t rate, enum bench_outcome outcome);

/* bench_bisect_result: the highest rate that passed, 0 if none, and why it is not higher. */
MUST_USE uint32_t bench_bisect_result(const struct bench_bisect *b, enum bench_limit *limit);

/*
 * bench_bisect_most: how many trials are to come if all of them pass, and the sum of their rates,
 * which is at least that of any other course of the search.
 */
MUST_USE unsigned bench_bisect_most(const struct bench_bisect *b, uint64_t *sum);

#endif
