/* SPDX-License-Identifier: BSD-2-Clause */
/* A figure has one name, wherever it is shown, and no name has two figures. */

#include "figures/figures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "control/page_files.h"
#include "control/state_json.h"
#include "dns64ctl/show.h"
#include "dns64ctl/top.h"
#include "figures/metrics.h"
#include "support/known.h"
#include "support/tests.h"

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

static bool
same_metric(const struct figure *a, const struct figure *b)
{
	return a->metric.name != NULL && b->metric.name != NULL &&
	    strcmp(a->metric.name, b->metric.name) == 0;
}

/*
 * The counter upstream_replies of dns64ctl was another figure than upstream_replies of /metrics:
 * what is told of each upstream may have the name of the counter that is its sum. No other name has
 * two rows, and neither have the words that say what a figure is.
 */
START_TEST(no_name_and_no_help_has_two_figures)
{
	unsigned n = 0;

	for (size_t i = 0; i < figures_n; i++) {
		for (size_t k = 0; k < figures_n; k++) {
			const struct figure *f = &figures[i], *c = &figures[k];

			ck_assert_msg(
			    i == k || strcmp(f->metric.help, c->metric.help) != 0, "%s", f->key);
			if (i == k || !same_metric(f, c) || f->source == FIGURE_OF_COUNTER)
				continue;
			ck_assert_int_eq(f->source, FIGURE_OF_UPSTREAM);
			ck_assert_int_eq(c->source, FIGURE_OF_COUNTER);
			ck_assert_uint_eq(f->n_places, 1);
			ck_assert_int_eq(f->places[0], c->places[0]);
			n++;
		}
	}
	ck_assert_uint_ge(n, 3);
}
END_TEST

/* --- Where they are shown --------------------------------------------------------------------- */

/* Is the counter F told by a metric of another row, in parts? */
static bool
is_part(const struct figure *f)
{
	enum stats_place place = f->places[0];

	if (f->source != FIGURE_OF_COUNTER || f == &figures[FIGURES_CACHE_HITS])
		return false;
	for (size_t i = 0; i < figures_n; i++) {
		for (size_t p = 0; &figures[i] != f && p < figures[i].n_places; p++) {
			if (figures[i].places[p] == place)
				return true;
		}
	}
	return place >= STATS_cache_hits_other && place < STATS_cache_hits_other + TYPE_KINDS_N;
}

/* How many rows have a metric NAME of their own. */
static unsigned
n_rows(const char *name)
{
	unsigned n = 0;

	for (size_t i = 0; i < figures_n; i++) {
		const char *own = figures[i].metric.name;

		n += own != NULL && strcmp(own, name) == 0 && !is_part(&figures[i]);
	}
	return n;
}

/* Every family among the metrics has one row, and every such row is there once. */
START_TEST(the_metrics_are_the_table)
{
	struct evbuffer *out = evbuffer_new();
	char *line, name[128], kind[32];
	unsigned n = 0, n_own = 0;

	ck_assert_ptr_nonnull(out);
	metrics_write(out, &known.facts, true);
	while ((line = evbuffer_readln(out, NULL, EVBUFFER_EOL_LF)) != NULL) {
		if (sscanf(line, "# TYPE %127s %31s", name, kind) == 2) {
			ck_assert_msg(n_rows(name) == 1, "%s", name);
			n++;
		}
		free(line);
	}
	evbuffer_free(out);
	for (size_t i = 0; i < figures_n; i++)
		n_own += figures[i].metric.name != NULL && !is_part(&figures[i]);
	ck_assert_uint_eq(n, n_own);
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

/* Which figures stand in an object or list of JSON; NULL: in the whole. */
static const struct shown_in {
	const char *name;
	enum figure_source a, b;
} places[] = { { NULL, FIGURE_OF_FACTS, FIGURE_OF_STATE },
	{ "answers", FIGURE_OF_ANSWERS, FIGURE_OF_ANSWERS },
	{ "latency", FIGURE_OF_LATENCY, FIGURE_OF_LATENCY },
	{ "loops", FIGURE_OF_LOOP, FIGURE_OF_FACTS }, { "cache", FIGURE_OF_CACHE, FIGURE_OF_CACHE },
	{ "counters", FIGURE_OF_COUNTER, FIGURE_OF_COUNTER },
	{ "upstreams", FIGURE_OF_UPSTREAM, FIGURE_AT_PRESENT },
	{ "prefixes", FIGURE_OF_FACTS, FIGURE_OF_FACTS }, { "udp", FIGURE_OF_RTT, FIGURE_OF_RTT },
	{ "0x20", FIGURE_OF_GUARD, FIGURE_OF_GUARD } };

/* What has no figures: reasons and what they come to (core/reason), the parts of a figure. */
static bool
has_names_of_others(const char *name)
{
	return strstr(name, "_by_") != NULL || strcmp(name, "outcomes") == 0 ||
	    strcmp(name, "reasons") == 0;
}

static unsigned
rows_in(const char *name, const char *key)
{
	unsigned n = 0;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		const struct shown_in *in = &places[i];

		if (in->name == NULL ? name != NULL : name == NULL || strcmp(in->name, name) != 0)
			continue;
		for (size_t f = 0; f < figures_n; f++)
			n += (figures[f].source == in->a || figures[f].source == in->b) &&
			    strcmp(figures[f].key, key) == 0;
	}
	return n;
}

/* Each number and list of numbers in J, which is called NAME, has one row. Returns how many. */
static unsigned
check_numbers(json_t *j, const char *name)
{
	const char *key;
	json_t *value;
	unsigned n = 0;

	for (size_t i = 0; i < json_array_size(j); i++)
		n += check_numbers(json_array_get(j, i), name);
	json_object_foreach(j, key, value)
	{
		if (has_names_of_others(key))
			continue;
		if (json_is_number(value) || json_is_number(json_array_get(value, 0))) {
			ck_assert_msg(rows_in(name, key) == 1, "%s in %s", key,
			    name == NULL ? "the whole" : name);
			n++;
		} else {
			n += check_numbers(value, key);
		}
	}
	return n;
}

START_TEST(the_state_is_of_the_table)
{
	struct cache *cache = cache_new(CACHE_MIN, 0, 0);
	json_t *j;

	ck_assert_ptr_nonnull(cache);
	known.settings.conf.core.cache = cache;
	known.upstreams.at[0].off_until_ns[UPSTREAM_STATUS_CASE] = clock_now_ns() + NS_PER_SEC;
	j = state_json(&known.facts);
	ck_assert_uint_gt(check_numbers(j, NULL), STATS_N + 50);
	json_decref(j);
	known.settings.conf.core.cache = NULL;
	cache_free(cache);
}
END_TEST

/* Each heading of the page that is made of a figure has its row: "@#key@", "@?key@". */
START_TEST(the_page_is_of_the_table)
{
	char *page = strndup((const char *)page_files_html, page_files_html_len), *rest = page;
	unsigned n = 0, n_marks = 0;

	ck_assert_ptr_nonnull(page);
	for (char *part; (part = strsep(&rest, "@")) != NULL; n++) {
		bool found = false;

		if (n % 2 == 0 || strchr("#?", part[0]) == NULL)
			continue;
		for (size_t i = 0; i < figures_n; i++)
			found |= strcmp(figures[i].key, part + 1) == 0;
		ck_assert_msg(found, "%s", part);
		n_marks++;
	}
	ck_assert_uint_ge(n_marks, 13);
	free(page);
}
END_TEST

/* What SHOW makes of J; the caller frees it. */
static char *
shown(void (*show)(const json_t *j, FILE *out), const json_t *j)
{
	static size_t len;
	static char *text;
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
	const struct figure *const heads[] = { figures_find("sends"), figures_find("replies"),
		figures_find("lost"), &figures[FIGURES_SHARE] };
	json_t *u = json_object(), *j = json_pack("{s:[o]}", "upstreams", u);
	char word[FIGURE_WORDS];
	unsigned n = 0;
	char *text;

	for (size_t i = 0; i < 2; i++) {
		for (const struct figure *f = NULL; (f = figures_next(f, sources[i])) != NULL;)
			(void)json_object_set_new(u, f->key, json_integer(7));
	}
	(void)json_object_set_new(
	    u, figures[FIGURES_RTT_UDP].key, json_pack("{s:i}", figures[FIGURES_RTT].key, 7));
	(void)json_object_set_new(
	    u, figures[FIGURES_RTT_TCP].key, json_pack("{s:i}", figures[FIGURES_RTT].key, 7));
	text = shown(show_upstreams, j);
	ck_assert_msg(strstr(text, " 0") == NULL, "%s", text);
	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		const char *at = strstr(text, figure_words(heads[i], word));

		ck_assert_msg(at != NULL && at < strchr(text, '\n'), "%s", word);
	}
	for (const char *c = text; (c = strstr(c, "7 ")) != NULL; c++)
		n++;
	ck_assert_uint_ge(n, 6);
	free(text);
	json_decref(j);
}
END_TEST

/* Each column of "dns64ctl top" is made of counters that there are. */
START_TEST(dns64ctl_top_has_counters_of_the_table)
{
	json_t *old = json_pack("{s:i, s:{}}", "time", 1, "counters");
	json_t *counters = json_object();
	json_t *now = json_pack("{s:i, s:i, s:o}", figures[FIGURES_TIME].key, 2,
	    figures[FIGURES_IN_FLIGHT].key, 7, "counters", counters);
	static char *text;
	static size_t len;
	FILE *f = open_memstream(&text, &len);

	for (const struct figure *c = NULL; (c = figures_next(c, FIGURE_OF_COUNTER)) != NULL;)
		(void)json_object_set_new(counters, c->key, json_integer(7));
	ck_assert_ptr_nonnull(f);
	top_line(old, now, f);
	fclose(f);
	/* Two sums of two, a part of a half, and single ones. */
	ck_assert_str_eq(text,
	    "          14           7           7           7           7           7           7"
	    "          50          14           7           7\n");
	free(text);
	json_decref(old);
	json_decref(now);
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
	tcase_add_test(tc, no_name_and_no_help_has_two_figures);
	tcase_add_test(tc, the_metrics_are_the_table);
	tcase_add_test(tc, the_state_is_of_the_table);
	tcase_add_test(tc, the_page_is_of_the_table);
	tcase_add_test(tc, dns64ctl_top_has_counters_of_the_table);
	tcase_add_test(tc, dns64ctl_has_the_words_of_the_table);
	tcase_add_test(tc, dns64ctl_has_the_keys_of_an_upstream);
	tcase_add_test(tc, what_was_lost_is_told_by_cause);
}
