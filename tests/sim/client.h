/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_TESTS_SIM_CLIENT_H
#define DNS64D_TESTS_SIM_CLIENT_H

/* client: clients ask, and look at the form of the answers; oracle judges what they say. */

#include "sim/sim.h"

/* client_name: the name that act A asks for, to OUT; what is true of it to *T. */
void client_name(const struct act *a, uint8_t out[static DNS_NAME_MAX], struct truth *t);

/* client_ask: a client asks as act A says. */
void client_ask(struct sim *s, const struct act *a);

/* client_answer: a client gets an answer: a world_client. */
void client_answer(struct world *w, const struct packet_out *send, const uint8_t *bytes);

#endif
