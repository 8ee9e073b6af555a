/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONFIG_COMPLETE_H
#define DNS64D_CONFIG_COMPLETE_H

/*
 * complete: fill in what settings take from this machine (ports, the system's nameservers, a
 * secret), and find the errors that only the whole of the settings, or the machine, shows.
 */

#include "config/diag.h"
#include "config/settings.h"

/*
 * complete_settings: fill in ports and the nameservers of the file RESOLV_CONF (keyword nameserver
 * defaults). Errors go to D, and a notice if there is no listen line (RULES D23). Idempotent.
 */
void complete_settings(struct settings *s, const char *resolv_conf, struct diag *d);

/*
 * complete_cookies: set the time that server cookies are based on and, if S configures no secret,
 * the secret (RFC 9018): that of NOW, the settings in force (NULL: none), if that was drawn, else a
 * new one.
 */
void complete_cookies(struct settings *s, const struct settings *now);

/* complete_reach: warn D of each upstream that the kernel has no route to. */
void complete_reach(const struct settings *s, struct diag *d);

#endif
