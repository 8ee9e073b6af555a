/* SPDX-License-Identifier: BSD-2-Clause */
/* Whole messages: start, fitting a limit, header and OPT. Records are appended in build_rr.c. */
#include "dns/build.h"

#include <assert.h>
#include <string.h>

#include "dns/header.h"
#include "dns/name.h"

#define EDE_LEN 6 /* option code, length and info code (RFC 8914 section 2) */
/* Bytes of the longest OPT without a text of our own. */
#define OPT_MOST (DNS_OPT_LEN + BUILD_EDE_MAX + 4 + DNS_COOKIE_MAX)

static size_t
question_end(const struct build *b)
{
	return b->qname_len > 0 ? header_question_end(b->qname_len) : DNS_HEADER_LEN;
}

/* Bytes of our own EDE option. */
static size_t
ede_len(const struct build_opt *opt)
{
	if (opt->ede == DNS_EDE_NONE)
		return 0;
	return EDE_LEN + (opt->ede_text != NULL ? strlen(opt->ede_text) : 0);
}

/* Append our own EDE option to P; returns its length. */
static size_t
put_ede(uint8_t *p, const struct build_opt *opt)
{
	size_t len = ede_len(opt);

	if (len == 0)
		return 0;
	wire_set_u16(p, EDNS_EDE);
	wire_set_u16(p + 2, (uint16_t)(len - 4));
	wire_set_u16(p + 4, opt->ede);
	if (opt->ede_text != NULL)
		memcpy(p + EDE_LEN, opt->ede_text, len - EDE_LEN);
	return len;
}

/*
 * Copy the EDE options of reply FROM to P, or only measure them if P is NULL. Returns their length;
 * with the USED bytes of our own EDE it is BUILD_EDE_MAX at most, further options are left out.
 */
static size_t
relay_edes(uint8_t *p, const struct msg *from, size_t used)
{
	size_t at = 0;
	size_t len = 0;

	if (from == NULL)
		return 0;
	while (at < from->edns.options_len) {
		const uint8_t *option = from->edns.options + at;
		size_t size = (size_t)wire_u16(option + 2) + 4;

		at += size;
		if (wire_u16(option) != EDNS_EDE || used + len + size > BUILD_EDE_MAX)
			continue;
		if (p != NULL)
			memcpy(p + len, option, size);
		len += size;
	}
	return len;
}

/* Append the COOKIE option to P; returns its length. */
static size_t
put_cookie(uint8_t *p, const struct build_opt *opt)
{
	if (opt->cookie_len == 0)
		return 0;
	wire_set_u16(p, EDNS_COOKIE);
	wire_set_u16(p + 2, opt->cookie_len);
	memcpy(p + 4, opt->cookie, opt->cookie_len);
	return (size_t)opt->cookie_len + 4;
}

size_t
build_opt_len(const struct build_opt *opt)
{
	size_t len = ede_len(opt);

	if (!opt->present)
		return 0;
	len += relay_edes(NULL, opt->ede_from, len);
	return DNS_OPT_LEN + len + (opt->cookie_len > 0 ? (size_t)opt->cookie_len + 4 : 0);
}

/* Write the OPT, if there is to be one; returns its length. */
static size_t
put_opt(uint8_t *p, const struct build_opt *opt, uint16_t rcode)
{
	size_t len = DNS_OPT_LEN;

	if (!opt->present)
		return 0;
	len += put_ede(p + len, opt);
	len += relay_edes(p + len, opt->ede_from, len - DNS_OPT_LEN);
	len += put_cookie(p + len, opt);
	build_set_opt(p, opt->bufsize, rcode, opt->do_bit, (uint16_t)(len - DNS_OPT_LEN));
	return len;
}

static void
drop_edes(struct build_opt *opt)
{
	opt->ede = DNS_EDE_NONE;
	opt->ede_from = NULL;
}

/* Bytes of Q's name; 0 without a question. */
static inline size_t
length_of_name(const struct build_question *q)
{
	if (q->qname == NULL || q->qname_len > 0)
		return q->qname_len;
	return name_len(q->qname);
}

/* Begin a message without records in BUF. The caller writes its question, if QNAME_LEN > 0. */
static void
init(struct build *b, uint8_t *buf, size_t cap, uint16_t flags, size_t qname_len)
{
	b->w.buf = buf;
	b->w.cap = cap < DNS_MSG_MAX ? cap : DNS_MSG_MAX;
	b->w.full = false;
	b->flags = flags;
	b->rcode = DNS_NOERROR;
	b->section = MSG_ANSWER;
	b->qname_len = qname_len;
	b->src = NULL;
	b->src_same = false;
	b->closed = false;
	b->left = BUILD_WORK(b->w.cap);
	b->n_names = 0;
	b->w.len = question_end(b);
	for (unsigned s = 0; s < MSG_SECTIONS; s++) {
		b->count[s] = 0;
		b->end[s] = b->w.len;
	}
}

void
build_start(struct build *b, uint8_t *buf, size_t cap, const struct build_question *q)
{
	init(b, buf, cap, q->flags, length_of_name(q));
	header_set_id(buf, q->id);
	header_set(buf, HEADER_QDCOUNT, q->qname != NULL);
	if (q->qname == NULL)
		return;
	header_set_qname(buf, q->qname, b->qname_len);
	header_set_qtype(buf, b->qname_len, q->qtype);
	header_set_qclass(buf, b->qname_len, q->qclass);
}

/* Take out a whole section and those behind it. */
static void
drop_from(struct build *b, enum msg_section s)
{
	size_t start = s > MSG_ANSWER ? b->end[s - 1] : question_end(b);

	for (unsigned i = s; i < MSG_SECTIONS; i++) {
		b->count[i] = 0;
		b->end[i] = start;
	}
}

/* Drop whole records from the end of section S until they end within ROOM bytes. The records, which
 * are in BYTES, are the last of the message. */
static void
cut_section(struct build *b, enum msg_section s, const uint8_t *bytes, size_t room)
{
	uint16_t left = b->count[s];
	size_t end = b->end[s];
	size_t at;

	drop_from(b, s);
	b->flags |= DNS_TC;
	for (at = b->end[s]; left > 0; left--) {
		size_t fixed = name_skip(bytes, end, at);
		size_t next = fixed + DNS_RR_FIXED + wire_u16(bytes + fixed + 8);

		if (next > room)
			break;
		at = next;
		b->count[s]++;
	}
	for (unsigned i = s; i < MSG_SECTIONS; i++)
		b->end[i] = at;
}

/*
 * Make sections and OPT fit LIMIT bytes, dropping in the order of RULES D12. The records
 * are in BYTES, which may be the message that is relayed. Changes offsets and counts, no bytes.
 */
static void
drop_to_fit(struct build *b, const uint8_t *bytes, size_t limit, struct build_opt *opt)
{
	size_t room = limit - build_opt_len(opt);

	if (b->end[MSG_ADDITIONAL] <= room)
		return;
	drop_edes(opt);
	if (limit - build_opt_len(opt) > room)
		b->flags |= DNS_TC; /* RFC 8914 section 3 */
	room = limit - build_opt_len(opt);
	if (b->end[MSG_ADDITIONAL] <= room)
		return;
	drop_from(b, MSG_ADDITIONAL);
	if (b->end[MSG_AUTHORITY] <= room)
		return;
	/* RFC 2181 section 9: no TC for the loss of records that the client does not need. */
	if (b->count[MSG_ANSWER] == 0)
		cut_section(b, MSG_AUTHORITY, bytes, room);
	else
		drop_from(b, MSG_AUTHORITY);
	if (b->end[MSG_ANSWER] > room)
		cut_section(b, MSG_ANSWER, bytes, room);
}

/*
 * The same, where mostly nothing is to be done: returns OPT if that fits, else one that does, in
 * *FITTING.
 */
static inline const struct build_opt *
fit(struct build *b, const uint8_t *bytes, size_t limit, const struct build_opt *opt,
    struct build_opt *fitting)
{
	if (b->end[MSG_ADDITIONAL] + OPT_MOST <= limit && opt->ede_text == NULL)
		return opt;
	*fitting = *opt;
	drop_to_fit(b, bytes, limit, fitting);
	return fitting;
}

/* Write flags and counts of records to the header, and the OPT behind the records. Returns the
 * message's length. */
static size_t
finish(struct build *b, const struct build_opt *opt)
{
	uint16_t rcode = b->rcode;
	uint8_t *buf = b->w.buf;

	/* Without an OPT for its upper bits it would be read as another rcode. */
	if (UNLIKELY(rcode > DNS_RCODE && !opt->present))
		rcode = DNS_SERVFAIL;
	header_set_flags(buf, (uint16_t)((b->flags & ~DNS_RCODE) | (rcode & DNS_RCODE)));
	header_set(buf, HEADER_ANCOUNT, b->count[MSG_ANSWER]);
	header_set(buf, HEADER_NSCOUNT, b->count[MSG_AUTHORITY]);
	header_set(buf, HEADER_ARCOUNT, (uint16_t)(b->count[MSG_ADDITIONAL] + opt->present));
	return b->end[MSG_ADDITIONAL] + put_opt(buf + b->end[MSG_ADDITIONAL], opt, rcode);
}

size_t
build_finish(struct build *b, size_t limit, const struct build_opt *opt)
{
	struct build_opt fitting;

	if (b->w.full)
		b->flags |= DNS_TC;
	if (limit > b->w.cap)
		limit = b->w.cap;
	return finish(b, fit(b, b->w.buf, limit, opt, &fitting));
}

/* Take counts and ends of the sections from SRC, without its OPT and the records behind that. */
static void
take_sections(struct build *b, const struct msg *src)
{
	uint16_t n = src->count[MSG_ADDITIONAL];

	b->count[MSG_ANSWER] = src->count[MSG_ANSWER];
	b->count[MSG_AUTHORITY] = src->count[MSG_AUTHORITY];
	b->end[MSG_ANSWER] = src->at[MSG_AUTHORITY];
	b->end[MSG_AUTHORITY] = src->at[MSG_ADDITIONAL];
	b->end[MSG_ADDITIONAL] = src->edns.present ? src->edns.at : src->len;
	if (src->edns.present && src->edns.end == src->len) {
		n--;
	} else if (src->edns.present) {
		struct msg_walk w = msg_walk(src, MSG_ADDITIONAL);
		struct rr rr;

		n = 0;
		while (msg_walk_next(&w, &rr) && rr.at != src->edns.at)
			n++;
	}
	b->count[MSG_ADDITIONAL] = n;
}

/*
 * Append the records that stand behind the OPT of SRC, written anew because they move and others
 * may point to them. Records that have no room beside our OPT are left out: they are additional.
 */
static void
append_behind_opt(struct build *b, const struct msg *src, size_t room)
{
	struct msg_walk w = msg_walk_all(src);
	struct rr rr;

	b->w.cap = room;
	b->w.len = b->end[MSG_ADDITIONAL];
	while (msg_walk_next(&w, &rr)) {
		if (rr.at <= src->edns.at)
			continue;
		if (!build_copy(b, MSG_ADDITIONAL, src, &rr, rr.ttl))
			continue; /* malformed, or no room */
	}
}

/* Copy the first LEN bytes of SRC but the ID. */
static inline void
copy_behind_id(uint8_t *buf, const struct msg *src, size_t len)
{
	memcpy(buf + HEADER_ID_LEN, src->bytes + HEADER_ID_LEN, len - HEADER_ID_LEN);
}

size_t
build_relay_signed(
    uint8_t *buf, size_t limit, const struct msg *src, uint16_t id, const struct build_opt *opt)
{
	struct build_opt fitting;
	struct build b;

	header_set_id(buf, id);
	if (src->len <= limit) {
		copy_behind_id(buf, src, src->len);
		return src->len;
	}
	/* AD is cleared: nothing that is left could be authentic. */
	init(&b, buf, limit, (uint16_t)((src->flags & ~DNS_AD) | DNS_TC), src->qname_len);
	b.rcode = src->rcode;
	copy_behind_id(buf, src, question_end(&b));
	return finish(&b, fit(&b, buf, limit, opt, &fitting));
}

/*
 * Give owners that are the question's name, but spelled out instead of a pointer to it, the
 * spelling of the client (RULES D24), until BUILD_RESPELLED labels were compared. Lengths do not
 * change; names that point to such an owner change with it.
 */
static void
respell(uint8_t *buf, size_t end, const struct msg *src, const uint8_t *qname)
{
	struct msg_walk w = msg_walk_all(src);
	struct rr rr;
	unsigned left = BUILD_RESPELLED;

	while (msg_walk_next(&w, &rr) && rr.end <= end) {
		/* An owner that begins with a pointer has no letters to change. */
		if (src->bytes[rr.at] <= DNS_LABEL_MAX &&
		    name_equal_within(src->bytes, src->len, rr.at, qname, &left))
			name_respell(buf + rr.at, src->bytes + rr.at, qname);
	}
}

size_t
build_relay(uint8_t *buf, size_t limit, const struct msg *src, const struct build_question *q,
    const struct build_opt *opt)
{
	struct build_opt fitting;
	struct build b;

	if (UNLIKELY(src->signature))
		return build_relay_signed(buf, limit, src, q->id, opt);
	init(&b, buf, limit, q->flags, src->qname_len);
	b.rcode = src->rcode;
	header_set_id(buf, q->id);
	take_sections(&b, src);
	opt = fit(&b, src->bytes, limit, opt, &fitting);
	copy_behind_id(buf, src, b.end[MSG_ADDITIONAL]);
	if (b.qname_len > 0)
		header_set_qname(buf, q->qname, b.qname_len);
	if (UNLIKELY(src->spelled) && b.qname_len > 0)
		respell(buf, b.end[MSG_ADDITIONAL], src, q->qname);
	if (UNLIKELY(src->edns.present && src->edns.end < src->len) &&
	    b.end[MSG_ADDITIONAL] == src->edns.at)
		append_behind_opt(&b, src, limit - build_opt_len(opt));
	return finish(&b, opt);
}

size_t
build_query(uint8_t *buf, size_t cap, const struct build_question *q, const struct build_opt *opt)
{
	size_t qname_len = length_of_name(q), len = header_question_end(qname_len), cookie_len;

	assert(cap >= DNS_UDP_MIN); /* the longest name, an OPT and the longest cookie fit */
	header_start(buf, q->id, q->flags | DNS_RD | DNS_AD);
	header_set_qname(buf, q->qname, qname_len);
	header_set_qtype(buf, qname_len, q->qtype);
	header_set_qclass(buf, qname_len, q->qclass);
	if (!opt->present)
		return len;
	header_set(buf, HEADER_ARCOUNT, 1);
	cookie_len = put_cookie(buf + len + DNS_OPT_LEN, opt);
	build_set_opt(buf + len, opt->bufsize, DNS_NOERROR, opt->do_bit, (uint16_t)cookie_len);
	return len + DNS_OPT_LEN + cookie_len;
}
