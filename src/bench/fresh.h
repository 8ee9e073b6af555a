/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_FRESH_H
#define DNS64D_BENCH_FRESH_H

/* bench_fresh: are the names of a run new to the server, or does its cache have them already? */

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "bench/method.h"

/*
 * bench_fresh_check: ask the server for some names, which no question of the run is for, and once
 * more, and the upstream for them, and tell if the server had them the first time. Without
 * --upstream, and for telephone numbers, nobody can say. Of no consequence for the run.
 */
void bench_fresh_check(const struct bench_job *job);

/*
 * bench_fresh_is_known: do the times say that names were known? NEW_NS: of answers for names that
 * should be new; AGAIN_NS: for the same names once more; UPSTREAM_NS: of the upstream. A server
 * without a cache takes as long again; then the times say nothing. 0: not known.
 */
MUST_USE bool bench_fresh_is_known(uint64_t new_ns, uint64_t again_ns, uint64_t upstream_ns);

#endif
