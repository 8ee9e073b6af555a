/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DNS_TYPE_H
#define DNS64D_DNS_TYPE_H

/*
 * type: RR types by name, for people (IANA; RFC 3597 section 5).
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"

#define TYPE_TEXT 16 /* longest text, with the final zero */

/*
 * type_from_text: the type that TEXT names, in upper or lower case: AAAA, or any as TYPE28. False:
 * it names none.
 */
MUST_USE bool type_from_text(const char *text, uint16_t *type);

/* type_to_text: the name of TYPE to TEXT; TYPE28 if it has none here. Returns TEXT. */
char *type_to_text(uint16_t type, char text[static TYPE_TEXT]);

#endif
