/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_TESTS_SCENARIO_PLAY_H
#define DNS64D_TESTS_SCENARIO_PLAY_H

/*
 * play: read the files of tests/scenarios and do what their lines say on a stage. The language is
 * described at the head of check_scenarios.c.
 */

#include "scenario/stage.h"

#define PLAY_MAX_FILES 600

/*
 * A test's hooks around each line. before: returns false to skip the line. after: called when the
 * line was played. Either may be NULL. W: the words of the line, which the hooks may not change.
 */
struct play_hooks {
	bool (*before)(void *arg, struct run *r, char **w, unsigned n);
	void (*after)(void *arg, struct run *r, char **w, unsigned n);
	void *arg;
};

/*
 * play_list: write the names of all scenarios, or of those with $SCENARIO in them, in order, to
 * FILES, for play_forget. Returns their number.
 */
unsigned play_list(char *files[static PLAY_MAX_FILES]);

/* play_forget: free the N names in FILES. */
void play_forget(char *files[static PLAY_MAX_FILES], unsigned n);

/* play_path: write the path of the scenario FILE to PATH. */
void play_path(const char *file, char path[static 4096]);

/* play: play all lines of R->file. HOOKS may be NULL. */
void play(struct run *r, const struct play_hooks *hooks);

#endif
