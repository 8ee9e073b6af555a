/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/times.h"

uint64_t
times_wait_ns(const struct times *t, unsigned doublings, uint64_t most_ns)
{
	uint64_t margin = 4 * t->var_ns;
	uint64_t wait;

	if (margin < TIMES_MARGIN_NS)
		margin = TIMES_MARGIN_NS;
	wait = times_known(t) ? t->srtt_ns + margin : TIMES_UNKNOWN_NS;
	if (wait < TIMES_LEAST_NS)
		wait = TIMES_LEAST_NS;
	if (wait >= most_ns)
		return most_ns;
	wait <<= doublings < TIMES_DOUBLINGS ? doublings : TIMES_DOUBLINGS;
	return wait < most_ns ? wait : most_ns;
}

void
times_charge_failure(struct times_cost *c, uint64_t ns, uint64_t now_ns)
{
	unsigned shift = times_shift(c, now_ns);

	shift = shift > 2 ? shift - 2 : 1;
	if (ns > c->ns)
		c->ns = c->ns == 0 ? ns : c->ns + ((ns - c->ns) >> shift);
	c->at_ns = now_ns;
}
