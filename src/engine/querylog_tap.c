/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine/querylog_tap.h"

#include <string.h>

#include "dns/header.h"

bool
querylog_tap_init(struct querylog_tap *t, struct stats *stats)
{
	memset(t, 0, sizeof(*t));
	t->stats = stats;
	return spool_init(&t->spool, QUERYLOG_TAP_SPOOL);
}

void
querylog_tap_fini(struct querylog_tap *t)
{
	spool_fini(&t->spool);
}

bool
querylog_tap_selects(const struct conf_querylog *c, enum reason reason, uint32_t us)
{
	enum reason_kind kind = (enum reason_kind)reason_row(reason)->kind;
	unsigned wanted = CONF_QUERYLOG_ALL;

	if (kind == REASON_SYNTHESIZING)
		wanted |= CONF_QUERYLOG_SYNTHESIZED;
	else if (kind == REASON_FAILING)
		wanted |= CONF_QUERYLOG_FAILED;
	else if (kind == REASON_REFUSING || kind == REASON_LIMITING)
		wanted |= CONF_QUERYLOG_DENIED;
	if (c->select & wanted)
		return true;
	return c->select & CONF_QUERYLOG_SLOW && us >= c->slow_ms * 1000;
}

void
querylog_tap_put(struct querylog_tap *t, const struct conf_querylog *c,
    const struct querylog_tap_record *r, const uint8_t *msg, size_t question_end)
{
	size_t len = r->len <= QUERYLOG_TAP_ANSWER_MAX ? r->len : question_end;
	uint8_t *to;

	if (!querylog_tap_selects(c, (enum reason)r->reason, r->us))
		return;
	if (c->sample > 1 && t->n_selected++ % c->sample != 0)
		return;
	to = spool_begin(&t->spool, sizeof(*r) + len);
	if (to == NULL) {
		stats_inc(&t->stats->query_log_dropped);
		return;
	}
	memcpy(to, r, sizeof(*r));
	memcpy(to + sizeof(*r), msg, len);
	if (len < r->len) { /* no records follow */
		header_set(to + sizeof(*r), HEADER_ANCOUNT, 0);
		header_set(to + sizeof(*r), HEADER_NSCOUNT, 0);
		header_set(to + sizeof(*r), HEADER_ARCOUNT, 0);
	}
	spool_end(&t->spool);
	stats_inc(&t->stats->query_log);
}
