/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bytes are a cache file, behind one that says: 1: its length and checksum are made to match,
 * 2: it was saved a while ago. All that is taken of it is sound; of a file that is refused nothing
 * is.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cache/cache.h"
#include "cache/image.h"
#include "daemon/cachefile.h"
#include "dns/msg.h"
#include "dns/name.h"
#include "engine/store.h"
#include "fuzz/fuzz.h"
#include "support/reseal.h"

enum { MATCH = 1, AGED = 2 };

#define STALE_S 86400

static enum cachefile_verdict
load(const uint8_t *data, size_t len, uint64_t unix_s, struct cache *c,
    struct cachefile_counts *counts)
{
	const struct cachefile_when when = { .now_s = 1000, .unix_s = unix_s, .stale_s = STALE_S };
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct cachefile_loading *l;
	struct cachefile_result r;

	FUZZ_CHECK(fd >= 0);
	FUZZ_CHECK(len == 0 || write(fd, data, len) == (ssize_t)len);
	FUZZ_CHECK(fchmod(fd, 0600) == 0 && lseek(fd, 0, SEEK_SET) == 0);
	l = cachefile_load_new(fd, c, &when);
	FUZZ_CHECK(l != NULL);
	while (cachefile_load_step(l, &r))
		FUZZ_CHECK(r.verdict == CACHEFILE_MORE);
	cachefile_load_free(l);
	FUZZ_CHECK(r.verdict == CACHEFILE_OK || r.verdict == CACHEFILE_REFUSED);
	FUZZ_CHECK((r.verdict == CACHEFILE_OK) == (r.error[0] == '\0'));
	*counts = r.counts;
	return r.verdict;
}

static bool
check_entry(void *arg, const struct question *key, const struct cache_entry *e, const uint8_t *msg)
{
	uint64_t *n = arg;
	struct msg m;

	++*n;
	FUZZ_CHECK(msg_parse(&m, msg, e->len) == MSG_OK);
	FUZZ_CHECK(m.qdcount == 1 && !m.edns.present);
	FUZZ_CHECK(name_equal(msg_qname(&m), key->qname) && m.qclass == key->qclass);
	FUZZ_CHECK(key->qtype == m.qtype || key->qtype == SHARD_ANY_TYPE);
	FUZZ_CHECK(e->kind < CACHE_ERROR && (e->flags & CACHE_WITH_MSG) != 0);
	FUZZ_CHECK(((e->flags & CACHE_PLAIN) != 0) == msg_is_plain(&m));
	FUZZ_CHECK(e->ttl_s >= 1 && e->ttl_s <= DNS_TTL_MAX);
	FUZZ_CHECK(e->age_s < e->ttl_s + STALE_S);
	return true;
}

static void
check_file(const uint8_t *data, size_t len, uint64_t unix_s)
{
	struct cache *c = cache_new(CACHE_MIN, STALE_S, 5);
	struct cachefile_counts counts;
	struct shard_counts sum;
	uint64_t n = 0;

	FUZZ_CHECK(c != NULL);
	enum cachefile_verdict v = load(data, len, unix_s, c, &counts);
	cache_counts(c, &sum);
	if (v == CACHEFILE_OK)
		FUZZ_CHECK(sum.put == counts.entries && sum.refused == counts.no_room);
	else
		FUZZ_CHECK(sum.put == 0 && sum.refused == 0);
	for (unsigned i = 0; i < cache_shards(c); i++)
		FUZZ_CHECK(cache_walk(c, i, 1000, check_entry, &n));
	FUZZ_CHECK(n <= counts.entries);
	cache_free(c);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	uint8_t *copy;

	if (len == 0)
		return 0;
	copy = malloc(len);
	FUZZ_CHECK(copy != NULL);
	memcpy(copy, data + 1, len - 1);
	if ((data[0] & MATCH) != 0)
		reseal(copy, len - 1);
	check_file(copy, len - 1, (data[0] & AGED) != 0 ? 1800001000 : UINT64_C(1800000000));
	free(copy);
	return 0;
}
