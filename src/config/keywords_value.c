/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the value of a row goes, and where it comes from if no line has it. */
#include <stdio.h>
#include <string.h>

#include "config/keywords.h"
#include "config/policy_lines.h"

unsigned
keywords_line(const struct settings *s, const char *name)
{
	const struct keyword *k = keywords_find(name);
	size_t n;

	return k == NULL ? 0 : s->lines[k - keywords(&n)];
}

void *
keywords_field(struct settings *s, const struct keyword *k)
{
	unsigned char *base = (unsigned char *)s;

	if (k->in_block)
		base = (unsigned char *)&policy_lines_now(s->drafts)->values;
	return base + k->offset;
}

void
keywords_fallback(struct settings *s, const struct keyword *k, struct diag *d)
{
	char text[64], *at = text, *value;

	if (k->fallback == NULL)
		return;
	snprintf(text, sizeof(text), "%s", k->fallback);
	while ((value = strsep(&at, "\n")) != NULL) {
		struct words w = { .line = 0 };
		char line[128];

		snprintf(line, sizeof(line), "%s %s", k->name, value);
		words_split(line, &w);
		k->parse(s, k, &w, d);
	}
}
