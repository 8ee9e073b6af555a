/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONFIG_WORDS_H
#define DNS64D_CONFIG_WORDS_H

/*
 * words: one line of a configuration, cut into words.
 */

#include <stddef.h>

#define WORDS_MAX 512 /* words kept of a line: all that one of the configuration can have */

struct words {
	unsigned line;               /* its number, from 1; 0 when it stands in no file */
	size_t n;                    /* words there are, which may be more than are kept */
	const char *word[WORDS_MAX]; /* borrowed from the line */
};

/*
 * words_split: cut LINE (zero-terminated, changed by this) at blanks. A word that begins with # or
 * // and all behind it is comment. A final CR is a blank. W's line stays as it is.
 */
void words_split(char *line, struct words *w);

#endif
