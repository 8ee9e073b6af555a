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

/* wire_u16: return the 16-bit number in network byte order at P. */
static inline uint16_t
wire_u16(const uint8_t p[static 2])
{
	return (uint16_t)((unsigned)p[0] << 8 | p[1]);
}

/* wire_u32: return the 32-bit number in network byte order at P. */
static inline uint32_t
wire_u32(const uint8_t p[static 4])
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* wire_set_u16: write V in network byte order to P. */
static inline void
wire_set_u16(uint8_t p[static 2], uint16_t v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)(v & 0xff);
}

/* wire_set_u32: write V in network byte order to P. */
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

/* wire_can_read: return whether N more bytes can be read; if not, R is bad from now on. */
static inline bool
wire_can_read(struct wire_reader *r, size_t n)
{
	if (r->bad || n > r->len - r->pos) {
		r->bad = true;
		return false;
	}
	return true;
}

/* wire_get_u8: read one byte; 0 when there is none left. */
static inline uint8_t
wire_get_u8(struct wire_reader *r)
{
	return wire_can_read(r, 1) ? r->buf[r->pos++] : 0;
}

/* wire_get_u16: read a 16-bit number in network byte order; 0 when there is none left. */
static inline uint16_t
wire_get_u16(struct wire_reader *r)
{
	if (!wire_can_read(r, 2))
		return 0;
	r->pos += 2;
	return wire_u16(r->buf + r->pos - 2);
}

/* wire_get_u32: read a 32-bit number in network byte order; 0 when there is none left. */
static inline uint32_t
wire_get_u32(struct wire_reader *r)
{
	if (!wire_can_read(r, 4))
		return 0;
	r->pos += 4;
	return wire_u32(r->buf + r->pos - 4);
}

/* wire_skip: step over N bytes. */
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

/* wire_can_write: return whether there is room for N more bytes; if not, W is full from now on. */
static inline bool
wire_can_write(struct wire_writer *w, size_t n)
{
	if (w->full || n > w->cap - w->len) {
		w->full = true;
		return false;
	}
	return true;
}

/* wire_put_u8: append one byte, if there is room. */
static inline void
wire_put_u8(struct wire_writer *w, uint8_t v)
{
	if (wire_can_write(w, 1))
		w->buf[w->len++] = v;
}

/* wire_put_u16: append V in network byte order, if there is room. */
static inline void
wire_put_u16(struct wire_writer *w, uint16_t v)
{
	if (!wire_can_write(w, 2))
		return;
	wire_set_u16(w->buf + w->len, v);
	w->len += 2;
}

/* wire_put_u32: append V in network byte order, if there is room. */
static inline void
wire_put_u32(struct wire_writer *w, uint32_t v)
{
	if (!wire_can_write(w, 4))
		return;
	wire_set_u32(w->buf + w->len, v);
	w->len += 4;
}

/* wire_put_bytes: append the N bytes at SRC, if there is room for all of them. */
static inline void
wire_put_bytes(struct wire_writer *w, const void *src, size_t n)
{
	if (!wire_can_write(w, n))
		return;
	memcpy(w->buf + w->len, src, n);
	w->len += n;
}

/*
 * wire_begin_length: append a 16-bit length of what follows, as RDLENGTH is, to be filled in by
 * wire_end_length. Returns the offset behind it.
 */
static inline size_t
wire_begin_length(struct wire_writer *w)
{
	wire_put_u16(w, 0);
	return w->len;
}

/*
 * wire_end_length: fill in the length that wire_begin_length left open: the bytes written from
 * START, which it returned, on, at most 65,535. Does nothing when W is full.
 */
static inline void
wire_end_length(struct wire_writer *w, size_t start)
{
	if (!w->full)
		wire_set_u16(w->buf + start - 2, (uint16_t)(w->len - start));
}

#endif
