/* SPDX-License-Identifier: BSD-2-Clause */
#include "daemon/reload.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/secret.h"
#include "config/complete.h"
#include "config/diag.h"
#include "config/keywords.h"
#include "config/load.h"
#include "config/loglevel.h"
#include "config/orders.h"
#include "daemon/conf_push.h"
#include "daemon/cookies.h"
#include "daemon/descriptors.h"
#include "daemon/sockets.h"
#include "nat64/prefixes.h"

struct addresses {
	const struct netaddr *a;
	size_t n;
};

/* Log those of LIST that are not in OTHER, with WHAT before and MORE behind each. */
static void
log_missing(
    const struct addresses *list, const struct addresses *other, const char *what, const char *more)
{
	char text[NETADDR_TEXT];

	for (size_t i = 0; i < list->n; i++)
		if (!netaddr_in_list(other->a, other->n, &list->a[i]))
			log_info(
			    LOG_CONFIG, "%s %s%s", what, netaddr_format(&list->a[i], text), more);
}

static void
log_addresses(const struct addresses *now, const struct addresses *next, const char *what)
{
	log_missing(next, now, what, "");
	log_missing(now, next, what, " no more");
}

void
reload_log(const struct settings *now, const struct settings *next)
{
	struct netaddr old[CONF_MAX_UPSTREAMS], new[CONF_MAX_UPSTREAMS];
	const struct addresses served = { now->conf.io.listens, now->conf.io.n_listens },
			       serves = { next->conf.io.listens, next->conf.io.n_listens },
			       asked = { old, conf_upstream_addrs(&now->conf.core, old) },
			       asks = { new, conf_upstream_addrs(&next->conf.core, new) };
	size_t n;
	const struct keyword *row = keywords(&n);

	log_addresses(&served, &serves, "listens on");
	log_addresses(&asked, &asks, "asks");
	for (size_t i = 0; i < n; i++)
		if (!row[i].restart && now->digests[i] != next->digests[i])
			log_info(LOG_CONFIG, "%s was changed", row[i].name);
}

unsigned
reload_keep(const struct settings *now, struct settings *next)
{
	size_t n_rows;
	const struct keyword *row = keywords(&n_rows);
	unsigned n = 0;

	for (size_t i = 0; i < n_rows; i++) {
		const unsigned char *old = (const unsigned char *)now + row[i].offset;
		unsigned char *new = (unsigned char *)next + row[i].offset;

		if (!row[i].restart || memcmp(old, new, row[i].size) == 0)
			continue;
		log_warn(LOG_CONFIG, "%s was changed, which takes effect only with a restart",
		    row[i].name);
		memcpy(new, old, row[i].size);
		origin_keep(&next->origin, &next->places, &now->origin, &now->places, &row[i]);
		n++;
	}
	return n;
}

bool
reload_settings(const struct options *o, const char *path, struct threads *t,
    struct listen_watch *a, struct settings *s)
{
	struct settings *next = malloc(sizeof(*next));
	struct conf_push p = { .n_added = 0 };
	struct listen_watch_plan plan;
	bool loaded = next != NULL && load_settings(o, path, s, diag_to_log, NULL, next);
	bool ok = loaded;

	if (ok) {
		sockets_drop_missing(next);
		(void)reload_keep(s, next);
		next->conf.core.cache = s->conf.core.cache;
		next->conf.core.logonce = s->conf.core.logonce;
		next->conf.core.health_table = s->conf.core.health_table;
		next->conf.core.rates = s->conf.core.rates;
		next->conf.core.prefix_index = s->conf.core.prefix_index;
		complete_cookies(next, s);
		next->policy_counters = s->policy_counters;
		ok = listen_watch_plan(a, &s->conf.io, next, LOG_CONFIG, &plan) &&
		    conf_push_pack(&p, t->n, &s->conf.io, next);
	}
	if (ok) {
		descriptors_raise(descriptors_needed(next, t->n));
		loglevel_change(s, next);
		reload_log(s, next);
		cookies_tell_undone(s, next);
		prefixes_tell_undone(s, next);
		orders_keep(next);
		conf_push_post(&p, t);
		listen_watch_use(a, &plan, LOG_CONFIG);
		settings_fini(s);
		*s = *next;
	} else if (loaded) {
		settings_fini(next);
	}
	if (next != NULL)
		secret_wipe(
		    next->conf.core.cookies.secrets, sizeof(next->conf.core.cookies.secrets));
	free(next);
	return ok;
}
