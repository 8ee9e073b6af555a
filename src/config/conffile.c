/* SPDX-License-Identifier: BSD-2-Clause */
#include "config/conffile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/log.h"
#include "config/field.h"
#include "config/keywords.h"
#include "config/loglevel.h"
#include "config/policy_lines.h"
#include "config/textfile.h"

/* Do two rows write the same field? */
static bool
same_field(const struct keyword *a, const struct keyword *b)
{
	return a->size > 0 && a->size == b->size && a->offset == b->offset &&
	    a->in_block == b->in_block;
}

/* The lines where keywords first stood, in the open block or outside of any. */
static unsigned *
lines_now(struct settings *s)
{
	return s->policy_lines->open > 0 ? policy_lines_now(s->policy_lines)->lines : s->lines;
}

/*
 * The row of the keyword that set the field of K, by LINES; two keywords may have one field. -1 if
 * none did.
 */
static int
set_by(const unsigned lines[static KEYWORDS_MAX], const struct keyword *k)
{
	size_t n;
	const struct keyword *table = keywords(&n);

	for (size_t i = 0; i < n; i++) {
		if (lines[i] > 0 && (&table[i] == k || same_field(&table[i], k)))
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

/*
 * Was the field of K set before, where it may be set once? Then that is an error, with both lines.
 */
static bool
is_duplicate(const unsigned lines[static KEYWORDS_MAX], const struct keyword *k,
    const struct words *w, struct diag *d)
{
	size_t n;
	const struct keyword *table = keywords(&n);
	int before = k->repeatable ? -1 : set_by(lines, k);

	if (before < 0)
		return false;
	if (&table[before] == k)
		diag_error(d, w->line, k->name, "is at line %u already; it may be given once",
		    lines[before]);
	else
		diag_error(d, w->line, k->name,
		    "sets the same as %s at line %u; only one of them may "
		    "be given",
		    table[before].name, lines[before]);
	return true;
}

/* Does K stand in a client block and must not? Then that is an error. */
static bool
is_misplaced(struct settings *s, const struct keyword *k, const struct words *w, struct diag *d)
{
	unsigned head = policy_lines_now(s->policy_lines)->line;

	if (s->policy_lines->open == 0 || k->in_block)
		return false;
	if (strcmp(k->name, "client") != 0) {
		diag_error(d, w->line, k->name,
		    "cannot stand in the client block that begins at line %u, only outside of any",
		    head);
		return true;
	}
	diag_error(d, w->line, k->name,
	    "the block that begins at line %u is not closed; a } alone on a line closes it, and "
	    "blocks do not stand in one another",
	    head);
	policy_lines_close(s->policy_lines);
	return false;
}

/* Read a line that begins with a brace. */
static void
parse_brace(struct settings *s, const struct words *w, struct diag *d)
{
	const char *brace = w->word[0];

	if (brace[0] == '{')
		diag_error(
		    d, w->line, NULL, "a { stands at the end of the client line it belongs to");
	else if (s->policy_lines->open == 0)
		diag_error(d, w->line, NULL, "there is no client block that this } could close");
	else if (w->n > 1)
		diag_error(
		    d, w->line, NULL, "'%s' is too much; a } stands alone on its line", w->word[1]);
	if (brace[0] == '}')
		policy_lines_close(s->policy_lines);
}

/* Add the words of a line, and the number of its client block, to the digest of its keyword. */
static void
digest_line(uint64_t *digest, const struct words *w, size_t block)
{
	*digest = hash_bytes(&block, sizeof(block), *digest);
	for (size_t i = 0; i < w->n && i < WORDS_MAX; i++)
		*digest = hash_bytes(w->word[i], strlen(w->word[i]) + 1, *digest);
}

static void
parse_keyword(struct settings *s, const struct keyword *k, const struct words *w, struct diag *d)
{
	const struct keyword *table;
	unsigned *lines;
	bool misplaced = is_misplaced(s, k, w, d);
	size_t n;

	/* Also if it is wrong: or else it would be reported as missing too. */
	lines = misplaced ? s->lines : lines_now(s);
	if (!misplaced && is_duplicate(lines, k, w, d))
		return;
	table = keywords(&n);
	if (lines[k - table] == 0)
		lines[k - table] = w->line;
	if (misplaced)
		return;
	digest_line(&s->digests[k - table], w, s->policy_lines->open);
	origin_note(&s->origin, k, w,
	    s->policy_lines->open > 0 ? policy_lines_now(s->policy_lines)->line : 0);
	if (w->n == 1)
		diag_error(d, w->line, k->name, "has no value; allowed is %s", k->args);
	else if (w->n > 1 + k->max_words)
		diag_error(d, w->line, k->name, "'%s' is too much; allowed is %s",
		    w->word[1 + k->max_words], k->args);
	else
		k->parse(s, k, w, d);
}

static void
parse_line(char *line, unsigned number, struct settings *s, struct diag *d)
{
	struct words w = { .line = number };
	const struct keyword *k;

	words_split(line, &w);
	if (w.n == 0)
		return;
	if (strcmp(w.word[0], "{") == 0 || strcmp(w.word[0], "}") == 0) {
		parse_brace(s, &w, d);
		return;
	}
	k = keywords_find(w.word[0]);
	if (k == NULL)
		unknown_keyword(&w, d);
	else if (s->policy_lines->only_prefixes && strcmp(k->name, "dns64-prefix") != 0 &&
	    strcmp(k->name, "client") != 0)
		diag_error(d, w.line, k->name,
		    "cannot stand in the prefix-file; allowed are dns64-prefix and client blocks "
		    "with it");
	else
		parse_keyword(s, k, &w, d);
}

static void
parse_lines(const char *text, size_t len, struct settings *s, struct diag *d)
{
	char line[CONFFILE_LINE];
	size_t at = 0;

	/* The byte order mark that some editors write before UTF-8. */
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
	if (s->policy_lines->open > 0)
		diag_error(d, policy_lines_now(s->policy_lines)->line, "client",
		    "the block is not closed; a } alone on a line closes it");
	policy_lines_close(s->policy_lines);
}

/* Give keywords that did not occur their defaults. */
static void
fallbacks(struct settings *s, struct diag *d)
{
	size_t n;
	const struct keyword *table = keywords(&n);

	s->listens_by_default = keywords_line(s, "listen") == 0;
	for (size_t i = 0; i < n; i++) {
		if (set_by(s->lines, &table[i]) < 0)
			field_fallback(s, &table[i], d);
	}
}

/* MTD64 writes timeout-time as seconds and microseconds. */
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

/* The keyword debugging of mtd64-ng sets the log level. */
static void
join_log_level(struct settings *s, struct diag *d)
{
	if (!s->debugging)
		return;
	if (keywords_line(s, "log-level") > 0)
		diag_error(d, keywords_line(s, "debugging"), "debugging",
		    "sets the same as log-level at line %u; only one of them may be given",
		    keywords_line(s, "log-level"));
	s->log_levels.all = LOG_LEVEL_DEBUG + 1;
}

/* Find keywords about a cache that is off, and bounds that contradict each other. */
static void
check_cache(const struct settings *s, struct diag *d)
{
	static const char *const words[] = { "cache-min-ttl", "cache-max-ttl", "cache-max-negative",
		"cache-failure-ttl", "cache-stale", "nxdomain-cut", "prefetch", "rrset-order",
		"cache-file" };
	const struct conf_cache *c = &s->conf.core.keep;
	unsigned least = keywords_line(s, "cache-min-ttl"),
		 most = keywords_line(s, "cache-max-ttl");

	if (c->min_ttl_s > c->max_ttl_s)
		diag_error(d, least > most ? least : most,
		    least > most ? "cache-min-ttl" : "cache-max-ttl",
		    "cache-min-ttl %" PRIu32 " is more than cache-max-ttl %" PRIu32, c->min_ttl_s,
		    c->max_ttl_s);
	/* cache_size is 0 also if its line was wrong. */
	if (s->cache_size > 0 || d->n_errors > 0)
		return;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		unsigned line = keywords_line(s, words[i]);

		if (line > 0)
			diag_notice(d, line, words[i], "has no effect with cache-size 0");
	}
}

void
conffile_parse(const char *text, size_t len, struct settings *s, struct diag *d)
{
	if (!settings_init(s)) {
		diag_error(d, 0, NULL, "there is no memory for it");
		return;
	}
	if (memchr(text, '\0', len) != NULL) {
		diag_error(d, 0, NULL, "has zero bytes in it and is no configuration");
		return;
	}
	parse_lines(text, len, s, d);
	fallbacks(s, d);
	join_timeout(s, d);
	join_log_level(s, d);
	loglevel_end(s);
	check_cache(s, d);
}

void
conffile_parse_prefixes(const char *text, size_t len, struct settings *s, struct diag *d)
{
	if (!settings_init(s)) {
		diag_error(d, 0, NULL, "there is no memory for it");
		return;
	}
	s->policy_lines->only_prefixes = true;
	if (memchr(text, '\0', len) != NULL)
		diag_error(d, 0, NULL, "has zero bytes in it and is no prefix-file");
	else
		parse_lines(text, len, s, d);
}

void
conffile_read(const char *path, struct settings *s, struct diag *d)
{
	char *text;
	size_t len;
	int rc = textfile_read_trusted(path, &text, &len);

	if (rc != 0) {
		memset(s, 0, sizeof(*s));
		if (rc == -EFBIG)
			diag_error(d, 0, NULL, "is larger than 64 MiB and is no configuration");
		else
			diag_error(d, 0, NULL, "cannot be read: %s", textfile_strerror(rc));
		return;
	}
	conffile_parse(text, len, s, d);
	free(text);
}
