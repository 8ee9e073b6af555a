/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/turn.h"

#include "core/respond.h"

size_t
turn_fail(struct queries *qs, struct query *q, const struct turn *t)
{
	struct respond_reason why = { .ede = DNS_EDE_NETWORK_ERROR, .msg = t->msg };

	if (t->outcome == LOOKUP_SILENT)
		why.ede = DNS_EDE_NO_REACHABLE_AUTHORITY;
	else if (t->outcome == LOOKUP_BOGUS)
		why.ede = DNS_EDE_BOGUS;
	return respond_error(qs, q, DNS_SERVFAIL, &why, t->out);
}

size_t
turn_no_room(struct queries *qs, struct query *q, const struct turn *t)
{
	const struct respond_reason why = { .ede = DNS_EDE_OTHER,
		.text = "no room here for the question" };

	stats_inc(&qs->stats->no_room);
	return respond_error(qs, q, DNS_SERVFAIL, &why, t->out);
}

size_t
turn_error(struct queries *qs, struct query *q, const struct turn *t)
{
	/* A reply about another name or type cannot be passed on as it is. */
	bool same = t->msg != NULL && t->msg->qtype == q->qtype && q->chain == NULL &&
	    q->state != QUERY_REVERSE;
	const struct respond_reason why = { .ede = DNS_EDE_NONE, .msg = t->msg };

	if (same)
		return respond_relay(qs, q, t->msg, t->out);
	return respond_error(qs, q, t->rcode, &why, t->out);
}

size_t
turn_bogus(struct queries *qs, struct query *q, const struct turn *t)
{
	if (q->qtype == DNS_TYPE_AAAA)
		stats_inc(&qs->stats->bogus);
	return t->msg != NULL ? turn_error(qs, q, t) : turn_fail(qs, q, t);
}
