/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_ENGINE_REQUEST_H
#define DNS64D_ENGINE_REQUEST_H

/*
 * request: turn a client's message into a query in its first state.
 *
 * A malformed message is counted by kind and answered with the rcode that the RFC demands, or
 * dropped. A sound question is sorted by policy: relay, AAAA, reverse, or local answer.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "core/packet.h"
#include "core/reason.h"
#include "dns64/special.h"
#include "engine/query.h"

/*
 * request_accept: a new query for the client's message IN, filled and in its first state but not
 * started. SLIP: a sound question gets no records but BADCOOKIE, or TC if it has no cookie. The
 * caller owns it (query_free). NULL: the message gets no answer; counted.
 */
MUST_USE struct query *request_accept(struct queries *qs, const struct packet_in *in, bool slip);

/* request_sort: set Q's first state from its question and its client's policy. */
void request_sort(struct queries *qs, struct query *q);

/*
 * request_is_health: is IN a question for health-name, of a client that may ask? Such questions are
 * neither logged nor limited.
 */
MUST_USE bool request_is_health(const struct conf_core *conf, const struct packet_in *in);

/* request_ignored: why a message of CLIENT, which is POLICY_IGNORED, gets no answer. */
MUST_USE enum reason request_ignored(const struct policies *ps, const struct netaddr *client);

/* request_special_reason: of an answer about a name in a special zone of that KIND. */
MUST_USE enum reason request_special_reason(enum special kind);

#endif
