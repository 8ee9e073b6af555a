/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/lock.h"

#include <linux/futex.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SPINS 100 /* tries before sleeping: the other thread has the lock for a short time only */

static void
futex(struct lock *l, int what, unsigned value)
{
	/* An error means that the state has changed meanwhile: the caller loops. */
	(void)syscall(SYS_futex, &l->state, what | FUTEX_PRIVATE_FLAG, value, NULL, NULL, 0);
}

/* Take L if it becomes free soon. */
static bool
spin(struct lock *l)
{
	for (unsigned i = 0; i < SPINS; i++) {
		unsigned state = LOCK_FREE;

		if (atomic_load_explicit(&l->state, memory_order_relaxed) == LOCK_FREE &&
		    atomic_compare_exchange_weak_explicit(
			&l->state, &state, LOCK_TAKEN, memory_order_acquire, memory_order_relaxed))
			return true;
	}
	return false;
}

void
lock_wait(struct lock *l)
{
	if (spin(l))
		return;
	/* Take it as LOCK_WAITED, not LOCK_TAKEN: other threads may be asleep too. */
	while (atomic_exchange_explicit(&l->state, LOCK_WAITED, memory_order_acquire) != LOCK_FREE)
		futex(l, FUTEX_WAIT, LOCK_WAITED);
}

void
lock_wake(struct lock *l)
{
	futex(l, FUTEX_WAKE, 1);
}
