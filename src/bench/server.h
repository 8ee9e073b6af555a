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

#define BENCH_VERSION_TEXT 256 /* bytes of a version, with the zero */

/*
 * bench_server_ready: ask the server for the names of --hits, so that its cache has them (without
 * --hits for the last name of the namespace; enum: its first question). As long as there is no
 * right answer it asks again, with a short timeout first, for WAIT seconds, and at least once with
 * the plan's whole timeout. False, with the reason in the run, if no answer comes: of wrong ones
 * the trial tells.
 */
MUST_USE bool bench_server_ready(const struct bench_job *job, double wait);

/*
 * bench_server_begin: what a method begins with: add its settings to the run, see whether the
 * server is ready, and whether it knows names of its first N questions (bench_server_try_names).
 * False: it is not ready, with the reason in the run, or the run was stopped.
 */
MUST_USE bool bench_server_begin(const struct bench_job *job, uint64_t n);

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
 * bench_server_known: sample the N questions from FIRST on, one in a hundred and 16 at most, each
 * once over UDP: *asked of them had an answer. Returns how many of these names the server knew: the
 * TTL has gone down by 2 s, or by 1 s of all, beside that of names drawn at random, which nobody
 * asked for. None if the server gives no TTL (0), does not answer, or the load has other questions
 * only.
 */
MUST_USE unsigned bench_server_known(
    const struct bench_job *job, uint64_t first, uint64_t n, unsigned *asked);

/*
 * bench_server_try_names: add a warning to the run if the server knows names of its first N
 * questions (bench_server_known). Of no consequence for the run.
 */
void bench_server_try_names(const struct bench_job *job, uint64_t n);

#endif
