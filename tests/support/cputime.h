/* SPDX-License-Identifier: BSD-2-Clause */
/* cputime: processor time, for what noise of the machine must not lengthen. */

#ifndef DNS64D_SUPPORT_CPUTIME_H
#define DNS64D_SUPPORT_CPUTIME_H

#include <stdint.h>
#include <stdlib.h>
#include <time.h>

/* Nanoseconds that CLOCK has counted: CLOCK_THREAD_CPUTIME_ID, CLOCK_PROCESS_CPUTIME_ID. */
static inline uint64_t
cputime_of(clockid_t clock)
{
	struct timespec t;

	if (clock_gettime(clock, &t) != 0)
		abort();
	return (uint64_t)t.tv_sec * 1000000000U + (uint64_t)t.tv_nsec;
}

/* Of the calling thread alone, in nanoseconds. */
static inline uint64_t
cputime_ns(void)
{
	return cputime_of(CLOCK_THREAD_CPUTIME_ID);
}

#endif
