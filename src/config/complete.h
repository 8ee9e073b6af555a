/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONFIG_COMPLETE_H
#define DNS64D_CONFIG_COMPLETE_H

/*
 * complete: from settings as they were written to settings that can be used on this machine:
 * ports, the system's nameservers, and what only the whole and the machine can tell wrong.
 */

#include "config/diag.h"
#include "config/settings.h"

/*
 * complete_settings: RESOLV_CONF is the file for `nameserver defaults`. What is wrong goes to D, as
 * does a notice when there is no listen line (RULES D23). Idempotent.
 */
void complete_settings(struct settings *s, const char *resolv_conf, struct diag *d);

/*
 * complete_cookies: the time, and a secret for cookies if none is configured: that of NOW, the
 * settings in force, if it was drawn too; NULL: there are none.
 */
void complete_cookies(struct settings *s, const struct settings *now);

/* complete_reach: warn of each upstream that the kernel has no way to. */
void complete_reach(const struct settings *s, struct diag *d);

#endif
