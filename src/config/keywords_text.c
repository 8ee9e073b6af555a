/* SPDX-License-Identifier: BSD-2-Clause */
/* The table as people and programs read it. */
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "config/keywords.h"

#define NAME_MAX_LEN 32 /* of words that are compared; every keyword is shorter */

static size_t
least(size_t a, size_t b, size_t c)
{
	size_t ab = a < b ? a : b;

	return ab < c ? ab : c;
}

/* Letters to change, add or leave out to make one word of the other, whatever their case. */
static size_t
distance(const char *a, const char *b)
{
	size_t row[NAME_MAX_LEN + 1], len = strlen(b);

	for (size_t j = 0; j <= len; j++)
		row[j] = j;
	for (size_t i = 1; a[i - 1] != '\0'; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= len; j++) {
			size_t change = strncasecmp(&a[i - 1], &b[j - 1], 1) == 0 ? 0 : 1;
			size_t best = least(row[j] + 1, row[j - 1] + 1, diagonal + change);

			diagonal = row[j];
			row[j] = best;
		}
	}
	return row[len];
}

const char *
keywords_nearest(const char *name)
{
	const char *nearest = NULL;
	size_t n, len = strlen(name), least_distance = len / 3 + 1;
	const struct keyword *table = keywords(&n);

	if (len > NAME_MAX_LEN)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		size_t d = distance(name, table[i].name);

		if (d < least_distance || (d == least_distance && nearest == NULL)) {
			least_distance = d;
			nearest = table[i].name;
		}
	}
	return nearest;
}

/* Bytes with the largest unit that divides them. */
static void
format_bytes(uint64_t bytes, char *text, size_t cap)
{
	static const char *const units[] = { "", "k", "m", "g" };
	size_t unit = 0;

	while (unit < 3 && bytes > 0 && bytes % 1024 == 0) {
		bytes /= 1024;
		unit++;
	}
	snprintf(text, cap, "%" PRIu64 "%s", bytes, units[unit]);
}

char *
keywords_bounds(const struct keyword *k, char text[static KEYWORDS_BOUNDS])
{
	char from[24], to[24];

	text[0] = '\0';
	switch (k->unit) {
	case KEYWORD_PLAIN:
		break;
	case KEYWORD_NUMBER:
		snprintf(text, KEYWORDS_BOUNDS, "%" PRIu64 " to %" PRIu64, k->min, k->max);
		break;
	case KEYWORD_SECONDS:
		snprintf(text, KEYWORDS_BOUNDS, "%g to %g seconds", (double)k->min / 1000,
		    (double)k->max / 1000);
		break;
	case KEYWORD_BYTES:
		format_bytes(k->min, from, sizeof(from));
		format_bytes(k->max, to, sizeof(to));
		snprintf(text, KEYWORDS_BOUNDS, "%s to %s", from, to);
		break;
	}
	return text;
}

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
	char bounds[KEYWORDS_BOUNDS], text[64];
	size_t n;
	const struct keyword *table = keywords(&n);

	for (size_t i = 0; i < n; i++) {
		const struct keyword *k = &table[i];

		keywords_bounds(k, bounds);
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
	char bounds[KEYWORDS_BOUNDS], text[64];
	size_t n;
	const struct keyword *table = keywords(&n);

	for (size_t i = 0; i < n; i++) {
		const struct keyword *k = &table[i];

		keywords_bounds(k, bounds);
		fprintf(out, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", k->name, k->args,
		    bounds[0] != '\0' ? bounds : "-", format_fallback(k, text, sizeof(text)),
		    k->repeatable ? "repeatable" : "single", k->restart ? "restart" : "reload",
		    k->in_block ? "block" : "global", k->help);
	}
}
