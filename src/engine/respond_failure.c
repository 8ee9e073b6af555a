/* SPDX-License-Identifier: BSD-2-Clause */
/* respond_failure: the answers to failures, which every state may give. */
#include "engine/respond.h"

/* Why no reply of use came of an event. */
static enum reason
reason_of(const struct queries *qs, const struct query *q, const struct query_event *ev)
{
	if (UNLIKELY(q->budget.used_up) && ev->msg == NULL)
		return REASON_BUDGET;
	switch (ev->outcome) {
	case LOOKUP_SILENT:
		return qs->cached ? REASON_OUTAGE : REASON_SILENT;
	case LOOKUP_BOGUS:
		return REASON_BOGUS_FOUND;
	case LOOKUP_REPLY:
		if (q->reason == REASON_AAAA_FAILED)
			return REASON_AAAA_FAILED;
		break;
	case LOOKUP_TRUNCATED:
	case LOOKUP_ERROR:
	case LOOKUP_NO_ROOM:
		break;
	}
	return REASON_UPSTREAM_FAILED;
}

size_t
respond_fail(struct queries *qs, struct query *q, const struct query_event *ev)
{
	q->reason = (uint8_t)reason_of(qs, q, ev);
	return respond_error(qs, q, DNS_SERVFAIL, ev->msg, ev->out);
}

size_t
respond_no_room(struct queries *qs, struct query *q, const struct query_event *ev)
{
	q->reason = q->no_room_reason;
	stats_inc(&qs->stats->no_room);
	return respond_error(qs, q, DNS_SERVFAIL, NULL, ev->out);
}

size_t
respond_upstream_error(struct queries *qs, struct query *q, const struct query_event *ev)
{
	/* A reply about another name or type cannot be relayed. */
	bool same = ev->msg != NULL && ev->msg->qtype == q->req.qtype && q->chain.open == NULL &&
	    q->state != QUERY_REVERSE;

	q->reason = ev->outcome == LOOKUP_BOGUS ? REASON_BOGUS : REASON_UPSTREAM_ERROR;
	if (UNLIKELY(q->budget.used_up) && ev->msg == NULL)
		q->reason = REASON_BUDGET;
	if (same)
		return respond_relay(qs, q, ev->msg, ev->out);
	return respond_error(qs, q, ev->rcode, ev->msg, ev->out);
}

size_t
respond_bogus(struct queries *qs, struct query *q, const struct query_event *ev)
{
	if (q->req.qtype == DNS_TYPE_AAAA)
		stats_inc(&qs->stats->bogus);
	return ev->msg != NULL ? respond_upstream_error(qs, q, ev) : respond_fail(qs, q, ev);
}
