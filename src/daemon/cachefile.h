/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DAEMON_CACHEFILE_H
#define DNS64D_DAEMON_CACHEFILE_H

/*
 * cachefile: save the cache to a file and load it, so that it survives a restart. cache/image has
 * the format.
 *
 * Both are done in pieces, so that the main thread gets to other work between them, and while the
 * loops answer: a load puts a block of the file into the cache at a time, and what has come into
 * the cache before stays; a save locks a shard only while its entries are copied.
 *
 * The file is always complete: it is written as PATH.new and then renamed. It is loaded completely
 * or not at all: the whole file is checked before the first entry enters the cache. It is not
 * synced, as that takes as long as the disk likes: after a loss of power it may be damaged, which
 * the check finds. Main thread only.
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
#include "config/settings.h"

#define CACHEFILE_KEY ".key"   /* behind the path of a file: the file with its key */
#define CACHEFILE_ERROR 160    /* longest error text, with the final zero */
#define CACHEFILE_TAKE_MS 2000 /* a save fails if a loop holds a shard for longer */

/* The time of a load or save. */
struct cachefile_when {
	uint32_t now_s;   /* now, by the cache's clock */
	uint64_t unix_s;  /* now, in seconds since 1970 */
	uint32_t stale_s; /* seconds that an expired entry is still of use */
	uint64_t key;     /* of the checksum; secret */
};

/* What a load or save did. */
struct cachefile_counts {
	uint64_t entries;    /* written to the file, or put into the cache */
	uint64_t old;        /* left out, as they are of no use any more */
	uint64_t superseded; /* likewise, as the cache has newer ones */
	uint64_t no_room;    /* likewise, as the cache is full */
	uint64_t bytes;      /* length of the file */
};

/* What came of a load or save, or of a piece of it. */
enum cachefile_verdict {
	CACHEFILE_MORE,   /* there is more to be done */
	CACHEFILE_WAITS,  /* likewise, in a millisecond: a loop has the shard that is next */
	CACHEFILE_OK,     /* it is done */
	CACHEFILE_NONE,   /* there is no such file */
	CACHEFILE_REFUSED /* the file is wrong, or cannot be written: the cache, or what was at
			     PATH, is as it was */
};

/* The result of a load or save. */
struct cachefile_result {
	enum cachefile_verdict verdict;
	struct cachefile_counts counts;
	char error[CACHEFILE_ERROR]; /* the reason for CACHEFILE_REFUSED */
};

struct cachefile_loading;
struct cachefile_saving;

/*
 * cachefile_load_new: begin to load the open file FD, which is passed on, into C, which is
 * borrowed; entries are older by the time that has passed since the file was written. What C has
 * from then on is newer. NULL without memory.
 */
MUST_USE struct cachefile_loading *cachefile_load_new(
    int fd, struct cache *c, const struct cachefile_when *when);

/*
 * cachefile_load_step: load a block more, and write to *R what became of it. False: the load has
 * ended. If the file is changed under its hands all of the cache is flushed.
 */
MUST_USE bool cachefile_load_step(struct cachefile_loading *l, struct cachefile_result *r);

/* cachefile_load_free: end L, which may be NULL, however far it is. */
void cachefile_load_free(struct cachefile_loading *l);

/*
 * cachefile_save_new: begin to write the entries of C, except failures, to the file at PATH
 * (shorter than SETTINGS_PATH), with mode 0600, by way of PATH.new. NULL if that failed: *R has the
 * reason.
 */
MUST_USE struct cachefile_saving *cachefile_save_new(const char *path, struct cache *c,
    const struct cachefile_when *when, struct cachefile_result *r);

/*
 * cachefile_save_step: write a shard more, and write to *R what became of it. False: the save has
 * ended.
 */
MUST_USE bool cachefile_save_step(struct cachefile_saving *s, struct cachefile_result *r);

/* cachefile_save_free: end S, which may be NULL; one that has not ended leaves no trace. */
void cachefile_save_free(struct cachefile_saving *s);

/*
 * cachefile_key: read the key of the file at PATH; if there is none and DRAW, draw one and write
 * it. Returns 0 or -errno: those of ownfile_open, -EKEYREJECTED if others can read it, -ENODATA if
 * it is cut off.
 */
MUST_USE int cachefile_key(const char *path, bool draw, uint64_t *key);

/* --- With the daemon's clocks and log --------------------------------------------------------- */

/* What is under way. */
enum cachefile_work { CACHEFILE_IDLE, CACHEFILE_LOADS, CACHEFILE_SAVES };

/* A cache and its file; all but the cache begins as zero. */
struct cachefile {
	struct cache *cache; /* borrowed; NULL: there is none */
	enum cachefile_work work;
	char path[SETTINGS_PATH];          /* of what is under way */
	struct cachefile_loading *loading; /* owned; NULL: the result is there already */
	struct cachefile_saving *saving;   /* owned */
	struct cachefile_result result;    /* so far */
	uint64_t waits_ns;                 /* since when a loop has had the shard; 0: none has */
};

/*
 * cachefile_open: open the file at PATH and its key, to be loaded; before loops use the cache. What
 * becomes of it is logged later. STALE_S: seconds that an expired entry is still of use.
 */
void cachefile_open(struct cachefile *f, const char *path, uint32_t stale_s);

/*
 * cachefile_work: do a piece of what is under way, and log its result if that was the last. Returns
 * milliseconds until the next piece is due; -1: nothing is under way.
 */
int cachefile_work(struct cachefile *f);

/*
 * cachefile_finish_load: do all that is left of a load. TICK, which may be NULL, is called with ARG
 * now and then, as this takes seconds for a large cache.
 */
void cachefile_finish_load(struct cachefile *f, void (*tick)(void *arg), void *arg);

/*
 * cachefile_save: begin to save the cache to PATH; while it is being loaded give that up instead,
 * so that half of it does not take the file's place. STALE_S: as with cachefile_open.
 */
void cachefile_save(struct cachefile *f, const char *path, uint32_t stale_s);

/* cachefile_finish_save: do all that is left of a save. True if the cache was saved. */
bool cachefile_finish_save(struct cachefile *f, void (*tick)(void *arg), void *arg);

/* cachefile_give_up: end what is under way, and log that; the file stays as it is. */
void cachefile_give_up(struct cachefile *f);

/* cachefile_close: the same, without a word. */
void cachefile_close(struct cachefile *f);

/* cachefile_now_s: the present time by the cache's clock, in seconds. */
MUST_USE uint32_t cachefile_now_s(void);

#endif
