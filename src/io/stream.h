/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_IO_STREAM_H
#define DNS64D_IO_STREAM_H

/*
 * stream: DNS messages on a byte stream, each with its length in 2 bytes before it (RFC 1035
 * section 4.2.2, RFC 7766 section 8). The same towards clients and upstreams.
 *
 * A connection holds a buffer of the pool only while a frame is incomplete or must wait, and chunks
 * of the pool only while bytes cannot be written. Nothing allocates after stream_mem_init. One
 * thread.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/pool.h"
#include "io/carrier.h"

#define STREAM_CAP 65792   /* bytes of a receive buffer: more than the longest frame, 65,537 */
#define STREAM_CHUNKS 4096 /* chunks per loop: 16 MiB of unsent bytes at most */
#define STREAM_CHUNK 4096  /* bytes of a chunk with its head */

/* The memory that the streams of one loop share. */
struct stream_mem {
	struct pool buffers; /* of STREAM_CAP bytes */
	struct pool chunks;  /* of struct stream_chunk */
	uint8_t *scratch;    /* STREAM_CAP bytes, for connections that hold no buffer */
};

/* A piece of the bytes to be sent. */
struct stream_chunk {
	struct stream_chunk *next;
	uint32_t from; /* bytes from..to-1 are not yet sent */
	uint32_t to;
	uint8_t bytes[STREAM_CHUNK - 16];
};

/* Bytes that were received and not yet taken as messages. Zeroed: none. */
struct stream_in {
	uint8_t *buf; /* owned, from the pool; NULL when nothing is held */
	uint32_t len; /* bytes in buf */
};

/* Bytes that are to be sent. Zeroed: none. */
struct stream_out {
	struct stream_chunk *head; /* owned, from the pool */
	struct stream_chunk *tail;
	size_t len; /* bytes unsent */
};

/* Bytes that frames are taken from, borrowed; valid until the next stream_keep or stream_read. */
struct stream_window {
	uint8_t *at;
	size_t len;  /* bytes at AT */
	size_t used; /* those of them that were taken as frames */
};

enum stream_verdict {
	STREAM_FRAME,   /* a whole message */
	STREAM_PARTIAL, /* more bytes are needed */
	STREAM_BAD      /* a length of less than 12, the length of a DNS header */
};

/*
 * stream_mem_init: allocate the memory for the streams of N connections. Returns 0 or -errno; on
 * failure stream_mem_fini is not needed.
 */
MUST_USE int stream_mem_init(struct stream_mem *mem, uint32_t n);

/* stream_mem_fini: free the memory. Every stream that uses it must have been cleared. */
void stream_mem_fini(struct stream_mem *mem);

/*
 * stream_read: read once from K without waiting, and append to the bytes that IN holds;
 * the window W covers both. Returns the number of bytes read, 0 at the end of the stream, -EAGAIN
 * when there is nothing to read, or another -errno.
 * After a positive result stream_keep or stream_in_clear must follow.
 */
MUST_USE int stream_read(
    struct stream_in *in, struct stream_mem *mem, struct carrier_link *k, struct stream_window *w);

/* stream_held: set the window W to the bytes that IN holds, without reading. */
void stream_held(const struct stream_in *in, struct stream_window *w);

/*
 * stream_frame: take the next message from the window. For STREAM_FRAME *MSG points to the message
 * in the window, behind the length field, and *LEN is its length in bytes. For STREAM_BAD *MSG and
 * *LEN are set as far as bytes are there, and nothing is taken. For STREAM_PARTIAL both are
 * untouched.
 */
MUST_USE enum stream_verdict stream_frame(
    struct stream_window *w, const uint8_t **msg, size_t *len);

/*
 * stream_keep: let IN hold the bytes of the window that were not taken; without any, the buffer
 * goes back to the pool. False when a buffer is needed and none is free, which cannot happen if
 * stream_mem_init was given the right N.
 */
MUST_USE bool stream_keep(struct stream_in *in, struct stream_mem *mem, struct stream_window *w);

/*
 * stream_put: append the message MSG of LEN bytes (at most 65,535) to the queue OUT, its length in
 * 2 bytes, network order, before it. False, and nothing is queued, when there are not enough free
 * chunks.
 */
MUST_USE bool stream_put(
    struct stream_out *out, struct stream_mem *mem, const uint8_t *msg, size_t len);

/*
 * stream_write: write as much of OUT as K accepts without waiting, a length and its
 * message in one system call (RFC 7766 section 8). Returns 1 when all is sent, 0 when K
 * takes no more now, or -errno.
 */
MUST_USE int stream_write(struct stream_out *out, struct stream_mem *mem, struct carrier_link *k);

/*
 * stream_direct: write the message MSG of LEN bytes (at most 65,535), its length before it, to K
 * without the queue, which must be empty. True when K accepted all of it; if not, the stream may
 * end in the middle of a frame and must be closed.
 */
MUST_USE bool stream_direct(struct carrier_link *k, const uint8_t *msg, size_t len);

/* stream_in_clear: discard the bytes that IN holds; the buffer goes back to the pool. */
void stream_in_clear(struct stream_in *in, struct stream_mem *mem);

/* stream_out_clear: discard the bytes that OUT has queued; the chunks go back to the pool. */
void stream_out_clear(struct stream_out *out, struct stream_mem *mem);

#endif
