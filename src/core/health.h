/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CORE_HEALTH_H
#define DNS64D_CORE_HEALTH_H

/*
 * health: which upstreams reply (RULES D27).
 *
 * An upstream is good, in doubt or down. Names alone never take it down, as nobody replies for
 * some. It also keeps what the operator is told of an upstream whose replies are all errors.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "core/choice.h"
#include "core/upstream.h"
#include "core/wheel.h"
#include "dns/proto.h"

/* failures in a row, then a probe shows whether it is down */
#define HEALTH_FAILURES 3
#define HEALTH_PROBE_MS 400    /* ms between probes of an upstream that is down */
#define HEALTH_ERRORS 20       /* replies in a row that are errors, and */
#define HEALTH_ERRORS_MS 10000 /* ms that they last, before this is logged */

/*
 * health_recover: the part of health_on_reply for an upstream with failures. Returns true
 * when U was down.
 */
bool health_recover(struct upstreams *us, unsigned u, struct wheel *wheel, uint64_t now_ns);

/*
 * health_on_error: U replied with the error RCODE over OVER. It costs U of its share, and an
 * upstream whose replies are all errors is reported to the operator.
 */
void health_on_error(
    struct upstreams *us, unsigned u, enum upstream_over over, uint16_t rcode, uint64_t now_ns);

/* health_on_good: U replied without error, while its n_errors is not 0. */
void health_on_good(struct upstreams *us, unsigned u);

/*
 * health_on_rcode: U replied with RCODE over OVER: calls health_on_error or health_on_good. Call it
 * before upstreams_learn: what a question costs is charged by the first of them.
 */
static inline void
health_on_rcode(
    struct upstreams *us, unsigned u, enum upstream_over over, uint16_t rcode, uint64_t now_ns)
{
	if (UNLIKELY(rcode != DNS_NOERROR && rcode != DNS_NXDOMAIN))
		health_on_error(us, u, over, rcode, now_ns);
	else if (UNLIKELY(us->table[u].n_errors > 0))
		health_on_good(us, u);
}

/* health_on_reply: U replied. Returns true when it was down; failing_ns then says since when. */
static inline bool
health_on_reply(struct upstreams *us, unsigned u, struct wheel *wheel, uint64_t now_ns)
{
	return UNLIKELY(us->table[u].n_failures > 0) && health_recover(us, u, wheel, now_ns);
}

/*
 * What a failure changes. Failed questions alone do not mark an upstream down, as nobody answers
 * for some names. After HEALTH_FAILURES questions without a reply it is probed, and a probe
 * without a reply marks it down (RULES D27).
 */
enum health {
	HEALTH_AS_BEFORE,
	HEALTH_IN_DOUBT, /* the caller must send a probe */
	HEALTH_WENT_DOWN /* it went down by this; its timer is set for the next probe */
};

/* health_on_failure: an attempt to U over OVER got no reply, or no connection could be opened. */
MUST_USE enum health health_on_failure(
    struct upstreams *us, unsigned u, enum upstream_over over, uint64_t now_ns);

/*
 * health_on_refused: the kernel reported U unreachable. While a probe is in flight this counts
 * as its loss: U is marked down.
 */
MUST_USE enum health health_on_refused(
    struct upstreams *us, unsigned u, struct wheel *wheel, uint64_t now_ns);

/* health_on_probe_lost: a probe of U got no reply. */
MUST_USE enum health health_on_probe_lost(
    struct upstreams *us, unsigned u, struct wheel *wheel, uint64_t now_ns);

#endif
