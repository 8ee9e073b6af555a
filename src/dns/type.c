/* SPDX-License-Identifier: BSD-2-Clause */
#include "dns/type.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "dns/proto.h"

#define PARTS(form, before, strings, names, after) \
	BEFORE_##form = (before), STRINGS_##form = (strings), NAMES_##form = (names), \
	AFTER_##form = (after),
enum { TYPE_FORMS(PARTS) };

#define ROW(type, number, form, check, kind, added) \
	[number] = { #type, { BEFORE_##form, STRINGS_##form, NAMES_##form, AFTER_##form }, \
		TYPE_FORM_##form, TYPE_CHECK_##check, TYPE_ADDED_##added },
const struct type_row type_rows[TYPE_NUMBERED] = { TYPE_ROWS(ROW) };

#define KIND_OF(type, number, form, check, kind, added) [number] = TYPE_KIND_##kind,
const uint8_t type_kinds[TYPE_NUMBERED] = { TYPE_ROWS(KIND_OF) };

#define LABEL(kind, name, label) label,
static const char *const labels[] = { TYPE_KINDS(LABEL) };

const char *
type_kind_label(enum type_kind kind)
{
	return labels[kind];
}

/* Read TYPE and a number (RFC 3597). */
static bool
from_number(const char *text, uint16_t *type)
{
	unsigned n = 0;

	if (strncasecmp(text, "TYPE", 4) != 0 || text[4] == '\0')
		return false;
	for (text += 4; *text >= '0' && *text <= '9' && n <= UINT16_MAX; text++)
		n = n * 10 + (unsigned)(*text - '0');
	*type = (uint16_t)n;
	return *text == '\0' && n > 0 && n <= UINT16_MAX;
}

bool
type_from_text(const char *text, uint16_t *type)
{
	for (uint16_t i = 0; i < TYPE_NUMBERED; i++) {
		if (type_rows[i].name == NULL || strcasecmp(type_rows[i].name, text) != 0)
			continue;
		*type = i;
		return true;
	}
	return from_number(text, type);
}

char *
type_to_text(uint16_t type, char text[static TYPE_TEXT])
{
	const char *name = type_row(type)->name;

	if (name != NULL)
		snprintf(text, TYPE_TEXT, "%s", name);
	else
		snprintf(text, TYPE_TEXT, "TYPE%u", type);
	return text;
}
