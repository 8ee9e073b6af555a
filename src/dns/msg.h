/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DNS_MSG_H
#define DNS64D_DNS_MSG_H

/*
 * msg: a checked view of a message's bytes.
 *
 * msg_parse walks the whole message once. After it said MSG_OK, every record can be
 * visited with msg_walk and msg_walk_next without further checks of the framing; names
 * inside are still expanded with name_expand, which checks them. A struct msg borrows
 * the bytes and owns nothing.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "dns/header.h"
#include "dns/name.h"
#include "dns/proto.h"
#include "dns/rr.h"
#include "dns/wire.h"

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
	return header_qname(m->bytes);
}

/*
 * A walk over records. Typical loop:
 *	struct msg_walk w = msg_walk(m, MSG_ANSWER);
 *	struct rr rr;
 *
 *	while (msg_walk_next(&w, &rr))
 *		... rr ...
 * It allocates nothing and ends after as many records as the header counted, or with the message.
 */
struct msg_walk {
	const struct msg *msg; /* borrowed */
	size_t next;           /* offset of the record that follows */
	unsigned left;         /* records that were not visited yet */
};

/*
 * msg_walk: a walk over the records of section S of M, which was parsed; no record is visited
 * yet. A message that was MSG_QDCOUNT or MSG_MALFORMED has none. OPT and TSIG are visited too.
 */
MUST_USE static inline struct msg_walk
msg_walk(const struct msg *m, enum msg_section s)
{
	return (struct msg_walk){ .msg = m, .next = m->at[s], .left = m->count[s] };
}

/* msg_walk_all: a walk over the records of all three sections in turn. */
MUST_USE static inline struct msg_walk
msg_walk_all(const struct msg *m)
{
	struct msg_walk w = msg_walk(m, MSG_ANSWER);

	w.left += (unsigned)m->count[MSG_AUTHORITY] + m->count[MSG_ADDITIONAL];
	return w;
}

/*
 * msg_record: read the record of M whose owner is at offset AT to *rr. False, with *rr unspecified,
 * when it runs out of the message or its owner is not framed as msg_parse promises.
 */
MUST_USE bool msg_record(const struct msg *m, size_t at, struct rr *rr);

/* msg_walk_next: read the next record to *rr. False, with *rr unspecified, when there is none. */
MUST_USE static inline bool
msg_walk_next(struct msg_walk *w, struct rr *rr)
{
	if (w->left == 0 || !msg_record(w->msg, w->next, rr))
		return false;
	w->next = rr->end;
	w->left--;
	return true;
}

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
 * msg_owner_points_to: is the owner of RR a compression pointer to offset TO (under NAME_REACH),
 * and nothing else? Most owners are; another answer does not mean that it is another name.
 */
MUST_USE static inline bool
msg_owner_points_to(const struct msg *m, const struct rr *rr, size_t to)
{
	return wire_u16(m->bytes + rr->at) == name_pointer(to);
}

/* msg_owner_is_question: the same for the question's name. */
MUST_USE static inline bool
msg_owner_is_question(const struct msg *m, const struct rr *rr)
{
	return msg_owner_points_to(m, rr, HEADER_QNAME);
}

/*
 * msg_owner_in_question: is the owner of RR a compression pointer to a label of the question's
 * name, root included, and nothing else? Then that name is the owner or below it. False without
 * question.
 */
MUST_USE static inline bool
msg_owner_in_question(const struct msg *m, const struct rr *rr)
{
	size_t to = name_sole_pointer(m->bytes + rr->at);

	return to >= HEADER_QNAME && to - HEADER_QNAME < m->qname_len &&
	    name_is_label(msg_qname(m), to - HEADER_QNAME);
}

/*
 * msg_soa: the negative TTL of SOA record RR in seconds, the smaller of its TTL and its MINIMUM
 * (RFC 2308 section 5), to *ttl. False, with *ttl untouched, when the RDATA is not two names, whose
 * pointers are not followed, and five numbers (RFC 1035 section 3.3.13).
 */
MUST_USE static inline bool
msg_soa(const struct msg *m, const struct rr *rr, uint32_t *ttl)
{
	size_t at = name_skip(m->bytes, rr->end, rr->rdata); /* MNAME */
	uint32_t minimum;

	if (at > 0)
		at = name_skip(m->bytes, rr->end, at); /* RNAME */
	if (at == 0 || rr->end - at != DNS_SOA_NUMBERS)
		return false;
	minimum = wire_u32(m->bytes + rr->end - 4);
	*ttl = rr->ttl < minimum ? rr->ttl : minimum;
	return true;
}

/*
 * msg_rrsig_covers: the type that RRSIG record RR signs (RFC 4034 section 3.1.1); 0 when its RDATA
 * is too short to say.
 */
MUST_USE static inline uint16_t
msg_rrsig_covers(const struct msg *m, const struct rr *rr)
{
	return rr->rdlen >= 2 ? wire_u16(m->bytes + rr->rdata) : 0;
}

/*
 * msg_svcb_target: the TargetName of SVCB or HTTPS record RR to OUT; "." stands for the owner (RFC
 * 9460 section 2.5). Returns its length; 0 when the record is not in ServiceMode (section 2.4.3),
 * or malformed.
 */
MUST_USE size_t msg_svcb_target(
    const struct msg *m, const struct rr *rr, uint8_t out[static DNS_NAME_MAX]);

/* msg_move: the message now stands at BYTES, where the caller has copied it: M borrows those. */
void msg_move(struct msg *m, const uint8_t *bytes);

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
