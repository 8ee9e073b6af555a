/* SPDX-License-Identifier: BSD-2-Clause */
#include "control/control_ctx.h"

#include "base/log.h"
#include "figures/facts.h"

/* Have A and B the same numbers of upstreams? */
static bool
counts_same(const struct verdict *a, const struct verdict *b)
{
	return a->n_upstreams == b->n_upstreams && a->n_answering == b->n_answering &&
	    a->n_by_operator == b->n_by_operator;
}

static void
log_verdict(const struct verdict *v)
{
	char text[VERDICT_TEXT];

	if (v->state == VERDICT_READY)
		log_notice(LOG_SERVER, "ready again");
	else
		log_warn(LOG_SERVER, "%s", verdict_text(v, text));
}

void
control_ctx_judge(struct control_ctx *d)
{
	const struct verdict v = facts_verdict_now(&d->host, &d->ask.upstreams);
	bool same = verdict_same(&v, &d->verdict);

	if (same && counts_same(&v, &d->verdict))
		return;
	d->verdict = v;
	if (d->host.stopping)
		return; /* it says so itself */
	if (!same)
		log_verdict(&v);
	d->host.ops->judged(d->host.arg, &v);
}

static void
on_upstreams(void *arg)
{
	control_ctx_judge(arg);
}

bool
control_ctx_init(struct control_ctx *d, const struct host *host)
{
	d->host = *host;
	d->host.taken = host->started;
	d->ask.on_upstreams = on_upstreams;
	d->ask.arg = d;
	return waiting_init(&d->reloads.waiting, &reloads_type, &d->host) &&
	    waiting_init(&d->changes.waiting, &changes_type, &d->host) &&
	    waiting_init(&d->ask.waiting, &ask_type, &d->host) &&
	    waiting_init(&d->explain_queue.waiting, &explain_queue_type, &d->host) &&
	    waiting_init(&d->surveys.waiting, &surveys_type, &d->host);
}

static void
each_waiting(struct control_ctx *d, void (*f)(struct waiting *w))
{
	f(&d->reloads.waiting);
	f(&d->changes.waiting);
	f(&d->ask.waiting);
	f(&d->explain_queue.waiting);
	f(&d->surveys.waiting);
}

void
control_ctx_refuse(struct control_ctx *d)
{
	each_waiting(d, waiting_refuse);
}

void
control_ctx_fini(struct control_ctx *d)
{
	each_waiting(d, waiting_fini);
	reloads_fini(&d->reloads);
}
