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

#define BENCH_GREETING_NUMBER 65 /* bytes of a number as text, with the zero */

/* Who has connected to us, until we know who he is. */
struct bench_guest {
	struct bench_channel c;
	char number[BENCH_GREETING_NUMBER]; /* ours, for him */
	uint64_t until_ns;                  /* when he must have answered */
};

/* bench_guest_greet: begin with the guest of the socket FD, which becomes its own. */
void bench_guest_greet(struct bench_guest *g, int fd, const struct bench_secret *s);

/*
 * bench_guest_known: has he said what a controller says? Does not wait: he may still, unless his
 * channel has failed.
 */
MUST_USE bool bench_guest_known(struct bench_guest *g, const struct bench_secret *s);

/* bench_guest_refuse: tell him WHY not, and end. */
void bench_guest_refuse(struct bench_guest *g, const char *why);

/*
 * bench_greeting_ask: greet whom we have connected to; stop waiting when *stop becomes true. False:
 * the channel has failed.
 */
MUST_USE bool bench_greeting_ask(
    struct bench_channel *c, const struct bench_secret *s, const atomic_bool *stop);

#endif
