/* SPDX-License-Identifier: BSD-2-Clause */
#include "daemon/ordered.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/log.h"
#include "config/policies.h"
#include "config/values.h"
#include "daemon/conf_push.h"

/*
 * Hand what s->orders say to the loops; ANEW, or if the loops do not know what has ended: policies
 * are changed by them. False: there is no memory, and nothing was handed over.
 */
static bool
hand_out(struct settings *s, struct threads *t, bool anew)
{
	struct policies *before = s->conf.core.policies, *next = before;
	struct conf_push p = { .n_added = 0 };
	bool ok;

	anew = anew || s->orders->retry_ns != 0;
	if (anew)
		next = policies_change_states(s, before);
	if (next == NULL)
		return false;
	orders_apply(s);
	s->conf.core.policies = next;
	ok = conf_push_pack(&p, t->n, &s->conf.io, s);
	if (ok)
		conf_push_post(&p, t);
	else
		s->conf.core.policies = before;
	if (anew)
		policies_unref(ok ? before : next);
	if (ok && s->orders->retry_ns != 0) {
		log_notice(LOG_CONFIG,
		    "what dns64ctl ordered has ended for the loops too, there is memory again");
		s->orders->retry_ns = 0;
	}
	return ok;
}

/* How long W holds, in words. */
static const char *
how_long(const struct order *w, char text[static 64])
{
	if (w->seconds == 0)
		return ", until changed or a restart";
	snprintf(text, 64, ", for %u s", w->seconds);
	return text;
}

static void
tell_upstream(const struct settings *s, const struct order *w)
{
	char text[64];

	log_notice(LOG_UPSTREAM, "%s: %s by operator (dns64ctl upstream)%s", w->of,
	    orders_state_word((enum conf_order)w->state),
	    w->state == CONF_UP ? "" : how_long(w, text));
	if (w->state != CONF_UP && orders_all_taken(s))
		log_warn(LOG_UPSTREAM,
		    "no upstream is left to be asked, all are drained or down by operator: clients "
		    "get what the cache still has, else SERVFAIL");
}

static void
tell_denial(const struct order *w)
{
	size_t len = strlen(w->of);
	char text[64];

	log_notice(LOG_CLIENT, "deny %s: %s by operator (dns64ctl deny)%s", w->of,
	    w->state == POLICY_IGNORED ? "no answers" : "refused", how_long(w, text));
	if (len > 2 && strcmp(w->of + len - 2, "/0") == 0)
		log_warn(
		    LOG_CLIENT, "nobody of that family is served any more: %s is denied", w->of);
}

static void
tell(const struct settings *s, const struct order *w)
{
	char text[64];

	switch (w->what) {
	case ORDER_UPSTREAM:
		tell_upstream(s, w);
		break;
	case ORDER_DENY:
		tell_denial(w);
		break;
	case ORDER_UNDENY:
		log_notice(LOG_CLIENT, "undeny %s: the configuration holds again", w->of);
		break;
	case ORDER_QUERYLOG:
		log_notice(LOG_CONFIG, "querylog %s (dns64ctl querylog)%s",
		    orders_log_word((enum orders_log)w->state),
		    w->state == ORDERS_LOG_CONFIG ? "" : how_long(w, text));
		break;
	}
}

enum host_verdict
ordered_change(
    struct settings *s, struct threads *t, const struct order *w, char error[static HOST_ERROR])
{
	struct orders *before = s->orders == NULL ? NULL : malloc(sizeof(*before));
	const struct orders_now now = { .unix_s = time(NULL), .ns = clock_now_ns() };
	bool done;

	if (before == NULL) {
		snprintf(error, HOST_ERROR, "there is no memory for it");
		return HOST_UNABLE;
	}
	*before = *s->orders;
	if (!orders_make(s->orders, s, w, now, error)) {
		free(before);
		return HOST_WRONG;
	}
	done = hand_out(s, t, orders_changes_policies(w));
	if (done) {
		tell(s, w);
	} else {
		snprintf(error, HOST_ERROR, "there is no memory for it");
		*s->orders = *before;
		orders_apply(s);
	}
	free(before);
	return done ? HOST_DONE : HOST_UNABLE;
}

bool
ordered_is_due(const struct orders *o, bool pending, uint64_t now_ns)
{
	uint64_t due_ns = orders_due_ns(o), wait_ns = pending ? THREADS_TAKE_MS * NS_PER_MS : 0;

	return now_ns >= due_ns && now_ns - due_ns >= wait_ns;
}

void
ordered_expire(struct settings *s, struct threads *t, uint64_t now_ns)
{
	struct orders *o = s->orders;
	bool anew = orders_expire(o, now_ns);

	if (hand_out(s, t, anew))
		return;
	if (o->retry_ns == 0)
		log_error(LOG_CONFIG,
		    "no memory to end what dns64ctl ordered: the loops still work by it; tried "
		    "again each second");
	o->retry_ns = now_ns + NS_PER_SEC;
}
