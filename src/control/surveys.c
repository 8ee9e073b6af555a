/* SPDX-License-Identifier: BSD-2-Clause */
#include "control/surveys.h"

#include "base/clock.h"
#include "control/reply.h"

_Static_assert(SURVEYS_MAX *SURVEYS_MS < HTTP_LIFE_S * 1000, "who waits is still connected");

struct surveys_request {
	struct waiting_request base;
	surveys_answer *answer;
	unsigned tops;
	uint64_t end_ns; /* when the loops are waited for no longer; 0: its turn has not come */
	struct survey *each[SETTINGS_LOOPS]; /* one reference each; NULL: before its turn */
};

static void
release(void *request)
{
	const struct surveys_request *own = request;

	for (unsigned i = 0; i < SETTINGS_LOOPS; i++)
		survey_unref(own->each[i]);
}

static bool
all_done(const struct host *host, const struct surveys_request *first)
{
	for (unsigned i = 0; i < host->n_loops; i++) {
		if (!survey_done(first->each[i]))
			return false;
	}
	return true;
}

/* Have the loops work for FIRST. False without memory. */
static bool
begin(const struct host *host, struct surveys_request *first)
{
	for (unsigned i = 0; i < host->n_loops; i++) {
		first->each[i] = survey_new(first->tops);
		if (first->each[i] == NULL)
			return false;
	}
	for (unsigned i = 0; i < host->n_loops; i++)
		loop_survey(host->loops[i], first->each[i]);
	first->end_ns = clock_now_ns() + SURVEYS_MS * NS_PER_MS;
	return true;
}

static void
answer(struct waiting *w, const struct surveys_request *first)
{
	struct survey *done[SETTINGS_LOOPS];

	for (unsigned i = 0; i < w->host->n_loops; i++)
		done[i] = survey_done(first->each[i]) ? first->each[i] : NULL;
	first->answer(first->base.r, done, w->host->n_loops);
	(void)waiting_take(w, 0);
}

static uint32_t
poll_loops(struct waiting *w)
{
	struct surveys_request *first;

	while ((first = w->of[0]) != NULL) {
		if (first->end_ns == 0 && !begin(w->host, first))
			reply_json(waiting_take(w, 0), HTTP_INTERNAL, NULL);
		else if (all_done(w->host, first) || clock_now_ns() >= first->end_ns)
			answer(w, first);
		else
			return WAITING_POLL_US;
	}
	return 0;
}

const struct waiting_type surveys_type = { .size = sizeof(struct surveys_request),
	.max = SURVEYS_MAX,
	.full = "too many top and inflight requests wait already; try again",
	.poll = poll_loops,
	.release = release };

void
surveys_begin(struct surveys *s, struct evhttp_request *r, unsigned tops, surveys_answer *then)
{
	struct surveys_request *request = waiting_add(&s->waiting, r);

	if (request == NULL)
		return;
	request->answer = then;
	request->tops = tops;
}
