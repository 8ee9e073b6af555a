/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_ENGINE_SVCB_H
#define DNS64D_ENGINE_SVCB_H

/*
 * svcb: add the addresses of the targets of SVCB and HTTPS records (RFC 9460 section 4.2.1, RULES
 * D18).
 *
 * The reply is kept while a child query asks for AAAA of each target, exactly as the client would,
 * with DNS64. The AAAA records found go into the additional section. The answer waits for the
 * children SVCB_MS at most, and never fails because of them.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "dns/msg.h"
#include "engine/query.h"

#define SVCB_MS 400 /* ms: how long the answer waits for addresses */

/*
 * svcb_begin: M is the reply to Q, a question for SVCB or HTTPS. True: M was copied, and Q waits
 * until all addresses are there or the time is over. False: Q does not wait, and M is the answer.
 */
MUST_USE bool svcb_begin(struct queries *qs, struct query *q, const struct msg *m, uint64_t now_ns);

/*
 * svcb_take: take over the answer of CHILD, a query of svcb_begin: LEN bytes at MSG, borrowed. The
 * caller frees CHILD.
 */
void svcb_take(struct queries *qs, struct query *child, const uint8_t *msg, size_t len);

/*
 * svcb_view: parse Q's kept reply, with the addresses added so far under the present settings, to
 * *m, which borrows its bytes.
 */
void svcb_view(const struct queries *qs, struct query *q, struct msg *m);

#endif
