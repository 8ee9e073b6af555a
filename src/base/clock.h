/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BASE_CLOCK_H
#define DNS64D_BASE_CLOCK_H

/*
 * clock: the time, by CLOCK_BOOTTIME: setting the wall clock does not change it, and it goes on
 * while the machine is suspended, as TTLs do. Only this reads it: core and the rooms below it
 * take the time as a parameter. The wall clock is for comparing with what the kernel stamps by it.
 */

#include <stdint.h>

#define NS_PER_SEC 1000000000ULL
#define NS_PER_MS 1000000ULL

/* clock_now_ns: the time in nanoseconds since an arbitrary moment before the process began. */
uint64_t clock_now_ns(void);

/* clock_wall_ns: the wall clock (CLOCK_REALTIME), in nanoseconds since 1970. It may be set. */
uint64_t clock_wall_ns(void);

/* clock_s: NS nanoseconds, a time or a duration of less than 136 years, in whole seconds. */
static inline uint32_t
clock_s(uint64_t ns)
{
	return (uint32_t)(ns / NS_PER_SEC);
}

#endif
