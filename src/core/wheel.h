/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CORE_WHEEL_H
#define DNS64D_CORE_WHEEL_H

/*
 * wheel: deadlines in O(1), whatever their number and duration.
 *
 * 1,024 slots of 8 ms; a timer hangs in the slot of its tick and, when it is more than one
 * round of the wheel away, stays there until the round it is due in. A timer never fires early, and
 * at most one tick plus the caller's own delay late. Timers live in the caller's objects.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/list.h"

#define WHEEL_SLOTS 1024
#define WHEEL_TICK_NS 8000000ULL /* resolution of all deadlines, 8 ms */

/* What a timer sits in; the wheel does not look at it. */
enum wheel_kind { WHEEL_QUERY, WHEEL_LOOKUP, WHEEL_UPSTREAM };

struct wheel_timer {
	struct list link;
	uint64_t due; /* tick */
	enum wheel_kind kind;
};

struct wheel {
	uint64_t tick;   /* all timers due before this tick have been taken */
	uint32_t n;      /* timers set */
	struct list due; /* timers of the tick being taken */
	struct list slots[WHEEL_SLOTS];
};

/* wheel_init: no timers; time begins at NOW. */
void wheel_init(struct wheel *w, uint64_t now_ns);

/* wheel_timer_init: a timer that is not set. */
void wheel_timer_init(struct wheel_timer *t, enum wheel_kind kind);

/* wheel_set: fire at DUE_NS, instead of any earlier setting. */
void wheel_set(struct wheel *w, struct wheel_timer *t, uint64_t due_ns);

/* wheel_clear: do not fire; nothing happens if it is not set. */
void wheel_clear(struct wheel *w, struct wheel_timer *t);

/* wheel_take: a timer that is due at NOW, no longer set; NULL when there is none (any more). */
MUST_USE struct wheel_timer *wheel_take(struct wheel *w, uint64_t now_ns);

#endif
