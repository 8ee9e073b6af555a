/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_OUTBOUND_PENALTY_H
#define DNS64D_OUTBOUND_PENALTY_H

/* penalty: what the silence of an attempt is counted as, for its lookup and its upstream. */

#include <stdint.h>

#include "outbound/lookup.h"

/* penalty_lose: no reply to A has come, and none is waited for any longer, as of CAUSE: counted
 * once.
 */
void penalty_lose(const struct lookups *ls, struct attempt *a, enum upstream_lost cause);

/*
 * penalty_use_up: attempt A of L had no reply, and nobody is to blame: it is one of those that its
 * upstream may get, no more (rule 34).
 */
void penalty_use_up(struct lookup *l, const struct attempt *a);

/*
 * penalty_count: count the silence of attempt A in L, and that it is lost as of CAUSE. An upstream
 * that is down is not asked again after one attempt: a probe shows when it is back.
 */
void penalty_count(
    const struct lookups *ls, struct lookup *l, struct attempt *a, enum upstream_lost cause);

/* penalty_silent: the wait for A, an attempt of L, is over: count it, for its upstream, too. */
void penalty_silent(struct lookups *ls, struct lookup *l, struct attempt *a, uint64_t now_ns);

/* penalty_earlier: count those of L's attempts whose wait is over, and which were given up early.
 */
void penalty_earlier(struct lookups *ls, struct lookup *l, uint64_t now_ns);

/*
 * penalty_forgive: upstreams that were down when L was not answered, and are back, may be asked
 * again, if none has given an error.
 */
void penalty_forgive(const struct lookups *ls, struct lookup *l);

#endif
