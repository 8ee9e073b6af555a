/* SPDX-License-Identifier: BSD-2-Clause */
#include "sim/rare.h"

#include "cache/cache.h"
#include "sim/work.h"

enum rare { RARE_POOL, RARE_ID, RARE_GET, RARE_PUT, RARE_SLICE, RARE_TURN, RARES };

static struct sim *sim;
static uint64_t until_ns;
static uint64_t n_asked;
static uint32_t percent[RARES];

void
rare_begin(struct sim *s, uint64_t ns)
{
	sim = s;
	until_ns = ns;
	n_asked = 0;
	for (unsigned i = 0; s != NULL && i < RARES; i++)
		percent[i] = sim_draw(s, 50, i, 8) == 0 ? 1 + sim_draw(s, 51, i, 20) : 0;
}

/* Does it happen now? */
static bool
is_now(enum rare what)
{
	if (sim == NULL || sim->w.engine == NULL || sim->w.now_ns >= until_ns ||
	    percent[what] == 0 || sim_draw(sim, 52, n_asked++, 100) >= percent[what])
		return false;
	sim_say(sim, "  rare %u", what);
	sim->n_rare++;
	return true;
}

void
rare_turn(struct sim *s)
{
	if (is_now(RARE_TURN))
		s->w.engine->left = 0;
}

void *__real_pool_take(struct pool *p);
void *__wrap_pool_take(struct pool *p);
bool __real_txid_take(
    struct txid *t, struct rng *rng, const struct txid_owner *owner, uint16_t *id);
bool __wrap_txid_take(
    struct txid *t, struct rng *rng, const struct txid_owner *owner, uint16_t *id);
bool __real_cache_get(struct cache *c, const struct question *key, const struct cache_want *want,
    uint8_t *buf, size_t cap, struct cache_entry *out);
bool __wrap_cache_get(struct cache *c, const struct question *key, const struct cache_want *want,
    uint8_t *buf, size_t cap, struct cache_entry *out);
void __real_cache_put(struct cache *c, const struct question *key, const struct cache_entry *e,
    const uint8_t *msg, size_t len, uint32_t now_s);
void __wrap_cache_put(struct cache *c, const struct question *key, const struct cache_entry *e,
    const uint8_t *msg, size_t len, uint32_t now_s);
bool __real_query_wake(
    struct queries *qs, struct lookup *l, const struct lookup_result *result, unsigned most);
bool __wrap_query_wake(
    struct queries *qs, struct lookup *l, const struct lookup_result *result, unsigned most);

/* May this pool be full? Others have room for all that there can be. */
static bool
is_small(const struct pool *p)
{
	const struct engine *e = sim != NULL ? sim->w.engine : NULL;

	return e != NULL &&
	    (p == &e->lookups.pool || p == &e->lookups.replies || p == &e->lookups.kept_replies ||
		p == &e->queries.svcbs);
}

void *
__wrap_pool_take(struct pool *p)
{
	work_done(WORK_OBJECTS, 1);
	return is_small(p) && is_now(RARE_POOL) ? NULL : __real_pool_take(p);
}

bool
__wrap_txid_take(struct txid *t, struct rng *rng, const struct txid_owner *owner, uint16_t *id)
{
	return !is_now(RARE_ID) && __real_txid_take(t, rng, owner, id);
}

bool
__wrap_cache_get(struct cache *c, const struct question *key, const struct cache_want *want,
    uint8_t *buf, size_t cap, struct cache_entry *out)
{
	work_done(WORK_CACHED, 1);
	return !is_now(RARE_GET) && __real_cache_get(c, key, want, buf, cap, out);
}

void
__wrap_cache_put(struct cache *c, const struct question *key, const struct cache_entry *e,
    const uint8_t *msg, size_t len, uint32_t now_s)
{
	if (!is_now(RARE_PUT))
		__real_cache_put(c, key, e, msg, len, now_s);
}

bool
__wrap_query_wake(
    struct queries *qs, struct lookup *l, const struct lookup_result *result, unsigned most)
{
	return __real_query_wake(
	    qs, l, result, most != UINT32_MAX && is_now(RARE_SLICE) ? 1 : most);
}
