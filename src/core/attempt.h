/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CORE_ATTEMPT_H
#define DNS64D_CORE_ATTEMPT_H

/*
 * attempt: ask an upstream.
 *
 * Each attempt of a lookup takes an upstream, a transport and a fresh ID. An error or silence leads
 * to the next upstream (RULES D4). What a reply leads to is core/reply's.
 *
 * A lookup ends by a return value: the caller takes its waiters off and calls lookup_free.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "core/lookup.h"
#include "core/packet.h"
#include "dns/msg.h"

#define ATTEMPT_DOWN_MS 1000 /* the longest wait for one that is known to be down (RULES D5) */

/*
 * attempt_next_question: write the next attempt to be sent, a question for upstream, to UDP or TCP
 * and say where to; false when there is none.
 */
MUST_USE bool attempt_next_question(
    struct lookups *ls, uint8_t *udp, uint8_t *tcp, struct packet_out *send, uint64_t now_ns);

/* attempt_on_timeout: the attempt's time is over. True: that ends L, with *result filled. */
MUST_USE bool attempt_on_timeout(
    struct lookups *ls, struct lookup *l, struct lookup_result *result, uint64_t now_ns);

/*
 * attempt_on_tcp_lost: upstream U's connection ended (ESTABLISHED: after it had been up) or was not
 * to be had. Call until it returns NULL; each lookup returned has ended by it, with *result filled.
 */
MUST_USE struct lookup *attempt_on_tcp_lost(
    struct lookups *ls, unsigned u, bool established, struct lookup_result *result);

/*
 * attempt_next_cut: a lookup that ends with the truncated reply that was kept for it, with *result
 * filled: one at a time, since the message of each is in the same place; NULL: none.
 */
MUST_USE struct lookup *attempt_next_cut(struct lookups *ls, struct lookup_result *result);

/* attempt_heed: what became of upstream U's HEALTH: a probe is to be sent, or it is counted. */
void attempt_heed(struct lookups *ls, unsigned u, enum upstream_health health);

/*
 * attempt_on_tcp_full: the shell has no room to queue the question with ID for upstream U's
 * connection: it goes by UDP if it may (RULES D11), or ends at the next tick. Not the upstream's
 * fault (RULES D26).
 */
void attempt_on_tcp_full(struct lookups *ls, unsigned u, uint16_t id, uint64_t now_ns);

/* What a reply and silence lead to; each returns whether L goes on. */

/* attempt_again: ask upstream U, whatever its health. Always true. */
bool attempt_again(struct lookups *ls, struct lookup *l, uint16_t u);

/*
 * attempt_failed: this upstream gave RCODE, which is no answer: the next one, each once (RULES
 * D4). MSG: the reply if it may be passed on; NULL.
 */
bool attempt_failed(struct lookups *ls, struct lookup *l, struct lookup_result *result,
    uint16_t rcode, const struct msg *msg);

/*
 * attempt_finish: L ends with OUTCOME and MSG (NULL: none): false. True: there is a truncated reply
 * instead, with which it ends when attempt_next_cut says so.
 */
bool attempt_finish(struct lookups *ls, struct lookup *l, struct lookup_result *result,
    enum lookup_outcome outcome, const struct msg *msg);

#endif
