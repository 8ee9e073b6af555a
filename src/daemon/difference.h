/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DAEMON_DIFFERENCE_H
#define DNS64D_DAEMON_DIFFERENCE_H

/*
 * difference: log what a reload changes.
 */

#include "config/settings.h"

/*
 * difference_tell: log, at the level info, each address that NEXT listens on or asks and NOW does
 * not, or the other way round, and each keyword whose lines in the file differ, except keywords
 * that take effect only with a restart (reload_keep logs those).
 */
void difference_tell(const struct settings *now, const struct settings *next);

#endif
