/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_OUTBOUND_BUDGET_H
#define DNS64D_OUTBOUND_BUDGET_H

/*
 * budget: how many questions upstream one client's question may cause, in all its lookups (RULES
 * D28).
 *
 * A query has so many "left". For a lookup that it waits for it sets a share of them aside, and
 * gets back what was not used when that ends. Many may wait for one lookup: it is sent as often as
 * the best off of them permits (struct lookup_waiters.allowed).
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "outbound/lookup.h"

/* What a query set aside for a lookup. */
struct budget_share {
	uint8_t n;    /* questions */
	uint8_t from; /* struct lookup.n_sends when it began to wait */
};

/* budget_take: set N of *LEFT aside for L, to S. */
static inline void
budget_take(uint8_t *left, struct budget_share *s, const struct lookup *l, uint8_t n)
{
	s->n = n;
	s->from = l->n_sends;
	*left = (uint8_t)(*left - n);
}

/* budget_settle: S is of no use any more: what L did not use of it is left again. */
static inline void
budget_settle(uint8_t *left, struct budget_share *s, const struct lookup *l)
{
	/* What did not leave is taken off again (outbound/loss). */
	unsigned used = l->n_sends > s->from ? (unsigned)(l->n_sends - s->from) : 0;

	if (used < s->n)
		*left = (uint8_t)(*left + (s->n - used));
	s->n = 0;
}

/*
 * budget_used_up: is L sent no more for want of questions, of which all that were set aside for it
 * in S have been used? Others who wait for it may have had fewer, or none left before.
 */
MUST_USE static inline bool
budget_used_up(const struct budget_share *s, const struct lookup *l)
{
	return UNLIKELY(l->waiters.over_budget) && l->n_sends - s->from >= s->n;
}

/*
 * budget_leave: who has S waits for L no longer. If L goes on, what was set aside for it is for
 * that: L may be sent as often as before.
 */
static inline void
budget_leave(uint8_t *left, struct budget_share *s, const struct lookup *l)
{
	if (l->waiters.n == 1 && !l->waiters.needed)
		budget_settle(left, s, l);
	s->n = 0;
}

/*
 * budget_stop: L, which is to be sent, was sent as often as those who wait for it may have it sent:
 * it is not again, but a reply to what was sent is taken, if one can come yet. Returns false.
 */
bool budget_stop(struct lookups *ls, struct lookup *l, uint64_t now_ns);

#endif
