/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONTROL_EXPLAIN_QUEUE_H
#define DNS64D_CONTROL_EXPLAIN_QUEUE_H

/*
 * explain_queue: questions that loops explain, each loop one at a time. Those for whom no loop is
 * free wait in their order (control/waiting), for EXPLAIN_QUEUE_WAIT_MS at most. Who hangs up does
 * not stop a question; it is over when the loop is done, or after EXPLAIN_QUEUE_MS: then it is
 * given up, though the loop may still work on it.
 */

#include <event2/http.h>
#include <jansson.h>

#include "control/waiting.h"
#include "io/explain_job.h"

#define EXPLAIN_QUEUE_MS 7000       /* more than a question ever takes */
#define EXPLAIN_QUEUE_WAIT_MS 10000 /* how long one waits for a loop that is free */
#define EXPLAIN_QUEUE_MAX 32 /* questions at a time: half of the connections that there may be */

/* The answer about A, which is done, as explain_json makes it. */
typedef json_t *explain_queue_answer(const struct host *host, const struct explain_job *a);

struct explain_queue {
	struct waiting waiting;
};

extern const struct waiting_type explain_queue_type;

/*
 * explain_queue_begin: have a loop explain A, whose reference is passed on, as soon as one is free,
 * and R answered then with what ANSWER makes of it; or with 503: at once if EXPLAIN_QUEUE_MAX wait
 * already, else when the time is over.
 */
void explain_queue_begin(struct explain_queue *q, struct evhttp_request *r, struct explain_job *a,
    explain_queue_answer *answer);

#endif
