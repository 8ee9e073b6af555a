/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DNS64CTL_COMMANDS_H
#define DNS64D_DNS64CTL_COMMANDS_H

/*
 * commands: the table of what dns64ctl can be told: the words, what the daemon is asked for them,
 * and how its answer is shown. Help and completion are made from it.
 */

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/attr.h"

#define COMMANDS_ARGS 7 /* arguments of a command at most */

/* Show J, the daemon's answer, to people. */
typedef void command_show(const json_t *j, FILE *out);

struct command {
	const char *words; /* one or two */
	const char *args;  /* what follows, for people; "" */
	const char *method;
	const char *path; /* NULL: the daemon is not asked */
	bool from_file;   /* the argument is a file that has the value; "-": standard input */
	const char *body; /* of POST without arguments; NULL: none */
	/*
	 * The arguments by their names in the request; those from n_needed on may be left out. One
	 * that begins with '=' is a word with an argument behind it, which has the next key; one
	 * with '?' is a word by itself, whose value is "yes". Both may be left out.
	 */
	const char *keys[COMMANDS_ARGS];
	size_t n_needed;
	/*
	 * Without an argument the command asks by GET, with some it posts. If there are fewer
	 * arguments than keys, they are those of the last keys.
	 */
	bool tells;
	bool saves; /* takes --persist */
	command_show *show;
	const char *help; /* one line */
};

/* commands: the table; *N: its length. */
const struct command *commands(size_t *n);

/*
 * commands_find: the command that the N words at WORDS begin with; *USED: how many of them that
 * are. NULL: none.
 */
MUST_USE const struct command *commands_find(char *const *words, size_t n, size_t *used);

/* commands_keys: how many arguments C may have. */
MUST_USE size_t commands_keys(const struct command *c);

/*
 * commands_bind: which of the N words at ARGS is for which key of C, to BOUND, with the indices of
 * c->keys; NULL: none is. False: C does not take them.
 */
MUST_USE bool commands_bind(
    const struct command *c, char *const *args, size_t n, const char *bound[static COMMANDS_ARGS]);

/* commands_fit: are the N words at ARGS arguments that C takes? */
MUST_USE bool commands_fit(const struct command *c, char *const *args, size_t n);

/* commands_help: write the table for people to OUT. */
void commands_help(FILE *out);

/*
 * commands_print: write it for programs to OUT, a command in a line, fields separated by tabs:
 * words, arguments or "-", help.
 */
void commands_print(FILE *out);

#endif
