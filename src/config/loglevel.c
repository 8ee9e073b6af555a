/* SPDX-License-Identifier: BSD-2-Clause */
#include "config/loglevel.h"

#include <stdio.h>
#include <string.h>

#include "config/set.h"

/*
 * Set *FIELD, the level of WHAT (NULL: of all) plus 1, to LEVEL plus 1; that it was set before is
 * an error.
 */
static void
set_once(uint8_t *field, int level, const struct keyword *k, const struct words *w, struct diag *d)
{
	if (*field == 0)
		*field = (uint8_t)(level + 1);
	else
		diag_error(d, w->line, k->name, "there is a level for %s already",
		    w->n > 2 ? w->word[1] : "all of the log");
}

void
loglevel_set(struct settings *s, const struct keyword *k, const struct words *w, struct diag *d)
{
	const char *word = w->word[w->n - 1];
	int level = set_place(LOGLEVEL_LEVELS, word);
	int category = w->n > 2 ? set_place(LOGLEVEL_CATEGORIES, w->word[1]) : 0;

	if (category < 0)
		diag_error(
		    d, w->line, k->name, "'%s' is not one of " LOGLEVEL_CATEGORIES, w->word[1]);
	else if (level < 0 && w->n == 2 && set_place(LOGLEVEL_CATEGORIES, word) >= 0)
		diag_error(
		    d, w->line, k->name, "'%s' needs its level: one of " LOGLEVEL_LEVELS, word);
	else if (level < 0)
		diag_error(d, w->line, k->name, "'%s' is not one of " LOGLEVEL_LEVELS, word);
	else
		set_once(
		    w->n > 2 ? &s->log_levels.of[category] : &s->log_levels.all, level, k, w, d);
}

void
loglevel_end(struct settings *s)
{
	if (s->log_levels.all == 0)
		s->log_levels.all = LOG_LEVEL_NOTICE + 1;
}

enum log_level
loglevel_of(const struct settings *s, enum log_category category)
{
	uint8_t own = s->log_levels.of[category];

	return (enum log_level)((own > 0 ? own : s->log_levels.all) - 1);
}

/* A level plus 1, N steps higher. */
static uint8_t
step(uint8_t level, int n)
{
	int to = level + n;

	if (to < LOG_LEVEL_ERROR + 1)
		to = LOG_LEVEL_ERROR + 1;
	return (uint8_t)(to > LOG_LEVEL_DEBUG + 1 ? LOG_LEVEL_DEBUG + 1 : to);
}

void
loglevel_override(struct settings *s, const struct keyword *k, int all, int n)
{
	struct settings_log_levels *l = &s->log_levels;
	char text[64];

	if (all < 0 && n == 0)
		return;
	if (all >= 0)
		*l = (struct settings_log_levels){ .all = (uint8_t)(all + 1) };
	l->all = step(l->all, n);
	origin_override(&s->origin, k, log_level_name((enum log_level)(l->all - 1)));
	for (unsigned i = 0; i < LOG_CATEGORIES; i++) {
		if (l->of[i] == 0)
			continue;
		l->of[i] = step(l->of[i], n);
		snprintf(text, sizeof(text), "%s %s", log_category_name((enum log_category)i),
		    log_level_name((enum log_level)(l->of[i] - 1)));
		origin_override(&s->origin, k, text);
	}
}

void
loglevel_use(const struct settings *s)
{
	for (unsigned i = 0; i < LOG_CATEGORIES; i++)
		log_set_category((enum log_category)i, loglevel_of(s, (enum log_category)i));
}

void
loglevel_change(const struct settings *now, const struct settings *next)
{
	enum log_level before[LOG_CATEGORIES];

	for (unsigned i = 0; i < LOG_CATEGORIES; i++)
		before[i] = log_level_of((enum log_category)i);
	loglevel_use(next);
	for (unsigned i = 0; i < LOG_CATEGORIES; i++) {
		enum log_category category = (enum log_category)i;

		if (before[i] != loglevel_of(now, category))
			log_notice(LOG_CONFIG, "the log level of %s is %s again, after %s",
			    log_category_name(category),
			    log_level_name(loglevel_of(next, category)), log_level_name(before[i]));
	}
}
