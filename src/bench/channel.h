/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_CHANNEL_H
#define DNS64D_BENCH_CHANNEL_H

/*
 * bench_channel: a TCP connection between two testers, by which they exchange messages: each the
 * length of its text in four bytes, in network order, and then the text, a JSON object. The other
 * side is not trusted: a message has a longest length, which the memory is bounded by, and must
 * come to its end soon.
 */

#include <jansson.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"

/* Longest text of a message, in bytes. */
#define BENCH_CHANNEL_FIRST 1024     /* of who has not proved anything yet */
#define BENCH_CHANNEL_PLAN 65536     /* of who asks for trials */
#define BENCH_CHANNEL_RESULT 1048576 /* of who does them */

#define BENCH_CHANNEL_SLOW_S 5 /* for the rest of a message, and for sending one */
#define BENCH_CHANNEL_ERROR 200

struct bench_channel {
	int fd;      /* owned, non-blocking; -1: none */
	size_t most; /* bytes of a text */
	uint8_t head[4];
	uint8_t *text;     /* owned: of the message that is being read; NULL: its head is */
	size_t len;        /* of it, in all */
	size_t have;       /* bytes of head or text */
	uint64_t since_ns; /* when that message began to come */
	char error[BENCH_CHANNEL_ERROR]; /* what went wrong; "": nothing has */
};

/*
 * bench_channel_init: make *c of the connected socket FD, which becomes its own, for messages of up
 * to MOST bytes.
 */
void bench_channel_init(struct bench_channel *c, int fd, size_t most);

/* bench_channel_close: close it, whatever is on its way; an error stays. */
void bench_channel_close(struct bench_channel *c);

/*
 * bench_channel_plain: make all of TEXT that is no printable ASCII, as what the other side has sent
 * may be, to "?": it goes to terminals and logs. Returns TEXT.
 */
char *bench_channel_plain(char *text);

/*
 * bench_channel_fail: close it, and keep why, made plain, unless it has failed already. Returns
 * false.
 */
bool bench_channel_fail(struct bench_channel *c, const char *format, ...) PRINTF_LIKE(2, 3);

/*
 * bench_channel_send: send MESSAGE, which is taken over; NULL: there was no memory for it. Waits
 * for room. False: the channel has failed.
 */
bool bench_channel_send(struct bench_channel *c, json_t *message);

/*
 * bench_channel_take: a message that has come, an object, the caller's. Does not wait: NULL if none
 * has come yet, or if the channel has failed, which it also does when the rest of one is too slow.
 */
MUST_USE json_t *bench_channel_take(struct bench_channel *c);

/*
 * bench_channel_wait: wait for a message, for up to SECONDS or until *stop becomes true. NULL: the
 * channel has failed.
 */
MUST_USE json_t *bench_channel_wait(
    struct bench_channel *c, double seconds, const atomic_bool *stop);

#endif
