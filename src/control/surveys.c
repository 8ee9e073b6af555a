/* SPDX-License-Identifier: BSD-2-Clause */
#include "control/surveys.h"

#include "base/clock.h"
#include "control/reply.h"

#define LOOK_US 1000 /* how often to look whether the loops are done */

static void
look_soon(struct surveys *s)
{
	const struct timeval soon = { .tv_usec = LOOK_US };

	(void)event_add(s->timer, &soon);
}

/* Nobody waits any longer. Returns who did. */
static struct evhttp_request *
let_go(struct surveys *s)
{
	struct evhttp_request *r = s->r;

	for (unsigned i = 0; i < SETTINGS_LOOPS; i++) {
		survey_unref(s->each[i]);
		s->each[i] = NULL;
	}
	s->r = NULL;
	return r;
}

static bool
all_done(const struct surveys *s)
{
	for (unsigned i = 0; i < s->host->n_loops; i++) {
		if (!survey_done(s->each[i]))
			return false;
	}
	return true;
}

static void
on_timer(evutil_socket_t fd, short what, void *arg)
{
	struct surveys *s = arg;
	struct survey *done[SETTINGS_LOOPS];

	(void)fd;
	(void)what;
	if (!all_done(s) && clock_now_ns() < s->end_ns) {
		look_soon(s);
		return;
	}
	for (unsigned i = 0; i < s->host->n_loops; i++)
		done[i] = survey_done(s->each[i]) ? s->each[i] : NULL;
	s->answer(s->r, done, s->host->n_loops);
	(void)let_go(s);
}

bool
surveys_init(struct surveys *s, const struct host *host)
{
	*s = (struct surveys){ .host = host };
	s->timer = evtimer_new(host->base, on_timer, s);
	return s->timer != NULL;
}

void
surveys_begin(struct surveys *s, struct evhttp_request *r, unsigned tops, surveys_answer *answer)
{
	if (s->r != NULL) {
		reply_error(r, HTTP_SERVUNAVAIL,
		    "another top or inflight request is running; try again", NULL);
		return;
	}
	s->r = r;
	for (unsigned i = 0; i < s->host->n_loops; i++) {
		s->each[i] = survey_new(tops);
		if (s->each[i] == NULL) {
			reply_json(let_go(s), HTTP_INTERNAL, NULL);
			return;
		}
	}
	for (unsigned i = 0; i < s->host->n_loops; i++)
		loop_survey(s->host->loops[i], s->each[i]);
	s->answer = answer;
	s->end_ns = clock_now_ns() + SURVEYS_MS * NS_PER_MS;
	look_soon(s);
}

void
surveys_refuse(struct surveys *s)
{
	if (s->r == NULL)
		return;
	(void)event_del(s->timer);
	reply_error(let_go(s), HTTP_SERVUNAVAIL, REPLY_ENDING, NULL);
}

void
surveys_fini(struct surveys *s)
{
	(void)let_go(s);
	if (s->timer != NULL)
		event_free(s->timer);
	*s = (struct surveys){ .timer = NULL };
}
