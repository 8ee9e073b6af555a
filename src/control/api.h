/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONTROL_API_H
#define DNS64D_CONTROL_API_H

/*
 * api: the paths of the control socket. Each takes and gives JSON; GET tells, POST changes.
 */

#include <stddef.h>

#include "base/attr.h"
#include "control/http.h"

/*
 * api_routes: write the paths to OUT: those of the table of commands, and those that no command
 * asks for. Returns their number. The handlers want a struct control_ctx.
 */
MUST_USE size_t api_routes(struct http_route out[static HTTP_ROUTES_MAX]);

#endif
