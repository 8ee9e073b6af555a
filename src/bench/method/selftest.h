/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_METHOD_SELFTEST_H
#define DNS64D_BENCH_METHOD_SELFTEST_H

/*
 * bench_selftest: what the tester must be able to do before it may test a server (RFC 8219 section
 * 9, step 0): asked by itself, its own name server answers at 2 (1 + delta) times the rate within a
 * quarter of the timeout. Each question of a DNS64 server makes two for that, hence the 2; the
 * quarter leaves half of the timeout to the server under test.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "bench/settings/settings.h"

#define BENCH_SELFTEST_TIMEOUT_PART 4

/*
 * bench_selftest_plan: that of S, looped back: it asks the upstream itself.
 *
 * The RFC wants AAAA questions and a name server that can answer those. The one behind a DNS64
 * server has no AAAA for most names, which is no valid answer here: so names are asked for by AAAA
 * if all have one (--aaaa 100), else by A, which all have and which costs the same.
 */
struct bench_plan bench_selftest_plan(const struct bench_settings *s);

/* bench_selftest_asks_aaaa: which of the two? */
MUST_USE bool bench_selftest_asks_aaaa(const struct bench_settings *s);

/* bench_selftest_rate: where the tester must pass, for a server to be tested at RATE. */
MUST_USE uint32_t bench_selftest_rate(uint32_t rate, double delta);

/* bench_selftest_cap: up to which rate a server may be tested, when the tester passes at RATE. */
MUST_USE uint32_t bench_selftest_cap(uint32_t rate, double delta);

#endif
