/* SPDX-License-Identifier: BSD-2-Clause */
#include "control/inquiry.h"

#include "base/clock.h"
#include "control/reply.h"

#define LOOK_US 2000 /* how often to look whether the loop is done */

static void
look_soon(struct inquiry *i)
{
	const struct timeval soon = { .tv_usec = LOOK_US };

	(void)event_add(i->timer, &soon);
}

/* Nobody waits any longer. Returns who did. */
static struct evhttp_request *
let_go(struct inquiry *i)
{
	struct evhttp_request *r = i->r;

	asked_unref(i->asked);
	i->asked = NULL;
	i->r = NULL;
	return r;
}

static void
on_timer(evutil_socket_t fd, short what, void *arg)
{
	struct inquiry *i = arg;
	bool done = trace_done(&i->asked->trace);

	(void)fd;
	(void)what;
	if (!done && clock_now_ns() < i->end_ns) {
		look_soon(i);
	} else if (!done) {
		reply_error(let_go(i), HTTP_SERVUNAVAIL,
		    "the loop did not answer in time; dns64ctl status tells how it is", NULL);
	} else if (i->asked->refused) {
		reply_error(let_go(i), HTTP_SERVUNAVAIL,
		    "the loop still works on the question before, or ends", NULL);
	} else {
		i->answer(i->r, i->arg, i->asked);
		(void)let_go(i);
	}
}

bool
inquiry_init(struct inquiry *i, const struct host *host, inquiry_answer *answer, void *arg)
{
	*i = (struct inquiry){ .host = host, .answer = answer, .arg = arg };
	i->timer = evtimer_new(host->base, on_timer, i);
	return i->timer != NULL;
}

void
inquiry_begin(struct inquiry *i, struct evhttp_request *r, struct asked *a)
{
	const char *why = NULL;

	if (i->asked != NULL)
		why = "another question is being explained; one at a time, try again";
	else if (i->host->n_loops == 0 || !loop_explain(i->host->loops[0], a))
		why = "the loop has not begun with the question before";
	if (why != NULL) {
		asked_unref(a);
		reply_error(r, HTTP_SERVUNAVAIL, why, NULL);
		return;
	}
	i->asked = a;
	i->r = r;
	i->end_ns = clock_now_ns() + INQUIRY_MS * NS_PER_MS;
	look_soon(i);
}

void
inquiry_refuse(struct inquiry *i)
{
	if (i->asked == NULL)
		return;
	(void)event_del(i->timer);
	reply_error(let_go(i), HTTP_SERVUNAVAIL, REPLY_ENDING, NULL);
}

void
inquiry_fini(struct inquiry *i)
{
	(void)let_go(i);
	if (i->timer != NULL)
		event_free(i->timer);
	*i = (struct inquiry){ .timer = NULL };
}
