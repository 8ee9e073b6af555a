/* SPDX-License-Identifier: BSD-2-Clause */
#include "config/words.h"

#include <stdbool.h>
#include <string.h>

#define BLANKS " \t\r\v\f"

static bool
is_comment(const char *word)
{
	return word[0] == '#' || (word[0] == '/' && word[1] == '/');
}

void
words_split(char *line, struct words *w)
{
	char *at = line + strspn(line, BLANKS);

	w->n = 0;
	while (*at != '\0' && !is_comment(at)) {
		char *end = at + strcspn(at, BLANKS);
		size_t blanks = strspn(end, BLANKS);

		if (w->n < WORDS_MAX)
			w->word[w->n] = at;
		w->n++;
		at = end + blanks;
		*end = '\0';
	}
}
