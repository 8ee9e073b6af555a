/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CORE_STATE_H
#define DNS64D_CORE_STATE_H

/*
 * state: decides what happens next to a query.
 *
 * The state machine of RFC 6147 section 5.1 with the decisions of RULES. A query waits for one
 * lookup at a time and may watch another; a lookup's outcome is the event.
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
 * By policy (D13) AAAA may not lead to A, or A may come first. In the latter case every outcome but
 * A records that map leads to NATIVE, the real AAAA. HIDDEN is a question for A from a client that
 * may not see A records.
 *
 * An event from the cache has the same effect as one from upstream (D22). If upstream gives an
 * error or no reply, or 1.8 s have passed, and the cache has a stale entry, then that entry is the
 * event instead (D4, D5), and the answer carries an extended error. A stale NXDOMAIN leads from
 * AAAA to A, as silence does, and is the answer if A fails too.
 *
 * TARGET keeps the A records and asks for AAAA of the A chain's last name, if the AAAA chain ends
 * at another name (D6). Bogus data (D3) is SERVFAIL in every state. AAAA, A and TARGET follow an
 * open chain (D6). Every query ends after 4.5 s (D5). Without room to ask, the answer is SERVFAIL
 * in every state (D26).
 *
 * An AAAA phase of more than 2 s, or of several attempts without a reply, is late, which leads to A
 * as silence does. But the query watches the AAAA question, which goes on: data, NODATA, NXDOMAIN
 * or bogus data for it bring the query back to state AAAA with that event, as long as no answer has
 * left. If A gives nothing to synthesize from, other than NXDOMAIN, the query waits in state AAAA
 * until the end of its time; what A gave then decides about the answer (D2, D5). Where silence does
 * not lead to A by policy, AAAA is waited for all the time. TARGET, and A where it comes first, are
 * late likewise, but not watched.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "core/query.h"

/*
 * state_run: continue the ready query Q. RESULT is that of the lookup that ended last; its message
 * belongs to Q's event only if q->with_msg. Returns the length in bytes of the answer written to
 * OUT, or 0 when Q waits again. The caller frees Q after an answer.
 */
MUST_USE size_t state_run(struct queries *qs, struct query *q, const struct lookup_result *result,
    const struct query_out *out, uint64_t now_ns);

#endif
