/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_TESTS_SCENARIO_KEEPING_H
#define DNS64D_TESTS_SCENARIO_KEEPING_H

/*
 * keeping: lines of scenarios that concern the cache; happen and check_scenarios tell the language.
 */

#include "scenario/stage.h"

/* keeping_defaults: the settings that a cache begins with, those of dns64d. */
void keeping_defaults(struct conf_cache *keep);

/* keeping_setting: apply a setting. False: the words are none. */
bool keeping_setting(struct run *r, char **w, unsigned n);

/* keeping_open: the stage has the cache that was wished for. keeping_close: it is gone. */
void keeping_open(struct run *r);
void keeping_close(struct run *r);

/* keeping_flush: "flush", "flush name NAME" or "flush below NAME". */
void keeping_flush(struct run *r, char **w, unsigned n);

#endif
