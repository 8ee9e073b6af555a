/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_IO_UDP_PIECES_H
#define DNS64D_IO_UDP_PIECES_H

/*
 * udp_pieces: the datagrams in received messages. With UDP_GRO (Linux 5.0, udp(7)) a socket
 * receives a run as one message: datagrams from one address to one other, all of the same length,
 * though the last may be shorter. A control message has that length. io/udp receives. One thread.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "base/attr.h"

/* A received datagram. */
struct udp_piece {
	const uint8_t *bytes; /* borrowed from the message */
	uint16_t len;         /* PACKET_UDP_CAP at most */
	uint8_t message;      /* index of the message that it was in */
	bool cut;             /* its end is lost: it was longer than PACKET_UDP_CAP */
};

/* Received messages, with what of them was taken. */
struct udp_pieces {
	struct mmsghdr *messages; /* borrowed */
	unsigned n;               /* of these */
	unsigned at;              /* the next datagram is in this one */
	size_t taken;             /* its bytes in datagrams that were taken */
	size_t each;              /* and the length of its datagrams; valid when taken > 0 */
};

/* udp_pieces_known: does the kernel know UDP_GRO? It is asked with a socket made for that. */
MUST_USE bool udp_pieces_known(void);

/* udp_pieces_on: let the UDP socket FD receive runs as messages. If that fails, it gets none. */
void udp_pieces_on(int fd);

/* udp_pieces_begin: no message has been received yet; they will be in MESSAGES, which is borrowed.
 */
void udp_pieces_begin(struct udp_pieces *p, struct mmsghdr *messages);

/* udp_pieces_add: N more messages have been received. */
static inline void
udp_pieces_add(struct udp_pieces *p, unsigned n)
{
	p->n += n;
}

/*
 * udp_pieces_take: write up to MAX datagrams, in their order, to TO. Returns their number; less
 * than MAX: no more are left.
 */
MUST_USE unsigned udp_pieces_take(struct udp_pieces *p, struct udp_piece *to, unsigned max);

/* udp_pieces_left: are there datagrams that were not taken? */
MUST_USE static inline bool
udp_pieces_left(const struct udp_pieces *p)
{
	return p->at < p->n;
}

/* udp_pieces_count: how many datagrams were in the message M, whose msg_len is all of its length?
 */
MUST_USE unsigned udp_pieces_count(struct mmsghdr *m);

#endif
