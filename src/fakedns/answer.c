/* SPDX-License-Identifier: BSD-2-Clause */
#include "fakedns/answer.h"

#include <string.h>

#include "dns/edit.h"
#include "dns/header.h"
#include "dns/msg.h"
#include "dns/name.h"
#include "dns/wire.h"

#define STRING_MAX 255 /* bytes of a character-string (RFC 1035 section 3.3) */

/* An answer that is being written. */
struct reply {
	const struct fake_policy *policy;
	const struct msg *m;
	const struct fake_name *name;
	struct wire_writer w;
	size_t record;     /* offset of the record being written */
	size_t rdata;      /* offset of its RDATA */
	size_t owner;      /* offset of the owner of the records to come */
	uint16_t count[2]; /* records in answer and authority */
	uint16_t rcode;    /* 12 bits */
	uint16_t flags;
	bool opt;
	bool unforced;
};

static void
record_start(struct reply *r, size_t owner, uint16_t type, uint32_t ttl)
{
	r->record = r->w.len;
	wire_put_u16(&r->w, name_pointer(owner));
	wire_put_u16(&r->w, type);
	wire_put_u16(&r->w, DNS_CLASS_IN);
	wire_put_u32(&r->w, ttl);
	r->rdata = wire_begin_length(&r->w);
}

/* End a record. If it does not fit it is removed, TC is set, and the result is false. */
static bool
record_end(struct reply *r, enum msg_section s)
{
	if (r->w.full) {
		r->w.full = false;
		r->w.len = r->record;
		r->flags |= DNS_TC;
		return false;
	}
	wire_end_length(&r->w, r->rdata);
	r->count[s]++;
	return true;
}

/* The offset of the zone's name within the name of the question. */
static size_t
zone_at(const struct reply *r)
{
	return HEADER_QNAME + (size_t)r->name->zone_at;
}

/* Write the name "ns.<zone>"; returns the offset of the zone in it. */
static size_t
put_server(struct reply *r)
{
	const struct fake_zone *z = &r->policy->zone;

	wire_put_bytes(&r->w, "\002ns", 3);
	wire_put_bytes(&r->w, z->name, z->len);
	return r->w.len - z->len;
}

static bool
put_soa(struct reply *r, enum msg_section s)
{
	uint32_t ttl = r->policy->negative_ttl;

	record_start(r, zone_at(r), DNS_TYPE_SOA, ttl);
	size_t zone = put_server(r);
	wire_put_bytes(&r->w, "\012hostmaster", 11);
	wire_put_u16(&r->w, name_pointer(zone));
	wire_put_u32(&r->w, 1);      /* serial */
	wire_put_u32(&r->w, 3600);   /* refresh */
	wire_put_u32(&r->w, 1200);   /* retry */
	wire_put_u32(&r->w, 604800); /* expire */
	wire_put_u32(&r->w, ttl);    /* minimum */
	return record_end(r, s);
}

/* Address I of a name; a name with many has those for benchmarks (RFC 2544). */
static void
address_of(const struct fake_name *n, unsigned i, uint8_t v4[static 4])
{
	wire_set_u32(v4, n->kind == FAKE_MANY ? 0xc6120001u + i : wire_u32(n->v4));
}

static bool
put_addresses(struct reply *r, uint16_t type)
{
	unsigned n = r->name->kind == FAKE_MANY ? r->name->n : 1;
	uint8_t v4[4], v6[16];

	for (unsigned i = 0; i < n; i++) {
		record_start(r, r->owner, type, r->policy->ttl);
		address_of(r->name, i, v4);
		fake_native_address(v4, v6);
		if (type == DNS_TYPE_AAAA)
			wire_put_bytes(&r->w, v6, sizeof(v6));
		else
			wire_put_bytes(&r->w, v4, sizeof(v4));
		if (!record_end(r, MSG_ANSWER))
			return false;
	}
	return true;
}

/* Write N bytes, digits over and over, in character-strings as long as possible. */
static bool
put_text(struct reply *r)
{
	unsigned left = r->name->n, digit = 0;

	record_start(r, r->owner, DNS_TYPE_TXT, r->policy->ttl);
	do {
		unsigned len = left < STRING_MAX ? left : STRING_MAX;

		wire_put_u8(&r->w, (uint8_t)len);
		for (unsigned i = 0; i < len; i++)
			wire_put_u8(&r->w, (uint8_t)('0' + digit++ % 10));
		left -= len;
	} while (left > 0);
	return record_end(r, MSG_ANSWER);
}

/* RFC 3403 section 4, RFC 6116 section 3.4. */
static bool
put_naptr(struct reply *r)
{
	static const char before[] = "!^.*$!sip:+", after[] = "@sip.test!";
	unsigned n = r->name->n_digits;

	record_start(r, r->owner, DNS_TYPE_NAPTR, r->policy->ttl);
	wire_put_u16(&r->w, 100); /* order */
	wire_put_u16(&r->w, 10);  /* preference */
	wire_put_bytes(&r->w, "\001u\007E2U+sip", 10);
	wire_put_u8(&r->w, (uint8_t)(sizeof(before) - 1 + n + sizeof(after) - 1));
	wire_put_bytes(&r->w, before, sizeof(before) - 1);
	wire_put_bytes(&r->w, r->name->digits, n);
	wire_put_bytes(&r->w, after, sizeof(after) - 1);
	wire_put_u8(&r->w, 0); /* no replacement: the root */
	return record_end(r, MSG_ANSWER);
}

static bool
put_ptr(struct reply *r)
{
	const struct fake_zone *z = &r->policy->zone;

	record_start(r, r->owner, DNS_TYPE_PTR, r->policy->ttl);
	wire_put_u8(&r->w, 15);
	for (unsigned i = 0; i < 4; i++) {
		unsigned v = r->name->v4[i];

		wire_put_u8(&r->w, (uint8_t)('0' + v / 100));
		wire_put_u8(&r->w, (uint8_t)('0' + v / 10 % 10));
		wire_put_u8(&r->w, (uint8_t)('0' + v % 10));
		if (i < 3)
			wire_put_u8(&r->w, '-');
	}
	wire_put_bytes(&r->w, z->name, z->len);
	return record_end(r, MSG_ANSWER);
}

static bool
put_ns(struct reply *r)
{
	record_start(r, r->owner, DNS_TYPE_NS, r->policy->ttl);
	(void)put_server(r);
	return record_end(r, MSG_ANSWER);
}

/* The first label of the name that is K CNAMEs before the end of the chain. */
static void
put_chain_label(struct reply *r, unsigned k)
{
	char prefix[12] = "cname-";
	size_t len = 6;

	for (unsigned unit = 100; k > 0 && unit > 0; unit /= 10) {
		if (k >= unit)
			prefix[len++] = (char)('0' + k / unit % 10);
	}
	prefix[len++] = '-';
	if (k == 0)
		len = 0;
	wire_put_u8(&r->w, (uint8_t)(len + r->name->target_len));
	wire_put_bytes(&r->w, prefix, len);
	wire_put_bytes(&r->w, r->name->target, r->name->target_len);
}

/* Write N CNAMEs of the chain, each owned by the target of the one before. */
static bool
put_chain(struct reply *r, unsigned n)
{
	uint16_t zone = name_pointer(zone_at(r));

	for (unsigned i = 1; i <= n; i++) {
		record_start(r, r->owner, DNS_TYPE_CNAME, r->policy->ttl);
		r->owner = r->w.len;
		put_chain_label(r, r->name->n_cnames - i);
		wire_put_u16(&r->w, zone);
		if (!record_end(r, MSG_ANSWER))
			return false;
	}
	return true;
}

static bool
asks_for(const struct reply *r, uint16_t type)
{
	return r->m->qtype == type || r->m->qtype == DNS_TYPE_ANY;
}

/* Write all records of the type that was asked for. False if they do not fit. */
static bool
put_data(struct reply *r)
{
	switch (r->name->kind) {
	case FAKE_APEX:
		return (!asks_for(r, DNS_TYPE_SOA) || put_soa(r, MSG_ANSWER)) &&
		    (!asks_for(r, DNS_TYPE_NS) || put_ns(r));
	case FAKE_ADDRESS:
	case FAKE_MANY:
		return (!asks_for(r, DNS_TYPE_A) || r->name->quirk == FAKE_TYPE_MISSING ||
			   put_addresses(r, DNS_TYPE_A)) &&
		    (!asks_for(r, DNS_TYPE_AAAA) || !r->name->has_aaaa ||
			put_addresses(r, DNS_TYPE_AAAA));
	case FAKE_TEXT:
		return !asks_for(r, DNS_TYPE_TXT) || put_text(r);
	case FAKE_NUMBER:
		return !asks_for(r, DNS_TYPE_NAPTR) || put_naptr(r);
	case FAKE_POINTER:
		return !asks_for(r, DNS_TYPE_PTR) || put_ptr(r);
	case FAKE_OUTSIDE:
	case FAKE_NOTHING:
	case FAKE_EMPTY:
	case FAKE_SERVFAIL:
	case FAKE_REFUSED:
	case FAKE_SILENT:
		break;
	}
	return true;
}

/* A question for CNAME itself is answered with data, whatever the chain ends in. */
static bool
is_chain_question(const struct reply *r)
{
	return r->name->n_cnames > 0 && asks_for(r, DNS_TYPE_CNAME);
}

static bool
is_forced(const struct reply *r)
{
	const struct fake_policy *p = r->policy;

	return p->forced && !r->unforced && (p->rcode_type == 0 || r->m->qtype == p->rcode_type);
}

static void
put_records(struct reply *r)
{
	bool chain_only = is_chain_question(r);
	uint16_t n;

	if (is_forced(r)) {
		if (r->name->kind != FAKE_OUTSIDE)
			(void)put_soa(r, MSG_AUTHORITY);
		return;
	}
	if (!put_chain(r, chain_only ? 1 : r->name->n_cnames) || chain_only)
		return;
	n = r->count[MSG_ANSWER];
	if (put_data(r) && r->count[MSG_ANSWER] == n)
		(void)put_soa(r, MSG_AUTHORITY); /* NODATA, NXDOMAIN (RFC 2308 section 3) */
}

static bool
quirk_hits(const struct fake_name *n, const struct msg *m, enum fake_quirk quirk)
{
	return n->quirk == quirk && n->quirk_type == m->qtype;
}

static uint16_t
rcode_of(const struct reply *r)
{
	if (is_forced(r))
		return r->policy->rcode;
	if (is_chain_question(r))
		return DNS_NOERROR;
	if (r->name->kind == FAKE_SERVFAIL || quirk_hits(r->name, r->m, FAKE_TYPE_FAILS))
		return DNS_SERVFAIL;
	if (r->name->kind == FAKE_REFUSED || r->name->kind == FAKE_OUTSIDE)
		return DNS_REFUSED;
	return r->name->kind == FAKE_NOTHING ? DNS_NXDOMAIN : DNS_NOERROR;
}

static bool
is_silent(const struct reply *r)
{
	const struct fake_policy *p = r->policy;

	if (r->name->broken && (p->broken_type == 0 || r->m->qtype == p->broken_type))
		return true;
	if (is_forced(r) || is_chain_question(r))
		return false;
	return r->name->kind == FAKE_SILENT || quirk_hits(r->name, r->m, FAKE_TYPE_SILENT);
}

/* The largest answer: the client's limit (RFC 6891 section 6.2.3) and the buffer's, less our OPT.
 */
static size_t
room_for(const struct msg *m, bool tcp, size_t cap)
{
	size_t limit = DNS_UDP_MIN;

	if (tcp)
		limit = DNS_MSG_MAX;
	else if (m->edns.present && m->edns.bufsize > DNS_UDP_MIN)
		limit = m->edns.bufsize;
	limit = limit < cap ? limit : cap;
	return m->edns.present ? limit - DNS_OPT_LEN : limit;
}

/* Write header, OPT and counts, which complete the message. */
static size_t
finish(struct reply *r)
{
	uint8_t *h = r->w.buf;
	const struct edit_opt opt = { .bufsize = FAKE_BUFSIZE,
		.rcode = r->rcode,
		.ede = DNS_EDE_NONE,
		.do_bit = r->m->edns.do_bit }; /* RFC 3225 section 3 */

	header_set_id(h, r->m->id);
	header_set_flags(h, (uint16_t)(r->flags | (r->rcode & DNS_RCODE)));
	header_set(h, HEADER_QDCOUNT, r->w.len > DNS_HEADER_LEN);
	header_set(h, HEADER_ANCOUNT, r->count[MSG_ANSWER]);
	header_set(h, HEADER_NSCOUNT, r->count[MSG_AUTHORITY]);
	header_set(h, HEADER_ARCOUNT, 0);
	return r->opt ? edit_append_opt(h, r->w.len, r->w.cap + DNS_OPT_LEN, &opt) : r->w.len;
}

/* What is wrong with a question, apart from its name? NOERROR: nothing. */
static uint16_t
check(const struct fake_policy *p, const struct msg *m, enum msg_verdict v)
{
	if ((m->flags & DNS_OPCODE) != DNS_OPCODE_QUERY)
		return DNS_NOTIMP;
	if (v != MSG_OK || m->qdcount != 1)
		return DNS_FORMERR;
	if (p->no_edns && m->edns.present)
		return DNS_FORMERR;
	if (m->edns.present && m->edns.version > 0)
		return DNS_BADVERS;
	if (m->qtype == DNS_TYPE_AXFR || m->qtype == DNS_TYPE_IXFR)
		return DNS_REFUSED;
	return m->qclass == DNS_CLASS_IN || m->qclass == DNS_CLASS_ANY ? DNS_NOERROR : DNS_REFUSED;
}

/* Write what the answer has for the name. False: there is no answer. */
static bool
answer_name(struct reply *r, const struct fake_question *q)
{
	if (is_silent(r))
		return false;
	r->rcode = rcode_of(r);
	if (r->rcode != DNS_NOERROR && r->rcode != DNS_NXDOMAIN)
		return true;
	r->flags |= DNS_AA;
	if (q->truncate && !q->tcp)
		r->flags |= DNS_TC;
	else
		put_records(r);
	return true;
}

size_t
fake_answer(const struct fake_policy *p, const struct fake_question *q, uint8_t *out, size_t cap,
    enum fake_verdict *verdict)
{
	struct fake_name name;
	struct msg m;
	enum msg_verdict v = msg_parse(&m, q->bytes, q->len);

	*verdict = FAKE_GARBAGE;
	if (v == MSG_SHORT || (m.flags & DNS_QR) != 0) /* to answer an answer would make a loop */
		return 0;
	bool sound = v == MSG_OK && m.qdcount == 1;
	struct reply r = { .policy = p, .m = &m, .name = &name, .owner = HEADER_QNAME };
	r.unforced = q->unforced;
	r.flags = (uint16_t)(DNS_QR | DNS_RA | (m.flags & (DNS_OPCODE | DNS_RD | DNS_CD)));
	r.rcode = check(p, &m, v);
	r.opt = v == MSG_OK && m.edns.present && !p->no_edns;
	r.w = (struct wire_writer){ .buf = out, .cap = cap, .len = DNS_HEADER_LEN };
	if (sound) { /* the question, in the spelling of the client */
		wire_put_bytes(&r.w, msg_qname(&m), m.qname_len + HEADER_QUESTION_FIXED);
		*verdict = FAKE_ANSWERED;
	}
	if (v == MSG_OK)
		r.w.cap = room_for(&m, q->tcp, cap);
	if (r.rcode != DNS_NOERROR)
		return finish(&r);
	fake_name_read(&p->zone, msg_qname(&m), m.qname_len, &name);
	if (!answer_name(&r, q)) {
		*verdict = FAKE_MUTE;
		return 0;
	}
	return finish(&r);
}
