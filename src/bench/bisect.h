/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_BISECT_H
#define DNS64D_BENCH_BISECT_H

/*
 * bench_bisect: which rate a search tries next (RFC 8219 section 9), its result, and what the
 * tester must be able to do before. Pure.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "bench/settings.h"

/* --- Rates ------------------------------------------------------------------------------------ */

/*
 * The search has an interval of two rates: it assumes that the lower one passes and the upper one
 * fails. When the interval is narrow enough, an end of it that was not tried yet is tried. The rate
 * in between is the geometric mean, as the resolution is a part of the rate: from 1000 to 1000000
 * in steps of 0.5 % that takes 11 trials instead of 18. A list of rates is tried from its first to
 * its last, whatever the outcomes.
 */

enum bench_outcome {
	BENCH_PASSED,     /* every answer was valid and in time */
	BENCH_FAILED,     /* not so */
	BENCH_NO_VERDICT, /* the tester was at fault: nothing is known of the server */
	BENCH_CACHED,     /* the server knew names before they were asked: likewise */
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
	BENCH_LIMIT_LOW,    /* the lower rate failed already: there is no result */
	BENCH_LIMITS
};

/* So often a trial in which the tester was at fault is repeated; then it is the tester's limit. */
#define BENCH_REPEATS 5

struct bench_bisect {
	const uint32_t *list; /* borrowed, n of them; NULL: a search */
	size_t n, at;
	uint32_t low;      /* passed, if low_known; 1 at least */
	uint32_t high;     /* failed, if high_known (unless passed_high); >= low */
	double resolution; /* % of the rate: how narrow the interval must become */
	enum bench_begin begin;
	bool low_known, high_known;
	bool passed_high;
	bool failed_low;
	bool by_tester;  /* the upper rate "failed" since the tester was at fault each time */
	unsigned spoilt; /* trials in a row, up to the last, without a verdict: it is repeated */
	uint32_t rate;   /* of the last trial */
};

/* bench_bisect_init: begin a search from LOW to HIGH >= LOW >= 1; no rate was tried. */
void bench_bisect_init(
    struct bench_bisect *b, uint32_t low, uint32_t high, double resolution, enum bench_begin begin);

/* bench_bisect_next: the rate to try; 0: all were tried. */
MUST_USE uint32_t bench_bisect_next(const struct bench_bisect *b);

/*
 * bench_bisect_put: the OUTCOME, not BENCH_CACHED, of the trial at RATE, which bench_bisect_next
 * has given.
 */
void bench_bisect_put(struct bench_bisect *b, uint32_t rate, enum bench_outcome outcome);

/* bench_bisect_result: the highest rate that passed, 0 if none, and why it is not higher. */
MUST_USE uint32_t bench_bisect_result(const struct bench_bisect *b, enum bench_limit *limit);

/*
 * bench_bisect_most: how many trials are to come if all of them pass, and the sum of their rates,
 * which is at least that of any other course of the search.
 */
MUST_USE unsigned bench_bisect_most(const struct bench_bisect *b, uint64_t *sum);

/* bench_bisect_questions: how many a trial at RATE for DURATION seconds asks; at least 1. */
MUST_USE uint64_t bench_bisect_questions(uint32_t rate, double duration);

/*
 * bench_bisect_names: how many names REPETITIONS of the search *b, which has not begun, take at
 * most, with trials of DURATION seconds. AGAIN: each trial may use those of the one before.
 */
MUST_USE uint64_t bench_bisect_names(
    const struct bench_bisect *b, unsigned repetitions, double duration, bool again);

/* --- The self-test ---------------------------------------------------------------------------- */

/*
 * What the tester must be able to do before it may test a server (RFC 8219 section
 * 9, step 0): when it asks its own name server directly, that answers at 2 (1 + delta) times the
 * rate within a quarter of the timeout. The factor is 2 since a DNS64 server asks it two questions
 * for each of the tester's; two quarters leave half of the timeout to the server under test.
 */

#define BENCH_SELFTEST_TIMEOUT_PART 4 /* the timeout is divided by this */

/*
 * bench_selftest_plan: the plan of the self-test for S: it asks the upstream, over UDP, since the
 * server does so, too, however it is asked itself.
 *
 * The RFC wants AAAA questions and a name server that can answer those. The one behind a DNS64
 * server has no AAAA for most names, which would be no valid answer: so the plan asks for AAAA if
 * all names have one (--aaaa 100), else for A, which all have and which costs the same.
 */
MUST_USE struct bench_plan bench_selftest_plan(const struct bench_settings *s);

/* bench_selftest_asks_aaaa: does the self-test for S ask for AAAA, not A? */
MUST_USE bool bench_selftest_asks_aaaa(const struct bench_settings *s);

/* bench_selftest_rate: the rate that the tester must pass before it tests a server at RATE. */
MUST_USE uint32_t bench_selftest_rate(uint32_t rate, double delta);

/* bench_selftest_cap: the highest rate to test a server at, if the tester has passed RATE. */
MUST_USE uint32_t bench_selftest_cap(uint32_t rate, double delta);

#endif
