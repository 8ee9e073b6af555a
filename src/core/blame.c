/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/blame.h"

#include "base/log.h"
#include "core/health.h"
#include "core/narrate.h"

void
blame_lose(const struct lookups *ls, struct attempt *a)
{
	if (!a->silent)
		ls->upstreams->table[a->upstream].tally.lost++;
	a->silent = true;
}

void
blame_count(const struct lookups *ls, struct lookup *l, struct attempt *a)
{
	struct upstream *up = &ls->upstreams->table[a->upstream];
	uint64_t bit = UINT64_C(1) << a->upstream;
	uint64_t *s = l->silent[lookup_over(a)];

	blame_lose(ls, a);
	if ((s[0] & s[1] & bit) == 0) {
		uint64_t carry = s[0] & bit;

		s[0] ^= bit;
		s[1] ^= carry;
	}
	if (l->n_silent < UINT8_MAX)
		l->n_silent++;
	if (up->down && !l->probe && !l->refused)
		l->errored |= bit;
	if (lookup_over(a) == UPSTREAM_OVER_UDP)
		up->n_udp_silent++;
	else
		up->tcp_first = false; /* TCP is no better */
}

void
blame_silent(struct lookups *ls, struct lookup *l, struct attempt *a, uint64_t now_ns)
{
	stats_inc(&ls->stats->upstream_timeouts);
	if (log_debugs(LOG_UPSTREAM))
		narrate_silent(ls, l, a, now_ns);
	blame_count(ls, l, a);
	if (!l->probe)
		health_on_silence(ls->upstreams, a->upstream, lookup_over(a), now_ns);
}

void
blame_earlier(struct lookups *ls, struct lookup *l, uint64_t now_ns)
{
	for (struct attempt *a = l->earlier; a != NULL; a = a->next) {
		if (!a->silent)
			blame_silent(ls, l, a, now_ns);
	}
}

void
blame_forgive(const struct lookups *ls, struct lookup *l)
{
	const struct upstreams *us = ls->upstreams;

	if ((l->best_rcode | l->late_rcode) != DNS_NOERROR)
		return;
	for (unsigned i = 0; i < us->n_order; i++) {
		if (!us->table[us->order[i]].down)
			l->errored &= ~(UINT64_C(1) << us->order[i]);
	}
}
