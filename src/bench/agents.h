/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_AGENTS_H
#define DNS64D_BENCH_AGENTS_H

/*
 * bench_agents: testers on other machines (bench/agent) that do a trial together, as the threads of
 * one tester would. Each asks an equal share of the questions: they take turns, so that no question
 * is asked by two.
 *
 * They begin at the same time. Each has a clock of its own, whose distance to ours is measured
 * before each trial: of several round trips the shortest tells it best, and half of that is how
 * wrong it can be.
 *
 * What fails on an agent is no fault of the server's: the trial is spoilt.
 *
 * If the plan says where clients ask from, each agent has networks of its own: it takes turns in
 * these, too.
 */

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "bench/load/plan.h"
#include "bench/load/tally.h"
#include "bench/result/run.h"

#define BENCH_AGENTS_ERROR 512

struct bench_agents;

/*
 * bench_agents_open: connect to the agents of LIST, as bench_remote_parse reads it, with the
 * secret in the file SECRET (NULL: none); both are borrowed. *stop ends it early. NULL: that
 * failed, and ERROR says with whom and why.
 */
MUST_USE struct bench_agents *bench_agents_open(const char *list, const char *secret,
    const atomic_bool *stop, char error[static BENCH_AGENTS_ERROR]);

/* bench_agents_free: close the connections, which ends what the agents do; NULL is fine. */
void bench_agents_free(struct bench_agents *a);

/* bench_agents_count: how many there are. */
MUST_USE unsigned bench_agents_count(const struct bench_agents *a);

/*
 * bench_agents_trial: a trial of PLAN with N questions (UINT64_MAX: as many as there is time for)
 * from number FIRST on; in a closed loop one agent alone asks them (bench_agents_choose). What
 * became of them is *sum, whose spoilt says how many agents failed in their part;
 * bench_agents_fault says how. *stop ends it early. False: it could not begin, and ERROR says with
 * whom and why.
 */
MUST_USE bool bench_agents_trial(struct bench_agents *a, const struct bench_plan *plan,
    uint64_t first, uint64_t n, const atomic_bool *stop, struct bench_tally *sum,
    char error[static BENCH_AGENTS_ERROR]);

/*
 * bench_agents_start: the same, but return at once while they ask. Then comes bench_agents_join, in
 * any case. With LASTING it is a long trial: if an agent is kept from running the questions of that
 * time are taken out, as of one tester, and nothing is spoilt.
 */
MUST_USE bool bench_agents_start(struct bench_agents *a, const struct bench_plan *plan,
    uint64_t first, uint64_t n, bool lasting, const atomic_bool *stop,
    char error[static BENCH_AGENTS_ERROR]);

/* bench_agents_all_ask: are all of them still at it? If not, one may have failed. */
MUST_USE bool bench_agents_all_ask(struct bench_agents *a);

/*
 * bench_agents_take: what became of questions since the start, or since the last call, to *sum;
 * waits for an agent some seconds at most.
 */
void bench_agents_take(struct bench_agents *a, struct bench_tally *sum);

/*
 * bench_agents_join: wait for the end of the trial, or end it when *stop becomes true or one has
 * failed; what was not taken yet goes to *sum.
 */
void bench_agents_join(struct bench_agents *a, const atomic_bool *stop, struct bench_tally *sum);

/* bench_agents_name: the agent I, from 0, as it is called in the list. */
MUST_USE const char *bench_agents_name(const struct bench_agents *a, unsigned i);

/* bench_agents_fault: what spoilt agent I's part of the last trial; NULL: nothing. */
MUST_USE const char *bench_agents_fault(const struct bench_agents *a, unsigned i);

/* bench_agents_choose: let agent I, from 0, ask in closed loops; at first it is number 0. */
void bench_agents_choose(struct bench_agents *a, unsigned i);

/*
 * bench_agents_put: add a table of the agents to R: their clocks, what they asked in all trials at
 * a rate, and what failed on them.
 */
void bench_agents_put(const struct bench_agents *a, struct bench_run *r);

#endif
