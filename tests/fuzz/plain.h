/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_TESTS_FUZZ_PLAIN_H
#define DNS64D_TESTS_FUZZ_PLAIN_H

/*
 * plain: do all names of a message lie where names are? A pointer may lead into a TTL or an
 * address: what is there reads like labels as long as nobody changes it. But TTLs count down, and
 * addresses take turns; then the name is another one, or none. Who sends such a message gets what
 * he asked for.
 */

#include <stdbool.h>

#include "dns/msg.h"

/* plain: true if every pointer in M leads to a label of a name that stands before it. */
bool plain(const struct msg *m);

#endif
