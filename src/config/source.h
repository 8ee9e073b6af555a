/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONFIG_SOURCE_H
#define DNS64D_CONFIG_SOURCE_H

/*
 * source: what settings were read from, word by word, so that the operator can be told what is in
 * force and where it stands. Without memory for it lines are left out.
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"
#include "config/settings.h"
#include "config/words.h"

/* A line of the configuration, or an option of the command line that sets a keyword. */
struct source_line {
	const struct keyword *keyword; /* a row of the table */
	unsigned line;                 /* 0: the command line */
	unsigned block;                /* line of the head of its client block; 0: outside of any */
	char *value;                   /* owned: the words, with single blanks; of a secret "" */
};

/*
 * source_note: remember in S that K was set by the words W of a line, of which the first is K's
 * name. BLOCK: as above.
 */
void source_note(
    struct settings *s, const struct keyword *k, const struct words *w, unsigned block);

/*
 * source_override: remember that the command line sets K to VALUE, in place of its lines outside of
 * client blocks.
 */
void source_override(struct settings *s, const struct keyword *k, const char *value);

/* source_keep: let NEXT have for K what NOW has, as a reload does not change K. */
void source_keep(struct settings *next, const struct settings *now, const struct keyword *k);

/* source_lines: what S was read from, in order; *N: how many. Borrowed. */
const struct source_line *source_lines(const struct settings *s, size_t *n);

/*
 * source_default: the default of K, as it would be written, one value a line, if it holds in S: no
 * line and no other keyword sets the same. NULL: it does not, or there is none.
 */
const char *source_default(const struct settings *s, const struct keyword *k);

/* source_fini: free it all; S has none afterwards. */
void source_fini(struct settings *s);

#endif
