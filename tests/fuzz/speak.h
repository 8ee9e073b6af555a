/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_TESTS_FUZZ_SPEAK_H
#define DNS64D_TESTS_FUZZ_SPEAK_H

/*
 * speak: questions and replies that a fuzzer's bytes choose, of few names and types, so that much
 * that is asked has been asked before and replies fit together.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "fuzz/fuzz.h"

#define SPEAK_MAX 1024 /* bytes of a message made here, at most */

/* The bytes, and how many of them were read. */
struct script {
	const uint8_t *data;
	size_t len;
	size_t at;
};

/* script_byte: the next byte; 0 when all were read. */
static inline uint8_t
script_byte(struct script *s)
{
	return s->at < s->len ? s->data[s->at++] : 0;
}

/* speak_name: one of the names, in wire form. */
MUST_USE const uint8_t *speak_name(uint8_t which);

/* speak_question: write a client's question to MSG, as S says. Returns its length. */
MUST_USE size_t speak_question(struct script *s, uint8_t msg[static SPEAK_MAX]);

/* speak_reply: write a reply to Q to MSG, as S says. Returns its length. */
MUST_USE size_t speak_reply(
    struct script *s, const struct fuzz_question *q, uint8_t msg[static SPEAK_MAX]);

#endif
