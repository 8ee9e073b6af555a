/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONTROL_API_H
#define DNS64D_CONTROL_API_H

/*
 * api: the paths of the control socket. Each takes and gives JSON; GET tells, POST changes.
 */

#include <stddef.h>

#include "base/attr.h"
#include "control/http.h"

/* api_routes: the table, whose handlers want a struct desk; *N: its length. */
MUST_USE const struct http_route *api_routes(size_t *n);

#endif
