/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_TESTS_SUPPORT_TESTCLOCK_H
#define DNS64D_TESTS_SUPPORT_TESTCLOCK_H

/*
 * testclock: the clock of the program under test (base/clock), replaced by the
 * test's. It runs with the real clock until the test holds it. While it stands still nothing is
 * late, however busy the machine is; and what takes seconds passes at once. Timers of libevent and
 * the kernel go on all the while: their handlers read this clock.
 *
 * For programs that are linked with $(wrap_clock), see Makefile.am. Any thread may call.
 */

#include <stdint.h>

/* testclock_hold: stand still from now on. */
void testclock_hold(void);

/* testclock_pass: go on by NS at once. */
void testclock_pass(uint64_t ns);

/* testclock_set_wall: set the wall clock, which goes as the other one does, NS ahead. */
void testclock_set_wall(int64_t ns);

/* testclock_release: go as the real clock does, on from where it stands. */
void testclock_release(void);

/* testclock_reset: be the real clock again. For the end of a test, when nobody looks at it. */
void testclock_reset(void);

#endif
