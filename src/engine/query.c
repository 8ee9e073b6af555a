/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine/query.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cache/cache.h"
#include "dns/answer.h"
#include "dns/name.h"
#include "dns64/reverse.h"
#include "engine/explain.h"

/* --- queries and what they own, taken from pools and given back ------------------------------ */

static int
init_pools(struct queries *qs, uint32_t cap)
{
	int rc = pool_init(&qs->pool, sizeof(struct query), cap);

	if (rc == 0)
		rc = pool_init(&qs->long_names, DNS_NAME_MAX, cap);
	if (rc == 0)
		/*
		 * Three per query, and one more: a new chain is made before the old one is given
		 * back.
		 */
		rc = pool_init(&qs->partials, sizeof(struct partial), 3 * cap + 1);
	if (rc == 0)
		rc = pool_init(&qs->data, sizeof(struct partial_data), cap);
	if (rc == 0)
		rc = pool_init(&qs->svcbs, sizeof(struct query_svcb), cap / QUERY_SVCB_SHARE + 1);
	return rc;
}

int
queries_init(struct queries *qs, const struct queries *borrowed, uint32_t cap)
{
	int rc;

	*qs = *borrowed;
	list_init(&qs->ready);
	if (qs->conf->cache != NULL) {
		qs->fetch = calloc(1, sizeof(*qs->fetch));
		if (qs->fetch == NULL)
			return -ENOMEM;
	}
	qs->reserve = cap / 4 < QUERY_RESERVE ? cap / 4 : QUERY_RESERVE;
	rc = init_pools(qs, cap);
	if (rc == 0)
		rc = fair_init(&qs->fair, qs->lookups->spread, cap);
	if (rc != 0)
		queries_fini(qs);
	return rc;
}

void
queries_fini(struct queries *qs)
{
	fair_fini(&qs->fair);
	pool_fini(&qs->svcbs);
	pool_fini(&qs->data);
	pool_fini(&qs->partials);
	pool_fini(&qs->long_names);
	pool_fini(&qs->pool);
	free(qs->fetch);
}

struct query *
query_new(struct queries *qs)
{
	struct query *q = pool_take(&qs->pool);

	if (q == NULL)
		return NULL;
	memset(q, 0, offsetof(struct query, name));
	list_init(&q->link);
	wheel_timer_init(&q->timer, WHEEL_QUERY);
	q->req.qname = q->name;
	q->aaaa.upstream = UPSTREAM_NONE;
	q->no_room_reason = REASON_NO_ROOM; /* and reason is REASON_RELAYED */
	q->budget.left = qs->conf->max_upstream_questions;
	q->local.zone_at = QUERY_NO_ZONE;
	q->conf_gen = qs->conf_gen - 1; /* older than any settings: the policy is not known yet */
	return q;
}

void
query_find_policy(const struct queries *qs, struct query *q)
{
	bool may_ask;

	q->policy = (uint16_t)policies_find(qs->conf->policies, query_client(q), &may_ask);
	q->conf_gen = qs->conf_gen;
}

bool
query_set_name(struct queries *qs, struct query *q, const uint8_t *name, size_t len)
{
	uint8_t *copy = q->name;

	if (len > sizeof(q->name)) {
		copy = pool_take(&qs->long_names);
		if (copy == NULL)
			return false;
	}
	memcpy(copy, name, len);
	q->req.qname = copy;
	q->req.qname_len = (uint8_t)len;
	return true;
}

void
query_drop_partial(struct queries *qs, struct partial **p)
{
	if (*p != NULL)
		pool_give(&qs->partials, *p);
	*p = NULL;
}

void
query_drop_data(struct queries *qs, struct query *q)
{
	if (q->chain.data == NULL)
		return;
	query_drop_partial(qs, &q->chain.data->chain);
	pool_give(&qs->data, q->chain.data);
	q->chain.data = NULL;
}

bool
query_forsake(struct query *q)
{
	bool waited = q->svcb->n_waiting > 0;

	for (unsigned i = 0; i < QUERY_SVCB_TARGETS; i++) {
		if (q->svcb->child[i] != NULL)
			q->svcb->child[i]->parent = NULL;
		q->svcb->child[i] = NULL;
	}
	q->svcb->n_waiting = 0;
	return waited;
}

void
query_drop_svcb(struct queries *qs, struct query *q)
{
	if (q->svcb == NULL)
		return;
	query_forsake(q);
	pool_give(&qs->svcbs, q->svcb);
	q->svcb = NULL;
}

void
query_free(struct queries *qs, struct query *q)
{
	fair_leave(&qs->fair, &q->place);
	wheel_clear(qs->wheel, &q->timer);
	query_drop_partial(qs, &q->aaaa.reply);
	query_drop_partial(qs, &q->chain.open);
	query_drop_data(qs, q);
	query_drop_svcb(qs, q);
	if (UNLIKELY(q->watch.lookup != NULL))
		query_take_late(qs, q, LATE_ON_NEEDLESS);
	if (q->req.qname != q->name)
		pool_give(&qs->long_names, (void *)(uintptr_t)q->req.qname);
	pool_give(&qs->pool, q);
}

/* --- waiting and going on --------------------------------------------------------------------- */

void
query_ready(struct queries *qs, struct query *q)
{
	query_make_ready(qs, q, LOOKUP_SILENT, false);
}

bool
query_is_dry(const struct queries *qs, const struct query *q)
{
	return q->dry && qs->explanation != NULL;
}

struct stats *
query_stats(const struct queries *qs, const struct query *q)
{
	return q->explained ? &qs->explanation->uncounted : qs->stats;
}

/* Write the last name of the chain that Q follows, in lower case. Returns its length in bytes. */
static __attribute__((noinline)) size_t
end_of_chain(const struct query *q, uint8_t out[static DNS_NAME_MAX])
{
	struct answer a;
	struct msg m;
	size_t len;

	partial_view(q->chain.open, q->state == QUERY_A ? DNS_TYPE_A : q->req.qtype, &m, &a);
	len = name_len(a.target);
	name_lower(out, a.target, len);
	return len;
}

/*
 * Write the name that Q asks for now to LOWER, in lower case, and make it that of *KEY: the end of
 * the chain it follows, or its own name, of which AAAA and A have the same hash.
 */
static inline void
name_question(const struct queries *qs, struct query *q, uint8_t lower[static DNS_NAME_MAX],
    struct question *key)
{
	key->qname = lower;
	if (UNLIKELY(q->state == QUERY_REVERSE || q->chain.open != NULL)) {
		key->qname_len = q->state == QUERY_REVERSE ? reverse_name(q->local.v4, lower)
							   : end_of_chain(q, lower);
		key->hash = lookup_hash(qs->lookups, lower, key->qname_len);
		return;
	}
	key->qname_len = q->req.qname_len;
	name_lower(lower, q->req.qname, q->req.qname_len);
	if (q->req.hash == 0)
		q->req.hash = lookup_hash(qs->lookups, lower, q->req.qname_len);
	key->hash = q->req.hash;
}

/* The type that Q asks for in its state. */
static inline uint16_t
asked_type(const struct query *q)
{
	if (q->state == QUERY_A)
		return DNS_TYPE_A;
	return q->state == QUERY_REVERSE ? DNS_TYPE_PTR : q->req.qtype;
}

static inline void
make_question(const struct queries *qs, struct query *q, uint8_t lower[static DNS_NAME_MAX],
    struct question *key)
{
	*key = (struct question){ .qtype = asked_type(q),
		.qclass = q->req.qclass,
		.do_bit = q->req.do_bit,
		.cd = (q->req.flags & DNS_CD) != 0 };
	name_question(qs, q, lower, key);
}

/* Make the hit in qs->fetch the event of Q, which has seen no stale entry. Returns QUERY_HIT. */
static size_t
take_hit(struct queries *qs, struct query *q)
{
	const struct fetch *r = qs->fetch;

	q->lookup = NULL;
	q->came.outcome = (uint8_t)r->result.outcome;
	q->came.rcode = r->result.rcode;
	q->came.with_msg = r->result.msg != NULL;
	if (UNLIKELY(r->stale))
		q->stale = true;
	return QUERY_HIT;
}

/* The time MS after the client's question. */
static uint64_t
time_of(const struct query *q, uint64_t ms)
{
	return q->deadline_ns - (QUERY_ALL_MS - ms) * NS_PER_MS;
}

/*
 * Look in the cache for Q. After QUERY_STALE_MS, and while all upstreams are down, a stale entry
 * will do; but a stale NXDOMAIN is not used for A before A was asked (RULES D5). Without RD only an
 * entry that has not expired will do (RULES D10).
 */
static enum fetch_found
find_in_cache(
    struct queries *qs, const struct query *q, const struct question *key, uint64_t now_ns)
{
	enum fetch_take tired = q->state == QUERY_A ? FETCH_RECORDS : FETCH_ALL;
	enum fetch_take take = FETCH_FAILING;
	enum fetch_found found;

	if (UNLIKELY(!(q->req.flags & DNS_RD)))
		take = query_is_dry(qs, q) ? FETCH_LOOKING : FETCH_UNEXPIRED;
	else if (UNLIKELY(now_ns >= time_of(q, QUERY_STALE_MS)))
		take = tired;
	found = fetch_find(qs->fetch, qs->conf, qs->stats, key, take, now_ns);
	if (UNLIKELY(found == FETCH_STALE) && upstreams_all_down(qs->lookups->upstreams))
		found = fetch_find(qs->fetch, qs->conf, qs->stats, key, tired, now_ns);
	return found;
}

/*
 * Refresh the entry for KEY, unless Q must not ask. It is sent half as often as Q may have it sent:
 * there may be another one to refresh, or to ask for (RULES D28).
 */
static bool
refresh(struct queries *qs, struct query *q, const struct question *key)
{
	uint8_t n = q->budget.left / 2;

	if (n == 0 || !(q->req.flags & DNS_RD) || !lookup_refresh(qs->lookups, key, n))
		return false;
	q->budget.left = (uint8_t)(q->budget.left - n);
	return true;
}

/* May what the cache does not have come back, as its file is being loaded? */
static inline bool
may_come_back(const struct queries *qs)
{
	return qs->conf->cache != NULL && UNLIKELY(cache_restoring(qs->conf->cache));
}

/* Answer Q's question from the cache. False: not possible. */
static bool
ask_cache(struct queries *qs, struct query *q, const struct question *key, uint64_t now_ns)
{
	struct fetch *r = qs->fetch;

	q->stale_seen = false;
	switch (find_in_cache(qs, q, key, now_ns)) {
	case FETCH_NOTHING:
		q->stale_seen = may_come_back(qs);
		break;
	case FETCH_STALE:
		q->stale_seen = true;
		break;
	case FETCH_DUE:
		qs->refreshed = true;
		if (refresh(qs, q, key))
			stats_inc(&qs->stats->cache_prefetch);
		take_hit(qs, q);
		return true;
	case FETCH_HIT:
		if (UNLIKELY(r->stale)) {
			qs->refreshed = true;
			if (!r->failing)
				(void)refresh(qs, q, key);
		}
		take_hit(qs, q);
		return true;
	}
	stats_inc(&qs->stats->cache_misses);
	return false;
}

/*
 * The end of the wait in the rare cases: the cache has a stale entry, the state is TARGET, or AAAA
 * is ignored and will be asked in time if A does not come (RULES D13).
 */
static __attribute__((noinline)) uint64_t
end_of_seldom(const struct query *q, uint64_t now_ns)
{
	uint64_t at = now_ns + QUERY_AAAA_MS * NS_PER_MS;

	if (q->stale_seen) {
		at = time_of(q, QUERY_STALE_MS);
		if (at <= now_ns) /* a later question gets as long as the first */
			at = now_ns + QUERY_STALE_MS * NS_PER_MS;
	}
	return at < q->deadline_ns ? at : q->deadline_ns;
}

/* The time at which Q stops waiting for its current question. */
static inline uint64_t
end_of_wait(const struct query *q, uint64_t now_ns)
{
	if (UNLIKELY(q->stale_seen || q->state == QUERY_TARGET ||
		(q->state == QUERY_A && q->aaaa.how == QUERY_AAAA_IGNORED)))
		return end_of_seldom(q, now_ns);
	return q->state == QUERY_AAAA ? time_of(q, QUERY_AAAA_MS) : q->deadline_ns;
}

static inline void
set_timer(struct queries *qs, struct query *q, uint64_t now_ns)
{
	wheel_set(qs->wheel, &q->timer, end_of_wait(q, now_ns));
}

/*
 * Is it useless to ask the second of AAAA and A? The first failed and all upstreams are down (RULES
 * D5).
 */
static inline bool
is_in_vain(const struct queries *qs, const struct query *q)
{
	return UNLIKELY(q->aaaa.how == QUERY_AAAA_FAILED) &&
	    (q->state == QUERY_A || q->state == QUERY_NATIVE) &&
	    upstreams_all_down(qs->lookups->upstreams);
}

void
query_fail_here(struct queries *qs, struct query *q, enum lookup_outcome outcome)
{
	q->next = q->stale_seen ? QUERY_FETCHES_STALE : QUERY_TAKES_EVENT;
	q->stale_seen = false;
	query_make_ready(qs, q, outcome, false);
}

/* How many of the questions that Q has left go for this one: not those for A or AAAA behind it. */
static inline uint8_t
share_of(const struct query *q)
{
	bool first =
	    q->state == QUERY_AAAA || (q->state == QUERY_A && q->aaaa.how == QUERY_AAAA_IGNORED);

	return first ? (uint8_t)(q->budget.left - q->budget.left / 3) : q->budget.left;
}

void
query_use_up(struct queries *qs, struct query *q)
{
	struct query *asked = q->parent != NULL ? q->parent : q;

	if (!asked->budget.used_up)
		stats_inc(&qs->stats->over_budget);
	asked->budget.used_up = true;
	q->budget.used_up = true;
}

static inline __attribute__((always_inline)) void
ask_upstream(struct queries *qs, struct query *q, const struct question *key, uint64_t now_ns)
{
	struct lookup_wish wish = { .whole = q->state != QUERY_RELAY ||
		    transport_traits[q->from.transport].whole,
		.transport = q->state == QUERY_RELAY ? q->from.transport : TRANSPORT_UDP,
		.prefer = q->aaaa.upstream,
		.sends = share_of(q) };
	bool found;

	if (UNLIKELY(now_ns >= q->deadline_ns || is_in_vain(qs, q))) {
		query_fail_here(qs, q, LOOKUP_SILENT);
		return;
	}
	if (UNLIKELY(q->budget.left == 0)) {
		/* What is at hand is used, as after silence. */
		query_use_up(qs, q);
		query_fail_here(qs, q, LOOKUP_SILENT);
		return;
	}
	if (q->place.client == NULL && !q->child && UNLIKELY(!query_admit(qs, q, key)))
		return;
	q->lookup = lookup_find_or_start(qs->lookups, key, &wish, &found);
	if (UNLIKELY(q->lookup == NULL) && query_finds_room(qs, q, now_ns))
		q->lookup = lookup_find_or_start(qs->lookups, key, &wish, &found);
	if (UNLIKELY(q->lookup == NULL)) {
		query_fail_here(qs, q, LOOKUP_NO_ROOM);
		return;
	}
	if (found && !query_may_join(qs, q))
		return;
	lookup_join(q->lookup, &q->link);
	budget_take(&q->budget.left, &q->budget.share, q->lookup, wish.sends);
	set_timer(qs, q, now_ns);
	if (UNLIKELY(found))
		query_joined(qs, q, now_ns);
	if (UNLIKELY(qs->lookups->upstreams->some_no_aaaa))
		query_expects_none(qs, q, now_ns);
}

bool
query_fetch_stale(struct queries *qs, struct query *q, size_t *hit, uint64_t now_ns)
{
	/* A failure for lack of our own room says nothing about the name (RULES D26). */
	enum fetch_take take = q->came.outcome == LOOKUP_NO_ROOM ? FETCH_RECORDS : FETCH_ALL;
	bool late = q->stale_seen; /* upstream may still reply */
	uint8_t lower[DNS_NAME_MAX];
	enum fetch_found found;
	struct question key;

	q->stale_seen = false;
	make_question(qs, q, lower, &key);
	found = fetch_find(qs->fetch, qs->conf, qs->stats, &key, take, now_ns);
	*hit = found == FETCH_HIT ? take_hit(qs, q) : 0;
	if (*hit == 0 && late)
		ask_upstream(qs, q, &key, now_ns);
	return *hit != 0 || late;
}

void
query_refuse(struct queries *qs, struct query *q, enum reason reason)
{
	q->state = QUERY_LOCAL;
	q->local.kind = QUERY_LOCAL_ERROR;
	q->came.rcode = DNS_REFUSED;
	q->reason = (uint8_t)reason;
	if (!q->child)
		stats_inc(&qs->stats->client_refused);
}

size_t
query_ask(struct queries *qs, struct query *q, uint64_t now_ns)
{
	uint8_t lower[DNS_NAME_MAX];
	struct question key;

	make_question(qs, q, lower, &key);
	if (qs->conf->cache != NULL && ask_cache(qs, q, &key, now_ns))
		return QUERY_HIT;
	/* Without RD only the cache is asked (RULES D10). */
	if (UNLIKELY((q->req.flags & DNS_RD) == 0)) {
		if (query_is_dry(qs, q))
			explain_would_ask(
			    qs->explanation, &key, q->stale_seen, qs->lookups->upstreams, now_ns);
		query_refuse(qs, q, REASON_NO_RECURSION);
		query_make_ready(qs, q, LOOKUP_SILENT, false);
	} else {
		ask_upstream(qs, q, &key, now_ns);
	}
	return 0;
}

/*
 * Check the client's cookie and make that of the answer, whatever the answer will be (RFC 7873
 * section 5.2).
 */
static void
answer_cookie(struct queries *qs, struct query *q, uint64_t now_ns)
{
	uint32_t unix_s = (uint32_t)qs->conf->unix_s + clock_s(now_ns);

	stats_inc(&qs->stats->client_cookies);
	if (q->cookie.len == COOKIE_LEN &&
	    cookie_check(qs->cookies, qs->conf, unix_s, query_client(q), q->cookie.bytes)) {
		stats_inc(&qs->stats->client_cookies_good);
		q->cookie.state = QUERY_COOKIE_GOOD;
	}
	if (UNLIKELY(q->req.cookie_alone && q->cookie.state == QUERY_COOKIE_BAD &&
		q->came.rcode == DNS_NOERROR))
		q->came.rcode = DNS_BADCOOKIE; /* RFC 7873 section 5.4 */
	q->cookie.len = cookie_make(qs->cookies, qs->conf, unix_s, query_client(q), q->cookie.bytes)
	    ? COOKIE_LEN
	    : 0;
}

/* Wait for the lookup that engine/request started; without it there was no room. */
static void
wait_signed(struct queries *qs, struct query *q)
{
	struct lookup *l = q->lookup;
	uint8_t lower[DNS_NAME_MAX];
	struct question key;

	q->lookup = NULL;
	if (l == NULL) {
		query_make_ready(qs, q, LOOKUP_NO_ROOM, false);
		return;
	}
	make_question(qs, q, lower, &key);
	if (!query_admit(qs, q, &key)) {
		lookup_free(qs->lookups, l);
		return;
	}
	q->lookup = l;
	lookup_join(l, &q->link);
	l->waiters.allowed = q->budget.left; /* nobody else waits for it */
	wheel_set(qs->wheel, &q->timer, q->deadline_ns);
}

void
query_start_soon(struct queries *qs, struct query *q)
{
	q->next = QUERY_STARTS;
	list_push(&qs->ready, &q->link);
}

size_t
query_start(struct queries *qs, struct query *q, uint64_t now_ns)
{
	q->deadline_ns = now_ns + QUERY_ALL_MS * NS_PER_MS;
	if (UNLIKELY(q->cookie.len > 0))
		answer_cookie(qs, q, now_ns);
	if (q->state == QUERY_LOCAL) {
		query_make_ready(qs, q, LOOKUP_SILENT, false);
		return 0;
	}
	if (q->state == QUERY_REVERSE)
		stats_inc(&qs->stats->reverse);
	if (UNLIKELY(q->req.signed_msg)) {
		wait_signed(qs, q);
		return 0;
	}
	return query_ask(qs, q, now_ns);
}

/*
 * May a stale entry take the place of RESULT? Not of data that does not validate (RULES D3), so not
 * of LOOKUP_BOGUS.
 */
static bool
has_failed(const struct lookup_result *result)
{
	return result->outcome == LOOKUP_ERROR || result->outcome == LOOKUP_SILENT ||
	    result->outcome == LOOKUP_NO_ROOM;
}

/* L was not sent as often as there was reason to: what its waiter Q is told, if that fails. */
static __attribute__((cold)) void
note_reason(struct queries *qs, struct query *q, const struct lookup *l)
{
	if (budget_used_up(&q->budget.share, l))
		query_use_up(qs, q);
	if (l->excuse.at_ceiling)
		q->no_room_reason = REASON_CEILING_UPSTREAM;
}

bool
query_wake(struct queries *qs, struct lookup *l, const struct lookup_result *result, unsigned most)
{
	struct list *link;

	for (; most > 0 && (link = list_pop(&l->waiters.list)) != NULL; most--) {
		struct query *q = LIST_OBJECT(link, struct query, link);

		if (UNLIKELY(l->waiters.over_budget || l->excuse.at_ceiling))
			note_reason(qs, q, l);
		budget_settle(&q->budget.left, &q->budget.share, l);
		q->came.rcode = result->rcode;
		if (UNLIKELY(q->stale_seen)) {
			q->next = has_failed(result) ? QUERY_FETCHES_STALE : QUERY_TAKES_EVENT;
			q->stale_seen = false;
		}
		query_make_ready(qs, q, result->outcome, result->msg != NULL);
		l->waiters.n--;
	}
	if (UNLIKELY(l->waiters.ring != NULL))
		query_wake_watchers(qs, l, result, most);
	return l->waiters.n > 0;
}

/* Is the stale entry that Q knows of still in the cache? */
static bool
has_stale(struct queries *qs, struct query *q, uint64_t now_ns)
{
	uint8_t lower[DNS_NAME_MAX];
	struct question key;

	make_question(qs, q, lower, &key);
	return fetch_exists(qs->fetch, qs->conf, &key, qs->conf->keep.stale_s, now_ns);
}

/*
 * Until when does Q go on to wait for what has not come in time? It does where nothing else would
 * help it; and for a while where that may change: while it is found out whether AAAA validates, or
 * all upstreams are down, and where a truncated reply is at hand, which is the answer in a moment,
 * if not the whole one (RULES D3, D5). NOW_NS: it does not.
 */
static uint64_t
waits_until_ns(struct queries *qs, struct query *q, uint64_t now_ns)
{
	uint64_t soon_ns = now_ns + QUERY_CHECK_MS * NS_PER_MS;

	if (q->lookup->check == LOOKUP_CHECK_NONE && q->lookup->truncated.bytes == NULL) {
		if (q->state != QUERY_AAAA)
			return now_ns;
		if (!query_goes_on(qs, q))
			return q->deadline_ns;
		if (!upstreams_all_down(qs->lookups->upstreams))
			return now_ns;
	}
	return soon_ns < q->deadline_ns ? soon_ns : q->deadline_ns;
}

void
query_on_deadline(struct queries *qs, struct query *q, uint64_t now_ns)
{
	uint64_t until_ns;

	if (q->state == QUERY_SVCB && query_forsake(q)) {
		stats_inc(&query_stats(qs, q)->svcb_late);
		q->svcb->late = true;
		query_ready(qs, q);
	}
	if (query_is_held(q))
		query_take_late(qs, q, LATE_ON_TICK);
	if (q->lookup == NULL)
		return; /* ready already */
	if (UNLIKELY(q->stale_seen) && !has_stale(qs, q, now_ns)) {
		until_ns = now_ns + QUERY_CHECK_MS * NS_PER_MS;
		if (may_come_back(qs) && until_ns < q->deadline_ns) {
			wheel_set(qs->wheel, &q->timer, until_ns);
			return;
		}
		q->stale_seen = false;
		set_timer(qs, q, now_ns);
		return;
	}
	until_ns = waits_until_ns(qs, q, now_ns);
	if (!q->stale_seen && now_ns < until_ns) {
		wheel_set(qs->wheel, &q->timer, until_ns);
		return;
	}
	q->next = q->stale_seen ? QUERY_FETCHES_STALE : QUERY_TAKES_EVENT;
	/* If the question could not be sent, no upstream was silent (RULES D26). */
	enum lookup_outcome outcome = lookup_lacks_room(q->lookup) ? LOOKUP_NO_ROOM : LOOKUP_SILENT;

	query_stop_waiting(qs, q, now_ns);
	query_make_ready(qs, q, outcome, false);
}
