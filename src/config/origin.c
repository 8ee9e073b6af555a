/* SPDX-License-Identifier: BSD-2-Clause */
#include "config/origin.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Remember VALUE, which is passed on; NULL: there was no memory for it. */
static void
add(struct origin *s, const struct keyword *k, unsigned line, unsigned block, char *value)
{
	struct origin_line *l = value == NULL ? NULL : array_add(&s->lines, sizeof(*l));

	if (l == NULL) {
		free(value);
		return;
	}
	*l = (struct origin_line){ .keyword = k, .line = line, .block = block, .value = value };
}

/* Words from the second on with single blanks between them, the caller's; NULL: there is no memory.
 */
static char *
join(const struct words *w)
{
	size_t n = w->n < WORDS_MAX ? w->n : WORDS_MAX, len = 1;
	char *text, *at;

	for (size_t i = 1; i < n; i++)
		len += strlen(w->word[i]) + 1;
	text = at = malloc(len);
	if (text == NULL)
		return NULL;
	for (size_t i = 1; i < n; i++) {
		if (i > 1)
			*at++ = ' ';
		at = stpcpy(at, w->word[i]);
	}
	*at = '\0';
	return text;
}

void
origin_note(struct origin *s, const struct keyword *k, const struct words *w, unsigned block)
{
	add(s, k, w->line, block, k->secret ? strdup("") : join(w));
}

/* Forget the lines of K that the file has, in client blocks only if IN_BLOCKS. */
static void
forget(struct origin *s, const struct keyword *k, bool in_blocks)
{
	struct origin_line *all = s->lines.items;
	size_t n = 0;

	for (size_t i = 0; i < s->lines.n; i++) {
		struct origin_line *l = &all[i];

		if (l->keyword == k && (in_blocks || (l->line > 0 && l->block == 0)))
			free(l->value);
		else
			all[n++] = *l;
	}
	s->lines.n = n;
}

void
origin_override(struct origin *s, const struct keyword *k, const char *value)
{
	forget(s, k, false);
	add(s, k, 0, 0, strdup(value));
}

const struct origin_line *
origin_lines(const struct origin *s, size_t *n)
{
	*n = s->lines.n;
	return s->lines.items;
}

const struct origin_line *
origin_at(const struct origin *s, unsigned line)
{
	size_t n;
	const struct origin_line *l = origin_lines(s, &n);

	for (size_t i = 0; i < n; i++) {
		if (l[i].line == line)
			return &l[i];
	}
	return NULL;
}

const struct origin_line *
origin_setting(const struct origin *s, const char *name, unsigned block)
{
	const struct origin_line *outside = NULL;
	size_t n;
	const struct origin_line *l = origin_lines(s, &n);

	for (size_t i = 0; i < n; i++) {
		if (strcmp(l[i].keyword->name, name) != 0)
			continue;
		if (l[i].block == block)
			return &l[i];
		if (l[i].block == 0)
			outside = &l[i];
	}
	return outside;
}

void
origin_keep(struct origin *next, struct places *to, const struct origin *now,
    const struct places *from, const struct keyword *k)
{
	size_t n;
	const struct origin_line *l = origin_lines(now, &n);

	forget(next, k, true);
	for (size_t i = 0; i < n; i++) {
		if (l[i].keyword == k)
			add(next, k, l[i].line > 0 ? places_keep(to, from, l[i].line) : 0,
			    l[i].block, strdup(l[i].value));
	}
}

/* Does the line L set K for a part only, so that the default of K holds for the rest? */
static bool
sets_a_part(const struct keyword *k, const struct origin_line *l)
{
	return strcmp(k->name, "log-level") == 0 && strchr(l->value, ' ') != NULL;
}

/* Do A and B set the same? */
static bool
set_the_same(const struct keyword *a, const struct keyword *b)
{
	static const char *const pairs[][2] = { { "upstream-timeout", "timeout-time-sec" },
		{ "upstream-tries", "resend-attempts" }, { "log-level", "debugging" } };

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		if (strcmp(a->name, pairs[i][0]) == 0 && strcmp(b->name, pairs[i][1]) == 0)
			return true;
	}
	return a == b || keyword_same_field(a, b);
}

const char *
origin_default(const struct origin *s, const struct keyword *k)
{
	size_t n;
	const struct origin_line *l = origin_lines(s, &n);

	for (size_t i = 0; i < n; i++) {
		if (l[i].block == 0 && set_the_same(k, l[i].keyword) && !sets_a_part(k, &l[i]))
			return NULL;
	}
	return k->fallback;
}

void
origin_fini(struct origin *s)
{
	for (size_t i = 0; i < s->lines.n; i++)
		free(((struct origin_line *)s->lines.items)[i].value);
	array_fini(&s->lines);
}
