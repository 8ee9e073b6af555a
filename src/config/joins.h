/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONFIG_JOINS_H
#define DNS64D_CONFIG_JOINS_H

/*
 * joins: keywords that set one value together, or of which one makes others void.
 */

#include "config/diag.h"
#include "config/settings.h"

/* joins_check: make of such keywords of S, all of which are read, their value. Errors go to D. */
void joins_check(struct settings *s, struct diag *d);

#endif
