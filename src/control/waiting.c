/* SPDX-License-Identifier: BSD-2-Clause */
#include "control/waiting.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "control/reply.h"

static void
on_timer(evutil_socket_t fd, short what, void *arg)
{
	struct waiting *w = arg;
	uint32_t us = w->type->poll != NULL ? w->type->poll(w) : 0;
	const struct timeval later = { .tv_sec = us / 1000000, .tv_usec = us % 1000000 };

	(void)fd;
	(void)what;
	if (us > 0)
		(void)event_add(w->timer, &later);
}

bool
waiting_init(struct waiting *w, const struct waiting_type *type, const struct host *host)
{
	*w = (struct waiting){ .type = type, .host = host };
	w->timer = evtimer_new(host->base, on_timer, w);
	if (w->timer == NULL)
		return false;
	event_active(w->timer, EV_TIMEOUT, 1);
	return true;
}

void *
waiting_add(struct waiting *w, struct evhttp_request *r)
{
	struct waiting_request *request;

	if (w->n == w->type->max) {
		reply_error(r, HTTP_SERVUNAVAIL, w->type->full, NULL);
		return NULL;
	}
	request = calloc(1, w->type->size);
	if (request == NULL) {
		reply_json(r, HTTP_INTERNAL, NULL);
		return NULL;
	}
	request->r = r;
	w->of[w->n++] = request;
	event_active(w->timer, EV_TIMEOUT, 1);
	return request;
}

struct evhttp_request *
waiting_take(struct waiting *w, size_t i)
{
	struct waiting_request *request;
	struct evhttp_request *r;

	assert(i < w->n);
	request = w->of[i];
	r = request->r;
	if (w->type->release != NULL)
		w->type->release(request);
	free(request);
	memmove(&w->of[i], &w->of[i + 1], (w->n - i) * sizeof(w->of[0]));
	w->n--;
	return r;
}

void
waiting_refuse(struct waiting *w)
{
	while (w->n > 0)
		reply_error(waiting_take(w, 0), HTTP_SERVUNAVAIL, REPLY_ENDING, NULL);
}

void
waiting_fini(struct waiting *w)
{
	while (w->n > 0)
		(void)waiting_take(w, 0);
	if (w->timer != NULL)
		event_free(w->timer);
	*w = (struct waiting){ .timer = NULL };
}
