/* SPDX-License-Identifier: BSD-2-Clause */
/* engine_work: what is too much for one turn of the shell is done in slices. */
#include "engine/engine.h"

#include <stdlib.h>

#include "base/log.h"
#include "engine/audit.h"
#include "engine/engine_parts.h"
#include "engine/store.h"
#include "outbound/attempt.h"
#include "outbound/loss.h"

#define REPLY_COST 600 /* units: one goes on with the worst reply there can be */

/*
 * Only with ENGINE_AUDIT, before a lookup ends: abort if a query still has to read the message of
 * the last lookup, which is gone now.
 */
static inline void
audited_end(const struct engine *e)
{
#ifdef ENGINE_AUDIT
	if (audit_message(&e->queries)) {
		log_error(LOG_SERVER, "a query is ready with a message that is gone");
		abort();
	}
#else
	(void)e;
#endif
}

/*
 * What one waiter costs, in units, if a lookup ends with RESULT: as much as if the reply were made
 * to cost most (tests/engine/check_costly), which has its bounds.
 */
static inline unsigned
cost_of(const struct lookup_result *result)
{
	size_t cost = result->msg != NULL ? 1 + result->msg->len / ENGINE_OCTETS : ENGINE_QUERY;

	return cost < REPLY_COST ? (unsigned)cost : REPLY_COST;
}

void
engine_end(struct engine *e, struct lookup *l)
{
	unsigned cost = cost_of(&e->result) * l->waiters.n;

	audited_end(e);
	if (e->lookups.conf->cache != NULL)
		store_result(&e->lookups, l, &e->result, e->now_ns);
	/* One waiter needs no copy of the reply: nothing would be gained. */
	if (UNLIKELY(cost > ENGINE_AT_ONCE && l->waiters.n > 1 && (int64_t)cost > e->left)) {
		lookup_put_off(&e->lookups, l, &e->result);
		return;
	}
	e->left -= cost;
	(void)query_wake(&e->queries, l, &e->result, UINT32_MAX);
	if (UNLIKELY(e->result.outcome == LOOKUP_SILENT) &&
	    lookup_linger(&e->lookups, l, e->now_ns))
		return;
	lookup_free(&e->lookups, l);
}

/* Some of the waiters of a lookup that was put off. False: there is none. */
static bool
wake_some(struct engine *e)
{
	struct lookup *l = lookup_next_put_off(&e->lookups, &e->result);
	unsigned cost, most;
	uint16_t n;

	if (l == NULL)
		return false;
	audited_end(e);
	n = l->waiters.n;
	if (n == 0) { /* nobody reads its reply any more */
		lookup_free(&e->lookups, l);
		return true;
	}
	cost = cost_of(&e->result);
	most = cost < ENGINE_SLICE ? ENGINE_SLICE / cost : 1;
	(void)query_wake(&e->queries, l, &e->result, most);
	e->left -= (int64_t)cost * (n - l->waiters.n);
	return true;
}

/* The questions of a socket that was refused, or of a TCP connection that ended: how they go on. */
typedef struct lookup *next_one(
    struct lookups *ls, unsigned *most, struct lookup_result *result, uint64_t now_ns);

/* Some of those that are on the list OF. False: there are none. */
static bool
ask_some_again(struct engine *e, const struct list *of, next_one *next)
{
	unsigned most = ENGINE_SLICE / ENGINE_QUERY, left = most;
	struct lookup *l;

	if (list_empty(of))
		return false;
	while ((l = next(&e->lookups, &left, &e->result, e->now_ns)) != NULL)
		engine_end(e, l);
	e->left -= (int64_t)ENGINE_QUERY * (most - left);
	return true;
}

/* Some of those whose clients the operator has denied, which are ready then. True. */
static bool
shed_some(struct engine *e)
{
	e->shedding = query_shed(&e->queries, &e->shed_at, ENGINE_SLICE / ENGINE_QUERY);
	e->left -= ENGINE_SLICE;
	return true;
}

bool
engine_slice(struct engine *e)
{
	struct lookup *l = attempt_next_truncated(&e->lookups, &e->result);
	bool any;

	if (l != NULL) {
		engine_end(e, l);
		return true;
	}
	if (e->left <= 0)
		return false;
	any = ask_some_again(e, &e->lookups.refused, loss_next_refused);
	any |= ask_some_again(e, &e->lookups.lost, loss_next_lost);
	any |= UNLIKELY(e->shedding) && shed_some(e);
	/* As the last one: those before may end lookups, too. */
	any = wake_some(e) || any;
	e->lookups.more = any;
	return any;
}

bool
engine_work(struct engine *e, uint64_t now_ns)
{
	e->left = ENGINE_TURN;
	if (UNLIKELY(e->top.on))
		top_age(&e->top, now_ns);
	engine_watch(e);
	e->now_ns = now_ns;
#ifdef ENGINE_AUDIT
	e->before = e->left;
#endif
	return e->lookups.more;
}

bool
engine_has_work(const struct engine *e)
{
	return e->lookups.more;
}

bool
engine_spent(const struct engine *e)
{
	return e->left <= 0;
}
