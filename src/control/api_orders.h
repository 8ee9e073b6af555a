/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONTROL_API_ORDERS_H
#define DNS64D_CONTROL_API_ORDERS_H

/*
 * api_orders: the paths by which the operator gives orders (config/orders). Each of them is
 * answered when all loops work by it, with what the log says of it; the argument is a struct desk.
 */

#include <jansson.h>

#include "base/attr.h"
#include "config/settings.h"
#include "control/http.h"

/* api_orders_denials: the networks that dns64ctl has denied, as a list. NULL without memory. */
MUST_USE json_t *api_orders_denials(const struct settings *s);

/* api_upstream: the upstream {address} is {state} up, drain or down from now on. */
http_handler api_upstream;

/*
 * api_deny: GET: the networks that are denied. POST: deny {network}; with {drop} yes it gets no
 * answer; {for} so many seconds.
 */
http_handler api_deny;

/* api_undeny: {network}, which was denied so, is no more. */
http_handler api_undeny;

/* api_querylog: GET: what the query log has, by order. POST: {state}, {for} so many seconds. */
http_handler api_querylog;

#endif
