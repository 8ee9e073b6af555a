/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/outages.h"

void
outages_init(struct outages *o)
{
	lock_init(&o->lock);
	o->n = 0;
}

/* Is A not after B, on a clock that may have wrapped between them? */
static bool
not_after(uint32_t a, uint32_t b)
{
	return (int32_t)(b - a) >= 0;
}

static void
unite(struct outage *a, const struct outage *b)
{
	if (!not_after(a->from_s, b->from_s))
		a->from_s = b->from_s;
	if (not_after(a->to_s, b->to_s))
		a->to_s = b->to_s;
}

/*
 * Unite NEW with the outages that it overlaps, and take those out, and the ones that are too old.
 */
static void
absorb(struct outages *o, struct outage *new)
{
	unsigned n = 0;

	for (unsigned i = 0; i < o->n; i++) {
		const struct outage *old = &o->outage[i];

		if (not_after(old->from_s, new->to_s) && not_after(new->from_s, old->to_s))
			unite(new, old);
		else if (not_after(new->to_s, old->to_s + OUTAGES_LIFE_S))
			o->outage[n++] = *old;
	}
	o->n = n;
}

void
outages_note(struct outages *o, uint32_t from_s, uint32_t to_s)
{
	struct outage new = { .from_s = from_s, .to_s = to_s };

	lock_take(&o->lock);
	absorb(o, &new);
	if (o->n < OUTAGES_MAX)
		o->outage[o->n++] = new;
	else
		unite(&o->outage[OUTAGES_MAX - 1], &new);
	lock_give(&o->lock);
}

bool
outages_have(struct outages *o, uint32_t at_s)
{
	bool found = false;

	lock_take(&o->lock);
	for (unsigned i = 0; i < o->n && !found; i++)
		found = not_after(o->outage[i].from_s, at_s) && not_after(at_s, o->outage[i].to_s);
	lock_give(&o->lock);
	return found;
}
