/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CORE_REPLY_H
#define DNS64D_CORE_REPLY_H

/*
 * reply: judge what came back from an upstream.
 *
 * Here it is checked that a reply is ours (RFC 5452 section 9.1), and nowhere else. Of ours, an
 * error leads to the next upstream (RULES D4), truncation to TCP (D11), FORMERR without OPT to a
 * question without EDNS (D1), and SERVFAIL to two more questions, which tell whether the data is
 * bogus (D3).
 */

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "core/lookup.h"
#include "core/packet.h"
#include "dns/msg.h"

/*
 * reply_on_message: an upstream's message came in. Returns the lookup that it ends, with *result
 * filled and *msg (which result->msg points to, if any) parsed; NULL when it ends none. The caller
 * takes its waiters off and calls lookup_free.
 */
MUST_USE struct lookup *reply_on_message(struct lookups *ls, const struct packet_in *in,
    struct msg *msg, struct lookup_result *result, uint64_t now_ns);

/* reply_prefetch: touch what the replies among N messages will need. */
void reply_prefetch(const struct lookups *ls, const struct packet_in *in, size_t n);

#endif
