/* SPDX-License-Identifier: BSD-2-Clause */
#include "control/web.h"

#include <limits.h>
#include <unistd.h>

#include "control/pages.h"
#include "dns/name.h"

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
	const struct control_ctx *d = arg;

	return peer->family != NETADDR_NONE && web_may_look(d->host.settings, peer);
}

bool
web_is_known(const struct settings *s, const char *host)
{
	char machine[HOST_NAME_MAX + 1] = "";
	uint8_t name[DNS_NAME_MAX], own[DNS_NAME_MAX];
	struct netaddr a;

	/* Brackets enclose addresses only (RFC 3986 section 3.2.2). */
	if (host[0] == '[' || netaddr_parse(host, 0, &a))
		return true;
	if (name_from_text(host, name) == 0)
		return false;
	if (name_from_text("localhost", own) != 0 && name_equal(name, own))
		return true;
	if (gethostname(machine, sizeof(machine) - 1) == 0 && name_from_text(machine, own) != 0 &&
	    name_equal(name, own))
		return true;
	for (size_t i = 0; i < s->n_web_names; i++) {
		if (name_equal(name, s->web_names[i]))
			return true;
	}
	return false;
}

static bool
known(const char *host, void *arg)
{
	const struct control_ctx *d = arg;

	return web_is_known(d->host.settings, host);
}

struct http_service
web_service(struct control_ctx *d)
{
	return (struct http_service){ .routes = routes,
		.n = sizeof(routes) / sizeof(routes[0]),
		.life_s = LIFE_S,
		.admit = admit,
		.known = known,
		.arg = d };
}
