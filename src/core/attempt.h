/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CORE_ATTEMPT_H
#define DNS64D_CORE_ATTEMPT_H

/*
 * attempt: ask an upstream, and judge what comes back.
 *
 * Each attempt of a lookup takes an upstream, a transport and a fresh ID. Here it is checked
 * that a reply is ours (RFC 5452 section 9.1), and nowhere else. An error or silence leads to
 * the next upstream (rules.md D4), truncation to TCP (D11), FORMERR without OPT to a question
 * without EDNS (D1), and SERVFAIL to the question whether the data is bogus (D3).
 *
 * A lookup ends by a return value: the caller takes its waiters off and calls lookup_free.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "core/engine.h"
#include "core/lookup.h"
#include "dns/msg.h"

/*
 * attempt_next_question: write the next attempt to be sent, a question for upstream, to UDP or TCP
 * and say where to; false when there is none.
 */
MUST_USE bool attempt_next_question(
    struct lookups *ls, uint8_t *udp, uint8_t *tcp, struct engine_send *send, uint64_t now_ns);

/*
 * attempt_on_message: an upstream's message came in. Returns the lookup that it ends, with *result
 * filled and *msg (which result->msg points to, if any) parsed; NULL when it ends none.
 */
MUST_USE struct lookup *attempt_on_message(struct lookups *ls, const struct engine_in *in,
    struct msg *msg, struct lookup_result *result, uint64_t now_ns);

/* attempt_on_timeout: the attempt's time is over. True: that ends L, with *result filled. */
MUST_USE bool attempt_on_timeout(
    struct lookups *ls, struct lookup *l, struct lookup_result *result, uint64_t now_ns);

/*
 * attempt_on_tcp_lost: upstream U's connection ended (ESTABLISHED: after it had been up) or was not
 * to be had. Call until it returns NULL; each lookup returned has ended by it, with *result filled.
 */
MUST_USE struct lookup *attempt_on_tcp_lost(
    struct lookups *ls, unsigned u, bool established, struct lookup_result *result);

/* attempt_prefetch: touch what the replies among N messages will need. */
void attempt_prefetch(const struct lookups *ls, const struct engine_in *in, size_t n);

#endif
