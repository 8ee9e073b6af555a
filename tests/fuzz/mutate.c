/* SPDX-License-Identifier: BSD-2-Clause */
#include "fuzz/mutate.h"

#include <string.h>

#include "dns/header.h"
#include "dns/name.h"
#include "dns/proto.h"
#include "dns/wire.h"

#define RECORDS 64    /* that are looked at */
#define CHANGES_MAX 4 /* made at once */
#define PIECE 64      /* bytes of a record that is put in, at most */

/* A message in pieces. */
struct pieces {
	uint8_t *msg;
	size_t len;
	size_t cap;
	uint32_t chance; /* changes with each draw */
	size_t question_end;
	unsigned n;
	struct piece {
		size_t at;
		size_t rdata;
		size_t end;
	} record[RECORDS];
};

static unsigned
draw(struct pieces *p, unsigned below)
{
	p->chance = p->chance * 1664525u + 1013904223u;
	return (p->chance >> 8) % below;
}

/* Where its records are, as far as they can be found. False: it has not even a question. */
static bool
take_apart(struct pieces *p)
{
	size_t at, rdata;

	p->n = 0;
	if (p->len < DNS_HEADER_LEN || header_get(p->msg, HEADER_QDCOUNT) != 1)
		return false;
	at = name_skip(p->msg, p->len, HEADER_QNAME);
	if (at == 0 || p->len - at < HEADER_QUESTION_FIXED)
		return false;
	p->question_end = at += HEADER_QUESTION_FIXED;
	while (p->n < RECORDS && at < p->len) {
		rdata = name_skip(p->msg, p->len, at);
		if (rdata == 0 || p->len - rdata < DNS_RR_FIXED)
			break;
		rdata += DNS_RR_FIXED;
		size_t rdlen = wire_u16(p->msg + rdata - 2);
		if (rdlen > p->len - rdata)
			break;
		p->record[p->n++] = (struct piece){ at, rdata, rdata + rdlen };
		at = rdata + rdlen;
	}
	return true;
}

/* The count of the section that record number I is in. */
static enum header_field
count_of(const struct pieces *p, unsigned i)
{
	unsigned an = header_get(p->msg, HEADER_ANCOUNT);
	unsigned ns = header_get(p->msg, HEADER_NSCOUNT);

	return i < an ? HEADER_ANCOUNT : i < an + ns ? HEADER_NSCOUNT : HEADER_ARCOUNT;
}

static void
add_to_count(struct pieces *p, enum header_field field, int by)
{
	header_set(p->msg, field, (uint16_t)(header_get(p->msg, field) + by));
}

/* LEN bytes take the place of those from AT to END. False: no room. */
static bool
replace(struct pieces *p, size_t at, size_t end, const uint8_t *bytes, size_t len)
{
	if (p->len - (end - at) + len > p->cap)
		return false;
	memmove(p->msg + at + len, p->msg + end, p->len - end);
	if (len > 0)
		memcpy(p->msg + at, bytes, len);
	p->len = p->len - (end - at) + len;
	return true;
}

/* Records that lead somewhere: owner, type, class, TTL, RDLENGTH and RDATA. */
static const struct {
	uint8_t len;
	uint8_t bytes[PIECE];
} stock[] = {
	{ 16, "\xc0\x0c\0\1\0\1\0\0\0\x3c\0\4\xc0\0\2\x21" },
	{ 28, "\xc0\x0c\0\x1c\0\1\0\0\0\x3c\0\x10\x20\1\xd\xb8\0\0\0\0\0\0\0\0\0\0\0\1" },
	{ 28, "\xc0\x0c\0\x1c\0\1\0\0\0\x3c\0\x10\0\0\0\0\0\0\0\0\0\0\xff\xff\xc0\0\2\1" },
	{ 16, "\xc0\x0c\0\5\0\1\0\0\0\x3c\0\4\1a\xc0\x0c" },
	{ 15, "\xc0\x0c\0\5\0\1\0\0\0\x3c\0\3\1z" },
	{ 16, "\xc0\x0e\0\x27\0\1\0\0\0\x3c\0\4\2zz" },
	{ 34, "\xc0\x0c\0\6\0\1\0\0\0\x3c\0\x16\0\0\0\0\0\1\0\0\0\1\0\0\0\1\0\0\0\1\0\0\0\5" },
	{ 15, "\xc0\x0c\0\2\0\1\0\0\0\x3c\0\3\1n" },
	{ 15, "\xc0\x0c\0\x41\0\1\0\0\0\x3c\0\3\0\1" },
	{ 16, "\xc0\x0c\0\x0c\0\1\0\0\0\x3c\0\4\2pp" },
	{ 31, "\xc0\x0c\0\x2e\0\1\0\0\0\x3c\0\x13\0\x1c\x8\3\0\0\0\x3c\x7f\0\0\0\x60\0\0\0\0\1" },
	{ 11, "\0\0\x29\4\xd0\0\0\x80\0\0" },
	{ 17, "\0\0\x29\4\xd0\0\0\0\0\0\6\0\xf\0\2\0\6" },
	{ 23,
	    "\0\0\x29\4\xd0\0\0\0\0\0\x0c\0\xa\0\x8"
	    "clientsC" },
	{ 28, "\0\0\xfa\0\xff\0\0\0\0\0\x11\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0" },
};

static void
put_in(struct pieces *p)
{
	unsigned which = draw(p, sizeof(stock) / sizeof(stock[0]));
	unsigned i = draw(p, p->n + 1);
	size_t at = i < p->n ? p->record[i].at
	    : p->n > 0       ? p->record[p->n - 1].end
			     : p->question_end;
	enum header_field field = i < p->n ? count_of(p, i)
	    : p->n > 0 && draw(p, 2) == 0  ? count_of(p, p->n - 1)
	    : stock[which].bytes[0] == 0   ? HEADER_ARCOUNT
					   : HEADER_ANCOUNT;

	if (replace(p, at, at, stock[which].bytes, stock[which].len))
		add_to_count(p, field, 1);
}

static void
take_out(struct pieces *p, unsigned i)
{
	enum header_field field = count_of(p, i);

	if (replace(p, p->record[i].at, p->record[i].end, NULL, 0))
		add_to_count(p, field, -1);
}

static void
copy(struct pieces *p, unsigned i)
{
	uint8_t bytes[512];
	const struct piece *r = &p->record[i];
	unsigned to = draw(p, p->n);
	enum header_field field = count_of(p, to);

	if (r->end - r->at > sizeof(bytes))
		return;
	memcpy(bytes, p->msg + r->at, r->end - r->at);
	if (replace(p, p->record[to].at, p->record[to].at, bytes, r->end - r->at))
		add_to_count(p, field, 1);
}

/* RDATA changes like any bytes, and RDLENGTH with it. */
static void
change_rdata(struct pieces *p, unsigned i)
{
	uint8_t bytes[512];
	const struct piece r = p->record[i];
	size_t len = r.end - r.rdata;

	if (len > sizeof(bytes) / 2)
		return;
	memcpy(bytes, p->msg + r.rdata, len);
	len = LLVMFuzzerMutate(bytes, len, sizeof(bytes));
	if (replace(p, r.rdata, r.end, bytes, len))
		wire_set_u16(p->msg + r.rdata - 2, (uint16_t)len);
}

/* The owner becomes a pointer: to the question, a label of it, or a name in another's RDATA. */
static void
change_owner(struct pieces *p, unsigned i)
{
	const struct piece r = p->record[i];
	size_t to = HEADER_QNAME;
	uint8_t pointer[NAME_POINTER_LEN];

	if (draw(p, 3) == 0)
		to += p->msg[to] + 1u;
	else if (draw(p, 2) == 0)
		to = p->record[draw(p, p->n)].rdata;
	wire_set_u16(pointer, name_pointer(to % NAME_REACH));
	(void)replace(p, r.at, r.rdata - DNS_RR_FIXED, pointer, sizeof(pointer));
}

static void
change_fixed(struct pieces *p, unsigned i)
{
	static const uint16_t types[] = { DNS_TYPE_A, DNS_TYPE_AAAA, DNS_TYPE_CNAME, DNS_TYPE_DNAME,
		DNS_TYPE_SOA, DNS_TYPE_NS, DNS_TYPE_PTR, DNS_TYPE_HTTPS, DNS_TYPE_SVCB,
		DNS_TYPE_RRSIG, DNS_TYPE_OPT, DNS_TYPE_TSIG, DNS_TYPE_MX, DNS_TYPE_SRV,
		DNS_TYPE_TXT, DNS_TYPE_NSEC };
	static const uint32_t ttls[] = { 0, 1, 5, 60, 604800, 604801, 0x7fffffff, 0x80000000,
		UINT32_MAX };
	uint8_t *fixed = p->msg + p->record[i].rdata - DNS_RR_FIXED;

	if (draw(p, 2) == 0)
		wire_set_u16(fixed, types[draw(p, sizeof(types) / sizeof(types[0]))]);
	else if (draw(p, 4) > 0)
		wire_set_u32(fixed + 4, ttls[draw(p, sizeof(ttls) / sizeof(ttls[0]))]);
	else
		wire_set_u16(fixed + 2, (uint16_t)(draw(p, 2) == 0 ? DNS_CLASS_CH : 1));
}

static void
change_head(struct pieces *p)
{
	static const uint16_t flags[] = { DNS_QR, DNS_AA, DNS_TC, DNS_RD, DNS_RA, DNS_AD, DNS_CD,
		DNS_NXDOMAIN, DNS_SERVFAIL, DNS_REFUSED, DNS_FORMERR };
	static const uint16_t qtypes[] = { DNS_TYPE_A, DNS_TYPE_AAAA, DNS_TYPE_PTR, DNS_TYPE_HTTPS,
		DNS_TYPE_ANY, DNS_TYPE_TXT, DNS_TYPE_AXFR, DNS_TYPE_TKEY };

	if (draw(p, 3) > 0)
		header_set(p->msg, HEADER_FLAGS,
		    header_get(p->msg, HEADER_FLAGS) ^
			flags[draw(p, sizeof(flags) / sizeof(flags[0]))]);
	else
		wire_set_u16(p->msg + p->question_end - HEADER_QUESTION_FIXED,
		    qtypes[draw(p, sizeof(qtypes) / sizeof(qtypes[0]))]);
}

/* A record goes to another section: the border before or behind it moves. */
static void
move_border(struct pieces *p)
{
	enum header_field from = (enum header_field)(HEADER_ANCOUNT + 2 * draw(p, 3));
	enum header_field to = (enum header_field)(HEADER_ANCOUNT + 2 * draw(p, 3));

	if (header_get(p->msg, from) == 0)
		return;
	add_to_count(p, from, -1);
	add_to_count(p, to, 1);
}

static void
change(struct pieces *p)
{
	unsigned what = draw(p, p->n > 0 ? 9 : 2);
	unsigned i = p->n > 0 ? draw(p, p->n) : 0;

	switch (what) {
	case 0:
		change_head(p);
		break;
	case 1:
		put_in(p);
		break;
	case 2:
		take_out(p, i);
		break;
	case 3:
		copy(p, i);
		break;
	case 4:
	case 5:
		change_rdata(p, i);
		break;
	case 6:
		change_owner(p, i);
		break;
	case 7:
		change_fixed(p, i);
		break;
	default:
		move_border(p);
		break;
	}
}

size_t
mutate_message(uint8_t *msg, size_t len, size_t cap, unsigned seed)
{
	struct pieces p = { .msg = msg, .len = len, .cap = cap, .chance = seed };

	if (draw(&p, 5) == 0 || !take_apart(&p))
		return LLVMFuzzerMutate(msg, len, cap);
	for (unsigned n = 1 + draw(&p, CHANGES_MAX); n > 0 && take_apart(&p); n--)
		change(&p);
	return p.len;
}

size_t
mutate_behind(size_t head, uint8_t *data, size_t len, size_t cap, unsigned seed)
{
	if (len <= head || seed % 16 == 0)
		return LLVMFuzzerMutate(data, len, cap);
	return head + mutate_message(data + head, len - head, cap - head, seed / 16);
}
