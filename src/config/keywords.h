/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONFIG_KEYWORDS_H
#define DNS64D_CONFIG_KEYWORDS_H

/*
 * keywords: the table of all keywords of the configuration.
 *
 * The parser, the help and `dns64d --print-keywords` work from it, and so do the tests that compare
 * it with the manual page and the sample file. A new setting is one row here and one field in
 * core/conf.h, policy/policy.h or config/settings.h.
 */

#include <stddef.h>
#include <stdio.h>

#include "base/attr.h"
#include "config/keyword.h"
#include "config/settings.h"

/* keywords: the table, which is static; its number of rows, at most KEYWORDS_MAX, goes to *n. */
const struct keyword *keywords(size_t *n);

/* keywords_find: the row of NAME, or that was called so, in lower case; NULL: there is none. */
MUST_USE const struct keyword *keywords_find(const char *name);

/*
 * keywords_nearest: the keyword with the smallest Levenshtein distance from NAME, case ignored;
 * NULL if that is more than a third of NAME's length plus one, or NAME is longer than any keyword.
 */
MUST_USE const char *keywords_nearest(const char *name);

/*
 * keywords_line: the line where NAME first stood, outside of client blocks, in the file that S was
 * read from; 0 if nowhere.
 */
MUST_USE unsigned keywords_line(const struct settings *s, const char *name);

/* keywords_help: write the table for people to OUT, as dns64d -h does. */
void keywords_help(FILE *out);

/*
 * keywords_print: write the table for programs to OUT, one row a line, fields separated by tabs:
 * name, values, bounds, default (several separated by "; "), "repeatable" or "single", "reload" or
 * "restart", "block" (may stand in a client block) or "global", help. An empty field is "-".
 */
void keywords_print(FILE *out);

#endif
