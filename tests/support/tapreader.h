/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_SUPPORT_TAPREADER_H
#define DNS64D_SUPPORT_TAPREADER_H

/*
 * tapreader: a reader of dnstap in a thread of its own, by the text of Frame Streams and without
 * its library. It reads, or stops at some point.
 */

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* How far it goes. */
enum tapreader_manner {
	TAPREADER_READS,
	TAPREADER_STUCK, /* takes the content, then reads nothing */
	TAPREADER_DUMB   /* takes the connection, then says nothing */
};

#define TAPREADER_CAP ((size_t)1 << 20)

struct tapreader {
	enum tapreader_manner manner;
	pthread_t id;
	int listen_fd;
	int end_fd;     /* eventfd: the thread is to end */
	uint8_t *bytes; /* of the frames, each with its length before it; the first of them */
	_Atomic size_t len;
	atomic_uint n;       /* frames so far */
	atomic_uint n_begun; /* connections */
	atomic_uint n_ended; /* of these that said goodbye */
};

/* tapreader_start: read at PATH from now on. */
void tapreader_start(struct tapreader *t, const char *path, enum tapreader_manner manner);

/* tapreader_end: end at once, closing what is open; the file at the path stays. */
void tapreader_end(struct tapreader *t);

/* tapreader_frame: frame number I, from 0, of those in bytes; *LEN gets its length. */
const uint8_t *tapreader_frame(const struct tapreader *t, unsigned i, size_t *len);

#endif
