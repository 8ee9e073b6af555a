/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/ghost.h"

bool
ghost_forget(uint16_t *row, uint16_t print)
{
	for (unsigned i = 1; i < GHOST_ROW; i++) {
		if (row[i] == print) {
			row[i] = 0;
			return true;
		}
	}
	return false;
}
