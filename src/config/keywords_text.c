/* SPDX-License-Identifier: BSD-2-Clause */
/* The table as text, for people and for programs. */
#include <stdio.h>

#include "config/field.h"
#include "config/keywords.h"

/* The default on one line, "-" without. */
static const char *
format_fallback(const struct keyword *k, char *text, size_t cap)
{
	size_t n = 0;

	if (k->fallback == NULL)
		return "-";
	for (const char *c = k->fallback; *c != '\0' && n + 3 < cap; c++) {
		text[n++] = *c == '\n' ? ';' : *c;
		if (*c == '\n')
			text[n++] = ' ';
	}
	text[n] = '\0';
	return text;
}

void
keywords_help(FILE *out)
{
	char bounds[FIELD_BOUNDS], text[64];
	size_t n;
	const struct keyword *table = keywords(&n);

	for (size_t i = 0; i < n; i++) {
		const struct keyword *k = &table[i];

		field_bounds(k, bounds);
		fprintf(out, "  %s %s\n\t%s%s%s%s", k->name, k->args, k->help,
		    bounds[0] != '\0' ? " (" : "", bounds, bounds[0] != '\0' ? ")" : "");
		if (k->fallback != NULL)
			fprintf(out, "; default %s", format_fallback(k, text, sizeof(text)));
		fprintf(out, "%s%s%s\n", k->repeatable ? "; repeatable" : "",
		    k->restart ? "; needs a restart" : "",
		    k->in_block ? "; also in client blocks" : "");
	}
}

void
keywords_print(FILE *out)
{
	char bounds[FIELD_BOUNDS], text[64];
	size_t n;
	const struct keyword *table = keywords(&n);

	for (size_t i = 0; i < n; i++) {
		const struct keyword *k = &table[i];

		field_bounds(k, bounds);
		fprintf(out, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", k->name, k->args,
		    bounds[0] != '\0' ? bounds : "-", format_fallback(k, text, sizeof(text)),
		    k->repeatable ? "repeatable" : "single", k->restart ? "restart" : "reload",
		    k->in_block ? "block" : "global", k->help);
	}
}
