/* SPDX-License-Identifier: BSD-2-Clause */
/* A figure has one name, wherever it is shown, and no name has two figures. */

#include "control/figures.h"

#include <stdio.h>
#include <string.h>

#include "support/tests.h"

static const struct {
	const char *source; /* behind "dns64d_" */
	const struct figure *table;
	const size_t *n;
} tables[] = {
	{ "cache_", figures_cache, &figures_n_cache },
	{ "upstream_", figures_upstream, &figures_n_upstream },
	{ "", figures_counters, &figures_n_counters },
};

#define TABLES (sizeof(tables) / sizeof(tables[0]))

START_TEST(each_row_is_whole)
{
	char name[64];

	for (size_t i = 0; i < *tables[_i].n; i++) {
		const struct figure *f = &tables[_i].table[i];

		(void)snprintf(name, sizeof(name), "dns64d_%s%s", tables[_i].source, f->key);
		ck_assert_str_eq(f->metric.name, name);
		ck_assert_ptr_nonnull(f->metric.help);
		ck_assert_uint_ge(f->n_parts, 1);
		ck_assert_uint_le(f->n_parts, FIGURE_PARTS);
		ck_assert(f->label != NULL || f->n_parts == 1);
		for (size_t p = 0; f->label != NULL && p < f->n_parts; p++)
			ck_assert_ptr_nonnull(f->parts[p]);
		/* Without a function each part is a counter. */
		ck_assert(f->value != NULL || f->n_places == f->n_parts);
		/* OpenMetrics: the unit is the end of the name. */
		if (f->metric.unit != NULL)
			ck_assert_str_eq(
			    name + strlen(name) - strlen(f->metric.unit), f->metric.unit);
	}
}
END_TEST

START_TEST(no_name_has_two_figures)
{
	const char *names[64];
	size_t n = 0;

	for (size_t t = 0; t < TABLES; t++) {
		for (size_t i = 0; i < *tables[t].n; i++) {
			const char *name = tables[t].table[i].metric.name;

			for (size_t k = 0; k < n; k++)
				ck_assert_str_ne(names[k], name);
			ck_assert_uint_lt(n, 64);
			names[n++] = name;
		}
	}
}
END_TEST

/* Is PLACE the counter that F adds up to, or one of which it is a part? */
static bool
adds_up_to(const struct figure *f, enum stats_place place)
{
	/* core/stats says so: it is the sum of those by type. */
	if (place == STATS_cache_hits)
		return f->n_places == 5 && f->places[0] == STATS_cache_hits_a;
	return f->n_places == 1 && f->places[0] == place;
}

/*
 * The counter upstream_replies of dns64ctl was another figure than upstream_replies of /metrics: a
 * metric with the name of a counter is that counter.
 */
START_TEST(a_counters_name_is_its_own)
{
	const struct stats *none = NULL;
	struct stats_row rows[STATS_N];
	unsigned n = 0;

	stats_sum(&none, 0, rows);
	for (unsigned c = 0; c < STATS_N; c++) {
		for (size_t t = 0; t < TABLES; t++) {
			for (size_t i = 0; i < *tables[t].n; i++) {
				const struct figure *f = &tables[t].table[i];

				if (strcmp(f->metric.name + strlen("dns64d_"), rows[c].name) != 0)
					continue;
				ck_assert_msg(
				    adds_up_to(f, (enum stats_place)c), "%s", rows[c].name);
				n++;
			}
		}
	}
	ck_assert_uint_ge(n, 3);
}
END_TEST

/* Refusals and lost connections are no timeouts. */
START_TEST(what_was_lost_is_told_by_cause)
{
	const struct upstream_status v = { .tally = {
					       .sends = 10, .sends_tcp = 4, .lost = { 1, 2, 3 } } };
	const struct figure *f = figures_find("lost");

	ck_assert_uint_eq(figure_sum(f, &v), 6);
	ck_assert_str_eq(f->parts[UPSTREAM_LOST_TIMEOUT], "timeout");
	ck_assert_uint_eq(figure_part(f, &v, UPSTREAM_LOST_TIMEOUT), 1);
	ck_assert_str_eq(f->parts[UPSTREAM_LOST_UNREACHABLE], "unreachable");
	ck_assert_uint_eq(figure_part(f, &v, UPSTREAM_LOST_UNREACHABLE), 2);
	ck_assert_str_eq(f->parts[UPSTREAM_LOST_DISCONNECTED], "disconnected");
	ck_assert_uint_eq(figure_part(f, &v, UPSTREAM_LOST_DISCONNECTED), 3);
	ck_assert_uint_eq(figure_sum(figures_find("sends"), &v), 10);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_loop_test(tc, each_row_is_whole, 0, TABLES);
	tcase_add_test(tc, no_name_has_two_figures);
	tcase_add_test(tc, a_counters_name_is_its_own);
	tcase_add_test(tc, what_was_lost_is_told_by_cause);
}
