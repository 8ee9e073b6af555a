/* SPDX-License-Identifier: BSD-2-Clause */
/* A figure has one name, wherever it is shown, and no name has two figures. */

#include "control/figures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control/metrics.h"
#include "control/state_json.h"
#include "dns64ctl/show.h"
#include "support/known.h"
#include "support/tests.h"

/* What the names of its metrics have behind "dns64d_", before the key; NULL: anything. */
static const char *const prefixes[] = { [FIGURE_OF_FACTS] = NULL,
	[FIGURE_OF_UPSTREAM] = "upstream_",
	[FIGURE_OF_CACHE] = "cache_",
	[FIGURE_OF_GROUP] = "",
	[FIGURE_OF_COUNTER] = "",
	[FIGURE_OF_DNSTAP] = "",
	[FIGURE_OF_STATE] = NULL,
	[FIGURE_AT_PRESENT] = NULL };

static void
check_name(const struct figure *f)
{
	char name[64];

	if (prefixes[f->source] == NULL)
		return;
	(void)snprintf(name, sizeof(name), "dns64d_%s%s", prefixes[f->source], f->key);
	ck_assert_str_eq(f->metric.name, name);
}

/* OpenMetrics: a unit that is no plain number is the end of the name. */
static void
check_unit(const struct figure *f)
{
	const char *unit = f->metric.unit, *name = f->metric.name;

	ck_assert_ptr_nonnull(unit);
	if (name == NULL || strcmp(unit, "count") == 0 || strcmp(unit, "truth") == 0)
		return;
	ck_assert_msg(strcmp(unit, "bytes") == 0 || strcmp(unit, "seconds") == 0, "%s", unit);
	ck_assert_str_eq(name + strlen(name) - strlen(unit), unit);
}

START_TEST(each_row_is_whole)
{
	for (size_t i = 0; i < figures_n; i++) {
		const struct figure *f = &figures[i];

		ck_assert_ptr_nonnull(f->key);
		check_name(f);
		check_unit(f);
		ck_assert_msg(f->metric.help != NULL && f->metric.help[0] != '\0', "%s", f->key);
		ck_assert_uint_ge(f->n_parts, 1);
		ck_assert_uint_le(f->n_parts, FIGURE_PARTS);
		ck_assert(f->label != NULL || f->n_parts == 1);
		for (size_t p = 0; f->label != NULL && p < f->n_parts; p++)
			ck_assert_ptr_nonnull(f->parts[p]);
		/* Without a function each part is a counter. */
		ck_assert(f->source == FIGURE_OF_FACTS || f->metric.name == NULL ||
		    f->value != NULL || f->n_places == f->n_parts);
	}
}
END_TEST

START_TEST(no_source_has_a_key_twice)
{
	for (size_t i = 0; i < figures_n; i++) {
		for (size_t k = 0; k < i; k++)
			ck_assert_msg(figures[i].source != figures[k].source ||
				strcmp(figures[i].key, figures[k].key) != 0,
			    "%s", figures[i].key);
	}
}
END_TEST

/* Is F the same as the counter C, or its sum in parts? */
static bool
adds_up_to(const struct figure *f, const struct figure *c)
{
	/* core/stats adds these up: it is the sum of those by type. */
	if (c->places[0] == STATS_cache_hits)
		return f->n_places == 5 && f->places[0] == STATS_cache_hits_a;
	return f->n_places == 1 && f->places[0] == c->places[0];
}

static bool
same_metric(const struct figure *a, const struct figure *b)
{
	return a->metric.name != NULL && b->metric.name != NULL &&
	    strcmp(a->metric.name, b->metric.name) == 0;
}

/*
 * The counter upstream_replies of dns64ctl was another figure than upstream_replies of /metrics: a
 * metric with the name of a counter is that counter. No other name has two figures.
 */
START_TEST(no_name_has_two_figures)
{
	unsigned n = 0;

	for (size_t i = 0; i < figures_n; i++) {
		for (size_t k = 0; k < figures_n; k++) {
			const struct figure *f = &figures[i], *c = &figures[k];

			if (i == k || !same_metric(f, c) || f->source == FIGURE_OF_COUNTER)
				continue;
			ck_assert_int_eq(c->source, FIGURE_OF_COUNTER);
			ck_assert_msg(adds_up_to(f, c), "%s", c->key);
			n++;
		}
	}
	ck_assert_uint_ge(n, 3);
}
END_TEST

/* --- Where they are shown --------------------------------------------------------------------- */

/* How many are no metrics: counters that others have the parts of, and what is in JSON only. */
static unsigned
n_no_metrics(void)
{
	bool told[STATS_N] = { false };
	unsigned n = 0;

	for (size_t i = 0; i < figures_n; i++) {
		for (size_t p = 0;
		     figures[i].source != FIGURE_OF_COUNTER && p < figures[i].n_places; p++)
			told[figures[i].places[p]] = true;
	}
	for (size_t i = 0; i < STATS_N; i++)
		n += told[i];
	for (size_t i = 0; i < figures_n; i++)
		n += figures[i].metric.name == NULL;
	return n;
}

static bool
is_metric(const char *name)
{
	for (size_t i = 0; i < figures_n; i++) {
		if (figures[i].metric.name != NULL && strcmp(figures[i].metric.name, name) == 0)
			return true;
	}
	return false;
}

/* Every figure is among the metrics but those that another one has the parts of; and no other. */
START_TEST(the_metrics_are_the_table)
{
	struct evbuffer *out = evbuffer_new();
	char *line, name[128], kind[32];
	unsigned n = 0, n_facts = 0;

	ck_assert_ptr_nonnull(out);
	metrics_write(out, &known.facts, true);
	while ((line = evbuffer_readln(out, NULL, EVBUFFER_EOL_LF)) != NULL) {
		if (sscanf(line, "# TYPE %127s %31s", name, kind) == 2) {
			ck_assert_msg(is_metric(name), "%s", name);
			n_facts += n < FIGURES_FACTS && strcmp(figures[n].metric.name, name) == 0;
			n++;
		}
		free(line);
	}
	evbuffer_free(out);
	ck_assert_uint_eq(n_facts, FIGURES_FACTS);
	ck_assert_uint_eq(n, figures_n - n_no_metrics());
}
END_TEST

static const struct figure *
row_of(const char *key, enum figure_source a, enum figure_source b)
{
	for (size_t i = 0; i < figures_n; i++) {
		if ((figures[i].source == a || figures[i].source == b) &&
		    strcmp(figures[i].key, key) == 0)
			return &figures[i];
	}
	return NULL;
}

/* Each number of J is a figure of source A or B. */
static void
check_numbers(json_t *j, enum figure_source a, enum figure_source b)
{
	const char *key;
	json_t *value;
	unsigned n = 0;

	json_object_foreach(j, key, value)
	{
		if (!json_is_number(value))
			continue;
		ck_assert_msg(row_of(key, a, b) != NULL, "%s", key);
		n++;
	}
	ck_assert_uint_ge(n, 2);
}

START_TEST(the_state_is_of_the_table)
{
	json_t *j = state_json(&known.facts), *list = json_object_get(j, "upstreams");

	check_numbers(j, FIGURE_OF_FACTS, FIGURE_OF_STATE);
	check_numbers(json_object_get(j, "counters"), FIGURE_OF_COUNTER, FIGURE_OF_DNSTAP);
	for (size_t i = 0; i < json_array_size(list); i++)
		check_numbers(json_array_get(list, i), FIGURE_OF_UPSTREAM, FIGURE_AT_PRESENT);
	json_decref(j);
}
END_TEST

/* What SHOW makes of J; the caller frees it. */
static char *
shown(void (*show)(const json_t *j, FILE *out), const json_t *j)
{
	size_t len;
	char *text;
	FILE *f = open_memstream(&text, &len);

	ck_assert_ptr_nonnull(f);
	show(j, f);
	fclose(f);
	return text;
}

/* Each word that dns64ctl has for the cache is a key, and every key is there. */
START_TEST(dns64ctl_has_the_words_of_the_table)
{
	json_t *j = json_object();
	char *text, *rest, *word, part[64];

	for (const struct figure *f = NULL; (f = figures_next(f, FIGURE_OF_CACHE)) != NULL;)
		(void)json_object_set_new(j, f->key, json_integer(7));
	text = shown(show_cache, j);
	for (const struct figure *f = NULL; (f = figures_next(f, FIGURE_OF_CACHE)) != NULL;) {
		(void)snprintf(part, sizeof(part), "%s 7", f->key);
		ck_assert_msg(f->metric.kind == METRIC_GAUGE || strstr(text, part) != NULL,
		    "%s in %s", part, text);
	}
	for (word = strtok_r(text, " ,;.0123456789\n", &rest); word != NULL;
	     word = strtok_r(NULL, " ,;.0123456789\n", &rest))
		ck_assert_msg(strcmp(word, "of") == 0 || strcmp(word, "MiB") == 0 ||
			row_of(word, FIGURE_OF_CACHE, FIGURE_OF_CACHE) != NULL,
		    "%s", word);
	free(text);
	json_decref(j);
}
END_TEST

/* The line of what an upstream is used with at present: "7 in flight, 7 waiting" and so on. */
START_TEST(dns64ctl_has_the_keys_of_an_upstream)
{
	static const enum figure_source sources[] = { FIGURE_OF_UPSTREAM, FIGURE_AT_PRESENT };
	json_t *u = json_object(), *j = json_pack("{s:[o]}", "upstreams", u);
	unsigned n = 0;
	char *text;

	for (size_t i = 0; i < 2; i++) {
		for (const struct figure *f = NULL; (f = figures_next(f, sources[i])) != NULL;)
			(void)json_object_set_new(u, f->key, json_integer(7));
	}
	text = shown(show_upstreams, j);
	ck_assert_msg(strstr(text, " 0") == NULL, "%s", text);
	for (const char *c = text; (c = strstr(c, "7 ")) != NULL; c++)
		n++;
	ck_assert_uint_ge(n, 6);
	free(text);
	json_decref(j);
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
	tcase_add_checked_fixture(tc, known_setup, known_close);
	tcase_add_test(tc, each_row_is_whole);
	tcase_add_test(tc, no_source_has_a_key_twice);
	tcase_add_test(tc, no_name_has_two_figures);
	tcase_add_test(tc, the_metrics_are_the_table);
	tcase_add_test(tc, the_state_is_of_the_table);
	tcase_add_test(tc, dns64ctl_has_the_words_of_the_table);
	tcase_add_test(tc, dns64ctl_has_the_keys_of_an_upstream);
	tcase_add_test(tc, what_was_lost_is_told_by_cause);
}
