/* SPDX-License-Identifier: BSD-2-Clause */
/* lookup_tcp: lookups that wait for room on a TCP connection. */
#include "core/lookup.h"

void
lookup_queue(struct lookups *ls, struct lookup *l, uint64_t now_ns)
{
	const struct upstreams *us = ls->upstreams;
	uint64_t due_ns;

	/* Every upstream is down: as short a wait as for an attempt (RULES D5). */
	if (upstreams_all_down(us) && l->end_ns > now_ns + LOOKUP_DOWN_MS * NS_PER_MS)
		l->end_ns = now_ns + LOOKUP_DOWN_MS * NS_PER_MS;
	due_ns = l->end_ns;
	if (us->n_order > 1)
		due_ns = now_ns + upstreams_wait_ns(us, l->upstream, UPSTREAM_OVER_TCP, 0);
	stats_inc(&ls->stats->tcp_upstream_waits);
	l->progress = LOOKUP_TO_ASK;
	list_push(&ls->for_tcp[l->upstream], &l->link);
	wheel_set(ls->wheel, &l->timer, due_ns < l->end_ns ? due_ns : l->end_ns);
}

void
lookup_unqueue(struct lookups *ls, unsigned u)
{
	const struct upstream *up = &ls->upstreams->table[u];
	struct list *head = &ls->for_tcp[u];

	if (list_empty(head))
		return;
	for (uint64_t n = channels_room(up->tcp, up->tcp_yield); n > 0 && !list_empty(head); n--)
		lookup_ask(ls, LIST_OBJECT(head->next, struct lookup, link));
}
