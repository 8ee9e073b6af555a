/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_LOAD_VERSION_H
#define DNS64D_BENCH_LOAD_VERSION_H

/* bench_version: which server that is, as it says itself: version.bind in class CH (RFC 4892). */

#include <stdbool.h>

#include "base/attr.h"
#include "base/netaddr.h"

#define BENCH_VERSION_TEXT 256 /* bytes of a version, with the zero */

/*
 * bench_version_ask: ask SERVER over UDP and write what it says to TEXT, printable ASCII. Waits for
 * WAIT_MS at most. False, and TEXT is empty: it does not say.
 */
MUST_USE bool bench_version_ask(
    const struct netaddr *server, int wait_ms, char text[static BENCH_VERSION_TEXT]);

#endif
