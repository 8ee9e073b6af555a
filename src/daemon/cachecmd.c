/* SPDX-License-Identifier: BSD-2-Clause */
#include "daemon/cachecmd.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "config/array.h"
#include "config/textfile.h"
#include "daemon/cachefile.h"
#include "dns/name.h"

#define LINE_MAX_LEN 1280 /* a name with every byte as \DDD has 1,021 characters */

/* --- Reading ---------------------------------------------------------------------------------- */

/* By enum cachecmd_kind. */
static const struct {
	const char *word[2]; /* the second is NULL if there is none */
	bool named;          /* a name follows */
} commands[] = {
	[CACHECMD_FLUSH] = { { "flush", NULL }, false },
	[CACHECMD_FLUSH_NAME] = { { "flush", "name" }, true },
	[CACHECMD_FLUSH_BELOW] = { { "flush", "below" }, true },
	[CACHECMD_SAVE] = { { "save", NULL }, false },
	[CACHECMD_STATS] = { { "stats", NULL }, false },
};

#define N_COMMANDS (sizeof(commands) / sizeof(commands[0]))

/* The number of words in command I. */
static size_t
n_words(size_t i)
{
	return 1U + (commands[i].word[1] != NULL ? 1U : 0U) + (commands[i].named ? 1U : 0U);
}

static bool
is_command(size_t i, const struct words *w)
{
	return w->n == n_words(i) && strcmp(w->word[0], commands[i].word[0]) == 0 &&
	    (commands[i].word[1] == NULL || strcmp(w->word[1], commands[i].word[1]) == 0);
}

bool
cachecmd_parse(const struct words *w, struct cachecmd *out, struct diag *d)
{
	size_t i = 0;

	while (i < N_COMMANDS && !is_command(i, w))
		i++;
	if (i == N_COMMANDS) {
		diag_error(d, w->line, w->word[0],
		    "not understood; allowed is flush, flush name NAME, flush below NAME, save or "
		    "stats");
		return false;
	}
	*out = (struct cachecmd){ .kind = (enum cachecmd_kind)i };
	if (!commands[i].named)
		return true;
	out->name_len = name_from_text(w->word[2], out->name);
	if (out->name_len == 0) {
		diag_error(d, w->line, w->word[0], "'%s' is not a name", w->word[2]);
		return false;
	}
	name_lower(out->name, out->name, out->name_len);
	return true;
}

/* --- Executing -------------------------------------------------------------------------------- */

struct below {
	const uint8_t *name;
	uint64_t n;
};

static bool
count_below(void *arg, const struct question *key, const struct cache_entry *e, const uint8_t *msg)
{
	struct below *b = arg;

	(void)e;
	(void)msg;
	b->n += name_is_below(key->qname, b->name) ? 1 : 0;
	return true;
}

static void
flush_below(const struct cachecmd *c, struct cache *cache)
{
	uint32_t now_s = cachefile_now_s();
	struct below b = { .name = c->name };
	char text[NAME_TEXT];

	for (unsigned i = 0; i < cache_shards(cache); i++)
		(void)cache_walk(cache, i, now_s, count_below, &b);
	cache_flush_below(cache, c->name, c->name_len, now_s);
	log_notice(
	    "cache", "flush below %s: %" PRIu64 " entries", name_to_text(c->name, text), b.n);
}

static void
flush_name(const struct cachecmd *c, struct cache *cache)
{
	unsigned n = cache_flush_name(cache, c->name, c->name_len);
	char text[NAME_TEXT];

	log_notice("cache", "flush name %s: %u entries", name_to_text(c->name, text), n);
}

/* The number is an upper bound: entries that an earlier flush left in memory count, too. */
static void
flush_all(struct cache *cache)
{
	struct shard_counts sum;

	cache_counts(cache, &sum);
	cache_flush_all(cache);
	log_notice("cache", "flush: %" PRIu64 " entries at most", sum.n);
}

static bool
save(const struct cachecmd_on *on)
{
	if (on->file != NULL)
		return cachefile_store(on->file, on->cache, on->stale_s, on->tick, on->arg);
	log_error("cache", "save: there is no cache-file");
	return false;
}

bool
cachecmd_do(const struct cachecmd *c, const struct cachecmd_on *on)
{
	if (c->kind == CACHECMD_STATS) {
		on->stats(on->arg);
		return true;
	}
	if (on->cache == NULL) {
		log_error(
		    "cache", "%s: there is no cache (cache-size 0)", commands[c->kind].word[0]);
		return false;
	}
	switch (c->kind) {
	case CACHECMD_FLUSH:
		flush_all(on->cache);
		break;
	case CACHECMD_FLUSH_NAME:
		flush_name(c, on->cache);
		break;
	case CACHECMD_FLUSH_BELOW:
		flush_below(c, on->cache);
		break;
	case CACHECMD_SAVE:
		return save(on);
	case CACHECMD_STATS:
		break;
	}
	return true;
}

/* --- Files of commands ------------------------------------------------------------------------ */

/* Append the command in the N bytes of a line, if there is one, to ALL. */
static void
parse_line(const char *text, size_t n, unsigned number, struct array *all, struct diag *d)
{
	struct words w = { .line = number };
	char line[LINE_MAX_LEN];
	struct cachecmd c, *slot;

	if (n >= sizeof(line) || memchr(text, '\0', n) != NULL) {
		diag_error(d, number, NULL, "is no line of commands: too long, or with zero bytes");
		return;
	}
	memcpy(line, text, n);
	line[n] = '\0';
	words_split(line, &w);
	if (w.n == 0 || !cachecmd_parse(&w, &c, d))
		return;
	slot = array_add(all, sizeof(*slot));
	if (slot != NULL)
		*slot = c;
	else
		diag_error(d, number, NULL, "there is no memory for it");
}

static bool
do_all(const struct array *all, const struct cachecmd_on *on)
{
	const struct cachecmd *c = all->items;
	bool ok = true;

	for (size_t i = 0; i < all->n; i++)
		ok = cachecmd_do(&c[i], on) && ok;
	return ok;
}

bool
cachecmd_text(const char *text, size_t len, const struct cachecmd_on *on, struct diag *d)
{
	struct array all = { .n = 0 };
	unsigned number = 1;
	bool ok = false;

	for (size_t at = 0; at < len; number++) {
		const char *end = memchr(text + at, '\n', len - at);
		size_t n = end == NULL ? len - at : (size_t)(end - (text + at));

		parse_line(text + at, n, number, &all, d);
		at += n + 1;
	}
	if (d->n_errors == 0)
		ok = do_all(&all, on);
	array_fini(&all);
	return ok;
}

static void
to_log(void *ctx, enum diag_kind kind, const char *text)
{
	(void)ctx;
	(void)kind;
	log_error("cache", "%s", text);
}

bool
cachecmd_file(const char *path, const struct cachecmd_on *on)
{
	struct diag d = { .file = path, .sink = to_log };
	char *text;
	size_t len;
	int rc = textfile_read_trusted(path, &text, &len);
	bool ok;

	if (rc != 0) {
		log_error("cache", "cache-commands %s: %s", path, textfile_strerror(rc));
		return false;
	}
	ok = cachecmd_text(text, len, on, &d);
	free(text);
	if (d.n_errors > 0)
		log_error("cache", "cache-commands %s: nothing was done", path);
	return ok;
}
