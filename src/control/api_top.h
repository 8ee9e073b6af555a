/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONTROL_API_TOP_H
#define DNS64D_CONTROL_API_TOP_H

/* api_top: who asks most, for what, and what fails (core/top); the argument is a struct desk. */

#include "control/http.h"

#define API_TOP_LINES 20   /* that are told unless a request says how many */
#define API_TOP_MOST 500   /* that it may ask for */
#define API_TOP_NETWORK 10 /* percent of the answers from which on a /64 is told of */

/*
 * api_top_clients, api_top_names, api_top_failures: "top": "lines" at most, the most frequent
 * first, each with "count", how often it occurred at most, and "error", how much less it may be;
 * "others_most": how often each other one occurred at most; "answers": all that were counted, in
 * "counted_s"; "began": counting begins with this request; "loops_silent": loops that did not tell.
 * Of clients also "networks": the IPv6 /64 that got much of the answers.
 */
http_handler api_top_clients, api_top_names, api_top_failures;

#endif
