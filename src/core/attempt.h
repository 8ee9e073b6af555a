/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CORE_ATTEMPT_H
#define DNS64D_CORE_ATTEMPT_H

/*
 * attempt: send a lookup's question to an upstream.
 *
 * Each attempt takes an upstream, a transport and a fresh ID. An error or a timeout leads to the
 * next upstream (RULES D4). core/reply decides what a reply leads to.
 *
 * A return value says that a lookup ended: the caller then wakes its waiters and calls lookup_free.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "core/health.h"
#include "core/lookup.h"
#include "core/packet.h"
#include "dns/msg.h"

#define ATTEMPT_DOWN_MS 1000 /* longest wait for an upstream that is down (RULES D5) */

/*
 * attempt_next_question: write the next question for an upstream to UDP (PACKET_UDP_CAP bytes) or
 * TCP (PACKET_TCP_CAP bytes, without the length prefix), and its destination and length to *send.
 * False: there is none.
 */
MUST_USE bool attempt_next_question(
    struct lookups *ls, uint8_t *udp, uint8_t *tcp, struct packet_out *send, uint64_t now_ns);

/* attempt_on_timeout: L's attempt got no reply in time. True: that ends L, with *result filled. */
MUST_USE bool attempt_on_timeout(
    struct lookups *ls, struct lookup *l, struct lookup_result *result, uint64_t now_ns);

/*
 * attempt_on_tcp_lost: the connection to upstream U ended (ESTABLISHED: after it had been up) or
 * could not be opened. Call it until it returns NULL; each lookup that it returns has ended, with
 * *result filled.
 */
MUST_USE struct lookup *attempt_on_tcp_lost(
    struct lookups *ls, unsigned u, bool established, struct lookup_result *result);

/*
 * attempt_next_truncated: the next lookup that ends with the truncated reply kept for it, with
 * *result filled; NULL: none. Its waiters must have read result->msg before the next call, which
 * reuses the buffer.
 */
MUST_USE struct lookup *attempt_next_truncated(struct lookups *ls, struct lookup_result *result);

/*
 * attempt_heed: act on what became of upstream U's HEALTH: send a probe, or count that it went
 * down.
 */
void attempt_heed(struct lookups *ls, unsigned u, enum health health);

/*
 * attempt_on_tcp_full: the shell has no room to queue the question with this ID (host byte order)
 * for upstream U's connection. The question goes over UDP if it may (RULES D11), or its lookup ends
 * at the next tick. The upstream is not blamed (RULES D26).
 */
void attempt_on_tcp_full(struct lookups *ls, unsigned u, uint16_t id, uint64_t now_ns);

/* How a lookup continues after a reply or a timeout. Each returns whether L goes on. */

/* attempt_again: ask upstream U again, whatever its health. Always true. */
bool attempt_again(struct lookups *ls, struct lookup *l, uint16_t u);

/*
 * attempt_failed: the upstream replied with the error RCODE: ask the next one, each once (RULES
 * D4). MSG: the reply, if it may be relayed; else NULL. False: no upstream is left and L has ended,
 * with *result filled.
 */
bool attempt_failed(struct lookups *ls, struct lookup *l, struct lookup_result *result,
    uint16_t rcode, const struct msg *msg);

/*
 * attempt_finish: end L with OUTCOME and MSG (NULL: none; borrowed by *result). False: L has ended.
 * True: OUTCOME is a failure and L has a truncated reply, with which attempt_next_truncated will
 * end it.
 */
bool attempt_finish(struct lookups *ls, struct lookup *l, struct lookup_result *result,
    enum lookup_outcome outcome, const struct msg *msg);

#endif
