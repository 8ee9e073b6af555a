/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONFIG_ORIGIN_H
#define DNS64D_CONFIG_ORIGIN_H

/*
 * origin: what settings were read from, word by word, so that the operator can be told what is in
 * force and where it stands. Without memory for it lines are left out.
 */

#include <stddef.h>

#include "base/attr.h"
#include "config/array.h"
#include "config/keyword.h"
#include "config/places.h"
#include "config/words.h"

/* What settings were read from; all zero: nothing yet. */
struct origin {
	struct array lines; /* of struct origin_line */
};

/* A line of the configuration, or an option of the command line that sets a keyword. */
struct origin_line {
	const struct keyword *keyword; /* a row of the table */
	unsigned line;                 /* 0: the command line */
	unsigned block;                /* line of the head of its client block; 0: outside of any */
	char *value;                   /* owned: the words, with single blanks; of a secret "" */
};

/*
 * origin_note: remember in S that K was set by the words W of a line, of which the first is K's
 * name. BLOCK: as above.
 */
void origin_note(struct origin *s, const struct keyword *k, const struct words *w, unsigned block);

/*
 * origin_override: remember that the command line sets K to VALUE, in place of its lines outside of
 * client blocks.
 */
void origin_override(struct origin *s, const struct keyword *k, const char *value);

/*
 * origin_keep: let NEXT, whose lines stand at TO, have for K what NOW, whose lines stand at FROM,
 * has, as a reload does not change K.
 */
void origin_keep(struct origin *next, struct places *to, const struct origin *now,
    const struct places *from, const struct keyword *k);

/* origin_lines: the lines of S, in order; *N: how many. Borrowed. */
const struct origin_line *origin_lines(const struct origin *s, size_t *n);

/* origin_at: the line of the number LINE (> 0) of S, borrowed; NULL: there was no memory for it. */
MUST_USE const struct origin_line *origin_at(const struct origin *s, unsigned line);

/*
 * origin_setting: the line that sets the keyword NAME, which can stand once, in the block whose
 * head is at line BLOCK (0: outside of any): one there, or else one outside. NULL: none does, so
 * the default holds.
 */
MUST_USE const struct origin_line *origin_setting(
    const struct origin *s, const char *name, unsigned block);

/*
 * origin_default: the default of K, as it would be written, one value a line, if it holds by S: no
 * line and no other keyword sets the same. NULL: it does not, or there is none.
 */
const char *origin_default(const struct origin *s, const struct keyword *k);

/* origin_fini: free it all; S is all zero afterwards. */
void origin_fini(struct origin *s);

#endif
