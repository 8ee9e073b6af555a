/* SPDX-License-Identifier: BSD-2-Clause */
#include "outbound/shared_health.h"

#include <stddef.h>
#include <stdlib.h>

#include "base/lock.h"

struct place {
	struct netaddr addr;
	unsigned n_loops; /* that took it; 0: the place is free */
	struct shared_health shared;
};

struct health_table {
	struct lock lock; /* of addr and n_loops */
	struct place all[HEALTH_TABLE_MAX];
};

struct health_table *
health_table_new(void)
{
	return calloc(1, sizeof(struct health_table));
}

void
health_table_free(struct health_table *t)
{
	free(t);
}

struct shared_health *
health_table_take(struct health_table *t, const struct netaddr *addr)
{
	struct place *vacant = NULL;
	struct place *at;

	if (t == NULL)
		return NULL;
	lock_take(&t->lock);
	for (at = t->all; at < t->all + HEALTH_TABLE_MAX; at++) {
		if (at->n_loops > 0 && netaddr_equal(&at->addr, addr))
			break;
		if (at->n_loops == 0 && vacant == NULL)
			vacant = at;
	}
	if (at == t->all + HEALTH_TABLE_MAX)
		at = vacant;
	if (at != NULL && at->n_loops++ == 0) {
		at->addr = *addr;
		shared_health_init(&at->shared);
	}
	lock_give(&t->lock);
	return at != NULL ? &at->shared : NULL;
}

void
health_table_give(struct health_table *t, struct shared_health *p)
{
	struct place *at = (struct place *)(void *)((char *)p - offsetof(struct place, shared));

	lock_take(&t->lock);
	at->n_loops--;
	lock_give(&t->lock);
}

static void
set(_Atomic uint64_t *at, uint64_t ns)
{
	atomic_store_explicit(at, ns, memory_order_relaxed);
}

/* What was counted since it was heard. */
static void
forget(struct shared_health *p)
{
	set(&p->since_ns, 0);
	atomic_store_explicit(&p->n_turns, 0, memory_order_relaxed);
	atomic_store_explicit(&p->n_sent, 0, memory_order_relaxed);
	atomic_store_explicit(&p->n_refused, 0, memory_order_relaxed);
}

void
shared_health_init(struct shared_health *p)
{
	atomic_store_explicit(&p->way, 0, memory_order_relaxed);
	set(&p->heard_ns, 0);
	set(&p->due_ns, 0);
	forget(p);
}

void
shared_health_heard(struct shared_health *p, unsigned way, uint64_t now_ns)
{
	atomic_store_explicit(&p->way, way, memory_order_relaxed);
	set(&p->heard_ns, now_ns);
	forget(p);
}

int
shared_health_turn(struct shared_health *p, uint64_t now_ns, uint64_t interval_ns)
{
	uint64_t due = shared_health_due_ns(p);
	uint64_t none = 0;

	if (now_ns < due ||
	    !atomic_compare_exchange_strong_explicit(
		&p->due_ns, &due, now_ns + interval_ns, memory_order_relaxed, memory_order_relaxed))
		return -1;
	(void)atomic_compare_exchange_strong_explicit(
	    &p->since_ns, &none, now_ns, memory_order_relaxed, memory_order_relaxed);
	return (int)(atomic_fetch_add_explicit(&p->n_turns, 1, memory_order_relaxed) & 0xffff);
}

void
shared_health_sent(struct shared_health *p)
{
	atomic_fetch_add_explicit(&p->n_sent, 1, memory_order_relaxed);
}

void
shared_health_unsent(struct shared_health *p)
{
	unsigned n = shared_health_n_sent(p);

	/* Another loop may have heard the upstream meanwhile: then nothing is counted any more. */
	while (n > 0 &&
	    !atomic_compare_exchange_weak_explicit(
		&p->n_sent, &n, n - 1, memory_order_relaxed, memory_order_relaxed))
		continue;
}

void
shared_health_refused(struct shared_health *p)
{
	atomic_fetch_add_explicit(&p->n_refused, 1, memory_order_relaxed);
}
