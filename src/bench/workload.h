/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_WORKLOAD_H
#define DNS64D_BENCH_WORKLOAD_H

/*
 * bench_workload: what a run asks, as far as it is no plain value of an option: a table or a file
 * that is read before it begins.
 */

#include <stdbool.h>
#include <stdio.h>

#include "base/attr.h"
#include "bench/settings.h"

/*
 * bench_workload_open: find the server's address, if the options have its name, make what the load
 * of *s borrows, as its options say, and see whether
 * answers would come to where is asked from. False: that is not possible, which is told to ERRORS
 * in a line; there is nothing to close then.
 */
MUST_USE bool bench_workload_open(struct bench_settings *s, FILE *errors);

/* bench_workload_close: free it again. */
void bench_workload_close(struct bench_settings *s);

#endif
