/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_IO_UDP_H
#define DNS64D_IO_UDP_H

/*
 * udp: datagrams in batches, one system call for up to 64 of them.
 *
 * All arrays that the kernel wants are built once; a receive touches only the entries that
 * the last one used. Datagrams to be sent are written into slots straight from the engine,
 * in whatever order it gives them, and grouped by socket when they leave. One thread.
 */

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "base/attr.h"
#include "base/list.h"
#include "base/netaddr.h"
#include "core/packet.h"

#define UDP_BATCH 64  /* datagrams in one system call */
#define UDP_SLOTS 128 /* datagrams that wait for the end of an iteration */

/* Bytes from one slot to the next: no two headers in one set of the L1 cache. */
#define UDP_STRIDE (PACKET_UDP_CAP + 192)

union udp_name {
	struct sockaddr sa;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
};

/* Room for the destination address and the kernel's count of drops. */
struct udp_control {
	_Alignas(size_t)
	    uint8_t bytes[CMSG_SPACE(sizeof(struct in6_pktinfo)) + CMSG_SPACE(sizeof(uint32_t))];
};

/* A receive batch. */
struct udp_rx {
	struct mmsghdr hdr[UDP_BATCH];
	struct iovec iov[UDP_BATCH];
	union udp_name name[UDP_BATCH];
	struct udp_control control[UDP_BATCH];
	unsigned n_used; /* entries that the kernel wrote to last time */
	bool clients;    /* does it ask for addresses? */
};

/* A socket that datagrams leave by; embedded in its owner. */
struct udp_out {
	int fd;        /* borrowed */
	int upstream;  /* its number, -1 on a socket towards clients */
	unsigned head; /* first and last slot of its chain; valid when n > 0 */
	unsigned tail;
	unsigned n;       /* datagrams waiting */
	struct list link; /* on udp_tx.dirty while n > 0 */
};

struct udp_slot {
	struct sockaddr_storage name;
	struct udp_control control;
	struct iovec iov;
	socklen_t name_len; /* 0 on a connected socket */
	size_t control_len; /* 0: the socket's own address */
	unsigned next;      /* in the chain of its socket */
};

/* The datagrams waiting to be sent. */
struct udp_tx {
	struct udp_slot slots[UDP_SLOTS];
	struct mmsghdr hdr[UDP_BATCH];
	uint8_t *bytes;      /* borrowed: UDP_SLOTS * UDP_STRIDE */
	unsigned n;          /* slots filled */
	struct list dirty;   /* sockets with datagrams */
	struct stats *stats; /* borrowed */
	uint64_t refused;    /* a bit per upstream whose socket reported it unreachable */
};

/*
 * udp_rx_init: a batch whose datagrams go to BYTES (UDP_BATCH * UDP_STRIDE, borrowed; batches
 * may share it). CLIENTS: keep where datagrams come from and what address they were sent to.
 */
void udp_rx_init(struct udp_rx *rx, uint8_t *bytes, bool clients);

/*
 * udp_recv: take up to MAX (at most UDP_BATCH) datagrams from the non-blocking FD. Returns
 * their number, 0 when there are none, -errno when the socket reports an error.
 */
MUST_USE int udp_recv(struct udp_rx *rx, int fd, unsigned max);

/* udp_msg, udp_len: datagram I of the last udp_recv. udp_cut: it was longer than a slot. */
static inline const uint8_t *
udp_msg(const struct udp_rx *rx, unsigned i)
{
	return rx->iov[i].iov_base;
}

static inline size_t
udp_len(const struct udp_rx *rx, unsigned i)
{
	return rx->hdr[i].msg_len;
}

static inline bool
udp_cut(const struct udp_rx *rx, unsigned i)
{
	return (rx->hdr[i].msg_hdr.msg_flags & MSG_TRUNC) != 0;
}

/*
 * udp_meta: what the kernel says beside datagram I: the address it was sent to in *LOCAL
 * (family NETADDR_NONE when the socket does not tell, port 0), and in *DROPS, if there is
 * anything to say, how many datagrams the socket has dropped in its life.
 */
void udp_meta(struct udp_rx *rx, unsigned i, struct netaddr *local, uint32_t *drops);

/* udp_tx_init: nothing waits. BYTES: UDP_SLOTS * UDP_STRIDE, borrowed; so is STATS. */
void udp_tx_init(struct udp_tx *tx, uint8_t *bytes, struct stats *stats);

/* udp_out_init: a socket towards clients (UPSTREAM -1) or to the upstream of that number. */
void udp_out_init(struct udp_out *out, int fd, int upstream);

/* udp_tx_slot: PACKET_UDP_CAP free bytes for the next datagram. There is always one. */
static inline uint8_t *
udp_tx_slot(struct udp_tx *tx)
{
	return tx->bytes + (size_t)tx->n * UDP_STRIDE;
}

/*
 * udp_tx_answer: what is in udp_tx_slot leaves by OUT to SEND->peer, from SEND->local if that
 * says something. udp_tx_question: LEN bytes of it leave by the connected OUT. Both flush
 * when no slot is free.
 */
void udp_tx_answer(struct udp_tx *tx, struct udp_out *out, const struct packet_out *send);
void udp_tx_question(struct udp_tx *tx, struct udp_out *out, size_t len);

/*
 * udp_tx_flush: send all that waits. What the kernel does not take is counted and dropped;
 * after a pending ECONNREFUSED the datagram it hit is sent once more. Adds to tx->refused.
 */
void udp_tx_flush(struct udp_tx *tx);

#endif
