/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CACHE_IMAGE_H
#define DNS64D_CACHE_IMAGE_H

/*
 * image: the cache's entries as bytes of a file. daemon/cachefile_save and daemon/cachefile_load
 * write and read it.
 *
 * A head, then blocks of records; numbers are in network order:
 *
 *	head	8 magic, 4 version, 4 zero, 8 when it was saved (seconds since 1970), 8 records,
 *		8 bytes of the file, 8 checksum
 *	block	4 bytes of its records, 4 records
 *	record	2 bytes of its message, 2 type of the key, 2 EDE, 1 kind, 1 flags,
 *		1 DO (1) and CD (2) of the key, 1 zero, 4 age, 4 TTL, then the message, whose
 *		question has name and class of the key
 *
 * The checksum of the first block is seeded with IMAGE_SEED and a key of the caller's;
 * that of a block is the seed for that of the next one; that of the last block is the seed
 * for the head's, which covers the head up to it. A reader needs memory for one block only.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "cache/cache.h"
#include "cache/question.h"
#include "dns/wire.h"

#define IMAGE_VERSION 1                       /* of this layout */
#define IMAGE_HEAD 48                         /* bytes of the head */
#define IMAGE_BLOCK_HEAD 8                    /* bytes of a block's head */
#define IMAGE_BLOCK 65536                     /* bytes of the longest block with its head */
#define IMAGE_RECORD 18                       /* bytes of a record before its message */
#define IMAGE_SEED UINT64_C(0x444e5336346443) /* of the first block's checksum */

/* What the head says. */
struct image_head {
	uint64_t saved_s; /* when, in seconds since 1970 */
	uint64_t records;
	uint64_t bytes; /* of the whole file */
};

/* One entry; name and message are borrowed from the image. */
struct image_record {
	struct question key; /* its hash is 0 */
	struct cache_entry entry;
	const uint8_t *msg;
};

/* image_put_head: write the head of an image whose last block has checksum SUM. */
void image_put_head(uint8_t out[static IMAGE_HEAD], const struct image_head *h, uint64_t sum);

/*
 * image_get_head: read the head; its checksum is not compared. Returns NULL, or what is wrong as a
 * text that follows the file's name ("is no cache file").
 */
MUST_USE const char *image_get_head(const uint8_t in[static IMAGE_HEAD], struct image_head *h);

/* image_is_whole: is the head's checksum right for blocks the last of which has checksum SUM? */
MUST_USE bool image_is_whole(const uint8_t in[static IMAGE_HEAD], uint64_t sum);

/* image_put_block: write the head of a block of LEN bytes, head included, with N records. */
void image_put_block(uint8_t *block, size_t len, uint32_t n);

/*
 * image_get_block: read a block's head. Returns the bytes of its records, and their number in *N; 0
 * if these cannot be right.
 */
MUST_USE size_t image_get_block(const uint8_t in[static IMAGE_BLOCK_HEAD], uint32_t *n);

/*
 * image_sum: the checksum of a block of LEN bytes, head included; SUM: that of the block before it,
 * or IMAGE_SEED ^ key.
 */
MUST_USE uint64_t image_sum(uint64_t sum, const uint8_t *block, size_t len);

/* image_put: append a record for an entry. If it does not fit nothing is written and W is full. */
void image_put(struct wire_writer *w, const struct question *key, const struct cache_entry *e,
    const uint8_t *msg);

/*
 * image_get: read and check a record. Returns NULL, or what is wrong as a text ("is cut off"). A
 * sound record is no failure, its TTL is at most DNS_TTL_MAX, and its message is a well-formed
 * reply with the key's question and without OPT.
 */
MUST_USE const char *image_get(struct wire_reader *r, struct image_record *out);

/* image_too_old: is E, now ELAPSED_S older, stale for STALE_S or longer? */
MUST_USE bool image_too_old(const struct cache_entry *e, uint64_t elapsed_s, uint32_t stale_s);

#endif
