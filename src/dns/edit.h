/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DNS_EDIT_H
#define DNS64D_DNS_EDIT_H

/*
 * edit: what is done to a finished message: TTLs are changed, the OPT is taken out or put in,
 * records are appended. Header and question are dns/header's.
 *
 * BYTES are the whole message, which is sound and belongs to the caller. A struct msg or rr that is
 * given along was read from the same bytes; what is changed here it does not follow.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "dns/build.h"
#include "dns/header.h"
#include "dns/msg.h"
#include "dns/proto.h"
#include "dns/rr.h"
#include "dns/wire.h"

/* edit_set_ttl: set the TTL of record RR to TTL seconds. */
static inline void
edit_set_ttl(uint8_t *bytes, const struct rr *rr, uint32_t ttl)
{
	wire_set_u32(bytes + rr->fixed + 4, ttl);
}

/*
 * edit_set_ttls: set the TTLs of all records of M to TTL seconds. The OPT's field of that place is
 * left: it is no TTL (RFC 6891 section 6.1.3).
 */
void edit_set_ttls(uint8_t *bytes, const struct msg *m, uint32_t ttl);

/* edit_limit_ttls: no TTL of the message of LEN bytes stays larger than MOST seconds. */
void edit_limit_ttls(uint8_t *bytes, size_t len, uint32_t most);

/*
 * edit_age: lower the TTLs of all records of M by AGE_S seconds, none below 0. The OPT's field is
 * left.
 */
void edit_age(uint8_t *bytes, const struct msg *m, uint32_t age_s);

/*
 * edit_copy_without_opt: copy M to CAP bytes (>= 512) at OUT, leaving out its OPT, which is never
 * passed on (RFC 6891 section 6.2.1). Its part of the rcode is gone too; ID and flags are M's. What
 * stands behind an OPT is written anew, as it may point into what moves; records that would be too
 * much work (BUILD_WORK) are left out. Returns the length; 0 when there is no room.
 */
MUST_USE size_t edit_copy_without_opt(uint8_t *out, size_t cap, const struct msg *m);

/* An OPT that is appended. */
struct edit_opt {
	uint16_t bufsize; /* bytes */
	uint16_t rcode;   /* 12 bits; its lower 4 are in the header and not read here */
	uint16_t ede;     /* the info code of its one option (RFC 8914); DNS_EDE_NONE: no options */
	bool do_bit;
};

#define EDIT_EDE_LEN 6                            /* option code, length and info code */
#define EDIT_OPT_MAX (DNS_OPT_LEN + EDIT_EDE_LEN) /* bytes that edit_append_opt appends at most */

/*
 * edit_append_opt: append an OPT of version 0 (RFC 6891 section 6.1.2) to a message of LEN bytes
 * that has none, with CAP bytes of room, and count it. Returns the new length; 0, with nothing
 * changed, when there is no room.
 */
MUST_USE static inline size_t
edit_append_opt(uint8_t *bytes, size_t len, size_t cap, const struct edit_opt *opt)
{
	size_t options_len = opt->ede != DNS_EDE_NONE ? EDIT_EDE_LEN : 0;
	uint8_t *p = bytes + len;

	if (cap < len || cap - len < DNS_OPT_LEN + options_len)
		return 0;
	build_set_opt(p, opt->bufsize, opt->rcode, opt->do_bit, (uint16_t)options_len);
	p += DNS_OPT_LEN;
	if (options_len > 0) {
		wire_set_u16(p, EDNS_EDE);
		wire_set_u16(p + 2, 2);
		wire_set_u16(p + 4, opt->ede);
	}
	header_add(bytes, HEADER_ARCOUNT);
	return len + DNS_OPT_LEN + options_len;
}

/*
 * edit_append_option: append the option CODE with the N bytes at DATA to the OPT of M, the whole
 * message at BYTES, with CAP bytes of room. Returns the new length; that of M, with nothing
 * changed, if the OPT is not the last record, there is none, or there is no room.
 */
MUST_USE size_t edit_append_option(uint8_t *bytes, size_t cap, const struct msg *m,
    enum edns_option code, const uint8_t *data, size_t n);

/* A record that is appended. */
struct edit_rr {
	const uint8_t *owner; /* borrowed: a checked name, written uncompressed */
	uint16_t type;
	uint16_t class;
	uint32_t ttl;         /* s */
	const uint8_t *rdata; /* borrowed: rdlen bytes, copied as they are */
	uint16_t rdlen;
};

/*
 * edit_append: append a record to the additional section of a message of LEN bytes, with CAP bytes
 * of room, and count it; an OPT may stand before it. Returns the new length; 0, with nothing
 * changed, when there is no room.
 */
MUST_USE size_t edit_append(uint8_t *bytes, size_t len, size_t cap, const struct edit_rr *rr);

#endif
