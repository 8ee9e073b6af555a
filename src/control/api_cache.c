/* SPDX-License-Identifier: BSD-2-Clause */
#include "control/api_cache.h"

#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "cache/cache.h"
#include "control/api_stats.h"
#include "control/control_ctx.h"
#include "control/params.h"
#include "control/reply.h"
#include "dns/header.h"
#include "dns/name.h"
#include "dns/type.h"

/* The cache; NULL: there is none, and R was answered. */
static struct cache *
cache_of(const struct control_ctx *d, struct evhttp_request *r)
{
	struct cache *c = d->host.settings->conf.core.cache;

	if (c == NULL)
		reply_error(r, REPLY_UNPROCESSABLE, "there is no cache (cache-size 0)", NULL);
	return c;
}

/*
 * The same, to be flushed or saved: all of cache-file is in it, as what is flushed must not come
 * back from there. NULL as well if the daemon ends: it saves the cache then.
 */
static struct cache *
loaded_cache_of(const struct control_ctx *d, struct evhttp_request *r)
{
	struct cache *c = cache_of(d, r);

	if (c == NULL)
		return NULL;
	if (d->host.stopping) {
		reply_error(r, HTTP_SERVUNAVAIL, REPLY_ENDING, NULL);
		return NULL;
	}
	d->host.ops->load(d->host.arg);
	return c;
}

static uint32_t
now_s(void)
{
	return clock_s(clock_now_ns());
}

void
api_cache_stats(struct evhttp_request *r, void *arg)
{
	struct cache *c = cache_of(arg, r);

	if (c != NULL)
		reply_json(r, HTTP_OK, api_stats_cache(c));
}

void
api_cache_save(struct evhttp_request *r, void *arg)
{
	const struct control_ctx *d = arg;
	const char *file = d->host.settings->cache_file;
	struct log_capture lines;
	bool ok;

	if (loaded_cache_of(d, r) == NULL || !params_none(r))
		return;
	if (strcmp(file, "none") == 0) {
		reply_error(r, REPLY_UNPROCESSABLE, "there is no cache-file", NULL);
		return;
	}
	log_capture_begin(&lines);
	ok = d->host.ops->save(d->host.arg);
	log_capture_answer(&lines, r, ok, "the cache was not saved");
}

/* --- What is in it ---------------------------------------------------------------------------- */

/* What is looked for, and what was found. */
struct search {
	uint16_t type; /* 0: any */
	json_t *found;
};

static bool
found_one(void *arg, const struct question *k, const struct cache_entry *e, const uint8_t *msg)
{
	static const char *const kinds[] = { [CACHE_POSITIVE] = "answer",
		[CACHE_NODATA] = "nodata",
		[CACHE_NXDOMAIN] = "nxdomain",
		[CACHE_ERROR] = "error",
		[CACHE_SILENT] = "no reply",
		[CACHE_BOGUS] = "bogus" };
	const struct search *s = arg;
	bool any = k->qtype == SHARD_ANY_TYPE;
	char type[TYPE_TEXT];

	if (s->type != 0 && k->qtype != s->type && !any)
		return true;
	(void)json_array_append_new(s->found,
	    json_pack("{s:s, s:s, s:I, s:I, s:I, s:I, s:b, s:b, s:b, s:I}", "type",
		any ? "all" : type_to_text(k->qtype, type), "kind", kinds[e->kind], "age_s",
		(json_int_t)e->age_s, "ttl_s", (json_int_t)e->ttl_s, "left_s",
		(json_int_t)e->ttl_s - (json_int_t)e->age_s, "answers",
		(json_int_t)header_get(msg, HEADER_ANCOUNT), "do", k->do_bit, "cd", k->cd,
		"trusted", (e->flags & CACHE_TRUSTED) != 0, "bytes", (json_int_t)e->len));
	return true;
}

void
api_cache_lookup(struct evhttp_request *r, void *arg)
{
	struct cache *c = cache_of(arg, r);
	json_t *p = c == NULL ? NULL : params_read(r);
	uint8_t name[DNS_NAME_MAX];
	char text[NAME_TEXT];
	struct search s;
	size_t len;

	if (p == NULL)
		return;
	len = params_name(r, p, name);
	if (len > 0 && params_type(r, p, false, &s.type)) {
		s.found = json_array();
		cache_walk_name(c, name, len, now_s(), found_one, &s);
		reply_json(r, HTTP_OK,
		    json_pack("{s:s, s:o*}", "name", name_to_text(name, text), "entries", s.found));
	}
	json_decref(p);
}

/* --- Flushes ---------------------------------------------------------------------------------- */

/* Answer R that N entries are gone, and log it: WHAT. */
static void
flushed(struct evhttp_request *r, const char *what, uint64_t n)
{
	log_notice(LOG_CACHE, "flush %s: %" PRIu64 " entries", what, n);
	reply_json(r, HTTP_OK, json_pack("{s:s, s:I}", "flushed", what, "entries", (json_int_t)n));
}

/* The number is an upper bound: entries that an earlier flush left in memory count, too. */
void
api_flush_all(struct evhttp_request *r, void *arg)
{
	struct cache *c = loaded_cache_of(arg, r);
	struct shard_counts sum;

	if (c == NULL || !params_none(r))
		return;
	cache_counts(c, &sum);
	cache_flush_all(c);
	flushed(r, "all", sum.n);
}

/* What a flush by name is about. */
struct flush {
	uint8_t name[DNS_NAME_MAX];
	size_t len;
	uint16_t type; /* 0: all */
	char what[NAME_TEXT + 32];
};

/* Read the name, and with TYPED the type, that R says after WORD. False: R was answered. */
static bool
read_flush(struct evhttp_request *r, const char *word, bool typed, struct flush *f)
{
	json_t *p = params_read(r);
	char name[NAME_TEXT], type[TYPE_TEXT] = "";
	bool ok = false;

	if (p == NULL)
		return false;
	f->len = params_name(r, p, f->name);
	if (f->len > 0)
		ok = !typed || params_type(r, p, true, &f->type);
	json_decref(p);
	if (ok)
		snprintf(f->what, sizeof(f->what), "%s %s%s%s", word, name_to_text(f->name, name),
		    typed ? " " : "", typed ? type_to_text(f->type, type) : "");
	return ok;
}

void
api_flush_name(struct evhttp_request *r, void *arg)
{
	struct cache *c = loaded_cache_of(arg, r);
	struct flush f;

	if (c != NULL && read_flush(r, "name", false, &f))
		flushed(r, f.what, cache_flush_name(c, f.name, f.len));
}

void
api_flush_type(struct evhttp_request *r, void *arg)
{
	struct cache *c = loaded_cache_of(arg, r);
	struct flush f;

	if (c != NULL && read_flush(r, "type", true, &f))
		flushed(r, f.what, cache_flush_type(c, f.name, f.len, f.type));
}

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

void
api_flush_below(struct evhttp_request *r, void *arg)
{
	struct cache *c = loaded_cache_of(arg, r);
	struct below b = { .n = 0 };
	struct flush f;

	if (c == NULL || !read_flush(r, "below", false, &f))
		return;
	b.name = f.name;
	for (unsigned i = 0; i < cache_shards(c); i++)
		(void)cache_walk(c, i, now_s(), count_below, &b);
	b.n += cache_flush_below(c, f.name, f.len, now_s());
	flushed(r, f.what, b.n);
}
