/* SPDX-License-Identifier: BSD-2-Clause */
#include "daemon/difference.h"

#include "base/log.h"
#include "config/keywords.h"

struct addresses {
	const struct netaddr *a;
	size_t n;
};

/* Log those of LIST that are not in OTHER, with WHAT before and MORE behind each. */
static void
tell_missing(
    const struct addresses *list, const struct addresses *other, const char *what, const char *more)
{
	char text[NETADDR_TEXT];

	for (size_t i = 0; i < list->n; i++)
		if (!netaddr_in_list(other->a, other->n, &list->a[i]))
			log_info(
			    LOG_CONFIG, "%s %s%s", what, netaddr_format(&list->a[i], text), more);
}

static void
tell_addresses(const struct addresses *now, const struct addresses *next, const char *what)
{
	tell_missing(next, now, what, "");
	tell_missing(now, next, what, " no more");
}

void
difference_tell(const struct settings *now, const struct settings *next)
{
	struct netaddr old[CONF_MAX_UPSTREAMS], new[CONF_MAX_UPSTREAMS];
	const struct addresses served = { now->conf.io.listens, now->conf.io.n_listens },
			       serves = { next->conf.io.listens, next->conf.io.n_listens },
			       asked = { old, conf_upstream_addrs(&now->conf.core, old) },
			       asks = { new, conf_upstream_addrs(&next->conf.core, new) };
	size_t n;
	const struct keyword *row = keywords(&n);

	tell_addresses(&served, &serves, "listens on");
	tell_addresses(&asked, &asks, "asks");
	for (size_t i = 0; i < n; i++)
		if (!row[i].restart && now->digests[i] != next->digests[i])
			log_info(LOG_CONFIG, "%s was changed", row[i].name);
}
