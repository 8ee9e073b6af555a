/* SPDX-License-Identifier: BSD-2-Clause */
#include "figures/metrics.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "config/orders.h"
#include "config/policy_lines.h"
#include "dns64/pref64.h"
#include "figures/figures.h"
#include "figures/metric_text.h"
#include "policy/prefix_index.h"
#include "policy/prefix_states.h"

#define LABELS(...) ((const struct metric_label[METRIC_LABELS]){ __VA_ARGS__ })
#define BLOCKS_MAX 256 /* that are told of: there may be 65535 */
#define NUMBER_TEXT 24 /* of a loop or block, with its zero */

typedef void write_samples(struct metric_text *t, const struct facts *f);

/* --- The daemon ------------------------------------------------------------------------------- */

static void
build(struct metric_text *t, const struct facts *f)
{
	(void)f;
	metric_text_count(t, LABELS({ "version", PACKAGE_VERSION }), 1);
}

static void
start_time(struct metric_text *t, const struct facts *f)
{
	metric_text_count(t, NULL, (uint64_t)f->started);
}

static void
ready(struct metric_text *t, const struct facts *f)
{
	metric_text_count(t, NULL, facts_verdict(f).state != VERDICT_UNREADY);
}

static void
degraded(struct metric_text *t, const struct facts *f)
{
	metric_text_count(t, NULL, facts_verdict(f).state == VERDICT_DEGRADED);
}

static void
stopping(struct metric_text *t, const struct facts *f)
{
	metric_text_count(t, NULL, f->stopping);
}

static void
reload_successful(struct metric_text *t, const struct facts *f)
{
	metric_text_count(t, NULL, f->reload == VERDICT_RELOADED);
}

static void
reload_time(struct metric_text *t, const struct facts *f)
{
	metric_text_count(t, NULL, (uint64_t)f->taken);
}

static void
loops_stuck(struct metric_text *t, const struct facts *f)
{
	metric_text_count(t, NULL, f->upstreams->n_stuck);
}

static void
lameduck(struct metric_text *t, const struct facts *f)
{
	metric_text_count(t, NULL, f->lameduck != 0);
}

static void
denied_networks(struct metric_text *t, const struct facts *f)
{
	const struct orders *o = f->settings->orders;

	metric_text_count(t, NULL, o != NULL ? o->n_denials : 0);
}

static void
listens(struct metric_text *t, const struct facts *f)
{
	metric_text_count(t, LABELS({ "state", "served" }), f->n_served);
	metric_text_count(t, LABELS({ "state", "waiting" }), f->waits->n);
}

static void
open_fds(struct metric_text *t, const struct facts *f)
{
	if (f->open_fds > 0)
		metric_text_count(t, NULL, f->open_fds);
}

static void
max_fds(struct metric_text *t, const struct facts *f)
{
	if (f->max_fds > 0)
		metric_text_count(t, NULL, f->max_fds);
}

static void
cpu(struct metric_text *t, const struct facts *f)
{
	metric_text_value(t, NULL, f->cpu_s);
}

static void
memory(struct metric_text *t, const struct facts *f)
{
	if (f->memory > 0)
		metric_text_count(t, NULL, f->memory);
}

static void
memory_max(struct metric_text *t, const struct facts *f)
{
	metric_text_count(t, NULL, f->memory_max);
}

static void
loops(struct metric_text *t, const struct facts *f)
{
	metric_text_count(t, NULL, f->n_loops);
}

static void
loops_silent(struct metric_text *t, const struct facts *f)
{
	metric_text_count(t, NULL, f->upstreams->n_missing);
}

static void
in_flight(struct metric_text *t, const struct facts *f)
{
	char number[NUMBER_TEXT];

	for (unsigned i = 0; i < f->n_loops; i++) {
		if (!f->loops[i].told)
			continue; /* 0 would say that it is idle */
		(void)snprintf(number, sizeof(number), "%u", i);
		metric_text_count(t, LABELS({ "loop", number }), f->loops[i].open.queries);
	}
}

static void
connections(struct metric_text *t, const struct facts *f)
{
	uint64_t clients = 0, upstreams = 0;

	if (!facts_are_whole(f))
		return;
	for (unsigned i = 0; i < f->n_loops; i++) {
		clients += f->loops[i].open.clients;
		upstreams += f->loops[i].open.upstreams;
	}
	metric_text_count(t, LABELS({ "with", "clients" }, { "transport", "tcp" }), clients);
	metric_text_count(t, LABELS({ "with", "upstreams" }, { "transport", "tcp" }), upstreams);
}

/* --- Answers ---------------------------------------------------------------------------------- */

static struct metric_label
source(enum reason r, bool waited)
{
	return (struct metric_label){ "source", reason_source_name(reason_source(r, waited)) };
}

static void
answers(struct metric_text *t, const struct facts *f)
{
	for (unsigned r = 0; r < REASON_N; r++) {
		const struct reason_row *row = reason_row((enum reason)r);
		const struct metric_label outcome = { "outcome",
			reason_kind_name((enum reason_kind)row->kind) };
		const struct metric_label reason = { "reason", row->name };

		if (row->kind == REASON_DROPPING)
			continue;
		metric_text_count(t, LABELS(outcome, reason, source((enum reason)r, false)),
		    f->reasons[r].at_once);
		metric_text_count(
		    t, LABELS(outcome, reason, source((enum reason)r, true)), f->reasons[r].waited);
	}
}

static void
dropped(struct metric_text *t, const struct facts *f)
{
	for (unsigned r = 0; r < REASON_N; r++) {
		const struct reason_row *row = reason_row((enum reason)r);

		if (row->kind == REASON_DROPPING)
			metric_text_count(t, LABELS({ "reason", row->name }),
			    f->reasons[r].at_once + f->reasons[r].waited);
	}
}

static void
queries(struct metric_text *t, const struct facts *f)
{
	static const char *const families[] = { "ipv4", "ipv6" };

	for (unsigned i = 0; i < STATS_ASKED / STATS_TYPES; i++) {
		uint64_t sum = 0;

		for (unsigned type = 0; type < STATS_TYPES; type++)
			sum += f->asked[i * STATS_TYPES + type];
		metric_text_count(t,
		    LABELS({ "transport", transport_traits[i / 2].name },
			{ "family", families[i % 2] }),
		    sum);
	}
}

static void
queries_by_type(struct metric_text *t, const struct facts *f)
{
	for (enum type_kind kind = 0; kind < TYPE_KINDS_N; kind++) {
		uint64_t sum = 0;

		for (unsigned i = 0; i < STATS_ASKED / STATS_TYPES; i++)
			sum += f->asked[i * STATS_TYPES + kind];
		metric_text_count(t, LABELS({ "type", type_kind_label(kind) }), sum);
	}
}

static void
cache_hits(struct metric_text *t, const struct facts *f)
{
	for (enum type_kind kind = 0; kind < TYPE_KINDS_N; kind++)
		metric_text_count(t, LABELS({ "type", type_kind_label(kind) }),
		    f->rows[stats_hit_place(kind)].value);
}

static const char *const rcodes[] = { "NOERROR", "FORMERR", "SERVFAIL", "NXDOMAIN", "NOTIMP",
	"REFUSED", "other" };

#define N_RCODES (sizeof(rcodes) / sizeof(rcodes[0]))

static void
responses(struct metric_text *t, const struct facts *f)
{
	uint64_t others = 0;

	for (unsigned i = 0; i < STATS_RCODES; i++) {
		if (i + 1 < N_RCODES)
			metric_text_count(t, LABELS({ "rcode", rcodes[i] }), f->rcodes[i]);
		else
			others += f->rcodes[i];
	}
	metric_text_count(t, LABELS({ "rcode", rcodes[N_RCODES - 1] }), others);
}

static void
durations(struct metric_text *t, const struct facts *f)
{
	struct latency at_once[REASON_SOURCES] = { { .sum_ns = 0 } };

	if (!facts_are_whole(f))
		return;
	/* They left in the turn in which the question came: no time by the loop's clock. */
	for (unsigned k = 0; k < REASON_DROPPING; k++) {
		uint64_t sources[REASON_SOURCES];

		facts_outcomes(f, (enum reason_kind)k, sources);
		for (unsigned from = 0; from < REASON_FROM_UPSTREAM; from++)
			at_once[from].n[0] += sources[from];
	}
	at_once[REASON_FROM_UPSTREAM] = f->waited;
	for (unsigned from = 0; from < REASON_SOURCES; from++)
		metric_text_latency(t,
		    LABELS({ "source", reason_source_name((enum reason_source)from) }),
		    &at_once[from]);
}

/* --- Prefixes --------------------------------------------------------------------------------- */

/* Has P other prefixes than the policy USUAL, in other states, with other weights, or no use? */
static bool
differs(const struct policy *p, const struct policy *usual)
{
	size_t n = usual->synth.n_prefixes;

	return p->synth.n_prefixes != n ||
	    (p->synthesize == POLICY_NEVER) != (usual->synthesize == POLICY_NEVER) ||
	    memcmp(p->synth.prefixes, usual->synth.prefixes, n * sizeof(p->synth.prefixes[0])) !=
	    0 ||
	    memcmp(p->states, usual->states, n * sizeof(p->states[0])) != 0 ||
	    memcmp(p->choice.weights, usual->choice.weights, n * sizeof(p->choice.weights[0])) !=
	    0 ||
	    memcmp(p->causes, usual->causes, n * sizeof(p->causes[0])) != 0;
}

/* What a family has of a policy: policy B of S, whose label is BLOCK. */
typedef void write_policy(
    struct metric_text *t, const struct settings *s, size_t b, struct metric_label block);

static void
each_policy(struct metric_text *t, const struct facts *f, write_policy *one)
{
	const struct policies *ps = f->settings->conf.core.policies;
	char block[NUMBER_TEXT];

	for (size_t b = 0, n = 0; b < ps->n && n < BLOCKS_MAX; b++) {
		if (b > 0 && !differs(&ps->table[b], &ps->table[0]))
			continue;
		n++;
		(void)snprintf(block, sizeof(block), "%zu", b);
		one(t, f->settings, b, (struct metric_label){ "block", block });
	}
}

static void
one_states(struct metric_text *t, const struct settings *s, size_t b, struct metric_label block)
{
	const struct policy *p = &s->conf.core.policies->table[b];
	char prefix[PREF64_TEXT];

	for (size_t i = 0; i < p->synth.n_prefixes; i++) {
		(void)pref64_format(&p->synth.prefixes[i], prefix);
		for (unsigned k = POLICY_ACTIVE; k <= POLICY_DOWN; k++)
			metric_text_count(t,
			    LABELS({ "prefix", prefix }, block,
				{ "state", policy_state_word((enum policy_state)k) }),
			    p->states[i] == k);
	}
}

static void
prefix_state(struct metric_text *t, const struct facts *f)
{
	each_policy(t, f, one_states);
}

static void
one_weights(struct metric_text *t, const struct settings *s, size_t b, struct metric_label block)
{
	const struct policy *p = &s->conf.core.policies->table[b];
	char prefix[PREF64_TEXT];

	for (size_t i = 0; i < p->synth.n_prefixes; i++) {
		if (!p->mapped_only[i])
			metric_text_count(t,
			    LABELS(
				{ "prefix", pref64_format(&p->synth.prefixes[i], prefix) }, block),
			    p->choice.weights[i]);
	}
}

static void
prefix_weight(struct metric_text *t, const struct facts *f)
{
	each_policy(t, f, one_weights);
}

static void
one_causes(struct metric_text *t, const struct settings *s, size_t b, struct metric_label block)
{
	const struct policy *p = &s->conf.core.policies->table[b];
	char prefix[PREF64_TEXT];

	for (size_t i = 0; i < p->synth.n_prefixes; i++)
		metric_text_count(t,
		    LABELS({ "prefix", pref64_format(&p->synth.prefixes[i], prefix) }, block,
			{ "cause", policy_cause_word((enum policy_cause)p->causes[i]) }),
		    1);
}

static void
prefix_cause(struct metric_text *t, const struct facts *f)
{
	each_policy(t, f, one_causes);
}

/* What prefix-check reports of prefix I of policy B of S; NULL: nothing. */
static const struct prefix_report *
report_of(const struct settings *s, size_t b, size_t i)
{
	const struct policy *p = &s->conf.core.policies->table[b];
	uint64_t group = policy_lines_group(s->policy_lines, policy_lines_at(s->policy_lines, b));

	return group == 0 || p->mapped_only[i]
	    ? NULL
	    : prefix_states_find(s->prefix_states, POLICY_PROBE, group, &p->synth.prefixes[i]);
}

#define OF_CHECK(name, value) \
	static void one_##name( \
	    struct metric_text *t, const struct settings *s, size_t b, struct metric_label block) \
	{ \
		const struct policy *p = &s->conf.core.policies->table[b]; \
		char prefix[PREF64_TEXT]; \
		for (size_t i = 0; i < p->synth.n_prefixes; i++) { \
			const struct prefix_report *r = report_of(s, b, i); \
			if (r == NULL) \
				continue; \
			(void)pref64_format(&p->synth.prefixes[i], prefix); \
			metric_text_count(t, LABELS({ "prefix", prefix }, block), (value)); \
		} \
	} \
	static void name(struct metric_text *t, const struct facts *f) \
	{ \
		each_policy(t, f, one_##name); \
	}

OF_CHECK(prefix_check_up, r->state == POLICY_ACTIVE)
OF_CHECK(prefix_check_since, r->since)

static void
one_lacking(struct metric_text *t, const struct settings *s, size_t b, struct metric_label block)
{
	metric_text_count(t, LABELS(block), verdict_lacks_prefix(s->conf.core.policies, b));
}

static void
prefix_lacking(struct metric_text *t, const struct facts *f)
{
	each_policy(t, f, one_lacking);
}

static void
synthesized(struct metric_text *t, const struct facts *f)
{
	const struct prefix_index *n = f->settings->conf.core.prefix_index;
	char prefix[PREF64_TEXT];

	for (size_t i = PREFIX_INDEX_OTHERS + 1; i < prefix_index_end(n); i++)
		metric_text_count(t,
		    LABELS({ "prefix", pref64_format(prefix_index_prefix(n, i), prefix) }),
		    f->prefixes[i]);
	metric_text_count(t, LABELS({ "prefix", "other" }), f->prefixes[PREFIX_INDEX_OTHERS]);
}

/* --- Upstreams -------------------------------------------------------------------------------- */

/* What a family has of an upstream. */
typedef void write_upstream(struct metric_text *t, const struct facts *f,
    const struct upstream_status *v, struct metric_label label);

static void
each_upstream(struct metric_text *t, const struct facts *f, write_upstream *one)
{
	char text[NETADDR_TEXT];

	if (!facts_are_whole(f))
		return; /* a total that is less for a moment would look like a restart */
	for (size_t i = 0; i < f->upstreams->n; i++) {
		const struct upstream_status *v = &f->upstreams->at[i];

		one(t, f, v, (struct metric_label){ "upstream", netaddr_format(&v->addr, text) });
	}
}

#define UPSTREAM(name, value) \
	static void one_##name(struct metric_text *t, const struct facts *f, \
	    const struct upstream_status *v, struct metric_label label) \
	{ \
		(void)f; \
		metric_text_value(t, LABELS(label), (double)(value)); \
	} \
	static void name(struct metric_text *t, const struct facts *f) \
	{ \
		each_upstream(t, f, one_##name); \
	}

UPSTREAM(upstream_up, upstream_status_answers(v, f->now_ns))
UPSTREAM(upstream_in_doubt, v->state == UPSTREAM_STATUS_IN_DOUBT)
UPSTREAM(upstream_limited, upstream_status_has_learned(v))

static void
one_order(struct metric_text *t, const struct facts *f, const struct upstream_status *v,
    struct metric_label label)
{
	(void)f;
	for (unsigned s = CONF_DRAIN; s <= CONF_DOWN; s++)
		metric_text_count(t,
		    LABELS(label, { "state", orders_state_word((enum conf_order)s) }),
		    v->ordered == s);
}

static void
upstream_by_operator(struct metric_text *t, const struct facts *f)
{
	each_upstream(t, f, one_order);
}

static void
one_rtt(struct metric_text *t, const struct facts *f, const struct upstream_status *v,
    struct metric_label label)
{
	(void)f;
	metric_text_latency(t, LABELS(label), &v->tally.rtt);
}

static void
upstream_rtt(struct metric_text *t, const struct facts *f)
{
	each_upstream(t, f, one_rtt);
}

/* --- All of them ------------------------------------------------------------------------------ */

/* Each writes the samples of a figure; what it is called the table of figures says. */
static const struct {
	size_t place;
	write_samples *write;
} families[] = {
	{ FIGURES_BUILD, build },
	{ FIGURES_STARTED, start_time },
	{ FIGURES_READY, ready },
	{ FIGURES_DEGRADED, degraded },
	{ FIGURES_LOOPS_STUCK, loops_stuck },
	{ FIGURES_LISTENS, listens },
	{ FIGURES_DENIED, denied_networks },
	{ FIGURES_LAMEDUCK, lameduck },
	{ FIGURES_STOPPING, stopping },
	{ FIGURES_RELOADED, reload_successful },
	{ FIGURES_RELOAD_TIME, reload_time },
	{ FIGURES_CPU, cpu },
	{ FIGURES_MEMORY, memory },
	{ FIGURES_MEMORY_MAX, memory_max },
	{ FIGURES_OPEN_FDS, open_fds },
	{ FIGURES_MAX_FDS, max_fds },
	{ FIGURES_LOOPS, loops },
	{ FIGURES_LOOPS_SILENT, loops_silent },
	{ FIGURES_IN_FLIGHT, in_flight },
	{ FIGURES_CONNECTIONS, connections },
	{ FIGURES_QUERIES, queries },
	{ FIGURES_QUERIES_BY_TYPE, queries_by_type },
	{ FIGURES_ANSWERS, answers },
	{ FIGURES_RESPONSES, responses },
	{ FIGURES_DURATIONS, durations },
	{ FIGURES_DROPPED, dropped },
	{ FIGURES_PREFIX_STATE, prefix_state },
	{ FIGURES_PREFIX_WEIGHT, prefix_weight },
	{ FIGURES_PREFIX_CAUSE, prefix_cause },
	{ FIGURES_PREFIX_CHECK_UP, prefix_check_up },
	{ FIGURES_PREFIX_CHECK_SINCE, prefix_check_since },
	{ FIGURES_PREFIX_LACKING, prefix_lacking },
	{ FIGURES_SYNTHESIZED, synthesized },
	{ FIGURES_UPSTREAM_ORDER, upstream_by_operator },
	{ FIGURES_UPSTREAM_UP, upstream_up },
	{ FIGURES_UPSTREAM_IN_DOUBT, upstream_in_doubt },
	{ FIGURES_UPSTREAM_LIMITED, upstream_limited },
	{ FIGURES_UPSTREAM_RTT, upstream_rtt },
	{ FIGURES_CACHE_HITS, cache_hits },
};

/* --- The table of figures ----------------------------------------------------------------------
 */

/* A sample for each part of G, of OF; with the label FIRST before, unless its name is NULL. */
static void
write_parts(
    struct metric_text *t, const struct figure *g, const void *of, struct metric_label first)
{
	for (size_t i = 0; i < g->n_parts; i++) {
		struct metric_label labels[METRIC_LABELS] = { { NULL, NULL } };
		size_t n = 0;

		if (first.name != NULL)
			labels[n++] = first;
		labels[n] = (struct metric_label){ g->label, g->parts[i] };
		metric_text_count(t, labels, figure_part(g, of, i));
	}
}

static void
write_upstreams(struct metric_text *t, const struct facts *f, const struct figure *g)
{
	char text[NETADDR_TEXT];

	metric_text_family(t, &g->metric);
	if (!facts_are_whole(f))
		return; /* a total that is less for a moment would look like a restart */
	for (size_t i = 0; i < f->upstreams->n; i++) {
		const struct upstream_status *v = &f->upstreams->at[i];

		write_parts(
		    t, g, v, (struct metric_label){ "upstream", netaddr_format(&v->addr, text) });
	}
}

static void
write_one(struct metric_text *t, const struct figure *g, const void *of)
{
	metric_text_family(t, &g->metric);
	write_parts(t, g, of, (struct metric_label){ NULL, NULL });
}

static void
write_all(struct metric_text *t, enum figure_source source, const void *of)
{
	for (const struct figure *g = NULL; (g = figures_next(g, source)) != NULL;)
		write_one(t, g, of);
}

/* Which counters are told by other figures, in parts; or by figures/metrics, with labels? */
static void
mark(bool told[static STATS_N])
{
	told[STATS_answers] = true;
	told[STATS_cache_hits] = true;
	for (enum type_kind kind = 0; kind < TYPE_KINDS_N; kind++)
		told[stats_hit_place(kind)] = true;
	for (size_t i = 0; i < figures_n; i++) {
		for (size_t p = 0;
		     figures[i].source != FIGURE_OF_COUNTER && p < figures[i].n_places; p++)
			told[figures[i].places[p]] = true;
	}
}

/* The counters that are told by themselves. */
static void
write_counters(struct metric_text *t, const struct stats_row rows[static STATS_N])
{
	bool told[STATS_N] = { false };

	mark(told);
	for (const struct figure *g = NULL; (g = figures_next(g, FIGURE_OF_COUNTER)) != NULL;) {
		if (!told[g->places[0]])
			write_one(t, g, rows);
	}
}

static void
write_figures(struct metric_text *t, const struct facts *f)
{
	for (const struct figure *g = NULL; (g = figures_next(g, FIGURE_OF_UPSTREAM)) != NULL;)
		write_upstreams(t, f, g);
	if (f->has_cache)
		write_all(t, FIGURE_OF_CACHE, &f->cache);
	write_all(t, FIGURE_OF_GROUP, f->rows);
	write_counters(t, f->rows);
}

void
metrics_write(struct evbuffer *out, const struct facts *f, bool open_metrics)
{
	struct metric_text t = { .out = out, .open_metrics = open_metrics };

	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++) {
		metric_text_family(&t, &figures[families[i].place].metric);
		families[i].write(&t, f);
	}
	write_figures(&t, f);
	metric_text_end(&t);
}
