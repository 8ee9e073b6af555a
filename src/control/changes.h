/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONTROL_CHANGES_H
#define DNS64D_CONTROL_CHANGES_H

/*
 * changes: those who want prefixes changed, or who give orders (config/orders), one after the
 * other. Each is answered when all loops work by the change, so that what comes after the answer is
 * new.
 */

#include <event2/http.h>
#include <jansson.h>
#include <stdint.h>

#include "config/orders.h"
#include "config/prefix_change.h"
#include "control/waiting.h"

#define CHANGES_MS 5000 /* how long a loop is waited for */

struct changes {
	struct waiting waiting;
	uint64_t end_ns; /* when the loops are waited for no longer */
};

extern const struct waiting_type changes_type;

/*
 * changes_wait: make change C, also if its client is gone by then, and answer R with what came of
 * it; with 503 if a loop takes this change, or the one before, for more than CHANGES_MS. The
 * reference to PARAMS, which has the texts of C, is passed on. If WAITING_MAX wait already
 * nothing is changed, and R is answered with 503 at once.
 */
void changes_wait(
    struct changes *cs, struct evhttp_request *r, const struct prefix_change *c, json_t *params);

/* changes_order: the same for the order W. */
void changes_order(
    struct changes *cs, struct evhttp_request *r, const struct order *w, json_t *params);

#endif
