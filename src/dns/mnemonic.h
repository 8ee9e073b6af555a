/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DNS_MNEMONIC_H
#define DNS64D_DNS_MNEMONIC_H

/* mnemonic: classes and rcodes as people write them (RFC 3597 section 5); types: dns/type. */

#include <stdint.h>

#include "base/attr.h"

#define MNEMONIC_TEXT 16 /* bytes of the longest text, with its zero */

/* mnemonic_class: write IN, CH, HS, NONE, ANY or CLASS123 to TEXT; returns TEXT. */
char *mnemonic_class(uint16_t class, char text[static MNEMONIC_TEXT]);

/* mnemonic_rcode: write the mnemonic of RCODE, of 12 bits, or RCODE123, to TEXT; returns TEXT. */
char *mnemonic_rcode(uint16_t rcode, char text[static MNEMONIC_TEXT]);

#endif
