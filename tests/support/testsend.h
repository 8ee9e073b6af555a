/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_TESTS_SUPPORT_TESTSEND_H
#define DNS64D_TESTS_SUPPORT_TESTSEND_H

/*
 * testsend: sendmmsg(2) of the program under test, which refuses datagrams when the test wants it
 * to: those before one that is refused are sent, as the kernel does it, and the next call fails.
 *
 * For programs that are linked with $(wrap_send), see Makefile.am. Any thread may call.
 */

#include <stdbool.h>

/*
 * testsend_refuse: after SKIP datagrams, by connected sockets (CONNECTED: to upstreams) or by the
 * others, refuse TIMES of them with ERR (errno). One that is tried again counts again. A run that
 * is one message (io/udp_slot) is refused whole if one of its datagrams is; those behind it do not
 * count then.
 */
void testsend_refuse(bool connected, long skip, long times, int err);

/* testsend_refused: how many datagrams were refused since testsend_refuse. */
long testsend_refused(void);

/* testsend_calls: how many calls there were since testsend_reset. */
long testsend_calls(void);

/* testsend_reset: refuse nothing. */
void testsend_reset(void);

#endif
