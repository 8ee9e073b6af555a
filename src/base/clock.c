/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/clock.h"

#include <time.h>

static uint64_t
read_ns(clockid_t id)
{
	struct timespec ts;

	/* Cannot fail: Linux always has these clocks, and ts is ours. */
	(void)clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_SEC + (uint64_t)ts.tv_nsec;
}

uint64_t
clock_now_ns(void)
{
	return read_ns(CLOCK_BOOTTIME);
}

uint64_t
clock_wall_ns(void)
{
	return read_ns(CLOCK_REALTIME);
}
