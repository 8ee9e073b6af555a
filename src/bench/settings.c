/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/settings.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/clock.h"
#include "dns/name.h"

#define TRIALS (BENCH_SWEEP | BENCH_SEARCHES)

/* Without a value, as that of a text that is not given, the key is left out. */
static void
put(json_t *to, const char *key, json_t *value)
{
	(void)json_object_set_new(to, key, value);
}

static json_t *
number(uint64_t n)
{
	return json_integer((json_int_t)n);
}

static json_t *
range(const struct bench_range *r)
{
	return json_sprintf(
	    "%0*" PRIu64 "-%0*" PRIu64, (int)r->digits, r->first, (int)r->digits, r->last);
}

static json_t *
address(const struct netaddr *a)
{
	char text[NETADDR_TEXT];

	return a->family != NETADDR_NONE ? json_string(netaddr_format(a, text)) : NULL;
}

/* N numbers with commas between. */
static json_t *
list(const unsigned *numbers, size_t n)
{
	char text[BENCH_RATES_MAX * 11] = "";
	size_t len = 0;

	for (size_t i = 0; i < n; i++)
		len += (size_t)snprintf(
		    text + len, sizeof(text) - len, "%s%u", i > 0 ? "," : "", numbers[i]);
	return json_string(text);
}

/* How it is asked. */
static void
put_plan(json_t *to, const struct bench_settings *s)
{
	const struct bench_plan *p = &s->plan;
	bool open = (s->method & (BENCH_CLOSED | BENCH_ENUM)) == 0;
	unsigned window = !open && p->window == 0 ? 1 : bench_plan_window(p);

	put(to, "server", address(&p->server));
	put(to, "transport", json_string(p->transport->name));
	put(to, "threads", number(p->n_threads));
	put(to, "sources", open ? number((uint64_t)p->n_lanes * p->n_threads) : NULL);
	put(to, "burst", open ? number(p->burst) : NULL);
	put(to, "arrivals", s->poisson ? json_string("poisson") : NULL);
	put(to, "seed", s->poisson ? number(s->seed) : NULL);
	put(to, "window", window > 0 ? number(window) : NULL);
	if (p->transport->stream)
		put(to, "per_connection", number(p->per_connection));
	else
		put(to, "singles", json_boolean(p->singles));
	put(to, "spin", json_boolean(p->spin));
	put(to, "timeout_s", json_real((double)p->timeout_ns / (double)NS_PER_SEC));
	put(to, "bufsize", number(p->load.bufsize));
	put(to, "dnssec", json_boolean(p->load.dnssec_ok));
	put(to, "first", number(p->load.first));
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
	unsigned percent[BENCH_KINDS] = { 0 }, bits = 32;

	while (bits > 0 && UINT64_C(1) << (32 - bits) < l->size)
		bits--;
	put(to, "zone", json_string(name_to_text(l->zone.name, zone)));
	put(to, "namespace",
	    json_sprintf("%u.%u.%u.%u/%u", l->base >> 24, l->base >> 16 & 255, l->base >> 8 & 255,
		l->base & 255, bits));
	put(to, "prefix", json_string(l->any_prefix ? "any" : pref64_format(&l->prefix, prefix)));
	put(to, "aaaa_percent", number(l->zone.aaaa_percent));
	for (unsigned i = 0; i < 100; i++)
		percent[l->mix[i]]++;
	for (unsigned i = 0; i < BENCH_KINDS; i++)
		if (shares[i] != NULL)
			put(to, shares[i], number(percent[i]));
	put(to, "hot_names", number(l->hot));
}

/* Where the questions come from, and, once it was read, what it has. */
static void
put_replay(json_t *to, const struct bench_settings *s)
{
	const struct bench_replay *r = s->plan.load.replay;

	put(to, "replay", json_string(s->replay));
	put(to, "speed", s->plan.timing != NULL ? json_real(s->speed) : NULL);
	if (r == NULL)
		return;
	put(to, "replay_format", json_string(r->format));
	put(to, "replay_questions", number(r->n));
	put(to, "replay_left_out", number(r->n_left_out));
	put(to, "replay_clients", number(r->n_clients));
	put(to, "replay_s", r->timed ? json_real((double)r->span_ns / (double)NS_PER_SEC) : NULL);
}

/* What the questions are. */
static void
put_load(json_t *to, const struct bench_settings *s)
{
	if (s->method == BENCH_ENUM) {
		put(to, "numbers", range(&s->plan.load.numbers));
		put(to, "missing_percent", number(s->missing_percent));
		put(to, "missing_numbers",
		    s->missing_percent > 0 ? range(&s->plan.load.missing) : NULL);
	} else if (s->replay != NULL) {
		put_replay(to, s);
	} else {
		put_names(to, &s->plan.load);
	}
}

/* And the share of the questions of --hits that the most popular names have, in percent. */
static void
put_popularity(json_t *to, const struct bench_settings *s)
{
	const struct bench_zipf *z = s->plan.load.zipf;
	char key[32];

	if (s->zipf > 0)
		put(to, "popularity", json_sprintf("zipf:%g", s->zipf));
	for (uint32_t top = 1; s->zipf > 0 && z != NULL && top <= 1000 && top < z->n; top *= 10) {
		(void)snprintf(key, sizeof(key), "top_%" PRIu32 "_percent", top);
		put(to, key, json_real(100 * bench_zipf_share(z, top)));
	}
}

/* Where is asked from: "192.0.2.0/24 198.51.100.0/24", and how many addresses of these that are. */
static void
put_clients(json_t *to, const struct bench_settings *s)
{
	const struct bench_plan *p = &s->plan;
	uint64_t lanes = (uint64_t)p->n_threads * p->n_lanes;
	char text[BENCH_NETWORKS_MAX * BENCH_NETWORK_TEXT] = "", network[BENCH_NETWORK_TEXT];
	size_t len = 0;

	for (unsigned i = 0; i < p->clients.n; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s", i > 0 ? " " : "",
		    bench_clients_format(&p->clients.network[i], network));
	put(to, "clients_from", len > 0 ? json_string(text) : NULL);
	put(to, "client_addresses",
	    len > 0 && lanes > 0 ? number(bench_clients_count(&p->clients, lanes)) : NULL);
}

/* How the highest rate is searched for, and what is compared; that takes the place of the plan's.
 */
static void
put_trials(json_t *to, const struct bench_settings *s)
{
	if ((s->method & BENCH_SEARCHES) != 0) {
		put(to, "low", number(s->low));
		put(to, "high", number(s->high));
		put(to, "resolution_percent", json_real(s->resolution));
		put(to, "upstream", json_string("none"));
		put(to, "upstream", address(&s->upstream)); /* in its place, if there is one */
		put(to, "delta", json_real(s->delta));
	}
	put(to, "high", s->method == BENCH_RAMP ? number(s->high) : NULL);
	if ((s->method & TRIALS) != 0)
		put(to, "restart", json_string(s->restart != NULL ? s->restart : "none"));
	if (s->method == BENCH_MATRIX) {
		put(to, "hits_percent", list(s->hits.percent, s->hits.n));
		put(to, "aaaa_percent", list(s->aaaa.percent, s->aaaa.n));
		/* The searches of one cell are all before those of the next. */
		put(to, "repetitions", number(s->repetitions));
	}
	if (s->method == BENCH_SWEEP) {
		put(to, "rates", list(s->rates, s->n_rates));
		put(to, "seed", number(s->seed));
	}
}

/* All that the outcome of a trial depends on. */
static json_t *
of_trials(const struct bench_settings *s)
{
	json_t *to = json_object();

	put_plan(to, s);
	put_load(to, s);
	put_popularity(to, s);
	put(to, "mix", json_string(s->mix.text));
	put_clients(to, s);
	put(to, "duration_s", s->duration > 0 ? json_real(s->duration) : NULL);
	if ((s->method & (BENCH_RATE | BENCH_SOAK)) != 0)
		put(to, "rate", number(s->plan.rate));
	put_trials(to, s);
	return to;
}

json_t *
bench_settings_json(const struct bench_settings *s)
{
	bool experiments = s->method == BENCH_CLOSED && s->duration <= 0;
	json_t *to = of_trials(s);

	put(to, "questions", s->method == BENCH_RATE ? number(s->plan.n_questions) : NULL);
	put(to, "interval_s", s->method == BENCH_SOAK ? json_real(s->interval) : NULL);
	put(to, "repetitions", (s->method & TRIALS) != 0 ? number(s->repetitions) : NULL);
	if ((s->method & (BENCH_CLOSED | BENCH_ENUM)) != 0)
		put(to, "clients", list(s->clients, s->n_clients));
	put(to, "blocks", experiments ? number(s->blocks) : NULL);
	if (s->method != BENCH_SEARCH)
		put(to, "upstream", address(&s->upstream));
	if (s->start_at_ns > 0)
		put(to, "start_at",
		    json_sprintf("%.6f", (double)s->start_at_ns / (double)NS_PER_SEC));
	put(to, "server_name", json_string(s->server_name));
	put(to, "pid", json_string(s->pid));
	put(to, "pid_file", json_string(s->pid_file));
	put(to, "unit", json_string(s->unit));
	return to;
}

json_t *
bench_settings_identity(const struct bench_settings *s)
{
	const char *method = s->method == BENCH_MATRIX ? "matrix"
	    : s->method == BENCH_SWEEP                 ? "sweep"
						       : "search";
	json_t *to = of_trials(s);

	put(to, "program", json_sprintf("dns64bench %s", method));
	put(to, "format", number(2));
	return to;
}
