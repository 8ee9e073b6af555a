/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_TESTS_SCENARIO_PLAY_H
#define DNS64D_TESTS_SCENARIO_PLAY_H

/*
 * play: read the files of tests/scenarios and do what their lines say on a stage. The language is
 * told at the head of check_scenarios.c.
 */

#include "scenario/stage.h"

#define PLAY_MAX_FILES 500

/*
 * What a test adds to lines. before: false: the line is passed over. after: it was done. Either may
 * be NULL. The words are those of the line, which may not be changed.
 */
struct play_hooks {
	bool (*before)(void *arg, struct run *r, char **w, unsigned n);
	void (*after)(void *arg, struct run *r, char **w, unsigned n);
	void *arg;
};

/*
 * play_list: the names of all scenarios, in order, to FILES; how many. play_forget: give them back.
 */
unsigned play_list(char *files[static PLAY_MAX_FILES]);
void play_forget(char *files[static PLAY_MAX_FILES], unsigned n);

/* play_path: where FILE is, to PATH. */
void play_path(const char *file, char path[static 4096]);

/* play: do all lines of R->file. HOOKS may be NULL. */
void play(struct run *r, const struct play_hooks *hooks);

#endif
