/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_TESTS_SUPPORT_HEX_H
#define DNS64D_TESTS_SUPPORT_HEX_H

/*
 * hex: messages written in tests as a person reads them.
 *
 *	"1234 8180 0001 0001 0000 0000"		hex digits in pairs; blanks mean nothing
 *	"<www.example.com>"			a name in wire form, uncompressed; <> is the root
 *	"<www>c00c"				is NOT a pointer behind a label: a name ends with
 *						its root. Write "{www}c00c" for labels alone.
 *	"'text'"				the bytes between the quotes
 *	"@20."					asserts that the offset here is 20 (decimal)
 */

#include <stddef.h>
#include <stdint.h>

/* hex_read: write TEXT's bytes to OUT; returns how many. Aborts on bad TEXT or if over CAP. */
size_t hex_read(const char *text, uint8_t *out, size_t cap);

#endif
