/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_TESTS_SIM_ORACLE_H
#define DNS64D_TESTS_SIM_ORACLE_H

/*
 * oracle: a slow and obvious model of the rules, which judges each answer by what is true and by
 * what has happened on the way.
 */

#include "sim/sim.h"

/* oracle_begins: K is filled in and about to be asked. */
void oracle_begins(struct sim *s, struct ask *k);

/* oracle_watch: look at what holds at any time. */
void oracle_watch(struct sim *s);

/* oracle_answer: K got the answer M. */
void oracle_answer(struct sim *s, struct ask *k, const struct msg *m);

#endif
