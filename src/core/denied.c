/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/denied.h"

#include <string.h>

static struct net
network_of(const struct netaddr *a)
{
	bool v6 = a->family == NETADDR_IPV6;
	struct net net = { .family = a->family, .len = v6 ? 64 : 24 };

	memcpy(net.addr, a->addr, net.len / 8);
	return net;
}

bool
denied_note(struct denied *d, const struct netaddr *a, struct net *net)
{
	*net = network_of(a);
	if (d->n == DENIED_MAX)
		return false;
	for (unsigned i = 0; i < d->n; i++) {
		if (memcmp(&d->nets[i], net, sizeof(*net)) == 0)
			return false;
	}
	d->nets[d->n++] = *net;
	return true;
}
