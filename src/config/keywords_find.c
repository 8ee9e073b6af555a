/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of the table by their names. */
#include <string.h>
#include <strings.h>

#include "config/keywords.h"

#define NAME_MAX_LEN 32 /* bytes of the longest word compared; no keyword is longer */

const struct keyword *
keywords_find(const char *name)
{
	size_t n;
	const struct keyword *table = keywords(&n);

	for (size_t i = 0; i < n; i++) {
		if (strcmp(table[i].name, name) == 0)
			return &table[i];
	}
	return NULL;
}

static size_t
least(size_t a, size_t b, size_t c)
{
	size_t ab = a < b ? a : b;

	return ab < c ? ab : c;
}

/* Levenshtein distance of two words, case ignored; B has at most NAME_MAX_LEN letters. */
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

unsigned
keywords_line(const struct settings *s, const char *name)
{
	const struct keyword *k = keywords_find(name);
	size_t n;

	return k == NULL ? 0 : s->lines[k - keywords(&n)];
}
