/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_SCALE_H
#define DNS64D_BENCH_SCALE_H

/* bench_scale: what limits a server with a number of loops. */

#include "base/attr.h"

#define BENCH_SCALE_FULL 90.0 /* % of a CPU: a loop that uses so much has no more to give */

/*
 * bench_scale_limit: what limits a server of so many LOOPS that was the limit itself, when it used
 * CPU percent of one CPU (NAN: unknown), in a word: "CPU", if its loops had no time left; "cores",
 * if CPUS are too few for its loops and the OTHERS that work at the same time, of tester and
 * upstream; "not CPU", if something else keeps it waiting; "server" if nothing is known.
 */
MUST_USE const char *bench_scale_limit(double cpu, unsigned loops, unsigned others, unsigned cpus);

#endif
