/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CORE_REQUEST_H
#define DNS64D_CORE_REQUEST_H

/*
 * request: from a client's bytes to a query in its first state.
 *
 * What is wrong with a message is counted by kind and answered with the rcode of the RFC, or
 * dropped. What is right is sorted by policy: pass on, look for AAAA, reverse, or answer here.
 */

#include <stdint.h>

#include "base/attr.h"
#include "core/packet.h"
#include "core/query.h"

/*
 * request_accept: a new query for message IN, filled and in its first state but not started. NULL:
 * it gets no answer (counted).
 */
MUST_USE struct query *request_accept(struct queries *qs, const struct packet_in *in);

/* request_sort: Q's first state, from what it asks and who asks. */
void request_sort(struct queries *qs, struct query *q);

#endif
