/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DAEMON_SOCKETS_H
#define DNS64D_DAEMON_SOCKETS_H

/*
 * sockets: the listening sockets of all loops, opened by the main thread, at the start and
 * when a reload brings new addresses. What goes wrong is logged, for all addresses at once.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/netaddr.h"
#include "config/settings.h"
#include "io/bind.h"

/* Addresses to be opened for a number of loops. */
struct sockets_wanted {
	const struct netaddr *addrs; /* borrowed */
	size_t n;
	const struct netaddr *held; /* borrowed: addresses that this process serves already */
	size_t n_held;
	unsigned n_loops;
	uint32_t buffer; /* bytes of UDP receive buffer to ask for */
	bool freebind;   /* take addresses that this machine does not have, too */
};

/*
 * sockets_open: to *OUT an array (from malloc, the caller's) of n_loops times n sockets, those of
 * one loop side by side; NULL when n is 0. False, with nothing open and the reasons logged under
 * the word SUBSYSTEM, if any address cannot be had for every loop. Waits some seconds for those
 * that this machine has and may not use yet (RFC 4862 section 5.4: tentative).
 */
MUST_USE bool sockets_open(
    const struct sockets_wanted *w, const char *subsystem, struct bind_sockets **out);

/* sockets_close: close N sockets and free the array. SOCKETS may be NULL. */
void sockets_close(struct bind_sockets *sockets, size_t n);

/*
 * sockets_drop_missing: without a listen line loopback is served as far as there is one: take out
 * of S the default addresses that this machine does not have (as ::1 where IPv6 is off), and say
 * so.
 */
void sockets_drop_missing(struct settings *s);

#endif
