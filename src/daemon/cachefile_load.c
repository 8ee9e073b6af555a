/* SPDX-License-Identifier: BSD-2-Clause */
/* Loading: from the file to the cache. */
#include "daemon/cachefile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/ownfile.h"
#include "cache/image.h"

/* The block that was read last, and a summary of the file up to its end. */
struct block {
	uint64_t sum;   /* checksum of all blocks so far */
	uint64_t bytes; /* length of the file's head and all blocks so far */
	uint32_t n;     /* records in this block */
	size_t len;     /* bytes of this block in data */
	uint8_t data[IMAGE_BLOCK];
};

/* Read exactly N bytes. Returns 0 or -errno; -ENODATA if the file has fewer. */
static int
read_all(int fd, uint8_t *data, size_t n)
{
	while (n > 0) {
		ssize_t got = read(fd, data, n);

		if (got == 0)
			return -ENODATA;
		if (got < 0 && errno != EINTR)
			return -errno;
		if (got > 0) {
			data += got;
			n -= (size_t)got;
		}
	}
	return 0;
}

/* The file is gone through twice. */
enum phase {
	BEGINS, /* the head is to be read */
	CHECKS, /* its blocks are read and checked */
	PUTS    /* they are read and checked again, and their records put into the cache */
};

struct cachefile_loading {
	int fd;          /* owned */
	struct cache *c; /* borrowed */
	struct cachefile_when when;
	enum phase phase;
	struct cachefile_counts counts;
	uint64_t elapsed_s; /* seconds since the file was saved */
	uint8_t head_bytes[IMAGE_HEAD];
	struct image_head head;
	uint64_t records; /* in the blocks so far */
	char error[CACHEFILE_ERROR];
	struct block block;
};

/* Write the reason why the file is refused. Returns false. */
PRINTF_LIKE(2, 3)
static bool
refuse(struct cachefile_loading *l, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(l->error, sizeof(l->error), fmt, args);
	va_end(args);
	return false;
}

static bool
refuse_errno(struct cachefile_loading *l, int error)
{
	return error == ENODATA ? refuse(l, "is cut off")
				: refuse(l, "cannot be read: %s", strerror(error));
}

static bool
read_head(struct cachefile_loading *l)
{
	struct stat st;
	int rc;

	if (fstat(l->fd, &st) != 0)
		return refuse_errno(l, errno);
	rc = read_all(l->fd, l->head_bytes, sizeof(l->head_bytes));
	if (rc != 0)
		return refuse_errno(l, -rc);
	const char *wrong = image_get_head(l->head_bytes, &l->head);
	if (wrong != NULL)
		return refuse(l, "%s", wrong);
	if (l->head.bytes != (uint64_t)st.st_size)
		return refuse(l, "has %" PRIu64 " bytes where %" PRIu64 " were written",
		    (uint64_t)st.st_size, l->head.bytes);
	return true;
}

/* Put a record into the cache, unless it is too old, or the cache has a newer one. */
static void
put_record(struct cachefile_loading *l, struct image_record *rec)
{
	struct cache_entry *e = &rec->entry;

	if (image_too_old(e, l->elapsed_s, l->when.stale_s)) {
		l->counts.old++;
		return;
	}
	e->age_s += (uint32_t)l->elapsed_s;
	/* Which upstreams were trusted when it was saved is not known any more (RULES D9). */
	e->flags &= (uint8_t)~CACHE_TRUSTED;
	rec->key.hash = hash_bytes(rec->key.qname, rec->key.qname_len, cache_seed(l->c));
	switch (cache_restore(l->c, &rec->key, e, rec->msg, l->when.now_s)) {
	case CACHE_RESTORED:
		l->counts.entries++;
		break;
	case CACHE_SUPERSEDED:
		l->counts.superseded++;
		break;
	case CACHE_NO_ROOM:
		l->counts.no_room++;
		break;
	}
}

/* Read the next block. False at the end of the file (*END) or if something is wrong. */
static bool
read_block(struct cachefile_loading *l, bool *end)
{
	struct block *b = &l->block;
	int rc;

	*end = b->bytes == l->head.bytes;
	if (*end)
		return false;
	rc = read_all(l->fd, b->data, IMAGE_BLOCK_HEAD);
	if (rc != 0)
		return refuse_errno(l, -rc);
	b->len = image_get_block(b->data, &b->n);
	if (b->len == 0 || b->len + IMAGE_BLOCK_HEAD > l->head.bytes - b->bytes)
		return refuse(l, "has a block whose length cannot be");
	rc = read_all(l->fd, b->data + IMAGE_BLOCK_HEAD, b->len);
	if (rc != 0)
		return refuse_errno(l, -rc);
	b->len += IMAGE_BLOCK_HEAD;
	b->sum = image_sum(b->sum, b->data, b->len);
	b->bytes += b->len;
	return true;
}

static bool
take_records(struct cachefile_loading *l)
{
	struct block *b = &l->block;
	struct wire_reader r = { .buf = b->data, .len = b->len, .pos = IMAGE_BLOCK_HEAD };

	for (uint32_t i = 0; i < b->n; i++) {
		struct image_record rec;
		const char *wrong = image_get(&r, &rec);

		l->records++;
		if (wrong != NULL)
			return refuse(l, "is damaged: entry %" PRIu64 " %s", l->records, wrong);
		if (l->phase == PUTS)
			put_record(l, &rec);
	}
	return r.pos == r.len || refuse(l, "is damaged: a block has more than its entries");
}

/* Go through the file's blocks, to do what PHASE says. */
static bool
begin(struct cachefile_loading *l, enum phase phase)
{
	struct block *b = &l->block;

	l->phase = phase;
	l->records = 0;
	b->sum = IMAGE_SEED ^ l->when.key;
	b->bytes = IMAGE_HEAD;
	return lseek(l->fd, IMAGE_HEAD, SEEK_SET) >= 0 || refuse_errno(l, errno);
}

/* All blocks were read: is the file what was written? */
static bool
is_sound(struct cachefile_loading *l)
{
	if (!image_is_whole(l->head_bytes, l->block.sum))
		return refuse(l, "is damaged: its checksum is wrong");
	return l->records == l->head.records || refuse(l, "is damaged: entries are missing");
}

/* The file is as it was written, so if its time is wrong it is the clock. */
static bool
find_age(struct cachefile_loading *l)
{
	if (l->head.saved_s > l->when.unix_s)
		return refuse(l, "was saved %" PRIu64 " s from now, by the clock",
		    l->head.saved_s - l->when.unix_s);
	l->elapsed_s = l->when.unix_s - l->head.saved_s;
	return true;
}

/* Do a piece. False: the file is refused, or it was the last piece (*DONE). */
static bool
go_on(struct cachefile_loading *l, bool *done)
{
	bool end = false;

	*done = false;
	if (l->phase == BEGINS)
		return read_head(l) && begin(l, CHECKS);
	if (read_block(l, &end))
		return take_records(l);
	if (!end || !is_sound(l))
		return false;
	*done = l->phase == PUTS;
	return !*done && find_age(l) && begin(l, PUTS);
}

bool
cachefile_load_step(struct cachefile_loading *l, struct cachefile_result *r)
{
	bool done, more = go_on(l, &done);

	r->verdict = more ? CACHEFILE_MORE : done ? CACHEFILE_OK : CACHEFILE_REFUSED;
	/* The file was changed since it was checked. */
	if (r->verdict == CACHEFILE_REFUSED && l->phase == PUTS)
		cache_flush_all(l->c);
	r->counts = l->counts;
	r->counts.bytes = l->head.bytes;
	memcpy(r->error, l->error, sizeof(r->error));
	return more;
}

struct cachefile_loading *
cachefile_load_new(int fd, struct cache *c, const struct cachefile_when *when)
{
	struct cachefile_loading *l = calloc(1, sizeof(*l));

	if (l == NULL) {
		close(fd);
		return NULL;
	}
	l->fd = fd;
	l->c = c;
	l->when = *when;
	cache_restore_begin(c);
	return l;
}

void
cachefile_load_free(struct cachefile_loading *l)
{
	if (l == NULL)
		return;
	cache_restore_end(l->c);
	close(l->fd);
	free(l);
}
