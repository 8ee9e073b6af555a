/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_METHOD_STEPS_H
#define DNS64D_BENCH_METHOD_STEPS_H

/* bench_steps: clients that ask one question after another, at each step another number of them. */

#include <stdint.h>

#include "bench/method/method.h"

/*
 * bench_steps: for each number of clients of the settings a step of their duration, and a row: what
 * they achieved together, how long they waited, and what the server used. Questions have numbers
 * below N_NUMBERS, none is asked again; the run has failed if they do not suffice.
 */
void bench_steps(const struct bench_job *job, uint64_t n_numbers);

#endif
