/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CORE_TRANSPORT_H
#define DNS64D_CORE_TRANSPORT_H

/* transport: what carries a DNS message, and what that means for it. */

#include <stdbool.h>

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

#endif
