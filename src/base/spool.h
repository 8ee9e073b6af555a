/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BASE_SPOOL_H
#define DNS64D_BASE_SPOOL_H

/*
 * spool: records of different length from one thread to another, without a lock or a system call.
 *
 * One thread writes, another one reads. When there is no room a record is not taken: whoever writes
 * never waits. A record is in one piece, aligned to 8 bytes. Memory is touched as it is used.
 */

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"

struct spool {
	uint8_t *bytes; /* owned */
	size_t cap;     /* a power of two */
	/* The writer's: bytes written so far, those with the record that is begun, those read. */
	_Alignas(64) _Atomic uint64_t head;
	uint64_t begun;
	uint64_t tail_seen;
	/* The reader's: bytes read so far. */
	_Alignas(64) _Atomic uint64_t tail;
};

/* spool_init: an empty spool of CAP bytes, a power of two. False without memory. */
MUST_USE bool spool_init(struct spool *s, size_t cap);

/* spool_fini: free what S owns; *S may be all zero. */
void spool_fini(struct spool *s);

/*
 * spool_begin: room for a record of LEN bytes, at most a quarter of the capacity, to be filled by
 * the writer until spool_end. NULL: there is none now.
 */
MUST_USE void *spool_begin(struct spool *s, size_t len);

/* spool_end: the record of the last spool_begin, which was not NULL, can be read. */
void spool_end(struct spool *s);

/*
 * spool_next: the oldest record, for the reader, borrowed until spool_drop; *LEN gets its
 * length in bytes. NULL: there is none.
 */
MUST_USE const void *spool_next(struct spool *s, size_t *len);

/* spool_drop: the reader is done with the record of the last spool_next, which was not NULL. */
void spool_drop(struct spool *s);

#endif
