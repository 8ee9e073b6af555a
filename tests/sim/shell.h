/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_TESTS_SIM_SHELL_H
#define DNS64D_TESTS_SIM_SHELL_H

/* shell: sockets and connections, opened, replaced and closed as io/ does it. */

#include "sim/sim.h"

/* shell_sync: a socket for each upstream that is to have one; close what is not used any more. */
void shell_sync(struct sim *s);

/* shell_rotate: upstream UP (from 0) gets a new socket. */
void shell_rotate(struct sim *s, unsigned up);

/* shell_replace: the engine takes nothing more that comes by SOCK: another one for its upstream. */
void shell_replace(struct sim *s, uint32_t sock);

/* shell_event: what a socket or connection tells, in parcel P. */
void shell_event(struct sim *s, const struct parcel *p);

/* shell_number: the engine's number of the upstream that SOCK (TCP: a connection) leads to. */
unsigned shell_number(const struct sim *s, bool tcp, uint32_t sock);

/* shell_upstream: which upstream is that (from 0)? */
unsigned shell_upstream(const struct sim *s, bool tcp, uint32_t sock);

#endif
