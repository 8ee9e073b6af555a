/* SPDX-License-Identifier: BSD-2-Clause */
/* From the cache to its file. */
#include "daemon/cachefile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cache/image.h"
#include "config/settings.h"

#define NEW_SUFFIX ".new"
#define SYNC_BYTES (32 << 20) /* so many wait for the disk at most, so that no wait is long */

/* A block on its way, and those before it. */
struct block {
	uint64_t sum;   /* of those before it */
	uint64_t bytes; /* likewise, with the head of the file */
	uint32_t n;     /* records in it */
	size_t len;
	uint8_t data[IMAGE_BLOCK];
};

struct saving {
	int fd;
	const struct cachefile_when *when;
	struct cachefile_counts *counts;
	struct wire_writer shard; /* a copy of all its entries */
	uint64_t synced;          /* bytes that are safe */
	struct block block;
};

/* Write N bytes. Returns 0 or -errno. */
static int
write_all(int fd, const uint8_t *data, size_t n)
{
	while (n > 0) {
		ssize_t done = write(fd, data, n);

		if (done < 0 && errno != EINTR)
			return -errno;
		if (done > 0) {
			data += done;
			n -= (size_t)done;
		}
	}
	return 0;
}

/* With the shard locked: copy, no more. */
static bool
copy_entry(void *arg, const struct question *key, const struct cache_entry *e, const uint8_t *msg)
{
	struct saving *s = arg;

	if (e->kind < CACHE_ERROR)
		image_put(&s->shard, key, e, msg);
	return !s->shard.full;
}

/* Write the block, if it has anything, and begin another one. Returns 0 or -errno. */
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
	rc = write_all(s->fd, b->data, b->len);
	b->n = 0;
	b->len = IMAGE_BLOCK_HEAD;
	return rc;
}

/* Put the LEN bytes of a record into a block. Returns 0 or -errno. */
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

/* From the copy of a shard to the file: nothing that a reader would refuse. Returns 0 or -errno. */
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

/* Between shards. Returns 0 or -errno. */
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

/* All shards, one after the other. Returns 0 or -errno. */
static int
write_shards(struct saving *s, struct cache *c)
{
	unsigned n = cache_shards(c);
	int rc = 0;

	/* A shard's entries, with more in front of each than here, fit into it. */
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

/* The whole file to FD, safe on its disk. Returns 0 or -errno. */
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
	s->block.sum = IMAGE_SEED;
	s->block.bytes = IMAGE_HEAD;
	s->block.len = IMAGE_BLOCK_HEAD;
	/* Room for the head, whose checksum is not known before the end. */
	rc = write_all(fd, head, sizeof(head));
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
	if (rc == 0)
		rc = write_all(fd, head, sizeof(head));
	if (rc == 0 && fsync(fd) != 0)
		rc = -errno;
	return rc;
}

/* A file that is ours alone, whatever was there. Returns its descriptor or -errno. */
static int
create(const char *path)
{
	if (unlink(path) != 0 && errno != ENOENT)
		return -errno;
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	return fd >= 0 ? fd : -errno;
}

/* The new name outlives a crash too; where a directory cannot be opened it has to do without. */
static void
sync_directory(const char *path)
{
	char dir[SETTINGS_PATH];
	const char *end = strrchr(path, '/');
	int n = end == NULL ? 0 : (int)(end - path) + 1;

	snprintf(dir, sizeof(dir), "%.*s", n > 0 ? n : 1, n > 0 ? path : ".");
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return;
	(void)fsync(fd);
	close(fd);
}

bool
cachefile_save(const char *path, struct cache *c, const struct cachefile_when *when,
    struct cachefile_counts *counts, char error[static CACHEFILE_ERROR])
{
	char new[SETTINGS_PATH + sizeof(NEW_SUFFIX)];

	*counts = (struct cachefile_counts){ .entries = 0 };
	snprintf(new, sizeof(new), "%s" NEW_SUFFIX, path);
	int fd = create(new);
	if (fd < 0) {
		snprintf(error, CACHEFILE_ERROR, "its " NEW_SUFFIX " cannot be created: %s",
		    strerror(-fd));
		return false;
	}
	int rc = write_file(fd, c, when, counts);
	if (close(fd) != 0 && rc == 0)
		rc = -errno;
	if (rc == 0 && rename(new, path) != 0)
		rc = -errno;
	if (rc != 0) {
		snprintf(error, CACHEFILE_ERROR, "cannot be written: %s", strerror(-rc));
		(void)unlink(new);
		return false;
	}
	sync_directory(path);
	return true;
}
