/* SPDX-License-Identifier: BSD-2-Clause */
#include "control/web.h"

#include "control/pages.h"

#define LIFE_S 10 /* of a connection: time for a page over a slow link */

#define GET EVHTTP_REQ_GET

static const struct http_route routes[] = {
	{ "/", GET, pages_page, "a page for people" },
	{ "/page.css", GET, pages_css, "its style" },
	{ "/page.js", GET, pages_js, "its script" },
	{ "/status.json", GET, pages_status, "what the page shows, as JSON" },
	{ "/metrics", GET, pages_metrics, "metrics for Prometheus" },
	{ "/health", GET, pages_health, "is the daemon up?" },
	{ "/ready", GET, pages_ready, "can it do its work?" },
};

bool
web_may_look(const struct settings *s, const struct netaddr *a)
{
	if (netaddr_is_loopback(a) || s->web_allow_any)
		return true;
	for (size_t i = 0; i < s->n_web_allow; i++) {
		if (s->web_allow[i].family == a->family && net_holds(&s->web_allow[i], a->addr))
			return true;
	}
	return false;
}

static bool
admit(const struct netaddr *peer, void *arg)
{
	const struct desk *d = arg;

	return peer->family != NETADDR_NONE && web_may_look(d->host.settings, peer);
}

struct http_service
web_service(struct desk *d)
{
	return (struct http_service){ .routes = routes,
		.n = sizeof(routes) / sizeof(routes[0]),
		.life_s = LIFE_S,
		.admit = admit,
		.arg = d };
}
