/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_IO_FD_EVENT_H
#define DNS64D_IO_FD_EVENT_H

/*
 * fd_event: a descriptor that libevent watches. The callback only puts it on a list; the loop works
 * through the lists afterwards, in the order it wants. Events are level-triggered, so libevent
 * reports it again in the next iteration if it was not handled in this one.
 *
 * The owner embeds the struct and keeps the descriptor. One thread.
 */

#include <stdbool.h>

#include <event2/event.h>
#include <event2/event_struct.h>

#include "base/attr.h"
#include "base/list.h"

struct fd_event {
	struct event ev;
	struct list link; /* on *ready while the descriptor is ready and not yet handled */
	struct list
	    *ready; /* borrowed: the list of those that are ready; NULL when it is not open */
	bool on;    /* is libevent watching? */
};

/*
 * fd_event_open: prepare S to watch FD for WHAT (EV_READ or EV_WRITE) in BASE and to go on READY
 * when FD is ready. Watching begins with fd_event_on. FD, BASE and READY are borrowed until
 * fd_event_close.
 */
void fd_event_open(
    struct fd_event *s, struct event_base *base, int fd, short what, struct list *ready);

/* fd_event_on: watch the descriptor. Returns 0, or -ENOMEM when libevent cannot. Idempotent. */
MUST_USE int fd_event_on(struct fd_event *s);

/* fd_event_off: stop watching until the next fd_event_on. Idempotent; a closed one may be given.
 */
void fd_event_off(struct fd_event *s);

/*
 * fd_event_close: stop watching for good and leave the ready list. Call it before close(2) of the
 * descriptor. Idempotent.
 */
void fd_event_close(struct fd_event *s);

/* fd_event_mark: put S on its ready list as if its descriptor were ready. */
void fd_event_mark(struct fd_event *s);

/* fd_event_take: take the first one off the list READY. Returns NULL when the list is empty. */
MUST_USE struct fd_event *fd_event_take(struct list *ready);

#endif
