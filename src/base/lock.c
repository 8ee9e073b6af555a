/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/lock.h"

#include <linux/futex.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#define GLANCES 100 /* before going to sleep: who has it will not have it for long */

static void
futex(struct lock *l, int what, unsigned value)
{
	/* An error means that there is nothing to wait for: the caller looks again. */
	(void)syscall(SYS_futex, &l->state, what | FUTEX_PRIVATE_FLAG, value, NULL, NULL, 0);
}

static bool
comes_free(struct lock *l)
{
	for (unsigned i = 0; i < GLANCES; i++) {
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
	if (comes_free(l))
		return;
	/* Whoever has slept takes it as LOCK_WAITED: there may be others asleep. */
	while (atomic_exchange_explicit(&l->state, LOCK_WAITED, memory_order_acquire) != LOCK_FREE)
		futex(l, FUTEX_WAIT, LOCK_WAITED);
}

void
lock_wake(struct lock *l)
{
	futex(l, FUTEX_WAKE, 1);
}
