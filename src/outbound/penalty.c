/* SPDX-License-Identifier: BSD-2-Clause */
#include "outbound/penalty.h"

#include "outbound/health.h"
#include "outbound/trace.h"

void
penalty_lose(const struct lookups *ls, struct attempt *a, enum upstream_lost cause)
{
	_Atomic uint64_t *const counters[] = {
		[UPSTREAM_LOST_TIMEOUT] = &ls->stats->upstream_timeouts,
		[UPSTREAM_LOST_UNREACHABLE] = &ls->stats->upstream_unreachable,
		[UPSTREAM_LOST_DISCONNECTED] = &ls->stats->upstream_disconnected,
	};

	if (a->silent)
		return;
	a->silent = true;
	/* It had no time to reply in. */
	if (ls->upstreams->table[a->upstream].conf.ordered == CONF_DOWN)
		return;
	stats_inc(counters[cause]);
	ls->upstreams->table[a->upstream].tally.lost[cause]++;
}

void
penalty_use_up(struct lookup *l, const struct attempt *a)
{
	uint64_t bit = UINT64_C(1) << a->upstream;
	uint64_t *s = l->tried.silent[a->over];

	if ((s[0] & s[1] & bit) == 0) {
		uint64_t carry = s[0] & bit;

		s[0] ^= bit;
		s[1] ^= carry;
	}
}

void
penalty_count(
    const struct lookups *ls, struct lookup *l, struct attempt *a, enum upstream_lost cause)
{
	struct upstream *up = &ls->upstreams->table[a->upstream];
	uint64_t bit = UINT64_C(1) << a->upstream;

	penalty_lose(ls, a, cause);
	penalty_use_up(l, a);
	if (l->tried.n_silent < UINT8_MAX)
		l->tried.n_silent++;
	if (up->down && !l->probe.is && !l->refused)
		l->tried.gone |= bit;
	if (a->over == UPSTREAM_PRIMARY)
		up->failures.n_primary_silent += a->way == up->ways.now;
	else if (UNLIKELY(up->ways.now == WAY_TCP) && up->heard_ns <= a->sent_ns) /* no better */
		upstreams_forget_way(ls->upstreams, a->upstream);
}

void
penalty_silent(struct lookups *ls, struct lookup *l, struct attempt *a, uint64_t now_ns)
{
	const struct upstream *up = &ls->upstreams->table[a->upstream];

	if (UNLIKELY(ls->traced.anybody))
		trace_silent(ls, l, a, now_ns);
	penalty_count(ls, l, a, UPSTREAM_LOST_TIMEOUT);
	if (up->conf.ordered == CONF_DOWN)
		return;
	if (l->probe.is && l->key.qtype == DNS_TYPE_AAAA)
		upstreams_aaaa_lost(ls->upstreams, a->upstream, a->sent_ns, now_ns);
	/* What left by another way than questions go now shows nothing new. */
	if (!l->probe.is && (a->way == up->ways.now || a->over == UPSTREAM_FALLBACK))
		health_on_silence(ls->upstreams, a->upstream, (enum upstream_over)a->over, now_ns);
}

void
penalty_earlier(struct lookups *ls, struct lookup *l, uint64_t now_ns)
{
	for (struct attempt *a = l->earlier; a != NULL; a = a->next) {
		if (!a->silent)
			penalty_silent(ls, l, a, now_ns);
	}
}

void
penalty_forgive(const struct lookups *ls, struct lookup *l)
{
	const struct upstreams *us = ls->upstreams;

	for (unsigned i = 0; i < us->n_order; i++) {
		if (!us->table[us->order[i]].down)
			l->tried.gone &= ~(UINT64_C(1) << us->order[i]);
	}
}
