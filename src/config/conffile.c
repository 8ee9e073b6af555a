/* SPDX-License-Identifier: BSD-2-Clause */
#include "config/conffile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "config/field.h"
#include "config/include.h"
#include "config/joins.h"
#include "config/keywords.h"
#include "config/loglevel.h"
#include "config/policy_lines.h"
#include "config/set.h"
#include "config/textfile.h"

/* A file that is being read. */
struct level {
	const char *path; /* borrowed; NULL: a text without a file */
	char *real;       /* owned: the same without links; NULL: not known */
	size_t file;      /* in the places of the settings */
	unsigned number;  /* of the line that is being read, in the file */
	unsigned line;    /* the same through all files (config/places) */
};

/* What is read, and the files that are open: each but the first is included by the one before. */
struct reader {
	struct settings *s;
	struct diag *d;
	const char *root; /* borrowed: see conffile_read */
	struct level level[1 + INCLUDE_DEPTH];
	unsigned depth;
	unsigned n_files;
	size_t bytes; /* of all files so far */
};

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
		if (lines[i] > 0 && (&table[i] == k || keyword_same_field(&table[i], k)))
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
	char line[DIAG_LINE];

	if (before < 0)
		return false;
	diag_line(d, lines[before], w->line, line);
	if (&table[before] == k)
		diag_error(d, w->line, k->name, "is at %s already; it may be given once", line);
	else
		diag_error(d, w->line, k->name,
		    "sets the same as %s at %s; only one of them may be given", table[before].name,
		    line);
	return true;
}

/* Does K stand in a client block and must not? Then that is an error. */
static bool
is_misplaced(struct settings *s, const struct keyword *k, const struct words *w, struct diag *d)
{
	char head[DIAG_LINE];

	if (s->policy_lines->open == 0 || k->in_block)
		return false;
	diag_line(d, policy_lines_now(s->policy_lines)->line, w->line, head);
	if (strcmp(k->name, "client") != 0) {
		diag_error(d, w->line, k->name,
		    "cannot stand in the client block that begins at %s, only outside of any",
		    head);
		return true;
	}
	diag_error(d, w->line, k->name,
	    "the block that begins at %s is not closed; a } alone on a line closes it, and "
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

/* Add the values of a line, and the number of its client block, to the digest of its keyword. */
static void
digest_line(uint64_t *digest, const struct words *w, size_t block)
{
	*digest = hash_bytes(&block, sizeof(block), *digest);
	for (size_t i = 1; i < w->n && i < WORDS_MAX; i++)
		*digest = hash_bytes(w->word[i], strlen(w->word[i]) + 1, *digest);
}

static void include(struct reader *r, const struct words *w);

static void
parse_keyword(struct reader *r, const struct keyword *k, const struct words *w)
{
	struct settings *s = r->s;
	struct diag *d = r->d;
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
	/* What the files of an include line say has digests of its own. */
	if (k->parse != set_include)
		digest_line(&s->digests[k - table], w, s->policy_lines->open);
	origin_note(&s->origin, k, w,
	    s->policy_lines->open > 0 ? policy_lines_now(s->policy_lines)->line : 0);
	if (k->old != NULL && strcmp(k->old, w->word[0]) == 0)
		diag_notice(
		    d, w->line, k->old, "is called %s now; the old name is read too", k->name);
	if (w->n == 1)
		diag_error(d, w->line, k->name, "has no value; allowed is %s", k->args);
	else if (w->n > 1 + k->max_words)
		diag_error(d, w->line, k->name, "'%s' is too much; allowed is %s",
		    w->word[1 + k->max_words], k->args);
	else if (k->parse == set_include)
		include(r, w);
	else
		k->parse(s, k, w, d);
}

static void
parse_line(struct reader *r, char *line)
{
	struct words w = { .line = r->level[r->depth].line };
	struct settings *s = r->s;
	struct diag *d = r->d;
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
		parse_keyword(r, k, &w);
}

/* Read the LEN bytes at TEXT of the file at the reader's depth. */
static void
parse_lines(struct reader *r, const char *text, size_t len)
{
	struct level *l = &r->level[r->depth];
	struct settings *s = r->s;
	struct diag *d = r->d;
	char line[CONFFILE_LINE];
	size_t at = 0;

	places_begin(&s->places, l->file, 1);

	/* The byte order mark that some editors write before UTF-8. */
	if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		at = 3;
	/* Beyond the most errors nothing is shown, and each line may cost a search for memory. */
	for (l->number = 1; at < len && d->n_errors < DIAG_MAX_ERRORS; l->number++) {
		const char *end = memchr(text + at, '\n', len - at);
		size_t n = end == NULL ? len - at : (size_t)(end - (text + at));

		l->line = places_next(&s->places);
		if (n >= sizeof(line)) {
			diag_error(
			    d, l->line, NULL, "is longer than %d characters", CONFFILE_LINE - 1);
		} else {
			memcpy(line, text + at, n);
			line[n] = '\0';
			parse_line(r, line);
		}
		at += n + 1;
	}
	if (s->policy_lines->open > 0)
		diag_error(d, policy_lines_now(s->policy_lines)->line, "client",
		    "the block is not closed; a } alone on a line closes it%s",
		    r->depth > 0 ? ", in the same file" : "");
	policy_lines_close(s->policy_lines);
}

/* --- Other files ------------------------------------------------------------------------------ */

/* Is the file REAL being read already? Then that it would be read again is an error. */
static bool
is_circle(struct reader *r, const struct words *w, const char *path, const char *real)
{
	char line[DIAG_LINE];

	for (unsigned i = 0; i <= r->depth; i++) {
		const struct level *l = &r->level[i];

		if (l->real == NULL || strcmp(l->real, real) != 0)
			continue;
		if (i == r->depth)
			diag_error(r->d, w->line, "include", "'%s' cannot include itself", path);
		else
			diag_error(r->d, w->line, "include",
			    "'%s' cannot include itself, as it would by its %s", path,
			    diag_line(r->d, l->line, w->line, line));
		return true;
	}
	return false;
}

/* Read the file at PATH into *text; an error if that cannot be. */
static bool
read_included(struct reader *r, const struct words *w, const char *path, char **text, size_t *len)
{
	/* It may be a link: packages and clusters hand out files so, and swap what it leads to. */
	int rc = textfile_read_trusted(path, text, len);

	if (rc == -EISDIR) {
		diag_error(r->d, w->line, "include",
		    "'%s' is a directory; its files are included by a pattern as %s/*.conf", path,
		    path);
		return false;
	}
	if (rc != 0) {
		diag_error(r->d, w->line, "include", "'%s' cannot be read: %s", path,
		    textfile_strerror(rc));
		return false;
	}
	r->bytes += *len;
	r->n_files++;
	if (r->bytes <= TEXTFILE_MAX && r->n_files <= INCLUDE_FILES &&
	    memchr(*text, '\0', *len) == NULL)
		return true;
	if (r->bytes > TEXTFILE_MAX)
		diag_error(r->d, w->line, "include",
		    "'%s' and what was read before are larger than 64 MiB", path);
	else if (r->n_files > INCLUDE_FILES)
		diag_error(
		    r->d, w->line, "include", "there can be %d files at most", INCLUDE_FILES);
	else
		diag_error(r->d, w->line, "include",
		    "'%s' has zero bytes in it and is no configuration", path);
	free(*text);
	return false;
}

static void
include_file(struct reader *r, const struct words *w, const char *path)
{
	char *real = realpath(path, NULL), *text;
	size_t len;

	if (real == NULL) {
		diag_error(
		    r->d, w->line, "include", "'%s' cannot be read: %s", path, strerror(errno));
		return;
	}
	if (!is_circle(r, w, path, real) && read_included(r, w, path, &text, &len)) {
		r->level[++r->depth] = (struct level){
			.path = path, .real = real, .file = places_add(&r->s->places, path)
		};
		parse_lines(r, text, len);
		r->depth--;
		free(text);
	}
	free(real);
}

/* Read what the include line W names, and go on behind it. */
static void
include(struct reader *r, const struct words *w)
{
	struct level *now = &r->level[r->depth];
	struct include_found found;
	char path[INCLUDE_PATH];
	int rc;

	if (now->path == NULL)
		return;
	if (r->depth == INCLUDE_DEPTH) {
		diag_error(r->d, w->line, "include",
		    "files can include one another %d deep, and this one is", INCLUDE_DEPTH);
		return;
	}
	rc = include_path(now->path, w->word[1], r->root, path);
	if (rc == 0) {
		places_look(&r->s->places, path);
		rc = include_find(path, &found);
		/* Beyond the most errors nothing is told any more. */
		for (size_t i = 0; i < found.n && r->n_files <= INCLUDE_FILES; i++)
			include_file(r, w, found.path[i]);
		include_free(&found);
	}
	if (rc != 0)
		diag_error(r->d, w->line, "include", "'%s' cannot be looked for: %s", w->word[1],
		    strerror(-rc));
	places_begin(&r->s->places, now->file, now->number + 1);
}

/* --- All of it -------------------------------------------------------------------------------- */

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

/* Begin to read the text of d->file into *s. False: there is no memory. */
static bool
begin(struct reader *r, struct settings *s, struct diag *d)
{
	*r = (struct reader){ .s = s, .d = d };
	if (!settings_init(s))
		return diag_no_memory(d, 0, NULL);
	r->level[0].file = places_add(&s->places, d->file);
	d->places = &s->places;
	return true;
}

/* Read the LEN bytes at TEXT, a whole configuration. */
static void
parse(struct reader *r, const char *text, size_t len)
{
	if (memchr(text, '\0', len) != NULL) {
		diag_error(r->d, 0, NULL, "has zero bytes in it and is no configuration");
		return;
	}
	parse_lines(r, text, len);
	fallbacks(r->s, r->d);
	joins_check(r->s, r->d);
	loglevel_end(r->s);
}

void
conffile_parse(const char *text, size_t len, struct settings *s, struct diag *d)
{
	struct reader r;

	if (begin(&r, s, d))
		parse(&r, text, len);
}

void
conffile_parse_prefixes(const char *text, size_t len, struct settings *s, struct diag *d)
{
	struct reader r;

	if (!begin(&r, s, d))
		return;
	s->policy_lines->only_prefixes = true;
	if (memchr(text, '\0', len) != NULL)
		diag_error(d, 0, NULL, "has zero bytes in it and is no prefix-file");
	else
		parse_lines(&r, text, len);
}

void
conffile_read(const char *path, const char *root, struct settings *s, struct diag *d)
{
	struct reader r;
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
	if (begin(&r, s, d)) {
		r.root = root;
		r.level[0].path = path;
		r.level[0].real = realpath(path, NULL);
		r.bytes = len;
		parse(&r, text, len);
		free(r.level[0].real);
	}
	free(text);
}
