/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CORE_WHEEL_H
#define DNS64D_CORE_WHEEL_H

/*
 * wheel: a timer wheel: deadlines in O(1), whatever their number and duration.
 *
 * The wheel has 2,048 slots of 4 ms. A timer is in the slot of its tick; if it is due more than one
 * round of the wheel later, it stays there until its round comes. A timer never fires early, and at
 * most one tick plus the caller's own delay late. Timers are embedded in the caller's objects.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/list.h"

#define WHEEL_SLOTS 2048
#define WHEEL_TICK_NS 4000000ULL /* resolution of all deadlines, 4 ms */

/* Which object a timer is embedded in; only for the caller. */
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

/* wheel_init: make W empty, with the time NOW_NS. */
void wheel_init(struct wheel *w, uint64_t now_ns);

/* wheel_timer_init: make T a timer of KIND that is not set. */
void wheel_timer_init(struct wheel_timer *t, enum wheel_kind kind);

/* wheel_set: let T fire at DUE_NS; replaces an earlier setting. */
void wheel_set(struct wheel *w, struct wheel_timer *t, uint64_t due_ns);

/* wheel_clear: T does not fire. It need not be set. */
void wheel_clear(struct wheel *w, struct wheel_timer *t);

/*
 * wheel_take: a timer that is due at NOW_NS, and now no longer set; NULL: there is none (any more).
 */
MUST_USE struct wheel_timer *wheel_take(struct wheel *w, uint64_t now_ns);

#endif
