/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DNS_TYPE_H
#define DNS64D_DNS_TYPE_H

/*
 * type: what is known of RR types (dns/type_rows.h), and their texts for people (IANA; RFC 3597
 * section 5).
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "dns/type_rows.h"

#define TYPE_TEXT 16 /* longest text, with the final zero */

#define TYPE_KIND(kind, name, label) TYPE_KIND_##kind,
enum type_kind { TYPE_KINDS(TYPE_KIND) TYPE_KINDS_N };
#undef TYPE_KIND

#define TYPE_FORM(form, before, strings, names, after) TYPE_FORM_##form,
enum type_form { TYPE_FORMS(TYPE_FORM) };
#undef TYPE_FORM

enum type_check { TYPE_CHECK_NEVER, TYPE_CHECK_IN, TYPE_CHECK_ANY };

enum type_added { TYPE_ADDED_NOTHING, TYPE_ADDED_ADDRESSES };

/* The parts of RDATA. */
struct type_parts {
	uint8_t before;  /* bytes in front */
	uint8_t strings; /* number of character-strings behind them */
	uint8_t names;   /* number of names behind those */
	uint8_t after;   /* bytes behind the names, or TYPE_REST */
};

struct type_row {
	const char *name; /* NULL: it has no row */
	struct type_parts parts;
	uint8_t form;  /* enum type_form */
	uint8_t check; /* enum type_check */
	uint8_t added; /* enum type_added */
};

extern const struct type_row type_rows[TYPE_NUMBERED]; /* by number */
extern const uint8_t type_kinds[TYPE_NUMBERED];        /* enum type_kind, by number */

/* type_row: what is known of TYPE; of one that has no row, as of type 0, nothing. */
MUST_USE static inline const struct type_row *
type_row(uint16_t type)
{
	return &type_rows[type < TYPE_NUMBERED ? type : 0];
}

/* type_kind: what a question for TYPE is counted as. */
MUST_USE static inline enum type_kind
type_kind(uint16_t type)
{
	return (enum type_kind)type_kinds[type < TYPE_NUMBERED ? type : 0];
}

/* type_kind_label: the label of KIND in metrics. */
MUST_USE const char *type_kind_label(enum type_kind kind);

/*
 * type_from_text: the type that TEXT names, in upper or lower case: AAAA, or any as TYPE28. False:
 * it names none.
 */
MUST_USE bool type_from_text(const char *text, uint16_t *type);

/* type_to_text: the name of TYPE to TEXT; TYPE28 if it has none here. Returns TEXT. */
char *type_to_text(uint16_t type, char text[static TYPE_TEXT]);

#endif
