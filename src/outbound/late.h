/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_OUTBOUND_LATE_H
#define DNS64D_OUTBOUND_LATE_H

/*
 * late: a reply to an attempt that was given up (RULES D27).
 *
 * While another attempt is in its wait or about to be sent, a reply that ends its lookup or leads
 * on counts, and that attempt stands by; but none leads away from one that confirms or checks a
 * reply. Of an error is noted whose it is.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "core/packet.h"
#include "dns/msg.h"
#include "outbound/lookup.h"

/*
 * late_counts: MSG, come by IN, has the ID of an attempt of L that was given up (match_is_late).
 * True: that attempt is L's present one now, and MSG is to be heard as the reply to it. False: L
 * goes on as before, and what MSG says of its upstream has been noted.
 */
MUST_USE bool late_counts(struct lookups *ls, struct lookup *l, const struct packet_in *in,
    const struct msg *msg, enum msg_verdict verdict, uint64_t now_ns);

#endif
