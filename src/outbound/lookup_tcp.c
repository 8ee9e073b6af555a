/* SPDX-License-Identifier: BSD-2-Clause */
/* lookup_tcp: lookups that wait for room on a TCP connection. */
#include "outbound/lookup.h"

void
lookup_tcp_wait(struct lookups *ls, struct lookup *l, uint64_t now_ns)
{
	const struct upstreams *us = ls->upstreams;
	uint64_t due_ns;

	/* Every upstream is down: as short a wait as for an attempt (RULES D5). */
	if (upstreams_all_down(us)) {
		l->excuse.hurried = true;
		if (l->end_ns > now_ns + LOOKUP_DOWN_MS * NS_PER_MS)
			l->end_ns = now_ns + LOOKUP_DOWN_MS * NS_PER_MS;
	}
	due_ns = l->end_ns;
	if (us->n_order > 1)
		due_ns = now_ns + upstreams_wait_ns(us, l->upstream, lookup_over(l), 0);
	stats_inc(&ls->stats->tcp_upstream_waits);
	l->progress = LOOKUP_TO_ASK;
	list_push(&ls->unsent.for_tcp[l->upstream], &l->link);
	lookup_set_wait(ls, l, LOOKUP_AWAITS, due_ns);
}

void
lookup_tcp_leave(struct lookups *ls, struct lookup *l)
{
	l->now.displaced = true;
	lookup_conn(ls, &l->now)->n_awaited--;
	lookup_tcp_room(ls, l->now.upstream);
}

_Static_assert(UPSTREAM_MAX <= 64, "a bit of tcp_ready each");

void
lookup_tcp_room(struct lookups *ls, unsigned u)
{
	if (!list_empty(&ls->unsent.for_tcp[u]))
		ls->unsent.tcp_ready |= UINT64_C(1) << u;
}

void
lookup_tcp_room_all(struct lookups *ls)
{
	for (unsigned u = 0; u < UPSTREAM_MAX; u++)
		lookup_tcp_room(ls, u);
}

struct list *
lookup_tcp_next(struct lookups *ls)
{
	/* One at a time, when it is sent: one that is not sent after all takes no room. */
	while (ls->unsent.tcp_ready != 0) {
		unsigned u = (unsigned)__builtin_ctzll(ls->unsent.tcp_ready);
		const struct upstream *up = &ls->upstreams->table[u];
		struct list *head = &ls->unsent.for_tcp[u];

		if (!list_empty(head) &&
		    (!up->active || tcp_pool_pick(up->tcp, up->tcp_yield) != TCP_POOL_SIZE)) {
			struct lookup *l = LIST_OBJECT(head->next, struct lookup, link);

			wheel_clear(ls->wheel, &l->timer);
			l->pinned = true;
			return list_pop(head);
		}
		ls->unsent.tcp_ready &= ls->unsent.tcp_ready - 1;
	}
	return NULL;
}
