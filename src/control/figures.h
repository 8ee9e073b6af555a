/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONTROL_FIGURES_H
#define DNS64D_CONTROL_FIGURES_H

/*
 * figures: the one table of what is counted and measured: name, unit, help, and where it comes
 * from. The log's report, JSON, the metrics and the page are made from it, so a figure has the same
 * name and the same value wherever it is shown.
 *
 * Its rows come from three sources: the cache, each upstream, and the counters of all loops. A
 * counter (core/stats) that no row has is a figure by itself, with the name and help it has there.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "cache/cache.h"
#include "control/metric_text.h"
#include "core/stats.h"
#include "core/upstream_status.h"

#define FIGURE_PARTS 8

/* One; or several parts, told apart by a label, whose sum it is. */
struct figure {
	const char *key;      /* its name among those of the same source: in the log and in JSON */
	struct metric metric; /* named "dns64d_", the source, and the key */
	const char *label;    /* NULL: it has one part, without a label */
	const char *parts[FIGURE_PARTS]; /* the label's values */
	size_t n_parts;
	/*
	 * Of the counters: that of each part. Of an upstream: those that its sum over all upstreams
	 * is that of, as long as none was removed.
	 */
	enum stats_place places[FIGURE_PARTS];
	size_t n_places;
	uint64_t (*value)(const void *of, size_t part); /* NULL: that of the counter */
};

/* What the cache has and did. */
struct figures_cache {
	struct shard_counts counts;
	uint64_t size; /* bytes */
};

extern const struct figure figures_cache[], figures_upstream[], figures_counters[];
extern const size_t figures_n_cache, figures_n_upstream, figures_n_counters;

/* figures_of_cache: the source of figures_cache, now. */
struct figures_cache figures_of_cache(struct cache *c);

/* figure_part: the value of part PART of F, of OF: struct figures_cache, view, or stats_row[]. */
MUST_USE uint64_t figure_part(const struct figure *f, const void *of, size_t part);

/* figure_sum: the sum of the parts of F, likewise. */
MUST_USE uint64_t figure_sum(const struct figure *f, const void *of);

/* figures_find: the figure of an upstream with KEY, which is one. */
MUST_USE const struct figure *figures_find(const char *key);

#endif
