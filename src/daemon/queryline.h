/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DAEMON_QUERYLINE_H
#define DNS64D_DAEMON_QUERYLINE_H

/*
 * queryline: a line of the query log, made from what the engine says of an answer. dns64d.conf(5)
 * has its form. Pure functions.
 *
 * Names come from the net: what they hold cannot end a line, a word or a string.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "engine/querylog_tap.h"

#define QUERYLINE_MAX 4096     /* bytes of a line, with its newline and a zero */
#define QUERYLINE_ADDRESSES 16 /* of an answer; of more "+" is said */

/* An answer that is to be told of. */
struct queryline {
	const struct querylog_tap_record *record;
	const uint8_t *msg; /* what follows the record */
	size_t len;
	uint64_t unix_us; /* when it was given: microseconds since 1970 */
};

/* queryline_text: write Q as a line of words to LINE. Returns its length, without the zero. */
MUST_USE size_t queryline_text(const struct queryline *q, char line[static QUERYLINE_MAX]);

/* queryline_json: write Q as a JSON object (RFC 8259) and a newline to LINE. Returns the length. */
MUST_USE size_t queryline_json(const struct queryline *q, char line[static QUERYLINE_MAX]);

#endif
