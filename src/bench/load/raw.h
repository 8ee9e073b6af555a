/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_LOAD_RAW_H
#define DNS64D_BENCH_LOAD_RAW_H

/*
 * bench_raw: what became of each question of a run, as CSV, written while it runs: a line each, two
 * if it was answered after it was given up. Any thread may add.
 */

#include <stdint.h>

#include "base/attr.h"
#include "bench/load/inflight.h"

struct bench_raw;

/* bench_raw_open: create the file PATH and write the head of the table. 0 or -errno. */
MUST_USE int bench_raw_open(const char *path, struct bench_raw **out);

/* bench_raw_add: add a line: question A of load L had OUTCOME, a word as "valid", at NOW_NS. */
void bench_raw_add(struct bench_raw *r, const struct bench_load *l, const struct bench_asked *a,
    uint64_t now_ns, const char *outcome);

/* bench_raw_close: write the rest and close the file. 0, or -errno of the first write that failed.
 */
MUST_USE int bench_raw_close(struct bench_raw *r);

#endif
