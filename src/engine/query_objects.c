/* SPDX-License-Identifier: BSD-2-Clause */
/* query_objects: queries and what they own, taken from pools and given back. */
#include "engine/query.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
