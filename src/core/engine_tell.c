/* SPDX-License-Identifier: BSD-2-Clause */
/* engine_tell: somebody wants to know of each answer: the debug log, the query log. */
#include "core/engine.h"

#include "base/clock.h"
#include "base/log.h"
#include "core/engine_parts.h"
#include "core/explain.h"
#include "core/tap.h"
#include "dns/header.h"

void
engine_watch(struct engine *e)
{
	e->watched =
	    log_enabled(LOG_LEVEL_DEBUG) || (e->tap != NULL && e->queries.conf->tap.select != 0);
}

void
engine_set_tap(struct engine *e, struct tap *tap)
{
	e->tap = tap;
	engine_watch(e);
}

/* Whose reply the answer to Q was made of; NULL: that of the cache, or of nobody. */
static const struct netaddr *
upstream_of(const struct engine *e, const struct query *q)
{
	unsigned u = e->result.upstream;

	if (!q->with_msg || e->queries.cached || q->state == QUERY_LOCAL || u >= UPSTREAM_MAX)
		return NULL;
	return engine_upstream(e, u);
}

void
engine_tell(struct engine *e, const struct query *q, const uint8_t *msg, size_t len)
{
	const struct netaddr *upstream = upstream_of(e, q);
	uint64_t began_ns = q->deadline_ns - QUERY_ALL_MS * NS_PER_MS;
	struct tap_record r = { .at_ns = e->now_ns,
		.client = q->peer,
		.us = (uint32_t)((e->now_ns - began_ns) / 1000),
		.age_s = e->queries.cached ? e->queries.fetch->age_s : TAP_NO_AGE,
		.len = (uint16_t)len,
		.reason = q->reason,
		.tcp = q->tcp,
		.waited = query_waited(q) };

	explain(q);
	if (e->tap == NULL || e->queries.conf->tap.select == 0)
		return;
	if (upstream != NULL)
		r.upstream = *upstream;
	tap_put(e->tap, &e->queries.conf->tap, &r, msg, header_question_end(q->qname_len));
}

void
engine_tell_repeated(struct engine *e, const uint8_t *msg, size_t len)
{
	const struct packetcache_why why = packetcache_why(e->packetcache);
	const struct tap_record r = { .at_ns = e->now_ns,
		.client = e->repeated.peer,
		.age_s = why.age_s,
		.len = (uint16_t)len,
		.reason = (uint8_t)why.reason };

	if (e->tap != NULL && e->queries.conf->tap.select != 0)
		tap_put(e->tap, &e->queries.conf->tap, &r, msg, len);
}
