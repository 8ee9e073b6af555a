/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_IO_SOURCE_H
#define DNS64D_IO_SOURCE_H

/*
 * source: a descriptor that libevent watches. When it is ready it goes on a list, and that
 * is all a callback of the loop ever does; the loop works through the lists afterwards, in
 * the order it wants. Level-triggered, so who is not handled now is reported again.
 *
 * The owner embeds the struct and keeps the descriptor. One thread.
 */

#include <stdbool.h>

#include <event2/event.h>
#include <event2/event_struct.h>

#include "base/attr.h"
#include "base/list.h"

struct source {
	struct event ev;
	struct list link;   /* on *ready while there is something to do */
	struct list *ready; /* borrowed: where to go when ready; NULL when the source is not open */
	bool on;            /* is libevent watching? */
};

/*
 * source_open: watch FD for WHAT (EV_READ or EV_WRITE) on behalf of READY, from the first
 * source_on..
 */
void source_open(struct source *s, struct event_base *base, int fd, short what, struct list *ready);

/* source_on: watch; returns 0 or -ENOMEM when libevent cannot. source_off: do not, for now. */
MUST_USE int source_on(struct source *s);
void source_off(struct source *s);

/*
 * source_close: stop watching and leave every list; idempotent. Before close(2) of the descriptor.
 */
void source_close(struct source *s);

/* source_mark: put it on its list as if it were ready. */
void source_mark(struct source *s);

/* source_take: the first source of a ready list, NULL when it is empty. */
MUST_USE struct source *source_take(struct list *ready);

#endif
