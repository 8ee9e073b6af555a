/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONFIG_ACCESS_H
#define DNS64D_CONFIG_ACCESS_H

/*
 * access: which clients a block is for, which may ask at all (RULES D13, D23), and which may ask as
 * often as they like. Of allow and deny lines that of the longest network decides about a client.
 *
 * The first two are in one map, so that one search by longest prefix match finds both: the value of
 * each network has also what the longest network around it says of the other.
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"
#include "config/array.h"
#include "config/diag.h"
#include "config/settings.h"
#include "policy/policy.h"

/*
 * access_fill: fill in clients, others and exempt of PS from the policy lines of S. A network that
 * stands in two blocks is an error to D; if S has no allow line and listens beyond this machine, D
 * is told who may ask; that is found out once for S. False without memory.
 */
MUST_USE bool access_fill(struct policies *ps, const struct settings *s, struct diag *d);

/*
 * access_warn_open: warn D if anybody on the Internet may ask by S, complete, without a rate-limit:
 * if it listens at all addresses or at one that is not private.
 */
void access_warn_open(const struct settings *s, struct diag *d);

/*
 * access_usual: append to OUT (struct policy_lines_net) who may ask without an allow line:
 * loopback, link-local, and the networks of the interfaces in ALL (struct hostaddr) that have a
 * private address or one of the N addresses at LISTENS. False without memory.
 */
MUST_USE bool access_usual(
    const struct array *all, const struct netaddr *listens, size_t n, struct array *out);

#endif
