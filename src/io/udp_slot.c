/* SPDX-License-Identifier: BSD-2-Clause */
#include "io/udp_slot.h"

#include <netinet/udp.h>

void
udp_slot_from(struct udp_slot *slot, const struct netaddr *local)
{
	struct cmsghdr *c = (void *)slot->control.bytes;

	slot->control_len = 0;
	if (local->family == NETADDR_NONE)
		return;
	/* With what lies between them, as slots are compared. */
	memset(slot->control.bytes, 0, CMSG_SPACE(sizeof(struct in6_pktinfo)));
	if (local->family == NETADDR_IPV4) {
		struct in_pktinfo info = { .ipi_ifindex = 0 };

		memcpy(&info.ipi_spec_dst, local->addr, 4);
		c->cmsg_level = IPPROTO_IP;
		c->cmsg_type = IP_PKTINFO;
		c->cmsg_len = CMSG_LEN(sizeof(info));
		memcpy(CMSG_DATA(c), &info, sizeof(info));
		slot->control_len = CMSG_SPACE(sizeof(info));
		return;
	}
	struct in6_pktinfo info = { .ipi6_ifindex = local->scope };

	memcpy(&info.ipi6_addr, local->addr, 16);
	c->cmsg_level = IPPROTO_IPV6;
	c->cmsg_type = IPV6_PKTINFO;
	c->cmsg_len = CMSG_LEN(sizeof(info));
	memcpy(CMSG_DATA(c), &info, sizeof(info));
	slot->control_len = CMSG_SPACE(sizeof(info));
}

/* The length by which SLOT is sorted: those that no run may have are all alike. */
static unsigned
sort_len(const struct udp_slot *slot)
{
	return slot->iov.iov_len <= UDP_RUN_PIECE ? (unsigned)slot->iov.iov_len : UDP_RUN_PIECE + 1;
}

/* Sort by counting, in two passes: there are few lengths between the shortest and the longest. */
void
udp_slot_sort(struct udp_slot **at, unsigned n, struct udp_slot **spare)
{
	uint16_t begin[UDP_RUN_PIECE + 2], next = 0;
	unsigned shortest = UDP_RUN_PIECE + 1, longest = 0, last = UDP_RUN_PIECE + 1;
	bool sorted = true;

	for (unsigned i = 0; i < n; i++) {
		unsigned len = sort_len(at[i]);

		sorted &= len <= last;
		last = len;
		shortest = len < shortest ? len : shortest;
		longest = len > longest ? len : longest;
	}
	if (sorted)
		return;
	memset(&begin[shortest], 0, (longest - shortest + 1) * sizeof(begin[0]));
	for (unsigned i = 0; i < n; i++)
		begin[sort_len(at[i])]++;
	for (unsigned len = longest + 1; len-- > shortest;) {
		uint16_t count = begin[len];

		begin[len] = next;
		next = (uint16_t)(next + count);
	}
	memcpy(spare, at, n * sizeof(at[0]));
	for (unsigned i = 0; i < n; i++)
		at[begin[sort_len(spare[i])]++] = spare[i];
}

/* Do A and B go from one address to one other? */
static bool
same_way(const struct udp_slot *a, const struct udp_slot *b)
{
	if (a->name_len != b->name_len || a->control_len != b->control_len)
		return false;
	return a->name_len == 0 ||
	    (memcmp(&a->name, &b->name, a->name_len) == 0 &&
		memcmp(&a->control, &b->control, a->control_len) == 0);
}

unsigned
udp_slot_run(struct udp_slot *const *at, unsigned n)
{
	const struct udp_slot *first = at[0];
	size_t piece = first->iov.iov_len, len = piece, bytes = piece;
	unsigned run = 1;

	if (piece > UDP_RUN_PIECE)
		return 1;
	n = n < UDP_RUN_MOST ? n : UDP_RUN_MOST;
	while (run < n && len == piece) { /* a shorter one was the last */
		const struct udp_slot *slot = at[run];

		len = slot->iov.iov_len;
		bytes += len;
		if (len == 0 || len > piece || bytes > UDP_RUN_BYTES || !same_way(first, slot))
			break;
		run++;
	}
	return run;
}

/* Let the N datagrams of H, the first of which is in SLOT, be a run. */
static void
make_run(struct udp_slot *slot, struct msghdr *h, unsigned n)
{
	struct cmsghdr *c = (void *)&slot->control.bytes[slot->control_len];
	uint16_t piece = (uint16_t)slot->iov.iov_len;

	c->cmsg_level = IPPROTO_UDP;
	c->cmsg_type = UDP_SEGMENT;
	c->cmsg_len = CMSG_LEN(sizeof(piece));
	memcpy(CMSG_DATA(c), &piece, sizeof(piece));
	h->msg_iovlen = n;
	h->msg_control = &slot->control;
	h->msg_controllen = slot->control_len + CMSG_SPACE(sizeof(piece));
}

void
udp_slot_message(struct udp_slot *const *at, unsigned n, struct iovec *iov, struct msghdr *h)
{
	struct udp_slot *slot = at[0];

	h->msg_name = slot->name_len > 0 ? &slot->name : NULL;
	h->msg_namelen = slot->name_len;
	h->msg_control = slot->control_len > 0 ? &slot->control : NULL;
	h->msg_controllen = slot->control_len;
	h->msg_iov = &slot->iov;
	h->msg_iovlen = 1;
	if (n == 1)
		return;
	for (unsigned i = 0; i < n; i++)
		iov[i] = at[i]->iov;
	h->msg_iov = iov;
	make_run(slot, h, n);
}
