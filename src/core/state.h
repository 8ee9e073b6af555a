/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CORE_STATE_H
#define DNS64D_CORE_STATE_H

/*
 * state: what happens next to a query.
 *
 * The state machine of RFC 6147 section 5.1 with the decisions of RULES. A query waits for one
 * lookup at a time; the lookup's outcome is the event.
 *
 *  state   | data               | empty        | error rcode     | NXDOMAIN | silence
 *  --------+--------------------+--------------+-----------------+----------+-----------------
 *  RELAY   | as it is           | as it is     | that error (D4) | as it is | SERVFAIL
 *  AAAA    | as it is, less the | -> A         | -> A (D3)       | as it is | -> A
 *          | excluded; none     |              |                 |          |
 *          | left: as empty     |              |                 |          |
 *  A       | synthesize (D2)    | D2           | D2              | D2       | SERVFAIL
 *  TARGET  | chain and data     | the A records at hand: synthesize (D2)
 *  NATIVE  | as AAAA; none left:| as it is     | that error      | as it is | SERVFAIL
 *          | NODATA             |              |                 |          |
 *  HIDDEN  | the chain, local   | as it is     | that error      | as it is | SERVFAIL
 *          | SOA (D17)          |              |                 |          |
 *  SVCB    | addresses of the targets were found or not: the answer with them (D18)
 *  REVERSE | CNAME + PTR (D16)  | NODATA,      | that error      | NXDOMAIN,| SERVFAIL
 *          |                    | local SOA    |                 | local SOA|
 *  LOCAL   | answered at once, asks nobody
 *
 * Policy (D13) may have AAAA not lead to A, or A come first: then all but data that maps leads to
 * NATIVE, the real AAAA. HIDDEN is a question for A of a client that is to see none.
 *
 * An event is the same whether upstream has just said it or the cache remembers (D22). Where
 * upstream has an error or is silent, or 1.8 s have gone, and the cache has something stale, that
 * is the event instead (D4, D5); what it leads to is said with an extended error. A stale NXDOMAIN
 * leads AAAA to A as silence does, and is the answer if A fails too.
 *
 * TARGET asks for AAAA of the A chain's last name, where the AAAA chain ends elsewhere (D6), with
 * the A records in hand. Bogus data (D3) is SERVFAIL in every state. An open chain is followed in
 * AAAA, A and TARGET (D6). An AAAA phase that lasts longer than 2 s counts as silence, 4.5 s end
 * every query (D5). Where we had no room to ask the answer is SERVFAIL in every state (D26).
 */

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "core/query.h"

/*
 * state_run: make the ready query Q go on. RESULT is the outcome at hand, whose message and
 * upstream count if q->with_msg. Returns the length of the answer written to OUT, or 0 when it
 * waits again. Q lives on; the caller frees it after an answer.
 */
MUST_USE size_t state_run(struct queries *qs, struct query *q, const struct lookup_result *result,
    const struct query_out *out, uint64_t now_ns);

#endif
