/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONTROL_API_ORDERS_H
#define DNS64D_CONTROL_API_ORDERS_H

/*
 * api_orders: the paths by which the operator gives orders (config/orders).
 */

#include "control/http.h"

http_handler api_upstream;

#endif
