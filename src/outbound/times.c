/* SPDX-License-Identifier: BSD-2-Clause */
#include "outbound/times.h"

void
times_charge_failure(struct times_cost *c, uint64_t ns, uint64_t now_ns)
{
	unsigned shift = times_shift(c, now_ns);

	shift = shift > 2 ? shift - 2 : 1;
	if (ns > c->ns)
		c->ns = c->ns == 0 ? ns : c->ns + ((ns - c->ns) >> shift);
	c->at_ns = now_ns;
}
