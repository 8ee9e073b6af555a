/* SPDX-License-Identifier: BSD-2-Clause */
#include "dns/msg.h"

#include "dns/header.h"
#include "dns/name.h"
#include "dns/rdata.h"
#include "dns/type.h"
#include "dns/wire.h"

/* msg_parse and msg_parse_reply are each compiled as a whole: they take much of the time. */
#define INLINE inline __attribute__((always_inline))

size_t
msg_skip_owner(const uint8_t *bytes, size_t len, size_t at)
{
	size_t end = name_skip_labels(bytes, len, at);

	if (end >= len)
		return 0;
	if (bytes[end] == 0)
		return end + 1;
	if (len - end < NAME_POINTER_LEN)
		return 0;
	return msg_pointer_leads_back(bytes + end, at) ? end + NAME_POINTER_LEN : 0;
}

/* Do the options of an OPT, LEN bytes at P, fill its RDATA exactly (RFC 6891 section 6.1.2)? */
static bool
options_sound(const uint8_t *p, size_t len)
{
	while (len >= 4) {
		size_t size = (size_t)wire_u16(p + 2) + 4;

		if (size > len)
			return false;
		p += size;
		len -= size;
	}
	return len == 0;
}

/* Fill in m->edns from OPT record RR of section S. False when it breaks RFC 6891 section 6.1.1. */
static INLINE bool
parse_opt(struct msg *m, enum msg_section s, const struct rr *rr)
{
	struct edns *e = &m->edns;

	if (e->present)
		return false;
	e->present = true;
	e->bufsize = rr->class;
	e->version = (uint8_t)(rr->ttl >> 16 & 0xff);
	e->do_bit = (rr->ttl & 0x8000) != 0;
	e->at = rr->at;
	e->end = rr->end;
	m->rcode = (uint16_t)(rr->ttl >> 24 << 4 | (m->flags & DNS_RCODE));
	if (s != MSG_ADDITIONAL || m->bytes[rr->at] != 0)
		return false;
	/* Later versions may have other options: their answer is BADVERS (section 6.1.3). */
	if (e->version != 0)
		return true;
	e->options = m->bytes + rr->rdata;
	if (!options_sound(e->options, rr->rdlen))
		return false;
	e->options_len = rr->rdlen;
	return true;
}

/* Is RR, the last record of the additional section, a signature over the message? */
static bool
is_signature(const struct msg *m, const struct rr *rr)
{
	if (rr->type == DNS_TYPE_TSIG)
		return true;
	return rr->type == DNS_TYPE_SIG && rr->rdlen >= 2 && wire_u16(m->bytes + rr->rdata) == 0;
}

/* Read the question behind the header. Returns the offset behind it, 0 when malformed. */
static INLINE size_t
parse_question(struct msg *m)
{
	size_t end = name_skip_labels(m->bytes, m->len, DNS_HEADER_LEN);

	/* No name stands before it that a pointer could lead to. */
	if (end >= m->len || m->bytes[end] != 0)
		return 0;
	end++;
	if (m->len - end < 4)
		return 0;
	m->qname_len = end - DNS_HEADER_LEN;
	m->qtype = wire_u16(m->bytes + end);
	m->qclass = wire_u16(m->bytes + end + 2);
	return end + 4;
}

/* Check all records from POS on; if REPLY, which is constant for the compiler, their RDATA too. */
static INLINE enum msg_verdict
parse_records(struct msg *m, size_t pos, bool reply)
{
	enum msg_verdict verdict = MSG_OK;
	struct rdata_scan scan = rdata_begin(m->bytes, m->len, m->qname_len);
	struct rr rr = { .end = pos };

	for (unsigned s = MSG_ANSWER; s < MSG_SECTIONS; s++) {
		m->at[s] = rr.end;
		for (unsigned n = m->count[s]; n > 0; n--) {
			if (!msg_record(m, rr.end, &rr))
				return MSG_MALFORMED;
			/* Owners other than a pointer alone may have labels of their own. */
			if (UNLIKELY(rr.fixed - rr.at != 2))
				m->spelled |= m->bytes[rr.at] != 0;
			if (UNLIKELY(rr.type == DNS_TYPE_DNAME))
				m->dname = true;
			if (rr.type == DNS_TYPE_OPT && !parse_opt(m, (enum msg_section)s, &rr))
				verdict = MSG_BAD_OPT;
			if (!reply)
				continue;
			if (UNLIKELY(!rdata_sound(&scan, &rr)) && verdict == MSG_OK)
				verdict = MSG_UNSOUND;
			if (s == MSG_AUTHORITY) {
				m->ns |= rr.type == DNS_TYPE_NS;
				m->soa |= rr.type == DNS_TYPE_SOA;
			}
		}
	}
	if (rr.end != m->len)
		return MSG_MALFORMED;
	m->signature = m->count[MSG_ADDITIONAL] > 0 && is_signature(m, &rr);
	return verdict;
}

static INLINE enum msg_verdict
parse_body(struct msg *m, bool reply)
{
	size_t pos = DNS_HEADER_LEN;

	m->qdcount = header_get(m->bytes, HEADER_QDCOUNT);
	if (m->qdcount > 1)
		return MSG_QDCOUNT;
	if (m->qdcount == 1 && (pos = parse_question(m)) == 0)
		return MSG_MALFORMED;
	m->count[MSG_ANSWER] = header_get(m->bytes, HEADER_ANCOUNT);
	m->count[MSG_AUTHORITY] = header_get(m->bytes, HEADER_NSCOUNT);
	m->count[MSG_ADDITIONAL] = header_get(m->bytes, HEADER_ARCOUNT);
	return parse_records(m, pos, reply);
}

static INLINE enum msg_verdict
parse(struct msg *m, const uint8_t *bytes, size_t len, bool reply)
{
	enum msg_verdict verdict;

	*m = (struct msg){ .bytes = bytes, .len = len };
	if (len < DNS_HEADER_LEN)
		return MSG_SHORT;
	m->id = header_id(bytes);
	m->flags = header_flags(bytes);
	m->rcode = m->flags & DNS_RCODE;
	verdict = parse_body(m, reply);
	if (verdict == MSG_QDCOUNT || verdict == MSG_MALFORMED) {
		for (unsigned s = MSG_ANSWER; s < MSG_SECTIONS; s++)
			m->count[s] = 0;
	}
	return verdict;
}

enum msg_verdict
msg_parse(struct msg *m, const uint8_t *bytes, size_t len)
{
	return parse(m, bytes, len, false);
}

enum msg_verdict
msg_parse_reply(struct msg *m, const uint8_t *bytes, size_t len)
{
	return parse(m, bytes, len, true);
}

void
msg_plain(struct msg *m, const uint8_t *bytes, size_t len, size_t qname_len)
{
	size_t records = header_question_end(qname_len);
	uint16_t answers = header_get(bytes, HEADER_ANCOUNT);
	uint16_t flags = header_flags(bytes);

	*m = (struct msg){ .bytes = bytes,
		.len = len,
		.id = header_id(bytes),
		.flags = flags,
		.rcode = flags & DNS_RCODE,
		.qdcount = 1,
		.qtype = header_qtype(bytes, qname_len),
		.qclass = header_qclass(bytes, qname_len),
		.qname_len = qname_len,
		.count = { answers, header_get(bytes, HEADER_NSCOUNT), 0 },
		.at = { records, answers > 0 ? len : records, len } };
}

size_t
msg_owner(const struct msg *m, const struct rr *rr, uint8_t out[static DNS_NAME_MAX])
{
	size_t end;

	return name_expand(m->bytes, m->len, rr->at, out, &end);
}

size_t
msg_rdata_name(
    const struct msg *m, const struct rr *rr, size_t off, uint8_t out[static DNS_NAME_MAX])
{
	size_t end;
	size_t n;

	if (off >= rr->rdlen)
		return 0;
	n = name_expand(m->bytes, m->len, rr->rdata + off, out, &end);
	return n > 0 && end <= rr->end ? n : 0;
}

size_t
msg_target(const struct msg *m, const struct rr *rr, uint8_t out[static DNS_NAME_MAX])
{
	const struct type_row *row = type_row(rr->type);
	size_t off = row->parts.before;
	bool svcb = row->form == TYPE_FORM_SVCB;
	size_t len;

	if (rr->rdlen <= off || (svcb && wire_u16(m->bytes + rr->rdata) == 0))
		return 0;
	len = msg_rdata_name(m, rr, off, out);
	return svcb && len == 1 ? msg_owner(m, rr, out) : len;
}

void
msg_move(struct msg *m, const uint8_t *bytes)
{
	if (m->edns.options != NULL)
		m->edns.options = bytes + (m->edns.options - m->bytes);
	m->bytes = bytes;
}

const uint8_t *
msg_option(const struct msg *m, uint16_t code, size_t *len)
{
	const uint8_t *p = m->edns.options;
	size_t left = m->edns.options_len;

	while (left >= 4) {
		size_t size = wire_u16(p + 2);

		if (wire_u16(p) == code) {
			*len = size;
			return p + 4;
		}
		p += size + 4;
		left -= size + 4;
	}
	return NULL;
}

/*
 * Return the info code of the first EDE option from *AT on, an offset in the options, and move *AT
 * behind that option. DNS_EDE_NONE: there is none.
 */
static uint16_t
next_ede(const struct msg *m, size_t *at)
{
	while (m->edns.options_len - *at >= 4) {
		const uint8_t *p = m->edns.options + *at;
		size_t size = wire_u16(p + 2);

		*at += size + 4;
		/* An EDE that is too short for its info code is skipped (RFC 8914 section 2). */
		if (wire_u16(p) == EDNS_EDE && size >= 2)
			return wire_u16(p + 4);
	}
	return DNS_EDE_NONE;
}

uint16_t
msg_ede(const struct msg *m)
{
	size_t at = 0;

	return next_ede(m, &at);
}

static bool
is_dnssec(uint16_t ede)
{
	return ede == DNS_EDE_UNSUPPORTED_DNSKEY || ede == DNS_EDE_UNSUPPORTED_DS ||
	    (ede >= DNS_EDE_INDETERMINATE && ede <= DNS_EDE_NSEC_MISSING) ||
	    ede == DNS_EDE_NSEC3_ITERATIONS;
}

uint16_t
msg_ede_dnssec(const struct msg *m)
{
	size_t at = 0;
	uint16_t ede;

	do
		ede = next_ede(m, &at);
	while (ede != DNS_EDE_NONE && !is_dnssec(ede));
	return ede;
}
