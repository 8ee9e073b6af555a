/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DNS_MSG_H
#define DNS64D_DNS_MSG_H

/*
 * msg: a checked view of a message's bytes.
 *
 * msg_parse walks the whole message once. After it said MSG_OK, every record can be
 * visited with msg_first and msg_next without further checks of the framing; names
 * inside are still expanded with name_expand, which checks them. A struct msg borrows
 * the bytes and owns nothing.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "dns/proto.h"

enum msg_section { MSG_ANSWER, MSG_AUTHORITY, MSG_ADDITIONAL, MSG_SECTIONS };

/* The OPT record of a message (RFC 6891 section 6.1). */
struct edns {
	bool present;
	bool do_bit;
	uint8_t version;
	uint16_t bufsize;       /* as sent; values under 512 mean 512 (section 6.2.3) */
	size_t at;              /* offset of the record's owner */
	size_t end;             /* offset behind the record */
	const uint8_t *options; /* borrowed: checked option list; none if the version is not 0 */
	size_t options_len;
};

struct msg {
	const uint8_t *bytes; /* borrowed */
	size_t len;           /* bytes of the message; all of them are accounted for */
	uint16_t id;
	uint16_t flags;               /* the 16 bits behind the ID: DNS_QR ... DNS_RCODE */
	uint16_t rcode;               /* 12 bits, with the OPT's upper 8 */
	uint16_t qdcount;             /* 0 or 1 after MSG_OK */
	uint16_t qtype;               /* 0 without a question */
	uint16_t qclass;              /* 0 without a question */
	size_t qname_len;             /* bytes of the name at offset 12; 0 without a question */
	uint16_t count[MSG_SECTIONS]; /* records, OPT and TSIG included */
	size_t at[MSG_SECTIONS];      /* offset of each section's first record */
	bool spelled;                 /* an owner begins with a label, not with a pointer */
	bool dname;                   /* there is a DNAME */
	bool ns, soa;                 /* of msg_parse_reply: there is such a record in authority */
	bool signature; /* last in additional is TSIG or SIG(0): a SIG covering type 0 (RFC 2931) */
	struct edns edns;
};

enum msg_verdict {
	MSG_OK,
	MSG_SHORT,     /* under 12 bytes: not even an ID is certain */
	MSG_QDCOUNT,   /* header is sound, but there are two questions or more */
	MSG_MALFORMED, /* header is sound, the rest is not: lengths lie, bytes are left over, a
			  pointer stands in the question */
	MSG_BAD_OPT,   /* two OPTs, OPT outside additional, owner not root, options do not add up
			  (RFC 6891) */
	MSG_UNSOUND    /* of msg_parse_reply: a record has malformed RDATA */
};

/*
 * msg_parse: check LEN bytes and fill *m. For every verdict but MSG_SHORT id and flags are
 * valid; the question fields are valid for MSG_OK and MSG_BAD_OPT, and for MSG_MALFORMED
 * if the question itself was sound (qname_len > 0 tells). A message without a question is
 * MSG_OK with qdcount 0. Record names must be well-framed and their pointers must point
 * backwards and behind the header; RDATA is checked for its length only. No section has
 * records (count is 0) in a message that was MSG_QDCOUNT or MSG_MALFORMED. edns.present is
 * set whenever an OPT was seen, also with MSG_BAD_OPT and MSG_MALFORMED; the other fields of
 * edns are then those of the first OPT. Options of an EDNS version other than 0 are not looked
 * at (RFC 6891 section 6.1.3).
 */
MUST_USE enum msg_verdict msg_parse(struct msg *m, const uint8_t *bytes, size_t len);

/*
 * msg_parse_reply: the same for what an upstream said, whose RDATA is checked too, as dns/rdata
 * does (RULES D25). MSG_UNSOUND: it is all that MSG_OK is but for that.
 */
MUST_USE enum msg_verdict msg_parse_reply(struct msg *m, const uint8_t *bytes, size_t len);

/* msg_qname: the question's name, qname_len bytes in the sender's spelling; there must be one. */
static inline const uint8_t *
msg_qname(const struct msg *m)
{
	return m->bytes + DNS_HEADER_LEN;
}

/* One record, by offsets into its message. */
struct rr {
	size_t at;    /* owner */
	size_t fixed; /* type, class, TTL, RDLENGTH: DNS_RR_FIXED bytes */
	size_t rdata;
	size_t end;
	uint32_t ttl; /* unsigned, as sent */
	uint16_t type;
	uint16_t class;
	uint16_t rdlen;
};

/*
 * msg_first: the first record of a section of a message that was MSG_OK. False: it is empty.
 * msg_next: step *rr to the following one; the caller counts with m->count. False, with *rr
 * unspecified, behind the last record of the message.
 * Typical loop:
 *	uint16_t n = m->count[s];
 *	for (bool more = msg_first(m, s, &rr); more; more = --n > 0 && msg_next(m, &rr))
 */
MUST_USE bool msg_first(const struct msg *m, enum msg_section s, struct rr *rr);
MUST_USE bool msg_next(const struct msg *m, struct rr *rr);

/* msg_owner: expand the owner name of a record. Returns its length, 0 when it is malformed. */
MUST_USE size_t msg_owner(
    const struct msg *m, const struct rr *rr, uint8_t out[static DNS_NAME_MAX]);

/*
 * msg_rdata_name: expand a name in RDATA, OFF bytes behind its start, which must end inside
 * the RDATA. Returns its length, 0 when malformed.
 */
MUST_USE size_t msg_rdata_name(
    const struct msg *m, const struct rr *rr, size_t off, uint8_t out[static DNS_NAME_MAX]);

/*
 * msg_option: the value of the first option CODE in the OPT, *len bytes; NULL without one.
 */
MUST_USE const uint8_t *msg_option(const struct msg *m, uint16_t code, size_t *len);

/*
 * msg_ede: the first EDE info code in the OPT (RFC 8914 section 2), DNS_EDE_NONE without one.
 * msg_ede_dnssec: the first that says that something did not validate: 1, 2, 5 to 12 or 27.
 */
MUST_USE uint16_t msg_ede(const struct msg *m);
MUST_USE uint16_t msg_ede_dnssec(const struct msg *m);

#endif
