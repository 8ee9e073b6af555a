/* SPDX-License-Identifier: BSD-2-Clause */
/* respond_failure: the answers to failures, which every state may give. */
#include "core/respond.h"

static const char used_up[] = "too many questions upstream for this one";

size_t
respond_fail(struct queries *qs, struct query *q, const struct query_event *ev)
{
	struct respond_reason why = { .ede = DNS_EDE_NETWORK_ERROR, .msg = ev->msg };

	if (UNLIKELY(q->used_up) && ev->msg == NULL) {
		why.ede = DNS_EDE_OTHER;
		why.text = used_up;
	} else if (ev->outcome == LOOKUP_SILENT)
		why.ede = DNS_EDE_NO_REACHABLE_AUTHORITY;
	else if (ev->outcome == LOOKUP_BOGUS)
		why.ede = DNS_EDE_BOGUS;
	return respond_error(qs, q, DNS_SERVFAIL, &why, ev->out);
}

size_t
respond_no_room(struct queries *qs, struct query *q, const struct query_event *ev)
{
	static const char *const text[] = { [QUERY_LACK_ROOM] = "no room for this question",
		[QUERY_LACK_WAY] = "no room for so many questions, this one gave way",
		[QUERY_LACK_CEILING] = "too many questions of this client network are waiting",
		[QUERY_LACK_SAME] = "too many of this client network are waiting for the same",
		[QUERY_LACK_UPSTREAM] = "no upstream may have more questions now" };
	const struct respond_reason why = { .ede = DNS_EDE_OTHER, .text = text[q->lack] };

	stats_inc(&qs->stats->no_room);
	return respond_error(qs, q, DNS_SERVFAIL, &why, ev->out);
}

size_t
respond_upstream_error(struct queries *qs, struct query *q, const struct query_event *ev)
{
	/* A reply about another name or type cannot be relayed. */
	bool same = ev->msg != NULL && ev->msg->qtype == q->qtype && q->chain == NULL &&
	    q->state != QUERY_REVERSE;
	struct respond_reason why = { .ede = DNS_EDE_NONE, .msg = ev->msg };

	if (UNLIKELY(q->used_up) && ev->msg == NULL) {
		why.ede = DNS_EDE_OTHER;
		why.text = used_up;
	}
	if (same)
		return respond_relay(qs, q, ev->msg, ev->out);
	return respond_error(qs, q, ev->rcode, &why, ev->out);
}

size_t
respond_bogus(struct queries *qs, struct query *q, const struct query_event *ev)
{
	if (q->qtype == DNS_TYPE_AAAA)
		stats_inc(&qs->stats->bogus);
	return ev->msg != NULL ? respond_upstream_error(qs, q, ev) : respond_fail(qs, q, ev);
}
