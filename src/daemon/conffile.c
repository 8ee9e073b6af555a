/* SPDX-License-Identifier: BSD-2-Clause */
#include "daemon/conffile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "daemon/keywords.h"
#include "daemon/textfile.h"

/* Do two rows write the same field? */
static bool
same_field(const struct keyword *a, const struct keyword *b)
{
	return a->size > 0 && a->size == b->size && a->offset == b->offset;
}

/*
 * The place in the table of the keyword that stood in the file and set the field of K, of which
 * there may be two names; -1 if none did.
 */
static int
set_by(const struct settings *s, const struct keyword *k)
{
	size_t n;
	const struct keyword *table = keywords(&n);

	for (size_t i = 0; i < n; i++) {
		if (s->lines[i] > 0 && (&table[i] == k || same_field(&table[i], k)))
			return (int)i;
	}
	return -1;
}

static void
unknown_keyword(const struct words *w, struct diag *d)
{
	const char *nearest = keywords_nearest(w->word[0]);

	if (nearest != NULL)
		diag_error(d, w->line, w->word[0], "unknown keyword; did you mean %s?", nearest);
	else
		diag_error(d, w->line, w->word[0],
		    "unknown keyword; dns64d -h and dns64d.conf(5) list those there are");
}

/* Has the value a keyword's line may have been given before? Tells it, with both lines. */
static bool
is_duplicate(
    const struct settings *s, const struct keyword *k, const struct words *w, struct diag *d)
{
	size_t n;
	const struct keyword *table = keywords(&n);
	int before = k->repeatable ? -1 : set_by(s, k);

	if (before < 0)
		return false;
	if (&table[before] == k)
		diag_error(d, w->line, k->name, "is at line %u already; it may be given once",
		    s->lines[before]);
	else
		diag_error(d, w->line, k->name,
		    "sets the same as %s at line %u; only one of them may "
		    "be given",
		    table[before].name, s->lines[before]);
	return true;
}

static void
parse_line(char *line, unsigned number, struct settings *s, struct diag *d)
{
	struct words w = { .line = number };
	size_t n;

	words_split(line, &w);
	if (w.n == 0)
		return;
	const struct keyword *k = keywords_find(w.word[0]);
	if (k == NULL) {
		unknown_keyword(&w, d);
		return;
	}
	if (is_duplicate(s, k, &w, d))
		return;
	unsigned *seen = &s->lines[k - keywords(&n)];
	*seen = *seen == 0 ? number : *seen;
	if (w.n == 1)
		diag_error(d, number, k->name, "has no value; allowed is %s", k->args);
	else if (w.n > 1 + k->max_words)
		diag_error(d, number, k->name, "'%s' is too much; allowed is %s",
		    w.word[1 + k->max_words], k->args);
	else
		k->parse(s, k, &w, d);
}

static void
parse_lines(const char *text, size_t len, struct settings *s, struct diag *d)
{
	char line[CONFFILE_LINE];
	size_t at = 0;

	/* A mark that some editors put in front of UTF-8. */
	if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		at = 3;
	for (unsigned number = 1; at < len; number++) {
		const char *end = memchr(text + at, '\n', len - at);
		size_t n = end == NULL ? len - at : (size_t)(end - (text + at));

		if (n >= sizeof(line)) {
			diag_error(
			    d, number, NULL, "is longer than %d characters", CONFFILE_LINE - 1);
		} else {
			memcpy(line, text + at, n);
			line[n] = '\0';
			parse_line(line, number, s, d);
		}
		at += n + 1;
	}
}

/* What the file did not say. */
static void
fallbacks(struct settings *s, struct diag *d)
{
	size_t n;
	const struct keyword *table = keywords(&n);

	s->listens_by_default = keywords_line(s, "listen") == 0;
	for (size_t i = 0; i < n; i++) {
		if (set_by(s, &table[i]) < 0)
			keywords_fallback(s, &table[i], d);
	}
	/* These add to the default (rules.md D13 for blocks, and so everywhere). */
	if (keywords_line(s, "exclude-aaaa") > 0 && !s->excluded_none)
		keywords_fallback(s, keywords_find("exclude-aaaa"), d);
}

/* MTD64 says timeout-time in two parts. */
static void
join_timeout(struct settings *s, struct diag *d)
{
	const struct keyword *whole = keywords_find("timeout-time");
	unsigned sec = keywords_line(s, "timeout-time-sec");
	unsigned usec = keywords_line(s, "timeout-time-usec");
	uint32_t ms = s->timeout_sec * 1000 + s->timeout_usec / 1000;

	if (sec == 0 && usec == 0)
		return;
	if (keywords_line(s, whole->name) > 0) {
		diag_error(d, sec > 0 ? sec : usec,
		    sec > 0 ? "timeout-time-sec" : "timeout-time-usec",
		    "sets the same as timeout-time at line %u; only one of them may be given",
		    keywords_line(s, whole->name));
	} else if (sec == 0) {
		diag_error(d, usec, "timeout-time-usec", "needs a timeout-time-sec beside it");
	} else if (ms < whole->min || ms > whole->max) {
		diag_error(d, sec, "timeout-time-sec",
		    "makes %u.%03u s in all; allowed is a time from 0.1 to 5 seconds", ms / 1000,
		    ms % 1000);
	}
	s->conf.core.timeout_ms = ms;
}

/* mtd64-ng's debugging is a log level. */
static void
join_log_level(struct settings *s, struct diag *d)
{
	if (!s->debugging)
		return;
	if (keywords_line(s, "log-level") > 0)
		diag_error(d, keywords_line(s, "debugging"), "debugging",
		    "sets the same as log-level at line %u; only one of them may be given",
		    keywords_line(s, "log-level"));
	s->log_level = LOG_LEVEL_DEBUG;
}

void
conffile_parse(const char *text, size_t len, struct settings *s, struct diag *d)
{
	memset(s, 0, sizeof(*s));
	if (memchr(text, '\0', len) != NULL) {
		diag_error(d, 0, NULL, "has zero bytes in it and is no configuration");
		return;
	}
	parse_lines(text, len, s, d);
	fallbacks(s, d);
	join_timeout(s, d);
	join_log_level(s, d);
}

void
conffile_read(const char *path, struct settings *s, struct diag *d)
{
	char *text;
	size_t len;
	int rc = textfile_read(path, &text, &len);

	if (rc != 0) {
		memset(s, 0, sizeof(*s));
		if (rc == -EFBIG)
			diag_error(d, 0, NULL, "is larger than 1 MiB and is no configuration");
		else
			diag_error(d, 0, NULL, "cannot be read: %s", strerror(-rc));
		return;
	}
	conffile_parse(text, len, s, d);
	free(text);
}
