/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONTROL_API_PREFIXES_H
#define DNS64D_CONTROL_API_PREFIXES_H

/*
 * api_prefixes: the NAT64 prefixes, and changes of them while the daemon runs. The handlers want a
 * struct control_ctx.
 *
 *	{"blocks": [{"networks": [], "line": 0, "own": true, "prefixes": [
 *		{"prefix": "2001:db8:64::/96", "state": "active", "map_only": false, "weight": 100,
 *		 "from": "file", "file": "/etc/dns64d.conf", "line": 3, "answers": 1000,
 *		 "cause": "configured", "held": false, "check": null}, ...]},
 *...]}
 *
 * The first block is for clients in none. "own": it has prefixes, or a prefix-check, of its own.
 *"map_only": only map lines name the prefix, whose weight does not count then. "from" is "file" or
 *"prefix-file", both with "file" and "line"; "dns64ctl" with "since", seconds since 1970; "command
 *line", "default", or "map" (a map line). "answers": how many were synthesized under the prefix,
 *for all clients, since the start. "cause" is what the state comes of: "configured", "operator"
 *(dns64ctl), "probe" (prefix-check). "check" is what prefix-check has found: {"state": "active" or
 *"down", "since": seconds since 1970, "error": the last one}, which may have none (null); "held":
 *it is down by that, but as all others are not active, the one that failed last stays.
 *
 * Changes take {"prefix": PREFIX, "client": NETWORK, "persist": "yes"}, the last two optional. The
 * answer has "messages" of the log, and
 *
 *	{"changed": [{"networks": [], "line": 0, "state": "down", "before": "active"}, ...],
 *	"unchanged": [...]}
 *
 * the policies that have the prefix otherwise than before (null: not at all), and those that have
 * it still otherwise than was wanted.
 */

#include <jansson.h>

#include "base/attr.h"
#include "config/policy_lines.h"
#include "config/settings.h"
#include "control/http.h"
#include "figures/host.h"

/* api_prefixes_unsaid: the "from" of prefixes of S that stand at no line. The text is constant. */
MUST_USE const char *api_prefixes_unsaid(const struct settings *s);

/*
 * api_prefixes_add_origin: add to J where AT comes from, a prefix of HOST's settings; NULL: from a
 * map line. UNSAID: of api_prefixes_unsaid.
 */
void api_prefixes_add_origin(
    json_t *j, const struct host *host, const char *unsaid, const struct policy_lines_prefix *at);

/*
 * api_prefixes_add_state: add to J "state", "cause", "held" and "check" of prefix I of P, the
 * policy NUMBER of S; S is NULL if P is not the one in force: "check" is not known then.
 */
void api_prefixes_add_state(
    json_t *j, const struct settings *s, size_t number, const struct policy *p, size_t i);

/* api_prefixes: answer with all prefixes. */
http_handler api_prefixes;

/* api_prefix_add: make the change, and answer when all loops work by it; so do the others. */
http_handler api_prefix_add;
http_handler api_prefix_del;
http_handler api_prefix_active;
http_handler api_prefix_drain;
http_handler api_prefix_down;

#endif
