/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DNS_WIRE_H
#define DNS64D_DNS_WIRE_H

/*
 * wire: bounded cursors over message bytes, and the only place that knows byte order.
 *
 * Both cursors carry a sticky error: after the first access out of bounds nothing
 * more is read (zero comes back) or written, so a run of accesses needs one check.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t
wire_u16(const uint8_t p[static 2])
{
	return (uint16_t)((unsigned)p[0] << 8 | p[1]);
}

static inline uint32_t
wire_u32(const uint8_t p[static 4])
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static inline void
wire_set_u16(uint8_t p[static 2], uint16_t v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)(v & 0xff);
}

static inline void
wire_set_u32(uint8_t p[static 4], uint32_t v)
{
	wire_set_u16(p, (uint16_t)(v >> 16));
	wire_set_u16(p + 2, (uint16_t)(v & 0xffff));
}

/* A cursor that reads from len bytes at buf (borrowed). */
struct wire_reader {
	const uint8_t *buf;
	size_t len;
	size_t pos; /* <= len */
	bool bad;   /* something was read beyond the end */
};

static inline bool
wire_can_read(struct wire_reader *r, size_t n)
{
	if (r->bad || n > r->len - r->pos) {
		r->bad = true;
		return false;
	}
	return true;
}

static inline uint8_t
wire_get_u8(struct wire_reader *r)
{
	return wire_can_read(r, 1) ? r->buf[r->pos++] : 0;
}

static inline uint16_t
wire_get_u16(struct wire_reader *r)
{
	if (!wire_can_read(r, 2))
		return 0;
	r->pos += 2;
	return wire_u16(r->buf + r->pos - 2);
}

static inline uint32_t
wire_get_u32(struct wire_reader *r)
{
	if (!wire_can_read(r, 4))
		return 0;
	r->pos += 4;
	return wire_u32(r->buf + r->pos - 4);
}

static inline void
wire_skip(struct wire_reader *r, size_t n)
{
	if (wire_can_read(r, n))
		r->pos += n;
}

/* A cursor that writes to cap bytes at buf (borrowed). */
struct wire_writer {
	uint8_t *buf;
	size_t cap;
	size_t len; /* written so far, <= cap */
	bool full;  /* something did not fit */
};

static inline bool
wire_can_write(struct wire_writer *w, size_t n)
{
	if (w->full || n > w->cap - w->len) {
		w->full = true;
		return false;
	}
	return true;
}

static inline void
wire_put_u8(struct wire_writer *w, uint8_t v)
{
	if (wire_can_write(w, 1))
		w->buf[w->len++] = v;
}

static inline void
wire_put_u16(struct wire_writer *w, uint16_t v)
{
	if (!wire_can_write(w, 2))
		return;
	wire_set_u16(w->buf + w->len, v);
	w->len += 2;
}

static inline void
wire_put_u32(struct wire_writer *w, uint32_t v)
{
	if (!wire_can_write(w, 4))
		return;
	wire_set_u32(w->buf + w->len, v);
	w->len += 4;
}

static inline void
wire_put_bytes(struct wire_writer *w, const void *src, size_t n)
{
	if (!wire_can_write(w, n))
		return;
	memcpy(w->buf + w->len, src, n);
	w->len += n;
}

/*
 * wire_begin_length: leave room for the 16-bit length of what is written next, as RDLENGTH is.
 * Returns the offset behind it, for wire_end_length.
 */
static inline size_t
wire_begin_length(struct wire_writer *w)
{
	wire_put_u16(w, 0);
	return w->len;
}

/* wire_end_length: fill it in: the bytes from START on, under 65,536. Nothing when W is full. */
static inline void
wire_end_length(struct wire_writer *w, size_t start)
{
	if (!w->full)
		wire_set_u16(w->buf + start - 2, (uint16_t)(w->len - start));
}

#endif
