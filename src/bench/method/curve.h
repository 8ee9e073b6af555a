/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_METHOD_CURVE_H
#define DNS64D_BENCH_METHOD_CURVE_H

/*
 * bench_curve: what the trials of a search say about the server at each rate, in the order of the
 * rates: the table that is drawn.
 */

#include <jansson.h>

#include "bench/method/method.h"

/*
 * bench_curve: a table of the run, made of the records of trials (an array). Trials at one rate are
 * one row, with the mean of each value; the self-test's are left out, as is a table without rows.
 */
void bench_curve(const struct bench_job *job, const json_t *records);

#endif
