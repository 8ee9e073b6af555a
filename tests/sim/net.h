/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_TESTS_SIM_NET_H
#define DNS64D_TESTS_SIM_NET_H

/* net: upstreams, what lies between, and forgers. */

#include "sim/sim.h"

/* net_question: the engine sends question M, as told in SEND: a world_upstream; what comes back
 * comes later. */
size_t net_question(
    struct world *w, const struct msg *m, const struct packet_out *send, uint8_t *out);

/* net_next_ns: when the next parcel arrives; UINT64_MAX: none is on its way. */
uint64_t net_next_ns(const struct sim *s);

/* net_deliver: hand in the parcels that arrive by now. */
void net_deliver(struct sim *s);

#endif
