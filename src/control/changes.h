/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONTROL_CHANGES_H
#define DNS64D_CONTROL_CHANGES_H

/*
 * changes: those who want prefixes changed, or who give orders (config/orders), one after the
 * other. Each is answered when all loops work by the change, so that what comes after the answer is
 * new.
 */

#include <event2/event.h>
#include <event2/http.h>
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"
#include "config/orders.h"
#include "config/prefix_change.h"
#include "control/http.h"
#include "figures/host.h"

#define CHANGES_MS 5000 /* how long a loop is waited for */

struct changes_waiter {
	struct evhttp_request *r;
	json_t *params; /* owned: the texts of what follows */
	bool is_order;
	struct prefix_change change; /* if it is none */
	struct order order;          /* if it is one */
};

struct changes {
	const struct host *host; /* borrowed */
	struct event *timer;     /* owned */
	struct changes_waiter waiting[HTTP_CONNECTIONS];
	size_t n_waiting;
	json_t *answer;  /* owned: for the first, whose change was made; NULL: it was not yet */
	uint64_t end_ns; /* when the loops are waited for no longer */
};

/* changes_init: have changes made by HOST. False without memory. */
MUST_USE bool changes_init(struct changes *cs, const struct host *host);

/*
 * changes_wait: make change C, also if its client is gone by then, and answer R with what came of
 * it; with 503 if a loop takes this change, or the one before, for more than CHANGES_MS. The
 * reference to PARAMS, which has the texts of C, is passed on. If HTTP_CONNECTIONS wait already
 * nothing is changed, and R is answered with 503 at once.
 */
void changes_wait(
    struct changes *cs, struct evhttp_request *r, const struct prefix_change *c, json_t *params);

/* changes_order: the same for the order W. */
void changes_order(
    struct changes *cs, struct evhttp_request *r, const struct order *w, json_t *params);

/* changes_refuse: tell all who wait that the daemon ends. */
void changes_refuse(struct changes *cs);

/* changes_fini: forget all, without an answer. *cs may be all zero. */
void changes_fini(struct changes *cs);

#endif
