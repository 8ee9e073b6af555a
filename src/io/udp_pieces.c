/* SPDX-License-Identifier: BSD-2-Clause */
#include "io/udp_pieces.h"

#include <netinet/in.h>
#include <netinet/udp.h>
#include <string.h>
#include <unistd.h>

#include "core/packet.h"

static bool
gro_on(int fd)
{
	int on = 1;

	return setsockopt(fd, IPPROTO_UDP, UDP_GRO, &on, sizeof(on)) == 0;
}

bool
udp_pieces_known(void)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool known;

	if (fd < 0 && (fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0)) < 0)
		return false;
	known = gro_on(fd);
	close(fd);
	return known;
}

void
udp_pieces_on(int fd)
{
	(void)gro_on(fd);
}

/* The length of each datagram in M but the last; 0: it is a datagram. */
static size_t
length_of_each(struct mmsghdr *m)
{
	struct msghdr *h = &m->msg_hdr;
	int each = 0;

	if (h->msg_controllen == 0)
		return 0;
	for (struct cmsghdr *c = CMSG_FIRSTHDR(h); c != NULL; c = CMSG_NXTHDR(h, c))
		if (c->cmsg_level == IPPROTO_UDP && c->cmsg_type == UDP_GRO)
			memcpy(&each, CMSG_DATA(c), sizeof(each));
	return each > 0 && (unsigned)each < m->msg_len ? (size_t)each : 0;
}

void
udp_pieces_begin(struct udp_pieces *p, struct mmsghdr *messages)
{
	*p = (struct udp_pieces){ .messages = messages };
}

/* Take the next datagram. */
static struct udp_piece
take_one(struct udp_pieces *p)
{
	struct mmsghdr *m = &p->messages[p->at];
	struct udp_piece piece = { .message = (uint8_t)p->at };
	size_t left = m->msg_len - p->taken, len = left;
	const uint8_t *bytes = m->msg_hdr.msg_iov->iov_base;

	if (p->taken == 0)
		p->each = length_of_each(m);
	if (p->each > 0 && p->each < left)
		len = p->each;
	piece.bytes = bytes + p->taken;
	piece.len = (uint16_t)(len < PACKET_UDP_CAP ? len : PACKET_UDP_CAP);
	/* If a message was cut, so was the last datagram that is here of it. */
	piece.cut =
	    len > PACKET_UDP_CAP || (len == left && (m->msg_hdr.msg_flags & MSG_TRUNC) != 0);
	p->taken += len;
	if (p->taken == m->msg_len) {
		p->at++;
		p->taken = 0;
	}
	return piece;
}

unsigned
udp_pieces_take(struct udp_pieces *p, struct udp_piece *to, unsigned max)
{
	unsigned n = 0;

	while (n < max && udp_pieces_left(p))
		to[n++] = take_one(p);
	return n;
}

unsigned
udp_pieces_count(struct mmsghdr *m)
{
	size_t each = length_of_each(m);

	return each > 0 ? (unsigned)((m->msg_len + each - 1) / each) : 1;
}
