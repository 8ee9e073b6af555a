/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/ghost.h"

bool
ghost_forget(uint16_t *line, uint16_t print)
{
	for (unsigned i = 1; i < GHOST_LINE; i++) {
		if (line[i] == print) {
			line[i] = 0;
			return true;
		}
	}
	return false;
}
