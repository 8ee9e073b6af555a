/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONTROL_API_QUERIES_H
#define DNS64D_CONTROL_API_QUERIES_H

/*
 * api_queries: who asks most, for what, and what fails (engine/top), and the questions that wait
 * for upstream (engine/inflight). The argument is a struct control_ctx. One request at a time:
 * others get 503.
 */

#include "control/http.h"

#define API_QUERIES_LINES 20   /* that are listed unless a request says how many */
#define API_QUERIES_MOST 500   /* that it may ask for */
#define API_QUERIES_NETWORK 10 /* percent of the answers: an IPv6 /64 with so many is listed */

/*
 * api_top_clients, api_top_names, api_top_failures: "top": "lines" at most, the most frequent
 * first, each with "count", how often it occurred at most, and "error", how much less it may be;
 * "others_most": how often each other one occurred at most; "answers": all that were counted, in
 * "counted_s"; "began": counting begins with this request; "loops_silent": loops that did not
 * answer in SURVEYS_MS. Of clients also "networks": each IPv6 /64 with API_QUERIES_NETWORK.
 */
http_handler api_top_clients, api_top_names, api_top_failures;

/*
 * api_inflight: "questions": the oldest of all loops, INFLIGHT_MOST at most, the oldest first;
 * "in_flight": how many there are; "loops_silent": loops that did not answer in SURVEYS_MS.
 */
http_handler api_inflight;

#endif
