/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CORE_DENIED_H
#define DNS64D_CORE_DENIED_H

/*
 * denied: which networks this loop has refused; base/told sees to it that one loop only tells of
 * each (RULES D23).
 */

#include <stdbool.h>

#include "base/attr.h"
#include "base/netaddr.h"
#include "base/netmap.h"

#define DENIED_MAX 64 /* networks remembered; those behind are not told any more */

struct denied {
	unsigned n;
	struct net nets[DENIED_MAX];
};

/*
 * denied_note: a client at A was refused. True, with *net its network (an IPv4 /24, an IPv6 /64),
 * when that was not noted before and there is room.
 */
MUST_USE bool denied_note(struct denied *d, const struct netaddr *a, struct net *net);

#endif
