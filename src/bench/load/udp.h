/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_LOAD_UDP_H
#define DNS64D_BENCH_LOAD_UDP_H

/* bench_udp: the buffers of the datagram transport; for bench_lane only. */

#include "base/attr.h"

struct bench_udp_buffers;

/* bench_udp_buffers_new: NULL without memory; ended with free. */
MUST_USE struct bench_udp_buffers *bench_udp_buffers_new(void);

#endif
