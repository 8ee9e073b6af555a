/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BASE_NUMBER_H
#define DNS64D_BASE_NUMBER_H

/*
 * number: decimal numbers in texts: digits alone, without sign, blanks or another base; leading
 * zeros are fine. Pure. A result is left as it is when there is no number.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"

/*
 * number_prefix: the digits that the LEN bytes at TEXT begin with become *v. A byte that is no
 * digit ends them, so for a string LEN may be SIZE_MAX. Returns how many digits there are; 0
 * without one, and for a number above MAX.
 */
MUST_USE size_t number_prefix(const char *text, size_t len, uint64_t max, uint64_t *v);

/* number_parse: the LEN bytes at TEXT, all of them digits and at least one, are *v, at most MAX. */
MUST_USE bool number_parse(const char *text, size_t len, uint64_t max, uint64_t *v);

#endif
