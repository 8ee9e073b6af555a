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
 * pref64_parse: read "2001:db8:64::/96". For PREF64_BAD_U and PREF64_HOST_BITS *p is the
 * corrected prefix (those bits cleared), for the message to the operator; for PREF64_OK the
 * prefix; otherwise untouched.
 */
MUST_USE enum pref64_verdict pref64_parse(const char *text, struct pref64 *p);

/* pref64_well_known: 64:ff9b::/96 (RFC 6052 section 2.1). */
struct pref64 pref64_well_known(void);

/* pref64_format: "2001:db8:64::/96" to TEXT; returns TEXT. */
char *pref64_format(const struct pref64 *p, char text[static PREF64_TEXT]);

/*
 * pref64_embed: place an IPv4 address in a prefix (RFC 6052 section 2.2). V4: 4 bytes, V6: 16
 * bytes, both network order; all of V6 is written, bits 64-71 zero, the suffix as it was set (zero
 * by default). Cannot fail.
 */
void pref64_embed(const struct pref64 *p, const uint8_t v4[static 4], uint8_t v6[static 16]);

/*
 * pref64_extract: the IPv4 address in V6, if V6 is under the prefix and its bits 64-71 are
 * zero. The suffix is ignored (RFC 6052 section 2.3).
 */
MUST_USE bool pref64_extract(
    const struct pref64 *p, const uint8_t v6[static 16], uint8_t v4[static 4]);

/* pref64_covers: does V6 begin with the prefix? */
MUST_USE bool pref64_covers(const struct pref64 *p, const uint8_t v6[static 16]);

/*
 * pref64_set_suffix: let addresses made under *p end in the bits of SUFFIX behind the IPv4 address
 * (RFC 6052 section 2.2 recommends zero). False, with *p untouched, if SUFFIX has bits set anywhere
 * else: in a /96 there is no room for any.
 */
MUST_USE bool pref64_set_suffix(struct pref64 *p, const uint8_t suffix[static 16]);

#endif
