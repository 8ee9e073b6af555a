/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_IO_TCP_CLIENTS_H
#define DNS64D_IO_TCP_CLIENTS_H

/*
 * tcp_clients: the TCP connections of each client network, how many they are and which of them
 * gives way to a new one. The networks are those of policy/fair, with their multiples (RULES D30).
 * One thread.
 *
 * Each address has its connections on two lists, those with questions open ("busy") apart from the
 * others, the one that was active longest ago first; networks of equal weight have that order, too.
 * So eviction takes the same time however many there are.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/netaddr.h"
#include "policy/fair.h"

struct tcp_clients {
	struct fair fair;
};

/*
 * tcp_clients_init: an empty table for up to CAP connections; SEED is the secret seed of the hash.
 * Returns 0, or -ENOMEM, and then tcp_clients_fini is not needed.
 */
MUST_USE int tcp_clients_init(struct tcp_clients *p, uint32_t cap, uint64_t seed);

/* tcp_clients_fini: free the memory of the table. */
void tcp_clients_fini(struct tcp_clients *p);

/*
 * tcp_clients_take: count one more connection, of the client ADDR (its port does not matter), and
 * give it its SEAT. There are fewer than CAP.
 */
void tcp_clients_take(struct tcp_clients *p, const struct netaddr *addr, struct fair_place *seat);

/* tcp_clients_seat: the connection with SEAT has just been active; BUSY: it has questions open. */
void tcp_clients_seat(struct tcp_clients *p, struct fair_place *seat, bool busy);

/* tcp_clients_give: the connection with SEAT is no more. */
void tcp_clients_give(struct tcp_clients *p, struct fair_place *seat);

/*
 * tcp_clients_full: has ADDR MOST connections, or a wider network of it its multiple of that?
 * Returns the prefix length, in bits, of the longest network that has; 0: none.
 */
MUST_USE unsigned tcp_clients_full(
    struct tcp_clients *p, const struct netaddr *addr, uint32_t most);

/*
 * tcp_clients_idlest: of the network of ADDR with BITS bits, or of the smallest one of ADDR that
 * has such a connection (0), the seat of one that has been silent long and has no question open;
 * NULL: there is none.
 */
MUST_USE struct fair_place *tcp_clients_idlest(
    struct tcp_clients *p, const struct netaddr *addr, unsigned bits);

/*
 * tcp_clients_yielding: the seat of the connection that gives way to another one of ADDR: of the
 * heaviest networks that ADDR is not in, one that has been silent long, and of it the idlest
 * connection. It gives way only to lighter networks, and with questions open only if its network is
 * no lighter afterwards than the other's then. NULL: none gives way.
 */
MUST_USE struct fair_place *tcp_clients_yielding(struct tcp_clients *p, const struct netaddr *addr);

#endif
