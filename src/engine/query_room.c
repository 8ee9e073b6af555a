/* SPDX-License-Identifier: BSD-2-Clause */
/* query_room: who may wait for upstream, and who gives way when room runs low (RULES D26). */
#include "engine/query.h"

#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/logonce.h"

#define PROVEN_FACTOR 10  /* so much more may wait of those whose address is not forged */
#define WAYS_GIVEN 4      /* queries that give way to one new one, at most */
#define SCARCE 8          /* wider networks are counted if more than one in so many is used */
#define LONGEST_TRIED 8   /* queries that are looked at to find one that waits */
#define SHED_BUCKETS 4096 /* of the table of clients that query_shed looks at in one call */

/* The heaviest classes of networks, and the lightest, in which one is looked for to give way. */
#define HEAVY_TRIED 12
#define LIGHT_TRIED 4

/* So much less counts the wait of a question whose reply may be about to come. */
#define FRESH_SHIFT 3

/* So much longer each counts as having waited, lest some ms be all that counts. */
#define BRIEF_NS (4 * WHEEL_TICK_NS)

/* So long nobody gives way, and it is over. All queries live equally long: deadlines are a clock */
#define CALM_NS (10 * NS_PER_SEC)

/* --- what the operator is told --------------------------------------------------------------- */

/* One of NET gives way to GUEST. The log says so when that begins. */
static void
crowded(struct queries *qs, const struct query *guest, const struct fair_net *net)
{
	char text[NETADDR_TEXT];
	struct netaddr first;

	stats_inc(&qs->stats->queries_evicted);
	qs->crowded_ns = guest->deadline_ns;
	if (qs->n_crowded++ > 0 || !logonce_begin(qs->conf->logonce, LOGONCE_CROWDED, NULL))
		return;
	first = fair_network(net);
	log_warn(LOG_CLIENT,
	    "too many questions wait for upstreams: %u in a loop, %u of them from %s/%u; some give "
	    "way (see max-queries, max-waiting-per-client, rate-limit)",
	    qs->pool.n_used, net->n, netaddr_format(&first, text), fair_bits(net));
}

/* GUEST may wait. If nobody has given way for CALM_NS the log says that it is over. */
static __attribute__((cold)) void
calm(struct queries *qs, const struct query *guest)
{
	uint64_t n;

	if (guest->deadline_ns - qs->crowded_ns < CALM_NS)
		return;
	n = logonce_count(qs->conf->logonce, LOGONCE_CROWDED, NULL, qs->n_crowded);
	qs->n_crowded = 0;
	if (logonce_end(qs->conf->logonce, LOGONCE_CROWDED, NULL))
		log_notice(LOG_CLIENT,
		    "there is room again for questions that wait; %" PRIu64 " gave way", n);
}

/* Does Q wait for something that has not come yet? */
static bool
waits(const struct query *q)
{
	if (q->lookup != NULL)
		return q->lookup->progress < LOOKUP_ENDING;
	return list_empty(&q->link) && (query_is_held(q) || q->state == QUERY_SVCB);
}

/* --- who may not ask any more ----------------------------------------------------------------- */

/* Q, which waits, is answered REFUSED, or with DROP not at all. */
static void
shed(struct queries *qs, struct query *q, bool drop)
{
	wheel_clear(qs->wheel, &q->timer);
	if (UNLIKELY(q->watch.lookup != NULL))
		query_take_late(qs, q, LATE_ON_NEEDLESS);
	if (q->lookup != NULL)
		lookup_leave(qs->lookups, q->lookup, &q->link);
	else if (q->state == QUERY_SVCB)
		(void)query_forsake(q);
	if (drop && !q->explained) {
		stats_inc(&qs->stats->client_ignored);
		stats_dropped(qs->stats, REASON_DROP_OPERATOR);
		query_free(qs, q);
		return;
	}
	stats_inc(&query_stats(qs, q)->client_denied);
	query_refuse(qs, q, REASON_DENIED_OPERATOR);
	query_make_ready(qs, q, LOOKUP_SILENT, false);
}

/* Those on LIST that wait, MOST of them at most. Returns how many more may be shed. */
static unsigned
shed_list(struct queries *qs, const struct list *list, unsigned most)
{
	const struct policies *ps = qs->conf->policies;

	/* With the last of them its client is gone: the head is then only compared, not read. */
	for (struct list *link = list->next, *next; most > 0 && link != list; link = next) {
		struct query *q = LIST_OBJECT(link, struct query, place.link);
		enum policy_access ordered = policies_ordered(ps, query_client(q));

		next = link->next;
		if (ordered == POLICY_SERVED || !waits(q))
			continue;
		shed(qs, q, ordered == POLICY_IGNORED);
		most--;
	}
	return most;
}

bool
query_shed(struct queries *qs, uint32_t *at, unsigned most)
{
	uint32_t n = qs->fair.row, end = *at < n ? *at + SHED_BUCKETS : n;

	if (!qs->conf->policies->denies)
		*at = n;
	for (; *at < n && *at < end; ++*at) {
		struct fair_client *c = qs->fair.buckets[*at], *next;

		for (; c != NULL && most > 0; c = next) {
			next = c->next;
			most = shed_list(qs, &c->own.of[FAIR_WAITING], most);
		}
		if (most == 0)
			return true;
	}
	return *at < n;
}

/* --- who may wait ---------------------------------------------------------------------------- */

/* The query that has waited longest of the client in NET that has waited longest; NULL. */
static struct query *
longest_waiting(const struct fair_net *net)
{
	const struct list *waiting = &fair_member(net)->own.of[FAIR_WAITING];
	unsigned n = 0;

	for (struct list *link = waiting->next; link != waiting && n < LONGEST_TRIED;
	     link = link->next, n++) {
		struct query *q = LIST_OBJECT(link, struct query, place.link);

		if (waits(q))
			return q;
	}
	return NULL;
}

/*
 * Has upstream not replied to what Q waits for in the time that was measured of it (RULES D27)?
 * What has an answer at hand waits for nothing that it needs.
 */
static bool
is_overdue(const struct queries *qs, const struct query *q, uint64_t now_ns)
{
	const struct lookup *l = q->lookup;

	if (l == NULL || l->tried.n_silent > 0)
		return true;
	if (l->progress != LOOKUP_ASKED_DATAGRAM && l->progress != LOOKUP_ASKED_STREAM)
		return now_ns - query_came_ns(q) > TIMES_UNKNOWN_NS;
	return now_ns - l->now.sent_ns >
	    upstreams_wait_ns(qs->lookups->upstreams, l->now.upstream, l->now.over, 0);
}

/*
 * Q stops waiting and is answered with what there is: something stale, A that are at hand for a
 * late AAAA, an answer without the addresses of its targets; else SERVFAIL. In state TARGET the A
 * at hand are not used: the name may have real AAAA, and upstream was not silent about them.
 */
static void
give_way(struct queries *qs, struct query *q)
{
	q->no_room_reason = REASON_GAVE_WAY;
	wheel_clear(qs->wheel, &q->timer);
	if (UNLIKELY(q->watch.lookup != NULL))
		query_take_late(qs, q, LATE_ON_NEEDLESS);
	if (q->lookup == NULL) {
		if (q->state == QUERY_SVCB) {
			(void)query_forsake(q);
			query_ready(qs, q);
		} else {
			query_take_late(qs, q, LATE_ON_TICK);
		}
		return;
	}
	lookup_leave(qs->lookups, q->lookup, &q->link);
	query_fail_here(qs, q, LOOKUP_NO_ROOM);
}

/* What there is to know of the guest's networks, to choose who gives way to it. */
struct room {
	struct queries *qs;
	const struct query *guest;
	uint64_t now_ns;
	struct fair_nets own;
	uint64_t score[NETADDR_LEVELS]; /* of own */
	/* the best so far */
	struct query *q;
	const struct fair_net *net;
	uint64_t best;
};

/*
 * How much room and time NET takes, by its weight and by how long Q, its longest waiting question,
 * has been there: who scores most gives way. If a reply may be about to come that counts less. A
 * burst weighs at once, though it has not waited yet.
 */
static uint64_t
score_of(const struct room *r, const struct fair_net *net, const struct query *q, bool overdue)
{
	uint64_t waited_ns = r->now_ns - query_came_ns(q);

	return fair_weight(net) * ((waited_ns + BRIEF_NS) / 1024) >> (overdue ? 0 : FRESH_SHIFT);
}

static void
room_init(struct room *r, struct queries *qs, const struct query *guest, uint64_t now_ns)
{
	*r = (struct room){ .qs = qs, .guest = guest, .now_ns = now_ns };
	fair_nets_of(guest->place.client, &r->own);
	for (unsigned i = 0; i < NETADDR_LEVELS && r->own.at[i] != NULL; i++) {
		struct query *q = longest_waiting(r->own.at[i]);

		if (q != NULL)
			r->score[i] = score_of(r, r->own.at[i], q, is_overdue(qs, q, r->now_ns));
	}
}

/*
 * Is the longest waiting question of NET one that gives way to the guest? One that is overdue does,
 * unless the guest's networks that it is not in score more. Another one does only if its network is
 * heavier than these: among equals nobody gives way whose reply may be about to come, else, when
 * more is asked than can be served, each would give way just before it, and none be served.
 */
static void
consider(struct room *r, struct fair_net *net)
{
	const struct fair_client *c = fair_member(net);
	struct query *q = longest_waiting(net);
	uint64_t own = 0, own_score = 0, score;
	bool overdue;

	if (q == NULL || q == r->guest) {
		fair_later(&r->qs->fair, net);
		return;
	}
	overdue = is_overdue(r->qs, q, r->now_ns);
	score = score_of(r, net, q, overdue);
	for (unsigned i = 0; i < NETADDR_LEVELS && r->own.at[i] != NULL; i++) {
		const struct fair_net *mine = r->own.at[i];

		if (fair_net_in(c, mine))
			continue;
		own = own > fair_weight(mine) ? own : fair_weight(mine);
		own_score = own_score > r->score[i] ? own_score : r->score[i];
	}
	/* What the guest is in too is no heavier than it. */
	if (fair_net_in(r->guest->place.client, net))
		own = UINT32_MAX / 2;
	if ((overdue ? score >= own_score : fair_weight(net) > own + own / 8) && score > r->best) {
		r->best = score;
		r->q = q;
		r->net = net;
	}
	if (!overdue)
		fair_later(&r->qs->fair, net);
}

/* The query that gives way to GUEST, of *NET; NULL: GUEST does. */
static struct query *
who_gives_way(
    struct queries *qs, const struct query *guest, const struct fair_net **net, uint64_t now_ns)
{
	unsigned class, lowest = FAIR_CLASSES;
	struct room r;

	room_init(&r, qs, guest, now_ns);
	for (unsigned i = 0; i < HEAVY_TRIED; i++) {
		class = fair_below(&qs->fair, lowest);
		if (class == FAIR_NONE)
			break;
		lowest = class;
		consider(&r, fair_first(&qs->fair, class));
	}
	class = 0;
	for (unsigned i = 0; i < LIGHT_TRIED; i++) {
		class = fair_above(&qs->fair, class);
		if (class >= lowest)
			break;
		consider(&r, fair_first(&qs->fair, class));
		class ++;
	}
	*net = r.net != NULL ? r.net : &guest->place.client->own;
	return r.q;
}

/*
 * Have up to MOST queries give way to GUEST, which has its place already, while few objects are
 * left, so that those who can be answered at once find some. False: GUEST gives way itself.
 */
static __attribute__((cold)) bool
make_room(struct queries *qs, struct query *guest, unsigned most, uint64_t now_ns)
{
	for (unsigned n = 0; n < most; n++) {
		const struct fair_net *net;
		struct query *q = who_gives_way(qs, guest, &net, now_ns);

		if (q == NULL) {
			if (n > 0)
				break;
			crowded(qs, guest, net);
			guest->no_room_reason = REASON_GAVE_WAY;
			return false;
		}
		crowded(qs, guest, net);
		give_way(qs, q);
		if (pool_room(&qs->lookups->pool) >= qs->reserve)
			break;
	}
	return true;
}

bool
query_finds_room(struct queries *qs, struct query *q, uint64_t now_ns)
{
	return q->place.client != NULL && make_room(qs, q, 1, now_ns);
}

/* Q may not wait, as VERDICT says: answer it at once. */
static __attribute__((cold)) void
turn_away(struct queries *qs, struct query *q, enum fair_verdict verdict)
{
	if (verdict == FAIR_SAME && !transport_traits[q->from.transport].proven) {
		stats_inc(&qs->stats->same_question);
		q->state = QUERY_LOCAL;
		q->local.kind = QUERY_LOCAL_TC;
		q->reason = REASON_SAME_QUESTION;
		query_make_ready(qs, q, LOOKUP_SILENT, false);
		return;
	}
	if (verdict == FAIR_CEILING) {
		stats_inc(&qs->stats->client_ceiling);
		q->no_room_reason = REASON_CEILING;
	}
	query_fail_here(qs, q, LOOKUP_NO_ROOM);
}

/* What Q, which is to ask KEY, is counted as, among those that ask the same. */
static inline uint64_t
same_as(const struct queries *qs, uint64_t hash, uint16_t qtype, bool proven)
{
	uint64_t question = hash ^ qtype * qs->lookups->spread;

	return proven ? ~question : question; /* these are counted apart, for query_may_join */
}

bool
query_admit(struct queries *qs, struct query *q, const struct question *key)
{
	const struct conf_core *conf = qs->conf;
	bool proven = query_is_proven(q);
	struct fair_terms terms = {
		.question = same_as(qs, key->hash, key->qtype, proven),
		.max_same = conf->max_same_question,
		.scarce = qs->pool.n_used > qs->pool.cap / SCARCE,
	};
	enum fair_verdict verdict;

	/*
	 * While there is plenty of room a resolver may have as much of it as it likes. Who fills a
	 * network's part in its name, with forged addresses, does not reach those who prove theirs.
	 */
	if (UNLIKELY(terms.scarce) && qs->pool.n_used > qs->pool.cap / 2)
		terms.max_net = conf->max_waiting_per_client * (proven ? PROVEN_FACTOR : 1);
	if (proven && terms.max_same != 0)
		terms.max_same = UINT32_MAX;
	verdict = fair_enter(&qs->fair, query_client(q), &terms, &q->place);
	if (UNLIKELY(verdict != FAIR_WELCOME)) {
		turn_away(qs, q, verdict);
		return false;
	}
	if (UNLIKELY(pool_room(&qs->pool) < qs->reserve ||
		pool_room(&qs->lookups->pool) < qs->reserve) &&
	    !make_room(qs, q, WAYS_GIVEN, query_came_ns(q))) {
		turn_away(qs, q, FAIR_WELCOME);
		return false;
	}
	if (UNLIKELY(qs->n_crowded > 0))
		calm(qs, q);
	return true;
}

bool
query_may_join(struct queries *qs, struct query *q)
{
	const struct lookup *l = q->lookup;
	uint32_t most = qs->conf->max_same_question;
	bool proven = query_is_proven(q);

	if (most == 0 || q->child)
		return true;
	if (!fair_join(&qs->fair, same_as(qs, l->key.hash, l->key.qtype, proven),
		proven ? UINT32_MAX : most, &q->place)) {
		turn_away(qs, q, FAIR_SAME);
		return false;
	}
	if (l->waiters.n < LOOKUP_MAX_WAITERS / 2 || !fair_same_over(&qs->fair, &q->place, most))
		return true;
	stats_inc(&qs->stats->same_question);
	q->no_room_reason = REASON_CEILING_SAME;
	query_fail_here(qs, q, LOOKUP_NO_ROOM);
	return false;
}
