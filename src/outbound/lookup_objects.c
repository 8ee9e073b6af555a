/* SPDX-License-Identifier: BSD-2-Clause */
/* lookup_objects: the pools and tables that lookups are taken from. */
#include "outbound/lookup.h"

#include <errno.h>
#include <stdlib.h>

#include "cache/cache.h"

#define MIN_BUCKETS_LOG2 10

static uint32_t
n_messages(uint32_t cap)
{
	uint32_t n = cap / LOOKUP_SIGNED_SHARE;

	return n > LOOKUP_SIGNED_LEAST ? n : LOOKUP_SIGNED_LEAST;
}

int
lookups_init(struct lookups *ls, const struct lookups *borrowed, uint32_t cap)
{
	unsigned bits = MIN_BUCKETS_LOG2;
	int rc;

	*ls = *borrowed;
	while (UINT32_C(1) << bits < cap)
		bits++;
	ls->shift = 32 - bits;
	ls->seed = ls->conf->cache != NULL ? cache_seed(ls->conf->cache) : rng_u64(ls->rng);
	ls->spread = rng_u64(ls->rng) | 1;
	ls->n_spaces = 1;
	ls->unsent.tcp_ready = 0;
	list_init(&ls->unsent.now);
	for (unsigned u = 0; u < UPSTREAM_MAX; u++)
		list_init(&ls->unsent.for_tcp[u]);
	list_init(&ls->ending);
	list_init(&ls->put_off);
	list_init(&ls->lost);
	list_init(&ls->refused);
	list_init(&ls->orphans);
	list_init(&ls->shelf);
	rc = pool_init(&ls->pool, sizeof(struct lookup), cap);
	if (rc != 0)
		return rc;
	rc = pool_init(&ls->long_names, DNS_NAME_MAX, cap);
	if (rc != 0)
		goto no_names;
	rc = pool_init(&ls->messages, LOOKUP_SIGNED_MAX, n_messages(cap));
	if (rc != 0)
		goto no_messages;
	rc = pool_init(&ls->replies, PACKET_UDP_CAP, n_messages(cap));
	if (rc != 0)
		goto no_replies;
	rc = pool_init(&ls->attempts, sizeof(struct attempt), LOOKUP_EARLIER_EACH * cap);
	if (rc != 0)
		goto no_attempts;
	rc = pool_init(&ls->kept_replies, sizeof(struct lookup_kept), LOOKUP_KEPT_REPLIES);
	if (rc != 0)
		goto no_replies_kept;
	rc = -ENOMEM;
	ls->kept = ls->conf->cache != NULL ? malloc(LOOKUP_KEPT) : NULL;
	if (ls->conf->cache != NULL && ls->kept == NULL)
		goto no_kept;
	ls->buckets = calloc((size_t)1 << bits, sizeof(ls->buckets[0]));
	if (ls->buckets == NULL)
		goto no_buckets;
	/* calloc does not touch an allocation of this size, so unused spaces cost no memory. */
	ls->spaces = calloc(TXID_MAX_SPACES, sizeof(ls->spaces[0]));
	if (ls->spaces == NULL)
		goto no_spaces;
	txid_init(&ls->spaces[0]);
	ls->stale_ids = calloc(UPSTREAM_MAX_SOCKETS, sizeof(ls->stale_ids[0]));
	if (ls->stale_ids == NULL)
		goto no_overdue;
	return 0;
no_overdue:
	free(ls->spaces);
no_spaces:
	free(ls->buckets);
no_buckets:
	free(ls->kept);
no_kept:
	pool_fini(&ls->kept_replies);
no_replies_kept:
	pool_fini(&ls->attempts);
no_attempts:
	pool_fini(&ls->replies);
no_replies:
	pool_fini(&ls->messages);
no_messages:
	pool_fini(&ls->long_names);
no_names:
	pool_fini(&ls->pool);
	return rc;
}

void
lookups_fini(struct lookups *ls)
{
	free(ls->stale_ids);
	free(ls->spaces);
	free(ls->buckets);
	free(ls->kept);
	pool_fini(&ls->kept_replies);
	pool_fini(&ls->attempts);
	pool_fini(&ls->replies);
	pool_fini(&ls->messages);
	pool_fini(&ls->long_names);
	pool_fini(&ls->pool);
}
