/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONFIG_OWNADDR_H
#define DNS64D_CONFIG_OWNADDR_H

/*
 * ownaddr: does an address belong to this machine or daemon? An upstream must not.
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"
#include "base/netaddr.h"

/*
 * ownaddr_find: the index of the one of N addresses at LISTENS that a packet to A would reach: the
 * same address and port, or a wildcard with A's port if A is a loopback address or that of an
 * interface here. -1 if there is none.
 */
MUST_USE int ownaddr_find(const struct netaddr *listens, size_t n, const struct netaddr *a);

#endif
