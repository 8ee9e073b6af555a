/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_OUTBOUND_STALE_ID_H
#define DNS64D_OUTBOUND_STALE_ID_H

/*
 * stale_id: the IDs by which a UDP socket's questions were known that were given up without a
 * reply.
 *
 * Their replies may come yet, when the IDs are in use again on other sockets. That is no guess at
 * an ID (outbound/id_attack), however many come: an upstream that is slow gets each question more
 * than once, and answers all of them. Who does guess gains nothing by it, as none of these IDs is
 * open on the socket.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"

#define STALE_ID_EACH 512 /* so many questions leave by a socket (io/upstream_set) */

struct stale_id {
	uint32_t n;                  /* questions given up; the last STALE_ID_EACH are in ids */
	uint16_t ids[STALE_ID_EACH]; /* host byte order */
};

/* stale_id_note: the question with ID was given up without a reply. */
static inline void
stale_id_note(struct stale_id *o, uint16_t id)
{
	o->ids[o->n++ % STALE_ID_EACH] = id;
}

/* stale_id_has: was a question with ID given up? */
MUST_USE bool stale_id_has(const struct stale_id *o, uint16_t id);

#endif
