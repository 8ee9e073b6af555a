/* SPDX-License-Identifier: BSD-2-Clause */
#include "control/api_stats.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "config/orders.h"
#include "control/api_orders.h"
#include "control/api_prefixes.h"
#include "control/control_ctx.h"
#include "control/reply.h"
#include "figures/facts.h"
#include "figures/figures.h"

/* --- Counters --------------------------------------------------------------------------------- */

/* Put into J the figure G of OF; and its parts, if there are several, by their label. */
static void
add_figure(json_t *j, const struct figure *g, const void *of)
{
	char by[64];
	json_t *parts;

	(void)json_object_set_new(j, g->key, json_integer((json_int_t)figure_sum(g, of)));
	if (g->label == NULL)
		return;
	parts = json_object();
	for (size_t i = 0; i < g->n_parts; i++)
		(void)json_object_set_new(
		    parts, g->parts[i], json_integer((json_int_t)figure_part(g, of, i)));
	(void)snprintf(by, sizeof(by), "%s_by_%s", g->key, g->label);
	(void)json_object_set_new(j, by, parts);
}

/* Put into J the figures of SOURCE, of OF, that say where their value is. */
static void
add_figures(json_t *j, enum figure_source source, const void *of)
{
	for (const struct figure *g = NULL; (g = figures_next(g, source)) != NULL;) {
		if (g->value != NULL || g->n_places > 0)
			add_figure(j, g, of);
	}
}

json_t *
api_stats_cache(struct cache *c)
{
	struct figures_cache of;
	json_t *j;

	if (c == NULL)
		return json_null();
	of = figures_of_cache(c);
	j = json_object();
	add_figures(j, FIGURE_OF_CACHE, &of);
	return j;
}

void
api_stats_counters(json_t *counters, json_t *help, const struct stats_row rows[static STATS_N])
{
	const enum figure_source source = FIGURE_OF_COUNTER;

	add_figures(counters, source, rows);
	for (const struct figure *g = NULL; help != NULL && (g = figures_next(g, source)) != NULL;)
		(void)json_object_set_new(help, g->key, json_string(g->metric.help));
}

void
api_stats(struct evhttp_request *r, void *arg)
{
	const struct control_ctx *d = arg;
	json_t *counters = json_object(), *help = json_object();
	struct stats_row rows[STATS_N];

	facts_rows(&d->host, rows);
	api_stats_counters(counters, help, rows);
	(void)json_object_set_new(help, figures[FIGURES_IN_FLIGHT].key,
	    json_string(figures[FIGURES_IN_FLIGHT].metric.help));
	reply_json(r, HTTP_OK,
	    json_pack("{s:f, s:I, s:o*, s:o*, s:o*}", figures[FIGURES_TIME].key,
		(double)clock_now_ns() / (double)NS_PER_SEC, figures[FIGURES_IN_FLIGHT].key,
		(json_int_t)stats_in_flight(rows), "counters", counters, "cache",
		api_stats_cache(d->host.settings->conf.core.cache), "help", help));
}

/* --- Upstreams -------------------------------------------------------------------------------- */

/* The seconds from THEN_NS to NOW_NS; null if THEN_NS is 0, for never. */
static json_t *
seconds(uint64_t then_ns, uint64_t now_ns)
{
	if (then_ns == 0)
		return json_null();
	/* A loop's clock may have been read a little later. */
	return json_real(then_ns < now_ns ? (double)(now_ns - then_ns) / (double)NS_PER_SEC : 0);
}

static json_t *
rtt_json(const struct upstream_status_rtt *rtt)
{
	if (rtt->weight == 0)
		return json_null();
	return json_pack("{s:f, s:f}", figures[FIGURES_RTT].key,
	    (double)rtt->srtt_ns / (double)NS_PER_MS, figures[FIGURES_RTT_DEVIATION].key,
	    (double)rtt->var_ns / (double)NS_PER_MS);
}

/* Put into J the round trips of V by transport: the primary one's, if both are the same. */
static void
add_rtts(json_t *j, const struct upstream_status *v)
{
	for (unsigned over = 0; over < UPSTREAM_OVERS; over++) {
		const char *key = transport_traits[v->rtt[over].transport].name;

		if (json_object_get(j, key) == NULL)
			(void)json_object_set_new(j, key, rtt_json(&v->rtt[over]));
	}
}

/* A guard that is in STATE, if it is not off, and when it went off else. */
static json_t *
guard_json(const struct upstream_status *v, enum upstream_status_guard g, const char *state,
    uint64_t now_ns)
{
	uint64_t off_ns = upstream_status_off_ns(v, g, now_ns);
	const char *off_s = figures[FIGURES_GUARD_OFF].key;

	if (off_ns == 0)
		return json_pack("{s:s, s:n}", "state", state, off_s);
	return json_pack("{s:s, s:f, s:f}", "state", "off", off_s,
	    (double)off_ns / (double)NS_PER_SEC, figures[FIGURES_GUARD_LEFT].key,
	    (double)(v->off_until_ns[g] - now_ns) / (double)NS_PER_SEC);
}

static json_t *
guards_json(const struct upstream_status *v, const struct conf_core *c, uint64_t now_ns)
{
	static const char on[] = "on", none[] = "not configured";
	const char *cookie = v->has_cookie ? on : "not offered";

	return json_pack("{s:o*, s:o*, s:o*, s:o*}", "0x20",
	    guard_json(v, UPSTREAM_STATUS_CASE, c->case_randomization ? on : none, now_ns),
	    "cookie",
	    guard_json(v, UPSTREAM_STATUS_COOKIE, c->cookies.upstream ? cookie : none, now_ns),
	    "edns", guard_json(v, UPSTREAM_STATUS_EDNS, on, now_ns), "udp_ids",
	    guard_json(v, UPSTREAM_STATUS_IDS, on, now_ns));
}

/* What does not get through: the number of loops that have learned so, by what it is. */
static json_t *
learned_json(const struct upstream_status *v)
{
	json_t *j = json_object();

	for (unsigned i = 0; j != NULL && i < UPSTREAM_STATUS_LEARNED; i++) {
		if (v->n_learned[i] > 0)
			(void)json_object_set_new(j,
			    upstream_status_learned_text((enum upstream_status_learned)i),
			    json_integer((json_int_t)v->n_learned[i]));
	}
	return j;
}

/* What the operator has ordered about the upstream of V; null: nothing. */
static json_t *
order_json(const struct upstream_status *v, const struct settings *s)
{
	const struct orders_upstream *u = orders_upstream(s->orders, &v->addr);

	if (v->ordered == CONF_UP)
		return json_null();
	return json_pack("{s:s, s:o}", "state", orders_state_word(v->ordered), "since",
	    u == NULL ? json_null() : json_integer((json_int_t)u->since));
}

static json_t *
upstream_json(
    const struct upstream_status *v, const struct settings *s, double share, uint64_t now_ns)
{
	const struct conf_core *c = &s->conf.core;
	char text[NETADDR_TEXT];
	json_t *j = json_pack("{s:s, s:s, s:o*, s:o*}", "address", netaddr_format(&v->addr, text),
	    "state", upstream_status_state_text(v->state), figures[FIGURES_SINCE].key,
	    seconds(v->since_ns, now_ns), figures[FIGURES_LAST_REPLY].key,
	    seconds(v->heard_ns, now_ns));

	if (j == NULL)
		return NULL;
	add_rtts(j, v);
	(void)json_object_set_new(j, "by_operator", order_json(v, s));
	(void)json_object_set_new(j, figures[FIGURES_SHARE].key, json_real(share));
	(void)json_object_set_new(j, "guards", guards_json(v, c, now_ns));
	(void)json_object_set_new(j, "not_through", learned_json(v));
	add_figures(j, FIGURE_OF_UPSTREAM, v);
	add_figures(j, FIGURE_AT_PRESENT, v);
	return j;
}

json_t *
api_stats_upstreams(const struct host_upstreams *v, const struct settings *s)
{
	uint64_t now_ns = clock_now_ns();
	json_t *list = json_array();

	for (size_t i = 0; i < v->n; i++)
		(void)json_array_append_new(list,
		    upstream_json(
			&v->at[i], s, upstream_status_share(&v->at[i], v->at, v->n), now_ns));
	return list;
}

static void
answer_upstreams(struct evhttp_request *r, void *arg, const struct host_upstreams *v)
{
	const struct control_ctx *d = arg;

	reply_json(r, HTTP_OK,
	    json_pack("{s:o*, s:I}", "upstreams", api_stats_upstreams(v, d->host.settings),
		figures[FIGURES_LOOPS_SILENT].key, (json_int_t)v->n_missing));
}

void
api_upstreams(struct evhttp_request *r, void *arg)
{
	struct control_ctx *d = arg;

	ask_begin(&d->ask, r, answer_upstreams);
}

/* --- Status ----------------------------------------------------------------------------------- */

void
api_stats_listens(const struct facts *f, json_t *j)
{
	json_t *served = json_array(), *waiting = json_array();
	char text[NETADDR_TEXT];

	for (size_t i = 0; i < f->n_served; i++)
		(void)json_array_append_new(
		    served, json_string(netaddr_format(&f->served[i], text)));
	for (size_t i = 0; i < f->waits->n; i++)
		(void)json_array_append_new(waiting,
		    json_pack("{s:s, s:s}", "listen", f->waits->w[i].what, "why",
			listens_why_text(&f->waits->w[i])));
	(void)json_object_set_new(j, "listening", served);
	(void)json_object_set_new(j, "waiting", waiting);
}

/* The prefixes of P, in configured order (RULES D15). */
json_t *
api_stats_prefixes(const struct settings *s, size_t number, const struct policy *p)
{
	json_t *list = json_array();
	char text[PREF64_TEXT];

	for (size_t i = 0; i < p->synth.n_prefixes; i++) {
		json_t *j = json_pack("{s:s, s:b}", "prefix",
		    pref64_format(&p->synth.prefixes[i], text), "map_only", p->mapped_only[i]);

		api_prefixes_add_state(j, s, number, p, i);
		(void)json_array_append_new(list, j);
	}
	return list;
}

void
api_stats_verdict(const struct facts *f, json_t *j)
{
	const struct verdict v = facts_verdict(f);

	(void)json_object_set_new(j, "verdict", json_string(verdict_word(v.state)));
	(void)json_object_set_new(
	    j, "reason", v.reason[0] == '\0' ? json_null() : json_string(v.reason));
}

json_t *
api_stats_moment(time_t t)
{
	return t == 0 ? json_null() : json_integer((json_int_t)t);
}

static json_t *
process_json(const struct host *host)
{
	time_t now = time(NULL);

	return json_pack("{s:s, s:I, s:I, s:I, s:o, s:I}", "version", PACKAGE_VERSION, "pid",
	    (json_int_t)getpid(), figures[FIGURES_STARTED].key, (json_int_t)host->started,
	    figures[FIGURES_UPTIME].key,
	    (json_int_t)(now > host->started ? now - host->started : 0), "configuration",
	    reply_text(host->path), figures[FIGURES_LOOPS].key, (json_int_t)host->n_loops);
}

static void
answer_status(struct evhttp_request *r, void *arg, const struct host_upstreams *v)
{
	const struct control_ctx *d = arg;
	const struct settings *s = d->host.settings;
	const struct conf *c = &s->conf;
	struct facts *f = facts_new(&d->host, v);
	json_t *j = f == NULL ? NULL : process_json(&d->host);

	if (j == NULL) {
		free(f);
		reply_json(r, HTTP_INTERNAL, NULL);
		return;
	}
	api_stats_verdict(f, j);
	(void)json_object_set_new(j, "lameduck", api_stats_moment(f->lameduck));
	(void)json_object_set_new(j, "stops", api_stats_moment(f->stops));
	(void)json_object_set_new(j, figures[FIGURES_LOOPS_SILENT].key, json_integer(v->n_missing));
	api_stats_listens(f, j);
	(void)json_object_set_new(j, "upstreams", api_stats_upstreams(v, s));
	(void)json_object_set_new(j, "denied", api_orders_denials(s));
	(void)json_object_set_new(
	    j, "prefixes", api_stats_prefixes(d->host.settings, 0, &c->core.policies->table[0]));
	(void)json_object_set_new(j, figures[FIGURES_CLIENT_BLOCKS].key,
	    json_integer((json_int_t)c->core.policies->n - 1));
	(void)json_object_set_new(j, "cache", api_stats_cache(c->core.cache));
	(void)json_object_set_new(
	    j, figures[FIGURES_IN_FLIGHT].key, json_integer((json_int_t)stats_in_flight(f->rows)));
	(void)json_object_set_new(
	    j, "reload", d->reloads.last == NULL ? json_null() : json_incref(d->reloads.last));
	free(f);
	reply_json(r, HTTP_OK, j);
}

void
api_status(struct evhttp_request *r, void *arg)
{
	struct control_ctx *d = arg;

	ask_begin(&d->ask, r, answer_status);
}
