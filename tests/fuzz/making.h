/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_TESTS_FUZZ_MAKING_H
#define DNS64D_TESTS_FUZZ_MAKING_H

/* making: all that dns64/ and dns/ make of a reply, by one call. */

#include "dns64/synth.h"

enum making { MAKING_SYNTH, MAKING_FILTERED, MAKING_REVERSE, MAKING_RELAY, MAKINGS };

/*
 * making_build: the answer to a client made of reply M, with an OPT, at most LIMIT bytes of the
 * DNS_MSG_MAX at BUF. Returns its length.
 */
size_t making_build(enum making what, const struct synth_policy *p, const struct msg *m,
    uint8_t *buf, size_t limit);

#endif
