/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_LOAD_STAMP_H
#define DNS64D_BENCH_LOAD_STAMP_H

/*
 * bench_stamp: when the kernel received what we read (SO_TIMESTAMPNS of socket(7)). While the
 * tester is kept from running, replies wait for it; their times go on being right.
 */

#include <stdint.h>
#include <sys/socket.h>
#include <time.h>

#include "base/attr.h"

/* Bytes of control that a stamp takes. */
#define BENCH_STAMP_CONTROL CMSG_SPACE(sizeof(struct timespec))

/* The same moment by the clock of stamps, CLOCK_REALTIME, and by ours, in ns. */
struct bench_stamp {
	uint64_t real_ns;
	uint64_t now_ns;
};

/* bench_stamp_enable: what FD receives from now on has a stamp, where the kernel can. */
void bench_stamp_enable(int fd);

/* bench_stamp_now: the moment, by both clocks. */
MUST_USE struct bench_stamp bench_stamp_now(void);

/*
 * bench_stamp_of: when what was received with H came, by our clock; now if it has no stamp or one
 * of the future, as when the wall clock was set.
 */
MUST_USE uint64_t bench_stamp_of(struct msghdr *h, const struct bench_stamp *now);

#endif
