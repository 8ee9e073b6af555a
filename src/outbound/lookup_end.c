/* SPDX-License-Identifier: BSD-2-Clause */
/* lookup_end: what becomes of a lookup that ends, or has ended. */
#include "outbound/lookup.h"

#include <string.h>

#include "base/clock.h"

/* Take L out of the table, if it is there. */
static inline void
unlist(struct lookups *ls, struct lookup *l)
{
	struct lookup **at = &ls->buckets[l->entry.hash >> ls->shift];

	if (!l->entry.listed)
		return;
	while (*at != l)
		at = &(*at)->entry.next;
	*at = l->entry.next;
	l->entry.listed = false;
}

void
lookup_keep_truncated(struct lookups *ls, struct lookup *l, const struct msg *m)
{
	uint64_t end_ns = l->born_ns + LOOKUP_TRUNCATED_MS * NS_PER_MS;

	if (l->truncated.bytes == NULL)
		l->truncated.bytes = pool_take(&ls->replies);
	if (l->truncated.bytes == NULL) {
		l->excuse.no_room = true;
		return;
	}
	memcpy(l->truncated.bytes, m->bytes, m->len);
	l->truncated.len = (uint16_t)m->len;
	if (l->end_ns > end_ns)
		l->end_ns = end_ns;
}

bool
lookup_linger(struct lookups *ls, struct lookup *l, uint64_t now_ns)
{
	if (l->earlier == NULL || l->wait == LOOKUP_LINGERS || l->probe.is ||
	    l->message.bytes != NULL || ls->conf->cache == NULL || !lookup_has_room(ls))
		return false;
	l->wait = LOOKUP_LINGERS; /* beyond its end */
	l->progress = LOOKUP_UNSENT;
	wheel_set(ls->wheel, &l->timer, now_ns + LOOKUP_LINGER_MS * NS_PER_MS);
	return true;
}

void
lookup_put_off(struct lookups *ls, struct lookup *l, const struct lookup_result *result)
{
	struct lookup_kept *kept = result->msg != NULL ? pool_take(&ls->kept_replies) : NULL;

	if (kept != NULL) {
		memcpy(kept->bytes, result->msg->bytes, result->msg->len);
		kept->msg = *result->msg;
		msg_move(&kept->msg, kept->bytes);
	}
	while (l->earlier != NULL)
		lookup_drop(ls, l, l->earlier);
	unlist(ls, l);
	l->ended.reply = kept;
	l->ended.outcome = (uint8_t)result->outcome;
	l->ended.trusted = result->trusted;
	if (result->msg != NULL && kept == NULL)
		l->ended.outcome = LOOKUP_NO_ROOM;
	l->waiters.needed =
	    true;                /* it stays when the last waiter leaves: the reply may be in use */
	l->wait = LOOKUP_AWAITS; /* as it has no timer */
	l->progress = LOOKUP_PUT_OFF;
	list_push(&ls->put_off, &l->link);
	ls->more = true;
}

struct lookup *
lookup_next_put_off(struct lookups *ls, struct lookup_result *result)
{
	struct list *link = list_pop(&ls->put_off);
	struct lookup *l;

	if (link == NULL)
		return NULL;
	list_push(&ls->put_off, link);
	l = LIST_OBJECT(link, struct lookup, link);
	*result = (struct lookup_result){ .outcome = (enum lookup_outcome)l->ended.outcome,
		.rcode = l->ended.reply != NULL ? l->ended.reply->msg.rcode : l->tried.best_rcode,
		.upstream = l->upstream,
		.trusted = l->ended.trusted,
		.msg = l->ended.reply != NULL ? &l->ended.reply->msg : NULL };
	return l;
}

/* Those attempts on the socket in SLOT that were refused are on its list again. */
static void
take_refused(struct lookups *ls, unsigned slot)
{
	struct upstream_socket *s = &ls->upstreams->sockets[slot];

	for (struct list *link = ls->refused.next, *next; link != &ls->refused; link = next) {
		struct attempt *a = LIST_OBJECT(link, struct attempt, link);

		next = link->next;
		if (a->socket != slot)
			continue;
		a->refused = false;
		list_unlink(link);
		list_push(&s->open, link);
	}
	s->n_refused = 0;
}

void
lookup_orphan(struct lookups *ls, unsigned slot)
{
	struct list *open = &ls->upstreams->sockets[slot].open;

	if (UNLIKELY(ls->upstreams->sockets[slot].n_refused > 0))
		take_refused(ls, slot);
	for (struct list *link = open->next; link != open; link = link->next) {
		const struct attempt *a = LIST_OBJECT(link, struct attempt, link);

		ls->spaces[a->space].owner[a->id].socket = UPSTREAM_MAX_SOCKETS; /* no slot */
	}
	list_move(&ls->orphans, open);
	ls->stale_ids[slot].n = 0;
}

void
lookup_free(struct lookups *ls, struct lookup *l)
{
	if (l->progress != LOOKUP_DONE) {
		if (lookup_in_flight(l))
			lookup_expect(ls, &l->now);
		lookup_stop_attempt(ls, l);
	}
	while (UNLIKELY(l->earlier != NULL))
		lookup_drop(ls, l, l->earlier);
	unlist(ls, l);
	if (l->key.qname != l->name)
		pool_give(&ls->long_names, (void *)(uintptr_t)l->key.qname);
	if (l->message.bytes != NULL)
		pool_give(&ls->messages, l->message.bytes);
	if (l->truncated.bytes != NULL)
		pool_give(&ls->replies, l->truncated.bytes);
	if (UNLIKELY(l->ended.reply != NULL))
		pool_give(&ls->kept_replies, l->ended.reply);
	pool_give(&ls->pool, l);
}
