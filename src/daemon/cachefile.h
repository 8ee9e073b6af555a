/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DAEMON_CACHEFILE_H
#define DNS64D_DAEMON_CACHEFILE_H

/*
 * cachefile: the cache survives a restart in a file (cache/image has its form).
 *
 * The file is always a whole one: it is written beside its place and moved there. It is taken whole
 * or not at all: nothing enters the cache before all of it was looked at. While it is written the
 * loops go on; a shard is locked only while its entries are copied.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "cache/cache.h"

#define CACHEFILE_ERROR 160 /* longest text of what is wrong, with the final zero */

/* Called now and then, as a large cache takes its time. */
typedef void cachefile_tick(void *arg);

/* What time it is, and what else there is to do. */
struct cachefile_when {
	uint32_t now_s;       /* the cache's clock */
	uint64_t unix_s;      /* since 1970 */
	uint32_t stale_s;     /* entries so long past their end are of use */
	cachefile_tick *tick; /* NULL: nothing */
	void *arg;            /* borrowed: tick's */
};

struct cachefile_counts {
	uint64_t entries; /* written, or handed to the cache */
	uint64_t old;     /* left out: of no use any more */
	uint64_t bytes;   /* of the file */
};

/*
 * cachefile_save: write what C holds, but for failures, to PATH, mode 0600, by way of PATH.new.
 * False with the reason in ERROR: what was at PATH is still there.
 */
MUST_USE bool cachefile_save(const char *path, struct cache *c, const struct cachefile_when *when,
    struct cachefile_counts *counts, char error[static CACHEFILE_ERROR]);

enum cachefile_verdict {
	CACHEFILE_OK,
	CACHEFILE_NONE,   /* there is no such file */
	CACHEFILE_REFUSED /* nothing of it is in the cache; the file is as it was */
};

/*
 * cachefile_load: put the entries of the file at PATH into C, older by the time that passed since
 * it was written. Nobody else puts anything there meanwhile. ERROR has the reason if it is refused.
 */
MUST_USE enum cachefile_verdict cachefile_load(const char *path, struct cache *c,
    const struct cachefile_when *when, struct cachefile_counts *counts,
    char error[static CACHEFILE_ERROR]);

/* How a load went, for the log. */
struct cachefile_loaded {
	enum cachefile_verdict verdict;
	struct cachefile_counts counts;
	char error[CACHEFILE_ERROR];
};

/* cachefile_start: load now, entries being of use for STALE_S after their end. */
void cachefile_start(
    const char *path, struct cache *c, uint32_t stale_s, struct cachefile_loaded *loaded);

/* cachefile_report: tell the log of it. */
void cachefile_report(const char *path, const struct cachefile_loaded *loaded);

/*
 * cachefile_store: save now, calling TICK, which may be NULL; the log says how it went. True if it
 * was saved.
 */
bool cachefile_store(
    const char *path, struct cache *c, uint32_t stale_s, cachefile_tick *tick, void *arg);

/* cachefile_now_s: what time it is by the cache's clock. */
MUST_USE uint32_t cachefile_now_s(void);

#endif
