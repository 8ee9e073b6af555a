/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/clock.h"

#include <time.h>

uint64_t
clock_now_ns(void)
{
	struct timespec ts;

	/* Cannot fail: Linux always has this clock, and ts is ours. */
	(void)clock_gettime(CLOCK_BOOTTIME, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_SEC + (uint64_t)ts.tv_nsec;
}
