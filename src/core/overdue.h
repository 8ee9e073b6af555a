/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CORE_OVERDUE_H
#define DNS64D_CORE_OVERDUE_H

/*
 * overdue: the IDs by which a UDP socket's questions were known that were given up without a reply.
 *
 * Their replies may come yet, when the IDs are in use again on other sockets. That is no guess at
 * an ID (core/guess), however many come: an upstream that is slow gets each question more than
 * once, and answers all of them. Who does guess gains nothing by it, as none of these IDs is open
 * on the socket.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"

#define OVERDUE_EACH 512 /* so many questions leave by a socket (io/upstream_set) */

struct overdue {
	uint32_t n;                 /* questions given up; the last OVERDUE_EACH are in ids */
	uint16_t ids[OVERDUE_EACH]; /* host byte order */
};

/* overdue_note: the question with ID was given up without a reply. */
static inline void
overdue_note(struct overdue *o, uint16_t id)
{
	o->ids[o->n++ % OVERDUE_EACH] = id;
}

/* overdue_has: was a question with ID given up? */
MUST_USE bool overdue_has(const struct overdue *o, uint16_t id);

#endif
