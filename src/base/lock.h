/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BASE_LOCK_H
#define DNS64D_BASE_LOCK_H

/*
 * lock: mutual exclusion of threads for a few hundred instructions at a time. Four bytes, to lie
 * beside what they guard; taken and given inline, the kernel is asked only when somebody waits.
 */

#include <stdatomic.h>

#include "base/attr.h"

enum lock_state {
	LOCK_FREE, /* all zeros are a free lock */
	LOCK_TAKEN,
	LOCK_WAITED /* taken, and somebody sleeps until it is given back */
};

struct lock {
	atomic_uint state;
};

/* lock_init: free. */
static inline void
lock_init(struct lock *l)
{
	atomic_init(&l->state, LOCK_FREE);
}

/* lock_wait: the rest of lock_take. lock_wake: the rest of lock_give. */
void lock_wait(struct lock *l);
void lock_wake(struct lock *l);

/* lock_take: wait until it is ours; not for one who has it. */
static inline void
lock_take(struct lock *l)
{
	unsigned state = LOCK_FREE;

	if (UNLIKELY(!atomic_compare_exchange_strong_explicit(
		&l->state, &state, LOCK_TAKEN, memory_order_acquire, memory_order_relaxed)))
		lock_wait(l);
}

/* lock_give: it was ours. */
static inline void
lock_give(struct lock *l)
{
	if (UNLIKELY(atomic_exchange_explicit(&l->state, LOCK_FREE, memory_order_release) ==
		LOCK_WAITED))
		lock_wake(l);
}

#endif
