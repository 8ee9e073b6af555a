/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONTROL_RELOADS_H
#define DNS64D_CONTROL_RELOADS_H

/*
 * reloads: those who wait for the result of a reload, and the result of the last one.
 */

#include <event2/http.h>
#include <jansson.h>

#include "control/log_capture.h"
#include "control/waiting.h"
#include "figures/verdict.h"

struct reloads {
	struct waiting waiting;
	size_t n_begun; /* the first of these wait for the reload that goes on */
	struct log_capture lines;
	json_t *last; /* owned: the result of the last one; NULL: there was none */
};

extern const struct waiting_type reloads_type;

/*
 * reloads_wait: answer R with the result of the next reload that begins. If WAITING_MAX wait
 * already R is answered with 503 at once.
 */
void reloads_wait(struct reloads *rs, struct evhttp_request *r);

/* reloads_begin: a reload begins now; what this thread logs until reloads_end is its result. */
void reloads_begin(struct reloads *rs);

/* reloads_end: answer those who wait for the reload with RESULT. */
void reloads_end(struct reloads *rs, enum verdict_reload result);

/* reloads_taken: the last one, which was overdue, is done. */
void reloads_taken(struct reloads *rs);

/* reloads_fini: free the results, also of a reload that goes on. *RS may be all zero. */
void reloads_fini(struct reloads *rs);

#endif
