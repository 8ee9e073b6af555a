/* SPDX-License-Identifier: BSD-2-Clause */
#include "control/metric_figures.h"

#include <stdio.h>

#include "control/figures.h"

#define METRIC_NAME_TEXT 64

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
	if (!facts_all_told(f))
		return; /* a total that is less for a moment would look like a restart */
	for (size_t i = 0; i < f->views->n; i++) {
		const struct upstream_status *v = &f->views->view[i];

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

/* A counter that is a figure by itself. */
static void
write_row(struct metric_text *t, const struct stats_row *row)
{
	char name[METRIC_NAME_TEXT];
	const struct metric metric = { name, METRIC_COUNTER, NULL, row->help };

	(void)snprintf(name, sizeof(name), "dns64d_%s", row->name);
	metric_text_family(t, &metric);
	metric_text_count(t, NULL, row->value);
}

/* Which counters do the N figures at G tell of? */
static void
mark(bool told[static STATS_N], const struct figure *g, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		for (size_t p = 0; p < g[i].n_places; p++)
			told[g[i].places[p]] = true;
	}
}

static void
write_rows(struct metric_text *t, const struct stats_row rows[static STATS_N])
{
	/* Answers are told by reason, questions by transport and more (control/metrics). */
	bool told[STATS_N] = {
		[STATS_answers] = true, [STATS_client_udp] = true, [STATS_client_tcp] = true
	};

	mark(told, figures_counters, figures_n_counters);
	mark(told, figures_upstream, figures_n_upstream);
	for (size_t i = 0; i < STATS_N; i++) {
		if (!told[i])
			write_row(t, &rows[i]);
	}
}

void
metric_figures_write(struct metric_text *t, const struct facts *f)
{
	for (size_t i = 0; i < figures_n_upstream; i++)
		write_upstreams(t, f, &figures_upstream[i]);
	for (size_t i = 0; f->has_cache && i < figures_n_cache; i++)
		write_one(t, &figures_cache[i], &f->cache);
	for (size_t i = 0; i < figures_n_counters; i++)
		write_one(t, &figures_counters[i], f->rows);
	write_rows(t, f->rows);
	for (unsigned i = 0; i < CAPTURE_FIGURES; i++)
		write_row(t, &f->dnstap[i]);
}
