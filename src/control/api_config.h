/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONTROL_API_CONFIG_H
#define DNS64D_CONTROL_API_CONFIG_H

/*
 * api_config: the configuration that is in force, as JSON:
 *
 *	{"file": "/etc/dns64d.conf", "lines": [
 *		{"keyword": "port", "value": "53", "from": "default"},
 *		{"keyword": "hide-a", "value": "yes", "from": "file", "line": 7, "block": 6}, ...]}
 *
 * First comes what the file and the command line say, in their order, then the defaults of all
 * other keywords. "line" is the line of the file, "block" that of the client block's head. The
 * value of a secret is null. A prefix that is not as the file says has the "from" of api_prefixes:
 * "prefix-file" or "dns64ctl".
 */

#include "control/http.h"

/* api_config: all of it. Wants a struct control_ctx. */
http_handler api_config;

#endif
