/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONFIG_KEYWORD_H
#define DNS64D_CONFIG_KEYWORD_H

/*
 * keyword: one row of the table of keywords (config/keywords).
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "config/words.h"

#define KEYWORDS_MAX 128      /* rows that the table may have; settings keep a line for each */
#define KEYWORD_ANY WORDS_MAX /* as many values as a line holds */

struct diag;
struct keyword;
struct settings;

/*
 * A parser writes what the words of a line say, the keyword first, to *s, or adds an error to *d.
 */
typedef void keyword_parse(
    struct settings *s, const struct keyword *k, const struct words *w, struct diag *d);

enum keyword_unit { KEYWORD_PLAIN, KEYWORD_NUMBER, KEYWORD_SECONDS, KEYWORD_BYTES };

struct keyword {
	const char *name;
	const char *old;  /* what it was called before: read too, with a notice; NULL */
	const char *args; /* the values, for people; of a choice its words, "a|b" */
	keyword_parse *parse;
	enum keyword_unit unit; /* of min and max */
	/* Bounds of a number, in ms for KEYWORD_SECONDS; both 0: none. Only KEYWORD_BYTES has more
	 * than 32 bits. */
	uint64_t min;
	uint64_t max;
	size_t offset;    /* of the field in struct settings; if in_block, in struct policy */
	size_t size;      /* bytes of the field; 0: the value is not one field */
	size_t max_words; /* values on a line; at least one is needed */
	bool repeatable;
	bool in_block;        /* may stand in a client block */
	bool restart;         /* a reload does not change it */
	bool secret;          /* its value is not told */
	const char *fallback; /* the default as it would be written, one value a line; NULL: none */
	const char *help;     /* one line */
};

/* keyword_same_field: do A and B, which may be the same row, write the same field? */
MUST_USE static inline bool
keyword_same_field(const struct keyword *a, const struct keyword *b)
{
	return a->size > 0 && a->size == b->size && a->offset == b->offset &&
	    a->in_block == b->in_block;
}

#endif
