/* SPDX-License-Identifier: BSD-2-Clause */
#include "fakedns/ring.h"

#include <stdlib.h>
#include <sys/mman.h>

struct fake_ring *
fake_ring_new(uint32_t cap)
{
	struct fake_ring *r = calloc(1, sizeof(*r));

	if (r == NULL)
		return NULL;
	r->cap = cap;
	r->all = mmap(NULL, cap * sizeof(*r->all), PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (r->all == MAP_FAILED) {
		free(r);
		return NULL;
	}
	return r;
}

void
fake_ring_free(struct fake_ring *r)
{
	if (r == NULL)
		return;
	(void)munmap(r->all, r->cap * sizeof(*r->all));
	free(r);
}

void
fake_ring_again(struct fake_ring *r, struct fake_delayed *d, uint64_t due_ms)
{
	uint32_t index = (uint32_t)(d - r->all) + 1;
	size_t at = (due_ms < r->now_ms ? r->now_ms : due_ms) % FAKE_RING_MS;

	d->next = 0;
	if (r->first[at] == 0)
		r->first[at] = index;
	else
		r->all[r->last[at] - 1].next = index;
	r->last[at] = index;
	r->n++;
}

struct fake_delayed *
fake_ring_add(struct fake_ring *r, uint64_t now_ms, uint64_t due_ms)
{
	struct fake_delayed *d;

	if (r->n == 0)
		r->now_ms = now_ms; /* an empty ring needs no steps between */
	if (r->free != 0) {
		d = &r->all[r->free - 1];
		r->free = d->next;
	} else if (r->fresh < r->cap) {
		d = &r->all[r->fresh++];
	} else {
		return NULL;
	}
	fake_ring_again(r, d, due_ms);
	return d;
}

struct fake_delayed *
fake_ring_due(struct fake_ring *r, uint64_t now_ms)
{
	for (; r->n > 0 && r->now_ms <= now_ms; r->now_ms++) {
		size_t at = r->now_ms % FAKE_RING_MS;

		if (r->first[at] == 0)
			continue;
		struct fake_delayed *d = &r->all[r->first[at] - 1];
		r->first[at] = d->next;
		r->n--;
		return d;
	}
	return NULL;
}

void
fake_ring_give(struct fake_ring *r, struct fake_delayed *d)
{
	d->next = r->free;
	r->free = (uint32_t)(d - r->all) + 1;
}
