/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DNS64CTL_EXPLAIN_H
#define DNS64D_DNS64CTL_EXPLAIN_H

/*
 * explain: the command of this name: its words, and its answer for people: first what the client
 * gets and why, in one line, then what decided, then each step on the way.
 */

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/attr.h"

#define EXPLAIN_KEYS 7 /* of the command */

/*
 * explain_words: the N (at least 1) words at WORDS, NAME [TYPE] [client ADDRESS] [tcp] [do] [cd],
 * become ARGS, in the order of the command's keys; NULL: that is not said. DRY: ask no upstream.
 * False: they are something else.
 */
MUST_USE bool explain_words(
    char *const *words, size_t n, bool dry, const char *args[static EXPLAIN_KEYS]);

/* explain_show: show J, the daemon's answer. */
void explain_show(const json_t *j, FILE *out);

#endif
