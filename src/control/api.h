/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONTROL_API_H
#define DNS64D_CONTROL_API_H

/*
 * api: the paths of the control socket. Each takes and gives JSON; GET tells, POST changes.
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"
#include "control/http.h"

/* api_routes: the table, whose handlers want a struct control_ctx; *N: its length. */
MUST_USE const struct http_route *api_routes(size_t *n);

/* api_is_page: is R one that web-listen has too: for programs and browsers, not for dns64ctl? */
MUST_USE bool api_is_page(const struct http_route *r);

#endif
