/* SPDX-License-Identifier: BSD-2-Clause */
#include "outbound/budget.h"

bool
budget_stop(struct lookups *ls, struct lookup *l, uint64_t now_ns)
{
	l->waiters.over_budget = true;
	l->pinned = false;
	l->progress = LOOKUP_UNSENT;
	/* The question of a check that did not leave holds nobody up; one that did may be answered.
	 */
	l->check = LOOKUP_CHECK_NONE;
	for (const struct attempt *a = l->earlier; a != NULL; a = a->next) {
		if (a->check == LOOKUP_CHECK_AGAIN)
			l->check = LOOKUP_CHECK_AGAIN;
	}
	if (l->earlier != NULL)
		lookup_set_wait(ls, l, LOOKUP_SPENT, l->end_ns);
	else
		lookup_set_wait(ls, l, LOOKUP_HOPELESS, now_ns);
	return false;
}
