/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONFIG_HOSTADDR_H
#define DNS64D_CONFIG_HOSTADDR_H

/*
 * hostaddr: the addresses of this machine's interfaces, with what getifaddrs(3) does not tell of
 * them: which may not be used yet, or at all (rtnetlink(7)).
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/netaddr.h"
#include "config/array.h"

#define HOSTADDR_LABEL 16 /* bytes of a label, NUL included */

enum hostaddr_state {
	HOSTADDR_USABLE,
	HOSTADDR_TENTATIVE, /* it is being found out whether another machine has it (RFC 4862 5.4)
			     */
	HOSTADDR_DUPLICATE  /* another one has */
};

struct hostaddr {
	struct netaddr addr; /* port 0; a link-local one with its scope */
	uint32_t index;      /* of the interface */
	/* the label that it was given there, such as "eth0:1" (ip-address(8)); "": none */
	char label[HOSTADDR_LABEL];
	uint8_t prefix_len; /* of its network, in bits */
	enum hostaddr_state state;
};

/* What follows the messages that were parsed. */
enum hostaddr_more {
	HOSTADDR_MORE, /* more messages */
	HOSTADDR_END,  /* nothing, that was all */
	HOSTADDR_ERROR /* the list cannot be read */
};

/*
 * hostaddr_parse: append to OUT, of struct hostaddr, the addresses in the LEN bytes at BUF, aligned
 * as a struct nlmsghdr: netlink messages in the host's byte order, one or more of the answer to
 * RTM_GETADDR. LEN is at most INT_MAX. What is cut or not understood ends it with HOSTADDR_ERROR.
 * *CHANGED becomes true if the list changed while the kernel made it. False without memory.
 */
MUST_USE bool hostaddr_parse(
    const void *buf, size_t len, struct array *out, bool *changed, enum hostaddr_more *more);

/* hostaddr_is: is H the address A, whatever port A has? */
MUST_USE bool hostaddr_is(const struct hostaddr *h, const struct netaddr *a);

/*
 * hostaddr_list: append all addresses of this machine's interfaces to OUT, of struct hostaddr.
 * Waits for the kernel only. Returns 0 or -errno; -EAGAIN: they change so fast that of an interface
 * that changes some may be missing in OUT, or be there twice.
 */
MUST_USE int hostaddr_list(struct array *out);

/*
 * hostaddr_reaches: the index of the one of N addresses at LISTENS that a packet to A would reach:
 * the same address and port, or a wildcard with A's port if A is a loopback address or that of an
 * interface here. -1 if there is none.
 */
MUST_USE int hostaddr_reaches(const struct netaddr *listens, size_t n, const struct netaddr *a);

/*
 * hostaddr_watch: a socket that becomes readable when an address or an interface comes, changes or
 * goes. It is non-blocking and the caller's. -errno: there is none.
 */
MUST_USE int hostaddr_watch(void);

/* hostaddr_drain: read all that FD, of hostaddr_watch, has to tell. */
void hostaddr_drain(int fd);

#endif
