/* SPDX-License-Identifier: BSD-2-Clause */
#include "outbound/lookup.h"

#include <string.h>

#include "base/clock.h"

/*
 * A client chooses the whole key. The top bits of a product with a secret odd factor collide for
 * two chosen keys no more often than by chance.
 */
static uint32_t
hash_key(const struct lookups *ls, const struct question *key)
{
	uint64_t rest = (uint64_t)key->qtype << 32 | (uint64_t)key->qclass << 16 |
	    (uint64_t)(key->do_bit ? 2 : 0) | (uint64_t)(key->cd ? 1 : 0);

	return (uint32_t)((key->hash ^ rest * ls->spread) >> 32);
}

static bool
has_key(const struct lookup *l, uint32_t hash, const struct question *key)
{
	return l->entry.hash == hash && l->key.qtype == key->qtype &&
	    l->key.qclass == key->qclass && l->key.do_bit == key->do_bit && l->key.cd == key->cd &&
	    l->key.qname_len == key->qname_len &&
	    memcmp(l->key.qname, key->qname, key->qname_len) == 0;
}

/* Copy the name: into the object unless it is long. False: no room. */
static bool
copy_name(struct lookups *ls, struct lookup *l, const struct question *key)
{
	uint8_t *name = l->name;

	if (key->qname_len > LOOKUP_NAME_INLINE) {
		name = pool_take(&ls->long_names);
		if (name == NULL)
			return false;
	}
	memcpy(name, key->qname, key->qname_len);
	l->key = *key;
	l->key.qname = name;
	return true;
}

/* L, which is zero but for what start or revive has set, is on the list of attempts to be sent. */
static void
enter(struct lookups *ls, struct lookup *l, uint16_t upstream)
{
	l->number = (uint32_t)((size_t)((uint8_t *)l - ls->pool.mem) / ls->pool.stride);
	list_init(&l->waiters.list);
	wheel_timer_init(&l->timer, WHEEL_LOOKUP);
	l->upstream = upstream;
	l->progress = LOOKUP_TO_ASK;
	list_push(&ls->unsent.now, &l->link);
	stats_inc(&ls->stats->lookups);
}

/* Start a lookup that is on the list of attempts to be sent but not in the table. NULL: no room. */
static struct lookup *
start(struct lookups *ls, const struct question *key, uint16_t upstream)
{
	struct lookup *l = pool_take(&ls->pool);

	if (l == NULL)
		return NULL;
	memset(l, 0, offsetof(struct lookup, now));
	if (!copy_name(ls, l, key)) {
		pool_give(&ls->pool, l);
		return NULL;
	}
	enter(ls, l, upstream);
	return l;
}

/* Start a lookup that is in the table, too. NULL: no room. */
static struct lookup *
start_listed(struct lookups *ls, const struct question *key, uint32_t hash, uint16_t upstream)
{
	struct lookup **bucket = &ls->buckets[hash >> ls->shift];
	struct lookup *l = start(ls, key, upstream);

	if (l == NULL)
		return NULL;
	l->entry.hash = hash;
	l->entry.next = *bucket;
	l->entry.listed = true;
	*bucket = l;
	return l;
}

/*
 * L lingers, and its question is asked once more: it begins anew, but for what was sent and not
 * answered. What has been brought along so before is dropped, or dead names would take ever more.
 */
static __attribute__((cold)) void
revive(struct lookups *ls, struct lookup *l, uint16_t upstream)
{
	const struct question key = l->key;
	struct lookup *next = l->entry.next;
	uint32_t hash = l->entry.hash;
	struct attempt *earlier;

	for (struct attempt *a = l->earlier, *after; a != NULL; a = after) {
		after = a->next;
		if (a->sent_ns < l->born_ns)
			lookup_drop(ls, l, a);
		else if (a->check == LOOKUP_CHECK_AGAIN)
			a->check = LOOKUP_CHECK_NONE; /* that check is over */
	}
	earlier = l->earlier;
	wheel_clear(ls->wheel, &l->timer);
	memset(l, 0, offsetof(struct lookup, now));
	l->key = key;
	l->earlier = earlier;
	l->entry.next = next;
	l->entry.hash = hash;
	l->entry.listed = true;
	enter(ls, l, upstream);
}

/* L was not sent once more, as its waiters had no questions left for it; now there are some. */
static __attribute__((noinline)) void
send_on(struct lookups *ls, struct lookup *l)
{
	l->waiters.over_budget = false;
	if (l->progress != LOOKUP_UNSENT) /* it goes on when that is over */
		return;
	lookup_plan(l, LOOKUP_NO_REPLY); /* TCP was for the upstream that was next then */
	lookup_ask(ls, l);
	l->pinned = false;
}

/* L may be sent SENDS times more, 0: without a limit, or as often as it may already. */
static inline void
allow(struct lookup *l, unsigned sends)
{
	unsigned most = sends > 0 ? l->n_sends + sends : UINT8_MAX;

	if (most > l->waiters.allowed)
		l->waiters.allowed = most < UINT8_MAX ? (uint8_t)most : UINT8_MAX;
}

struct lookup *
lookup_find_or_start(
    struct lookups *ls, const struct question *key, const struct lookup_wish *wish, bool *found)
{
	uint32_t hash = hash_key(ls, key);
	struct lookup *l = ls->buckets[hash >> ls->shift];

	while (l != NULL && !has_key(l, hash, key))
		l = l->entry.next;
	*found = l != NULL && l->wait != LOOKUP_LINGERS;
	if (*found && l->waiters.n == LOOKUP_MAX_WAITERS)
		return NULL;
	if (*found) {
		stats_inc(&ls->stats->coalesced);
	} else {
		if (l == NULL)
			l = start_listed(ls, key, hash, wish->prefer);
		else
			revive(ls, l, wish->prefer);
		if (l == NULL)
			return NULL;
		l->stream.plan = wish->stream ? LOOKUP_STREAM_NEXT : LOOKUP_AS_USUAL;
	}
	l->waiters.whole = l->waiters.whole || wish->whole;
	allow(l, wish->sends);
	if (UNLIKELY(l->waiters.over_budget) && l->n_sends < l->waiters.allowed)
		send_on(ls, l);
	return l;
}

struct lookup *
lookup_start_signed(struct lookups *ls, const struct msg *m, enum transport transport)
{
	const struct question key = { .qname = msg_qname(m),
		.qname_len = m->qname_len,
		.qtype = m->qtype,
		.qclass = m->qclass };
	uint8_t *copy = m->len <= LOOKUP_SIGNED_MAX ? pool_take(&ls->messages) : NULL;
	struct lookup *l;

	if (copy == NULL)
		return NULL;
	l = start(ls, &key, UPSTREAM_NONE);
	if (l == NULL) {
		pool_give(&ls->messages, copy);
		return NULL;
	}
	memcpy(copy, m->bytes, m->len);
	l->message.bytes = copy;
	l->message.len = (uint16_t)m->len;
	l->stream.plan = transport_is_stream(transport) ? LOOKUP_STREAM_KEPT : LOOKUP_AS_USUAL;
	allow(l, 0);
	stats_inc(&ls->stats->lookups_signed);
	return l;
}

void
lookup_join(struct lookup *l, struct list *link)
{
	list_push(&l->waiters.list, link);
	l->waiters.n++;
}

void
lookup_watch(struct lookup *l, struct list *waits, struct list *watches)
{
	list_unlink(waits);
	list_init(watches);
	if (l->waiters.ring != NULL)
		list_push(l->waiters.ring, watches);
	else
		l->waiters.ring = watches;
}

/* Take LINK off the list or ring that it is on. */
static void
unlink_one(struct lookup *l, struct list *link)
{
	if (l->waiters.ring == link)
		l->waiters.ring = list_empty(link) ? NULL : link->next;
	list_unlink(link);
}

struct list *
lookup_next_watcher(struct lookup *l)
{
	struct list *link = l->waiters.ring;

	if (link != NULL)
		unlink_one(l, link);
	return link;
}

void
lookup_wait_again(struct lookup *l, struct list *watches, struct list *waits)
{
	unlink_one(l, watches);
	list_push(&l->waiters.list, waits);
}

void
lookup_leave(struct lookups *ls, struct lookup *l, struct list *link)
{
	unlink_one(l, link);
	l->waiters.n--;
	if (l->waiters.n == 0 && !l->waiters.needed)
		lookup_free(ls, l);
}

bool
lookup_has_room(const struct lookups *ls)
{
	return pool_room(&ls->pool) > ls->pool.cap / 4 * 3;
}

bool
lookup_refresh(struct lookups *ls, const struct question *key, uint8_t sends)
{
	const struct lookup_wish wish = { .whole = true, .prefer = UPSTREAM_NONE, .sends = sends };
	struct lookup *l;
	bool found;

	if (!lookup_has_room(ls))
		return false;
	l = lookup_find_or_start(ls, key, &wish, &found);
	if (l != NULL)
		l->waiters.needed = true;
	return l != NULL;
}

/* Start a probe of U for KEY by WAY. */
static void
start_probe(struct lookups *ls, unsigned u, unsigned way, const struct question *key)
{
	struct lookup *l = start(ls, key, (uint16_t)u);

	if (l == NULL)
		return;
	l->probe.is = true;
	l->probe.way = (uint8_t)way;
	allow(l, 0);
	if (way == WAY_TCP ||
	    (way == WAY_AS_LEARNED && ls->upstreams->table[u].ways.now == WAY_TCP))
		lookup_plan(l, LOOKUP_WISHES_STREAM);
	l->pinned = true;
	stats_inc(&ls->stats->upstream_probes);
}

void
lookup_start_large(struct lookups *ls, const struct lookup *l)
{
	start_probe(ls, l->upstream, WAY_LARGE, &l->key);
}

void
lookup_start_probe(struct lookups *ls, unsigned u, unsigned way, uint16_t qtype)
{
	static const uint8_t root[1] = { 0 };
	const struct question key = {
		.qname = root, .qname_len = 1, .qtype = qtype, .qclass = DNS_CLASS_IN
	};

	start_probe(ls, u, way, &key);
}

/* Attempt A is in flight no more: give back its ID. */
static inline void
release(struct lookups *ls, struct attempt *a)
{
	txid_give(&ls->spaces[a->space], a->id);
	list_unlink(&a->link);
	if (transport_is_stream(a->transport))
		lookup_conn(ls, a)->n_open--;
	else if (UNLIKELY(a->refused))
		ls->upstreams->sockets[a->socket].n_refused--;
}

/* Attempt A is a lookup's present one again. */
static void
await(struct lookups *ls, const struct attempt *a)
{
	ls->upstreams->table[a->upstream].n_waiting++;
	if (transport_is_stream(a->transport) && !a->displaced)
		lookup_conn(ls, a)->n_awaited++;
}

/* Attempt A was a lookup's present one. */
static inline void
await_no_more(struct lookups *ls, const struct attempt *a)
{
	ls->upstreams->table[a->upstream].n_waiting--;
	if (transport_is_stream(a->transport) && !a->displaced) {
		lookup_conn(ls, a)->n_awaited--;
		lookup_tcp_room(ls, a->upstream);
	}
}

/* Copy attempt FROM, which is in flight, to TO, which takes its place on the list. */
static void
transfer(struct attempt *to, struct attempt *from)
{
	*to = *from;
	list_init(&to->link);
	list_push(&from->link, &to->link);
	list_unlink(&from->link);
}

void
lookup_shelve(struct lookups *ls, struct lookup *l)
{
	struct attempt *a = lookup_may_shelve(ls, l) ? pool_take(&ls->attempts) : NULL;

	await_no_more(ls, &l->now);
	if (a != NULL) {
		transfer(a, &l->now);
		list_push(&ls->shelf, &a->shelf);
		a->next = l->earlier;
		l->earlier = a;
	} else {
		lookup_expect(ls, &l->now);
		release(ls, &l->now);
	}
	l->progress = LOOKUP_UNSENT;
}

struct attempt *
lookup_recall(struct lookups *ls, struct lookup *l, unsigned space, uint16_t id)
{
	struct attempt **at = &l->earlier, *a, old;

	while ((*at)->id != id || (*at)->space != space)
		at = &(*at)->next;
	a = *at;
	*at = a->next;
	list_unlink(&a->shelf);
	await(ls, a);
	if (lookup_in_flight(l)) {
		await_no_more(ls, &l->now);
		transfer(&old, &l->now);
		transfer(&l->now, a);
		transfer(a, &old);
		list_push(&ls->shelf, &a->shelf);
		a->next = l->earlier;
		l->earlier = a;
	} else {
		list_unlink(&l->link);
		transfer(&l->now, a);
		pool_give(&ls->attempts, a);
		a = NULL;
	}
	l->progress =
	    transport_is_stream(l->now.transport) ? LOOKUP_ASKED_STREAM : LOOKUP_ASKED_DATAGRAM;
	l->upstream = l->now.upstream;
	l->check = l->now.check;
	return a;
}

void
lookup_drop(struct lookups *ls, struct lookup *l, struct attempt *a)
{
	struct attempt **at = &l->earlier;

	while (*at != a)
		at = &(*at)->next;
	*at = a->next;
	list_unlink(&a->shelf);
	lookup_expect(ls, a);
	release(ls, a);
	pool_give(&ls->attempts, a);
}

bool
lookup_drop_oldest(struct lookups *ls)
{
	struct attempt *a;

	if (list_empty(&ls->shelf))
		return false;
	a = LIST_OBJECT(ls->shelf.next, struct attempt, shelf);
	lookup_drop(ls, lookup_of(ls, a), a);
	return true;
}

void
lookup_ask(struct lookups *ls, struct lookup *l)
{
	lookup_stop_attempt(ls, l);
	l->pinned = true;
	l->wait = LOOKUP_AWAITS;
	l->progress = LOOKUP_TO_ASK;
	list_push(&ls->unsent.now, &l->link);
}

struct lookup *
lookup_of(const struct lookups *ls, const struct attempt *a)
{
	return lookup_at(ls, ls->spaces[a->space].owner[a->id].lookup);
}

void
lookup_stop_attempt(struct lookups *ls, struct lookup *l)
{
	switch ((enum lookup_progress)l->progress) {
	case LOOKUP_ASKED_DATAGRAM:
	case LOOKUP_ASKED_STREAM:
		await_no_more(ls, &l->now);
		release(ls, &l->now);
		break;
	case LOOKUP_TO_ASK:
	case LOOKUP_ENDING:
	case LOOKUP_PUT_OFF:
		list_unlink(&l->link);
		break;
	case LOOKUP_UNSENT:
	case LOOKUP_DONE:
		break;
	}
	wheel_clear(ls->wheel, &l->timer);
	l->progress = LOOKUP_DONE;
}

const char *
lookup_outcome_name(enum lookup_outcome outcome)
{
	static const char *const names[] = { [LOOKUP_REPLY] = "reply",
		[LOOKUP_TRUNCATED] = "truncated",
		[LOOKUP_ERROR] = "error",
		[LOOKUP_BOGUS] = "bogus",
		[LOOKUP_SILENT] = "silent",
		[LOOKUP_NO_ROOM] = "no-room" };

	return names[outcome];
}
