/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONFIG_OWNADDR_H
#define DNS64D_CONFIG_OWNADDR_H

/*
 * ownaddr: would a question to an address come back to this daemon?
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"
#include "base/netaddr.h"

/* ownaddr_is_local: does this machine have the address, whatever the port, usable or not yet? */
MUST_USE bool ownaddr_is_local(const struct netaddr *a);

/*
 * ownaddr_find: the place in LISTENS (n of them, with ports) of the one that A reaches: the same
 * address and port, or a wildcard with A's port when A belongs to this machine. -1 if none does.
 */
MUST_USE int ownaddr_find(const struct netaddr *listens, size_t n, const struct netaddr *a);

#endif
