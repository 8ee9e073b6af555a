/* SPDX-License-Identifier: BSD-2-Clause */
#include "io/stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "dns/proto.h"
#include "dns/wire.h"

#define STREAM_IOVS 32 /* chunks in one write */

int
stream_mem_init(struct stream_mem *mem, uint32_t n)
{
	int r;

	mem->scratch = malloc(STREAM_CAP);
	if (mem->scratch == NULL)
		return -ENOMEM;
	r = pool_init(&mem->buffers, STREAM_CAP, n);
	if (r < 0)
		goto fail_scratch;
	r = pool_init(&mem->chunks, sizeof(struct stream_chunk), STREAM_CHUNKS);
	if (r < 0)
		goto fail_buffers;
	return 0;

fail_buffers:
	pool_fini(&mem->buffers);
fail_scratch:
	free(mem->scratch);
	mem->scratch = NULL;
	return r;
}

void
stream_mem_fini(struct stream_mem *mem)
{
	pool_fini(&mem->chunks);
	pool_fini(&mem->buffers);
	free(mem->scratch);
	mem->scratch = NULL;
}

int
stream_read(
    struct stream_in *in, struct stream_mem *mem, struct carrier_link *k, struct stream_window *w)
{
	ssize_t n;

	w->used = 0;
	w->len = in->len;
	w->at = in->buf != NULL ? in->buf : mem->scratch;
	n = carrier_read(k, w->at + w->len, STREAM_CAP - w->len);
	if (n > 0)
		w->len += (size_t)n;
	return (int)n;
}

void
stream_held(const struct stream_in *in, struct stream_window *w)
{
	w->at = in->buf;
	w->len = in->len;
	w->used = 0;
}

enum stream_verdict
stream_frame(struct stream_window *w, const uint8_t **msg, size_t *len)
{
	const uint8_t *p = w->at + w->used;
	size_t left = w->len - w->used;
	size_t want;

	if (left < 2)
		return STREAM_PARTIAL;
	want = wire_u16(p);
	if (want >= DNS_HEADER_LEN && left - 2 < want)
		return STREAM_PARTIAL;
	*msg = p + 2;
	*len = want < left - 2 ? want : left - 2;
	if (want < DNS_HEADER_LEN)
		return STREAM_BAD;
	w->used += 2 + want;
	return STREAM_FRAME;
}

bool
stream_keep(struct stream_in *in, struct stream_mem *mem, struct stream_window *w)
{
	size_t left = w->len - w->used;

	if (left == 0) {
		stream_in_clear(in, mem);
		return true;
	}
	if (in->buf == NULL) {
		in->buf = pool_take(&mem->buffers);
		if (in->buf == NULL)
			return false;
		memcpy(in->buf, w->at + w->used, left);
	} else if (w->used > 0) {
		memmove(in->buf, w->at + w->used, left);
	}
	in->len = (uint32_t)left;
	return true;
}

/* Append an empty chunk to OUT. Returns NULL when none is free. */
static struct stream_chunk *
out_grow(struct stream_out *out, struct stream_mem *mem)
{
	struct stream_chunk *c = pool_take(&mem->chunks);

	if (c == NULL)
		return NULL;
	c->next = NULL;
	c->from = 0;
	c->to = 0;
	if (out->tail == NULL)
		out->head = c;
	else
		out->tail->next = c;
	out->tail = c;
	return c;
}

/* Append LEN bytes; the caller knows that there are enough chunks. */
static void
out_append(struct stream_out *out, struct stream_mem *mem, const uint8_t *p, size_t len)
{
	struct stream_chunk *c = out->tail;

	out->len += len;
	while (len > 0) {
		size_t room = c == NULL ? 0 : sizeof(c->bytes) - c->to;
		size_t n = len < room ? len : room;

		if (n == 0) {
			c = out_grow(out, mem);
			if (c == NULL)
				return; /* cannot happen: stream_put has counted them */
			continue;
		}
		memcpy(c->bytes + c->to, p, n);
		c->to += (uint32_t)n;
		p += n;
		len -= n;
	}
}

bool
stream_put(struct stream_out *out, struct stream_mem *mem, const uint8_t *msg, size_t len)
{
	size_t room = out->tail == NULL ? 0 : sizeof(out->tail->bytes) - out->tail->to;
	uint8_t prefix[2] = { (uint8_t)(len >> 8), (uint8_t)len };

	room += (size_t)pool_room(&mem->chunks) * sizeof(out->tail->bytes);
	if (room < len + 2)
		return false;
	out_append(out, mem, prefix, sizeof(prefix));
	out_append(out, mem, msg, len);
	return true;
}

/* SENT bytes of OUT have left: give chunks that are empty now back to the pool. */
static void
out_drop(struct stream_out *out, struct stream_mem *mem, size_t sent)
{
	out->len -= sent;
	while (out->head != NULL) {
		struct stream_chunk *c = out->head;
		size_t n = c->to - c->from;

		if (sent < n) {
			c->from += (uint32_t)sent;
			return;
		}
		sent -= n;
		out->head = c->next;
		pool_give(&mem->chunks, c);
	}
	out->tail = NULL;
}

int
stream_write(struct stream_out *out, struct stream_mem *mem, struct carrier_link *k)
{
	while (out->len > 0) {
		struct iovec iov[STREAM_IOVS];
		size_t n_iov = 0;
		ssize_t n;

		for (struct stream_chunk *c = out->head; c != NULL && n_iov < STREAM_IOVS;
		     c = c->next) {
			iov[n_iov].iov_base = c->bytes + c->from;
			iov[n_iov].iov_len = c->to - c->from;
			n_iov++;
		}
		n = carrier_write(k, iov, n_iov);
		if (n < 0)
			return n == -EAGAIN ? 0 : (int)n;
		out_drop(out, mem, (size_t)n);
	}
	return 1;
}

bool
stream_direct(struct carrier_link *k, const uint8_t *msg, size_t len)
{
	uint8_t prefix[2] = { (uint8_t)(len >> 8), (uint8_t)len };
	union {
		const uint8_t *borrowed;
		void *base; /* it is only read, but an iovec has no const */
	} body = { .borrowed = msg };
	struct iovec iov[2] = { { prefix, sizeof(prefix) }, { body.base, len } };

	return carrier_write(k, iov, 2) == (ssize_t)(len + 2);
}

void
stream_in_clear(struct stream_in *in, struct stream_mem *mem)
{
	if (in->buf != NULL)
		pool_give(&mem->buffers, in->buf);
	in->buf = NULL;
	in->len = 0;
}

void
stream_out_clear(struct stream_out *out, struct stream_mem *mem)
{
	if (out->len > 0)
		out_drop(out, mem, out->len);
}
