/* SPDX-License-Identifier: BSD-2-Clause */
#include "support/testclock.h"

#include <stdatomic.h>

#include "base/clock.h"

/* What the linker makes of clock_now_ns and clock_wall_ns, and the real ones (ld --wrap). */
uint64_t __wrap_clock_now_ns(void);
uint64_t __real_clock_now_ns(void);

uint64_t __wrap_clock_wall_ns(void);
uint64_t __real_clock_wall_ns(void);

static _Atomic uint64_t held_ns;  /* where it stands; 0: it goes */
static _Atomic uint64_t ahead_ns; /* of the real one, while it goes */
static _Atomic uint64_t set_ns;   /* what the wall clock was set by */

uint64_t
__wrap_clock_now_ns(void)
{
	uint64_t at_ns = held_ns;

	return at_ns > 0 ? at_ns : __real_clock_now_ns() + ahead_ns;
}

/* As far from the real one as the other clock is from its own. */
uint64_t
__wrap_clock_wall_ns(void)
{
	return __real_clock_wall_ns() + (__wrap_clock_now_ns() - __real_clock_now_ns()) + set_ns;
}

void
testclock_set_wall(int64_t ns)
{
	set_ns += (uint64_t)ns;
}

void
testclock_hold(void)
{
	held_ns = clock_now_ns();
}

void
testclock_pass(uint64_t ns)
{
	if (held_ns > 0)
		held_ns += ns;
	else
		ahead_ns += ns;
}

/* Wraps modulo 2^64 if the clock stood still for longer than it was moved. */
void
testclock_release(void)
{
	if (held_ns == 0)
		return;
	ahead_ns = held_ns - __real_clock_now_ns();
	held_ns = 0;
}

void
testclock_reset(void)
{
	held_ns = 0;
	ahead_ns = 0;
	set_ns = 0;
}
