/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DAEMON_SOCKETS_H
#define DNS64D_DAEMON_SOCKETS_H

/*
 * sockets: open the listening sockets of all loops, at the start and when a reload brings new
 * addresses. Errors are logged, for all addresses at once. Main thread only.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/log.h"
#include "base/netaddr.h"
#include "config/settings.h"
#include "io/bind.h"

/* The sockets to open: for each loop one pair for each address. */
struct sockets_wanted {
	const struct netaddr *addrs; /* borrowed: n addresses */
	size_t n;
	const struct netaddr
	    *held; /* borrowed: n_held addresses that this process serves already */
	size_t n_held;
	unsigned n_loops;
	uint32_t buffer; /* bytes of UDP receive buffer to ask for */
	bool freebind;   /* accept addresses that this machine does not have */
};

/*
 * sockets_open: open the sockets that W describes. *OUT becomes an array of n_loops times n pairs,
 * those of one loop side by side, to be freed by sockets_close; NULL when there are none. False if
 * any address cannot be opened: the reasons are logged as ABOUT says, and nothing is open.
 */
MUST_USE bool sockets_open(
    const struct sockets_wanted *w, enum log_category about, struct bind_sockets **out);

/*
 * sockets_probe: could A be opened for W? Its addresses are of no account, those that are held are.
 * Returns 0 or -errno.
 */
MUST_USE int sockets_probe(const struct sockets_wanted *w, const struct netaddr *a);

/* sockets_close: close the N pairs at SOCKETS and free the array. SOCKETS may be NULL. */
void sockets_close(struct bind_sockets *sockets, size_t n);

/*
 * sockets_drop_missing: if S listens on the default addresses (::1 and 127.0.0.1), remove from S
 * those that this machine does not have (such as ::1 where IPv6 is off), and log that. One address
 * always stays.
 */
void sockets_drop_missing(struct settings *s);

#endif
