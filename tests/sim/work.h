/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_TESTS_SIM_WORK_H
#define DNS64D_TESTS_SIM_WORK_H

/*
 * work: how much the engine does in one turn of the shell, counted where its parts call each other,
 * not as the engine counts it. More than the most in work.c is a failure.
 */

#include "sim/sim.h"

/* What is counted. */
enum work {
	WORK_RUN,     /* a query goes on */
	WORK_TIMER,   /* a deadline is handled */
	WORK_SENT,    /* a message leaves */
	WORK_OCTETS,  /* of those messages */
	WORK_OBJECTS, /* taken from a pool, or given back */
	WORK_CACHED,  /* the cache is asked */
	WORKS
};

/* work_begin: count for S, whose first turn begins; NULL: count no more. */
void work_begin(struct sim *s);

/* work_done: N of WHAT was done in this turn. */
void work_done(enum work what, size_t n);

#endif
