/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_METHOD_CURVE_H
#define DNS64D_BENCH_METHOD_CURVE_H

/*
 * bench_curve: what the trials of a search say about the server at each rate, in the order of the
 * rates, as a table to be drawn.
 */

#include <jansson.h>

#include "bench/method/method.h"

/*
 * bench_curve: add a table to the run, made of RECORDS of trials (an array). Trials at the same
 * rate are one row, with the mean of each value. The self-test's trials are left out, as is a table
 * without rows.
 */
void bench_curve(const struct bench_job *job, const json_t *records);

#endif
