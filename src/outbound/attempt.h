/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_OUTBOUND_ATTEMPT_H
#define DNS64D_OUTBOUND_ATTEMPT_H

/*
 * attempt: send a lookup's question to an upstream, and decide how the lookup goes on after that.
 *
 * Each attempt takes an upstream, a transport and a fresh ID. An error leads to the next upstream
 * (RULES D4). outbound/reply decides what a reply leads to, outbound/loss what no reply does.
 *
 * A return value says that a lookup ended: the caller then wakes its waiters and calls lookup_free.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "core/packet.h"
#include "dns/msg.h"
#include "outbound/lookup.h"

#define ATTEMPT_UNSENT_MS 250 /* pause after an attempt for which there was no socket */

/*
 * attempt_next_question: write the next question for an upstream to UDP (PACKET_UDP_CAP bytes) or
 * TCP (PACKET_TCP_CAP bytes, without the length prefix), and its destination and length to *send.
 * False: there is none.
 */
MUST_USE bool attempt_next_question(
    struct lookups *ls, uint8_t *udp, uint8_t *tcp, struct packet_out *send, uint64_t now_ns);

/*
 * attempt_next_truncated: the next lookup that ends with the truncated reply kept for it, with
 * *result filled; NULL: none. Its waiters must have read result->msg before the next call, which
 * reuses the buffer.
 */
MUST_USE struct lookup *attempt_next_truncated(struct lookups *ls, struct lookup_result *result);

/* attempt_set_wait: set L's timer to the end of the wait for its attempt, which is in flight. */
void attempt_set_wait(struct lookups *ls, struct lookup *l);

/*
 * attempt_leave_place: L's attempt, which is in flight over TCP, has kept its place on a connection
 * for as long as a reply usually takes. It is waited for still, but keeps nobody waiting.
 */
void attempt_leave_place(struct lookups *ls, struct lookup *l);

/* attempt_timeouts: how often upstream U was silent to L over OVER, 0-3. */
MUST_USE static inline unsigned
attempt_timeouts(const struct lookup *l, enum upstream_over over, unsigned u)
{
	return (unsigned)((l->tried.silent[over][0] >> u & 1) |
	    (l->tried.silent[over][1] >> u & 1) << 1);
}

/*
 * attempt_silent: the upstreams (bit per number) that were silent at least N times (1-3) by the
 * counts S of struct lookup_tried.silent.
 */
MUST_USE static inline uint64_t
attempt_silent(const uint64_t s[static 2], unsigned n)
{
	if (n == 1)
		return s[0] | s[1];
	return n == 2 ? s[1] : s[0] & s[1];
}

/*
 * attempt_pick_next: the upstream for L's next attempt over UPSTREAM_PRIMARY, another one than the
 * last if there is one; UPSTREAM_NONE: each was asked often enough. ALIVE: none that is down.
 */
MUST_USE uint16_t attempt_pick_next(struct lookups *ls, const struct lookup *l, bool alive);

/* How a lookup continues. Each returns whether L goes on. */

/* attempt_again: ask upstream U next, which may be the same again, whatever its health. True. */
bool attempt_again(struct lookups *ls, struct lookup *l, uint16_t u);

/*
 * attempt_resume: wait on for an attempt of L that was given up early, and whose own wait is not
 * over. False: there is none.
 */
bool attempt_resume(struct lookups *ls, struct lookup *l);

/* attempt_go_to: L's question goes to upstream U next, which is another one perhaps. True. */
bool attempt_go_to(struct lookups *ls, struct lookup *l, uint16_t u);

/*
 * attempt_go_on: the last attempt of L failed without a reply; LOST: with its connection, which had
 * been up. False: L has ended, with *result filled.
 */
bool attempt_go_on(
    struct lookups *ls, struct lookup *l, struct lookup_result *result, bool lost, uint64_t now_ns);

/* attempt_send_now: a pause of L is over. False: L has ended, with *result filled. */
bool attempt_send_now(
    struct lookups *ls, struct lookup *l, struct lookup_result *result, uint64_t now_ns);

/*
 * attempt_end_check: L's upstream answered the third question of its check, and not by SERVFAIL:
 * earlier copies of that question are awaited no longer than others, and a SERVFAIL to one of them
 * proves nothing.
 */
void attempt_end_check(struct lookup *l);

/*
 * attempt_failed: the upstream replied with the error RCODE, which excludes it: what is left of
 * L's time belongs to the others (RULES D3, D4). MSG: the reply, if it may be relayed; else NULL.
 * False: L has ended, with *result filled.
 */
bool attempt_failed(struct lookups *ls, struct lookup *l, struct lookup_result *result,
    uint16_t rcode, const struct msg *msg, uint64_t now_ns);

/*
 * attempt_finish: end L with OUTCOME and MSG (NULL: none; borrowed by *result). False: L has ended.
 * True: OUTCOME is a failure and L has a truncated reply, with which attempt_next_truncated will
 * end it.
 */
bool attempt_finish(struct lookups *ls, struct lookup *l, struct lookup_result *result,
    enum lookup_outcome outcome, const struct msg *msg);

#endif
