/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONTROL_API_PREFIXES_H
#define DNS64D_CONTROL_API_PREFIXES_H

/*
 * api_prefixes: the NAT64 prefixes, and changes of them while the daemon runs. The handlers want a
 * struct desk.
 *
 *	{"blocks": [{"networks": [], "line": 0, "own": true, "prefixes": [
 *		{"prefix": "2001:db8:64::/96", "state": "active", "map_only": false,
 *		 "from": "file", "file": "/etc/dns64d.conf", "line": 3, "answers": 1000}, ...]},
 *...]}
 *
 * The first block is for clients in none. "own": it has prefixes of its own. "from" is "file",
 * "prefix-file", both with "file" and "line"; "command line", "default"; "dns64ctl" with "since",
 * in seconds since 1970; "map", the line of a map. "answers" were synthesized under the prefix, for
 * all clients, since the start.
 *
 * Changes take {"prefix": PREFIX, "client": NETWORK, "persist": "yes"}, the last two optional.
 */

#include <jansson.h>

#include "base/attr.h"
#include "config/policy_lines.h"
#include "config/settings.h"
#include "control/host.h"
#include "control/http.h"

/* api_prefixes_unsaid: where prefixes of S come from that stand at no line. */
MUST_USE const char *api_prefixes_unsaid(const struct settings *s);

/*
 * api_prefixes_add_origin: add to J where AT comes from, a prefix of HOST's settings; NULL: from a
 * map line. UNSAID: of api_prefixes_unsaid.
 */
void api_prefixes_add_origin(
    json_t *j, const struct host *host, const char *unsaid, const struct policy_lines_prefix *at);

/* api_prefixes: all of it. */
http_handler api_prefixes;

/* api_prefix_add: and the others: make a change, and answer when all loops work by it. */
http_handler api_prefix_add;
http_handler api_prefix_del;
http_handler api_prefix_active;
http_handler api_prefix_drain;
http_handler api_prefix_down;

#endif
