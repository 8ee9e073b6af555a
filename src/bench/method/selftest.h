/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_METHOD_SELFTEST_H
#define DNS64D_BENCH_METHOD_SELFTEST_H

/*
 * bench_selftest: what the tester must be able to do before it may test a server (RFC 8219 section
 * 9, step 0): when it asks its own name server directly, that answers at 2 (1 + delta) times the
 * rate within a quarter of the timeout. The factor is 2 since a DNS64 server asks it two questions
 * for each of the tester's; two quarters leave half of the timeout to the server under test.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "bench/settings.h"

#define BENCH_SELFTEST_TIMEOUT_PART 4 /* the timeout is divided by this */

/*
 * bench_selftest_plan: the plan of the self-test for S: it asks the upstream.
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
