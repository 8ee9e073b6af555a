/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DNS64CTL_SHOW_PARTS_H
#define DNS64D_DNS64CTL_SHOW_PARTS_H

/*
 * show_parts: what the units of show share.
 */

#include <jansson.h>
#include <stdio.h>

/* show_text: the text KEY of J, borrowed; "-" if it is not there. */
static inline const char *
show_text(const json_t *j, const char *key)
{
	const char *text = json_string_value(json_object_get(j, key));

	return text != NULL ? text : "-";
}

/* show_number: the number KEY of J; 0 if it is not there. */
static inline json_int_t
show_number(const json_t *j, const char *key)
{
	return json_integer_value(json_object_get(j, key));
}

/* show_put: print TEXT, without what could control a terminal. */
void show_put(const char *text, FILE *out);

#endif
