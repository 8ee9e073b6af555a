/* SPDX-License-Identifier: BSD-2-Clause */
/* query_room: who may wait for upstream, and who gives way when room runs low (RULES D26). */
#include "core/query.h"

#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/told.h"

#define PROVEN_FACTOR 10 /* so much more may wait of those whose address is not forged */
#define WAYS_GIVEN 4     /* queries that give way to one new one, at most */
#define LONGEST_TRIED 8  /* queries that are looked at to find one that waits */

/* Who has waited for so long gives way to anybody: what replies there are mostly come sooner. */
#define WORTH_WAITING_NS NS_PER_SEC

/* So long nobody gives way, and it is over. All queries live equally long: deadlines are a clock */
#define CALM_NS (10 * NS_PER_SEC)

/* --- what the operator is told --------------------------------------------------------------- */

/* One gives way to GUEST, because of the network NET. The log says so when that begins. */
static void
crowded(struct queries *qs, const struct query *guest, const struct fair_net *net)
{
	const struct netaddr first = netaddr_block_first(&net->block);
	char text[NETADDR_TEXT];

	stats_inc(&qs->stats->gave_way);
	qs->crowded_ns = guest->deadline_ns;
	if (qs->n_crowded++ > 0 || !told_begin(qs->conf->told, TOLD_CROWDED, NULL))
		return;
	log_warn(LOG_CLIENT,
	    "too many questions wait for upstreams: %u in a loop, %u of them from %s/%u; some give "
	    "way (see max-queries, max-waiting-per-client, rate-limit)",
	    qs->pool.n_used, net->n, netaddr_format(&first, text),
	    first.family == NETADDR_IPV4 ? 32U : 64U);
}

/* GUEST may wait. If nobody has given way for CALM_NS the log says that it is over. */
static __attribute__((cold)) void
calm(struct queries *qs, const struct query *guest)
{
	uint64_t n;

	if (guest->deadline_ns - qs->crowded_ns < CALM_NS)
		return;
	n = told_count(qs->conf->told, TOLD_CROWDED, NULL, qs->n_crowded);
	qs->n_crowded = 0;
	if (told_end(qs->conf->told, TOLD_CROWDED, NULL))
		log_notice(LOG_CLIENT,
		    "there is room again for questions that wait; %" PRIu64 " gave way", n);
}

/* --- who may wait ---------------------------------------------------------------------------- */

/* Does Q wait for something that has not come yet? */
static bool
waits(const struct query *q)
{
	if (q->lookup != NULL)
		return q->lookup->progress < LOOKUP_ENDING;
	return list_empty(&q->link) && (q->held || q->state == QUERY_SVCB);
}

/* The query of NET that has waited longest; NULL: none waits. */
static struct query *
longest_waiting(const struct fair_net *net)
{
	unsigned n = 0;

	for (struct list *link = net->waiting.next; link != &net->waiting && n < LONGEST_TRIED;
	     link = link->next, n++) {
		struct query *q = LIST_OBJECT(link, struct query, place.link);

		if (waits(q))
			return q;
	}
	return NULL;
}

/*
 * Q stops waiting and is answered with what there is: something stale, A that are at hand for a
 * late AAAA, an answer without the addresses of its targets; else SERVFAIL. In state TARGET the A
 * at hand are not used: the name may have real AAAA, and upstream was not silent about them.
 */
static void
give_way(struct queries *qs, struct query *q)
{
	q->lack = REASON_GAVE_WAY;
	wheel_clear(qs->wheel, &q->timer);
	if (UNLIKELY(q->watch.lookup != NULL))
		query_unwatch(qs, q);
	if (q->lookup == NULL) {
		if (q->state == QUERY_SVCB)
			(void)query_forsake(q);
		query_ready(qs, q);
		return;
	}
	lookup_leave(qs->lookups, q->lookup, &q->link);
	query_fail_here(qs, q, LOOKUP_NO_ROOM);
}

/*
 * Have queries give way to GUEST, which has its place already, while few objects are left, so that
 * those who can be answered at once find some. False: GUEST gives way itself.
 *
 * Among networks that have equally many nobody gives way whose reply may be about to come: else,
 * when more is asked than can be served, each would give way just before it, and none be served.
 */
static __attribute__((cold)) bool
make_room(struct queries *qs, struct query *guest)
{
	for (unsigned n = 0; n < WAYS_GIVEN; n++) {
		const struct fair_net *net = fair_fullest(&qs->fair);
		struct query *q = longest_waiting(net);

		if (q == NULL)
			return pool_room(&qs->pool) >= qs->reserve / 2;
		if (net->n <= guest->place.net->n &&
		    guest->deadline_ns - q->deadline_ns < WORTH_WAITING_NS) {
			if (n > 0)
				break;
			crowded(qs, guest, net);
			guest->lack = REASON_GAVE_WAY;
			return false;
		}
		crowded(qs, guest, net);
		give_way(qs, q);
		if (pool_room(&qs->lookups->pool) >= qs->reserve)
			break;
	}
	return true;
}

/* Q may not wait, as VERDICT says: answer it at once. */
static __attribute__((cold)) void
turn_away(struct queries *qs, struct query *q, enum fair_verdict verdict)
{
	if (verdict == FAIR_SAME && !q->tcp) {
		stats_inc(&qs->stats->same_question);
		q->state = QUERY_LOCAL;
		q->local_kind = QUERY_LOCAL_TC;
		q->reason = REASON_SAME_QUESTION;
		query_make_ready(qs, q, LOOKUP_SILENT, false);
		return;
	}
	if (verdict == FAIR_CEILING) {
		stats_inc(&qs->stats->client_ceiling);
		q->lack = REASON_CEILING;
	}
	query_fail_here(qs, q, LOOKUP_NO_ROOM);
}

bool
query_admit(struct queries *qs, struct query *q, const struct question *key)
{
	const struct conf_core *conf = qs->conf;
	uint64_t question = key->hash ^ key->qtype * qs->lookups->spread;
	bool proven = q->tcp || q->cookie_good;
	uint32_t max_same = conf->max_same_question;
	uint32_t max_net = 0;
	enum fair_verdict verdict;

	/*
	 * While there is plenty of room a resolver may have as much of it as it likes. Who fills a
	 * network's part in its name, with forged addresses, does not reach those who prove theirs.
	 */
	if (UNLIKELY(qs->pool.n_used > qs->pool.cap / 2))
		max_net = conf->max_waiting_per_client * (proven ? PROVEN_FACTOR : 1);
	/* These are counted apart, for query_may_join. */
	if (proven && max_same != 0) {
		question = ~question;
		max_same = UINT32_MAX;
	}
	verdict = fair_enter(&qs->fair, &q->peer, question, max_net, max_same, &q->place);
	if (UNLIKELY(verdict != FAIR_WELCOME)) {
		turn_away(qs, q, verdict);
		return false;
	}
	if (UNLIKELY(pool_room(&qs->pool) < qs->reserve ||
		pool_room(&qs->lookups->pool) < qs->reserve) &&
	    !make_room(qs, q)) {
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
	uint32_t most = qs->conf->max_same_question;

	if (q->lookup->n_waiters < LOOKUP_MAX_WAITERS / 2 || most == 0 ||
	    fair_same(&qs->fair, &q->place) <= most)
		return true;
	stats_inc(&qs->stats->same_question);
	q->lack = REASON_CEILING_SAME;
	return false;
}
