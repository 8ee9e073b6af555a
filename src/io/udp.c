/* SPDX-License-Identifier: BSD-2-Clause */
#include "io/udp.h"

#include <errno.h>
#include <string.h>

#include "core/stats.h"

void
udp_rx_init(struct udp_rx *rx, uint8_t *bytes, bool clients)
{
	memset(rx, 0, sizeof(*rx));
	rx->clients = clients;
	rx->n_used = clients ? UDP_BATCH : 0;
	for (size_t i = 0; i < UDP_BATCH; i++) {
		rx->iov[i].iov_base = bytes + i * UDP_STRIDE;
		rx->iov[i].iov_len = PACKET_UDP_CAP;
		rx->hdr[i].msg_hdr.msg_iov = &rx->iov[i];
		rx->hdr[i].msg_hdr.msg_iovlen = 1;
		if (clients) {
			rx->hdr[i].msg_hdr.msg_name = &rx->name[i];
			rx->hdr[i].msg_hdr.msg_control = &rx->control[i];
		}
	}
}

int
udp_recv(struct udp_rx *rx, int fd, unsigned max)
{
	int n;

	if (rx->clients)
		for (unsigned i = 0; i < rx->n_used; i++) {
			rx->hdr[i].msg_hdr.msg_namelen = sizeof(rx->name[i]);
			rx->hdr[i].msg_hdr.msg_controllen = sizeof(rx->control[i]);
		}
	do
		n = recvmmsg(fd, rx->hdr, max < UDP_BATCH ? max : UDP_BATCH, MSG_DONTWAIT, NULL);
	while (n < 0 && errno == EINTR);
	if (n < 0) {
		/* The kernel may have written to the first entry before it failed. */
		rx->n_used = 1;
		return errno == EAGAIN ? 0 : -errno;
	}
	rx->n_used = n < UDP_BATCH ? (unsigned)n + 1 : UDP_BATCH;
	return n;
}

static void
meta_in(const struct cmsghdr *c, struct netaddr *local)
{
	struct in_pktinfo info;

	memcpy(&info, CMSG_DATA(c), sizeof(info));
	local->family = NETADDR_IPV4;
	/* The local address, which for a broadcast is not the destination; it can be a source. */
	memcpy(local->addr, &info.ipi_spec_dst, 4);
}

static void
meta_in6(const struct cmsghdr *c, struct netaddr *local)
{
	struct in6_pktinfo info;

	memcpy(&info, CMSG_DATA(c), sizeof(info));
	if (IN6_IS_ADDR_MULTICAST(&info.ipi6_addr))
		return; /* a multicast address cannot be a source */
	local->family = NETADDR_IPV6;
	memcpy(local->addr, &info.ipi6_addr, 16);
	if (IN6_IS_ADDR_LINKLOCAL(&info.ipi6_addr))
		local->scope = (uint32_t)info.ipi6_ifindex;
}

void
udp_meta(struct udp_rx *rx, unsigned i, struct netaddr *local, uint32_t *drops)
{
	struct msghdr *h = &rx->hdr[i].msg_hdr;

	memset(local, 0, sizeof(*local));
	if (h->msg_controllen == 0)
		return;
	for (struct cmsghdr *c = CMSG_FIRSTHDR(h); c != NULL; c = CMSG_NXTHDR(h, c)) {
		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SO_RXQ_OVFL)
			memcpy(drops, CMSG_DATA(c), sizeof(*drops));
		else if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_PKTINFO)
			meta_in(c, local);
		else if (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_PKTINFO)
			meta_in6(c, local);
	}
}

void
udp_tx_init(struct udp_tx *tx, uint8_t *bytes, struct stats *stats)
{
	memset(tx, 0, sizeof(*tx));
	tx->bytes = bytes;
	tx->stats = stats;
	list_init(&tx->dirty);
	list_init(&tx->refused);
	for (size_t i = 0; i < UDP_SLOTS; i++)
		tx->slots[i].iov.iov_base = bytes + i * UDP_STRIDE;
	for (size_t i = 0; i < UDP_BATCH; i++)
		tx->hdr[i].msg_hdr.msg_iovlen = 1;
}

void
udp_out_init(struct udp_out *out, int fd, bool upstream)
{
	memset(out, 0, sizeof(*out));
	out->fd = fd;
	out->upstream = upstream;
	list_init(&out->link);
	list_init(&out->refused);
}

/* Append the slot just filled to the chain of OUT. */
static void
tx_chain(struct udp_tx *tx, struct udp_out *out, size_t len)
{
	unsigned i = tx->n++;

	tx->slots[i].iov.iov_len = len;
	if (out->n++ == 0) {
		out->head = i;
		list_push(&tx->dirty, &out->link);
	} else {
		tx->slots[out->tail].next = i;
	}
	out->tail = i;
	if (tx->n == UDP_SLOTS)
		udp_tx_flush(tx);
}

/* Write a control message with the source address LOCAL. Returns its length in bytes. */
static size_t
control_from(struct udp_control *control, const struct netaddr *local)
{
	struct cmsghdr *c = (void *)control->bytes;

	if (local->family == NETADDR_IPV4) {
		struct in_pktinfo info = { .ipi_ifindex = 0 };

		memcpy(&info.ipi_spec_dst, local->addr, 4);
		c->cmsg_level = IPPROTO_IP;
		c->cmsg_type = IP_PKTINFO;
		c->cmsg_len = CMSG_LEN(sizeof(info));
		memcpy(CMSG_DATA(c), &info, sizeof(info));
		return CMSG_SPACE(sizeof(info));
	}
	struct in6_pktinfo info = { .ipi6_ifindex = local->scope };

	memcpy(&info.ipi6_addr, local->addr, 16);
	c->cmsg_level = IPPROTO_IPV6;
	c->cmsg_type = IPV6_PKTINFO;
	c->cmsg_len = CMSG_LEN(sizeof(info));
	memcpy(CMSG_DATA(c), &info, sizeof(info));
	return CMSG_SPACE(sizeof(info));
}

void
udp_tx_answer(struct udp_tx *tx, struct udp_out *out, const struct packet_out *send)
{
	struct udp_slot *slot = &tx->slots[tx->n];

	slot->name_len = netaddr_to_sockaddr(&send->peer, &slot->name);
	slot->control_len = 0;
	if (send->local.family != NETADDR_NONE)
		slot->control_len = control_from(&slot->control, &send->local);
	tx_chain(tx, out, send->len);
}

void
udp_tx_question(struct udp_tx *tx, struct udp_out *out, size_t len)
{
	struct udp_slot *slot = &tx->slots[tx->n];

	slot->name_len = 0;
	slot->control_len = 0;
	tx_chain(tx, out, len);
}

static bool
is_unreachable(int err)
{
	return err == ECONNREFUSED || err == EHOSTUNREACH || err == ENETUNREACH ||
	    err == EADDRNOTAVAIL || err == EACCES || err == EPERM || err == ENETDOWN;
}

/*
 * The kernel refused the first of LEFT datagrams (errno says why). Returns how many of them to give
 * up; 0: try again. *AGAIN: the first one has been tried again already.
 */
static unsigned
tx_failed(struct udp_tx *tx, struct udp_out *out, unsigned left, bool *again)
{
	int err = errno;
	unsigned gone = 1;

	if (err == EINTR)
		return 0;
	if (out->upstream && is_unreachable(err) && list_empty(&out->refused))
		list_push(&tx->refused, &out->refused);
	/* An earlier datagram left the error; the kernel has not tried this one. */
	if (err == ECONNREFUSED && !*again) {
		*again = true;
		return 0;
	}
	*again = false;
	if (err == EAGAIN || err == ENOBUFS)
		gone = left; /* the queue is full for the others, too */
	stats_add(&tx->stats->send_failed, gone);
	return gone;
}

/* Send the N datagrams in tx->hdr by OUT. */
static void
tx_send(struct udp_tx *tx, struct udp_out *out, unsigned n)
{
	bool again = false;

	for (unsigned done = 0; done < n;) {
		int r = sendmmsg(out->fd, &tx->hdr[done], n - done, MSG_NOSIGNAL);

		if (r > 0) {
			done += (unsigned)r;
			again = false;
		} else if (r < 0) {
			done += tx_failed(tx, out, n - done, &again);
		} else {
			return;
		}
	}
}

/* Send the chain of OUT. */
static void
tx_drain(struct udp_tx *tx, struct udp_out *out)
{
	unsigned at = out->head;

	while (out->n > 0) {
		unsigned n = out->n < UDP_BATCH ? out->n : UDP_BATCH;

		for (unsigned i = 0; i < n; i++) {
			struct udp_slot *slot = &tx->slots[at];
			struct msghdr *h = &tx->hdr[i].msg_hdr;

			h->msg_iov = &slot->iov;
			h->msg_name = slot->name_len > 0 ? &slot->name : NULL;
			h->msg_namelen = slot->name_len;
			h->msg_control = slot->control_len > 0 ? &slot->control : NULL;
			h->msg_controllen = slot->control_len;
			at = slot->next;
		}
		tx_send(tx, out, n);
		out->n -= n;
	}
}

void
udp_tx_flush(struct udp_tx *tx)
{
	struct list *link;

	while ((link = list_pop(&tx->dirty)) != NULL)
		tx_drain(tx, LIST_OBJECT(link, struct udp_out, link));
	tx->n = 0;
}
