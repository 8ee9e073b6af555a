/* SPDX-License-Identifier: BSD-2-Clause */
#include "config/field.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "config/policy_lines.h"

void *
field_of(struct settings *s, const struct keyword *k)
{
	unsigned char *base = (unsigned char *)s;

	if (k->in_block)
		base = (unsigned char *)&policy_lines_now(s->policy_lines)->values;
	return base + k->offset;
}

void
field_fallback(struct settings *s, const struct keyword *k, struct diag *d)
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
field_bounds(const struct keyword *k, char text[static FIELD_BOUNDS])
{
	char from[24], to[24];

	text[0] = '\0';
	switch (k->unit) {
	case KEYWORD_PLAIN:
		break;
	case KEYWORD_NUMBER:
		snprintf(text, FIELD_BOUNDS, "%" PRIu64 " to %" PRIu64, k->min, k->max);
		break;
	case KEYWORD_SECONDS:
		snprintf(text, FIELD_BOUNDS, "%g to %g seconds", (double)k->min / 1000,
		    (double)k->max / 1000);
		break;
	case KEYWORD_BYTES:
		format_bytes(k->min, from, sizeof(from));
		format_bytes(k->max, to, sizeof(to));
		snprintf(text, FIELD_BOUNDS, "%s to %s", from, to);
		break;
	}
	return text;
}
