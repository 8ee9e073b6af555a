/* SPDX-License-Identifier: BSD-2-Clause */
#include "control/explain_queue.h"

#include "base/clock.h"
#include "control/reply.h"

struct explain_queue_request {
	struct waiting_request base;
	struct explain_job *job; /* one reference */
	explain_queue_answer *answer;
	struct loop *loop;     /* that works on it; NULL: it waits for one */
	uint64_t end_ns;       /* when the loop is waited for no longer, */
	uint64_t queue_end_ns; /* and when it waits for one no longer */
};

static void
release(void *request)
{
	const struct explain_queue_request *own = request;

	explain_job_unref(own->job);
}

static bool
is_busy(const struct waiting *q, const struct loop *l)
{
	for (size_t i = 0; i < q->n; i++) {
		const struct explain_queue_request *request = q->of[i];

		if (request->loop == l)
			return true;
	}
	return false;
}

/* Have the first loop that is free work on REQUEST. False: there is none. */
static bool
give(const struct waiting *q, struct explain_queue_request *request)
{
	for (unsigned i = 0; i < q->host->n_loops; i++) {
		struct loop *l = q->host->loops[i];

		/* One that is not busy may not have begun with what nobody waits for any more. */
		if (is_busy(q, l) || !loop_explain(l, request->job))
			continue;
		request->loop = l;
		request->end_ns = clock_now_ns() + EXPLAIN_QUEUE_MS * NS_PER_MS;
		return true;
	}
	return false;
}

/* Answer number I if its time is over, or its loop done. False: it waits on. */
static bool
look_at(struct waiting *q, size_t i, uint64_t now_ns)
{
	struct explain_queue_request *request = q->of[i];
	bool done = request->loop != NULL && explain_done(&request->job->explanation);
	const char *error;

	if (done && !request->job->refused) {
		json_t *j = request->answer(q->host, request->job);

		reply_json(waiting_take(q, i), HTTP_OK, j);
		return true;
	}
	if (done) { /* it works on what nobody waits for any more, or ends */
		request->job->refused = false;
		request->loop = NULL;
	}
	if (now_ns < (request->loop != NULL ? request->end_ns : request->queue_end_ns))
		return false;
	error = request->loop != NULL
	    ? "the loop did not answer in time; dns64ctl status tells how it is"
	    : "no loop was free in time, as others have questions explained; try again";
	reply_error(waiting_take(q, i), HTTP_SERVUNAVAIL, error, NULL);
	return true;
}

static uint32_t
poll_loops(struct waiting *q)
{
	struct explain_queue_request *request;
	uint64_t now_ns = clock_now_ns();

	for (size_t i = 0; i < q->n;) {
		if (!look_at(q, i, now_ns))
			i++;
	}
	for (size_t i = 0; (request = q->of[i]) != NULL; i++) {
		if (request->loop == NULL && !give(q, request))
			break;
	}
	return q->n > 0 ? WAITING_POLL_US : 0;
}

const struct waiting_type explain_queue_type = { .size = sizeof(struct explain_queue_request),
	.max = EXPLAIN_QUEUE_MAX,
	.full = "too many questions wait to be explained already; try again",
	.poll = poll_loops,
	.release = release };

void
explain_queue_begin(struct explain_queue *q, struct evhttp_request *r, struct explain_job *a,
    explain_queue_answer *answer)
{
	struct explain_queue_request *request = waiting_add(&q->waiting, r);

	if (request == NULL) {
		explain_job_unref(a);
		return;
	}
	request->job = a;
	request->answer = answer;
	request->queue_end_ns = clock_now_ns() + EXPLAIN_QUEUE_WAIT_MS * NS_PER_MS;
}
