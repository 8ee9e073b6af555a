/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONFIG_ACCESS_H
#define DNS64D_CONFIG_ACCESS_H

/*
 * access: whom the blocks are for, and who may ask at all (RULES D13, D23).
 *
 * Both go into one map, in which the longest network of either kind that holds a client is found
 * with one search: each network's entry says what the longest of the other kind around it says.
 */

#include <ifaddrs.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"
#include "config/array.h"
#include "config/diag.h"
#include "config/settings.h"
#include "core/policy.h"

/*
 * access_fill: fill in clients and others of PS from the drafts of S. Networks of two blocks are
 * told to D, and who may ask if S listens beyond this machine and does not say. False without
 * memory.
 */
MUST_USE bool access_fill(struct policies *ps, const struct settings *s, struct diag *d);

/*
 * access_usual: append to OUT, of struct policy_lines_net, who may ask if nothing is said:
 * loopback, link-local, and the networks of those of the interfaces ALL (as from getifaddrs) that
 * have a private address, or one of LISTENS (n of them). False without memory.
 */
MUST_USE bool access_usual(
    const struct ifaddrs *all, const struct netaddr *listens, size_t n, struct array *out);

#endif
