/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/wheel.h"

void
wheel_init(struct wheel *w, uint64_t now_ns)
{
	w->tick = now_ns / WHEEL_TICK_NS;
	w->n = 0;
	list_init(&w->due);
	for (unsigned i = 0; i < WHEEL_SLOTS; i++)
		list_init(&w->slots[i]);
}

void
wheel_timer_init(struct wheel_timer *t, enum wheel_kind kind)
{
	list_init(&t->link);
	t->due = 0;
	t->kind = kind;
}

void
wheel_set(struct wheel *w, struct wheel_timer *t, uint64_t due_ns)
{
	wheel_clear(w, t);
	/*
	 * Round up to the next tick, so that no timer fires early. A tick that was taken already
	 * would wait a whole round.
	 */
	t->due = (due_ns + WHEEL_TICK_NS - 1) / WHEEL_TICK_NS;
	if (t->due < w->tick)
		t->due = w->tick;
	list_push(&w->slots[t->due % WHEEL_SLOTS], &t->link);
	w->n++;
}

void
wheel_clear(struct wheel *w, struct wheel_timer *t)
{
	if (list_empty(&t->link))
		return;
	list_unlink(&t->link);
	w->n--;
}

struct wheel_timer *
wheel_take(struct wheel *w, uint64_t now_ns)
{
	uint64_t now = now_ns / WHEEL_TICK_NS;
	struct list *link;

	for (;;) {
		while ((link = list_pop(&w->due)) != NULL) {
			struct wheel_timer *t = LIST_OBJECT(link, struct wheel_timer, link);

			if (t->due <= now) {
				w->n--;
				return t;
			}
			/* It is due in a later round of the wheel. */
			list_push(&w->slots[t->due % WHEEL_SLOTS], link);
		}
		if (w->tick > now)
			return NULL;
		/*
		 * After a pause of more than one round, look into each slot once, not once per
		 * tick.
		 */
		if (now - w->tick >= WHEEL_SLOTS)
			w->tick = now - WHEEL_SLOTS + 1;
		list_move(&w->due, &w->slots[w->tick % WHEEL_SLOTS]);
		w->tick++;
	}
}
