/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_OUTBOUND_LOSS_H
#define DNS64D_OUTBOUND_LOSS_H

/*
 * loss: no reply has come to an attempt: what next (RULES D27)?
 *
 * An attempt waits as long as its upstream takes by measure. When that is over the attempt is
 * "silent": it stays answerable, the silence counts against its upstream (outbound/health), and the
 * question goes to another upstream if there is one, or out again to the same, at most three times
 * over UDP (RFC 9520 section 3.1). An upstream that answered others meanwhile has lost this
 * question: it is asked again at once, at last over TCP, which mends loss by itself. One that was
 * silent to everybody may be away for a moment: what may still be sent is spread over the time that
 * the lookup has left.
 *
 * A return value says that a lookup ended: the caller then wakes its waiters and calls lookup_free.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "outbound/lookup.h"
#include "outbound/upstream.h"

/* loss_on_timer: L's timer fired. True: that ends L, with *result filled. */
MUST_USE bool loss_on_timer(
    struct lookups *ls, struct lookup *l, struct lookup_result *result, uint64_t now_ns);

/*
 * loss_ask_again: another way to ask upstream U was learned, by the reply to a probe that was sent
 * at PROBE_NS: those who have asked U over UDP by then and have no reply do not wait for one any
 * longer. What was sent after the probe may be answered yet.
 */
void loss_ask_again(struct lookups *ls, unsigned u, uint64_t probe_ns, uint64_t now_ns);

/*
 * loss_on_refused: the kernel said that the upstream takes no questions from the UDP socket in
 * SLOT: loss_next_refused tells which lookups that ends.
 */
void loss_on_refused(struct lookups *ls, unsigned slot);

/*
 * loss_next_refused: go on with up to *MOST of the lookups that loss_on_refused is about;
 * *MOST is less by as many. Call it until it returns NULL; each lookup that it returns has ended,
 * with *result filled.
 */
MUST_USE struct lookup *loss_next_refused(
    struct lookups *ls, unsigned *most, struct lookup_result *result, uint64_t now_ns);

/*
 * loss_on_unsent: the question with this ID (host byte order) did not leave by the UDP socket in
 * SLOT. Nobody was silent: it goes to another upstream at once, if there is one, and else, or if
 * that fails too, again to the same at the next tick; then later and later. AWAY: there is no way
 * to its upstream; else there was no room, and if that stays so its lookup ends with
 * LOOKUP_NO_ROOM (RULES D26).
 */
void loss_on_unsent(struct lookups *ls, unsigned slot, uint16_t id, bool away, uint64_t now_ns);

/*
 * loss_on_given_up: the UDP socket in SLOT was given up (outbound/id_attack): what is open on it is
 * asked again, over TCP if that works, and nothing new is sent by it. Does nothing the second time.
 */
void loss_on_given_up(struct lookups *ls, unsigned slot, uint64_t now_ns);

/*
 * loss_on_tcp_lost: the connection CONN (engine/engine) ended (ESTABLISHED: after it had been
 * up) or could not be opened: loss_next_lost goes on with the lookups that asked by it.
 */
void loss_on_tcp_lost(struct lookups *ls, unsigned conn, bool established);

/* loss_next_lost: the same for those that loss_on_tcp_lost is about. */
MUST_USE struct lookup *loss_next_lost(
    struct lookups *ls, unsigned *most, struct lookup_result *result, uint64_t now_ns);

/*
 * loss_on_tcp_full: the shell has no room to queue the question with this ID (host byte order)
 * for the connection CONN, or no descriptor for a new one. The question goes over UDP if it may
 * (RULES D11). Else it is sent once more within 10 ms (RULES D27); if there is no room again, its
 * lookup ends at the next tick. The upstream is not blamed (RULES D26).
 */
void loss_on_tcp_full(struct lookups *ls, unsigned conn, uint16_t id, uint64_t now_ns);

/*
 * loss_on_taken: the operator took upstream U down: questions in flight to it are waited for no
 * longer, from the next tick on, and go to another upstream; without one their lookups end. Nothing
 * is counted against U; a reply that comes yet is taken.
 */
void loss_on_taken(struct lookups *ls, unsigned u, uint64_t now_ns);

#endif
