/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONFIG_FIELD_H
#define DNS64D_CONFIG_FIELD_H

/*
 * field: the value of a keyword: where it is stored, its default, its bounds as text.
 */

#include "base/attr.h"
#include "config/diag.h"
#include "config/keyword.h"
#include "config/settings.h"

/*
 * field_of: the field that K's value is stored in, K->size bytes: in *s or, if K may stand in a
 * client block, in the values of the block that is being read (policy_lines_now).
 */
MUST_USE void *field_of(struct settings *s, const struct keyword *k);

/* field_fallback: parse the default of K, if it has one, into *s; errors go to *d. */
void field_fallback(struct settings *s, const struct keyword *k, struct diag *d);

/* Bytes of the longest text of field_bounds, with the final zero. */
#define FIELD_BOUNDS 64

/*
 * field_bounds: write "512 to 4096", "0.1 to 5 seconds" or, for a keyword without bounds, an empty
 * text to TEXT. Returns TEXT.
 */
char *field_bounds(const struct keyword *k, char text[static FIELD_BOUNDS]);

#endif
