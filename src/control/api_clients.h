/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONTROL_API_CLIENTS_H
#define DNS64D_CONTROL_API_CLIENTS_H

/*
 * api_clients: the policies of clients, as JSON: those in no client block first, then each block,
 * with its networks, the line of its head, its own lines, and how many answers its clients got:
 *
 *	{"clients": [{"networks": [], "line": 0, "sets": [], "prefixes": 1, "zones": 0,
 *		"answers": 17, "shared": false}, ...]}
 */

#include "control/http.h"

/* api_clients: all of them. Wants a struct control_ctx. */
http_handler api_clients;

#endif
