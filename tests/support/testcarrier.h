/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_TESTS_SUPPORT_TESTCARRIER_H
#define DNS64D_TESTS_SUPPORT_TESTCARRIER_H

/*
 * testcarrier: a carrier over TCP that does what one that seals its bytes would do. Before its
 * stream is there it writes a greeting, reads one and writes thanks; then it reads as much as there
 * is, and hands it out in small pieces. For programs that are linked with $(wrap_carrier).
 */

#include <stdbool.h>

/* testcarrier_use: streams that begin from now on are carried so, or, if not ON, as usual. */
void testcarrier_use(bool on);

/*
 * testcarrier_greet: be the other end, at FD: take the greeting, behind which nothing may come, and
 * give one back; the stream is there then. Fails the Check test.
 */
void testcarrier_greet(int fd);

#endif
