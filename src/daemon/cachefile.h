/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DAEMON_CACHEFILE_H
#define DNS64D_DAEMON_CACHEFILE_H

/*
 * cachefile: save the cache to a file and load it, so that it survives a restart. cache/image has
 * the format.
 *
 * The file is always complete: it is written as PATH.new and then renamed. It is loaded completely
 * or not at all: the whole file is checked before the first entry enters the cache. The loops go on
 * while it is written; a shard is locked only while its entries are copied. Main thread only.
 *
 * What the file says is believed, so base/ownfile opens it, and its checksum is keyed. The key lies
 * beside it, in PATH.key, drawn by the first save: a file of another daemon, or of somebody who can
 * write but not read there, is refused. It is no protection from those who have this account, as
 * they can read the key.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "cache/cache.h"

#define CACHEFILE_KEY ".key" /* behind the path of a file: the file with its key */
#define CACHEFILE_ERROR 160  /* longest error text, with the final zero */

/* Called now and then during a save, which takes seconds for a large cache. */
typedef void cachefile_tick(void *arg);

/* The time of a load or save, and what to call meanwhile. */
struct cachefile_when {
	uint32_t now_s;       /* now, by the cache's clock */
	uint64_t unix_s;      /* now, in seconds since 1970 */
	uint32_t stale_s;     /* seconds that an expired entry is still of use */
	uint64_t key;         /* of the checksum; secret */
	cachefile_tick *tick; /* NULL: nothing */
	void *arg;            /* borrowed, for tick */
};

/* What a load or save did. */
struct cachefile_counts {
	uint64_t entries; /* written to the file, or put into the cache */
	uint64_t old;     /* left out, as they are of no use any more */
	uint64_t bytes;   /* length of the file */
};

/*
 * cachefile_save: write the entries of C, except failures, to the file at PATH, with mode 0600, by
 * way of PATH.new. *COUNTS says how many. False if that failed: ERROR has the reason, and what was
 * at PATH is still there.
 */
MUST_USE bool cachefile_save(const char *path, struct cache *c, const struct cachefile_when *when,
    struct cachefile_counts *counts, char error[static CACHEFILE_ERROR]);

enum cachefile_verdict {
	CACHEFILE_OK,
	CACHEFILE_NONE,   /* there is no such file */
	CACHEFILE_REFUSED /* the file is wrong: nothing of it is in the cache, and it is unchanged
			   */
};

/*
 * cachefile_load_fd: cachefile_load of the open file FD, which the caller closes.
 */
MUST_USE enum cachefile_verdict cachefile_load_fd(int fd, struct cache *c,
    const struct cachefile_when *when, struct cachefile_counts *counts,
    char error[static CACHEFILE_ERROR]);

/*
 * cachefile_key: read the key of the file at PATH; if there is none and DRAW, draw one and write
 * it. Returns 0 or -errno: those of ownfile_open, -EKEYREJECTED if others can read it, -ENODATA if
 * it is cut off.
 */
MUST_USE int cachefile_key(const char *path, bool draw, uint64_t *key);

/*
 * cachefile_load: put the entries of the file at PATH into C, older by the time that has passed
 * since the file was written. *COUNTS says how many. C must not be in use by loops yet. ERROR has
 * the reason for CACHEFILE_REFUSED.
 */
MUST_USE enum cachefile_verdict cachefile_load(const char *path, struct cache *c,
    const struct cachefile_when *when, struct cachefile_counts *counts,
    char error[static CACHEFILE_ERROR]);

/* The result of a load, kept until the log is open. */
struct cachefile_loaded {
	enum cachefile_verdict verdict;
	struct cachefile_counts counts;
	char error[CACHEFILE_ERROR];
};

/*
 * cachefile_start: load the file at PATH into C at the present time; *LOADED becomes the result.
 * STALE_S: seconds that an expired entry is still of use.
 */
void cachefile_start(
    const char *path, struct cache *c, uint32_t stale_s, struct cachefile_loaded *loaded);

/* cachefile_report: log the result LOADED of loading PATH. */
void cachefile_report(const char *path, const struct cachefile_loaded *loaded);

/*
 * cachefile_store: save C to PATH at the present time, and log the result. TICK, which may be NULL,
 * is called with ARG now and then. STALE_S: seconds that an expired entry is still of use. True if
 * the cache was saved.
 */
bool cachefile_store(
    const char *path, struct cache *c, uint32_t stale_s, cachefile_tick *tick, void *arg);

/* cachefile_now_s: the present time by the cache's clock, in seconds. */
MUST_USE uint32_t cachefile_now_s(void);

#endif
