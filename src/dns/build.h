/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DNS_BUILD_H
#define DNS64D_DNS_BUILD_H

/*
 * build: write a message into the buffer from which it leaves.
 *
 * Records are appended section by section, names compressed against what was written
 * before (RFC 1035 section 4.1.4) with bounded work: the question's name, and up to
 * BUILD_NAMES suffixes. Case is kept as in the source (RFC 4343), but that the question's
 * spelling stands in wherever its name or a suffix of it is meant (RULES D24). When the
 * message is complete build_finish drops what does not fit the client's limit, in the order
 * of RULES D12, and appends the OPT. A failed append leaves the message as it was before
 * it, except that w.full stays set when the client misses what it asked for: a record of the
 * answer section or, of an empty answer, one of authority. Nothing more is appended then and
 * build_finish sets TC. Other records are left out without a trace, and so is all behind the first
 * of them that had no room. What would take more than BUILD_WORK to write has no room either: a
 * message made for the purpose can hold thousands of long names that are hard to compress.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "dns/msg.h"
#include "dns/proto.h"
#include "dns/wire.h"

#define BUILD_NAMES 32 /* name suffixes remembered for compression */
/* The most work for a message of CAP bytes, roughly in bytes expanded and compared. A message full
 * of PTR records takes less. */
#define BUILD_WORK(cap) (16384U + 4U * (unsigned)(cap))
#define BUILD_RESPELLED 32768 /* labels compared to find the question's name among owners */
#define BUILD_EDE_MAX 256     /* bytes of EDE options in all; what goes beyond is left out */

/* The head of a message: what stands before its records. */
struct build_question {
	uint16_t id;
	uint16_t flags; /* DNS_QR ... DNS_CD; an rcode in them is not read */
	const uint8_t
	    *qname; /* borrowed: a checked name, as it is to be spelled; NULL: no question */
	uint16_t qtype;
	uint16_t qclass;
	size_t qname_len; /* bytes of qname, for who knows; 0: it is measured */
};

/* Our own OPT (hop-by-hop: never the other side's). */
struct build_opt {
	bool present;
	bool do_bit;                /* copied from the question (RFC 3225) */
	uint16_t bufsize;           /* what we take, bytes */
	uint16_t ede;               /* EDE info code to add, DNS_EDE_NONE for none */
	uint8_t cookie_len;         /* 0: no COOKIE option (RFC 7873 section 4) */
	const uint8_t *cookie;      /* borrowed: both parts, or the client's only */
	const char *ede_text;       /* EXTRA-TEXT of ede (RFC 8914 section 2), UTF-8; NULL: none */
	const struct msg *ede_from; /* a reply whose own EDEs go along; NULL: none */
};

struct build {
	struct wire_writer w; /* full: see above */
	uint16_t flags;       /* goes out with the rcode's lower 4 bits */
	uint16_t rcode;       /* 12 bits; over 15 needs an OPT, goes out as SERVFAIL without */
	uint16_t count[MSG_SECTIONS];
	size_t end[MSG_SECTIONS]; /* offset behind each section, all sections being there always */
	enum msg_section section; /* the one being appended to; never goes back */
	size_t qname_len;         /* of the question's name at offset 12; 0 without a question */
	const uint8_t *src;       /* bytes of the message copied from last; compared, not read */
	bool src_same;            /* that one's question has the same name as ours */
	bool closed;              /* a record had no room that the client can do without */
	unsigned left;            /* of BUILD_WORK */
	unsigned n_names;         /* used of names and name_lens */
	uint16_t names[BUILD_NAMES];    /* offsets of labels that pointers may name */
	uint8_t name_lens[BUILD_NAMES]; /* bytes of the name that starts there, uncompressed */
};

/*
 * build_start: begin a message in the CAP bytes at BUF (at least DNS_UDP_MIN + DNS_OPT_LEN), which
 * the caller owns, with a header and question Q. The rcode is NOERROR until b->rcode is set.
 */
void build_start(struct build *b, uint8_t *buf, size_t cap, const struct build_question *q);

/*
 * build_copy: append record RR of message SRC to section S, with TTL in seconds. Its owner is
 * expanded and compressed anew. So are the names in the RDATA of the types of RFC 1035; those in
 * the other types that receivers decompress (RFC 3597 section 4) are only expanded. False when the
 * record does not fit or is malformed. No other message may come to stand where the bytes of SRC
 * are before build_finish.
 */
MUST_USE bool build_copy(
    struct build *b, enum msg_section s, const struct msg *src, const struct rr *rr, uint32_t ttl);

/*
 * build_aaaa: append to the answer section an AAAA with the owner and class of RR of SRC, an A as a
 * rule, with TTL and the 16 bytes at V6 (RFC 3596 section 2.2). Returns as build_copy.
 */
MUST_USE bool build_aaaa(struct build *b, const struct msg *src, const struct rr *rr, uint32_t ttl,
    const uint8_t v6[static 16]);

/*
 * build_rr: append to section S a record with OWNER, a checked name, TTL in seconds, and the RDLEN
 * bytes at RDATA as they are. Returns as build_copy.
 */
MUST_USE bool build_rr(struct build *b, enum msg_section s, const uint8_t *owner, uint16_t type,
    uint16_t class, uint32_t ttl, const uint8_t *rdata, uint16_t rdlen);

/*
 * build_rr_name: append a record as build_rr does, whose RDATA is the checked name NAME,
 * compressed: for CNAME, PTR and NS only (RFC 3597 section 4). Returns as build_copy.
 */
MUST_USE bool build_rr_name(struct build *b, enum msg_section s, const uint8_t *owner,
    uint16_t type, uint16_t class, uint32_t ttl, const uint8_t *name);

/*
 * build_opt_len: return the length of the OPT record that OPT describes in bytes; 0 if there is to
 * be none.
 */
MUST_USE size_t build_opt_len(const struct build_opt *opt);

/*
 * build_finish: make the message fit LIMIT bytes (>= 512) and its buffer, OPT included, append
 * the OPT if there is to be one, write the header. Dropped in turn (RULES D12): the EDEs, with
 * TC set (RFC 8914 section 3); the additional section; the authority section of an answer with
 * records; then, with TC set, whole records from the end: of the answer or, if it is empty, of
 * authority. OPT stays. Returns the message's length.
 */
MUST_USE size_t build_finish(struct build *b, size_t limit, const struct build_opt *opt);

/*
 * build_relay: pass reply SRC to a client octet for octet (RULES D24) but for the ID and flags of
 * Q, the spelling of the question (Q's qname: the same name; not read if SRC has no question) and
 * of owners that are the same name, TC, and the OPT, which is taken out and replaced by OPT. Q's
 * qtype and qclass are not read; rcode and sections are SRC's. Cut to LIMIT as build_finish does;
 * TC of Q's flags stays. Only when an OPT stood before other records are those rewritten. A message
 * with a TSIG or SIG(0) is passed as by build_relay_signed. Writes at most LIMIT bytes (>= 512) to
 * BUF; returns the length.
 */
MUST_USE size_t build_relay(uint8_t *buf, size_t limit, const struct msg *src,
    const struct build_question *q, const struct build_opt *opt);

/*
 * build_relay_signed: pass SRC, the reply to a signed question, to a client with nothing but its ID
 * changed. If it is longer than LIMIT bytes (at least DNS_UDP_MIN), what is passed is header,
 * question and OPT, with TC set (RULES D20). BUF has room for LIMIT bytes. Returns the length.
 */
MUST_USE size_t build_relay_signed(
    uint8_t *buf, size_t limit, const struct msg *src, uint16_t id, const struct build_opt *opt);

/*
 * build_query: write a question for an upstream to the CAP bytes (at least DNS_UDP_MIN) at BUF: Q,
 * whose flags are 0 or DNS_CD, with RD and AD set besides (RULES D9), and OPT, whose EDE is not
 * written. Returns the length.
 */
MUST_USE size_t build_query(
    uint8_t *buf, size_t cap, const struct build_question *q, const struct build_opt *opt);

/*
 * build_set_opt: write an OPT record of version 0 but its options to P (RFC 6891 section 6.1.2).
 * The caller writes the options, OPTIONS_LEN bytes, behind it. BUFSIZE: bytes of the largest
 * datagram that the sender takes. RCODE: 12 bits; the upper 8 are written here, the lower 4 belong
 * to the header (section 6.1.3).
 */
static inline void
build_set_opt(uint8_t p[static DNS_OPT_LEN], uint16_t bufsize, uint16_t rcode, bool do_bit,
    uint16_t options_len)
{
	p[0] = 0; /* owner: the root */
	wire_set_u16(p + 1, DNS_TYPE_OPT);
	wire_set_u16(p + 3, bufsize);
	wire_set_u32(p + 5, (uint32_t)(rcode >> 4 & 0xff) << 24 | (do_bit ? 0x8000 : 0));
	wire_set_u16(p + 9, options_len);
}

#endif
