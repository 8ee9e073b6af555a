/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONTROL_API_EXPLAIN_H
#define DNS64D_CONTROL_API_EXPLAIN_H

/*
 * api_explain: what a client gets, and why: a loop takes the question as if the client had asked.
 *
 * The query is name=NAME, and if it is wished type=TYPE (AAAA), client=ADDRESS (::1), and ask, tcp,
 * do and cd, each 0 or 1. ask=0 uses only what is known and asks no upstream; 1 is the default.
 */

#include "control/http.h"

/* api_explain: begin with it. Wants a struct control_ctx. */
http_handler api_explain;

#endif
