/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONTROL_API_LOG_H
#define DNS64D_CONTROL_API_LOG_H

/* api_log: what the control socket tells and changes of the log; the argument is a struct
 * control_ctx. */

#include "control/http.h"

/*
 * api_log_level: GET: the level of each category now ("levels") and by the configuration
 * ("configured"), and how many lines were lost that the log has not told of yet ("lost"). POST:
 * set {level}, for {category} only if that is there, until the next reload; the answer is the same.
 */
http_handler api_log_level;

#endif
