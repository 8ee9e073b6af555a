/* SPDX-License-Identifier: BSD-2-Clause */
#include "control/ask.h"

#include <string.h>

#include "base/clock.h"
#include "control/reply.h"

static bool
is_stuck(const struct loop *l, uint64_t now_ns)
{
	return loop_silent_ns(l, now_ns) >= ASK_STUCK_MS * NS_PER_MS;
}

/* Has every loop told that can be waited for? */
static bool
all_told(const struct host *host)
{
	uint64_t now_ns = clock_now_ns();
	size_t n;

	for (unsigned i = 0; i < host->n_loops; i++) {
		if (loop_views(host->loops[i], &n) == NULL && !is_stuck(host->loops[i], now_ns))
			return false;
	}
	return true;
}

/* How many loops have not told, and do not go round, to *out. */
static void
count_missing(const struct host *host, struct host_views *out)
{
	uint64_t now_ns = clock_now_ns();
	size_t n;

	out->n_missing = 0;
	out->n_stuck = 0;
	for (unsigned i = 0; i < host->n_loops; i++) {
		out->n_missing += loop_views(host->loops[i], &n) == NULL;
		out->n_stuck += is_stuck(host->loops[i], now_ns);
	}
}

static void
collect(const struct host *host, struct host_views *out)
{
	count_missing(host, out);
	/* While one is only late, what all knew a moment ago says more than what the others know.
	 */
	if (out->n_missing > out->n_stuck && out->n > 0)
		return;
	out->n = 0;
	for (unsigned i = 0; i < host->n_loops; i++) {
		size_t n;
		const struct upstream_status *v = loop_views(host->loops[i], &n);

		if (v != NULL)
			views_merge(out->view, &out->n, v, n);
	}
}

static void
answer_all(struct ask *a)
{
	size_t n = a->n_waiting;

	collect(a->host, &a->views);
	a->n_waiting = 0;
	a->end_ns = 0;
	if (a->hear != NULL)
		a->hear(a->hear_arg);
	for (size_t i = 0; i < n; i++) {
		const struct ask_waiter *w = &a->waiting[i];

		w->answer(w->r, w->arg, &a->views);
	}
}

/* Ask the loops, unless they are asked already. */
static void
ask_loops(struct ask *a)
{
	if (a->end_ns != 0)
		return;
	a->end_ns = clock_now_ns() + ASK_MS * NS_PER_MS;
	for (unsigned i = 0; i < a->host->n_loops; i++)
		loop_ask_views(a->host->loops[i]);
	event_active(a->timer, EV_TIMEOUT, 1);
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
	memset(a, 0, sizeof(*a));
	a->host = host;
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
	ask_loops(a);
}

static void
on_second(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	ask_loops(arg);
}

bool
ask_watch(struct ask *a, ask_hear *hear, void *arg)
{
	const struct timeval second = { .tv_sec = ASK_EVERY_MS / 1000 };

	a->hear = hear;
	a->hear_arg = arg;
	a->every = event_new(a->host->base, -1, EV_PERSIST, on_second, a);
	if (a->every == NULL || event_add(a->every, &second) != 0)
		return false;
	ask_loops(a);
	return true;
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
	if (a->every != NULL)
		event_free(a->every);
	a->timer = a->every = NULL;
}
