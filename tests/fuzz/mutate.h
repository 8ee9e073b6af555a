/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_TESTS_FUZZ_MUTATE_H
#define DNS64D_TESTS_FUZZ_MUTATE_H

/*
 * mutate: change a DNS message so that it is one still, most of the time: records come, go, move
 * and change, and counts and lengths follow. What a fuzzer without knowledge of the format makes of
 * a message hardly ever gets beyond the parser.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"

/* libFuzzer's, or replay.c's: change LEN of CAP bytes at random; the new length. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t len, size_t cap);

/* libFuzzer's hook, which a target defines by mutate_behind. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t len, size_t cap, unsigned seed);

/*
 * mutate_message: change the message of LEN bytes at MSG, which has room for CAP; SEED chooses how.
 * Returns the new length. A message that does not parse is changed like any bytes.
 */
MUST_USE size_t mutate_message(uint8_t *msg, size_t len, size_t cap, unsigned seed);

/*
 * mutate_behind: change an input of LEN bytes, with room for CAP, that is a message behind HEAD
 * bytes of another kind, which change now and then too.
 */
MUST_USE size_t mutate_behind(size_t head, uint8_t *data, size_t len, size_t cap, unsigned seed);

#endif
