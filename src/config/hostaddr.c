/* SPDX-License-Identifier: BSD-2-Clause */
#include "config/hostaddr.h"

#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>
#include <stdalign.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#define READ_BYTES 8192 /* the kernel hands out a list in parts of a page, or of this */
#define LIST_TRIES 3    /* a list that changes while it is read is read again */
#define PATIENCE_S 2    /* the kernel answers at once */

/* --- Messages --------------------------------------------------------------------------------- */

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

/* Point ALL to the attributes of MSG, each by its type. False: they are cut. */
static bool
find_attributes(const struct nlmsghdr *msg, const struct nlattr *all[static IFA_MAX + 1])
{
	const struct nlattr *a = mnl_nlmsg_get_payload_offset(msg, sizeof(struct ifaddrmsg));
	const char *end = (const char *)msg + msg->nlmsg_len;

	/* Not by mnl_attr_parse, which is silent about what is cut. */
	for (; mnl_attr_ok(a, (int)(end - (const char *)a)); a = mnl_attr_next(a)) {
		if (mnl_attr_type_valid(a, IFA_MAX) > 0)
			all[mnl_attr_get_type(a)] = a;
	}
	return (const char *)a >= end;
}

/* The value of A; NULL: it has none of SIZE bytes. */
static const void *
value_of(const struct nlattr *a, size_t size)
{
	return a != NULL && mnl_attr_get_payload_len(a) == size ? mnl_attr_get_payload(a) : NULL;
}

/* Append what MSG says of an address; *CUT: it is cut. False: no memory. */
static bool
add_one(const struct nlmsghdr *msg, struct array *out, bool *cut)
{
	const struct nlattr *all[IFA_MAX + 1] = { NULL }, *label;
	const struct ifaddrmsg *head = mnl_nlmsg_get_payload(msg);
	const void *address; /* our own: IFA_ADDRESS is the peer's, on a link of two */
	struct hostaddr *new;
	size_t size;

	*cut = mnl_nlmsg_get_payload_len(msg) < sizeof(*head) || !find_attributes(msg, all);
	if (*cut || (head->ifa_family != AF_INET && head->ifa_family != AF_INET6))
		return true;
	size = head->ifa_family == AF_INET ? 4 : 16;
	address = value_of(all[all[IFA_LOCAL] != NULL ? IFA_LOCAL : IFA_ADDRESS], size);
	if (address == NULL)
		return true;
	new = array_add(out, sizeof(*new));
	if (new == NULL)
		return false;
	*new = (struct hostaddr){ .index = head->ifa_index,
		.prefix_len = head->ifa_prefixlen,
		.state = state_of(value_of(all[IFA_FLAGS], sizeof(uint32_t)) != NULL
			? mnl_attr_get_u32(all[IFA_FLAGS])
			: head->ifa_flags) };
	label = all[IFA_LABEL];
	if (label != NULL && mnl_attr_validate(label, MNL_TYPE_NUL_STRING) == 0 &&
	    strchr(mnl_attr_get_str(label), ':') != NULL) /* else it is the interface's name */
		(void)snprintf(new->label, sizeof(new->label), "%s", mnl_attr_get_str(label));
	new->addr.family = size == 4 ? NETADDR_IPV4 : NETADDR_IPV6;
	memcpy(new->addr.addr, address, size);
	if (netaddr_lacks_scope(&new->addr))
		new->addr.scope = new->index;
	return true;
}

/* Is all of MSG in the LEFT bytes there? Before 1.0.5 libmnl says so of one of 2 GB, too. */
static bool
is_whole(const struct nlmsghdr *msg, int left)
{
	return mnl_nlmsg_ok(msg, left) && msg->nlmsg_len <= (unsigned)left;
}

bool
hostaddr_parse(
    const void *buf, size_t len, struct array *out, bool *changed, enum hostaddr_more *more)
{
	const struct nlmsghdr *msg = buf;
	bool cut = false;

	/* Not by mnl_cb_run, which is silent about what is cut, and ends at a list that changed. */
	*more = HOSTADDR_ERROR;
	for (int left = (int)len; left > 0; msg = mnl_nlmsg_next(msg, &left)) {
		if (!is_whole(msg, left) || msg->nlmsg_type == NLMSG_ERROR)
			return true;
		*changed = *changed || (msg->nlmsg_flags & NLM_F_DUMP_INTR) != 0;
		if (msg->nlmsg_type == NLMSG_DONE) {
			*more = HOSTADDR_END;
			return true;
		}
		if (msg->nlmsg_type == RTM_NEWADDR && !add_one(msg, out, &cut))
			return false;
		if (cut)
			return true;
	}
	*more = HOSTADDR_MORE;
	return true;
}

/* --- The kernel ------------------------------------------------------------------------------- */

/* Ask for all addresses and read them, by NL. Returns 0 or -errno; -EAGAIN: it changed meanwhile.
 */
static int
read_list(struct mnl_socket *nl, struct array *out)
{
	alignas(struct nlmsghdr) uint8_t buf[READ_BYTES];
	struct nlmsghdr *ask = mnl_nlmsg_put_header(buf);
	enum hostaddr_more more = HOSTADDR_MORE;
	bool changed = false;

	ask->nlmsg_type = RTM_GETADDR;
	ask->nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
	(void)mnl_nlmsg_put_extra_header(ask, sizeof(struct rtgenmsg)); /* zeros: AF_UNSPEC */
	if (mnl_socket_sendto(nl, ask, ask->nlmsg_len) < 0)
		return -errno;
	while (more == HOSTADDR_MORE) {
		ssize_t n = mnl_socket_recvfrom(nl, buf, sizeof(buf));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EAGAIN ? -ETIMEDOUT : -errno;
		if (n == 0)
			return -EBADMSG;
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
	struct mnl_socket *nl = mnl_socket_open2(NETLINK_ROUTE, SOCK_CLOEXEC);
	size_t before = out->n;
	int rc = -EAGAIN;

	if (nl == NULL)
		return -errno;
	(void)setsockopt(
	    mnl_socket_get_fd(nl), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	for (int i = 0; i < LIST_TRIES && rc == -EAGAIN; i++) {
		out->n = before;
		rc = read_list(nl, out);
	}
	mnl_socket_close(nl);
	return rc;
}

bool
hostaddr_is(const struct hostaddr *h, const struct netaddr *a)
{
	struct netaddr own = h->addr;

	own.port = a->port;
	return netaddr_equal(&own, a);
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
	for (size_t i = 0; i < all.n && !found; i++)
		found = hostaddr_is(&h[i], a);
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
