/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONFIG_WORDS_H
#define DNS64D_CONFIG_WORDS_H

/*
 * words: one line of a configuration, split into words.
 */

#include <stddef.h>

#define WORDS_MAX \
	512 /* words stored of a line; the configuration's lines have no room for more \
	     */

struct words {
	unsigned line;               /* its number in the file, from 1; 0: it is not from a file */
	size_t n;                    /* words there are; may be more than WORDS_MAX */
	const char *word[WORDS_MAX]; /* borrowed from the line */
};

/*
 * words_split: split LINE, zero-terminated, at blanks, for which zeros are written. A word that
 * begins with # or //, and all behind it, is a comment. A final CR is a blank. w->line is left as
 * it is.
 */
void words_split(char *line, struct words *w);

#endif
