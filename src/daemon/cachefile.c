/* SPDX-License-Identifier: BSD-2-Clause */
/* Loading and saving with the daemon's clocks and log. */
#include "daemon/cachefile.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/ownfile.h"
#include "base/rng.h"
#include "config/settings.h"

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

void
cachefile_start(
    const char *path, struct cache *c, uint32_t stale_s, struct cachefile_loaded *loaded)
{
	struct cachefile_when when = when_now(stale_s);
	int rc = cachefile_key(path, false, &when.key);

	if (rc != 0 && access(path, F_OK) == 0) {
		loaded->verdict = CACHEFILE_REFUSED;
		snprintf(loaded->error, sizeof(loaded->error),
		    "its key, " CACHEFILE_KEY ", cannot be read: %s", key_error(rc));
		return;
	}
	loaded->verdict = cachefile_load(path, c, &when, &loaded->counts, loaded->error);
}

void
cachefile_report(const char *path, const struct cachefile_loaded *loaded)
{
	switch (loaded->verdict) {
	case CACHEFILE_OK:
		log_notice(LOG_CACHE,
		    "cache-file %s: %" PRIu64 " entries read, %" PRIu64 " too old", path,
		    loaded->counts.entries, loaded->counts.old);
		break;
	case CACHEFILE_NONE:
		log_notice(LOG_CACHE, "cache-file %s: not there; the cache is empty", path);
		break;
	case CACHEFILE_REFUSED:
		log_warn(LOG_CACHE, "cache-file %s: %s; the cache is empty", path, loaded->error);
		break;
	}
}

bool
cachefile_store(
    const char *path, struct cache *c, uint32_t stale_s, cachefile_tick *tick, void *arg)
{
	struct cachefile_when when = when_now(stale_s);
	struct cachefile_counts n;
	char error[CACHEFILE_ERROR];

	int rc = cachefile_key(path, true, &when.key);

	if (rc != 0) {
		log_error(LOG_CACHE, "cache-file %s: its key, " CACHEFILE_KEY ", cannot be had: %s",
		    path, key_error(rc));
		return false;
	}
	when.tick = tick;
	when.arg = arg;
	if (!cachefile_save(path, c, &when, &n, error)) {
		log_error(LOG_CACHE, "cache-file %s: %s", path, error);
		return false;
	}
	log_notice(LOG_CACHE, "cache-file %s: %" PRIu64 " entries saved, %" PRIu64 " bytes", path,
	    n.entries, n.bytes);
	return true;
}
