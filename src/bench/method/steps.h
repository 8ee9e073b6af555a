/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_METHOD_STEPS_H
#define DNS64D_BENCH_METHOD_STEPS_H

/*
 * bench_steps: steps with different numbers of clients, each of which asks one question after
 * another.
 */

#include <stdint.h>

#include "bench/method/method.h"

/*
 * bench_steps: for each number of clients in the settings, run a step of the settings' duration and
 * add a row: answers per second of all clients, their waiting times, and what the server used. No
 * question number is used twice; the run has failed if those below N_NUMBERS do not suffice.
 */
void bench_steps(const struct bench_job *job, uint64_t n_numbers);

#endif
