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

#define SVCB_TARGETS 4     /* whose addresses are looked for */
#define SVCB_MAX 4096      /* bytes of a reply that is kept; larger ones are passed as they are */
#define SVCB_ROOM 1024     /* for addresses behind it */
#define SVCB_MS 400        /* how long the answer waits for them */
#define SVCB_POOL_SHARE 64 /* one in so many queries may keep a reply */

struct svcb {
	struct query *child[SVCB_TARGETS]; /* those under way; NULL */
	unsigned n_waiting;
	size_t len;
	uint8_t bytes[SVCB_MAX + SVCB_ROOM]; /* the reply, growing */
};

/*
 * svcb_begin: M answers Q, a question for SVCB or HTTPS. True: Q waits for addresses now and is
 * ready again when they are there or it is time. False: M is all there will be.
 */
MUST_USE bool svcb_begin(struct queries *qs, struct query *q, const struct msg *m, uint64_t now_ns);

/* svcb_take: query CHILD, which svcb_begin made, has its answer, LEN bytes at MSG, which nobody is
 * to be sent. */
void svcb_take(struct queries *qs, struct query *child, const uint8_t *msg, size_t len);

/* svcb_forsake: Q waits no longer for its children. False: it did not any more. */
bool svcb_forsake(struct query *q);

/* svcb_view: parse Q's kept reply, as it has become, to *m. */
void svcb_view(const struct query *q, struct msg *m);

/* svcb_end: Q keeps no reply any more; children it waits for find their own end. */
void svcb_end(struct queries *qs, struct query *q);

#endif
