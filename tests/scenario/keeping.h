/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_TESTS_SCENARIO_KEEPING_H
#define DNS64D_TESTS_SCENARIO_KEEPING_H

/*
 * keeping: the lines of a scenario about the cache. check_scenarios.c describes the language.
 */

#include "scenario/stage.h"

/* keeping_defaults: set *keep to the defaults of dns64d. */
void keeping_defaults(struct conf_cache *keep);

/* keeping_setting: apply the setting in the N words at W. False: it is another kind of line. */
bool keeping_setting(struct run *r, char **w, unsigned n);

/* keeping_open: create the cache, if a setting asked for one. */
void keeping_open(struct run *r);

/* keeping_close: free the cache, if there is one. */
void keeping_close(struct run *r);

/* keeping_flush: play "flush", "flush name NAME" or "flush below NAME". */
void keeping_flush(struct run *r, char **w, unsigned n);

#endif
