/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/budget.h"

bool
budget_stop(struct lookups *ls, struct lookup *l, uint64_t now_ns)
{
	l->over_budget = true;
	l->pinned = false;
	l->early = false;
	l->paused = l->earlier != NULL;
	l->spent = l->earlier != NULL;
	l->hopeless = l->earlier == NULL;
	l->progress = LOOKUP_UNSENT;
	wheel_set(ls->wheel, &l->timer, l->hopeless ? now_ns : l->end_ns);
	return false;
}
