/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DNS64_PREF64_H
#define DNS64D_DNS64_PREF64_H

/*
 * pref64: NAT64 prefixes and the address format of RFC 6052.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"

struct pref64 {
	uint8_t addr[16]; /* network order; bits 64-71 and behind LEN zero, but for a suffix */
	uint8_t len;      /* 32, 40, 48, 56, 64 or 96 */
	bool well_known;  /* 64:ff9b::/96: for global IPv4 only (RFC 6052 section 3.1) */
};

/* Longest text of pref64_format: address, slash, length, zero. */
#define PREF64_TEXT 50

enum pref64_verdict {
	PREF64_OK,
	PREF64_NOT_A_PREFIX, /* not ADDRESS/LENGTH, or not IPv6 */
	PREF64_BAD_LEN,      /* a length RFC 6052 section 2.2 does not have */
	PREF64_BAD_U,        /* bits 64-71, inside a /96, are not zero (section 2.2) */
	PREF64_HOST_BITS     /* bits set behind the length, bits 64-71 there included */
};

/*
 * pref64_parse: read the text of a prefix, "2001:db8:64::/96", ending in a zero, to *P. For
 * PREF64_BAD_U and PREF64_HOST_BITS *P is the prefix with those bits cleared, for the message to
 * the operator. For the other verdicts but PREF64_OK it is untouched.
 */
MUST_USE enum pref64_verdict pref64_parse(const char *text, struct pref64 *p);

/*
 * pref64_of: write to *P the prefix of LEN bits that ADDR, an address in network byte order, begins
 * with. PREF64_BAD_LEN or PREF64_BAD_U, with *P untouched, if there is none.
 */
MUST_USE enum pref64_verdict pref64_of(
    const uint8_t addr[static 16], uint8_t len, struct pref64 *p);

/* pref64_well_known: return 64:ff9b::/96 (RFC 6052 section 2.1). */
struct pref64 pref64_well_known(void);

/* pref64_format: write *P as text, "2001:db8:64::/96", with a zero to TEXT. Returns TEXT. */
char *pref64_format(const struct pref64 *p, char text[static PREF64_TEXT]);

/*
 * pref64_embed: write to V6 the IPv6 address that represents the IPv4 address V4 under *P (RFC 6052
 * section 2.2); both are in network byte order. Bits 64-71 are zero, and the suffix is that of *P,
 * zero by default.
 */
void pref64_embed(const struct pref64 *p, const uint8_t v4[static 4], uint8_t v6[static 16]);

/*
 * pref64_extract: write to V4 the IPv4 address that V6 represents under *P; both are in network
 * byte order. The suffix is ignored (RFC 6052 section 2.3). False, with V4 untouched, when V6 is
 * not under *P or its bits 64-71 are not zero.
 */
MUST_USE bool pref64_extract(
    const struct pref64 *p, const uint8_t v6[static 16], uint8_t v4[static 4]);

/* pref64_covers: return whether V6, in network byte order, begins with the prefix *P. */
MUST_USE bool pref64_covers(const struct pref64 *p, const uint8_t v6[static 16]);

/* pref64_same: are A and B one prefix, whatever their suffixes? */
MUST_USE bool pref64_same(const struct pref64 *a, const struct pref64 *b);

/*
 * pref64_set_suffix: let the addresses under *P end in the bits that SUFFIX has behind the place of
 * the IPv4 address (RFC 6052 section 2.2 recommends zero). SUFFIX is an address in network byte
 * order. False, with *P untouched, when SUFFIX has bits set anywhere else; a /96 has no room for
 * any.
 */
MUST_USE bool pref64_set_suffix(struct pref64 *p, const uint8_t suffix[static 16]);

#endif
