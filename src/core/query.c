/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/query.h"

#include <string.h>

#include "base/clock.h"
#include "core/svcb.h"
#include "dns/name.h"
#include "dns64/reverse.h"

/* --- objects --- */

int
queries_init(struct queries *qs, const struct queries *borrowed, uint32_t cap)
{
	int rc;

	*qs = *borrowed;
	list_init(&qs->ready);
	rc = pool_init(&qs->pool, sizeof(struct query), cap);
	if (rc != 0)
		return rc;
	rc = pool_init(&qs->long_names, DNS_NAME_MAX, cap);
	if (rc != 0)
		goto no_names;
	rc = pool_init(&qs->remnants, sizeof(struct remnant), cap);
	if (rc != 0)
		goto no_remnants;
	rc = pool_init(&qs->svcbs, sizeof(struct svcb), cap / SVCB_POOL_SHARE + 1);
	if (rc == 0)
		return 0;
	pool_fini(&qs->remnants);
no_remnants:
	pool_fini(&qs->long_names);
no_names:
	pool_fini(&qs->pool);
	return rc;
}

void
queries_fini(struct queries *qs)
{
	pool_fini(&qs->svcbs);
	pool_fini(&qs->remnants);
	pool_fini(&qs->long_names);
	pool_fini(&qs->pool);
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
	q->qname = q->name;
	q->upstream = UPSTREAM_NONE;
	q->ede = DNS_EDE_NONE;
	q->zone_at = QUERY_NO_ZONE;
	return q;
}

void
query_find_policy(const struct queries *qs, struct query *q)
{
	bool may_ask;

	q->policy = (uint16_t)policies_find(qs->conf->policies, &q->peer, &may_ask);
	q->conf_turn = qs->conf_turn;
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
	q->qname = copy;
	q->qname_len = (uint8_t)len;
	return true;
}

void
query_drop_remnant(struct queries *qs, struct remnant **r)
{
	if (*r != NULL)
		pool_give(&qs->remnants, *r);
	*r = NULL;
}

void
query_free(struct queries *qs, struct query *q)
{
	wheel_clear(qs->wheel, &q->timer);
	query_drop_remnant(qs, &q->aaaa);
	query_drop_remnant(qs, &q->chain);
	svcb_end(qs, q);
	if (q->qname != q->name)
		pool_give(&qs->long_names, (void *)(uintptr_t)q->qname);
	pool_give(&qs->pool, q);
}

/* --- waiting --- */

static void
make_ready(struct queries *qs, struct query *q, enum lookup_outcome outcome, bool with_msg)
{
	q->lookup = NULL;
	q->outcome = (uint8_t)outcome;
	q->with_msg = with_msg;
	list_push(&qs->ready, &q->link);
}

void
query_ready(struct queries *qs, struct query *q)
{
	make_ready(qs, q, LOOKUP_SILENT, false);
}

void
query_ask(struct queries *qs, struct query *q, const uint8_t *name, uint16_t qtype, uint64_t now_ns)
{
	uint8_t lower[DNS_NAME_MAX];
	struct lookup_key key = { .qname = lower,
		.qtype = qtype,
		.qclass = q->qclass,
		.do_bit = q->do_bit,
		.cd = (q->flags & DNS_CD) != 0 };
	struct lookup_wish wish = { .whole = q->tcp || q->state != QUERY_RELAY,
		.tcp = q->tcp && q->state == QUERY_RELAY,
		.check = q->state == QUERY_AAAA || q->state == QUERY_TARGET,
		.prefer = q->upstream };
	bool phase_ends = q->state == QUERY_AAAA && q->n_steps == 0;
	bool found;

	key.qname_len = name == q->qname ? q->qname_len : name_len(name);
	name_lower(lower, name, key.qname_len);
	q->lookup =
	    now_ns < q->deadline_ns ? lookup_find_or_start(qs->lookups, &key, &wish, &found) : NULL;
	if (q->lookup == NULL) {
		make_ready(qs, q, LOOKUP_SILENT, false);
		return;
	}
	lookup_join(q->lookup, &q->link);
	if (phase_ends)
		wheel_set(qs->wheel, &q->timer, now_ns + QUERY_AAAA_MS * NS_PER_MS);
	else if (q->state != QUERY_AAAA)
		wheel_set(qs->wheel, &q->timer, q->deadline_ns);
}

/* The cookie of the answer, whatever the answer will be (RFC 7873 section 5.2). */
static void
answer_cookie(struct queries *qs, struct query *q, uint64_t now_ns)
{
	uint32_t unix_s = (uint32_t)(qs->conf->unix_s + now_ns / NS_PER_SEC);

	stats_inc(&qs->stats->client_cookies);
	if (q->cookie_len == COOKIE_LEN &&
	    cookie_check(qs->cookies, qs->conf, unix_s, &q->peer, q->cookie))
		stats_inc(&qs->stats->client_cookies_good);
	q->cookie_len =
	    cookie_make(qs->cookies, qs->conf, unix_s, &q->peer, q->cookie) ? COOKIE_LEN : 0;
}

/* Wait for the lookup that request began, if it found room. */
static void
wait_signed(struct queries *qs, struct query *q)
{
	if (q->lookup == NULL) {
		make_ready(qs, q, LOOKUP_SILENT, false);
		return;
	}
	lookup_join(q->lookup, &q->link);
	wheel_set(qs->wheel, &q->timer, q->deadline_ns);
}

void
query_start(struct queries *qs, struct query *q, uint64_t now_ns)
{
	uint8_t name[DNS_NAME_MAX];

	q->deadline_ns = now_ns + QUERY_ALL_MS * NS_PER_MS;
	if (UNLIKELY(q->cookie_len > 0))
		answer_cookie(qs, q, now_ns);
	switch ((enum query_state)q->state) {
	case QUERY_LOCAL:
		make_ready(qs, q, LOOKUP_SILENT, false);
		break;
	case QUERY_REVERSE:
		stats_inc(&qs->stats->reverse);
		(void)reverse_name(q->v4, name);
		query_ask(qs, q, name, DNS_TYPE_PTR, now_ns);
		break;
	case QUERY_A:
		query_ask(qs, q, q->qname, DNS_TYPE_A, now_ns);
		break;
	case QUERY_RELAY:
		if (UNLIKELY(q->signed_msg))
			wait_signed(qs, q);
		else
			query_ask(qs, q, q->qname, q->qtype, now_ns);
		break;
	case QUERY_AAAA:
	case QUERY_TARGET:
	case QUERY_NATIVE:
	case QUERY_HIDDEN:
	case QUERY_SVCB: /* it begins as RELAY */
		query_ask(qs, q, q->qname, q->qtype, now_ns);
		break;
	}
}

void
query_wake(struct queries *qs, struct lookup *l, const struct lookup_result *result)
{
	struct list *link;

	while ((link = list_pop(&l->waiters)) != NULL) {
		struct query *q = LIST_OBJECT(link, struct query, link);

		q->rcode = result->rcode;
		make_ready(qs, q, result->outcome, result->msg != NULL);
	}
	l->n_waiters = 0;
}

void
query_on_deadline(struct queries *qs, struct query *q)
{
	if (q->state == QUERY_SVCB && svcb_forsake(q)) {
		stats_inc(&qs->stats->svcb_late);
		query_ready(qs, q);
	}
	if (q->lookup == NULL)
		return; /* ready already */
	lookup_leave(qs->lookups, q->lookup, &q->link);
	make_ready(qs, q, LOOKUP_SILENT, false);
}
