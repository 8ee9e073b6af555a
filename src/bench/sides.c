/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/sides.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "bench/figures.h"
#include "bench/result/text.h"

#define LINE 400
#define DISTINCT 3 /* values of a setting that are told of one side */

/* Why it is not possible. */
static bool PRINTF_LIKE(2, 3) refuse(struct bench_sides *c, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	(void)vsnprintf(c->error, sizeof(c->error), format, ap);
	va_end(ap);
	return false;
}

/* What is no UTF-8, as the name of a file need not be, has question marks where it is not ASCII. */
static void
make_text(char *text)
{
	json_t *j = json_string(text);

	for (char *p = text; j == NULL && *p != '\0'; p++) {
		if ((unsigned char)*p >= 0x80)
			*p = '?';
	}
	json_decref(j);
}

/* FORMAT as a JSON string. */
static json_t *PRINTF_LIKE(1, 2) say(const char *format, ...)
{
	char text[BENCH_RUN_ERROR];
	va_list ap;

	va_start(ap, format);
	(void)vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	make_text(text);
	return json_string(text);
}

/* --- Reading ---------------------------------------------------------------------------------- */

/* The name of a side: what is before "=", or else its first file's, without directory and end. */
static const char *
take_name(struct bench_side *s, const char *word)
{
	size_t n = strcspn(word, "=,/");
	const char *path = word, *end;

	if (word[n] == '=' && n > 0) {
		(void)snprintf(s->name, sizeof(s->name), "%.*s", (int)n, word);
		make_text(s->name);
		return word + n + 1;
	}
	end = path + strcspn(path, ",");
	for (const char *p = path; p < end; p++) {
		if (*p == '/')
			path = p + 1;
	}
	n = (size_t)(end - path);
	if (n > 5 && strncmp(end - 5, ".json", 5) == 0)
		n -= 5;
	(void)snprintf(s->name, sizeof(s->name), "%.*s", (int)n, path);
	make_text(s->name);
	return word;
}

/* Two of the same name could not be told apart: each gets its number. */
static void
number_names(struct bench_sides *c)
{
	for (size_t i = 0; i < c->n; i++) {
		size_t same = 0;

		for (size_t k = 0; k < i; k++)
			same += strcmp(c->side[k].name, c->side[i].name) == 0;
		if (same > 0)
			(void)snprintf(c->side[i].name + strlen(c->side[i].name),
			    BENCH_SIDE_NAME - strlen(c->side[i].name), " (%zu)", i + 1);
	}
}

static bool
read_side(struct bench_sides *c, struct bench_side *s, const char *word)
{
	char error[BENCH_RUN_ERROR];
	const char *list = take_name(s, word);

	s->n = 1;
	for (const char *p = list; *p != '\0'; p++)
		s->n += *p == ',';
	s->words = strdup(list);
	s->paths = calloc(s->n, sizeof(*s->paths));
	s->runs = calloc(s->n, sizeof(*s->runs));
	if (s->words == NULL || s->paths == NULL || s->runs == NULL)
		return refuse(c, "out of memory");
	char *next = s->words;
	for (size_t i = 0; i < s->n; i++) {
		s->paths[i] = strsep(&next, ",");
		if (*s->paths[i] == '\0')
			continue;
		s->runs[i] = bench_run_read(s->paths[i], error);
		if (s->runs[i] == NULL)
			return refuse(c, "%s", error);
	}
	return true;
}

const json_t *
bench_sides_next(const struct bench_sides *c, size_t *side, size_t *file)
{
	for (; *side < c->n; (*side)++, *file = SIZE_MAX) {
		while (++*file < c->side[*side].n) {
			if (c->side[*side].runs[*file] != NULL)
				return bench_run_tree(c->side[*side].runs[*file]);
		}
	}
	return NULL;
}

/* Only runs of one method have something in common. */
static bool
same_method(struct bench_sides *c)
{
	const char *method = NULL, *first = NULL;
	const json_t *of_first = NULL;
	size_t side = 0, file = SIZE_MAX;

	for (const json_t *run; (run = bench_sides_next(c, &side, &file)) != NULL;) {
		const char *path = c->side[side].paths[file];
		size_t n = bench_figures_repetitions(run);

		if (method == NULL) {
			method = bench_text_get(run, "method");
			first = path;
			of_first = run;
		}
		if (strcmp(method, bench_text_get(run, "method")) != 0)
			return refuse(c,
			    "%s is a run of %s, and %s one of %s: only runs of one method can be "
			    "compared",
			    first, method, path, bench_text_get(run, "method"));
		if (!bench_figures_fit(of_first, run))
			return refuse(c, "%s and %s have searched for other things", first, path);
		c->each = n > c->each ? n : c->each;
	}
	for (size_t i = 0; i < c->n; i++)
		c->rounds = c->side[i].n > c->rounds ? c->side[i].n : c->rounds;
	c->rounds *= c->each;
	return method != NULL || refuse(c, "there is no file to compare");
}

bool
bench_sides_read(struct bench_sides *c, char *const *words, size_t n)
{
	memset(c, 0, sizeof(*c));
	if (n < 1 || n > BENCH_SIDES_MAX || (n == 1 && strchr(words[0], ',') == NULL))
		return refuse(c, "compare takes 2 to %d runs, or lists of them, and not %zu",
		    BENCH_SIDES_MAX, n);
	for (size_t i = 0; i < n; i++) {
		c->n++; /* also what was begun is freed */
		if (!read_side(c, &c->side[i], words[i]))
			return false;
	}
	number_names(c);
	return same_method(c);
}

void
bench_sides_free(struct bench_sides *c)
{
	for (size_t i = 0; i < c->n; i++) {
		struct bench_side *s = &c->side[i];

		for (size_t k = 0; s->runs != NULL && k < s->n; k++)
			bench_run_free(s->runs[k]);
		free((void *)s->runs);
		free((void *)s->paths);
		free(s->words);
	}
}

/* --- Settings --------------------------------------------------------------------------------- */

/* Where settings are: of the run, of its machine, or of the tester (an object of its own). */
static const json_t *
setting_of(const json_t *run, const char *group, const char *key)
{
	return json_object_get(*group == '\0' ? run : json_object_get(run, group), key);
}

/* The values of a setting in the runs of side S, each once, to TEXT. */
static void
distinct(const struct bench_side *s, const char *group, const char *key, char text[static LINE])
{
	const json_t *seen[DISTINCT];
	char cell[BENCH_TEXT_CELL];
	unsigned n = 0;
	size_t len = 0;

	text[0] = '\0';
	for (size_t i = 0; i < s->n; i++) {
		if (s->runs[i] == NULL)
			continue;
		const json_t *v = setting_of(bench_run_tree(s->runs[i]), group, key);
		unsigned k = 0;

		while (k < n && k < DISTINCT && v != seen[k] && !json_equal(v, seen[k]))
			k++;
		if (k < n && k < DISTINCT)
			continue;
		if (n < DISTINCT) {
			seen[n] = v;
			len += (size_t)snprintf(text + len, LINE - len, "%s%.100s",
			    n > 0 ? " or " : "", bench_text_cell(v, BENCH_TEXT_ROUND, cell));
		}
		n++;
	}
	if (n > DISTINCT)
		(void)snprintf(text, LINE, "changing");
}

/* Has the setting KEY another value in one of the runs? Long ones may differ where none is told. */
static bool
differs(const struct bench_sides *c, const char *group, const char *key)
{
	size_t side = 0, file = SIZE_MAX;
	const json_t *first = setting_of(bench_sides_next(c, &side, &file), group, key);

	for (const json_t *run; (run = bench_sides_next(c, &side, &file)) != NULL;) {
		const json_t *v = setting_of(run, group, key);

		if (v != first && !json_equal(v, first))
			return true;
	}
	return false;
}

/* Tell the setting KEY if it is not the same everywhere. */
static void
tell_setting(
    const struct bench_sides *c, struct bench_run *result, const char *group, const char *key)
{
	char text[LINE], line[BENCH_SIDES_MAX * (LINE + BENCH_SIDE_NAME)];
	bool differ = differs(c, group, key);
	size_t len = 0;

	for (size_t i = 0; i < c->n && differ; i++) {
		distinct(&c->side[i], group, key, text);
		len += (size_t)snprintf(line + len, sizeof(line) - len, "%s%s: %s",
		    i > 0 ? "; " : "", c->side[i].name, text);
	}
	if (!differ)
		return;
	(void)snprintf(text, sizeof(text), "%s%s%s", group, *group != '\0' ? "." : "", key);
	make_text(line);
	bench_run_set(result, text, json_string(line));
}

/* All keys that any of the runs has in GROUP, once. */
static void
tell_group(const struct bench_sides *c, struct bench_run *result, const char *group)
{
	json_t *keys = json_object(), *value;
	size_t side = 0, file = SIZE_MAX;
	const char *key;

	for (const json_t *run; (run = bench_sides_next(c, &side, &file)) != NULL;)
		(void)json_object_update_missing(keys, json_object_get(run, group));
	json_object_foreach(keys, key, value) tell_setting(c, result, group, key);
	json_decref(keys);
}

void
bench_sides_settings(const struct bench_sides *c, struct bench_run *result)
{
	size_t before, keys;

	for (size_t i = 0; i < c->n; i++) {
		const struct bench_side *s = &c->side[i];
		char key[32];

		(void)snprintf(key, sizeof(key), "run %zu", i + 1);
		bench_run_set(result, key,
		    s->n == 1 ? say("%s: %s", s->name, s->paths[0])
			      : say("%s: %zu files from %s to %s", s->name, s->n, s->paths[0],
				    s->paths[s->n - 1]));
	}
	before = json_object_size(json_object_get(bench_run_tree(result), "settings"));
	tell_setting(c, result, "", "version");
	tell_group(c, result, "machine");
	tell_group(c, result, "settings");
	keys = json_object_size(json_object_get(bench_run_tree(result), "settings"));
	if (keys == before)
		bench_run_set(result, "settings", json_string("the same in all of them"));
}

/* Why the rate of RUN is a lower bound, as it says itself; NULL: it is none. */
static const char *
at_least(const json_t *run)
{
	const json_t *f = bench_run_finding_of(run, "at least", 0);

	return f != NULL ? bench_text_get(f, "value") : NULL;
}

void
bench_sides_notes(const struct bench_sides *c, struct bench_run *result)
{
	size_t side = 0, file = SIZE_MAX;

	if (c->n > 1 && c->each > 1 && c->rounds == c->each)
		bench_run_find(result, "note",
		    json_string("the runs were not measured in turn: what changed in between "
				"counts as a difference"),
		    "");
	for (const json_t *run; (run = bench_sides_next(c, &side, &file)) != NULL;) {
		const char *why =
		    json_string_value(json_array_get(json_object_get(run, "failed"), 0));

		if (!json_is_true(json_object_get(run, "complete")))
			why = "it was interrupted";
		if (why != NULL)
			bench_run_find(result, "not a good run",
			    say("%s: %s", c->side[side].paths[file], why), "");
		else if (at_least(run) != NULL)
			bench_run_find(result, "at least",
			    say("%s: %s: its server may do more", c->side[side].paths[file],
				at_least(run)),
			    "");
	}
}
