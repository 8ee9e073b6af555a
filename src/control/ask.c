/* SPDX-License-Identifier: BSD-2-Clause */
#include "control/ask.h"

#include <stdlib.h>

#include "base/clock.h"
#include "control/reply.h"

/* Has every loop told? */
static bool
all_told(const struct host *host)
{
	size_t n;

	for (unsigned i = 0; i < host->n_loops; i++) {
		if (loop_views(host->loops[i], &n) == NULL)
			return false;
	}
	return true;
}

static void
collect(const struct host *host, struct ask_views *out)
{
	out->n = 0;
	out->n_missing = 0;
	for (unsigned i = 0; i < host->n_loops; i++) {
		size_t n;
		const struct view *v = loop_views(host->loops[i], &n);

		if (v != NULL)
			views_merge(out->view, &out->n, v, n);
		else
			out->n_missing++;
	}
}

static void
answer_all(struct ask *a)
{
	struct ask_views *v = malloc(sizeof(*v));
	size_t n = a->n_waiting;

	if (v != NULL)
		collect(a->host, v);
	a->n_waiting = 0;
	a->end_ns = 0;
	for (size_t i = 0; i < n; i++) {
		const struct ask_waiter *w = &a->waiting[i];

		if (v != NULL)
			w->answer(w->r, w->arg, v);
		else
			reply_json(w->r, HTTP_INTERNAL, NULL);
	}
	free(v);
}

static void
on_timer(evutil_socket_t fd, short what, void *arg)
{
	const struct timeval soon = { .tv_usec = 1000 };
	struct ask *a = arg;

	(void)fd;
	(void)what;
	if (all_told(a->host) || clock_now_ns() >= a->end_ns)
		answer_all(a);
	else
		(void)event_add(a->timer, &soon);
}

bool
ask_init(struct ask *a, const struct host *host)
{
	*a = (struct ask){ .host = host, .timer = NULL };
	a->timer = evtimer_new(host->base, on_timer, a);
	return a->timer != NULL;
}

void
ask_begin(struct ask *a, struct evhttp_request *r, ask_answer *answer, void *arg)
{
	if (a->n_waiting == HTTP_CONNECTIONS) {
		reply_error(r, HTTP_SERVUNAVAIL, "too many ask the loops already", NULL);
		return;
	}
	a->waiting[a->n_waiting++] = (struct ask_waiter){ r, answer, arg };
	if (a->end_ns != 0)
		return; /* they are asked already */
	a->end_ns = clock_now_ns() + ASK_MS * NS_PER_MS;
	for (unsigned i = 0; i < a->host->n_loops; i++)
		loop_ask_views(a->host->loops[i]);
	event_active(a->timer, EV_TIMEOUT, 1);
}

void
ask_refuse(struct ask *a)
{
	for (size_t i = 0; i < a->n_waiting; i++)
		reply_error(a->waiting[i].r, HTTP_SERVUNAVAIL, REPLY_ENDING, NULL);
	a->n_waiting = 0;
}

void
ask_fini(struct ask *a)
{
	if (a->timer != NULL)
		event_free(a->timer);
	*a = (struct ask){ .timer = NULL };
}
