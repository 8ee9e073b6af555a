/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_METHOD_METHOD_H
#define DNS64D_BENCH_METHOD_METHOD_H

/* bench_method: what the methods have in common. */

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/attr.h"
#include "bench/dut/dut.h"
#include "bench/load/tally.h"
#include "bench/result/run.h"
#include "bench/settings/settings.h"

/* What a method works on; all borrowed. */
struct bench_job {
	const struct bench_settings *settings;
	struct bench_run *run; /* what it finds goes there, and why it failed */
	FILE *out;             /* where rows go as they come: standard output, unless results do */
	const atomic_bool *stop;   /* Ctrl-C: end soon; what there is is printed */
	struct bench_tally *tally; /* of the last trial; too large for a stack */
	struct bench_dut *subject; /* the server's processes; NULL: nobody said which */
};

/* The methods. Each returns when it is done or was stopped; the run tells the outcome. */
void bench_rate(const struct bench_job *job);
void bench_search(const struct bench_job *job);
void bench_closed(const struct bench_job *job);
void bench_enum(const struct bench_job *job);
void bench_soak(const struct bench_job *job);

/*
 * bench_method_trial: a trial of PLAN with N questions from number FIRST on; what became of them is
 * job->tally. False, with the reason in the run, if it could not begin.
 */
MUST_USE bool bench_method_trial(
    const struct bench_job *job, const struct bench_plan *plan, uint64_t first, uint64_t n);

#define BENCH_READY_WAIT 3.0 /* s, for the first answer of a server that is there */

/*
 * bench_method_ready: ask the server for the names that count as hits (without --hits: for the last
 * one of the namespace; enum: its first question), so that a cache has them; again, soon at first,
 * as long as there is no answer, for WAIT seconds and at least once with the plan's whole timeout.
 * False, with the reason in the run, if none comes.
 */
MUST_USE bool bench_method_ready(const struct bench_job *job, double wait);

/* bench_method_settings: the plan's settings become the run's. */
void bench_method_settings(const struct bench_job *job);

/*
 * bench_method_lost: questions of the last trial without any reply; without those that still had
 * time when it was stopped.
 */
MUST_USE uint64_t bench_method_lost(const struct bench_job *job);

/* bench_method_counts: what became of the last trial's questions becomes findings of the run. */
void bench_method_counts(const struct bench_job *job);

/* bench_method_tally: that, how many were answered in a second, and how fast. */
void bench_method_tally(const struct bench_job *job);

/* bench_method_rtt: a table with the distribution of its RTTs. */
void bench_method_rtt(const struct bench_job *job);

/*
 * bench_method_judge: add to the run why the last trial is not good, if so: questions that were not
 * answered right and in time, an answer twice, replies that were dropped here, and, for a RATE > 0,
 * a pace that was not kept.
 */
void bench_method_judge(const struct bench_job *job, uint32_t rate);

/*
 * bench_method_judge_sending, bench_method_judge_extras: of that only what went wrong in sending
 * and with this machine, and only what came besides one reply to each question.
 */
void bench_method_judge_sending(const struct bench_job *job, uint32_t rate);
void bench_method_judge_extras(const struct bench_job *job);

/* The pace was kept if sending took so much more or less than its time, in percent, at most, */
#define BENCH_PACE_PERCENT 1.0
/* and 99.9 % of all questions left no later than this part of the timeout behind their time. */
#define BENCH_PACE_LAG 10

/* bench_method_pace_error: how far sending was from its time, in percent; negative: too fast. */
MUST_USE double bench_method_pace_error(const struct bench_tally *t, uint32_t rate);

/* bench_method_kept_pace: was the pace kept as said above? */
MUST_USE bool bench_method_kept_pace(
    const struct bench_tally *t, uint32_t rate, uint64_t timeout_ns);

#endif
