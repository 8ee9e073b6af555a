/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/flushes.h"

#include <string.h>

#include "dns/name.h"

void
flushes_init(struct flushes *f)
{
	memset(f, 0, sizeof(*f));
	lock_init(&f->lock);
}

/* The number of a flush that begins; the lock is held. */
static uint16_t
next(struct flushes *f)
{
	return (uint16_t)(atomic_fetch_add_explicit(&f->now, 1, memory_order_relaxed) + 1);
}

/* Flush all entries with a smaller number than NUMBER. True: numbers have wrapped. */
static bool
flush_all(struct flushes *f, uint16_t number)
{
	f->all = number;
	f->n = 0;
	if (number == 0)
		f->limited = 0;
	return number == 0;
}

bool
flushes_all(struct flushes *f)
{
	lock_take(&f->lock);
	bool round = flush_all(f, next(f));
	lock_give(&f->lock);
	return round;
}

/* Where a flush of NAME goes: in place of its last one, or of one that is older than any entry. */
static unsigned
place_for(const struct flushes *f, const uint8_t *name, uint32_t now_s, uint32_t life_s)
{
	unsigned place = f->n;

	for (unsigned i = 0; i < f->n; i++) {
		if (name_equal(f->below[i].name, name))
			return i;
		if (now_s - f->below[i].time_s > life_s)
			place = i;
	}
	return place;
}

bool
flushes_below(struct flushes *f, const uint8_t *name, size_t len, uint32_t now_s, uint32_t life_s)
{
	bool round = false;

	lock_take(&f->lock);
	uint16_t number = next(f);
	unsigned place = place_for(f, name, now_s, life_s);
	if (place == FLUSHES_MAX || number == 0) {
		round = flush_all(f, number);
	} else {
		memcpy(f->below[place].name, name, len);
		f->below[place].number = number;
		f->below[place].time_s = now_s;
		if (place == f->n)
			f->n++;
	}
	lock_give(&f->lock);
	return round;
}

bool
flushes_limit(struct flushes *f)
{
	lock_take(&f->lock);
	f->limited = next(f);
	bool round = f->limited == 0 && flush_all(f, 0);
	lock_give(&f->lock);
	return round;
}

bool
flushes_spare(struct flushes *f, const uint8_t *name, uint16_t *number, bool *older)
{
	lock_take(&f->lock);
	uint16_t now = flushes_now(f);
	bool spared = *number >= f->all && *number <= now;
	for (unsigned i = 0; i < f->n && spared; i++)
		spared = *number >= f->below[i].number || !name_is_below(name, f->below[i].name);
	*older = *number < f->limited;
	lock_give(&f->lock);
	if (spared)
		*number = now;
	return spared;
}
