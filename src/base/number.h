/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BASE_NUMBER_H
#define DNS64D_BASE_NUMBER_H

/*
 * number: decimal numbers in text. They have digits only, no sign, blanks or other base; leading
 * zeros are allowed. Where there is no number *v is untouched.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"

/*
 * number_prefix: read the digits at the beginning of the LEN bytes at TEXT into *v. The first byte
 * that is no digit ends them, so for a zero-terminated string LEN may be SIZE_MAX. Returns how many
 * digits there are; 0 if there are none or the number is above MAX.
 */
MUST_USE size_t number_prefix(const char *text, size_t len, uint64_t max, uint64_t *v);

/*
 * number_parse: read the LEN bytes at TEXT, all digits and at least one, into *v. False: they are
 * not, or the number is above MAX.
 */
MUST_USE bool number_parse(const char *text, size_t len, uint64_t max, uint64_t *v);

#endif
