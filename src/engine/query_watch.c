/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * query_watch: AAAA is late: queries go on to A and watch what becomes of AAAA (RULES D5), by
 * LATE_ROWS of engine/state_rows.h.
 */
#include "engine/query.h"

#include "engine/audit.h"

/* Is L open for so long that AAAA is late, for those who ask for it now, too (RULES D5)? */
static bool
is_late(const struct lookup *l, uint64_t now_ns)
{
	return l->born_ns != 0 && now_ns >= l->born_ns + QUERY_AAAA_MS * NS_PER_MS;
}

bool
query_goes_on(struct queries *qs, struct query *q)
{
	const struct policy *p = query_policy(qs, q);

	return q->aaaa.late != LATE_AWAITED && p->synth.active_bits != 0 &&
	    p->triggers & POLICY_ON_TIMEOUT;
}

/* Does Q stop waiting for a question that is late? */
static bool
gives_up(struct queries *qs, struct query *q)
{
	bool at_hand = q->state == QUERY_TARGET; /* it has A */
	/* what is asked for then are the real AAAA (RULES D13) */
	bool native = q->state == QUERY_A && q->aaaa.how == QUERY_AAAA_IGNORED;

	return !q->stale_seen &&
	    (at_hand || native || (q->state == QUERY_AAAA && query_goes_on(qs, q)));
}

/* L goes on when nobody waits for it: what it brings is of use to the next clients that ask. */
static void
keep(struct queries *qs, struct lookup *l)
{
	if (qs->conf->cache != NULL && lookup_has_room(qs->lookups))
		l->waiters.needed = true;
}

/* Q, which waits for L, watches it from now on. */
static void
watch(struct query *q, struct lookup *l)
{
	q->watch.lookup = l;
	q->watch.share = q->budget.share;
	lookup_watch(l, &q->link, &q->watch.link);
}

/* --- what an event does about a late AAAA: the functions of LATE_ROWS --- */

static void
begin_watch(struct queries *qs, struct query *q)
{
	stats_inc(&qs->stats->aaaa_late);
	watch(q, q->lookup);
}

/* What Q watches goes on for the cache if there is room. */
static void
unwatch(struct queries *qs, struct query *q)
{
	struct lookup *l = q->watch.lookup;

	q->watch.lookup = NULL;
	keep(qs, l);
	budget_leave(&q->budget.left, &q->watch.share, l);
	lookup_leave(qs->lookups, l, &q->watch.link);
}

/* Q, which was held, is to run: the cache has A. */
static void
ask_again(struct queries *qs, struct query *q)
{
	q->next = QUERY_ASKS;
	query_ready(qs, q);
}

/* Q, which runs, waits in state AAAA for what it watched, until the end of its time. */
static void
wait_on(struct queries *qs, struct query *q)
{
	q->lookup = q->watch.lookup;
	q->watch.lookup = NULL;
	lookup_wait_again(q->lookup, &q->watch.link, &q->link);
	q->budget.share = q->watch.share;
	query_drop_partial(qs, &q->chain.open);
	q->state = QUERY_AAAA;
	q->stale_seen = false;
	wheel_set(qs->wheel, &q->timer, q->deadline_ns);
}

/* Forget what Q has done since AAAA was late. */
static void
go_back(struct queries *qs, struct query *q)
{
	query_drop_partial(qs, &q->aaaa.reply);
	query_drop_partial(qs, &q->chain.open);
	query_drop_data(qs, q);
	q->state = QUERY_AAAA;
	q->chain.n_steps = 0;
	q->chain.targeted = false;
	q->insecure = false;
	q->stale = false;
	q->next = QUERY_TAKES_EVENT;
	q->stale_seen = false;
	if (q->aaaa.fallback == QUERY_STALE_NXDOMAIN)
		q->aaaa.fallback = QUERY_NO_FALLBACK;
}

/* Q is to read the reply to AAAA, instead of what it waits for, or is ready for. */
static void
call_back(struct queries *qs, struct query *q)
{
	if (q->lookup != NULL) {
		budget_leave(&q->budget.left, &q->budget.share, q->lookup);
		lookup_leave(qs->lookups, q->lookup, &q->link);
	} else { /* held, or ready already, perhaps later */
		list_unlink(&q->link);
	}
	go_back(qs, q);
}

/* Likewise; the question for A, which it waits for, goes on: Q may need it yet. */
static void
keep_a(struct queries *qs, struct query *q)
{
	watch(q, q->lookup);
	go_back(qs, q);
}

/* All there is to do is done where the event is. */
static void
no_step(struct queries *qs, struct query *q)
{
	(void)qs;
	(void)q;
}

typedef void late_step(struct queries *qs, struct query *q);

#define LATE_STEP(STATE, EVENT, function, to, words) [LATE_##STATE][LATE_ON_##EVENT] = (function),
#define LATE_LEADS(STATE, EVENT, function, to, words) [LATE_##STATE][LATE_ON_##EVENT] = LATE_##to,

void
query_take_late(struct queries *qs, struct query *q, enum late_event event)
{
	static late_step *const steps[LATE_N_STATES][LATE_N_EVENTS] = { LATE_ROWS(LATE_STEP) };
	static const uint8_t leads[LATE_N_STATES][LATE_N_EVENTS] = { LATE_ROWS(LATE_LEADS) };
	enum query_late from = (enum query_late)q->aaaa.late;

#ifdef ENGINE_AUDIT
	audit_late(from, event);
#endif
	if (steps[from][event] != NULL)
		steps[from][event](qs, q);
	else if (q->watch.lookup != NULL)
		unwatch(qs, q);
	q->aaaa.late = leads[from][event];
}

/* --- when these events are --- */

void
query_stop_waiting(struct queries *qs, struct query *q, uint64_t now_ns)
{
	struct lookup *l = q->lookup;

	if (budget_used_up(&q->budget.share, l))
		query_use_up(qs, q);
	/* The end of a chain is not watched: after A the chain is not known any more. */
	if (q->state == QUERY_AAAA && q->chain.open == NULL && q->aaaa.late == LATE_NONE &&
	    now_ns < q->deadline_ns) {
		query_take_late(qs, q, LATE_ON_LATE);
	} else {
		keep(qs, l);
		budget_leave(&q->budget.left, &q->budget.share, l);
		lookup_leave(qs->lookups, l, &q->link);
	}
	q->lookup = NULL;
}

void
query_joined(struct queries *qs, struct query *q, uint64_t now_ns)
{
	/* What it waits for, or an A that it does not ask for any more, need not be watched. */
	if (q->watch.lookup != NULL && (!query_watches(q) || q->watch.lookup == q->lookup))
		query_take_late(qs, q, LATE_ON_NEEDLESS);
	if (is_late(q->lookup, now_ns) && gives_up(qs, q))
		wheel_set(qs->wheel, &q->timer, now_ns);
}

bool
query_hold(struct queries *qs, struct query *q, uint32_t ttl, uint64_t now_ns)
{
	/* The cache counts whole seconds: of a TTL of 1 the last may end within the tick. */
	if (q->aaaa.late != LATE_WATCHED || q->stale || ttl < 2 || qs->conf->cache == NULL ||
	    now_ns + 2 * WHEEL_TICK_NS >= q->deadline_ns)
		return false;
	query_take_late(qs, q, LATE_ON_AT_HAND);
	wheel_set(qs->wheel, &q->timer, now_ns);
	return true;
}

void
query_wake_watchers(
    struct queries *qs, struct lookup *l, const struct lookup_result *result, unsigned most)
{
	bool telling = l->key.qtype == DNS_TYPE_AAAA &&
	    (result->outcome == LOOKUP_REPLY || result->outcome == LOOKUP_TRUNCATED ||
		result->outcome == LOOKUP_BOGUS);
	struct list *link;

	for (; most > 0 && (link = lookup_next_watcher(l)) != NULL; most--) {
		struct query *q = LIST_OBJECT(link, struct query, watch.link);

		q->watch.lookup = NULL;
		l->waiters.n--;
		budget_settle(&q->budget.left, &q->watch.share, l);
		if (!telling) {
			query_take_late(qs, q, LATE_ON_ENDED);
			continue;
		}
		stats_inc(&qs->stats->aaaa_late_used);
		query_take_late(qs, q,
		    q->lookup != NULL && q->state == QUERY_A ? LATE_ON_CAME_FIRST : LATE_ON_CAME);
		q->came.rcode = result->rcode;
		query_make_ready(qs, q, result->outcome, result->msg != NULL);
	}
}

/* Ask for A of L's name into the cache for Q, unless the cache has something about it. */
static void
ask_beside(struct queries *qs, struct query *q, struct lookup *l, uint64_t now_ns)
{
	/* What it brings may not be kept, and is asked for again then. */
	uint8_t spare = q->budget.left / 2;
	uint8_t sends = spare < QUERY_BESIDE_SENDS ? spare : QUERY_BESIDE_SENDS;
	struct question key = l->key;

	key.qtype = DNS_TYPE_A;
	l->late.a_asked = true;
	if (qs->conf->cache != NULL && sends > 0 && !upstreams_all_down(qs->lookups->upstreams) &&
	    !fetch_exists(qs->fetch, qs->conf, &key, 0, now_ns) &&
	    lookup_refresh(qs->lookups, &key, sends))
		q->budget.left = (uint8_t)(q->budget.left - sends);
}

void
query_expects_none(struct queries *qs, struct query *q, uint64_t now_ns)
{
	uint64_t wait_ns = upstreams_no_aaaa_ns(qs->lookups->upstreams);

	if (wait_ns == 0 || q->state != QUERY_AAAA || q->chain.open != NULL || !gives_up(qs, q))
		return;
	if (!q->lookup->late.a_asked)
		ask_beside(qs, q, q->lookup, now_ns);
	if (now_ns + wait_ns < q->timer.due * WHEEL_TICK_NS)
		wheel_set(qs->wheel, &q->timer, now_ns + wait_ns);
}

void
query_note_late(struct queries *qs, struct query *q, uint64_t now_ns)
{
	struct upstreams *us = qs->lookups->upstreams;
	struct lookup *l = q->watch.lookup;

	if (l->late.noted || !is_late(l, now_ns))
		return;
	l->late.noted = true;
	for (unsigned i = 0; i < us->n_order; i++) {
		uint16_t u = us->order[i];
		uint64_t silent = 0;

		for (unsigned over = 0; over < UPSTREAM_OVERS; over++)
			silent |= l->tried.silent[over][0] | l->tried.silent[over][1];
		if (silent >> u & 1 && us->table[u].heard_ns > l->born_ns &&
		    ways_aaaa_late(&us->table[u].ways))
			lookup_start_probe(qs->lookups, u, WAY_AS_LEARNED, DNS_TYPE_AAAA);
	}
}

unsigned
query_on_silence(struct queries *qs, struct lookup *l, uint64_t now_ns)
{
	unsigned n = 0;

	/* A truncated reply that is kept has addresses. */
	if (l->key.qtype != DNS_TYPE_AAAA || l->truncated.bytes != NULL ||
	    l->tried.n_silent < QUERY_BESIDE_SILENT)
		return 0;
	for (struct list *link = l->waiters.list.next; link != &l->waiters.list && !l->late.a_asked;
	     link = link->next) {
		struct query *q = LIST_OBJECT(link, struct query, link);

		n++;
		if (q->state == QUERY_AAAA && q->chain.open == NULL && gives_up(qs, q))
			ask_beside(qs, q, l, now_ns);
	}
	return n;
}
