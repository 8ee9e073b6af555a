/* SPDX-License-Identifier: BSD-2-Clause */
#include "control/surveys.h"

#include <string.h>

#include "base/clock.h"
#include "control/http.h"
#include "control/reply.h"

#define LOOK_US 1000 /* how often to look whether the loops are done */

_Static_assert(SURVEYS_MAX *SURVEYS_MS < HTTP_LIFE_S * 1000, "who waits is still connected");

static void
look_soon(struct surveys *s)
{
	const struct timeval soon = { .tv_usec = LOOK_US };

	(void)event_add(s->timer, &soon);
}

/* What the loops make is of no use any longer. */
static void
drop_each(struct surveys *s)
{
	for (unsigned i = 0; i < SETTINGS_LOOPS; i++) {
		survey_unref(s->each[i]);
		s->each[i] = NULL;
	}
}

/* The first waits no longer, and the next one has not been begun with. Returns who it was. */
static struct evhttp_request *
let_go(struct surveys *s)
{
	struct evhttp_request *r = s->of[0].r;

	drop_each(s);
	s->n--;
	memmove(&s->of[0], &s->of[1], s->n * sizeof(s->of[0]));
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

/* Have the loops work for the first. False without memory. */
static bool
begin(struct surveys *s)
{
	for (unsigned i = 0; i < s->host->n_loops; i++) {
		s->each[i] = survey_new(s->of[0].tops);
		if (s->each[i] == NULL)
			return false;
	}
	for (unsigned i = 0; i < s->host->n_loops; i++)
		loop_survey(s->host->loops[i], s->each[i]);
	s->end_ns = clock_now_ns() + SURVEYS_MS * NS_PER_MS;
	look_soon(s);
	return true;
}

/* It is the turn of who is the first now, if there is one. */
static void
begin_next(struct surveys *s)
{
	while (s->n > 0 && !begin(s))
		reply_json(let_go(s), HTTP_INTERNAL, NULL);
}

static void
answer_first(struct surveys *s)
{
	struct survey *done[SETTINGS_LOOPS];

	for (unsigned i = 0; i < s->host->n_loops; i++)
		done[i] = survey_done(s->each[i]) ? s->each[i] : NULL;
	s->of[0].answer(s->of[0].r, done, s->host->n_loops);
	(void)let_go(s);
}

static void
on_timer(evutil_socket_t fd, short what, void *arg)
{
	struct surveys *s = arg;

	(void)fd;
	(void)what;
	if (!all_done(s) && clock_now_ns() < s->end_ns) {
		look_soon(s);
		return;
	}
	answer_first(s);
	begin_next(s);
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
	if (s->n == SURVEYS_MAX) {
		reply_error(r, HTTP_SERVUNAVAIL,
		    "too many top and inflight requests wait already; try again", NULL);
		return;
	}
	s->of[s->n++] = (struct surveys_one){ .r = r, .answer = answer, .tops = tops };
	if (s->n == 1)
		begin_next(s);
}

void
surveys_refuse(struct surveys *s)
{
	while (s->n > 0)
		reply_error(let_go(s), HTTP_SERVUNAVAIL, REPLY_ENDING, NULL);
	if (s->timer != NULL)
		(void)event_del(s->timer);
}

void
surveys_fini(struct surveys *s)
{
	while (s->n > 0)
		(void)let_go(s);
	if (s->timer != NULL)
		event_free(s->timer);
	*s = (struct surveys){ .timer = NULL };
}
