/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_FAKEDNS_SPOIL_H
#define DNS64D_FAKEDNS_SPOIL_H

/*
 * fake_spoil: what becomes of an answer on a bad way: damaged, or preceded by a forged one. None of
 * it can be taken for the right answer, nor for one with other data, by who checks what comes.
 * Pure: chance is given by the caller.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"

/*
 * fake_spoil_damage: damage the answer of LEN bytes at MSG, at least a header (12), as NOISE says:
 * it is cut, counts more records than it has, or is noise behind its header. Returns its new
 * length, not longer.
 */
MUST_USE size_t fake_spoil_damage(uint8_t *msg, size_t len, uint64_t noise);

/*
 * fake_spoil_forge: make of the answer of LEN bytes at MSG, at least a header (12), what a forger
 * sends who knows all but the ID: that is another one, and the data is wrong where there is any.
 */
void fake_spoil_forge(uint8_t *msg, size_t len, uint64_t noise);

#endif
