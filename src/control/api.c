/* SPDX-License-Identifier: BSD-2-Clause */
#include "control/api.h"

#include "control/desk.h"
#include "control/pages.h"
#include "control/reply.h"

#define GET EVHTTP_REQ_GET
#define POST EVHTTP_REQ_POST

static void
ping(struct evhttp_request *r, void *arg)
{
	(void)arg;
	reply_json(r, HTTP_OK, json_pack("{s:b}", "pong", 1));
}

static const struct http_route routes[] = {
	{ "/ping", GET, ping, "does the daemon answer?" },
	{ "/metrics", GET, pages_metrics, "metrics for Prometheus" },
	{ "/health", GET, pages_health, "is the daemon up?" },
	{ "/ready", GET, pages_ready, "can it do its work?" },
};

const struct http_route *
api_routes(size_t *n)
{
	*n = sizeof(routes) / sizeof(routes[0]);
	return routes;
}
