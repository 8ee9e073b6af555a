/* SPDX-License-Identifier: BSD-2-Clause */
/* Saving: from the cache to the file. */
#include "daemon/cachefile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cache/image.h"
#include "daemon/newfile.h"

#define SYNC_BYTES (32 << 20) /* unwritten bytes at most, so that no fsync takes long */

/* The block that is being filled, and a summary of the file before it. */
struct block {
	uint64_t sum;   /* checksum of all blocks before this one */
	uint64_t bytes; /* length of the file's head and of those blocks */
	uint32_t n;     /* records in this block */
	size_t len;     /* bytes of this block in data */
	uint8_t data[IMAGE_BLOCK];
};

struct saving {
	int fd;
	const struct cachefile_when *when;
	struct cachefile_counts *counts;
	struct wire_writer shard; /* a copy of all entries of one shard */
	uint64_t synced;          /* bytes that are on the disk */
	struct block block;
};

/* Called with the shard locked, so do no more than copy the entry. */
static bool
copy_entry(void *arg, const struct question *key, const struct cache_entry *e, const uint8_t *msg)
{
	struct saving *s = arg;

	if (e->kind < CACHE_ERROR)
		image_put(&s->shard, key, e, msg);
	return !s->shard.full;
}

/* Write the block, if it has any record, and begin the next one. Returns 0 or -errno. */
static int
end_block(struct saving *s)
{
	struct block *b = &s->block;
	int rc;

	if (b->n == 0)
		return 0;
	image_put_block(b->data, b->len, b->n);
	b->sum = image_sum(b->sum, b->data, b->len);
	b->bytes += b->len;
	rc = newfile_write(s->fd, b->data, b->len);
	b->n = 0;
	b->len = IMAGE_BLOCK_HEAD;
	return rc;
}

/* Append the LEN bytes of a record to the block. Returns 0 or -errno. */
static int
add_record(struct saving *s, const uint8_t *record, size_t len)
{
	struct block *b = &s->block;
	int rc = len > sizeof(b->data) - b->len ? end_block(s) : 0;

	memcpy(b->data + b->len, record, len);
	b->len += len;
	b->n++;
	s->counts->entries++;
	return rc;
}

/* Write the copy of a shard, but no record that a load would refuse. Returns 0 or -errno. */
static int
write_shard(struct saving *s)
{
	struct wire_reader r = { .buf = s->shard.buf, .len = s->shard.len };
	int rc = 0;

	while (rc == 0 && r.pos < r.len && !r.bad) {
		size_t at = r.pos;
		struct image_record rec;

		if (image_get(&r, &rec) != NULL)
			continue;
		if (image_too_old(&rec.entry, 0, s->when->stale_s))
			s->counts->old++;
		else
			rc = add_record(s, r.buf + at, r.pos - at);
	}
	return rc;
}

/* Between two shards: call the tick, and sync what was written. Returns 0 or -errno. */
static int
take_breath(struct saving *s)
{
	if (s->when->tick != NULL)
		s->when->tick(s->when->arg);
	if (s->block.bytes - s->synced < SYNC_BYTES)
		return 0;
	s->synced = s->block.bytes;
	return fdatasync(s->fd) == 0 ? 0 : -errno;
}

/* Write all shards, one after the other. Returns 0 or -errno. */
static int
write_shards(struct saving *s, struct cache *c)
{
	unsigned n = cache_shards(c);
	int rc = 0;

	/* The copy of a shard is not longer: an entry in memory has a longer head than a record. */
	s->shard.cap = cache_size(c) / n;
	s->shard.buf = malloc(s->shard.cap);
	if (s->shard.buf == NULL)
		return -ENOMEM;
	for (unsigned i = 0; i < n && rc == 0; i++) {
		s->shard.len = 0;
		if (cache_walk(c, i, s->when->now_s, copy_entry, s))
			rc = write_shard(s);
		else
			rc = -ENOBUFS;
		if (rc == 0)
			rc = take_breath(s);
	}
	free(s->shard.buf);
	return rc == 0 ? end_block(s) : rc;
}

/* Write the whole file to FD and sync it. Returns 0 or -errno. */
static int
write_file(
    int fd, struct cache *c, const struct cachefile_when *when, struct cachefile_counts *counts)
{
	uint8_t head[IMAGE_HEAD] = { 0 };
	struct saving *s = calloc(1, sizeof(*s));
	int rc;

	if (s == NULL)
		return -ENOMEM;
	s->fd = fd;
	s->when = when;
	s->counts = counts;
	s->block.sum = IMAGE_SEED ^ when->key;
	s->block.bytes = IMAGE_HEAD;
	s->block.len = IMAGE_BLOCK_HEAD;
	/* Leave room for the head, whose checksum is known only at the end. */
	rc = newfile_write(fd, head, sizeof(head));
	if (rc == 0)
		rc = write_shards(s, c);
	counts->bytes = s->block.bytes;
	struct image_head h = {
		.saved_s = when->unix_s, .records = counts->entries, .bytes = counts->bytes
	};
	image_put_head(head, &h, s->block.sum);
	free(s);
	if (rc == 0 && lseek(fd, 0, SEEK_SET) != 0)
		rc = -errno;
	return rc == 0 ? newfile_write(fd, head, sizeof(head)) : rc;
}

bool
cachefile_save(const char *path, struct cache *c, const struct cachefile_when *when,
    struct cachefile_counts *counts, char error[static CACHEFILE_ERROR])
{
	int fd = newfile_create(path, 0600), rc;

	*counts = (struct cachefile_counts){ .entries = 0 };
	if (fd < 0) {
		snprintf(error, CACHEFILE_ERROR, "its " NEWFILE_SUFFIX " cannot be created: %s",
		    strerror(-fd));
		return false;
	}
	rc = newfile_end(path, fd, write_file(fd, c, when, counts));
	if (rc == 0)
		return true;
	snprintf(error, CACHEFILE_ERROR, "cannot be written: %s", strerror(-rc));
	return false;
}
