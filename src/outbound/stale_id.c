/* SPDX-License-Identifier: BSD-2-Clause */
#include "outbound/stale_id.h"

bool
stale_id_has(const struct stale_id *o, uint16_t id)
{
	uint32_t n = o->n < STALE_ID_EACH ? o->n : STALE_ID_EACH;

	for (uint32_t i = 0; i < n; i++) {
		if (o->ids[i] == id)
			return true;
	}
	return false;
}
