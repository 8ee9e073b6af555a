/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_SERVER_H
#define DNS64D_BENCH_SERVER_H

/*
 * bench_server: what the server is asked before a run: is it there, which one is it, and are the
 * names of the run new to it.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/netaddr.h"
#include "bench/method.h"

#define BENCH_READY_WAIT 3.0   /* s, for the first answer of a server that is there */
#define BENCH_VERSION_TEXT 256 /* bytes of a version, with the zero */

/*
 * bench_server_ready: ask the server for the names of --hits, so that its cache has them (without
 * --hits for the last name of the namespace; enum: its first question). As long as there is no
 * right answer it asks again, with a short timeout first, for WAIT seconds, and at least once with
 * the plan's whole timeout. False, with the reason in the run, if no answer comes: of wrong ones
 * the trial tells.
 */
MUST_USE bool bench_server_ready(const struct bench_job *job, double wait);

/* bench_server_tell: add to the run, as a setting, which server it is (bench_server_version). */
void bench_server_tell(const struct bench_job *job);

/*
 * bench_server_version: ask SERVER over UDP which one it is, version.bind in class CH (RFC 4892),
 * and write what it says to TEXT, printable ASCII. Waits for WAIT_MS at most. False, and TEXT is
 * empty: it does not say.
 */
MUST_USE bool bench_server_version(
    const struct netaddr *server, int wait_ms, char text[static BENCH_VERSION_TEXT]);

/*
 * bench_server_try_names: ask the server for some names, which no question of the run is for, and
 * once more, and the upstream for them, and tell once if the server had them the first time.
 * Without --upstream, and for telephone numbers, nobody can say. Of no consequence for the run.
 */
void bench_server_try_names(const struct bench_job *job);

/*
 * bench_server_knew: do the times say that names were known? NEW_NS: of answers for names that
 * should be new; AGAIN_NS: for the same names once more; UPSTREAM_NS: of the upstream. A server
 * without a cache takes as long again; then the times say nothing. 0: not known.
 */
MUST_USE bool bench_server_knew(uint64_t new_ns, uint64_t again_ns, uint64_t upstream_ns);

#endif
