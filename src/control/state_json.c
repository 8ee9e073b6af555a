/* SPDX-License-Identifier: BSD-2-Clause */
#include "control/state_json.h"

#include "base/clock.h"
#include "control/api_orders.h"
#include "control/api_stats.h"
#include "figures/figures.h"

static json_t *
integer(uint64_t n)
{
	return json_integer((json_int_t)n);
}

/* The answers in all, by outcome and source, and by reason, but zeros. */
static void
add_answers(json_t *j, const struct facts *f)
{
	const struct facts_answers all = facts_answers(f);
	json_t *outcomes = json_object(), *reasons = json_object();

	for (unsigned k = 0; k < REASON_KINDS; k++) {
		uint64_t from[REASON_SOURCES];
		json_t *sources = json_object();

		facts_outcomes(f, (enum reason_kind)k, from);
		for (unsigned s = 0; s < REASON_SOURCES; s++)
			(void)json_object_set_new(
			    sources, reason_source_name((enum reason_source)s), integer(from[s]));
		(void)json_object_set_new(outcomes, reason_kind_name((enum reason_kind)k), sources);
	}
	for (unsigned r = 0; r < REASON_N; r++) {
		uint64_t sum = f->reasons[r].at_once + f->reasons[r].waited;

		if (sum > 0)
			(void)json_object_set_new(
			    reasons, reason_row((enum reason)r)->name, integer(sum));
	}
	(void)json_object_set_new(j, figures[FIGURES_ANSWERS].key,
	    json_pack("{s:I, s:I, s:I}", figures[FIGURES_ANSWERS_ALL].key, (json_int_t)all.all,
		figures[FIGURES_ANSWERS_FAILED].key, (json_int_t)all.failed,
		figures[FIGURES_ANSWERS_CACHED].key, (json_int_t)all.cached));
	(void)json_object_set_new(j, "outcomes", outcomes);
	(void)json_object_set_new(j, "reasons", reasons);
}

static json_t *
latency_json(const struct latency *l)
{
	json_t *bounds = json_array(), *counts = json_array();

	for (unsigned i = 0; i < LATENCY_BUCKETS; i++) {
		(void)json_array_append_new(counts, integer(l->n[i]));
		if (i + 1 < LATENCY_BUCKETS)
			(void)json_array_append_new(
			    bounds, json_real((double)latency_bounds_ns[i] / NS_PER_SEC));
	}
	return json_pack("{s:o*, s:o*, s:f}", figures[FIGURES_LATENCY_BOUNDS].key, bounds,
	    figures[FIGURES_LATENCY_COUNTS].key, counts, figures[FIGURES_LATENCY_SUM].key,
	    (double)l->sum_ns / NS_PER_SEC);
}

static json_t *
loops_json(const struct facts *f)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < f->n_loops; i++)
		(void)json_array_append_new(list,
		    json_pack("{s:I, s:I, s:I, s:I}", figures[FIGURES_LOOP_QUESTIONS].key,
			(json_int_t)f->loops[i].questions, figures[FIGURES_IN_FLIGHT].key,
			(json_int_t)f->loops[i].open.queries, figures[FIGURES_LOOP_CLIENTS].key,
			(json_int_t)f->loops[i].open.clients, figures[FIGURES_LOOP_UPSTREAMS].key,
			(json_int_t)f->loops[i].open.upstreams));
	return list;
}

static json_t *
counters_json(const struct facts *f)
{
	json_t *j = json_object();

	api_stats_counters(j, NULL, f->rows);
	return j;
}

json_t *
state_json(const struct facts *f)
{
	const struct policies *ps = f->settings->conf.core.policies;
	json_t *j = json_pack("{s:s, s:I, s:I, s:f, s:I, s:f, s:I, s:I}", "version",
	    PACKAGE_VERSION, figures[FIGURES_STARTED].key, (json_int_t)f->started,
	    figures[FIGURES_UPTIME].key, (json_int_t)facts_uptime(f), figures[FIGURES_TIME].key,
	    (double)f->now_ns / NS_PER_SEC, figures[FIGURES_LOOPS_SILENT].key,
	    (json_int_t)f->upstreams->n_missing, figures[FIGURES_CPU].key, f->cpu_s,
	    figures[FIGURES_MEMORY_MAX].key, (json_int_t)f->memory_max, figures[FIGURES_MEMORY].key,
	    (json_int_t)f->memory);

	if (j == NULL)
		return NULL;
	api_stats_verdict(f, j);
	(void)json_object_set_new(j, "lameduck", api_stats_moment(f->lameduck));
	(void)json_object_set_new(j, "stops", api_stats_moment(f->stops));
	api_stats_listens(f, j);
	add_answers(j, f);
	(void)json_object_set_new(j, "latency", latency_json(&f->waited));
	(void)json_object_set_new(j, "loops", loops_json(f));
	(void)json_object_set_new(j, "denied", api_orders_denials(f->settings));
	(void)json_object_set_new(j, "prefixes", api_stats_prefixes(f->settings, 0, &ps->table[0]));
	(void)json_object_set_new(j, figures[FIGURES_CLIENT_BLOCKS].key, integer(ps->n - 1));
	(void)json_object_set_new(j, "upstreams", api_stats_upstreams(f->upstreams, f->settings));
	(void)json_object_set_new(j, "cache", api_stats_cache(f->settings->conf.core.cache));
	(void)json_object_set_new(j, "counters", counters_json(f));
	return j;
}
