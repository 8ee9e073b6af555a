/* SPDX-License-Identifier: BSD-2-Clause */
#include "config/ownaddr.h"

#include <errno.h>

#include "config/hostaddr.h"

/* Is A a loopback address or that of an interface here? Its port is not read. */
static bool
is_local(const struct netaddr *a)
{
	struct array all = { .n = 0 };
	bool found = netaddr_is_loopback(a);

	/* A list that changes all the while is better than none. */
	int rc = found ? 0 : hostaddr_list(&all);
	if (rc != 0 && rc != -EAGAIN)
		all.n = 0;
	const struct hostaddr *h = all.items;
	for (size_t i = 0; i < all.n && !found; i++) {
		struct netaddr own = h[i].addr;

		own.port = a->port;
		found = netaddr_equal(&own, a);
	}
	array_fini(&all);
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
		    is_local(a))
			return (int)i;
	}
	return -1;
}
