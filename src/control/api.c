/* SPDX-License-Identifier: BSD-2-Clause */
#include "control/api.h"

#include <string.h>
#include <time.h>

#include "base/log.h"
#include "control/api_cache.h"
#include "control/api_clients.h"
#include "control/api_config.h"
#include "control/api_cookie.h"
#include "control/api_explain.h"
#include "control/api_inflight.h"
#include "control/api_log.h"
#include "control/api_orders.h"
#include "control/api_prefixes.h"
#include "control/api_stats.h"
#include "control/api_top.h"
#include "control/control_ctx.h"
#include "control/pages.h"
#include "control/params.h"
#include "control/reply.h"

#define GET EVHTTP_REQ_GET
#define POST EVHTTP_REQ_POST

static void
ping(struct evhttp_request *r, void *arg)
{
	(void)arg;
	reply_json(r, HTTP_OK, json_pack("{s:b}", "pong", 1));
}

static void
reload(struct evhttp_request *r, void *arg)
{
	struct control_ctx *d = arg;

	if (!params_none(r))
		return;
	reloads_wait(&d->reloads, r);
	d->host.ops->reload(d->host.arg);
}

static void
stop(struct evhttp_request *r, void *arg)
{
	const struct control_ctx *d = arg;

	if (!params_none(r))
		return;
	reply_json(r, HTTP_OK, json_pack("{s:b}", "stopping", 1));
	d->host.ops->stop(d->host.arg);
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
reopen(struct evhttp_request *r, void *arg)
{
	const struct control_ctx *d = arg;
	struct log_capture lines;

	if (!params_none(r))
		return;
	log_capture_begin(&lines);
	log_capture_answer(&lines, r, d->host.ops->reopen(d->host.arg),
	    "not all of the log could be opened again");
}

/* Be a lame duck (ON), or no more. Until a restart: who reloads does not mean to end it. */
static void
set_lameduck(struct control_ctx *d, bool on)
{
	if (on != (d->host.lameduck != 0))
		log_notice(LOG_CONTROL, "lameduck %s%s", on ? "on" : "off",
		    on ? ": /ready says no, questions are answered as before" : "");
	if (!on)
		d->host.lameduck = 0;
	else if (d->host.lameduck == 0)
		d->host.lameduck = time(NULL);
	d->host.ops->lameduck(d->host.arg, on);
	control_ctx_judge(d);
}

static void
lameduck(struct evhttp_request *r, void *arg)
{
	static const char *const keys[] = { "state", NULL };
	static const char *const words[] = { "on", "off", NULL };
	static const char *const none[] = { NULL };
	bool posted = evhttp_request_get_command(r) == EVHTTP_REQ_POST;
	json_t *p = params_read(r, posted ? keys : none);
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
	if (posted)
		set_lameduck(d, i == 0);
	reply_json(
	    r, HTTP_OK, json_pack("{s:o*}", "lameduck", api_stats_lameduck(d->host.lameduck)));
}

static http_handler help;

static const struct http_route routes[] = {
	{ "/", GET, help, "these paths" },
	{ "/ping", GET, ping, "does the daemon answer?" },
	{ "/metrics", GET, pages_metrics, "metrics for Prometheus" },
	{ "/health", GET, pages_health, "is the daemon up?" },
	{ "/ready", GET, pages_ready, "can it do its work?" },
	{ "/status", GET, api_status, "what runs, since when, and how it is" },
	{ "/stats", GET, api_stats, "the counters" },
	{ "/clients", GET, api_clients, "policies of clients, and how often each was used" },
	{ "/upstreams", GET, api_upstreams, "what is known of each upstream" },
	{ "/inflight", GET, api_inflight,
	    "the questions that wait for upstream, the oldest first" },
	{ "/top/clients", GET, api_top_clients,
	    "who got most answers, ?lines= of them; counted while it is asked for" },
	{ "/top/names", GET, api_top_names, "the names asked for most; likewise" },
	{ "/top/failures", GET, api_top_failures, "the names that failed most; likewise" },
	{ "/upstream", POST, api_upstream,
	    "ask the upstream {address} as usual, or no more: {state} up, drain or down" },
	{ "/deny", GET | POST, api_deny,
	    "the networks that are denied so; or deny {network}, without an answer if {drop} is "
	    "yes, "
	    "{for} seconds" },
	{ "/undeny", POST, api_undeny, "deny {network} no more" },
	{ "/querylog", GET | POST, api_querylog,
	    "what the query log has; or {state} config, or on, off or failures, {for} seconds" },
	{ "/prefixes", GET, api_prefixes,
	    "prefixes, where they come from, how much they are used" },
	{ "/prefix/add", POST, api_prefix_add,
	    "synthesize under {prefix} too; {client}: for its block; {persist} yes: save it" },
	{ "/prefix/del", POST, api_prefix_del,
	    "take {prefix} away; {client} and {persist} as with /prefix/add" },
	{ "/prefix/active", POST, api_prefix_active, "synthesize under {prefix} again; likewise" },
	{ "/prefix/drain", POST, api_prefix_drain, "synthesize under {prefix} no more; likewise" },
	{ "/prefix/down", POST, api_prefix_down, "the same, as it is out of order; likewise" },
	{ "/config", GET, api_config, "what is in force, and where it stands" },
	{ "/explain", GET, api_explain,
	    "what a client gets for ?name=, and why; with &type=, &client=, &ask=0, &tcp=1, &do=1, "
	    "&cd=1" },
	{ "/reload", POST, reload, "read the configuration again; answers with all it said" },
	{ "/stop", POST, stop, "finish what is in flight, and end" },
	{ "/lameduck", GET | POST, lameduck,
	    "serve on, but ask not to be asked: {state} on or off" },
	{ "/cookie-secret", GET, api_cookie, "secrets of cookies for clients, by fingerprint" },
	{ "/cookie-secret/add", POST, api_cookie_add, "take cookies of {secret} too" },
	{ "/cookie-secret/activate", POST, api_cookie_activate,
	    "make cookies with the other secret" },
	{ "/cookie-secret/drop", POST, api_cookie_drop,
	    "take no more cookies of the secret that is not active" },
	{ "/cache", GET, api_cache_stats, "what the cache has and counts" },
	{ "/cache/lookup", GET, api_cache_lookup,
	    "the entries of ?name=, with &type= those of that type" },
	{ "/cache/save", POST, api_cache_save, "write cache-file" },
	{ "/flush/all", POST, api_flush_all, "empty the cache" },
	{ "/flush/name", POST, api_flush_name, "remove the entries of {name}" },
	{ "/flush/below", POST, api_flush_below, "remove those of {name} and of all names below" },
	{ "/flush/type", POST, api_flush_type, "remove those of {name} and {type}" },
	{ "/log/level", GET | POST, api_log_level,
	    "the levels of the log; or until a reload log {level} and what is more important, of "
	    "{category} only if that is given" },
	{ "/log/reopen", POST, reopen, "open the log and the query log again" },
};

static void
help(struct evhttp_request *r, void *arg)
{
	json_t *list = json_array();

	(void)arg;
	for (size_t i = 0; i < sizeof(routes) / sizeof(routes[0]); i++)
		(void)json_array_append_new(list,
		    json_pack("{s:s, s:s, s:s}", "path", routes[i].path, "method",
			routes[i].methods == GET        ? "GET"
			    : routes[i].methods == POST ? "POST"
							: "GET, POST",
			"help", routes[i].help));
	reply_json(r, HTTP_OK, json_pack("{s:o*}", "paths", list));
}

const struct http_route *
api_routes(size_t *n)
{
	*n = sizeof(routes) / sizeof(routes[0]);
	return routes;
}

bool
api_is_page(const struct http_route *r)
{
	return r->handle == pages_metrics || r->handle == pages_health || r->handle == pages_ready;
}
