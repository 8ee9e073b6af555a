/* SPDX-License-Identifier: BSD-2-Clause */
#include "control/explain_queue.h"

#include <string.h>

#include "base/clock.h"
#include "control/reply.h"

#define LOOK_US 2000 /* how often to look whether the loops are done */

static void
look_soon(struct explain_queue *i)
{
	const struct timeval soon = { .tv_usec = LOOK_US };

	if (i->n > 0 && !evtimer_pending(i->timer, NULL))
		(void)event_add(i->timer, &soon);
}

/* Nobody waits for number AT any longer; the others keep their order. Returns who did. */
static struct evhttp_request *
let_go(struct explain_queue *i, unsigned at)
{
	struct evhttp_request *r = i->of[at].r;

	explain_job_unref(i->of[at].job);
	i->n--;
	memmove(&i->of[at], &i->of[at + 1], (i->n - at) * sizeof(i->of[0]));
	return r;
}

static bool
is_busy(const struct explain_queue *i, const struct loop *l)
{
	for (unsigned k = 0; k < i->n; k++) {
		if (i->of[k].loop == l)
			return true;
	}
	return false;
}

/* Have the first loop that is free work on O. False: there is none. */
static bool
give(const struct explain_queue *i, struct explain_queue_entry *o)
{
	for (unsigned k = 0; k < i->host->n_loops; k++) {
		struct loop *l = i->host->loops[k];

		/* One that is not busy may not have begun with what nobody waits for any more. */
		if (is_busy(i, l) || !loop_explain(l, o->job))
			continue;
		o->loop = l;
		o->end_ns = clock_now_ns() + EXPLAIN_QUEUE_MS * NS_PER_MS;
		return true;
	}
	return false;
}

/* Give questions to the loops that are free. */
static void
give_all(struct explain_queue *i)
{
	bool free = true;

	for (unsigned k = 0; k < i->n && free; k++)
		free = i->of[k].loop != NULL || give(i, &i->of[k]);
}

/* Answer number AT if its time is over, or its loop done. Returns whether it was answered. */
static bool
look_at(struct explain_queue *i, unsigned at, uint64_t now_ns)
{
	struct explain_queue_entry *o = &i->of[at];
	bool done = o->loop != NULL && explain_done(&o->job->explanation);

	if (done && o->job->refused) { /* it works on what nobody waits for any more, or ends */
		o->job->refused = false;
		o->loop = NULL;
		done = false;
	}
	if (!done && now_ns < (o->loop != NULL ? o->end_ns : o->queue_end_ns))
		return false;
	if (done) {
		i->answer(o->r, i->arg, o->job);
		(void)let_go(i, at);
	} else {
		bool begun = o->loop != NULL;

		reply_error(let_go(i, at), HTTP_SERVUNAVAIL,
		    begun ? "the loop did not answer in time; dns64ctl status tells how it is"
			  : "no loop was free in time, as others have questions explained; try "
			    "again",
		    NULL);
	}
	return true;
}

static void
on_timer(evutil_socket_t fd, short what, void *arg)
{
	struct explain_queue *i = arg;
	uint64_t now_ns = clock_now_ns();

	(void)fd;
	(void)what;
	for (unsigned k = 0; k < i->n;) {
		if (!look_at(i, k, now_ns))
			k++;
	}
	give_all(i);
	look_soon(i);
}

bool
explain_queue_init(
    struct explain_queue *i, const struct host *host, explain_queue_answer *answer, void *arg)
{
	*i = (struct explain_queue){ .host = host, .answer = answer, .arg = arg };
	i->timer = evtimer_new(host->base, on_timer, i);
	return i->timer != NULL;
}

void
explain_queue_begin(struct explain_queue *i, struct evhttp_request *r, struct explain_job *a)
{
	if (i->n == EXPLAIN_QUEUE_MAX) {
		explain_job_unref(a);
		reply_error(r, HTTP_SERVUNAVAIL,
		    "too many questions wait to be explained already; try again", NULL);
		return;
	}
	i->of[i->n++] = (struct explain_queue_entry){
		.job = a, .r = r, .queue_end_ns = clock_now_ns() + EXPLAIN_QUEUE_WAIT_MS * NS_PER_MS
	};
	give_all(i);
	look_soon(i);
}

void
explain_queue_refuse(struct explain_queue *i)
{
	while (i->n > 0)
		reply_error(let_go(i, i->n - 1), HTTP_SERVUNAVAIL, REPLY_ENDING, NULL);
	if (i->timer != NULL)
		(void)event_del(i->timer);
}

void
explain_queue_fini(struct explain_queue *i)
{
	while (i->n > 0)
		(void)let_go(i, i->n - 1);
	if (i->timer != NULL)
		event_free(i->timer);
	*i = (struct explain_queue){ .timer = NULL };
}
