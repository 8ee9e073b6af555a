/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONTROL_DECIDED_H
#define DNS64D_CONTROL_DECIDED_H

/*
 * decided: which line of the configuration decided about a question that was explained, as JSON:
 *
 *	{"keyword": "exclude-a", "value": "10.0.0.0/8", "file": "/etc/dns64d.conf", "line": 12}
 *
 * If a built-in rule or a keyword's default decided, there is "rule", a text, and for a default
 * "keyword". It is null if nothing decided, or if the configuration is not that of the question any
 * more. What the functions return is the caller's reference.
 */

#include <jansson.h>
#include <stdbool.h>

#include "base/attr.h"
#include "figures/host.h"
#include "io/explain_job.h"

/* What is known; both are borrowed. */
struct decided {
	const struct host *host;
	const struct explain_job *job; /* done */
};

/* decided_is_current: is the configuration in force that the question went by? */
MUST_USE bool decided_is_current(const struct decided *d);

/* decided_reason: what decided that the answer is as it is. */
MUST_USE json_t *decided_reason(const struct decided *d);

/* decided_address: what decided about the address of the step S. */
MUST_USE json_t *decided_address(const struct decided *d, const struct trace_step *s);

/*
 * decided_policy: the client's policy: its block, by what it may ask, its zone, its prefixes; null
 * if the question came to none.
 */
MUST_USE json_t *decided_policy(const struct decided *d);

/* decided_upstreams: a list of the upstreams that are not asked, as the operator has ordered. */
MUST_USE json_t *decided_upstreams(const struct decided *d);

#endif
