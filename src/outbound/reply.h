/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_OUTBOUND_REPLY_H
#define DNS64D_OUTBOUND_REPLY_H

/*
 * reply: check and act on the replies of upstreams.
 *
 * Whether a reply belongs to a question of ours (RFC 5452 section 9.1) says outbound/match; one to
 * an attempt that was given up may count all the same (RULES D27). An error leads to the next
 * upstream (RULES D4), truncation to TCP if a waiter needs the whole reply (D11), FORMERR or NOTIMP
 * without OPT to a question without EDNS (D1), and SERVFAIL for AAAA to two more questions, which
 * tell whether the data is bogus (D3).
 */

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "core/packet.h"
#include "dns/msg.h"
#include "outbound/lookup.h"

/*
 * reply_on_message: handle the message IN of an upstream. Returns the lookup that it ends, with
 * *result filled; result->msg is MSG or NULL, and MSG borrows the bytes of IN or of LS. The caller
 * wakes the waiters and calls lookup_free. NULL: the message ends no lookup.
 */
MUST_USE struct lookup *reply_on_message(struct lookups *ls, const struct packet_in *in,
    struct msg *msg, struct lookup_result *result, uint64_t now_ns);

/*
 * reply_spoilt: did IN, a message from an upstream, come by a UDP socket that was given up
 * (outbound/id_attack)?
 */
MUST_USE bool reply_spoilt(const struct lookups *ls, const struct packet_in *in);

/*
 * reply_warm: prefetch the IDs and lookups that N replies from upstreams over UDP will need.
 */
void reply_warm(const struct lookups *ls, const struct packet_in *in, size_t n);

#endif
