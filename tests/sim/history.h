/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_TESTS_SIM_HISTORY_H
#define DNS64D_TESTS_SIM_HISTORY_H

/*
 * history: what befell the questions that the engine sent, and whether it sent them too often (rule
 * 34: three times to one upstream over one transport, and once more for each message that came;
 * rule D28: so many times in all for each question of a client).
 */

#include "sim/sim.h"

/* history_key: the key of a question. */
uint64_t history_key(const uint8_t *name, uint16_t type, bool do_bit, bool cd);

/* history_fact: what befell the question with KEY. */
struct fact *history_fact(struct sim *s, uint64_t key);

/* history_target: what befell all that was asked for the sake of names with the same end of chain
 * as NAME. */
struct fact *history_target(struct sim *s, const uint8_t *name);

/*
 * history_asked: the engine sends question M over SOCK: may it, as often as that? Returns the key
 * of the question; *CHECK: it only shows what another reply meant (RULES D3).
 */
uint64_t history_asked(struct sim *s, const struct msg *m, bool tcp, uint32_t sock, bool *check);

/*
 * history_touched: something is wrong with a question with KEY. REPLIED: it gets a reply that is no
 * good; else none, or one that is late.
 */
void history_touched(struct sim *s, uint64_t key, bool replied);

/* history_most: how often a question may be sent to one upstream over one transport. */
unsigned history_most(const struct sim *s);

/* history_slow: a reply to a question with KEY takes NS. */
void history_slow(struct sim *s, uint64_t key, uint64_t ns);

/*
 * history_heard: a message with ID comes from the upstream that the engine knows by NUMBER: its
 * question may be asked once more, over UDP only if it is about something else (OTHER). Returns
 * when its lookup began; 0: it is not in flight.
 */
uint64_t history_heard(struct sim *s, uint16_t id, unsigned number, bool other);

/* history_unsent: the question with ID did not leave for upstream NUMBER: it is not counted. */
void history_unsent(struct sim *s, uint16_t id, unsigned number);

/*
 * history_given_up: the UDP socket in SLOT, to the upstream with NUMBER, was: what was open on it
 * is sent anew.
 */
void history_given_up(struct sim *s, unsigned number, unsigned slot);

/* history_is_open: is a question with ID in flight? */
bool history_is_open(const struct sim *s, uint16_t id);

/*
 * history_lost: the connection CONN is lost: what is open there may be asked over a new one, but
 * only once if no reply came by it.
 */
void history_lost(struct sim *s, unsigned conn);

/* history_refused: the socket in SLOT is refused: so are all questions that went by it. */
void history_refused(struct sim *s, unsigned slot);

/* history_taken: the reply P was taken, to a question of the lookup that began at BORN_NS. */
void history_taken(struct sim *s, const struct parcel *p, uint64_t born_ns);

#endif
