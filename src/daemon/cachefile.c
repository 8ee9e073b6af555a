/* SPDX-License-Identifier: BSD-2-Clause */
/* Loading and saving with the daemon's clocks and log. */
#include "daemon/cachefile.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/ownfile.h"
#include "base/rng.h"

uint32_t
cachefile_now_s(void)
{
	return clock_s(clock_now_ns());
}

static struct cachefile_when
when_now(uint32_t stale_s)
{
	return (struct cachefile_when){
		.now_s = cachefile_now_s(), .unix_s = (uint64_t)time(NULL), .stale_s = stale_s
	};
}

/* Read the key from FD. Returns 0 or -errno. */
static int
read_key(int fd, uint64_t *key)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return -errno;
	if ((st.st_mode & (S_IRGRP | S_IROTH)) != 0)
		return -EKEYREJECTED;
	ssize_t n = read(fd, key, sizeof(*key));
	if (n < 0)
		return -errno;
	return n == (ssize_t)sizeof(*key) ? 0 : -ENODATA;
}

/* Draw a key and write it to a new file at PATH. Returns 0 or -errno. */
static int
write_key(const char *path, uint64_t *key)
{
	struct rng rng;
	int rc = 0, fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd < 0)
		return -errno;
	rng_init(&rng);
	*key = rng_u64(&rng);
	ssize_t n = write(fd, key, sizeof(*key));
	if (n != (ssize_t)sizeof(*key))
		rc = n < 0 ? -errno : -EIO;
	if (fsync(fd) != 0 && rc == 0)
		rc = -errno;
	if (close(fd) != 0 && rc == 0)
		rc = -errno;
	if (rc != 0)
		(void)unlink(path);
	return rc;
}

int
cachefile_key(const char *path, bool draw, uint64_t *key)
{
	char name[SETTINGS_PATH + sizeof(CACHEFILE_KEY)];
	int fd, rc;

	snprintf(name, sizeof(name), "%s" CACHEFILE_KEY, path);
	fd = ownfile_open(name, geteuid());
	if (fd < 0)
		return fd == -ENOENT && draw ? write_key(name, key) : fd;
	rc = read_key(fd, key);
	close(fd);
	/* One that was cut off, as the disk was full, is of no use to any file. */
	if (rc == -ENODATA && draw && unlink(name) == 0)
		rc = write_key(name, key);
	return rc;
}

/* Says why there is no key. */
static const char *
key_error(int rc)
{
	switch (-rc) {
	case EKEYREJECTED:
		return "others can read it (chmod go-r)";
	case ENODATA:
		return "it is cut off";
	default:
		return ownfile_strerror(rc);
	}
}

/* Open the file at F->path for a load. False: the result is there. */
static bool
open_file(struct cachefile *f, uint32_t stale_s)
{
	struct cachefile_result *r = &f->result;
	struct cachefile_when when = when_now(stale_s);
	int rc = cachefile_key(f->path, false, &when.key);
	int fd = ownfile_open(f->path, geteuid());

	if (fd < 0) {
		r->verdict = fd == -ENOENT ? CACHEFILE_NONE : CACHEFILE_REFUSED;
		snprintf(r->error, sizeof(r->error), "cannot be read: %s", ownfile_strerror(fd));
		return false;
	}
	if (rc != 0) {
		close(fd);
		r->verdict = CACHEFILE_REFUSED;
		snprintf(r->error, sizeof(r->error),
		    "its key, the same name with " CACHEFILE_KEY ", cannot be read: %s",
		    key_error(rc));
		return false;
	}
	f->loading = cachefile_load_new(fd, f->cache, &when);
	if (f->loading == NULL) {
		r->verdict = CACHEFILE_REFUSED;
		snprintf(r->error, sizeof(r->error), "cannot be read: %s", strerror(ENOMEM));
	}
	return f->loading != NULL;
}

/* Begin with WORK on the file at PATH. */
static void
begin(struct cachefile *f, enum cachefile_work work, const char *path)
{
	f->work = work;
	f->result = (struct cachefile_result){ .verdict = CACHEFILE_MORE };
	f->waits_ns = 0;
	snprintf(f->path, sizeof(f->path), "%s", path);
}

void
cachefile_close(struct cachefile *f)
{
	cachefile_load_free(f->loading);
	cachefile_save_free(f->saving);
	f->loading = NULL;
	f->saving = NULL;
	f->work = CACHEFILE_IDLE;
}

void
cachefile_open(struct cachefile *f, const char *path, uint32_t stale_s)
{
	begin(f, CACHEFILE_LOADS, path);
	(void)open_file(f, stale_s);
}

static void
report_load(const struct cachefile *f)
{
	const struct cachefile_counts *n = &f->result.counts;

	if (f->result.verdict == CACHEFILE_OK)
		log_notice(LOG_CACHE,
		    "cache-file %s: %" PRIu64 " entries read, %" PRIu64 " too old, %" PRIu64
		    " newer in the cache, %" PRIu64 " without room",
		    f->path, n->entries, n->old, n->superseded, n->no_room);
	else if (f->result.verdict == CACHEFILE_NONE)
		log_notice(LOG_CACHE, "cache-file %s: not there; nothing is loaded", f->path);
	else
		log_warn(
		    LOG_CACHE, "cache-file %s: %s; nothing is loaded", f->path, f->result.error);
}

static void
report_save(const struct cachefile *f)
{
	const struct cachefile_counts *n = &f->result.counts;

	if (f->result.verdict == CACHEFILE_OK)
		log_notice(LOG_CACHE, "cache-file %s: %" PRIu64 " entries saved, %" PRIu64 " bytes",
		    f->path, n->entries, n->bytes);
	else
		log_error(LOG_CACHE, "cache-file %s: %s", f->path, f->result.error);
}

/* Write a piece of the cache. False: that was the last. */
static bool
save_piece(struct cachefile *f)
{
	uint64_t now = clock_now_ns();

	if (!cachefile_save_step(f->saving, &f->result))
		return false;
	if (f->result.verdict != CACHEFILE_WAITS)
		f->waits_ns = 0;
	else if (f->waits_ns == 0)
		f->waits_ns = now;
	else if (now - f->waits_ns >= CACHEFILE_TAKE_MS * NS_PER_MS) {
		f->result.verdict = CACHEFILE_REFUSED;
		snprintf(f->result.error, sizeof(f->result.error),
		    "not saved, as a loop that does not go round has a part of the cache");
		return false;
	}
	return true;
}

int
cachefile_work(struct cachefile *f)
{
	switch (f->work) {
	case CACHEFILE_IDLE:
		return -1;
	case CACHEFILE_LOADS:
		if (f->loading != NULL && cachefile_load_step(f->loading, &f->result))
			return 0;
		report_load(f);
		break;
	case CACHEFILE_SAVES:
		if (f->saving != NULL && save_piece(f))
			return f->result.verdict == CACHEFILE_WAITS ? 1 : 0;
		report_save(f);
		break;
	}
	cachefile_close(f);
	return -1;
}

/* Do all of what is under way. */
static void
finish(struct cachefile *f, void (*tick)(void *arg), void *arg)
{
	int ms;

	while ((ms = cachefile_work(f)) >= 0) {
		if (tick != NULL)
			tick(arg);
		if (ms > 0)
			(void)poll(NULL, 0, ms);
	}
}

void
cachefile_finish_load(struct cachefile *f, void (*tick)(void *arg), void *arg)
{
	if (f->work == CACHEFILE_LOADS)
		finish(f, tick, arg);
}

void
cachefile_save(struct cachefile *f, const char *path, uint32_t stale_s)
{
	struct cachefile_when when = when_now(stale_s);
	struct cachefile_result *r = &f->result;
	int rc;

	if (f->work != CACHEFILE_IDLE) {
		cachefile_give_up(f);
		return;
	}
	begin(f, CACHEFILE_SAVES, path);
	rc = cachefile_key(path, true, &when.key);
	if (rc == 0) {
		f->saving = cachefile_save_new(path, f->cache, &when, r);
		return;
	}
	r->verdict = CACHEFILE_REFUSED;
	snprintf(r->error, sizeof(r->error),
	    "its key, the same name with " CACHEFILE_KEY ", cannot be had: %s", key_error(rc));
}

bool
cachefile_finish_save(struct cachefile *f, void (*tick)(void *arg), void *arg)
{
	if (f->work != CACHEFILE_SAVES)
		return false;
	finish(f, tick, arg);
	return f->result.verdict == CACHEFILE_OK;
}

void
cachefile_give_up(struct cachefile *f)
{
	if (f->work == CACHEFILE_IDLE)
		return;
	log_warn(LOG_CACHE, "cache-file %s: not saved, as %s; it stays as it is", f->path,
	    f->work == CACHEFILE_LOADS ? "it is not loaded completely" : "that was interrupted");
	cachefile_close(f);
}
