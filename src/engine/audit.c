/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine/audit.h"

#include <stddef.h>

/* How many queries and lookups were found, by what holds them. */
struct count {
	const struct queries *qs;
	uint32_t ready;
	uint32_t waiting; /* queries in lists of waiters */
	uint32_t alone;   /* queries that wait for their timers only */
	uint32_t lookups;
	uint32_t asked; /* lookups whose attempt is in flight */
	uint32_t timers;
	uint32_t attempts; /* those given up that may still be answered */
	uint32_t watchers; /* queries in lists of watchers */
	uint32_t watching; /* queries that say so */
	uint32_t placed;   /* queries with a place among those of their network */
	const char *wrong;
};

static void
blame(struct count *c, const char *what)
{
	if (c->wrong == NULL)
		c->wrong = what;
}

static bool
is_set(const struct wheel_timer *t)
{
	return !list_empty(&t->link);
}

/* The type of what is watched in state LATE; 0: nothing is. */
static uint16_t
watched_type(enum query_late late)
{
	switch (late) {
	case LATE_WATCHED:
	case LATE_HELD:
	case LATE_SPENT:
		return DNS_TYPE_AAAA;
	case LATE_A_KEPT:
		return DNS_TYPE_A;
	case LATE_NONE:
	case LATE_LAPSED:
	case LATE_AWAITED:
		break;
	}
	return 0;
}

/* Q was found: what does it watch? */
static void
count_query(struct count *c, const struct query *q)
{
	uint16_t watched = q->watch.lookup != NULL ? q->watch.lookup->key.qtype : 0;
	const struct fair_place *p = &q->place;

	c->placed += p->client != NULL;
	if (q->child && p->client != NULL)
		blame(c, "a child counts as a client's question");
	if (p->counted &&
	    (c->qs->fair.same[p->same[0][0]] == 0 || c->qs->fair.same[p->same[0][1]] == 0))
		blame(c, "a question is not among those counted as the same");
	c->watching += q->watch.lookup != NULL;
	if (q->watch.lookup != NULL && q->watch.lookup == q->lookup)
		blame(c, "a query watches what it waits for");
	if (watched != watched_type((enum query_late)q->aaaa.late))
		blame(c, "a query watches other than it does where it is with the late AAAA");
}

static uint32_t
count_watchers(struct count *c, const struct lookup *l)
{
	struct list *link = l->waiters.ring;
	uint32_t n = 0;

	if (link == NULL)
		return 0;
	do {
		const struct query *q = LIST_OBJECT(link, struct query, watch.link);

		if (q->watch.lookup != l)
			blame(c, "a query watches a lookup that it does not know");
		n++;
		link = link->next;
	} while (link != l->waiters.ring);
	c->watchers += n;
	return n;
}

static void
count_ready(struct count *c, const struct list *head)
{
	for (struct list *link = head->next; link != head; link = link->next) {
		const struct query *q = LIST_OBJECT(link, struct query, link);

		if (q->lookup != NULL && q->next != QUERY_STARTS)
			blame(c, "a query is ready, and a lookup is said to be waited for");
		if (q->aaaa.late == LATE_HELD)
			blame(c, "a query is ready, and has A that are held");
		count_query(c, q);
		c->ready++;
	}
}

/* Each attempt of L that may still be answered has its ID, and is its upstream's to answer. */
static void
count_attempts(struct count *c, const struct lookup *l)
{
	const struct lookups *ls = c->qs->lookups;

	for (const struct attempt *a = l->earlier; a != NULL; a = a->next) {
		if (!txid_in_flight(&ls->spaces[a->space], a->id) || lookup_of(ls, a) != l)
			blame(c, "an attempt that was given up has no ID");
		if (list_empty(&a->link) || list_empty(&a->shelf))
			blame(c, "an attempt that was given up is not known to its socket");
		c->attempts++;
	}
	if (l->wait == LOOKUP_EARLY && !(lookup_in_flight(l) && l->now.over == UPSTREAM_PRIMARY))
		blame(c, "another upstream is to be asked beside one that is not awaited");
	if (l->wait == LOOKUP_PLACED && l->progress != LOOKUP_ASKED_STREAM)
		blame(c, "a place is kept on a connection that is not used");
	if (l->progress == LOOKUP_TO_ASK && l->wait != LOOKUP_AWAITS)
		blame(c, "a lookup is to be sent, and its timer is for something else");
}

static void
count_waiters(struct count *c, const struct lookup *l)
{
	const struct list *head = &l->waiters.list;
	uint32_t n = 0;

	for (struct list *link = head->next; link != head; link = link->next) {
		const struct query *q = LIST_OBJECT(link, struct query, link);

		if (q->lookup != l)
			blame(c, "a query waits in a lookup that it does not know");
		if (!is_set(&q->timer))
			blame(c, "a query waits without an end");
		if (q->place.client == NULL && !q->child)
			blame(c, "a query waits that its network does not know of");
		count_query(c, q);
		n++;
	}
	if (n + count_watchers(c, l) != l->waiters.n)
		blame(c, "a lookup has another number of waiters than it says");
	count_attempts(c, l);
	c->waiting += n;
	c->lookups++;
	c->asked += lookup_in_flight(l);
}

/* The lookups on a list of those that wait for no time. */
static void
count_lookups(struct count *c, const struct list *head)
{
	for (struct list *link = head->next; link != head; link = link->next)
		count_waiters(c, LIST_OBJECT(link, struct lookup, link));
}

/* Work that is left is said to be; each reply that was kept is of a lookup that was put off. */
static void
count_kept(struct count *c)
{
	const struct lookups *ls = c->qs->lookups;
	uint32_t n = 0;

	for (struct list *link = ls->put_off.next; link != &ls->put_off; link = link->next) {
		const struct lookup *l = LIST_OBJECT(link, struct lookup, link);

		if (l->entry.listed || l->earlier != NULL)
			blame(c, "a lookup was put off, and could still be joined or answered");
		n += l->ended.reply != NULL;
	}
	if (n != ls->kept_replies.n_used)
		blame(c, "a reply was kept for nobody");
	if (!ls->more &&
	    !(list_empty(&ls->put_off) && list_empty(&ls->ending) && list_empty(&ls->lost) &&
		list_empty(&ls->refused)))
		blame(c, "work is left that nobody knows of");
}

/* The questions that the client C knows of. */
static uint32_t
count_client(const struct fair_client *client)
{
	uint32_t n = 0;

	for (unsigned i = 0; i < FAIR_LISTS; i++) {
		const struct list *head = &client->own.of[i];

		for (struct list *at = head->next; at != head; at = at->next)
			n += LIST_OBJECT(at, struct fair_place, link)->client == client;
	}
	return n;
}

/* Those that NET knows of. */
static uint32_t
count_net(const struct fair_net *net)
{
	uint32_t n = 0;

	if (net->level == 0)
		return count_client(fair_member(net));
	for (struct list *at = net->of[0].next; at != &net->of[0]; at = at->next) {
		const struct fair_client *client = fair_client_at(net, at);

		n += fair_net_in(client, net) ? count_client(client) : 0;
	}
	return n;
}

/* The questions that networks know of. */
static uint32_t
count_placed(struct count *c)
{
	const struct fair *f = &c->qs->fair;
	uint32_t n = 0, n_clients = 0;

	for (unsigned class = 0; class < FAIR_CLASSES; class ++) {
		const struct list *head = &f->classes[class];

		if (list_empty(head) == (f->full[class / 64] >> class % 64 & 1))
			blame(c, "a class of networks is not what its bit says");
		for (struct list *link = head->next; link != head; link = link->next) {
			const struct fair_net *net = LIST_OBJECT(link, struct fair_net, link);
			uint32_t its = count_net(net);

			if (its != net->n || fair_class(fair_weight(net)) != class)
				blame(c, "a network has another number of questions than it says");
			n += net->level == 0 ? its : 0;
			n_clients += net->level == 0;
		}
	}
	if (n_clients != f->clients.n_used)
		blame(c, "a network is in no class");
	return n;
}

static void
count_timers(struct count *c, const struct list *head)
{
	for (struct list *link = head->next; link != head; link = link->next) {
		struct wheel_timer *t = LIST_OBJECT(link, struct wheel_timer, link);

		c->timers++;
		if (t->kind == WHEEL_LOOKUP) {
			count_waiters(c, LIST_OBJECT(t, struct lookup, timer));
		} else if (t->kind == WHEEL_QUERY) {
			const struct query *q = LIST_OBJECT(t, struct query, timer);

			if (q->lookup == NULL && list_empty(&q->link)) {
				count_query(c, q);
				c->alone++;
				if (q->state != QUERY_SVCB && !query_is_held(q))
					blame(c, "a query waits for its timer, and has no answer");
			}
		}
	}
}

const char *
audit(const struct queries *qs)
{
	struct count c = { .qs = qs };

	if (qs->pool.n_used > AUDIT_MOST)
		return NULL;
	count_ready(&c, &qs->ready);
	count_lookups(&c, &qs->lookups->unsent.now);
	count_lookups(&c, &qs->lookups->ending);
	count_lookups(&c, &qs->lookups->put_off);
	count_kept(&c);
	count_timers(&c, &qs->wheel->due);
	for (uint64_t tick = qs->wheel->tick; c.timers < qs->wheel->n; tick++) {
		if (tick == qs->wheel->tick + WHEEL_SLOTS) {
			blame(&c, "a timer is lost");
			break;
		}
		const struct list *slot = &qs->wheel->slots[tick % WHEEL_SLOTS];

		if (!list_empty(slot)) /* few of thousands are not */
			count_timers(&c, slot);
	}
	if (c.wrong == NULL && c.lookups != qs->lookups->pool.n_used)
		c.wrong = "a lookup is neither to be asked nor waits for a time";
	if (c.wrong == NULL && c.attempts != qs->lookups->attempts.n_used)
		c.wrong = "an attempt that was given up is no lookup's";
	if (c.wrong == NULL && c.ready + c.waiting + c.alone != qs->pool.n_used)
		c.wrong = "a query is neither ready nor waits for anything";
	for (unsigned u = 0; u < UPSTREAM_MAX; u++)
		c.asked -= qs->lookups->upstreams->table[u].n_waiting;
	if (c.wrong == NULL && c.asked != 0)
		c.wrong = "upstreams have other numbers of lookups that wait for them";
	if (count_placed(&c) != c.placed)
		blame(&c, "a network knows of a query that is not there");
	if (c.wrong == NULL && c.watchers != c.watching)
		c.wrong = "a query watches a lookup that does not know it";
	return c.wrong;
}

/* Is a query on the list HEAD to read a message? */
static bool
has_message(const struct list *head)
{
	for (struct list *link = head->next; link != head; link = link->next) {
		const struct query *q = LIST_OBJECT(link, struct query, link);

		if (q->came.with_msg && q->next != QUERY_STARTS)
			return true;
	}
	return false;
}

bool
audit_message(const struct queries *qs)
{
	return has_message(&qs->ready);
}
