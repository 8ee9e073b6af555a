/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DNS64_PREF64_RA_H
#define DNS64D_DNS64_PREF64_RA_H

/*
 * pref64_ra: the NAT64 prefixes in a router advertisement: its PREF64 options (RFC 8781 section 4).
 * A pure function; the hop limit, the sender's address and the checksum (RFC 4861 section 6.1.2)
 * are for whoever has received it.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "dns64/pref64.h"

#define PREF64_RA_MAX 32 /* options that are read, the first ones */

enum pref64_ra_verdict {
	PREF64_RA_OK,
	PREF64_RA_OTHER,    /* not a router advertisement: another type, or a code that is not 0 */
	PREF64_RA_MALFORMED /* too short, an option without length, or one that is cut: the whole
			       message is void (RFC 4861 section 6.1.2) */
};

struct pref64_ra_option {
	struct pref64 prefix;
	uint32_t lifetime_s; /* from now on; 0: it is withdrawn */
};

struct pref64_ra {
	unsigned n;                                     /* used of options */
	struct pref64_ra_option options[PREF64_RA_MAX]; /* as they stand: a later one prevails */
	unsigned n_bad; /* PREF64 options that cannot be: another length than 16 bytes, a prefix
			   length code of 6 or 7, or a /96 whose bits 64 to 71 are not zero */
	bool more;      /* there were more than PREF64_RA_MAX */
};

/*
 * pref64_ra_parse: read the router advertisement of LEN bytes at MSG, from its ICMPv6 header on, to
 * *RA. Unless the verdict is PREF64_RA_OK, *RA is empty.
 */
MUST_USE enum pref64_ra_verdict pref64_ra_parse(
    const uint8_t *msg, size_t len, struct pref64_ra *ra);

#endif
