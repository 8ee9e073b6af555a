/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/stats.h"

void
stats_sum(const struct stats *const *stats, unsigned n, struct stats_row rows[static STATS_N])
{
	struct stats_row *row = rows;

#define SUM(field, text) \
	row->name = #field; \
	row->help = text; \
	row->value = 0; \
	for (unsigned i = 0; i < n; i++) \
		row->value += atomic_load_explicit(&stats[i]->field, memory_order_relaxed); \
	row++;
	STATS_COUNTERS(SUM)
#undef SUM
}
