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

/* bench_raw_open: begin the file PATH. 0 or -errno. */
MUST_USE int bench_raw_open(const char *path, struct bench_raw **out);

/* bench_raw_add: what became at NOW_NS of A; OUTCOME is a word such as "valid". */
void bench_raw_add(struct bench_raw *r, const struct bench_load *l, const struct bench_asked *a,
    uint64_t now_ns, const char *outcome);

/* bench_raw_close: 0 or -errno of the first write that failed. */
MUST_USE int bench_raw_close(struct bench_raw *r);

#endif
