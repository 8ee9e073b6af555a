/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_COURSE_H
#define DNS64D_BENCH_COURSE_H

/*
 * bench_course: how a trial of a stated length runs: when it begins (--start-at), and who looks at
 * it while it lasts, as for a row each second.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "bench/load/trial.h"
#include "bench/method.h"

/*
 * bench_course_await: wait until EARLY_NS before the time of --start-at, and set *start_ns to that
 * time by our clock (0, at once, without the option). False: it has passed already, with the reason
 * in the run, or the run was stopped.
 */
MUST_USE bool bench_course_await(
    const struct bench_job *job, uint64_t early_ns, uint64_t *start_ns);

#define BENCH_COURSE_OPEN_NS NS_PER_SEC        /* for its lanes to open */
#define BENCH_COURSE_EARLY_NS (50 * NS_PER_MS) /* for the threads of a trial to start */

/* Look at the trial, at NOW_NS. */
typedef void bench_course_look(void *ctx, uint64_t now_ns);

struct bench_course {
	uint64_t first, n;    /* questions, as of bench_trial_run */
	uint64_t start_ns;    /* of bench_course_await */
	uint64_t length_ns;   /* how long it asks */
	uint64_t interval_ns; /* between two looks; none at the end */
	bench_course_look *look;
	void *ctx;
};

/*
 * bench_course_run: run trial T as C says, and stop when the job is stopped. What the looks have
 * not taken (bench_trial_take) goes to *rest. 0, or -errno if the threads could not be started.
 */
MUST_USE int bench_course_run(const struct bench_job *job, struct bench_trial *t,
    const struct bench_course *c, struct bench_tally *rest);

#endif
