/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_GREETING_H
#define DNS64D_BENCH_GREETING_H

/*
 * bench_greeting: the first messages of two testers: they must be of one version, and if there is a
 * secret each must know it. Neither sends it: both send a number that was never used before, and
 * answer with HMAC-SHA-256, by the secret, of both numbers (RFC 2104). What follows is neither
 * encrypted nor signed.
 */

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "bench/channel.h"

#define BENCH_SECRET_LEAST 16 /* bytes */
#define BENCH_SECRET_MOST 256

/* What both sides know. */
struct bench_secret {
	size_t len; /* 0: there is none */
	uint8_t bytes[BENCH_SECRET_MOST];
};

/*
 * bench_secret_read: the first line of the file PATH, without its end; NULL: no secret. False: that
 * is none, and the reason to ERROR.
 */
MUST_USE bool bench_secret_read(
    const char *path, struct bench_secret *s, char error[static BENCH_CHANNEL_ERROR]);

/*
 * bench_greeting_answer: greet who has connected to us; stop waiting when *stop becomes true.
 * False: the channel has failed.
 */
MUST_USE bool bench_greeting_answer(
    struct bench_channel *c, const struct bench_secret *s, const atomic_bool *stop);

/* bench_greeting_ask: greet whom we have connected to; likewise. */
MUST_USE bool bench_greeting_ask(
    struct bench_channel *c, const struct bench_secret *s, const atomic_bool *stop);

#endif
