/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/udp_run.h"

#include <netinet/in.h>
#include <netinet/udp.h>
#include <string.h>

/* Only root may exceed the system's limit (SO_RCVBUFFORCE). */
static void
enlarge(int fd, int size, int forced, int plain)
{
	if (setsockopt(fd, SOL_SOCKET, forced, &size, sizeof(size)) != 0)
		(void)setsockopt(fd, SOL_SOCKET, plain, &size, sizeof(size));
}

void
udp_run_enlarge(int fd, int size)
{
	enlarge(fd, size, SO_RCVBUFFORCE, SO_RCVBUF);
	enlarge(fd, size, SO_SNDBUFFORCE, SO_SNDBUF);
}

bool
udp_run_prepare(int fd)
{
	int on = 1, off = 0;

	(void)setsockopt(fd, IPPROTO_UDP, UDP_GRO, &on, sizeof(on));
	return setsockopt(fd, IPPROTO_UDP, UDP_SEGMENT, &off, sizeof(off)) == 0;
}

size_t
udp_run_piece(struct msghdr *h, size_t len)
{
	int size;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(h); c != NULL; c = CMSG_NXTHDR(h, c)) {
		if (c->cmsg_level != IPPROTO_UDP || c->cmsg_type != UDP_GRO)
			continue;
		memcpy(&size, CMSG_DATA(c), sizeof(size));
		return size > 0 ? (size_t)size : len;
	}
	return len;
}

void
udp_run_segment(struct msghdr *h, size_t cap, uint16_t piece)
{
	size_t before = h->msg_controllen;

	if (cap < before + CMSG_SPACE(sizeof(piece)))
		return;
	struct cmsghdr *c = (struct cmsghdr *)(void *)((uint8_t *)h->msg_control + before);
	memset(c, 0, CMSG_SPACE(sizeof(piece)));
	h->msg_controllen = before + CMSG_SPACE(sizeof(piece));
	c->cmsg_level = IPPROTO_UDP;
	c->cmsg_type = UDP_SEGMENT;
	c->cmsg_len = CMSG_LEN(sizeof(piece));
	memcpy(CMSG_DATA(c), &piece, sizeof(piece));
}
