/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONTROL_API_ORDERS_H
#define DNS64D_CONTROL_API_ORDERS_H

/*
 * api_orders: the paths by which the operator gives orders (config/orders). A request is answered
 * when all loops work by the order, with "messages" of the log; the argument is a struct
 * control_ctx.
 */

#include <jansson.h>

#include "base/attr.h"
#include "config/settings.h"
#include "control/http.h"

/*
 * api_orders_denials: the networks that dns64ctl has denied, as a list: "network", "drop", "since",
 * seconds since 1970, and "left_s", null without end. NULL without memory.
 */
MUST_USE json_t *api_orders_denials(const struct settings *s);

/* api_upstream: the upstream {address} is {state} up, drain or down from now on. */
http_handler api_upstream;

/*
 * api_deny: GET: "denied": as api_orders_denials; "most": how many there can be. POST: deny
 * {network}; with {drop} yes it gets no answer; {for} so many seconds.
 */
http_handler api_deny;

/* api_undeny: {network}, which api_deny was given, is denied no more. */
http_handler api_undeny;

/*
 * api_querylog: GET: "state": config, on, off or failures; "since" and "left_s" as above; "to":
 * where it is written. POST: {state}, {for} so many seconds,
 * which config does not take.
 */
http_handler api_querylog;

#endif
