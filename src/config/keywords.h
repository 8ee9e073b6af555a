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

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/attr.h"
#include "config/diag.h"
#include "config/settings.h"
#include "config/words.h"

struct keyword;

#define KEYWORD_ANY WORDS_MAX /* as many values as a line holds */

/* A parser takes the words of a line, the keyword first, into *s, or tells D what is wrong. */
typedef void keyword_parse(
    struct settings *s, const struct keyword *k, const struct words *w, struct diag *d);

enum keyword_unit { KEYWORD_PLAIN, KEYWORD_NUMBER, KEYWORD_SECONDS, KEYWORD_BYTES };

struct keyword {
	const char *name;
	const char *args; /* what follows it, for people; for a choice the words, "a|b" */
	keyword_parse *parse;
	enum keyword_unit unit; /* of the bounds */
	uint64_t min; /* bounds; SECONDS are in ms; both 0: none; above 32 bits only BYTES */
	uint64_t max;
	size_t offset;    /* of the field in struct settings, or in struct policy if IN_BLOCK */
	size_t size;      /* bytes of the field; 0: it is more than one */
	size_t max_words; /* values it takes at most; always one at least */
	bool repeatable;
	bool in_block;        /* may stand in a client block */
	bool restart;         /* a reload does not change it */
	const char *fallback; /* the default as it would be written, one value a line; NULL: none */
	const char *help;     /* one line */
};

/* keywords: the table; *N becomes the number of rows, at most SETTINGS_KEYWORDS. */
const struct keyword *keywords(size_t *n);

/* keywords_find: the row of NAME, NULL if there is none. */
MUST_USE const struct keyword *keywords_find(const char *name);

/* keywords_nearest: the name most like NAME (by edit distance), NULL if none is much alike. */
MUST_USE const char *keywords_nearest(const char *name);

/* keywords_line: where NAME (a row's) first stood in the file that S was read from; 0: nowhere. */
MUST_USE unsigned keywords_line(const struct settings *s, const char *name);

/* keywords_field: where K's value goes: in *s, or in the draft that lines now go to. */
MUST_USE void *keywords_field(struct settings *s, const struct keyword *k);

/* keywords_fallback: parse the default of K into *s. Does nothing for a row without. */
void keywords_fallback(struct settings *s, const struct keyword *k, struct diag *d);

/* Longest text of keywords_bounds, with the final zero. */
#define KEYWORDS_BOUNDS 64

/* keywords_bounds: "512 to 4096", "0.1 to 5 seconds" or an empty text to TEXT; returns TEXT. */
char *keywords_bounds(const struct keyword *k, char text[static KEYWORDS_BOUNDS]);

/* keywords_help: the table for people, as in dns64d -h. */
void keywords_help(FILE *out);

/*
 * keywords_print: the table for programs, one row a line, fields separated by tabs: name, values,
 * bounds, default (several separated by "; "), "repeatable" or "single", "reload" or "restart",
 * "block" (may stand in a client block) or "global", help. An empty field is "-".
 */
void keywords_print(FILE *out);

#endif
