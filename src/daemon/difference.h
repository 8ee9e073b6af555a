/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DAEMON_DIFFERENCE_H
#define DNS64D_DAEMON_DIFFERENCE_H

/*
 * difference: what a reload changes, for the log.
 */

#include "config/settings.h"

/*
 * difference_tell: a line at the level info for each address that is served or asked from now on,
 * or not any more, and for each keyword whose lines in the file are others, but for those that take
 * effect only with a restart (reload_keep tells of them).
 */
void difference_tell(const struct settings *now, const struct settings *next);

#endif
