/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CORE_PHASE_PARTS_H
#define DNS64D_CORE_PHASE_PARTS_H

/*
 * phase_parts: what core/phase (AAAA, A) and core/phase_target (TARGET, NATIVE) use of each other.
 *
 * EV is the event with its reply, and A the scanned chain of that reply.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "core/query.h"
#include "dns/answer.h"

/*
 * phase_carry_chain: append the reply's chain to the chain that Q follows (RULES D6). False: not
 * possible, or a loop; nothing changes.
 */
MUST_USE bool phase_carry_chain(
    struct queries *qs, struct query *q, const struct query_event *ev, const struct answer *a);

/* phase_has_usable: is there a NOERROR reply with AAAA that policy does not exclude? */
MUST_USE bool phase_has_usable(
    const struct queries *qs, struct query *q, const struct query_event *ev);

/*
 * phase_give_usable: answer with the real AAAA that phase_has_usable found; if the reply was
 * truncated, with some of them and TC. Returns the length in bytes.
 */
MUST_USE size_t phase_give_usable(
    struct queries *qs, struct query *q, const struct query_event *ev);

/* phase_remaining_ttl: the TTL of the AAAA phase, less the s since its end. */
MUST_USE uint32_t phase_remaining_ttl(const struct query *q, uint64_t now_ns);

/*
 * phase_a_data: synthesize from the A records of a reply, or begin TARGET. Returns as the functions
 * of core/phase.h.
 */
MUST_USE size_t phase_a_data(
    struct queries *qs, struct query *q, const struct query_event *ev, const struct answer *a);

/*
 * phase_ask_target: if the chains of the AAAA and the A reply end at different names (RULES D6),
 * keep the A records and ask for AAAA of the A chain's last name. False: the same name, TARGET was
 * tried already, or no room.
 */
MUST_USE bool phase_ask_target(
    struct queries *qs, struct query *q, const struct query_event *ev, const struct answer *a);

/*
 * phase_ask_native: AAAA was ignored, but A gives nothing to map: ask for the real AAAA (RULES
 * D13). Returns 0.
 */
MUST_USE size_t phase_ask_native(struct queries *qs, struct query *q, const struct query_event *ev);

/*
 * phase_at_special: answer from here if the chain A of the reply ends at a special name (RULES
 * D17): at ipv4only.arpa whatever upstream says of it, at others if upstream says nothing. 0: it
 * does not.
 */
MUST_USE size_t phase_at_special(
    struct queries *qs, struct query *q, const struct query_event *ev, const struct answer *a);

#endif
