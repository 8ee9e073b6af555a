/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CORE_TRANSPORT_H
#define DNS64D_CORE_TRANSPORT_H

/* transport: what carries a DNS message, and what that means for it. */

#include <stdbool.h>

#include "base/attr.h"

enum transport { TRANSPORT_UDP, TRANSPORT_TCP };
#define TRANSPORTS (TRANSPORT_TCP + 1)

struct transport_traits {
	char name[4];  /* for programs: in the query log, JSON and labels */
	char title[4]; /* for people */
	bool whole;    /* an answer is never truncated: it may have 65,535 bytes (RFC 1035 4.2.2) */
	bool proven;   /* the peer has received something from us: its address is not forged */
};

/* transport_traits: by enum transport. */
extern const struct transport_traits transport_traits[TRANSPORTS];

/*
 * transport_is_stream: do messages over TRANSPORT go in a stream, which has to be begun and may
 * end? Over UDP each is a datagram; whatever is added is a stream. It is asked for each message, so
 * it is a comparison and not in the rows.
 */
MUST_USE static inline bool
transport_is_stream(enum transport transport)
{
	return transport != TRANSPORT_UDP;
}

#endif
