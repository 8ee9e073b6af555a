/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DNS_MSG_H
#define DNS64D_DNS_MSG_H

/*
 * msg: a checked view of a message's bytes.
 *
 * msg_parse walks the whole message once. If it returns MSG_OK, msg_walk visits every record
 * without further checks of the framing; names are still expanded with name_expand, which checks
 * them. A struct msg borrows the bytes and owns nothing. Numbers in it are in host byte order.
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
	bool ns, soa;                 /* there is one in authority; only from msg_parse_reply */
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
	MSG_UNSOUND    /* only from msg_parse_reply: a record has malformed RDATA */
};

/*
 * msg_parse: check the LEN bytes at BYTES, which *M borrows, and fill in *M. ID and flags are valid
 * for every verdict but MSG_SHORT. The question is valid for MSG_OK and MSG_BAD_OPT, and for
 * MSG_MALFORMED if qname_len is not 0. A message without a question is MSG_OK, with a qdcount of 0.
 * The owners of records must be well-framed and their pointers must lead backwards and not into the
 * header; RDATA is checked for its length only. A message that is MSG_QDCOUNT or MSG_MALFORMED has
 * no records (its counts are 0). edns.present is set when there is an OPT, whatever the verdict;
 * the rest of edns is then that of the first OPT. Options of another EDNS version than 0 are not
 * looked at (RFC 6891 section 6.1.3).
 */
MUST_USE enum msg_verdict msg_parse(struct msg *m, const uint8_t *bytes, size_t len);

/*
 * msg_parse_reply: parse as msg_parse does, and check the RDATA of every record with dns/rdata
 * (RULES D25). MSG_UNSOUND: the message would be MSG_OK but for its RDATA, and *M is filled in as
 * for MSG_OK.
 */
MUST_USE enum msg_verdict msg_parse_reply(struct msg *m, const uint8_t *bytes, size_t len);

/*
 * msg_is_plain: return whether a message like M, which was MSG_OK, is described by what stands at
 * its beginning, so that msg_plain does for it: it has a question, its records but an OPT are in
 * one section, which is not additional, no owner begins with a label, and none is a DNAME.
 */
MUST_USE static inline bool
msg_is_plain(const struct msg *m)
{
	return m->qname_len > 0 && !m->spelled && !m->dname &&
	    m->count[MSG_ADDITIONAL] == m->edns.present &&
	    (m->count[MSG_ANSWER] == 0 || m->count[MSG_AUTHORITY] == 0);
}

/*
 * msg_plain: fill in *M as msg_parse would, without looking at the records. The LEN bytes at BYTES,
 * which *M borrows, are a message for which msg_is_plain was true, without an OPT now. QNAME_LEN:
 * bytes of the question's name.
 */
void msg_plain(struct msg *m, const uint8_t *bytes, size_t len, size_t qname_len);

/*
 * msg_qname: return the question's name, qname_len bytes in the sender's spelling. M must have a
 * question.
 */
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
 * msg_walk: return a walk over the records of section S of M, which is parsed, none of them visited
 * yet. OPT and TSIG are visited like others. A message that is MSG_QDCOUNT or MSG_MALFORMED has no
 * records.
 */
MUST_USE static inline struct msg_walk
msg_walk(const struct msg *m, enum msg_section s)
{
	return (struct msg_walk){ .msg = m, .next = m->at[s], .left = m->count[s] };
}

/* msg_walk_all: return a walk over the records of all three sections, one after the other. */
MUST_USE static inline struct msg_walk
msg_walk_all(const struct msg *m)
{
	struct msg_walk w = msg_walk(m, MSG_ANSWER);

	w.left += (unsigned)m->count[MSG_AUTHORITY] + m->count[MSG_ADDITIONAL];
	return w;
}

/*
 * msg_pointer_leads_back: return whether the compression pointer at P, of an owner that begins at
 * offset AT, leads to before it (RFC 1035 section 4.1.4), and not into the header, where no name
 * stands.
 */
MUST_USE static inline bool
msg_pointer_leads_back(const uint8_t p[static NAME_POINTER_LEN], size_t at)
{
	size_t target = name_pointee(p);

	return target < at && target >= DNS_HEADER_LEN;
}

/*
 * msg_skip_owner: return the offset behind the owner at AT in the message of LEN bytes at BYTES; 0
 * when it is not framed as msg_parse demands.
 */
MUST_USE size_t msg_skip_owner(const uint8_t *bytes, size_t len, size_t at);

/*
 * msg_record: read the record whose owner is at offset AT of M to *RR. False, with *RR unspecified,
 * when the record runs out of the message or its owner is not framed as msg_parse demands.
 */
MUST_USE static inline bool
msg_record(const struct msg *m, size_t at, struct rr *rr)
{
	const uint8_t *p = m->bytes + at;
	size_t fixed = at + NAME_POINTER_LEN;

	/* Mostly the owner is a pointer and nothing else. */
	if (UNLIKELY(at >= m->len || !name_is_pointer(*p))) {
		fixed = msg_skip_owner(m->bytes, m->len, at);
		if (fixed == 0)
			return false;
	} else if (UNLIKELY(fixed > m->len || !msg_pointer_leads_back(p, at))) {
		return false;
	}
	if (UNLIKELY(m->len - fixed < DNS_RR_FIXED))
		return false;
	p = m->bytes + fixed;
	rr->at = at;
	rr->fixed = fixed;
	rr->type = wire_u16(p);
	rr->class = wire_u16(p + 2);
	rr->ttl = wire_u32(p + 4);
	rr->rdlen = wire_u16(p + 8);
	rr->rdata = fixed + DNS_RR_FIXED;
	rr->end = rr->rdata + rr->rdlen;
	return rr->end <= m->len;
}

/* msg_walk_next: read the next record to *RR. False, with *RR unspecified, when there is none. */
MUST_USE static inline bool
msg_walk_next(struct msg_walk *w, struct rr *rr)
{
	if (w->left == 0 || !msg_record(w->msg, w->next, rr))
		return false;
	w->next = rr->end;
	w->left--;
	return true;
}

/*
 * msg_owner: expand the owner of record RR to OUT. Returns its length, or 0 when it is malformed.
 */
MUST_USE size_t msg_owner(
    const struct msg *m, const struct rr *rr, uint8_t out[static DNS_NAME_MAX]);

/*
 * msg_rdata_name: expand the name that begins OFF bytes behind the start of the RDATA of record RR
 * to OUT; it must end inside the RDATA. Returns its length, or 0 when it is malformed.
 */
MUST_USE size_t msg_rdata_name(
    const struct msg *m, const struct rr *rr, size_t off, uint8_t out[static DNS_NAME_MAX]);

/*
 * msg_owner_points_to: return whether the owner of record RR is a compression pointer to offset TO
 * (below NAME_REACH) and nothing else, as most owners are. If it is not, it may be the same name
 * all the same.
 */
MUST_USE static inline bool
msg_owner_points_to(const struct msg *m, const struct rr *rr, size_t to)
{
	return wire_u16(m->bytes + rr->at) == name_pointer(to);
}

/*
 * msg_owner_is_question: return whether the owner of record RR is a compression pointer to the
 * question's name and nothing else.
 */
MUST_USE static inline bool
msg_owner_is_question(const struct msg *m, const struct rr *rr)
{
	return msg_owner_points_to(m, rr, HEADER_QNAME);
}

/*
 * msg_owner_in_question: return whether the owner of record RR is a compression pointer to a label
 * of the question's name, root label included, and nothing else: then the question's name is the
 * owner or below it. False without a question.
 */
MUST_USE static inline bool
msg_owner_in_question(const struct msg *m, const struct rr *rr)
{
	size_t to = name_sole_pointer(m->bytes + rr->at);

	return to >= HEADER_QNAME && to - HEADER_QNAME < m->qname_len &&
	    name_is_label(msg_qname(m), to - HEADER_QNAME);
}

/*
 * msg_soa: read the negative TTL of SOA record RR, the smaller of its TTL and its MINIMUM (RFC 2308
 * section 5), to *TTL, in seconds. False, with *TTL untouched, when the RDATA is not two names
 * (their pointers are not followed) and five numbers (RFC 1035 section 3.3.13).
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
 * msg_rrsig_covers: return the type that RRSIG record RR signs (RFC 4034 section 3.1.1), or 0 when
 * its RDATA is too short to say.
 */
MUST_USE static inline uint16_t
msg_rrsig_covers(const struct msg *m, const struct rr *rr)
{
	return rr->rdlen >= 2 ? wire_u16(m->bytes + rr->rdata) : 0;
}

/*
 * msg_target: expand the target of record RR, the name behind the first bytes of its RDATA that its
 * type's form has before names (type_rows), to OUT. Of SVCB and HTTPS "." stands for the owner (RFC
 * 9460 section 2.5). Returns its length, or 0 when the record is malformed, or is of these and not
 * in ServiceMode (section 2.4.3).
 */
MUST_USE size_t msg_target(
    const struct msg *m, const struct rr *rr, uint8_t out[static DNS_NAME_MAX]);

/*
 * msg_move: let M borrow BYTES, to which the caller has copied the message, instead of what it
 * borrowed.
 */
void msg_move(struct msg *m, const uint8_t *bytes);

/*
 * msg_option: return the value of the first option CODE in the OPT of M, borrowed from the message,
 * and write its length in bytes to *LEN. NULL, with *LEN untouched, when there is none.
 */
MUST_USE const uint8_t *msg_option(const struct msg *m, uint16_t code, size_t *len);

/*
 * msg_ede: return the info code of the first EDE option of M (RFC 8914 section 2), or DNS_EDE_NONE
 * without one.
 */
MUST_USE uint16_t msg_ede(const struct msg *m);

/*
 * msg_ede_dnssec: return the first info code of an EDE option of M that tells of failed DNSSEC
 * validation: 1, 2, 5 to 12 or 27 (RFC 8914 section 4). DNS_EDE_NONE without one.
 */
MUST_USE uint16_t msg_ede_dnssec(const struct msg *m);

#endif
