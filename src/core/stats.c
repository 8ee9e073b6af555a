/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/stats.h"

/* Every answer has one reason; a question that was dropped has one, too, but no answer. */
static uint64_t
answers(const struct stats *const *stats, unsigned n)
{
	struct stats_reason rows[REASON_N];
	uint64_t sum = 0;

	stats_sum_reasons(stats, n, rows);
	for (unsigned r = 0; r < REASON_N; r++) {
		if (reason_row((enum reason)r)->kind != REASON_DROPPING)
			sum += rows[r].at_once + rows[r].waited;
	}
	return sum;
}

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
	rows[STATS_answers].value = answers(stats, n);
}

void
stats_sum_reasons(
    const struct stats *const *stats, unsigned n, struct stats_reason rows[static REASON_N])
{
	for (unsigned r = 0; r < REASON_N; r++) {
		rows[r] = (struct stats_reason){ .at_once = 0 };
		for (unsigned i = 0; i < n; i++) {
			const _Atomic uint64_t *both = stats[i]->reasons[r];

			rows[r].at_once += atomic_load_explicit(&both[0], memory_order_relaxed);
			rows[r].waited += atomic_load_explicit(&both[1], memory_order_relaxed);
		}
	}
}

/* Every question that is not dropped gets an answer some time. */
uint64_t
stats_in_flight(const struct stats_row rows[static STATS_N])
{
	uint64_t taken = rows[STATS_client_udp].value + rows[STATS_client_tcp].value;
	uint64_t ended = rows[STATS_client_dropped].value + rows[STATS_answers].value;

	return taken > ended ? taken - ended : 0;
}
