/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CORE_TRANSPORT_H
#define DNS64D_CORE_TRANSPORT_H

/* transport: what carries a DNS message, and what that means for it. */

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"

/*
 * A row for each, in the order of enum transport: X(ID, the fields of struct transport_traits).
 * What differs between transports is here, so that a new one is a row, and one of io/carrier.
 */
#define TRANSPORT_ROWS(X) \
	/* name, title, reliable, proven, whole, sealed, padded, dnstap */ \
	X(UDP, "udp", "UDP", false, false, false, false, false, 1) \
	X(TCP, "tcp", "TCP", true, true, true, false, false, 2)

#define TRANSPORT_PLACE(id, ...) TRANSPORT_##id,
enum transport { TRANSPORT_ROWS(TRANSPORT_PLACE) };
#undef TRANSPORT_PLACE

#define TRANSPORT_ONE(...) +1
enum { TRANSPORTS = TRANSPORT_ROWS(TRANSPORT_ONE) };
#undef TRANSPORT_ONE

struct transport_traits {
	/* for programs: in the query log, JSON and labels; aligned so that a row is found by a
	 * shift */
	_Alignas(32) char name[8];
	char title[8]; /* for people */
	bool reliable; /* what is lost is sent again, or the stream ends */
	bool proven;   /* the peer has received something from us: its address is not forged */
	/* a message may have 65,535 bytes (RFC 1035 section 4.2.2), so that it is never truncated;
	   else as many as both sides can take (RFC 6891 section 6.2.3) */
	bool whole;
	bool sealed;    /* nobody between reads or changes messages */
	bool padded;    /* messages are padded, as their lengths show what they are (RFC 8467) */
	uint8_t dnstap; /* its number in dnstap.proto: SocketProtocol */
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
