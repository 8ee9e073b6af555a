/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DNS_NAME_H
#define DNS64D_DNS_NAME_H

/*
 * name: domain names in wire form.
 *
 * "A name" is uncompressed wire form of 1 to DNS_NAME_MAX bytes, its root label
 * included, checked once by name_expand or name_from_text; all other functions
 * rely on that. No recursion, no allocation. Case follows RFC 4343: only ASCII
 * letters fold.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "dns/proto.h"
#include "dns/wire.h"

#define NAME_HOPS_MAX 64   /* compression pointers followed within one name */
#define NAME_POINTER_LEN 2 /* bytes of a compression pointer */
#define NAME_REACH 0x4000  /* offsets from here on cannot be pointed to: a pointer has 14 bits */

/*
 * name_pointer: return the compression pointer to offset TO (RFC 1035 section 4.1.4),
 * NAME_POINTER_LEN bytes as a number in host byte order. TO is below NAME_REACH.
 */
MUST_USE static inline uint16_t
name_pointer(size_t to)
{
	return (uint16_t)(0xc000 | to);
}

/*
 * name_is_pointer: return whether BYTE, read where a label may begin, is the first byte of a
 * compression pointer.
 */
MUST_USE static inline bool
name_is_pointer(uint8_t byte)
{
	return byte >= 0xc0;
}

/*
 * name_pointee: return the offset that the compression pointer at P, NAME_POINTER_LEN bytes, leads
 * to.
 */
MUST_USE static inline size_t
name_pointee(const uint8_t p[static 2])
{
	return wire_u16(p) & (NAME_REACH - 1);
}

/*
 * name_sole_pointer: return the offset that the compression pointer at P leads to, or 0, where no
 * name stands, if there is a label at P instead.
 */
MUST_USE static inline size_t
name_sole_pointer(const uint8_t p[static 2])
{
	return name_is_pointer(p[0]) ? name_pointee(p) : 0;
}

/*
 * name_expand: read the name at offset POS of the message of LEN bytes at MSG, following
 * compression pointers (RFC 1035 section 4.1.4), and write it to OUT. Every pointer must lead to
 * before the labels it continues, so that a chain of pointers ends (RFC 9267 section 2), to labels
 * that end before these, and not into the header; more than NAME_HOPS_MAX of them are malformed.
 * *END becomes the offset behind the name, which is behind its first pointer if it has one.
 * Returns the length of the name in OUT; 0, with OUT unspecified and *END untouched, when the name
 * is malformed, longer than DNS_NAME_MAX or runs out of the message.
 */
MUST_USE size_t name_expand(
    const uint8_t *msg, size_t len, size_t pos, uint8_t out[static DNS_NAME_MAX], size_t *end);

/*
 * name_measure: check a name as name_expand does, but write it nowhere. Adds to *N_STEPS one step
 * for each label and each pointer looked at, also when the name is malformed. Returns the length
 * that the name has uncompressed, or 0; *END as for name_expand.
 */
MUST_USE size_t name_measure(
    const uint8_t *msg, size_t len, size_t pos, size_t *end, unsigned *n_steps);

/*
 * name_skip: return the offset behind the name at offset POS of the message of LEN bytes at MSG,
 * without following pointers, wherever they lead; 0 when a label is malformed or runs out of the
 * message.
 */
MUST_USE size_t name_skip(const uint8_t *msg, size_t len, size_t pos);

/*
 * name_skip_labels: return the offset of the byte that ends the labels at offset POS of the message
 * of LEN bytes at MSG: a root label, or the first byte of a pointer, which may be the last byte of
 * the message. Returns LEN when a label is malformed or runs out of the message, or when the labels
 * have DNS_NAME_MAX bytes or more in all.
 */
MUST_USE static inline size_t
name_skip_labels(const uint8_t *msg, size_t len, size_t pos)
{
	size_t at = pos;

	while (at < len && msg[at] != 0 && msg[at] <= DNS_LABEL_MAX)
		at += (size_t)msg[at] + 1;
	if (at >= len || at - pos >= DNS_NAME_MAX || (msg[at] != 0 && !name_is_pointer(msg[at])))
		return len;
	return at;
}

/*
 * name_equal_at: return whether the name at offset POS of the message of LEN bytes at MSG, pointers
 * followed, is NAME, ignoring case. Stops at the first difference; a malformed name is equal to
 * none.
 */
MUST_USE bool name_equal_at(const uint8_t *msg, size_t len, size_t pos, const uint8_t *name);

/*
 * name_equal_within: compare as name_equal_at, with bounded work for callers that compare many
 * names: each label looked at takes 1 from *LEFT. With nothing left the result is false.
 */
MUST_USE bool name_equal_within(
    const uint8_t *msg, size_t len, size_t pos, const uint8_t *name, unsigned *left);

/* name_len: return the length of NAME in bytes, root label included: 1 to DNS_NAME_MAX. */
MUST_USE size_t name_len(const uint8_t *name);

/* name_labels: return the number of labels of NAME without the root label; 0 for the root. */
MUST_USE unsigned name_labels(const uint8_t *name);

/*
 * name_is_label: return whether a label of NAME, root label included, begins OFF bytes behind its
 * start. OFF is below name_len(NAME).
 */
MUST_USE static inline bool
name_is_label(const uint8_t *name, size_t off)
{
	size_t at = 0;

	while (at < off)
		at += name[at] + 1u;
	return at == off;
}

/*
 * name_lower: copy LEN bytes of a name from SRC to DST with its letters in lower case. DST may be
 * SRC; otherwise they do not overlap.
 */
void name_lower(uint8_t *dst, const uint8_t *src, size_t len);

/*
 * name_mix: turn letters of NAME (LEN bytes, in lower case) to upper case, those that the 64 random
 * bits of BITS choose ("0x20"). The same bits make the same choice.
 */
void name_mix(uint8_t *name, size_t len, uint64_t bits);

/*
 * name_respell: change the case of the labels at AT, one after the other, to that of the labels of
 * LIKE, for as long as they are byte for byte those of FROM. All three end in a root label or a
 * pointer, and LIKE has at least as many labels as FROM.
 */
void name_respell(uint8_t *at, const uint8_t *from, const uint8_t *like);

/* name_equal: return whether the names A and B are the same, ignoring case. */
MUST_USE bool name_equal(const uint8_t *a, const uint8_t *b);

/* name_equal_len: return whether A and B, both LEN bytes long, are the same, ignoring case. */
MUST_USE bool name_equal_len(const uint8_t *a, const uint8_t *b, size_t len);

/* name_is_below: return whether NAME is ZONE or a name below it, ignoring case. */
MUST_USE bool name_is_below(const uint8_t *name, const uint8_t *zone);

/*
 * name_substitute: write to OUT NAME with its suffix OWNER replaced by TARGET, as DNAME does (RFC
 * 6672 section 2.2). NAME must be below OWNER and not equal to it; OUT overlaps none of the three.
 * Returns the length of the name in OUT, or 0 when it would be longer than DNS_NAME_MAX.
 */
MUST_USE size_t name_substitute(const uint8_t *name, const uint8_t *owner, const uint8_t *target,
    uint8_t out[static DNS_NAME_MAX]);

/*
 * name_from_text: read the text of a name, "www.example.com" with or without its final dot, with
 * the escapes \. \\ and \DDD (RFC 1035 section 5.1); "." is the root. TEXT ends in a zero. Returns
 * the length of the name in OUT, or 0, with OUT unspecified, when TEXT is empty, has an empty label
 * or one over DNS_LABEL_MAX bytes, or is too long in all.
 */
MUST_USE size_t name_from_text(const char *text, uint8_t out[static DNS_NAME_MAX]);

/* Longest text of name_to_text with its zero: every byte as \DDD. */
#define NAME_TEXT 1024

/*
 * name_to_text: write NAME as text, with a final dot, escapes where needed and a zero, to TEXT.
 * Returns TEXT.
 */
char *name_to_text(const uint8_t *name, char text[static NAME_TEXT]);

#endif
