/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONTROL_EXPLAIN_JSON_H
#define DNS64D_CONTROL_EXPLAIN_JSON_H

/*
 * explain_json: what became of a question that was explained, as JSON: what the client gets, why,
 * which line of the configuration decided, and each step on the way.
 */

#include <jansson.h>

#include "base/attr.h"
#include "figures/host.h"
#include "io/explain_job.h"

/* explain_json: all of A, which is done. The caller's reference; NULL without memory. */
MUST_USE json_t *explain_json(const struct host *host, const struct explain_job *a);

#endif
