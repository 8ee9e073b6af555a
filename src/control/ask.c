/* SPDX-License-Identifier: BSD-2-Clause */
#include "control/ask.h"

#include "base/clock.h"
#include "base/list.h"

struct ask_request {
	struct waiting_request base;
	ask_answer *answer;
};

/* How many loops have not told, and how many of these do not go round. */
static void
count_missing(const struct host *host, unsigned *n_missing, unsigned *n_stuck)
{
	uint64_t now_ns = clock_now_ns();
	size_t n;

	*n_missing = *n_stuck = 0;
	for (unsigned i = 0; i < host->n_loops; i++) {
		*n_missing += loop_upstreams(host->loops[i], &n) == NULL;
		*n_stuck += loop_silent_ns(host->loops[i], now_ns) >= ASK_STUCK_MS * NS_PER_MS;
	}
}

static void
collect(const struct host *host, struct host_upstreams *out)
{
	/* While one is only late, what all knew a moment ago says more than what the others know.
	 */
	if (out->n_missing > out->n_stuck && out->n > 0)
		return;
	out->n = 0;
	for (unsigned i = 0; i < host->n_loops; i++) {
		size_t n;
		const struct upstream_status *v = loop_upstreams(host->loops[i], &n);

		if (v != NULL)
			upstream_status_merge(out->at, &out->n, v, n);
	}
}

/* Begin a round. */
static void
ask_loops(struct ask *a)
{
	const struct host *host = a->waiting.host;

	a->end_ns = clock_now_ns() + ASK_MS * NS_PER_MS;
	for (unsigned i = 0; i < host->n_loops; i++)
		loop_ask_status(host->loops[i]);
}

/* End it. An answer may ask again, which waits for the next round. */
static void
answer_all(struct ask *a)
{
	a->end_ns = 0;
	collect(a->waiting.host, &a->upstreams);
	a->on_upstreams(a->arg);
	for (size_t n = a->waiting.n; n > 0; n--) {
		const struct ask_request *first = a->waiting.of[0];
		ask_answer *answer = first->answer;

		answer(waiting_take(&a->waiting, 0), a->arg, &a->upstreams);
	}
}

static uint32_t
poll_loops(struct waiting *w)
{
	struct ask *a = LIST_OBJECT(w, struct ask, waiting);
	unsigned n_missing, n_stuck;

	if (a->end_ns == 0) {
		ask_loops(a);
		return WAITING_POLL_US;
	}
	count_missing(w->host, &n_missing, &n_stuck);
	if (n_missing > n_stuck && clock_now_ns() < a->end_ns)
		return WAITING_POLL_US;
	a->upstreams.n_missing = n_missing;
	a->upstreams.n_stuck = n_stuck;
	answer_all(a);
	return w->n > 0 ? WAITING_POLL_US : ASK_EVERY_MS * 1000;
}

const struct waiting_type ask_type = { .size = sizeof(struct ask_request),
	.max = WAITING_MAX,
	.full = "too many ask the loops already",
	.poll = poll_loops };

void
ask_begin(struct ask *a, struct evhttp_request *r, ask_answer *answer)
{
	struct ask_request *request = waiting_add(&a->waiting, r);

	if (request != NULL)
		request->answer = answer;
}
