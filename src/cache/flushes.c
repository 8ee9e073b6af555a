/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/flushes.h"

#include <string.h>

#include "dns/name.h"

void
flushes_init(struct flushes *m)
{
	memset(m, 0, sizeof(*m));
	lock_init(&m->lock);
}

/* The next flush has begun; the lock is held. */
static uint16_t
next(struct flushes *m)
{
	return (uint16_t)(atomic_fetch_add_explicit(&m->now, 1, memory_order_relaxed) + 1);
}

/* What has a smaller number than this flush is gone; the smallest number is not used twice. */
static bool
flush_all(struct flushes *m, uint16_t number)
{
	m->all = number;
	m->n = 0;
	return number == 0;
}

bool
flushes_all(struct flushes *m)
{
	lock_take(&m->lock);
	bool round = flush_all(m, next(m));
	lock_give(&m->lock);
	return round;
}

/* Where a mark for NAME goes: in place of its last one or of one that has had its time. */
static unsigned
place_for(const struct flushes *m, const uint8_t *name, uint32_t now_s, uint32_t life_s)
{
	unsigned place = m->n;

	for (unsigned i = 0; i < m->n; i++) {
		if (name_equal(m->mark[i].name, name))
			return i;
		if (now_s - m->mark[i].time_s > life_s)
			place = i;
	}
	return place;
}

bool
flushes_below(struct flushes *m, const uint8_t *name, size_t len, uint32_t now_s, uint32_t life_s)
{
	bool round = false;

	lock_take(&m->lock);
	uint16_t number = next(m);
	unsigned place = place_for(m, name, now_s, life_s);
	if (place == FLUSHES_MAX || number == 0) {
		round = flush_all(m, number);
	} else {
		memcpy(m->mark[place].name, name, len);
		m->mark[place].number = number;
		m->mark[place].time_s = now_s;
		if (place == m->n)
			m->n++;
	}
	lock_give(&m->lock);
	return round;
}

bool
flushes_spare(struct flushes *m, const uint8_t *name, uint16_t *number)
{
	lock_take(&m->lock);
	uint16_t now = flushes_now(m);
	bool spared = *number >= m->all && *number <= now;
	for (unsigned i = 0; i < m->n && spared; i++)
		spared = *number >= m->mark[i].number || !name_is_below(name, m->mark[i].name);
	lock_give(&m->lock);
	if (spared)
		*number = now;
	return spared;
}
