/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_IO_SOURCE_H
#define DNS64D_IO_SOURCE_H

/*
 * source: a descriptor that libevent watches. The callback only puts a ready source on a list; the
 * loop works through the lists afterwards, in the order it wants. Events are level-triggered, so
 * libevent reports a source again in the next iteration if it was not handled in this one.
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
	struct list link;   /* on *ready while the descriptor is ready and not yet handled */
	struct list *ready; /* borrowed: list of ready sources; NULL when the source is not open */
	bool on;            /* is libevent watching? */
};

/*
 * source_open: prepare S to watch FD for WHAT (EV_READ or EV_WRITE) in BASE and to go on READY when
 * FD is ready. Watching begins with source_on. FD, BASE and READY are borrowed until source_close.
 */
void source_open(struct source *s, struct event_base *base, int fd, short what, struct list *ready);

/* source_on: watch the descriptor. Returns 0, or -ENOMEM when libevent cannot. Idempotent. */
MUST_USE int source_on(struct source *s);

/* source_off: stop watching until the next source_on. Idempotent; a closed source may be given. */
void source_off(struct source *s);

/*
 * source_close: stop watching for good and leave the ready list. Call it before close(2) of the
 * descriptor. Idempotent.
 */
void source_close(struct source *s);

/* source_mark: put S on its ready list as if its descriptor were ready. */
void source_mark(struct source *s);

/* source_take: take the first source off the list READY. Returns NULL when the list is empty. */
MUST_USE struct source *source_take(struct list *ready);

#endif
