/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONFIG_KEYWORDS_H
#define DNS64D_CONFIG_KEYWORDS_H

/*
 * keywords: the table of all there is to configure.
 *
 * The parser, the help, `dns64d --print-keywords`, and through that the tests that hold the
 * manual page and the sample file against it, all work from this one table. A new setting is
 * one row here and one field in core/conf.h or config/settings.h.
 */

#include <stddef.h>
#include <stdio.h>

#include "base/attr.h"
#include "config/keyword.h"
#include "config/settings.h"

/* keywords: the table; *N becomes the number of rows, at most KEYWORDS_MAX. */
const struct keyword *keywords(size_t *n);

/* keywords_find: the row of NAME, NULL if there is none. */
MUST_USE const struct keyword *keywords_find(const char *name);

/* keywords_nearest: the name most like NAME (by edit distance), NULL if none is much alike. */
MUST_USE const char *keywords_nearest(const char *name);

/* keywords_line: where NAME (a row's) first stood in the file that S was read from; 0: nowhere. */
MUST_USE unsigned keywords_line(const struct settings *s, const char *name);

/* keywords_help: the table for people, as in dns64d -h. */
void keywords_help(FILE *out);

/*
 * keywords_print: the table for programs, one row a line, fields separated by tabs: name, values,
 * bounds, default (several separated by "; "), "repeatable" or "single", "reload" or "restart",
 * "block" (may stand in a client block) or "global", help. An empty field is "-".
 */
void keywords_print(FILE *out);

#endif
