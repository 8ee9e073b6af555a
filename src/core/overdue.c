/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/overdue.h"

bool
overdue_has(const struct overdue *o, uint16_t id)
{
	uint32_t n = o->n < OVERDUE_EACH ? o->n : OVERDUE_EACH;

	for (uint32_t i = 0; i < n; i++) {
		if (o->ids[i] == id)
			return true;
	}
	return false;
}
