/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_TESTS_SIM_RATES_H
#define DNS64D_TESTS_SIM_RATES_H

/*
 * rates: what an address may get (RULES D26): so many questions over UDP by rate-limit, and so many
 * bytes of answers beyond max-amplification.
 *
 * All that each client got is written down with its time. In no span of time may an address, or its
 * /64, have more than its burst and what its rate gives in that span; and where the engine tells
 * that it had, there must be such a span. Other loops, which share the table, let one client have
 * nearly all that it may, for a time.
 */

#include "sim/sim.h"

/* rates_draw: the settings; most seeds have none. */
void rates_draw(struct sim *s);

/* rates_end: free what rates_draw made. */
void rates_end(struct sim *s);

/* rates_flooder: who floods, if there is a flood. */
uint8_t rates_flooder(const struct sim *s);

/* rates_asks: the engine is about to get K's question. */
void rates_asks(struct sim *s, struct ask *k);

/*
 * rates_asked: it has got it, and has sent nothing yet. True: it drops the question, as it may.
 */
bool rates_asked(struct sim *s, struct ask *k);

/*
 * rates_answered: M of LEN bytes is the answer to K. True: it stands for one that K may not have,
 * and says nothing.
 */
bool rates_answered(struct sim *s, const struct ask *k, const struct msg *m, size_t len);

#endif
