/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BASE_LOCK_H
#define DNS64D_BASE_LOCK_H

/*
 * lock: a mutex of four bytes for critical sections of a few hundred instructions, on a futex(2).
 * It can lie in the same cache line as what it guards. Taking and giving are inline; there is a
 * system call only when a thread waits.
 */

#include <stdatomic.h>
#include <stdbool.h>

#include "base/attr.h"

enum lock_state {
	LOCK_FREE, /* 0, so zeroed memory is a free lock */
	LOCK_TAKEN,
	LOCK_WAITED /* taken, and a thread may sleep until it is given back */
};

struct lock {
	atomic_uint state; /* enum lock_state */
};

static inline void
lock_init(struct lock *l)
{
	atomic_init(&l->state, LOCK_FREE);
}

/* lock_wait: the slow part of lock_take: L was taken. */
void lock_wait(struct lock *l);

/* lock_wake: the slow part of lock_give: wake a thread that sleeps. */
void lock_wake(struct lock *l);

/*
 * lock_take: take L, waiting until it is free. Not recursive: a thread that has L must not call
 * it.
 */
static inline void
lock_take(struct lock *l)
{
	unsigned state = LOCK_FREE;

	if (UNLIKELY(!atomic_compare_exchange_strong_explicit(
		&l->state, &state, LOCK_TAKEN, memory_order_acquire, memory_order_relaxed)))
		lock_wait(l);
}

/* lock_try: take L if it is free. False: another thread has it. */
MUST_USE static inline bool
lock_try(struct lock *l)
{
	unsigned state = LOCK_FREE;

	return atomic_compare_exchange_strong_explicit(
	    &l->state, &state, LOCK_TAKEN, memory_order_acquire, memory_order_relaxed);
}

/* lock_give: give L back; the calling thread has it. */
static inline void
lock_give(struct lock *l)
{
	if (UNLIKELY(atomic_exchange_explicit(&l->state, LOCK_FREE, memory_order_release) ==
		LOCK_WAITED))
		lock_wake(l);
}

#endif
