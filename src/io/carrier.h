/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_IO_CARRIER_H
#define DNS64D_IO_CARRIER_H

/*
 * carrier: what carries a stream of bytes: a row of functions for each transport that does
 * (core/transport). Plain TCP is the only one; one that seals its bytes has a row too, and whoever
 * uses a link knows nothing of it: not that it shakes hands before anything is written, nor that
 * bytes come in other pieces than they are read in. No function waits.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "base/attr.h"
#include "core/conf.h"
#include "core/transport.h"

/* One end of a stream; its owner embeds it, and watches the descriptor. */
struct carrier_link {
	int fd;            /* owned; -1: none */
	uint8_t transport; /* enum transport */
	bool more;         /* of what carrier_read took off the descriptor it has some yet */
	void *state;       /* the carrier's own, from its begin to its end; NULL */
};

/* How far a stream that is being made has come. */
enum carrier_step {
	CARRIER_UP,          /* it is there */
	CARRIER_AWAITS_READ, /* not before the descriptor is readable, */
	CARRIER_AWAITS_WRITE /* writable */
};

/* What each function does is said of the function of that name below. */
struct carrier {
	int (*begin)(struct carrier_link *k, const struct conf_upstream *to);
	int (*feed)(struct carrier_link *k);
	ssize_t (*read)(struct carrier_link *k, uint8_t *bytes, size_t len);
	ssize_t (*write)(struct carrier_link *k, struct iovec *pieces, size_t n);
	void (*end)(struct carrier_link *k);
};

/* A link that has no stream. */
#define CARRIER_NONE ((struct carrier_link){ .fd = -1 })

/*
 * carrier_begin: begin a stream by TRANSPORT to the upstream TO, which is borrowed for this call.
 * 0: K has a descriptor, and carrier_feed is called when it is writable. -errno: K has none.
 */
MUST_USE int carrier_begin(
    struct carrier_link *k, enum transport transport, const struct conf_upstream *to);

/* carrier_accept: make K a stream that a client began by TRANSPORT; FD is passed on. */
void carrier_accept(struct carrier_link *k, enum transport transport, int fd);

/*
 * carrier_feed: the descriptor of K is ready for what was awaited, first for writing. Returns enum
 * carrier_step, or -errno: the stream cannot be made. Called again until it is there.
 */
MUST_USE int carrier_feed(struct carrier_link *k);

/*
 * carrier_read: read up to LEN bytes. Returns their number; 0: the stream has ended; -EAGAIN: there
 * are none now; or another -errno. While K->more read again at once, as the descriptor need not
 * become readable for the rest; that reads no more off it.
 */
MUST_USE ssize_t carrier_read(struct carrier_link *k, uint8_t *bytes, size_t len);

/*
 * carrier_write: write the N pieces (at most IOV_MAX), in one system call if the transport can.
 * Returns how many bytes were taken; -EAGAIN: none now; or another -errno.
 */
MUST_USE ssize_t carrier_write(struct carrier_link *k, struct iovec *pieces, size_t n);

/* carrier_end: close the stream, if K has one, in good order; K is CARRIER_NONE then. */
void carrier_end(struct carrier_link *k);

#endif
