/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONTROL_WEB_H
#define DNS64D_CONTROL_WEB_H

/*
 * web: what web-listen shows, and to whom.
 */

#include <event2/http.h>
#include <stdbool.h>

#include "base/attr.h"
#include "base/netaddr.h"
#include "config/settings.h"
#include "control/control_ctx.h"
#include "control/http.h"

/* web_service: the service for http_new. D is borrowed for as long as that serves. */
MUST_USE struct http_service web_service(struct control_ctx *d);

/*
 * web_is_known: is HOST, as a URL has it but without the port, an address, "localhost", this
 * machine's host name or one of web-name? All addresses are: no resolver can turn one into ours.
 */
MUST_USE bool web_is_known(const struct settings *s, const char *host);

/* web_may_look: may a client at A look, by web-allow? A loopback address always may. */
MUST_USE bool web_may_look(const struct settings *s, const struct netaddr *a);

#endif
