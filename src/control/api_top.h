/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONTROL_API_TOP_H
#define DNS64D_CONTROL_API_TOP_H

/* api_top: who asks most, for what, and what fails (engine/top); the argument is a struct
 * control_ctx. */

#include "control/http.h"

#define API_TOP_LINES 20   /* that are listed unless a request says how many */
#define API_TOP_MOST 500   /* that it may ask for */
#define API_TOP_NETWORK 10 /* percent of the answers: an IPv6 /64 with so many is listed */

/*
 * api_top_clients, api_top_names, api_top_failures: "top": "lines" at most, the most frequent
 * first, each with "count", how often it occurred at most, and "error", how much less it may be;
 * "others_most": how often each other one occurred at most; "answers": all that were counted, in
 * "counted_s"; "began": counting begins with this request; "loops_silent": loops that did not
 * answer in SURVEYS_MS. Of clients also "networks": each IPv6 /64 with API_TOP_NETWORK.
 */
http_handler api_top_clients, api_top_names, api_top_failures;

#endif
