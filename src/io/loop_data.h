/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_IO_LOOP_DATA_H
#define DNS64D_IO_LOOP_DATA_H

/*
 * loop_data: what goes from the main thread to a loop, and back.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/netaddr.h"
#include "core/conf.h"
#include "core/latency.h"
#include "io/bind.h"
#include "io/snapshot.h"

/* What a reload brings to one loop. */
struct loop_update {
	struct snapshot *snapshot; /* one reference, passed on */
	size_t n_added;
	struct bind_sockets added[CONF_MAX_LISTENS]; /* for new addresses, passed on */
};

/* What a loop has open. */
struct loop_open {
	uint32_t queries;      /* questions of clients that have no answer yet */
	uint32_t clients;      /* TCP connections of clients */
	uint32_t upstreams;    /* TCP connections to upstreams */
	struct latency waited; /* of the answers that waited for upstream */
};

#endif
