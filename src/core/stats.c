/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/stats.h"

#include <string.h>

#define MISPLACED(kind, name, label) \
	+((int)STATS_cache_hits_##name != (int)STATS_cache_hits_other + TYPE_KIND_##kind)
_Static_assert(0 TYPE_KINDS(MISPLACED) == 0, "cache_hits stand in the order of the kinds");
_Static_assert((int)TYPE_KINDS_N <= STATS_TYPES, "a kind has its place in asked");

/*
 * Every answer has one reason, so the reasons tell how many there are; a question that was dropped
 * has one, too, but no answer. SYNTHESIZED, unless NULL: how many of them are synthesized.
 */
static uint64_t
answers(const struct stats *const *stats, unsigned n, uint64_t *synthesized)
{
	struct stats_reason reasons[REASON_N];
	uint64_t all = 0;

	stats_sum_reasons(stats, n, reasons);
	for (unsigned r = 0; r < REASON_N; r++) {
		enum reason_kind kind = reason_row((enum reason)r)->kind;
		uint64_t sum = reasons[r].at_once + reasons[r].waited;

		if (kind != REASON_DROPPING)
			all += sum;
		if (kind == REASON_SYNTHESIZING && synthesized != NULL)
			*synthesized += sum;
	}
	return all;
}

/* Each of them is for one type. */
static void
sum_cache_hits(struct stats_row rows[static STATS_N])
{
	for (enum type_kind kind = 0; kind < TYPE_KINDS_N; kind++)
		rows[STATS_cache_hits].value += rows[stats_hit_place(kind)].value;
}

static uint64_t
questions(const struct stats *const *stats, unsigned n, enum transport transport)
{
	uint64_t asked[STATS_ASKED], sum = 0;

	stats_sum_asked(stats, n, asked);
	for (unsigned i = 0; i < STATS_ASKED / 2; i++)
		sum += asked[i + transport * (STATS_ASKED / 2)];
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
	rows[STATS_client_udp].value = questions(stats, n, TRANSPORT_UDP);
	rows[STATS_client_tcp].value = questions(stats, n, TRANSPORT_TCP);
	rows[STATS_answers].value = answers(stats, n, &rows[STATS_synthesized].value);
	sum_cache_hits(rows);
}

static uint64_t
sum_of(const _Atomic uint64_t counters[static STATS_RCODES])
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < STATS_RCODES; i++)
		sum += atomic_load_explicit(&counters[i], memory_order_relaxed);
	return sum;
}

void
stats_sum_reasons(
    const struct stats *const *stats, unsigned n, struct stats_reason rows[static REASON_N])
{
	for (unsigned r = 0; r < REASON_N; r++) {
		rows[r] = (struct stats_reason){ .at_once = 0 };
		for (unsigned i = 0; i < n; i++) {
			rows[r].at_once += sum_of(stats[i]->reasons[r][0]);
			rows[r].waited += sum_of(stats[i]->reasons[r][1]);
		}
	}
}

/* Every question that is not dropped gets an answer some time. */
uint64_t
stats_in_flight(const struct stats_row rows[static STATS_N])
{
	uint64_t taken = rows[STATS_client_udp].value + rows[STATS_client_tcp].value;
	uint64_t ended = rows[STATS_client_dropped].value + rows[STATS_rate_dropped].value +
	    rows[STATS_answers].value;

	return taken > ended ? taken - ended : 0;
}

void
stats_sum_rcodes(const struct stats *const *stats, unsigned n, uint64_t rcodes[static STATS_RCODES])
{
	memset(rcodes, 0, STATS_RCODES * sizeof(rcodes[0]));
	for (unsigned r = 0; r < REASON_N; r++) {
		if (reason_row((enum reason)r)->kind == REASON_DROPPING)
			continue;
		for (unsigned i = 0; i < 2 * n; i++) {
			const _Atomic uint64_t *from = stats[i / 2]->reasons[r][i % 2];

			for (unsigned c = 0; c < STATS_RCODES; c++)
				rcodes[c] += atomic_load_explicit(&from[c], memory_order_relaxed);
		}
	}
}

void
stats_sum_asked(const struct stats *const *stats, unsigned n, uint64_t asked[static STATS_ASKED])
{
	for (unsigned a = 0; a < STATS_ASKED; a++) {
		asked[a] = 0;
		for (unsigned i = 0; i < n; i++)
			asked[a] += atomic_load_explicit(&stats[i]->asked[a], memory_order_relaxed);
	}
}

void
stats_sum_clients(
    const struct stats *const *stats, unsigned n, uint64_t clients[static STATS_CLIENTS])
{
	uint64_t sum = 0, all;

	for (unsigned c = 1; c < STATS_CLIENTS; c++) {
		clients[c] = 0;
		for (unsigned i = 0; i < n; i++)
			clients[c] +=
			    atomic_load_explicit(&stats[i]->clients[c], memory_order_relaxed);
		sum += clients[c];
	}
	/* Read last, as the loops go on meanwhile. */
	all = answers(stats, n, NULL);
	clients[0] = all > sum ? all - sum : 0;
}

void
stats_sum_prefixes(
    const struct stats *const *stats, unsigned n, uint64_t prefixes[static STATS_PREFIXES])
{
	for (unsigned p = 0; p < STATS_PREFIXES; p++) {
		prefixes[p] = 0;
		for (unsigned i = 0; i < n; i++)
			prefixes[p] +=
			    atomic_load_explicit(&stats[i]->prefixes[p], memory_order_relaxed);
	}
}
