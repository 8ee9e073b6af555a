/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/load/stamp.h"

#include <string.h>

#include "base/clock.h"

static uint64_t
ns_of(const struct timespec *ts)
{
	return (uint64_t)ts->tv_sec * NS_PER_SEC + (uint64_t)ts->tv_nsec;
}

void
bench_stamp_enable(int fd)
{
	int on = 1;

	(void)setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof(on));
}

struct bench_stamp
bench_stamp_now(void)
{
	struct timespec real;
	struct bench_stamp s = { .now_ns = clock_now_ns() };

	(void)clock_gettime(CLOCK_REALTIME, &real);
	s.real_ns = ns_of(&real);
	return s;
}

uint64_t
bench_stamp_of(struct msghdr *h, const struct bench_stamp *now)
{
	struct timespec ts;
	uint64_t since_ns;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(h); c != NULL; c = CMSG_NXTHDR(h, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_TIMESTAMPNS)
			continue;
		memcpy(&ts, CMSG_DATA(c), sizeof(ts));
		since_ns = now->real_ns - ns_of(&ts);
		return since_ns < now->now_ns ? now->now_ns - since_ns : now->now_ns;
	}
	return now->now_ns;
}
