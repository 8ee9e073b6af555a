/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DNS_HEADER_H
#define DNS64D_DNS_HEADER_H

/*
 * header: the fields that stand at the same place in every message: the header (RFC 1035 section
 * 4.1.1), and the question behind it (section 4.1.2), whose name is never compressed.
 *
 * For bytes that no struct msg describes: a message that is being written, that is kept, or that is
 * not parsed yet. Nothing is checked: the caller knows that the bytes are there. All numbers are in
 * host byte order.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/attr.h"
#include "dns/proto.h"
#include "dns/wire.h"

#define HEADER_ID_LEN 2             /* bytes of the ID, which comes first */
#define HEADER_QNAME DNS_HEADER_LEN /* offset of the question's name */
#define HEADER_QUESTION_FIXED 4     /* QTYPE and QCLASS */
#define HEADER_QUESTION_MAX (HEADER_QNAME + DNS_NAME_MAX + HEADER_QUESTION_FIXED)

/* Offsets of the other fields. */
enum header_field {
	HEADER_FLAGS = 2,
	HEADER_QDCOUNT = 4,
	HEADER_ANCOUNT = 6,
	HEADER_NSCOUNT = 8,
	HEADER_ARCOUNT = 10
};

MUST_USE static inline uint16_t
header_id(const uint8_t bytes[static HEADER_ID_LEN])
{
	return wire_u16(bytes);
}

static inline void
header_set_id(uint8_t bytes[static HEADER_ID_LEN], uint16_t id)
{
	wire_set_u16(bytes, id);
}

MUST_USE static inline uint16_t
header_get(const uint8_t bytes[static DNS_HEADER_LEN], enum header_field field)
{
	return wire_u16(bytes + field);
}

static inline void
header_set(uint8_t bytes[static DNS_HEADER_LEN], enum header_field field, uint16_t value)
{
	wire_set_u16(bytes + field, value);
}

/* header_flags: return the 16 bits behind the ID: DNS_QR ... DNS_RCODE. */
MUST_USE static inline uint16_t
header_flags(const uint8_t bytes[static DNS_HEADER_LEN])
{
	return header_get(bytes, HEADER_FLAGS);
}

/* header_set_flags: write all 16 bits behind the ID: DNS_QR ... DNS_RCODE. */
static inline void
header_set_flags(uint8_t bytes[static DNS_HEADER_LEN], uint16_t flags)
{
	header_set(bytes, HEADER_FLAGS, flags);
}

/* header_clear_flags: clear the bits of the flags that are set in FLAGS; the others stay. */
static inline void
header_clear_flags(uint8_t bytes[static DNS_HEADER_LEN], uint16_t flags)
{
	header_set_flags(bytes, header_flags(bytes) & (uint16_t)~flags);
}

/* header_add: add 1 to FIELD, one of the four counts. */
static inline void
header_add(uint8_t bytes[static DNS_HEADER_LEN], enum header_field field)
{
	header_set(bytes, field, (uint16_t)(header_get(bytes, field) + 1));
}

/* header_start: write the header of a message with one question and no records. */
static inline void
header_start(uint8_t bytes[static DNS_HEADER_LEN], uint16_t id, uint16_t flags)
{
	memset(bytes, 0, DNS_HEADER_LEN);
	header_set_id(bytes, id);
	header_set_flags(bytes, flags);
	header_set(bytes, HEADER_QDCOUNT, 1);
}

/* header_qname: return the place of the question's name. */
MUST_USE static inline const uint8_t *
header_qname(const uint8_t *bytes)
{
	return bytes + HEADER_QNAME;
}

/*
 * header_put_qname: return the place of the question's name for writing: up to DNS_NAME_MAX bytes.
 */
MUST_USE static inline uint8_t *
header_put_qname(uint8_t *bytes)
{
	return bytes + HEADER_QNAME;
}

/* header_set_qname: write QNAME, a name of LEN bytes, as the question's. */
static inline void
header_set_qname(uint8_t *bytes, const uint8_t *qname, size_t len)
{
	memcpy(header_put_qname(bytes), qname, len);
}

/* header_question_end: return the offset behind a question whose name has QNAME_LEN bytes. */
MUST_USE static inline size_t
header_question_end(size_t qname_len)
{
	return HEADER_QNAME + qname_len + HEADER_QUESTION_FIXED;
}

/* header_qtype: return the type of a question whose name has QNAME_LEN bytes. */
MUST_USE static inline uint16_t
header_qtype(const uint8_t *bytes, size_t qname_len)
{
	return wire_u16(bytes + HEADER_QNAME + qname_len);
}

/* header_qclass: return the class of a question whose name has QNAME_LEN bytes. */
MUST_USE static inline uint16_t
header_qclass(const uint8_t *bytes, size_t qname_len)
{
	return wire_u16(bytes + HEADER_QNAME + qname_len + 2);
}

/* header_set_qtype: write the type of a question whose name has QNAME_LEN bytes. */
static inline void
header_set_qtype(uint8_t *bytes, size_t qname_len, uint16_t qtype)
{
	wire_set_u16(bytes + HEADER_QNAME + qname_len, qtype);
}

/* header_set_qclass: write the class of a question whose name has QNAME_LEN bytes. */
static inline void
header_set_qclass(uint8_t *bytes, size_t qname_len, uint16_t qclass)
{
	wire_set_u16(bytes + HEADER_QNAME + qname_len + 2, qclass);
}

#endif
