/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONTROL_SURVEYS_H
#define DNS64D_CONTROL_SURVEYS_H

/*
 * surveys: all loops copy out what a request is about (io/survey), and it is answered. That is done
 * for one request at a time; the others wait in their order (control/waiting). A loop that is not
 * done after SURVEYS_MS is left out.
 */

#include <event2/http.h>

#include "control/waiting.h"
#include "io/survey.h"

#define SURVEYS_MS 2000
#define SURVEYS_MAX 8 /* requests at a time: the last is answered within HTTP_LIFE_S */

/* Answers R from the N surveys at EACH, borrowed; NULL: that loop was not done in time. */
typedef void surveys_answer(struct evhttp_request *r, struct survey *const *each, unsigned n);

struct surveys {
	struct waiting waiting; /* the loops work for the first */
};

extern const struct waiting_type surveys_type;

/*
 * surveys_begin: have R, which is about TOPS (see struct survey), answered by THEN when it was its
 * turn and the loops are done; or with 503 at once if SURVEYS_MAX wait already.
 */
void surveys_begin(
    struct surveys *s, struct evhttp_request *r, unsigned tops, surveys_answer *then);

#endif
