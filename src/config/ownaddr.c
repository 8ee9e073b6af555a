/* SPDX-License-Identifier: BSD-2-Clause */
#include "config/ownaddr.h"

#include <ifaddrs.h>

bool
ownaddr_is_local(const struct netaddr *a)
{
	struct ifaddrs *all;
	bool found = netaddr_is_loopback(a);

	if (found || getifaddrs(&all) != 0)
		return found;
	for (struct ifaddrs *i = all; i != NULL && !found; i = i->ifa_next) {
		struct netaddr own;

		if (i->ifa_addr == NULL || !netaddr_from_sockaddr(i->ifa_addr, &own))
			continue;
		own.port = a->port;
		found = netaddr_equal(&own, a);
	}
	freeifaddrs(all);
	return found;
}

int
ownaddr_find(const struct netaddr *listens, size_t n, const struct netaddr *a)
{
	for (size_t i = 0; i < n; i++) {
		const struct netaddr *l = &listens[i];

		if (netaddr_equal(l, a))
			return (int)i;
		if (l->port == a->port && l->family == a->family && netaddr_is_wildcard(l) &&
		    ownaddr_is_local(a))
			return (int)i;
	}
	return -1;
}
