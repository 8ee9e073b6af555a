/* SPDX-License-Identifier: BSD-2-Clause */
#include "daemon/ordered.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/log.h"
#include "daemon/parcel.h"

/* Hand what s->orders say to the loops. False: there is no memory, and nothing was handed over. */
static bool
hand_out(struct settings *s, struct threads *t)
{
	struct parcel p = { .n_added = 0 };

	orders_apply(s);
	if (!parcel_pack(&p, t->n, &s->conf.io, s))
		return false;
	parcel_post(&p, t);
	return true;
}

static void
tell_upstream(const struct settings *s, const struct order *w)
{
	log_notice(LOG_UPSTREAM, "%s: %s by operator (dns64ctl upstream)%s", w->of,
	    orders_state_word((enum conf_order)w->state),
	    w->state == CONF_UP ? "" : ", until told otherwise or a restart");
	if (w->state != CONF_UP && orders_all_taken(s))
		log_warn(LOG_UPSTREAM,
		    "no upstream is left to be asked, all are drained or down by operator: clients "
		    "get what the cache still has, else SERVFAIL");
}

static void
tell(const struct settings *s, const struct order *w)
{
	switch (w->what) {
	case ORDER_UPSTREAM:
		tell_upstream(s, w);
		break;
	}
}

enum host_verdict
ordered_change(
    struct settings *s, struct threads *t, const struct order *w, char error[static HOST_ERROR])
{
	struct orders *before = s->orders == NULL ? NULL : malloc(sizeof(*before));
	bool done;

	if (before == NULL) {
		snprintf(error, HOST_ERROR, "there is no memory for it");
		return HOST_UNABLE;
	}
	*before = *s->orders;
	if (!orders_make(s->orders, s, w, time(NULL), error)) {
		free(before);
		return HOST_WRONG;
	}
	done = hand_out(s, t);
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
