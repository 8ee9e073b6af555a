/* SPDX-License-Identifier: BSD-2-Clause */
#include "control/api.h"

#include <assert.h>
#include <string.h>
#include <time.h>

#include "base/log.h"
#include "control/api_cache.h"
#include "control/api_clients.h"
#include "control/api_config.h"
#include "control/api_cookie.h"
#include "control/api_explain.h"
#include "control/api_log.h"
#include "control/api_orders.h"
#include "control/api_prefixes.h"
#include "control/api_queries.h"
#include "control/api_stats.h"
#include "control/commands.h"
#include "control/control_ctx.h"
#include "control/pages.h"
#include "control/params.h"
#include "control/reply.h"

#define GET EVHTTP_REQ_GET
#define POST EVHTTP_REQ_POST

static void
api_ping(struct evhttp_request *r, void *arg)
{
	(void)arg;
	reply_json(r, HTTP_OK, json_pack("{s:b}", "pong", 1));
}

static void
api_reload(struct evhttp_request *r, void *arg)
{
	struct control_ctx *d = arg;

	if (!params_none(r))
		return;
	reloads_wait(&d->reloads, r);
	d->host.ops->reload(d->host.arg);
}

static void
api_stop(struct evhttp_request *r, void *arg)
{
	const struct control_ctx *d = arg;

	if (!params_none(r))
		return;
	d->host.ops->stop(d->host.arg);
	reply_json(r, HTTP_OK,
	    json_pack("{s:b, s:o*}", "stopping", 1, "stops", api_stats_moment(d->host.stops)));
}

/* The place of TEXT, which may be NULL, among WORDS, ended by NULL; if it is none, that of the end.
 */
static unsigned
find_word(const char *const *words, const char *text)
{
	unsigned i = 0;

	while (words[i] != NULL && (text == NULL || strcmp(words[i], text) != 0))
		i++;
	return i;
}

static void
api_log_reopen(struct evhttp_request *r, void *arg)
{
	const struct control_ctx *d = arg;
	struct log_capture lines;

	if (!params_none(r))
		return;
	log_capture_begin(&lines);
	log_capture_answer(&lines, r, d->host.ops->reopen(d->host.arg),
	    "not all of the log could be opened again");
}

/*
 * Be a lame duck (ON), or no more. Until a restart: who reloads does not mean to end it. False: it
 * is to stop, and stays one.
 */
static bool
set_lameduck(struct control_ctx *d, bool on)
{
	if (!d->host.ops->lameduck(d->host.arg, on))
		return false;
	if (on != (d->host.lameduck != 0))
		log_notice(LOG_CONTROL, "lameduck %s%s", on ? "on" : "off",
		    on ? ": /ready says no, questions are answered as before" : "");
	if (!on)
		d->host.lameduck = 0;
	else if (d->host.lameduck == 0)
		d->host.lameduck = time(NULL);
	control_ctx_judge(d);
	return true;
}

static void
api_lameduck(struct evhttp_request *r, void *arg)
{
	static const char *const words[] = { "on", "off", NULL };
	bool posted = params_posted(r);
	json_t *p = params_read(r);
	struct control_ctx *d = arg;
	unsigned i = 2;

	if (p == NULL)
		return;
	if (posted)
		i = find_word(words, params_text(p, "state"));
	json_decref(p);
	if (posted && words[i] == NULL) {
		reply_error(r, HTTP_BADREQUEST, "state is not on or off", words);
		return;
	}
	if (posted && !set_lameduck(d, i == 0)) {
		reply_error(r, HTTP_SERVUNAVAIL, "the daemon is to stop", NULL);
		return;
	}
	reply_json(r, HTTP_OK,
	    json_pack("{s:o*, s:o*}", "lameduck", api_stats_moment(d->host.lameduck), "stops",
		api_stats_moment(d->host.stops)));
}

static http_handler help;

/* What no command asks for. */
static const struct http_route own[] = {
	{ "/", GET, help, "these paths" },
	{ "/metrics", GET, pages_metrics, "metrics for Prometheus" },
	{ "/health", GET, pages_health, "is the daemon up?" },
	{ "/ready", GET, pages_ready, "can it do its work?" },
};

/* Who answers each command, in the order of the table. */
static http_handler *const handlers[] = {
#define API_HANDLER(handle, show, ...) handle,
	COMMANDS_TABLE(API_HANDLER)
#undef API_HANDLER
};

_Static_assert(
    sizeof(own) / sizeof(own[0]) + sizeof(handlers) / sizeof(handlers[0]) <= HTTP_ROUTES_MAX,
    "all paths have room");
_Static_assert(COMMANDS_GET == GET && COMMANDS_POST == POST, "they are libevent's");

/* The one of the N routes at ALL that has PATH; NULL: none. */
static struct http_route *
find_route(struct http_route *all, size_t n, const char *path)
{
	for (size_t i = 0; i < n; i++) {
		if (strcmp(all[i].path, path) == 0)
			return &all[i];
	}
	return NULL;
}

size_t
api_routes(struct http_route out[static HTTP_ROUTES_MAX])
{
	size_t n = sizeof(own) / sizeof(own[0]), n_commands;
	const struct command *c = commands(&n_commands);

	memcpy(out, own, sizeof(own));
	for (size_t i = 0; i < n_commands; i++) {
		struct http_route *r;

		if (c[i].path == NULL)
			continue;
		r = find_route(out, n, c[i].path);
		if (r == NULL) {
			r = &out[n++];
			*r = (struct http_route){ .path = c[i].path,
				.handle = handlers[i],
				.help = commands_path_help(&c[i]) };
		}
		assert(r->handle == handlers[i]);
		r->methods |= c[i].methods;
	}
	return n;
}

static void
help(struct evhttp_request *r, void *arg)
{
	struct http_route routes[HTTP_ROUTES_MAX];
	size_t n = api_routes(routes);
	json_t *list = json_array();

	(void)arg;
	for (size_t i = 0; i < n; i++)
		(void)json_array_append_new(list,
		    json_pack("{s:s, s:s, s:s}", "path", routes[i].path, "method",
			routes[i].methods == GET        ? "GET"
			    : routes[i].methods == POST ? "POST"
							: "GET, POST",
			"help", routes[i].help));
	reply_json(r, HTTP_OK, json_pack("{s:o*}", "paths", list));
}
