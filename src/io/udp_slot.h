/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_IO_UDP_SLOT_H
#define DNS64D_IO_UDP_SLOT_H

/*
 * udp_slot: one datagram that waits to be sent, and which of those of a socket leave as a run: one
 * message, which the kernel cuts into its datagrams last (UDP_SEGMENT of Linux 4.18, udp(7)). A
 * run goes from one address to one other; its datagrams are of one length, the last may be shorter.
 * Only an order of slots and messages for sendmmsg(2) come of it; io/udp sends. One thread.
 */

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "base/attr.h"
#include "base/netaddr.h"

#define UDP_RUN_MOST 64     /* datagrams of a run; what every kernel takes that knows them */
#define UDP_RUN_BYTES 65000 /* of a run; IP has lengths of 16 bits */
#define UDP_RUN_PIECE 1232  /* bytes of a datagram of a run: each path takes it whole */

/* Room for two control messages: an address of this machine, and a number of the kernel's. */
struct udp_control {
	_Alignas(size_t)
	    uint8_t bytes[CMSG_SPACE(sizeof(struct in6_pktinfo)) + CMSG_SPACE(sizeof(uint32_t))];
};

/* One datagram that waits to be sent. What is used of it lies together: most of a name is not. */
struct udp_slot {
	struct iovec iov;
	size_t control_len;    /* 0: it leaves from the socket's own address */
	struct udp_slot *next; /* in the chain of its socket */
	socklen_t name_len;    /* 0 on a connected socket */
	struct udp_control control;
	struct sockaddr_storage name;
};

/*
 * udp_slot_from: let SLOT leave from the address LOCAL of this machine; of the socket's own if
 * LOCAL's family is NETADDR_NONE.
 */
void udp_slot_from(struct udp_slot *slot, const struct netaddr *local);

/*
 * udp_slot_sort: bring the N (UINT16_MAX at most) slots in AT into the order of their datagrams'
 * lengths, the longest first; those of one length, and those over UDP_RUN_PIECE, stay in their
 * order. SPARE has room for N.
 */
void udp_slot_sort(struct udp_slot **at, unsigned n, struct udp_slot **spare);

/*
 * udp_slot_run: how many of the N (1 at least) slots in AT can leave as a run, from the first on: 1
 * to UDP_RUN_MOST.
 */
MUST_USE unsigned udp_slot_run(struct udp_slot *const *at, unsigned n);

/*
 * udp_slot_alone: is it certain at a glance, as for most answers, that B does not leave in a run
 * with A? It is longer, or goes to another port.
 */
MUST_USE static inline bool
udp_slot_alone(const struct udp_slot *a, const struct udp_slot *b)
{
	return b->iov.iov_len > a->iov.iov_len ||
	    (a->name_len > 0 && memcmp(&a->name, &b->name, sizeof(uint32_t)) != 0);
}

/*
 * udp_slot_message: have H send the N slots in AT: one, or a run. IOV has room for N. H borrows all
 * of them until it is sent; the control message of a run is written to its first slot.
 */
void udp_slot_message(struct udp_slot *const *at, unsigned n, struct iovec *iov, struct msghdr *h);

#endif
