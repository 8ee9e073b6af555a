/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DAEMON_DNSTAP_STREAM_H
#define DNS64D_DAEMON_DNSTAP_STREAM_H

/*
 * dnstap_stream: the connection to the reader of dnstap: Frame Streams, by libfstrm, over a Unix
 * socket.
 *
 * libfstrm speaks over a transport of ours, which never waits for a reader that does not answer any
 * longer than it is told to, and which a descriptor wakes.
 *
 * Built with --with-dnstap only.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

#include "base/attr.h"

struct fstrm_writer;

struct dnstap_stream {
	struct fstrm_writer *writer; /* owned; NULL: not connected */
	int fd;                      /* owned; -1: none */
	int wake_fd;                 /* borrowed: when it can be read, waiting ends soon */
	bool hurried;                /* that has happened: until_ns does not grow any more */
	bool broken;
	uint64_t until_ns; /* what is being done fails then */
};

/* dnstap_stream_init: not connected; WAKE_FD is borrowed. */
void dnstap_stream_init(struct dnstap_stream *s, int wake_fd);

/*
 * dnstap_stream_open: connect S, which is not connected, to the reader at PATH, of less than 108
 * characters. Returns 0 or -errno: -ENOTSOCK if PATH is something else, -EPROTO if it does not
 * speak Frame Streams or not this content, or too slowly.
 */
MUST_USE int dnstap_stream_open(struct dnstap_stream *s, const char *path);

/* dnstap_stream_alive: is S connected, as far as can be seen without writing? */
MUST_USE bool dnstap_stream_alive(const struct dnstap_stream *s);

/*
 * dnstap_stream_write: write N frames, however long the reader takes, unless it was woken: then it
 * has DNSTAP_STREAM_HURRY_MS left in all. False: S is to be closed, and the frames may be lost.
 */
#define DNSTAP_STREAM_HURRY_MS 500
MUST_USE bool dnstap_stream_write(struct dnstap_stream *s, const struct iovec *frames, int n);

/* dnstap_stream_patient: what woke S was dealt with: it has all the time again. */
void dnstap_stream_patient(struct dnstap_stream *s);

/* dnstap_stream_close: say goodbye, for DNSTAP_STREAM_HURRY_MS at most, if S is connected; close
 * it.
 */
void dnstap_stream_close(struct dnstap_stream *s);

#endif
