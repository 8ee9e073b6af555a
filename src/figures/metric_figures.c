/* SPDX-License-Identifier: BSD-2-Clause */
#include "figures/metric_figures.h"

#include "figures/figures.h"

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

void
metric_figures_write(struct metric_text *t, const struct facts *f)
{
	for (const struct figure *g = NULL; (g = figures_next(g, FIGURE_OF_UPSTREAM)) != NULL;)
		write_upstreams(t, f, g);
	if (f->has_cache)
		write_all(t, FIGURE_OF_CACHE, &f->cache);
	write_all(t, FIGURE_OF_GROUP, f->rows);
	write_counters(t, f->rows);
}
