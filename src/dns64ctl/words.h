/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DNS64CTL_WORDS_H
#define DNS64D_DNS64CTL_WORDS_H

/*
 * words: what the words of the command line mean by the table of commands (control/commands): which
 * command, which argument for which key, and what shows its answer. Help and completion are made
 * here.
 */

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/attr.h"
#include "control/commands.h"

/* Show J, the daemon's answer, to people. */
typedef void command_show(const json_t *j, FILE *out);

/*
 * words_find: the command that the N words at WORDS begin with; *USED: how many of them that are.
 * NULL: none.
 */
MUST_USE const struct command *words_find(char *const *words, size_t n, size_t *used);

/* words_show: what shows the answer to C. */
MUST_USE command_show *words_show(const struct command *c);

/* words_keys: how many keys C has. */
MUST_USE size_t words_keys(const struct command *c);

/*
 * words_bind: which of the N words at ARGS is for which key of C, to BOUND, with the indices of
 * c->keys; NULL: none is. False: C does not take them.
 */
MUST_USE bool words_bind(
    const struct command *c, char *const *args, size_t n, const char *bound[static COMMANDS_KEYS]);

/* words_fit: are the N words at ARGS arguments that C takes? */
MUST_USE bool words_fit(const struct command *c, char *const *args, size_t n);

/* words_help: write the table for people to OUT. */
void words_help(FILE *out);

/*
 * words_print: write it for programs to OUT, a command in a line, fields separated by tabs: words,
 * arguments or "-", help.
 */
void words_print(FILE *out);

#endif
