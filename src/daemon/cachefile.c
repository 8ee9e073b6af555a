/* SPDX-License-Identifier: BSD-2-Clause */
/* Loading and saving with the daemon's clocks and log. */
#include "daemon/cachefile.h"

#include <inttypes.h>
#include <time.h>

#include "base/clock.h"
#include "base/log.h"

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

void
cachefile_start(
    const char *path, struct cache *c, uint32_t stale_s, struct cachefile_loaded *loaded)
{
	const struct cachefile_when when = when_now(stale_s);

	loaded->verdict = cachefile_load(path, c, &when, &loaded->counts, loaded->error);
}

void
cachefile_report(const char *path, const struct cachefile_loaded *loaded)
{
	switch (loaded->verdict) {
	case CACHEFILE_OK:
		log_notice("cache", "cache-file %s: %" PRIu64 " entries read, %" PRIu64 " too old",
		    path, loaded->counts.entries, loaded->counts.old);
		break;
	case CACHEFILE_NONE:
		log_notice("cache", "cache-file %s: not there; the cache is empty", path);
		break;
	case CACHEFILE_REFUSED:
		log_warn("cache", "cache-file %s: %s; the cache is empty", path, loaded->error);
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

	when.tick = tick;
	when.arg = arg;
	if (!cachefile_save(path, c, &when, &n, error)) {
		log_error("cache", "cache-file %s: %s", path, error);
		return false;
	}
	log_notice("cache", "cache-file %s: %" PRIu64 " entries saved, %" PRIu64 " bytes", path,
	    n.entries, n.bytes);
	return true;
}
