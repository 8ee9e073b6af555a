/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CORE_SVCB_H
#define DNS64D_CORE_SVCB_H

/*
 * svcb: addresses of the targets of SVCB and HTTPS records (RFC 9460 section 4.2.1, RULES D18).
 *
 * The reply is kept while a query of our own asks for AAAA of each target, exactly as the client
 * would, DNS64 and all. What they find goes into the additional section. The answer waits for them
 * a moment only, and is never worse for it.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "core/query.h"
#include "dns/msg.h"

#define SVCB_MS 400 /* how long the answer waits for addresses */

/*
 * svcb_begin: M answers Q, a question for SVCB or HTTPS. True: Q waits for addresses now and is
 * ready again when they are there or it is time. False: M is all there will be.
 */
MUST_USE bool svcb_begin(struct queries *qs, struct query *q, const struct msg *m, uint64_t now_ns);

/* svcb_take: query CHILD, which svcb_begin made, has its answer, LEN bytes at MSG, which nobody is
 * to be sent. */
void svcb_take(struct queries *qs, struct query *child, const uint8_t *msg, size_t len);

/* svcb_view: parse Q's kept reply, as it has become, to *m. */
void svcb_view(const struct query *q, struct msg *m);

#endif
