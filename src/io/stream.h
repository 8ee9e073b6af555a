/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_IO_STREAM_H
#define DNS64D_IO_STREAM_H

/*
 * stream: DNS messages on a byte stream (RFC 1035 section 4.2.2, RFC 7766 section 8), the
 * same towards clients and upstreams.
 *
 * A connection holds a pooled buffer only while a frame is partial or must wait, and
 * pooled chunks only while bytes cannot be written. Nothing here allocates after
 * stream_mem_init. One thread.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/pool.h"

#define STREAM_CAP 65792   /* bytes of a receive buffer: the longest frame and a little */
#define STREAM_CHUNKS 4096 /* chunks per loop: 16 MiB of unsent bytes at most */
#define STREAM_CHUNK 4096  /* bytes of a chunk with its head */

/* The memory that the streams of one loop share. */
struct stream_mem {
	struct pool buffers; /* of STREAM_CAP bytes */
	struct pool chunks;  /* of struct stream_chunk */
	uint8_t *scratch;    /* STREAM_CAP bytes, for connections that hold no buffer */
};

struct stream_chunk {
	struct stream_chunk *next;
	uint32_t from; /* bytes [from, to) are not yet sent */
	uint32_t to;
	uint8_t bytes[STREAM_CHUNK - 16];
};

/* What was received and not yet used. Zero: nothing. */
struct stream_in {
	uint8_t *buf; /* pooled; NULL when nothing is held */
	uint32_t len; /* bytes in it */
};

/* What is to be sent. Zero: nothing. */
struct stream_out {
	struct stream_chunk *head; /* pooled */
	struct stream_chunk *tail;
	size_t len; /* bytes unsent */
};

/* Bytes that frames can be taken from; valid until the next stream_keep or stream_read. */
struct stream_window {
	uint8_t *at;
	size_t len;  /* bytes there */
	size_t used; /* of these already taken as frames */
};

enum stream_verdict {
	STREAM_FRAME,   /* a whole message */
	STREAM_PARTIAL, /* more bytes are needed */
	STREAM_BAD      /* a length under that of a DNS header */
};

/*
 * stream_mem_init: room for N connections. Returns 0 or -errno. stream_mem_fini: all is given back.
 */
MUST_USE int stream_mem_init(struct stream_mem *mem, uint32_t n);
void stream_mem_fini(struct stream_mem *mem);

/*
 * stream_read: read once from the non-blocking FD behind what is held; the window covers both.
 * Returns bytes read, 0 at the end of the stream, -EAGAIN or another -errno.
 */
MUST_USE int stream_read(
    struct stream_in *in, struct stream_mem *mem, int fd, struct stream_window *w);

/* stream_held: the window over what is held, without reading. */
void stream_held(const struct stream_in *in, struct stream_window *w);

/*
 * stream_frame: take the next message of the window; *MSG points into it, without the length.
 * For STREAM_BAD they are set as well, as far as the bytes are there.
 */
MUST_USE enum stream_verdict stream_frame(
    struct stream_window *w, const uint8_t **msg, size_t *len);

/*
 * stream_keep: hold what the window has not used, and give the buffer back when that is
 * nothing. False when a buffer is needed and none is free (cannot be with N right).
 */
MUST_USE bool stream_keep(struct stream_in *in, struct stream_mem *mem, struct stream_window *w);

/*
 * stream_put: queue a message of LEN bytes (at most 65,535), its length before it. False, and
 * nothing is queued, when there is no chunk free.
 */
MUST_USE bool stream_put(
    struct stream_out *out, struct stream_mem *mem, const uint8_t *msg, size_t len);

/*
 * stream_write: write as much as FD takes, length and message in one call (RFC 7766 section 8).
 * Returns 1 when all is sent, 0 when the socket is full, -errno when it failed. *PROGRESS: did
 * it take anything?
 */
MUST_USE int stream_write(struct stream_out *out, struct stream_mem *mem, int fd, bool *progress);

/* stream_direct: write a message past an empty queue. True when FD took all of it. */
MUST_USE bool stream_direct(int fd, const uint8_t *msg, size_t len);

/* stream_in_clear, stream_out_clear: forget the bytes, give the memory back. */
void stream_in_clear(struct stream_in *in, struct stream_mem *mem);
void stream_out_clear(struct stream_out *out, struct stream_mem *mem);

#endif
