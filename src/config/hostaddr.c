/* SPDX-License-Identifier: BSD-2-Clause */
#include "config/hostaddr.h"

#include <errno.h>
#include <linux/if_addr.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#define READ_BYTES 8192 /* the kernel hands out a list in parts of a page, or of this */
#define LIST_TRIES 3    /* a list that changes while it is read is read again */
#define PATIENCE_S 2    /* the kernel answers at once */

/* --- Messages --------------------------------------------------------------------------------- */

static size_t
aligned(size_t len)
{
	return (len + 3) & ~(size_t)3;
}

static enum hostaddr_state
state_of(uint32_t flags)
{
	if ((flags & IFA_F_DADFAILED) != 0)
		return HOSTADDR_DUPLICATE;
	/* An optimistic one is in use already (RFC 4429). */
	if ((flags & IFA_F_TENTATIVE) != 0 && (flags & IFA_F_OPTIMISTIC) == 0)
		return HOSTADDR_TENTATIVE;
	return HOSTADDR_USABLE;
}

/* What the attributes of one message say. */
struct attributes {
	uint8_t address[16]; /* the peer's, on a link of two */
	uint8_t local[16];
	bool has_address;
	bool has_local;
	char label[HOSTADDR_LABEL];
	uint32_t flags;
};

/* Read the attributes in the LEN bytes at BUF; SIZE: bytes of an address. False: they are cut. */
static bool
read_attributes(const uint8_t *buf, size_t len, size_t size, struct attributes *a)
{
	struct rtattr head;

	for (size_t at = 0; at < len; at += aligned(head.rta_len)) {
		const uint8_t *value = buf + at + sizeof(head);
		size_t n;

		if (len - at < sizeof(head))
			return false;
		memcpy(&head, buf + at, sizeof(head));
		if (head.rta_len < sizeof(head) || head.rta_len > len - at)
			return false;
		n = head.rta_len - sizeof(head);
		if (head.rta_type == IFA_ADDRESS && n == size) {
			memcpy(a->address, value, size);
			a->has_address = true;
		} else if (head.rta_type == IFA_LOCAL && n == size) {
			memcpy(a->local, value, size);
			a->has_local = true;
		} else if (head.rta_type == IFA_LABEL && n <= sizeof(a->label)) {
			memcpy(a->label, value, n);
			a->label[sizeof(a->label) - 1] = '\0';
		} else if (head.rta_type == IFA_FLAGS && n == sizeof(a->flags)) {
			memcpy(&a->flags, value, sizeof(a->flags));
		}
	}
	return true;
}

/* Append what one message of LEN bytes says of an address; *CUT: it is cut. False: no memory. */
static bool
add_one(const uint8_t *msg, size_t len, struct array *out, bool *cut)
{
	struct attributes a = { .has_address = false };
	struct ifaddrmsg head;
	struct hostaddr *new;
	size_t size, from = aligned(sizeof(head));

	*cut = len < from;
	if (*cut)
		return true;
	memcpy(&head, msg, sizeof(head));
	if (head.ifa_family != AF_INET && head.ifa_family != AF_INET6)
		return true;
	size = head.ifa_family == AF_INET ? 4 : 16;
	a.flags = head.ifa_flags;
	*cut = !read_attributes(msg + from, len - from, size, &a);
	if (*cut || (!a.has_local && !a.has_address))
		return true;
	new = array_add(out, sizeof(*new));
	if (new == NULL)
		return false;
	*new = (struct hostaddr){ .index = head.ifa_index,
		.prefix_len = head.ifa_prefixlen,
		.state = state_of(a.flags) };
	if (strchr(a.label, ':') != NULL) /* else it is the interface's name */
		memcpy(new->label, a.label, sizeof(new->label));
	new->addr.family = size == 4 ? NETADDR_IPV4 : NETADDR_IPV6;
	memcpy(new->addr.addr, a.has_local ? a.local : a.address, size);
	if (netaddr_lacks_scope(&new->addr))
		new->addr.scope = new->index;
	return true;
}

bool
hostaddr_parse(
    const uint8_t *buf, size_t len, struct array *out, bool *changed, enum hostaddr_more *more)
{
	struct nlmsghdr head;
	bool cut = false;

	*more = HOSTADDR_ERROR;
	for (size_t at = 0; at < len; at += aligned(head.nlmsg_len)) {
		if (len - at < sizeof(head))
			return true;
		memcpy(&head, buf + at, sizeof(head));
		if (head.nlmsg_len < sizeof(head) || head.nlmsg_len > len - at ||
		    head.nlmsg_type == NLMSG_ERROR)
			return true;
		*changed = *changed || (head.nlmsg_flags & NLM_F_DUMP_INTR) != 0;
		if (head.nlmsg_type == NLMSG_DONE) {
			*more = HOSTADDR_END;
			return true;
		}
		if (head.nlmsg_type == RTM_NEWADDR &&
		    !add_one(buf + at + sizeof(head), head.nlmsg_len - sizeof(head), out, &cut))
			return false;
		if (cut)
			return true;
	}
	*more = HOSTADDR_MORE;
	return true;
}

/* --- The kernel ------------------------------------------------------------------------------- */

/* Ask for all addresses and read them, by FD. Returns 0 or -errno; -EAGAIN: it changed meanwhile.
 */
static int
read_list(int fd, struct array *out)
{
	struct {
		struct nlmsghdr head;
		struct rtgenmsg what;
	} ask = { .head = { .nlmsg_len = NLMSG_LENGTH(sizeof(struct rtgenmsg)),
		      .nlmsg_type = RTM_GETADDR,
		      .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP },
		.what = { .rtgen_family = AF_UNSPEC } };
	uint8_t buf[READ_BYTES];
	enum hostaddr_more more = HOSTADDR_MORE;
	bool changed = false;

	if (send(fd, &ask, ask.head.nlmsg_len, 0) < 0)
		return -errno;
	while (more == HOSTADDR_MORE) {
		ssize_t n = recv(fd, buf, sizeof(buf), MSG_TRUNC);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EAGAIN ? -ETIMEDOUT : -errno;
		if (n == 0 || (size_t)n > sizeof(buf))
			return -EMSGSIZE;
		if (!hostaddr_parse(buf, (size_t)n, out, &changed, &more))
			return -ENOMEM;
	}
	if (more != HOSTADDR_END)
		return -EBADMSG;
	return changed ? -EAGAIN : 0;
}

int
hostaddr_list(struct array *out)
{
	const struct timeval patience = { .tv_sec = PATIENCE_S };
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	size_t before = out->n;
	int rc = -EAGAIN;

	if (fd < 0)
		return -errno;
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	for (int i = 0; i < LIST_TRIES && rc == -EAGAIN; i++) {
		out->n = before;
		rc = read_list(fd, out);
	}
	close(fd);
	return rc;
}

/* Is A a loopback address or that of an interface here? Its port is not read. */
static bool
is_local(const struct netaddr *a)
{
	struct array all = { .n = 0 };
	bool found = netaddr_is_loopback(a);

	/* A list that changes all the while is better than none. */
	int rc = found ? 0 : hostaddr_list(&all);
	if (rc != 0 && rc != -EAGAIN)
		all.n = 0;
	const struct hostaddr *h = all.items;
	for (size_t i = 0; i < all.n && !found; i++) {
		struct netaddr own = h[i].addr;

		own.port = a->port;
		found = netaddr_equal(&own, a);
	}
	array_fini(&all);
	return found;
}

int
hostaddr_reaches(const struct netaddr *listens, size_t n, const struct netaddr *a)
{
	for (size_t i = 0; i < n; i++) {
		const struct netaddr *l = &listens[i];

		if (netaddr_equal(l, a))
			return (int)i;
		if (l->port == a->port && l->family == a->family && netaddr_is_wildcard(l) &&
		    is_local(a))
			return (int)i;
	}
	return -1;
}

int
hostaddr_watch(void)
{
	const struct sockaddr_nl to = { .nl_family = AF_NETLINK,
		.nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR };
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, NETLINK_ROUTE);
	int rc;

	if (fd < 0)
		return -errno;
	if (bind(fd, (const struct sockaddr *)&to, sizeof(to)) == 0)
		return fd;
	rc = -errno;
	close(fd);
	return rc;
}

void
hostaddr_drain(int fd)
{
	uint8_t byte;

	/* What is told does not matter, nor that messages were lost (ENOBUFS): we look ourselves.
	 */
	while (recv(fd, &byte, sizeof(byte), 0) >= 0 || errno == EINTR || errno == ENOBUFS)
		continue;
}
