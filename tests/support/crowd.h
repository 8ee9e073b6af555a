/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_TESTS_SUPPORT_CROWD_H
#define DNS64D_TESTS_SUPPORT_CROWD_H

/*
 * crowd: TCP clients of any address, on a clock that the test plays: a shell without listeners
 * whose connections are socket pairs. Nobody answers its upstream questions; what is asked for
 * CROWD_LOCAL is answered here (RULES D17).
 */

#include <stdbool.h>
#include <stdint.h>

#include "io/shell.h"
#include "support/rig.h"

#define CROWD_LOCAL "resolver.arpa"

struct crowd {
	struct rig rig; /* its conf may be changed between crowd_init and crowd_start */
	struct shell *sh;
};

/* crowd_init: the settings. */
void crowd_init(struct crowd *c);

/* crowd_start: the shell, at its time 1 s. */
void crowd_start(struct crowd *c);

/* crowd_end: close what is on the shell's side. */
void crowd_end(struct crowd *c);

/* crowd_join: a new connection of the client ADDRESS. Returns its end of it, non-blocking. */
int crowd_join(struct crowd *c, const char *address);

/* crowd_turn: one iteration, as io/loop has them. */
void crowd_turn(struct crowd *c);

/* crowd_settle: iterations until none leaves work for the next. Returns how many. */
unsigned crowd_settle(struct crowd *c);

/* crowd_pass: MS pass, in steps of 100 ms, with what is due at each. */
void crowd_pass(struct crowd *c, unsigned ms);

/* crowd_ask: write N questions for the A of NAME to FD at once, if it is not closed. */
void crowd_ask(int fd, const char *name, unsigned n);

/* crowd_is_full: can nothing be written to FD now? */
bool crowd_is_full(int fd);

/* crowd_ask_new: write a question to FD that was not asked before, and stays unanswered. */
void crowd_ask_new(int fd);

/* crowd_is_open: is FD's other end open? What has come is left to be read. */
bool crowd_is_open(int fd);

/* crowd_stat: the counter NAME. */
uint64_t crowd_stat(const struct crowd *c, const char *name);

/* crowd_read: read up to MAX bytes that have come. Returns how many. */
size_t crowd_read(int fd, size_t max);

#endif
