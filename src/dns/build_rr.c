/* SPDX-License-Identifier: BSD-2-Clause */
/* Appending records: names and their compression, RDATA. All else is in build.c. */
#include "dns/build.h"

#include <assert.h>
#include <string.h>

#include "dns/header.h"
#include "dns/name.h"
#include "dns/proto.h"
#include "dns/rdata.h"
#include "dns/type.h"

#define WORK_SUFFIX 16 /* of BUILD_WORK: to look for one suffix among all names */
#define WORK_LABEL 1   /* to compare one label of it */

/* --- Names ------------------------------------------------------------------------------------ */

/* Take WORK from what is left of BUILD_WORK. When nothing is left, the message counts as full. */
static inline void
spend(struct build *b, size_t work)
{
	if (UNLIKELY(work >= b->left)) {
		b->left = 0;
		b->w.full = true;
		return;
	}
	b->left -= (unsigned)work;
}

/*
 * Return the offset of NAME (LEN bytes, not the root) in the question's name, if it is a suffix of
 * that, ignoring case; else 0.
 */
static uint16_t
find_in_question(const struct build *b, const uint8_t *name, size_t len)
{
	const uint8_t *buf = b->w.buf;
	size_t off;

	if (len > b->qname_len)
		return 0;
	off = b->qname_len - len;
	if (!name_equal_len(header_qname(buf) + off, name, len))
		return 0;
	/* Equal bytes may begin in the middle of a label. */
	return name_is_label(header_qname(buf), off) ? (uint16_t)(HEADER_QNAME + off) : 0;
}

/*
 * Is the name that was written at AT the same as NAME, which has its length? Its labels in the
 * question are compared ignoring case, all others byte for byte.
 */
static bool
is_name_at(struct build *b, size_t at, const uint8_t *name)
{
	const uint8_t *buf = b->w.buf;

	for (;;) {
		size_t size;

		spend(b, WORK_LABEL);
		while (name_is_pointer(buf[at]))
			at = name_pointee(buf + at);
		if (buf[at] != name[0])
			return false;
		if (buf[at] == 0)
			return true;
		size = (size_t)buf[at] + 1;
		if (at < HEADER_QNAME + b->qname_len) {
			if (!name_equal_len(buf + at, name, size))
				return false;
		} else if (memcmp(buf + at, name, size) != 0) {
			return false;
		}
		at += size;
		name += size;
	}
}

/* Return the offset where NAME (LEN bytes, not the root) was written before; 0: at no known one. */
static uint16_t
find_name(struct build *b, const uint8_t *name, size_t len)
{
	uint16_t at = find_in_question(b, name, len);

	spend(b, WORK_SUFFIX);

	if (at != 0)
		return at;
	for (unsigned i = 0; i < b->n_names; i++) {
		if (b->name_lens[i] == len && is_name_at(b, b->names[i], name))
			return b->names[i];
	}
	return 0;
}

/* Remember that a name of LEN bytes is about to be written at AT, so that it can be pointed to. */
static void
remember_name(struct build *b, size_t at, size_t len)
{
	if (b->n_names == BUILD_NAMES || at >= NAME_REACH)
		return;
	b->names[b->n_names] = (uint16_t)at;
	b->name_lens[b->n_names++] = (uint8_t)len;
}

/* Write NAME (LEN bytes), its longest suffix that was written before as a pointer. */
static void
put_name(struct build *b, const uint8_t *name, size_t len)
{
	size_t pos = 0;

	/* The names remembered since the message became full were not written. */
	if (UNLIKELY(b->w.full))
		return;
	while (name[pos] != 0) {
		uint16_t at = find_name(b, name + pos, len - pos);

		if (at != 0) {
			wire_put_bytes(&b->w, name, pos);
			wire_put_u16(&b->w, name_pointer(at));
			return;
		}
		/* No search for a shorter suffix reads what is not yet written. */
		remember_name(b, b->w.len + pos, len - pos);
		pos += (size_t)name[pos] + 1;
	}
	wire_put_bytes(&b->w, name, len);
}

/* Is the question's name of SRC the same as ours? Compared once for each message SRC. */
static inline bool
same_question(struct build *b, const struct msg *src)
{
	if (UNLIKELY(b->src != src->bytes)) {
		b->src = src->bytes;
		b->src_same = src->qname_len > 0 && src->qname_len == b->qname_len &&
		    name_equal_len(msg_qname(src), header_qname(b->w.buf), b->qname_len);
	}
	return b->src_same;
}

/* Write the owner of RR. False: it is malformed. */
static inline bool
put_owner(struct build *b, const struct msg *src, const struct rr *rr)
{
	uint8_t name[DNS_NAME_MAX];
	size_t len;

	/* Nearly every owner is a pointer to the question, and stays one. */
	if (msg_owner_is_question(src, rr) && same_question(b, src)) {
		wire_put_u16(&b->w, name_pointer(HEADER_QNAME));
		return true;
	}
	len = msg_owner(src, rr, name);
	spend(b, len > 0 ? len : DNS_NAME_MAX);
	if (len > 0)
		put_name(b, name, len);
	return len > 0;
}

/* --- Records ---------------------------------------------------------------------------------- */

/* Has a record found no room before? Then no further one is appended. */
static inline bool
is_closed(const struct build *b)
{
	return b->w.full || b->closed;
}

/* The state that a failed append goes back to. */
struct mark {
	size_t len;
	unsigned n_names;
};

static inline struct mark
mark(const struct build *b)
{
	return (struct mark){ .len = b->w.len, .n_names = b->n_names };
}

/* Must the client ask again, by TCP, if a record of this section is missing? */
static bool
is_needed(const struct build *b, enum msg_section s)
{
	return s == MSG_ANSWER || (s == MSG_AUTHORITY && b->count[MSG_ANSWER] == 0);
}

/* Count the record that was written since BEFORE, or take it back if it is not SOUND or did not
 * fit. */
static inline bool
commit(struct build *b, enum msg_section s, struct mark before, bool sound)
{
	assert(s >= b->section);
	if (UNLIKELY(!sound || b->w.full)) {
		b->w.len = before.len;
		b->n_names = before.n_names;
		b->closed = b->w.full;
		b->w.full = b->w.full && is_needed(b, s);
		return false;
	}
	b->section = s;
	b->count[s]++;
	for (unsigned i = s; i < MSG_SECTIONS; i++)
		b->end[i] = b->w.len;
	return true;
}

static inline void
put_fixed(struct wire_writer *w, uint16_t type, uint16_t class, uint32_t ttl, uint16_t rdlen)
{
	uint8_t *p = w->buf + w->len;

	if (!wire_can_write(w, DNS_RR_FIXED))
		return;
	wire_set_u16(p, type);
	wire_set_u16(p + 2, class);
	wire_set_u32(p + 4, ttl);
	wire_set_u16(p + 8, rdlen);
	w->len += DNS_RR_FIXED;
}

/* May names in RDATA of TYPE be sent compressed? Those of RFC 1035's types (RFC 3597 section 4). */
static inline bool
may_compress(uint16_t type)
{
	return type <= DNS_TYPE_TXT;
}

/* Write RDLENGTH and the RDATA of RR. False: the RDATA does not have PARTS. */
static bool
put_rdata(
    struct build *b, const struct msg *src, const struct rr *rr, const struct type_parts *parts)
{
	size_t pos = rdata_first_name(src->bytes, rr, parts);
	size_t start;

	if (pos >= rr->end)
		return false;
	start = wire_begin_length(&b->w);
	wire_put_bytes(&b->w, src->bytes + rr->rdata, pos - rr->rdata);
	for (unsigned i = 0; i < parts->names; i++) {
		uint8_t name[DNS_NAME_MAX];
		size_t len = name_expand(src->bytes, rr->end, pos, name, &pos);

		spend(b, len > 0 ? len : DNS_NAME_MAX);
		if (len == 0)
			return false;
		if (may_compress(rr->type))
			put_name(b, name, len);
		else
			wire_put_bytes(&b->w, name, len);
	}
	if (parts->after != TYPE_REST && rr->end - pos != parts->after)
		return false;
	wire_put_bytes(&b->w, src->bytes + pos, rr->end - pos);
	wire_end_length(&b->w, start);
	return true;
}

/* Append a record with the owner and class of RR, but TYPE, TTL and RDATA, which has no names. */
static inline bool
copy_as(struct build *b, enum msg_section s, const struct msg *src, const struct rr *rr,
    uint16_t type, uint32_t ttl, const uint8_t *rdata, uint16_t rdlen)
{
	const struct mark before = mark(b);
	bool sound;

	if (UNLIKELY(is_closed(b)))
		return false;
	sound = put_owner(b, src, rr);
	put_fixed(&b->w, type, rr->class, ttl, rdlen);
	wire_put_bytes(&b->w, rdata, rdlen);
	return commit(b, s, before, sound);
}

bool
build_copy(
    struct build *b, enum msg_section s, const struct msg *src, const struct rr *rr, uint32_t ttl)
{
	const struct type_parts *parts = &type_row(rr->type)->parts;
	const struct mark before = mark(b);
	bool sound;

	if (parts->names == 0)
		return copy_as(b, s, src, rr, rr->type, ttl, src->bytes + rr->rdata, rr->rdlen);
	if (is_closed(b))
		return false;
	sound = put_owner(b, src, rr);
	wire_put_u16(&b->w, rr->type);
	wire_put_u16(&b->w, rr->class);
	wire_put_u32(&b->w, ttl);
	sound = sound && put_rdata(b, src, rr, parts);
	return commit(b, s, before, sound);
}

bool
build_aaaa(struct build *b, const struct msg *src, const struct rr *rr, uint32_t ttl,
    const uint8_t v6[static 16])
{
	return copy_as(b, MSG_ANSWER, src, rr, DNS_TYPE_AAAA, ttl, v6, 16);
}

bool
build_rr(struct build *b, enum msg_section s, const uint8_t *owner, uint16_t type, uint16_t class,
    uint32_t ttl, const uint8_t *rdata, uint16_t rdlen)
{
	const struct mark before = mark(b);

	if (is_closed(b))
		return false;
	put_name(b, owner, name_len(owner));
	put_fixed(&b->w, type, class, ttl, rdlen);
	wire_put_bytes(&b->w, rdata, rdlen);
	return commit(b, s, before, true);
}

bool
build_rr_name(struct build *b, enum msg_section s, const uint8_t *owner, uint16_t type,
    uint16_t class, uint32_t ttl, const uint8_t *name)
{
	const struct mark before = mark(b);
	size_t start;

	if (is_closed(b))
		return false;
	put_name(b, owner, name_len(owner));
	put_fixed(&b->w, type, class, ttl, 0);
	start = b->w.len;
	put_name(b, name, name_len(name));
	wire_end_length(&b->w, start);
	return commit(b, s, before, true);
}
