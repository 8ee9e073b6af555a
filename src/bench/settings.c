/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/settings.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/clock.h"
#include "dns/name.h"

static void
put_text(json_t *to, const char *key, const char *text)
{
	if (text != NULL)
		(void)json_object_set_new(to, key, json_string(text));
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

static void
put_flag(json_t *to, const char *key, bool v)
{
	(void)json_object_set_new(to, key, json_boolean(v));
}

static void
put_range(json_t *to, const char *key, const struct bench_range *r)
{
	(void)json_object_set_new(to, key,
	    json_sprintf(
		"%0*" PRIu64 "-%0*" PRIu64, (int)r->digits, r->first, (int)r->digits, r->last));
}

static void
put_network(json_t *to, const struct bench_load *l)
{
	unsigned bits = 32;

	while (bits > 0 && UINT64_C(1) << (32 - bits) < l->size)
		bits--;
	(void)json_object_set_new(to, "namespace",
	    json_sprintf("%u.%u.%u.%u/%u", l->base >> 24, l->base >> 16 & 255, l->base >> 8 & 255,
		l->base & 255, bits));
}

/* The names that are asked for, and the shares of them. */
static void
put_names(json_t *to, const struct bench_load *l)
{
	static const char *const shares[BENCH_KINDS] = {
		[BENCH_HIT] = "hits_percent",
		[BENCH_MISSING] = "missing_percent",
		[BENCH_ADDRESS] = "a_percent",
		[BENCH_REVERSE] = "reverse_percent",
	};
	char zone[NAME_TEXT], prefix[PREF64_TEXT];
	unsigned percent[BENCH_KINDS] = { 0 };

	put_text(to, "zone", name_to_text(l->zone.name, zone));
	put_network(to, l);
	put_text(to, "prefix", l->any_prefix ? "any" : pref64_format(&l->prefix, prefix));
	put_number(to, "aaaa_percent", l->zone.aaaa_percent);
	for (unsigned i = 0; i < 100; i++)
		percent[l->mix[i]]++;
	for (unsigned i = 0; i < BENCH_KINDS; i++)
		if (shares[i] != NULL)
			put_number(to, shares[i], percent[i]);
	put_number(to, "hot_names", l->hot);
}

/* The telephone numbers. */
static void
put_numbers(json_t *to, const struct bench_settings *s)
{
	put_range(to, "numbers", &s->plan.load.numbers);
	put_number(to, "missing_percent", s->missing_percent);
	if (s->missing_percent > 0)
		put_range(to, "missing_numbers", &s->plan.load.missing);
}

/* How it is asked. */
static void
put_plan(json_t *to, const struct bench_settings *s)
{
	const struct bench_plan *p = &s->plan;
	bool open = (s->method & (BENCH_CLOSED | BENCH_ENUM)) == 0;
	char server[NETADDR_TEXT];

	put_text(to, "server", netaddr_format(&p->server, server));
	put_text(to, "transport", p->transport->name);
	put_number(to, "threads", p->n_threads);
	if (open) {
		put_number(to, "sources", (uint64_t)p->n_lanes * p->n_threads);
		put_number(to, "burst", p->burst);
	}
	if (s->poisson) {
		put_text(to, "arrivals", "poisson");
		put_number(to, "seed", s->seed);
	}
	if (!open && p->window == 0)
		put_number(to, "window", 1);
	else if (bench_plan_window(p) > 0)
		put_number(to, "window", bench_plan_window(p));
	if (p->transport->carrier != NULL)
		put_number(to, "per_connection", p->per_connection);
	else
		put_flag(to, "singles", p->singles);
	put_flag(to, "spin", p->spin);
	put_real(to, "timeout_s", (double)p->timeout_ns / (double)NS_PER_SEC);
	put_number(to, "bufsize", p->load.bufsize);
	put_flag(to, "dnssec", p->load.dnssec_ok);
	put_number(to, "first", p->load.first);
}

/* The share of the questions of --hits that the most popular names have, in percent. */
static void
put_shares(json_t *to, const struct bench_zipf *z)
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
put_popularity(json_t *to, const struct bench_settings *s)
{
	char law[32];

	if (s->zipf <= 0)
		return;
	(void)snprintf(law, sizeof(law), "zipf:%g", s->zipf);
	(void)json_object_set_new(to, "popularity", json_string(law));
	if (s->plan.load.zipf != NULL)
		put_shares(to, s->plan.load.zipf);
}

/* Where the questions come from, and, once it was read, what it has. */
static void
put_replay(json_t *to, const struct bench_settings *s)
{
	const struct bench_replay *r = s->plan.load.replay;

	put_text(to, "replay", s->replay);
	if (s->plan.timing != NULL)
		put_real(to, "speed", s->speed);
	if (r == NULL)
		return;
	put_text(to, "replay_format", r->format);
	put_number(to, "replay_questions", r->n);
	put_number(to, "replay_left_out", r->n_left_out);
	put_number(to, "replay_clients", r->n_clients);
	if (r->timed)
		put_real(to, "replay_s", (double)r->span_ns / (double)NS_PER_SEC);
}

/* Where is asked from: "192.0.2.0/24 198.51.100.0/24", and how many addresses of these that are. */
static void
put_clients(json_t *to, const struct bench_settings *s)
{
	const struct bench_plan *p = &s->plan;
	uint64_t lanes = (uint64_t)p->n_threads * p->n_lanes;
	char text[BENCH_NETWORKS_MAX * BENCH_NETWORK_TEXT] = "", network[BENCH_NETWORK_TEXT];
	size_t len = 0;

	if (p->clients.n == 0)
		return;
	for (unsigned i = 0; i < p->clients.n; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s", i > 0 ? " " : "",
		    bench_clients_format(&p->clients.network[i], network));
	put_text(to, "clients_from", text);
	if (p->n_lanes > 0)
		put_number(to, "client_addresses", bench_clients_count(&p->clients, lanes));
}

static void
put_search(json_t *to, const struct bench_settings *s)
{
	char upstream[NETADDR_TEXT];

	put_number(to, "low", s->low);
	put_number(to, "high", s->high);
	put_real(to, "resolution_percent", s->resolution);
	put_text(to, "upstream",
	    s->upstream.family != NETADDR_NONE ? netaddr_format(&s->upstream, upstream) : "none");
	put_real(to, "delta", s->delta);
	put_text(to, "restart", s->restart != NULL ? s->restart : "none");
}

/* N numbers with commas between. */
static void
put_list(json_t *to, const char *key, const unsigned *list, size_t n)
{
	char text[BENCH_RATES_MAX * 11] = "";
	size_t len = 0;

	for (size_t i = 0; i < n; i++)
		len += (size_t)snprintf(
		    text + len, sizeof(text) - len, "%s%u", i > 0 ? "," : "", list[i]);
	put_text(to, key, text);
}

/* What is compared; it takes the place of what the plan has of it. */
static void
put_compared(json_t *to, const struct bench_settings *s)
{
	if (s->method == BENCH_MATRIX) {
		put_list(to, "hits_percent", s->hits.percent, s->hits.n);
		put_list(to, "aaaa_percent", s->aaaa.percent, s->aaaa.n);
		/* The searches of one cell are all before those of the next. */
		put_number(to, "repetitions", s->repetitions);
	}
	if (s->method == BENCH_SWEEP) {
		put_list(to, "rates", s->rates, s->n_rates);
		put_number(to, "seed", s->seed);
	}
}

/* All that the outcome of a trial depends on. */
static json_t *
of_trials(const struct bench_settings *s)
{
	json_t *to = json_object();

	put_plan(to, s);
	if (s->method == BENCH_ENUM)
		put_numbers(to, s);
	else if (s->replay != NULL)
		put_replay(to, s);
	else
		put_names(to, &s->plan.load);
	put_popularity(to, s);
	put_text(to, "mix", s->mix.text);
	put_clients(to, s);
	if (s->duration > 0)
		put_real(to, "duration_s", s->duration);
	if ((s->method & (BENCH_RATE | BENCH_SOAK)) != 0)
		put_number(to, "rate", s->plan.rate);
	if ((s->method & BENCH_SEARCHES) != 0)
		put_search(to, s);
	if (s->method == BENCH_RAMP)
		put_number(to, "high", s->high);
	if (s->method == BENCH_SWEEP)
		put_text(to, "restart", s->restart != NULL ? s->restart : "none");
	put_compared(to, s);
	return to;
}

json_t *
bench_settings_json(const struct bench_settings *s)
{
	json_t *to = of_trials(s);
	char upstream[NETADDR_TEXT];

	if (s->method == BENCH_RATE)
		put_number(to, "questions", s->plan.n_questions);
	if (s->method == BENCH_SOAK)
		put_real(to, "interval_s", s->interval);
	if (s->method == BENCH_SWEEP || (s->method & BENCH_SEARCHES) != 0)
		put_number(to, "repetitions", s->repetitions);
	if ((s->method & (BENCH_CLOSED | BENCH_ENUM)) != 0)
		put_list(to, "clients", s->clients, s->n_clients);
	if (s->method == BENCH_CLOSED && s->duration <= 0)
		put_number(to, "blocks", s->blocks);
	if (s->method != BENCH_SEARCH && s->upstream.family != NETADDR_NONE)
		put_text(to, "upstream", netaddr_format(&s->upstream, upstream));
	if (s->start_at_ns > 0)
		(void)json_object_set_new(to, "start_at",
		    json_sprintf("%.6f", (double)s->start_at_ns / (double)NS_PER_SEC));
	put_text(to, "server_name", s->server_name);
	put_text(to, "pid", s->pid);
	put_text(to, "pid_file", s->pid_file);
	put_text(to, "unit", s->unit);
	return to;
}

/* The methods that have state files. */
static const char *
program_of(enum bench_method m)
{
	return m == BENCH_MATRIX ? "dns64bench matrix"
	    : m == BENCH_SWEEP   ? "dns64bench sweep"
				 : "dns64bench search";
}

json_t *
bench_settings_identity(const struct bench_settings *s)
{
	json_t *to = of_trials(s);

	put_text(to, "program", program_of(s->method));
	put_number(to, "format", 2);
	return to;
}
