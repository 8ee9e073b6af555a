/* SPDX-License-Identifier: BSD-2-Clause */
#include "outbound/late.h"

#include "outbound/match.h"
#include "outbound/trace.h"

/* Does MSG, a right reply to L's present attempt, end L with nothing more to be asked? */
static bool
is_final(const struct lookup *l, const struct msg *msg, enum msg_verdict verdict)
{
	if (l->probe.is || l->message.bytes != NULL)
		return true;
	if (verdict != MSG_OK || l->check == LOOKUP_CHECK_CD)
		return false;
	if (l->check == LOOKUP_CHECK_AGAIN && msg->rcode == DNS_SERVFAIL)
		return true; /* the data is bogus */
	return !(msg->flags & DNS_TC) && !match_is_error(msg) && !match_is_lame(msg);
}

/*
 * Does MSG, a right reply to L's present attempt, lead to a further question, or say that the data
 * is bogus? Then it is more than a failure of its upstream.
 */
static bool
leads_on(const struct lookup *l, const struct msg *msg, enum msg_verdict verdict)
{
	if (verdict != MSG_OK)
		return false;
	if (msg->flags & DNS_TC || match_rejects_edns(l, msg))
		return true;
	if (msg->rcode == DNS_BADCOOKIE) /* once, or two attempts would lead on in turn for ever */
		return l->now.cookie && !l->here.cookie_bad;
	return msg->rcode == DNS_SERVFAIL && !l->key.cd &&
	    (match_is_checked(l) || msg_ede_dnssec(msg) != DNS_EDE_NONE);
}

/* L's upstream gave an error while another one is awaited: it counts if that one is silent. */
static void
note_error(struct lookup *l, uint16_t rcode)
{
	if (rcode == DNS_NOERROR || rcode == DNS_BADVERS || rcode == DNS_BADCOOKIE)
		rcode = DNS_SERVFAIL;
	if (l->tried.late_rcode == DNS_NOERROR || l->tried.late_rcode == DNS_SERVFAIL)
		l->tried.late_rcode = rcode;
	l->tried.errored |= UINT64_C(1) << l->upstream;
}

/* What L was about before lookup_recall made an attempt that was given up its present one. */
struct before {
	uint8_t space; /* of the attempt that was in flight */
	uint16_t id;
	uint16_t upstream;
	uint8_t progress;
	uint8_t check;
	bool queued; /* to be sent, or to end with its truncated reply, when no input is left */
};

/* Undo lookup_recall: L goes on with what it was about. DROP: the attempt recalled has ended. */
static void
put_back(struct lookups *ls, struct lookup *l, const struct before *b, bool drop)
{
	struct attempt *a;

	if (!b->queued) {
		a = lookup_recall(ls, l, b->space, b->id);
		if (drop)
			lookup_drop(ls, l, a);
		return;
	}
	if (drop)
		lookup_stop_attempt(ls, l);
	else
		lookup_shelve(ls, l);
	wheel_clear(ls->wheel, &l->timer); /* it may have waited for a TCP connection */
	l->progress = b->progress;
	l->upstream = b->upstream;
	l->check = b->check;
	list_push(b->progress == LOOKUP_TO_ASK ? &ls->unsent.now : &ls->ending, &l->link);
}

/*
 * Was L about to get a reply to the very question of a check that MSG replies to? Not one that is
 * to confirm what is suspect, nor the second BADCOOKIE (see leads_on).
 */
static bool
is_awaited(const struct lookup *l, const struct before *b, const struct msg *msg)
{
	if (l->check != b->check || l->upstream != b->upstream || b->progress == LOOKUP_ENDING)
		return false;
	return l->check != LOOKUP_CHECK_NONE && l->here.suspect == LOOKUP_NO_SUSPECT &&
	    (msg->rcode != DNS_BADCOOKIE || !l->here.cookie_bad);
}

/* Is MSG an error? Neither what CD brings is one, nor that TCP or a cookie is to be used. */
static bool
is_late_error(const struct lookup *l, const struct msg *msg)
{
	if (!match_is_error(msg) &&
	    (l->check == LOOKUP_CHECK_CD ||
		(msg->flags & DNS_TC && l->progress == LOOKUP_ASKED_DATAGRAM)))
		return false;
	return msg->rcode != DNS_BADCOOKIE || !l->now.cookie;
}

bool
late_counts(struct lookups *ls, struct lookup *l, const struct packet_in *in, const struct msg *msg,
    enum msg_verdict verdict, uint64_t now_ns)
{
	const struct before before = { .space = l->now.space,
		.id = l->now.id,
		.upstream = l->upstream,
		.progress = l->progress,
		.check = l->check,
		.queued = l->progress == LOOKUP_TO_ASK || l->progress == LOOKUP_ENDING };
	enum antispoof_match match;
	bool awaited = (lookup_in_flight(l) && !l->now.silent) || before.queued;
	bool bound = l->here.suspect != LOOKUP_NO_SUSPECT || l->check != LOOKUP_CHECK_NONE ||
	    l->stream.plan == LOOKUP_STREAM_HERE || l->progress == LOOKUP_ENDING;

	(void)lookup_recall(ls, l, match_space(ls, in), msg->id);
	if (l->wait == LOOKUP_LINGERS &&
	    (match_attempt(ls, l, msg) != ANTISPOOF_SAME || !is_final(l, msg, verdict))) {
		lookup_shelve(ls, l); /* nobody waits: nothing is asked for it any more */
		return false;
	}
	if (!awaited)
		return true;
	match = match_attempt(ls, l, msg);
	if (match != ANTISPOOF_SAME) {
		antispoof_count(ls->stats, match);
		put_back(ls, l, &before, false);
		return false;
	}
	if (is_final(l, msg, verdict) || (!bound && leads_on(l, msg, verdict)) ||
	    is_awaited(l, &before, msg)) {
		if (l->upstream != before.upstream)
			antispoof_forget(l);
		return true;
	}
	match_note(ls, l, msg, verdict, now_ns);
	if (UNLIKELY(ls->told.anybody))
		trace_reply(ls, l, msg, now_ns);
	if (verdict != MSG_OK || is_late_error(l, msg))
		note_error(l, verdict == MSG_OK ? msg->rcode : DNS_SERVFAIL);
	put_back(ls, l, &before, true);
	return false;
}
