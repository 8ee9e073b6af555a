/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CACHE_IMAGE_H
#define DNS64D_CACHE_IMAGE_H

/*
 * image: the cache as bytes of a file. Pure; daemon/cachefile reads and writes it.
 *
 * A head, then blocks of records, numbers in network order:
 *
 *	head	8 magic, 4 version, 4 zero, 8 when it was saved (seconds since 1970), 8 records,
 *		8 bytes of the file, 8 checksum
 *	block	4 bytes of its records, 4 records
 *	record	2 bytes of its message, 2 type of the key, 2 EDE, 1 kind, 1 flags, 1 DO (1) and CD
 *(2) of the key, 1 zero, 4 age, 4 TTL, the message; name and class of the key are in that
 *
 * The checksum of each block is the seed of the next one's, the last one's that of the head's,
 *which covers all of the head in front of it. So any memory but a block's is the reader's own
 *affair.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "cache/cache.h"
#include "cache/question.h"
#include "dns/wire.h"

#define IMAGE_VERSION 1
#define IMAGE_HEAD 48                         /* bytes of the head */
#define IMAGE_BLOCK_HEAD 8                    /* bytes in front of a block's records */
#define IMAGE_BLOCK 65536                     /* bytes of the longest block, with those */
#define IMAGE_RECORD 18                       /* bytes of a record in front of its message */
#define IMAGE_TTL_MAX 604800                  /* s (RULES D22) */
#define IMAGE_SEED UINT64_C(0x444e5336346443) /* of the first block's checksum */

struct image_head {
	uint64_t saved_s; /* when, in seconds since 1970 */
	uint64_t records;
	uint64_t bytes; /* of the whole file */
};

/* One entry; all is borrowed from the image. */
struct image_record {
	struct question key; /* its hash is 0 */
	struct cache_entry entry;
	const uint8_t *msg;
};

/* image_put_head: the head of an image whose blocks have checksum SUM. */
void image_put_head(uint8_t out[static IMAGE_HEAD], const struct image_head *h, uint64_t sum);

/* image_get_head: read it; its checksum is not looked at. What is wrong with it, or NULL. */
MUST_USE const char *image_get_head(const uint8_t in[static IMAGE_HEAD], struct image_head *h);

/* image_is_whole: is the head's checksum that of blocks with SUM? */
MUST_USE bool image_is_whole(const uint8_t in[static IMAGE_HEAD], uint64_t sum);

/* image_put_block: the head of a block of LEN bytes in all, with N records. */
void image_put_block(uint8_t *block, size_t len, uint32_t n);

/*
 * image_get_block: bytes that follow a block's head, and *N records in them; 0 if these cannot
 * be.
 */
MUST_USE size_t image_get_block(const uint8_t in[static IMAGE_BLOCK_HEAD], uint32_t *n);

/* image_sum: the checksum of a block of LEN bytes in all behind blocks with SUM. */
MUST_USE uint64_t image_sum(uint64_t sum, const uint8_t *block, size_t len);

/* image_put: append an entry, of whatever kind; W tells if it was full. */
void image_put(struct wire_writer *w, const struct question *key, const struct cache_entry *e,
    const uint8_t *msg);

/*
 * image_get: read a record. What is wrong with it, or NULL: then it is no failure, its TTL is
 * within bounds, and its message, that of a reply, has the key's question and no OPT.
 */
MUST_USE const char *image_get(struct wire_reader *r, struct image_record *out);

/* image_too_old: is an entry, ELAPSED_S older by now, past the time it is stale for? */
MUST_USE bool image_too_old(const struct cache_entry *e, uint64_t elapsed_s, uint32_t stale_s);

#endif
