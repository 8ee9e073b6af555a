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

/* name_pointer: the two bytes of a compression pointer to offset TO (RFC 1035 section 4.1.4), which
 * is under NAME_REACH, as a number in host byte order. */
MUST_USE static inline uint16_t
name_pointer(size_t to)
{
	return (uint16_t)(0xc000 | to);
}

/* name_is_pointer: is BYTE, where a label may begin, the first of a compression pointer? */
MUST_USE static inline bool
name_is_pointer(uint8_t byte)
{
	return byte >= 0xc0;
}

/* name_pointee: the offset that the compression pointer at P leads to. */
MUST_USE static inline size_t
name_pointee(const uint8_t p[static 2])
{
	return wire_u16(p) & (NAME_REACH - 1);
}

/* name_sole_pointer: the same when there is one at P; 0, an offset of no name, when there is none.
 */
MUST_USE static inline size_t
name_sole_pointer(const uint8_t p[static 2])
{
	return name_is_pointer(p[0]) ? name_pointee(p) : 0;
}

/*
 * name_expand: read the name at MSG[pos], following compression pointers (RFC 1035 section
 * 4.1.4). Every pointer must point to before the labels it continues, so a chain of
 * pointers ends (RFC 9267 section 2), and not into the header; more than NAME_HOPS_MAX of
 * them are malformed. Writes the name to OUT and the offset behind it in the message
 * (behind the first pointer, if any) to *end. Returns the name's length; 0, with OUT
 * unspecified and *end untouched, when it is malformed, too long or runs out of the message.
 */
MUST_USE size_t name_expand(
    const uint8_t *msg, size_t len, size_t pos, uint8_t out[static DNS_NAME_MAX], size_t *end);

/*
 * name_measure: the same without writing the name. Adds to *n_steps a step for each label and
 * pointer, also when it is malformed.
 */
MUST_USE size_t name_measure(
    const uint8_t *msg, size_t len, size_t pos, size_t *end, unsigned *n_steps);

/*
 * name_skip: the offset behind the name at MSG[pos] without following pointers; 0 when a
 * label is malformed or runs out of the message. A pointer is accepted as it is.
 */
MUST_USE size_t name_skip(const uint8_t *msg, size_t len, size_t pos);

/*
 * name_skip_labels: the offset of the byte that ends the labels at MSG[pos]: of a root label,
 * or of the first byte of a pointer (0xc0 and up), which may be the message's last byte. LEN
 * when a label is malformed, runs out of the message, or the labels are too long in all.
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
 * name_equal_at: is the name at MSG[pos], pointers followed, NAME but for case? Stops at the
 * first difference; a malformed name is equal to none.
 */
MUST_USE bool name_equal_at(const uint8_t *msg, size_t len, size_t pos, const uint8_t *name);

/*
 * name_equal_within: the same with bounded work, for those who compare many: each label looked at
 * takes one from *left; with nothing left it is false.
 */
MUST_USE bool name_equal_within(
    const uint8_t *msg, size_t len, size_t pos, const uint8_t *name, unsigned *left);

/* name_len: bytes of a name, with the root label. */
MUST_USE size_t name_len(const uint8_t *name);

/* name_labels: labels of a name without the root label; 0 for the root. */
MUST_USE unsigned name_labels(const uint8_t *name);

/* name_is_label: does a label of NAME begin OFF bytes behind its start? OFF is below name_len. */
MUST_USE static inline bool
name_is_label(const uint8_t *name, size_t off)
{
	size_t at = 0;

	while (at < off)
		at += name[at] + 1u;
	return at == off;
}

/* name_lower: copy LEN bytes of a name, its letters in lower case. DST may be SRC. */
void name_lower(uint8_t *dst, const uint8_t *src, size_t len);

/*
 * name_mix: turn those of the letters of NAME (LEN bytes, in lower case) to upper case that BITS,
 * 64 random ones, choose ("0x20"). The same bits make the same choice.
 */
void name_mix(uint8_t *name, size_t len, uint64_t bits);

/*
 * name_respell: from the first one on, as long as the labels at AT are, byte for byte, those of
 * FROM give them the spelling of LIKE. All three end in a root label or a pointer; LIKE has at
 * least the labels of FROM.
 */
void name_respell(uint8_t *at, const uint8_t *from, const uint8_t *like);

/* name_equal: are two names the same but for case? */
MUST_USE bool name_equal(const uint8_t *a, const uint8_t *b);

/* name_equal_len: the same when it is known that both are LEN bytes long. */
MUST_USE bool name_equal_len(const uint8_t *a, const uint8_t *b, size_t len);

/* name_is_below: is NAME equal to ZONE or below it, but for case? */
MUST_USE bool name_is_below(const uint8_t *name, const uint8_t *zone);

/*
 * name_substitute: NAME with its suffix OWNER replaced by TARGET, as DNAME does (RFC 6672
 * section 2.2). NAME must be below OWNER and not equal to it. Returns the new length, 0 when
 * it would be over DNS_NAME_MAX. OUT must be none of the inputs.
 */
MUST_USE size_t name_substitute(const uint8_t *name, const uint8_t *owner, const uint8_t *target,
    uint8_t out[static DNS_NAME_MAX]);

/*
 * name_from_text: read "www.example.com" with or without the final dot, with \. \\ and \DDD
 * escapes (RFC 1035 section 5.1); "." is the root. Returns the length of the name in OUT, 0
 * when TEXT is empty, has an empty label or one over 63 bytes, or is too long in all.
 */
MUST_USE size_t name_from_text(const char *text, uint8_t out[static DNS_NAME_MAX]);

/* Longest text of name_to_text with its zero: every byte as \DDD. */
#define NAME_TEXT 1024

/* name_to_text: write a name with a final dot and a zero to TEXT; returns TEXT. */
char *name_to_text(const uint8_t *name, char text[static NAME_TEXT]);

#endif
