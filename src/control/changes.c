/* SPDX-License-Identifier: BSD-2-Clause */
#include "control/changes.h"

#include <string.h>

#include "control/lines.h"
#include "control/reply.h"

/* Take the first away, who is to be answered. */
static struct evhttp_request *
take_first(struct changes *cs)
{
	struct evhttp_request *r = cs->waiting[0].r;

	json_decref(cs->waiting[0].params);
	cs->n_waiting--;
	memmove(cs->waiting, cs->waiting + 1, cs->n_waiting * sizeof(cs->waiting[0]));
	return r;
}

/* Make the change of the first, who is answered if that fails. */
static void
make_first(struct changes *cs)
{
	char error[HOST_ERROR];
	enum host_verdict verdict;
	struct lines lines;
	json_t *said;

	lines_begin(&lines);
	verdict = cs->host->ops->change(cs->host->arg, &cs->waiting[0].change, error);
	said = lines_end(&lines);
	if (verdict == HOST_DONE) {
		cs->answer = json_pack("{s:b, s:o*}", "done", 1, "messages", said);
		return;
	}
	json_decref(said);
	reply_error(take_first(cs), verdict == HOST_WRONG ? HTTP_BADREQUEST : REPLY_UNPROCESSABLE,
	    error, NULL);
}

/* Go on for as long as no loop is waited for. */
static void
go_on(struct changes *cs)
{
	while (cs->n_waiting > 0 && !cs->host->ops->is_changing(cs->host->arg)) {
		json_t *answer = cs->answer;

		if (answer == NULL) {
			make_first(cs);
			continue;
		}
		cs->answer = NULL;
		reply_json(take_first(cs), HTTP_OK, answer);
	}
}

static void
on_timer(evutil_socket_t fd, short what, void *arg)
{
	const struct timeval soon = { .tv_usec = 1000 };
	struct changes *cs = arg;

	(void)fd;
	(void)what;
	go_on(cs);
	if (cs->n_waiting > 0)
		(void)event_add(cs->timer, &soon);
}

bool
changes_init(struct changes *cs, const struct host *host)
{
	*cs = (struct changes){ .host = host };
	cs->timer = evtimer_new(host->base, on_timer, cs);
	return cs->timer != NULL;
}

void
changes_wait(
    struct changes *cs, struct evhttp_request *r, const struct prefix_change *c, json_t *params)
{
	if (cs->n_waiting == HTTP_CONNECTIONS) {
		json_decref(params);
		reply_error(r, HTTP_SERVUNAVAIL, "too many wait for a change already", NULL);
		return;
	}
	cs->waiting[cs->n_waiting++] = (struct changes_waiter){ r, params, *c };
	event_active(cs->timer, EV_TIMEOUT, 1);
}

void
changes_refuse(struct changes *cs)
{
	while (cs->n_waiting > 0)
		reply_error(take_first(cs), HTTP_SERVUNAVAIL, REPLY_ENDING, NULL);
}

void
changes_fini(struct changes *cs)
{
	for (size_t i = 0; i < cs->n_waiting; i++)
		json_decref(cs->waiting[i].params);
	json_decref(cs->answer);
	if (cs->timer != NULL)
		event_free(cs->timer);
	*cs = (struct changes){ .timer = NULL };
}
