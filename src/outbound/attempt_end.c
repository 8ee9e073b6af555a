/* SPDX-License-Identifier: BSD-2-Clause */
/* attempt_end: how a lookup goes on after an attempt, or ends. */
#include "outbound/attempt.h"

#include <string.h>

#include "base/clock.h"
#include "outbound/antispoof.h"
#include "outbound/choice.h"
#include "outbound/penalty.h"

#define LISTEN_MS 250 /* between looks at whether an upstream is back */
#define KNOCK_MS 250  /* before the third attempt at one that refuses; doubled for the next */
#define AT_ONCE 2     /* attempts that a silent upstream gets before the rest of them is spread */
#define MOMENT_MS 500 /* of a fault that takes what is sent meanwhile: see heard_due_ns */

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
	l->wait = LOOKUP_AWAITS; /* as it has no timer */
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
	memcpy(ls->reply, l->truncated.bytes, l->truncated.len);
	if (msg_parse(&ls->truncated, ls->reply, l->truncated.len) == MSG_OK)
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

	if (UNLIKELY(failed && l->truncated.bytes != NULL))
		return end_with_truncated(ls, l);
	lookup_stop_attempt(ls, l);
	result->outcome = outcome;
	result->rcode = msg != NULL ? msg->rcode : l->tried.best_rcode;
	result->upstream = l->upstream;
	result->trusted =
	    l->upstream != UPSTREAM_NONE && ls->upstreams->table[l->upstream].conf.trusted;
	result->msg = msg;
	if (failed && !l->probe.is)
		stats_inc(&ls->stats->lookups_failed);
	return false;
}

__attribute__((noinline)) bool
attempt_resume(struct lookups *ls, struct lookup *l)
{
	const struct attempt *a = l->earlier;

	while (a != NULL && (a->silent || l->tried.errored >> a->upstream & 1))
		a = a->next;
	if (a == NULL)
		return false;
	if (a->upstream != l->upstream)
		antispoof_forget(l);
	lookup_stop_attempt(ls, l);
	lookup_recall(ls, l, a->space, a->id);
	attempt_set_wait(ls, l);
	return true;
}

/* --- what comes next -------------------------------------------------------------------------- */

/*
 * L ends without a reply: its time is over, or nobody is left to ask. False: it has ended; true: it
 * ends with its truncated reply.
 */
static bool
finish(struct lookups *ls, struct lookup *l, struct lookup_result *result)
{
	const struct upstreams *us = ls->upstreams;

	/* One that was down meanwhile and is up again was not silent about this name. */
	if (l->upstream != UPSTREAM_NONE)
		l->excuse.hindered = us->table[l->upstream].revived_ns >= l->born_ns;
	if (lookup_lacks_room(l))
		return attempt_finish(ls, l, result, LOOKUP_NO_ROOM, NULL);
	if (l->tried.best_rcode == DNS_NOERROR)
		l->tried.best_rcode = l->tried.late_rcode;
	return attempt_finish(
	    ls, l, result, l->tried.best_rcode == DNS_NOERROR ? LOOKUP_SILENT : LOOKUP_ERROR, NULL);
}

/* L sends nothing before DUE_NS, but a reply to what it sent is taken. Always true. */
static bool
pause_until(struct lookups *ls, struct lookup *l, uint64_t due_ns)
{
	l->progress = LOOKUP_UNSENT;
	lookup_set_wait(ls, l, LOOKUP_PAUSED, due_ns);
	return true;
}

/* Has upstream U replied to anybody since L began? */
static bool
was_heard(const struct lookups *ls, const struct lookup *l, unsigned u)
{
	return ls->upstreams->table[u].heard_ns > l->born_ns;
}

/* Does U refuse what L sends? Then it is away, perhaps for a moment, whatever it replied before. */
static bool
is_refusing(const struct lookup *l, unsigned u)
{
	return l->refused && u == l->upstream;
}

/*
 * The upstream to be asked over TCP: at best one that answers others, which is asked so once. LEFT:
 * another upstream may be asked over UDP yet, but answers nobody: then only one that answers others
 * and has lost L's question as often as UDP may be tried. Else, as each was silent so often, any
 * that is not known to be down, as its UDP may be blocked. UPSTREAM_NONE: there is none, or TCP is
 * not allowed.
 */
static uint16_t
pick_for_stream(const struct lookups *ls, const struct lookup *l, bool left)
{
	const struct upstreams *us = ls->upstreams;
	unsigned most = ls->conf->upstream_tries;
	uint16_t found = UPSTREAM_NONE;

	if (l->message.bytes != NULL || ls->conf->upstream_tries == 1 ||
	    txid_room(&ls->spaces[0]) == 0)
		return UPSTREAM_NONE;
	for (unsigned i = 0; i < us->n_order; i++) {
		uint16_t u = us->order[i];
		unsigned n = attempt_timeouts(l, UPSTREAM_STREAM, u);

		if (l->tried.errored >> u & 1 || us->table[u].down || n >= most)
			continue;
		if (is_refusing(l, u) || !was_heard(ls, l, u))
			found = left ? UPSTREAM_NONE : u;
		else if (n == 0 && (!left || attempt_timeouts(l, UPSTREAM_USUAL, u) >= most))
			return u;
	}
	return found;
}

/* The upstream for the next attempt of L; UPSTREAM_NONE. *tcp: by TCP, as a last resort. */
static uint16_t
pick(struct lookups *ls, struct lookup *l, bool *tcp)
{
	uint16_t u, by_tcp;

	penalty_forgive(ls, l);
	if (l->probe.is) /* there is another one in a while */
		return UPSTREAM_NONE;
	/* A is asked beside AAAA, and used: no more than a late reply is expected. */
	if (UNLIKELY(ls->upstreams->some_no_aaaa) && l->late.a_asked &&
	    upstreams_no_aaaa_ns(ls->upstreams) > 0)
		return UPSTREAM_NONE;
	u = attempt_pick_next(ls, l, true);
	if (u != UPSTREAM_NONE && was_heard(ls, l, u))
		return u;
	by_tcp = pick_for_stream(ls, l, u != UPSTREAM_NONE);
	*tcp = by_tcp != UPSTREAM_NONE;
	if (*tcp)
		return by_tcp;
	return u != UPSTREAM_NONE ? u : attempt_pick_next(ls, l, false); /* one that is down */
}

/* How many attempts L has left, about: not each upstream may be asked over TCP. */
static unsigned
n_left(const struct lookups *ls, const struct lookup *l)
{
	unsigned all = ls->conf->upstream_tries * ls->upstreams->n_order * UPSTREAM_OVERS;
	unsigned done = 0;

	for (unsigned over = 0; over < UPSTREAM_OVERS; over++)
		done += (unsigned)(__builtin_popcountll(l->tried.silent[over][0]) +
		    2 * __builtin_popcountll(l->tried.silent[over][1]));
	return done < all ? all - done : 0;
}

/* How long A, an attempt of L that was silent, was waited for. */
static uint64_t
wait_of(const struct lookups *ls, const struct lookup *l, const struct attempt *a)
{
	unsigned n = attempt_timeouts(l, a->over, a->upstream);

	return upstreams_wait_ns(ls->upstreams, a->upstream, a->over, n > 0 ? n - 1 : 0);
}

/* The last attempt of L at U over UPSTREAM_USUAL without a reply; NULL: none is kept. */
static const struct attempt *
last_usual(const struct lookup *l, unsigned u)
{
	const struct attempt *last = NULL;

	for (const struct attempt *a = l->earlier; a != NULL; a = a->next) {
		if (a->upstream == u && a->over == UPSTREAM_USUAL &&
		    (last == NULL || a->sent_ns > last->sent_ns))
			last = a;
	}
	return last;
}

/*
 * When L's next attempt is due at U, which replies to others: at once. But where no reply ever came
 * over TCP the last attempt over UDP may be all that is left: unless it goes by another way than
 * those before it, it waits until what took them, a full buffer or a stall, has had its moment.
 */
static uint64_t
heard_due_ns(const struct lookups *ls, const struct lookup *l, unsigned u)
{
	const struct upstream *up = &ls->upstreams->table[u];
	const struct attempt *a;

	if (attempt_timeouts(l, UPSTREAM_USUAL, u) + 1 != ls->conf->upstream_tries ||
	    times_known(&up->times[UPSTREAM_STREAM]) || lookup_needs_stream(l))
		return 0;
	a = last_usual(l, u);
	return a != NULL && a->way == up->ways.now ? a->sent_ns + MOMENT_MS * NS_PER_MS : 0;
}

/*
 * When L's next attempt is due, to upstream U: at once, or a while after the last one, as U may be
 * away for a moment. It is back when it replies to somebody.
 */
static uint64_t
due_ns(const struct lookups *ls, const struct lookup *l, unsigned u)
{
	unsigned n = attempt_timeouts(l, UPSTREAM_USUAL, u);
	uint64_t last_ns = l->now.sent_ns;

	if (n < AT_ONCE)
		return 0;
	if (is_refusing(l, u))
		return last_ns +
		    (KNOCK_MS * NS_PER_MS
			<< (n - AT_ONCE + attempt_timeouts(l, UPSTREAM_STREAM, u)));
	if (was_heard(ls, l, u))
		return heard_due_ns(ls, l, u);
	last_ns += wait_of(ls, l, &l->now);
	return last_ns + (l->end_ns - last_ns) / (n_left(ls, l) + 1);
}

/* Send L's question to U next. */
bool
attempt_go_to(struct lookups *ls, struct lookup *l, uint16_t u)
{
	l->check = LOOKUP_CHECK_NONE; /* the first question, not one of another's check */
	if (u != l->upstream)
		lookup_plan(l, LOOKUP_ELSEWHERE);
	l->refused = is_refusing(l, u);
	return attempt_again(ls, l, u);
}

/*
 * All upstreams are down: nothing is sent until one is back. L listens on if it began before that
 * was known, and else has had its second, or what is sent is refused (RULES D5). Returns whether L
 * goes on.
 */
static bool
listen_on(struct lookups *ls, struct lookup *l, struct lookup_result *result, uint64_t now_ns)
{
	if (l->excuse.hurried || l->tried.best_rcode != DNS_NOERROR || l->earlier == NULL)
		return finish(ls, l, result);
	return pause_until(ls, l, now_ns + LISTEN_MS * NS_PER_MS);
}

/*
 * May upstream A->upstream, which is not down, reply yet to A, an attempt of L? An upstream that
 * gave an error does so only to the last question of a check, which is whether that was one.
 */
static bool
is_open(const struct lookups *ls, const struct lookup *l, const struct attempt *a)
{
	return !ls->upstreams->table[a->upstream].down &&
	    (a->check == LOOKUP_CHECK_AGAIN || !(l->tried.errored >> a->upstream & 1));
}

/* Is an attempt of L open? If one is that tells whether the data is bogus, the check goes on. */
static bool
any_open(const struct lookups *ls, struct lookup *l)
{
	bool any = false;

	l->check = LOOKUP_CHECK_NONE; /* if none is */
	for (const struct attempt *a = l->earlier; a != NULL; a = a->next) {
		if (!is_open(ls, l, a))
			continue;
		any = true;
		if (a->check == LOOKUP_CHECK_AGAIN)
			l->check =
			    LOOKUP_CHECK_AGAIN; /* so that A is not taken beside it (RULES D5) */
	}
	return any;
}

/*
 * Nothing is left to be sent for L. What is open is awaited; beside an error only where it may be
 * answered yet, which is looked at now and then (RULES D3). Returns whether L goes on.
 */
static bool
spend(struct lookups *ls, struct lookup *l, struct lookup_result *result, uint64_t now_ns)
{
	bool error = (l->tried.best_rcode | l->tried.late_rcode) != DNS_NOERROR;

	if (l->earlier == NULL || (error && !any_open(ls, l)))
		return finish(ls, l, result);
	l->progress = LOOKUP_UNSENT;
	lookup_set_wait(ls, l, LOOKUP_SPENT, error ? now_ns + LISTEN_MS * NS_PER_MS : l->end_ns);
	return true;
}

/*
 * Is U, which was silent to L over UDP, one that has replied over TCP only so far? Until that is
 * known to be its way (outbound/ways) it would be asked over UDP twice more.
 */
static bool
answers_by_stream(const struct lookups *ls, const struct lookup *l, unsigned u)
{
	const struct upstream *up = &ls->upstreams->table[u];

	return !times_known(&up->times[UPSTREAM_USUAL]) &&
	    times_known(&up->times[UPSTREAM_STREAM]) && l->message.bytes == NULL &&
	    attempt_timeouts(l, UPSTREAM_USUAL, u) > 0 &&
	    attempt_timeouts(l, UPSTREAM_STREAM, u) == 0;
}

/* L asks the next upstream, now or in a while. LOST: see attempt_go_on. Returns whether L goes on.
 */
static bool
ask_next(
    struct lookups *ls, struct lookup *l, struct lookup_result *result, bool lost, uint64_t now_ns)
{
	uint64_t look_ns = now_ns + LISTEN_MS * NS_PER_MS, at_ns;
	bool tcp = false;
	uint16_t u = pick(ls, l, &tcp);

	if (u == UPSTREAM_NONE)
		return spend(ls, l, result, now_ns);
	at_ns = due_ns(ls, l, u);
	if (at_ns > now_ns)
		return pause_until(ls, l, at_ns < look_ns ? at_ns : look_ns);
	/* Where connections end under a load, the same again at once would only add to it. */
	if (lost && u == l->upstream && l->stream.plan == LOOKUP_STREAM_HERE)
		return pause_until(
		    ls, l, now_ns + upstreams_wait_ns(ls->upstreams, u, UPSTREAM_STREAM, 0));
	(void)attempt_go_to(ls, l, u);
	if (tcp || answers_by_stream(ls, l, u))
		lookup_plan(l, LOOKUP_WISHES_STREAM);
	return true;
}

bool
attempt_go_on(
    struct lookups *ls, struct lookup *l, struct lookup_result *result, bool lost, uint64_t now_ns)
{
	lookup_plan(l, LOOKUP_NO_REPLY);
	if (l->wait == LOOKUP_HOPELESS || now_ns >= l->end_ns)
		return finish(ls, l, result);
	if (upstreams_all_down(ls->upstreams) && !l->probe.is)
		return listen_on(ls, l, result, now_ns);
	if (l->check != LOOKUP_CHECK_NONE) {
		unsigned n = attempt_timeouts(l, UPSTREAM_USUAL, l->upstream) +
		    attempt_timeouts(l, UPSTREAM_STREAM, l->upstream);

		if (n < ls->conf->upstream_tries)
			return attempt_again(ls, l, l->upstream);
		return attempt_failed(ls, l, result, DNS_SERVFAIL, NULL, now_ns);
	}
	return ask_next(ls, l, result, lost, now_ns);
}

bool
attempt_send_now(
    struct lookups *ls, struct lookup *l, struct lookup_result *result, uint64_t now_ns)
{
	lookup_plan(l, LOOKUP_NO_REPLY);
	if (now_ns >= l->end_ns)
		return finish(ls, l, result);
	if (UNLIKELY(l->wait == LOOKUP_HELD))
		return attempt_again(ls, l, l->upstream);
	if (!l->excuse.hurried && upstreams_all_down(ls->upstreams))
		return listen_on(ls, l, result, now_ns);
	return ask_next(ls, l, result, false, now_ns);
}

void
attempt_end_check(struct lookup *l)
{
	for (struct attempt *a = l->earlier; a != NULL; a = a->next) {
		if (a->upstream == l->upstream && a->check == LOOKUP_CHECK_AGAIN)
			a->check = LOOKUP_CHECK_NONE;
	}
}

bool
attempt_failed(struct lookups *ls, struct lookup *l, struct lookup_result *result, uint16_t rcode,
    const struct msg *msg, uint64_t now_ns)
{
	const struct upstream *up = &ls->upstreams->table[l->upstream];

	if (l->probe.is) /* the upstream is alive: that is all a probe asks */
		return attempt_finish(ls, l, result, LOOKUP_SILENT, NULL);
	stats_inc(&ls->stats->upstream_errors);
	l->tried.errored |= 1ULL << l->upstream;
	if (UNLIKELY(l->check == LOOKUP_CHECK_AGAIN) && lookup_in_flight(l))
		attempt_end_check(l);
	l->check = LOOKUP_CHECK_NONE;
	/* What was learned of this one is no wish of the client. */
	lookup_plan(l, up->ways.now != WAY_FULL ? LOOKUP_NO_STREAM : LOOKUP_ELSEWHERE);
	/* Any other error is more telling than SERVFAIL. */
	if (l->tried.best_rcode == DNS_NOERROR || l->tried.best_rcode == DNS_SERVFAIL)
		l->tried.best_rcode = rcode;
	if (UNLIKELY(l->earlier != NULL) && attempt_resume(ls, l))
		return true;
	lookup_stop_attempt(ls, l);
	if (ask_next(ls, l, result, false, now_ns))
		return true;
	if (result->outcome == LOOKUP_ERROR && rcode == l->tried.best_rcode)
		result->msg = msg;
	return false;
}
