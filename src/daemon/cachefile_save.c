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

/* The block that is being filled, and a summary of the file before it. */
struct block {
	uint64_t sum;   /* checksum of all blocks before this one */
	uint64_t bytes; /* length of the file's head and of those blocks */
	uint32_t n;     /* records in this block */
	size_t len;     /* bytes of this block in data */
	uint8_t data[IMAGE_BLOCK];
};

struct cachefile_saving {
	char path[SETTINGS_PATH];
	int fd;          /* owned: of PATH.new; -1: it is closed */
	struct cache *c; /* borrowed */
	struct cachefile_when when;
	struct cachefile_counts counts;
	unsigned next;            /* shard */
	struct wire_writer shard; /* to copy */
	struct block block;
	uint8_t copy[]; /* of all entries of one shard */
};

/* Write to *R that the file is not saved, and why. */
static void
refuse(struct cachefile_result *r, const char *what, int rc)
{
	r->verdict = CACHEFILE_REFUSED;
	snprintf(r->error, sizeof(r->error), "%s: %s", what,
	    rc == -EBUSY ? "another process writes it too" : strerror(-rc));
}

/* Called with the shard locked, so do no more than copy the entry. */
static bool
copy_entry(void *arg, const struct question *key, const struct cache_entry *e, const uint8_t *msg)
{
	struct cachefile_saving *s = arg;

	if (e->kind < CACHE_ERROR)
		image_put(&s->shard, key, e, msg);
	return !s->shard.full;
}

/* Write the block, if it has any record, and begin the next one. Returns 0 or -errno. */
static int
end_block(struct cachefile_saving *s)
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
add_record(struct cachefile_saving *s, const uint8_t *record, size_t len)
{
	struct block *b = &s->block;
	int rc = len > sizeof(b->data) - b->len ? end_block(s) : 0;

	memcpy(b->data + b->len, record, len);
	b->len += len;
	b->n++;
	s->counts.entries++;
	return rc;
}

/* Write the copy of a shard, but no record that a load would refuse. Returns 0 or -errno. */
static int
write_shard(struct cachefile_saving *s)
{
	struct wire_reader r = { .buf = s->shard.buf, .len = s->shard.len };
	int rc = 0;

	while (rc == 0 && r.pos < r.len && !r.bad) {
		size_t at = r.pos;
		struct image_record rec;

		if (image_get(&r, &rec) != NULL)
			continue;
		if (image_too_old(&rec.entry, 0, s->when.stale_s))
			s->counts.old++;
		else
			rc = add_record(s, r.buf + at, r.pos - at);
	}
	return rc;
}

/* Write the next shard. Returns 0, -EAGAIN if a loop has it, or -errno. */
static int
save_shard(struct cachefile_saving *s)
{
	s->shard.len = 0;
	s->shard.full = false;
	if (!cache_try_walk(s->c, s->next, s->when.now_s, copy_entry, s))
		return -EAGAIN;
	if (s->shard.full)
		return -ENOBUFS;
	s->next++;
	return write_shard(s);
}

/* Write the head, whose place was left free, as its checksum is known only now, and end the file.
 */
static int
end_file(struct cachefile_saving *s)
{
	uint8_t bytes[IMAGE_HEAD];
	int fd = s->fd, rc = end_block(s);
	const struct image_head h = {
		.saved_s = s->when.unix_s, .records = s->counts.entries, .bytes = s->block.bytes
	};

	image_put_head(bytes, &h, s->block.sum);
	if (rc == 0 && lseek(fd, 0, SEEK_SET) != 0)
		rc = -errno;
	if (rc == 0)
		rc = newfile_write(fd, bytes, sizeof(bytes));
	s->fd = -1;
	return newfile_swap(s->path, fd, rc);
}

bool
cachefile_save_step(struct cachefile_saving *s, struct cachefile_result *r)
{
	int rc = s->next < cache_shards(s->c) ? save_shard(s) : end_file(s);

	if (rc == -EAGAIN)
		r->verdict = CACHEFILE_WAITS;
	else if (rc != 0)
		refuse(r, "cannot be written", rc);
	else
		r->verdict = s->fd < 0 ? CACHEFILE_OK : CACHEFILE_MORE;
	r->counts = s->counts;
	r->counts.bytes = s->block.bytes;
	return r->verdict == CACHEFILE_MORE || r->verdict == CACHEFILE_WAITS;
}

/* Create PATH.new, with room for its head. Returns 0 or -errno. */
static int
begin_file(struct cachefile_saving *s)
{
	const uint8_t head[IMAGE_HEAD] = { 0 };

	s->fd = newfile_create(s->path, 0600);
	return s->fd < 0 ? s->fd : newfile_write(s->fd, head, sizeof(head));
}

struct cachefile_saving *
cachefile_save_new(const char *path, struct cache *c, const struct cachefile_when *when,
    struct cachefile_result *r)
{
	/* The copy of a shard is not longer: an entry in memory has a longer head than a record. */
	size_t cap = cache_size(c) / cache_shards(c);
	struct cachefile_saving *s = calloc(1, sizeof(*s) + cap);
	int rc;

	*r = (struct cachefile_result){ .verdict = CACHEFILE_MORE };
	if (s == NULL) {
		refuse(r, "cannot be written", -ENOMEM);
		return NULL;
	}
	snprintf(s->path, sizeof(s->path), "%s", path);
	s->c = c;
	s->when = *when;
	s->block.sum = IMAGE_SEED ^ when->key;
	s->block.bytes = IMAGE_HEAD;
	s->block.len = IMAGE_BLOCK_HEAD;
	s->shard.buf = s->copy;
	s->shard.cap = cap;
	rc = begin_file(s);
	if (rc == 0)
		return s;
	refuse(r, "its " NEWFILE_SUFFIX " cannot be created", rc);
	cachefile_save_free(s);
	return NULL;
}

void
cachefile_save_free(struct cachefile_saving *s)
{
	if (s == NULL)
		return;
	if (s->fd >= 0)
		newfile_drop(s->path, s->fd);
	free(s);
}
