/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONTROL_API_INFLIGHT_H
#define DNS64D_CONTROL_API_INFLIGHT_H

/* api_inflight: the questions that wait for upstream; the argument is a struct control_ctx. */

#include "control/http.h"

/*
 * api_inflight: "questions": the oldest of all loops, INFLIGHT_MOST at most, the oldest first;
 * "in_flight": how many there are; "loops_silent": loops that did not answer in SURVEYS_MS. One
 * request at a time, those of api_top included: others get 503.
 */
http_handler api_inflight;

#endif
