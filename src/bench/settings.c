/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/settings.h"

#include "base/clock.h"
#include "dns/name.h"

/* --- What is asked, if that is more than the values of options -------------------------------- */

/* The share of the questions of --hits that the most popular names have, in percent. */
static void
put_shares(const struct bench_zipf *z, json_t *to)
{
	static const struct {
		uint32_t names;
		const char *key;
	} tops[] = { { 1, "top_1_percent" }, { 10, "top_10_percent" }, { 100, "top_100_percent" },
		{ 1000, "top_1000_percent" } };

	for (size_t i = 0; i < sizeof(tops) / sizeof(tops[0]) && tops[i].names < z->n; i++)
		(void)json_object_set_new(
		    to, tops[i].key, json_real(100 * bench_zipf_share(z, tops[i].names)));
}

static void
put_zipf(const struct bench_settings *s, json_t *to)
{
	char law[32];

	if (s->zipf <= 0)
		return;
	(void)snprintf(law, sizeof(law), "zipf:%g", s->zipf);
	(void)json_object_set_new(to, "popularity", json_string(law));
	if (s->plan.load.zipf != NULL)
		put_shares(s->plan.load.zipf, to);
}

void
bench_settings_workload(const struct bench_settings *s, json_t *to)
{
	put_zipf(s, to);
}

/* --- Which settings two runs must share ------------------------------------------------------- */

static void
put_text(json_t *to, const char *key, const char *text)
{
	(void)json_object_set_new(to, key, text != NULL ? json_string(text) : json_null());
}

static void
put_number(json_t *to, const char *key, uint64_t n)
{
	(void)json_object_set_new(to, key, json_integer((json_int_t)n));
}

static void
put_real(json_t *to, const char *key, double v)
{
	(void)json_object_set_new(to, key, json_real(v));
}

/* What is asked. */
static void
put_load(json_t *to, const struct bench_load *l)
{
	char zone[NAME_TEXT], prefix[PREF64_TEXT];
	unsigned hits = 0;

	for (unsigned i = 0; i < 100; i++)
		hits += l->mix[i] == BENCH_HIT;
	put_text(to, "zone", name_to_text(l->zone.name, zone));
	put_number(to, "namespace_first", l->base);
	put_number(to, "namespace_size", l->size);
	put_text(to, "prefix", l->any_prefix ? "any" : pref64_format(&l->prefix, prefix));
	put_number(to, "aaaa", l->zone.aaaa_percent);
	put_number(to, "hits", hits);
	put_number(to, "hot", l->hot);
	put_number(to, "bufsize", l->bufsize);
	(void)json_object_set_new(to, "dnssec", json_boolean(l->dnssec_ok));
}

/* How it is asked. */
static void
put_plan(json_t *to, const struct bench_plan *p)
{
	char server[NETADDR_TEXT];

	put_text(to, "server", netaddr_format(&p->server, server));
	put_text(to, "transport", p->transport->name);
	put_number(to, "threads", p->n_threads);
	put_number(to, "sources", p->n_lanes);
	put_number(to, "window", p->window);
	put_number(to, "per_connection", p->per_connection);
	put_number(to, "burst", p->burst);
	(void)json_object_set_new(to, "spin", json_boolean(p->spin));
	put_real(to, "timeout", (double)p->timeout_ns / (double)NS_PER_SEC);
}

json_t *
bench_settings_identity(const struct bench_settings *s)
{
	json_t *to = json_pack("{ss,si}", "program", "dns64bench search", "format", 1);
	char upstream[NETADDR_TEXT];

	if (to == NULL)
		return NULL;
	put_plan(to, &s->plan);
	put_load(to, &s->plan.load);
	bench_settings_workload(s, to);
	put_real(to, "duration", s->duration);
	put_number(to, "low", s->low);
	put_number(to, "high", s->high);
	put_real(to, "resolution", s->resolution);
	put_text(to, "upstream",
	    s->upstream.family == NETADDR_NONE ? NULL : netaddr_format(&s->upstream, upstream));
	put_real(to, "delta", s->delta);
	put_text(to, "restart", s->restart);
	return to;
}
