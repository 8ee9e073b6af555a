/* SPDX-License-Identifier: BSD-2-Clause */
/* attempt_end: how a lookup goes on after an attempt, or ends. */
#include "core/attempt.h"

#include <string.h>

#include "core/antispoof.h"
#include "core/choice.h"

bool
attempt_again(struct lookups *ls, struct lookup *l, uint16_t u)
{
	if (u != l->upstream)
		antispoof_forget(l);
	lookup_ask(ls, l);
	l->upstream = u;
	return true;
}

/* L ends with its truncated reply, better than none, when attempt_next_truncated comes to it. */
static bool
end_with_truncated(struct lookups *ls, struct lookup *l)
{
	lookup_stop_attempt(ls, l);
	l->progress = LOOKUP_ENDING;
	list_push(&ls->ending, &l->link);
	ls->more = true;
	return true;
}

struct lookup *
attempt_next_truncated(struct lookups *ls, struct lookup_result *result)
{
	struct list *link = list_pop(&ls->ending);
	struct lookup *l;

	if (link == NULL)
		return NULL;
	l = LIST_OBJECT(link, struct lookup, link);
	l->progress = LOOKUP_DONE;
	memcpy(ls->reply, l->truncated, l->truncated_len);
	if (msg_parse(&ls->truncated, ls->reply, l->truncated_len) == MSG_OK)
		(void)attempt_finish(ls, l, result, LOOKUP_TRUNCATED, &ls->truncated);
	else /* impossible: it was parsed before */
		(void)attempt_finish(ls, l, result, LOOKUP_BOGUS, NULL);
	return l;
}

bool
attempt_finish(struct lookups *ls, struct lookup *l, struct lookup_result *result,
    enum lookup_outcome outcome, const struct msg *msg)
{
	bool failed =
	    outcome == LOOKUP_ERROR || outcome == LOOKUP_SILENT || outcome == LOOKUP_NO_ROOM;

	if (UNLIKELY(failed && l->truncated != NULL))
		return end_with_truncated(ls, l);
	lookup_stop_attempt(ls, l);
	result->outcome = outcome;
	result->rcode = msg != NULL ? msg->rcode : l->best_rcode;
	result->upstream = l->upstream;
	result->trusted = l->upstream != UPSTREAM_NONE && ls->upstreams->table[l->upstream].trusted;
	result->msg = msg;
	if (failed && !l->probe)
		stats_inc(&ls->stats->lookups_failed);
	return false;
}

__attribute__((noinline)) bool
attempt_resume(struct lookups *ls, struct lookup *l)
{
	const struct attempt *a = l->earlier;

	while (a != NULL && (a->silent || l->errored >> a->upstream & 1))
		a = a->next;
	if (a == NULL)
		return false;
	lookup_stop_attempt(ls, l);
	lookup_recall(ls, l, a->space, a->id);
	attempt_set_wait(ls, l);
	return true;
}

bool
attempt_failed(struct lookups *ls, struct lookup *l, struct lookup_result *result, uint16_t rcode,
    const struct msg *msg)
{
	uint16_t next;

	if (l->probe) /* the upstream is alive: that is all a probe asks */
		return attempt_finish(ls, l, result, LOOKUP_SILENT, NULL);
	stats_inc(&ls->stats->upstream_errors);
	l->errored |= 1ULL << l->upstream;
	l->check = LOOKUP_CHECK_NONE;
	l->tcp_only = false;
	/* Any other error is more telling than SERVFAIL. */
	if (l->best_rcode == DNS_NOERROR || l->best_rcode == DNS_SERVFAIL)
		l->best_rcode = rcode;
	if (UNLIKELY(l->earlier != NULL) && attempt_resume(ls, l))
		return true;
	next = attempt_pick_next(ls, l, false);
	if (next != UPSTREAM_NONE)
		return attempt_again(ls, l, next);
	return attempt_finish(ls, l, result, LOOKUP_ERROR, rcode == l->best_rcode ? msg : NULL);
}
