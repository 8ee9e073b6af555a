/* SPDX-License-Identifier: BSD-2-Clause */
#include "outbound/lookup.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cache/cache.h"

#define MIN_BUCKETS_LOG2 10

/* --- Room for lookups, and their table -------------------------------------------------------- */

static uint32_t
n_messages(uint32_t cap)
{
	uint32_t n = cap / LOOKUP_SIGNED_SHARE;

	return n > LOOKUP_SIGNED_LEAST ? n : LOOKUP_SIGNED_LEAST;
}

static void
init_lists(struct lookups *ls)
{
	ls->unsent.tcp_ready = 0;
	list_init(&ls->unsent.now);
	for (unsigned u = 0; u < UPSTREAM_MAX; u++)
		list_init(&ls->unsent.for_tcp[u]);
	list_init(&ls->ending);
	list_init(&ls->put_off);
	list_init(&ls->lost);
	list_init(&ls->refused);
	list_init(&ls->orphans);
	list_init(&ls->shelf);
}

/* Make the pools of CAP lookups, and of what these own. Returns 0 or -errno. */
static int
init_pools(struct lookups *ls, uint32_t cap)
{
	int rc = pool_init(&ls->pool, sizeof(struct lookup), cap);

	if (rc == 0)
		rc = pool_init(&ls->long_names, DNS_NAME_MAX, cap);
	if (rc == 0)
		rc = pool_init(&ls->messages, LOOKUP_SIGNED_MAX, n_messages(cap));
	if (rc == 0)
		rc = pool_init(&ls->replies, PACKET_UDP_CAP, n_messages(cap));
	if (rc == 0)
		rc = pool_init(&ls->attempts, sizeof(struct attempt), LOOKUP_EARLIER_EACH * cap);
	if (rc == 0)
		rc = pool_init(&ls->kept_replies, sizeof(struct lookup_kept), LOOKUP_KEPT_REPLIES);
	return rc;
}

/* Make the tables for CAP lookups. Returns 0 or -errno. */
static int
init_tables(struct lookups *ls, uint32_t cap)
{
	bool keeps = ls->conf->cache != NULL;
	unsigned bits = MIN_BUCKETS_LOG2;

	while (UINT32_C(1) << bits < cap)
		bits++;
	ls->shift = 32 - bits;
	ls->kept = keeps ? malloc(LOOKUP_KEPT) : NULL;
	ls->buckets = calloc((size_t)1 << bits, sizeof(ls->buckets[0]));
	/* calloc does not touch an allocation of this size, so unused spaces cost no memory. */
	ls->spaces = calloc(TXID_MAX_SPACES, sizeof(ls->spaces[0]));
	ls->stale_ids = calloc(UPSTREAM_MAX_SOCKETS, sizeof(ls->stale_ids[0]));
	if ((keeps && ls->kept == NULL) || ls->buckets == NULL || ls->spaces == NULL ||
	    ls->stale_ids == NULL)
		return -ENOMEM;
	ls->n_spaces = 1;
	txid_init(&ls->spaces[0]);
	return 0;
}

int
lookups_init(struct lookups *ls, const struct lookups *borrowed, uint32_t cap)
{
	int rc;

	*ls = *borrowed;
	ls->seed = ls->conf->cache != NULL ? cache_seed(ls->conf->cache) : rng_u64(ls->rng);
	ls->spread = rng_u64(ls->rng) | 1;
	init_lists(ls);
	rc = init_pools(ls, cap);
	if (rc == 0)
		rc = init_tables(ls, cap);
	if (rc != 0)
		lookups_fini(ls);
	return rc;
}

void
lookups_fini(struct lookups *ls)
{
	free(ls->stale_ids);
	free(ls->spaces);
	free(ls->buckets);
	free(ls->kept);
	pool_fini(&ls->kept_replies);
	pool_fini(&ls->attempts);
	pool_fini(&ls->replies);
	pool_fini(&ls->messages);
	pool_fini(&ls->long_names);
	pool_fini(&ls->pool);
}

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

bool
lookup_has_room(const struct lookups *ls)
{
	return pool_room(&ls->pool) > ls->pool.cap / 4 * 3;
}

/* --- A lookup begins -------------------------------------------------------------------------- */

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
		l->stream.plan =
		    transport_is_stream(wish->transport) ? LOOKUP_STREAM_NEXT : LOOKUP_AS_USUAL;
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

/* --- Queries wait for it ---------------------------------------------------------------------- */

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

/* --- Its attempts ----------------------------------------------------------------------------- */

struct lookup *
lookup_of(const struct lookups *ls, const struct attempt *a)
{
	return lookup_at(ls, ls->spaces[a->space].owner[a->id].lookup);
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

void
lookup_ask(struct lookups *ls, struct lookup *l)
{
	lookup_stop_attempt(ls, l);
	l->pinned = true;
	l->wait = LOOKUP_AWAITS;
	l->progress = LOOKUP_TO_ASK;
	list_push(&ls->unsent.now, &l->link);
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

/* --- It waits for room on a TCP connection ---------------------------------------------------- */

void
lookup_tcp_wait(struct lookups *ls, struct lookup *l, uint64_t now_ns)
{
	const struct upstreams *us = ls->upstreams;
	uint64_t due_ns;

	/* Every upstream is down: as short a wait as for an attempt (RULES D5). */
	if (upstreams_all_down(us))
		lookup_shorten(l, now_ns);
	due_ns = l->end_ns;
	if (us->n_order > 1 || l->stream.plan == LOOKUP_STREAM_NEXT)
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

/* --- It ends ---------------------------------------------------------------------------------- */

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
	pool_give(&ls->pool, l); /* last, as that overwrites it */
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
