/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DNS_PRINT_H
#define DNS64D_DNS_PRINT_H

/*
 * print: a record as text, as in a zone file (RFC 1035 section 5.1), for people.
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"
#include "dns/msg.h"

#define PRINT_TEXT 2048 /* bytes of the longest text, with its zero */

/*
 * print_record: write record RR of M to TEXT: owner, TTL, class, type and RDATA. Of a type that is
 * not known here, or whose RDATA is malformed, the RDATA is in hex (RFC 3597 section 5). What is
 * too long ends in "...". Returns TEXT.
 */
char *print_record(const struct msg *m, const struct rr *rr, char text[static PRINT_TEXT]);

#endif
