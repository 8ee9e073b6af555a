/* SPDX-License-Identifier: BSD-2-Clause */
#include "sim/truth.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "dns/build.h"
#include "dns/name.h"
#include "dns/wire.h"
#include "scenario/parts.h"

static const char letters[] = "bnaexflstzmq";
#define TEXT 500 /* bytes of a TXT */
static const uint8_t forged_a[4] = { 203, 0, 113, 66 };
static const uint8_t forged_aaaa[16] = { 0x20, 0x01, 0x0d, 0xb8, 0x0b, 0xad };
#define PART 1 /* of the last octet: in a reply with TC */

void
truth_name(uint8_t out[static DNS_NAME_MAX], enum truth_kind kind, const char *c, uint32_t n)
{
	char text[64];

	snprintf(text, sizeof(text), "%s%c%u.sim.example", c, letters[kind], n);
	assert(name_from_text(text, out) > 0);
}

/* How many bytes of NAME are labels of decimal numbers; 0: not four of them. */
static size_t
reverse_len(const uint8_t *name)
{
	size_t at = 0;

	for (unsigned i = 0; i < 4; i++) {
		if (name[at] < 1 || name[at] > 3 || name[at + 1] < '0' || name[at + 1] > '9')
			return 0;
		at += name[at] + 1u;
	}
	return at;
}

void
truth_address(uint8_t out[static DNS_NAME_MAX], uint8_t prefix, uint32_t n, struct truth *t)
{
	uint8_t address[16] = { 0x20, 0x01, 0x0d, 0xb8, 0, prefix };
	uint8_t name[DNS_NAME_MAX], *at = out;
	char text[64];

	truth_name(name, TRUTH_OLD, "", n);
	truth_of(name, t);
	memcpy(address + 12, t->a, 4);
	snprintf(
	    text, sizeof(text), "%u.%u.%u.%u.in-addr.arpa", t->a[3], t->a[2], t->a[1], t->a[0]);
	assert(name_from_text(text, name) > 0);
	truth_of(name, t);
	for (unsigned i = 32; i-- > 0;) {
		*at++ = 1;
		*at++ = (uint8_t) "0123456789abcdef"[address[i / 2] >> (i & 1 ? 0 : 4) & 15];
	}
	memcpy(at, "\003ip6\004arpa", 10);
}

void
truth_of(const uint8_t *name, struct truth *t)
{
	static const uint8_t zone[] = "\003sim\007example", reverse[] = "\007in-addr\004arpa";
	uint8_t lower[DNS_NAME_MAX];
	size_t len = name_len(name);
	const char *at;
	uint64_t h;

	memset(t, 0, sizeof(*t));
	name_lower(lower, name, len);
	t->alias = lower[1] == 'c' || lower[1] == 'o' || lower[1] == 'd';
	t->open = lower[1] == 'o';
	t->split = lower[1] == 'd';
	if (len == sizeof(reverse) + reverse_len(lower) && reverse_len(lower) > 0 &&
	    memcmp(lower + len - sizeof(reverse), reverse, sizeof(reverse)) == 0) {
		t->reverse = true;
		memcpy(t->target, lower, len);
		h = hash_bytes(lower, len, 2) & 3;
		t->kind = h == 0 ? TRUTH_GONE : h == 1 ? TRUTH_EMPTY : TRUTH_BOTH;
		t->ttl = 60;
		return;
	}
	if (len < sizeof(zone) + 2 || memcmp(lower + len - sizeof(zone), zone, sizeof(zone)) != 0)
		return;
	if (t->alias) {
		lower[1] = (uint8_t)(lower[0] - 1);
		memcpy(t->target, lower + 1, --len);
	} else {
		memcpy(t->target, lower, len);
	}
	at = strchr(letters, t->target[1]);
	if (at == NULL)
		return;
	t->ours = true;
	t->kind = (enum truth_kind)(at - letters);
	h = hash_bytes(t->target, len, 1);
	t->a[0] = t->kind == TRUTH_LOOPBACK ? 127 : 198;
	t->a[1] = 51;
	memcpy(t->a + 2, &h, 2);
	memcpy(t->aaaa, "\x20\x01\x0d\xb8\x0a\xaa", 6);
	memcpy(t->aaaa + 8, &h, 8);
	if (t->kind == TRUTH_EXCLUDED) {
		memset(t->aaaa, 0, 10);
		memset(t->aaaa + 10, 0xff, 2);
		memcpy(t->aaaa + 12, t->a, 4);
	}
	t->ttl = (const uint32_t[]){ 0, 1, 60, 300 }[h >> 20 & 3];
}

bool
truth_has(enum truth_kind kind, uint16_t type)
{
	bool aaaa = kind == TRUTH_BOTH || kind == TRUTH_NATIVE;
	bool a = kind != TRUTH_NATIVE && kind != TRUTH_EMPTY && kind != TRUTH_GONE &&
	    kind != TRUTH_BROKEN && kind != TRUTH_MUTE;

	if (type == DNS_TYPE_AAAA)
		return aaaa;
	return type == DNS_TYPE_A ? a : type == DNS_TYPE_PTR ? kind == TRUTH_BOTH : aaaa || a;
}

bool
truth_is_mute(enum truth_kind kind, uint16_t type)
{
	return kind == TRUTH_MUTE || (kind == TRUTH_MUTE_AAAA && type == DNS_TYPE_AAAA);
}

bool
truth_is_forged(const uint8_t *address, size_t len)
{
	return len == 4 ? memcmp(address, forged_a, 3) == 0 : memcmp(address, forged_aaaa, 6) == 0;
}

bool
truth_is_part(const uint8_t *address, size_t len)
{
	return truth_is_forged(address, len) && address[len - 1] & PART;
}

static bool
put_address(struct build *b, const struct truth *t, const uint8_t *owner, uint16_t type)
{
	bool a = type == DNS_TYPE_A;

	return build_rr(
	    b, MSG_ANSWER, owner, type, DNS_CLASS_IN, t->ttl, a ? t->a : t->aaaa, a ? 4 : 16);
}

/* An address that nobody has. */
static bool
put_lie(struct build *b, const struct msg *q, uint32_t ttl, bool part)
{
	bool a = q->qtype == DNS_TYPE_A;
	uint8_t address[16];

	memcpy(address, a ? forged_a : forged_aaaa, a ? 4 : 16);
	address[a ? 3 : 15] |= part ? PART : 0;
	return build_rr(
	    b, MSG_ANSWER, msg_qname(q), q->qtype, DNS_CLASS_IN, ttl, address, a ? 4 : 16);
}

static bool
put_text(struct build *b, const struct truth *t, const uint8_t *owner)
{
	uint8_t text[TEXT];

	memset(text, 'x', sizeof(text));
	text[0] = text[TEXT / 2] = TEXT / 2 - 1;
	return build_rr(
	    b, MSG_ANSWER, owner, DNS_TYPE_TXT, DNS_CLASS_IN, t->ttl, text, sizeof(text));
}

static bool
put_mx(struct build *b, const struct truth *t, const uint8_t *owner)
{
	uint8_t mx[2 + DNS_NAME_MAX] = { 0, 10 };
	size_t len = name_len(owner);

	memcpy(mx + 2, owner, len);
	return build_rr(
	    b, MSG_ANSWER, owner, DNS_TYPE_MX, DNS_CLASS_IN, t->ttl, mx, (uint16_t)(2 + len));
}

/* Records of TYPE at OWNER. */
static bool
put_records(struct build *b, const struct truth *t, const uint8_t *owner, uint16_t type)
{
	static const uint8_t https[3] = { 0, 1, 0 };

	switch (type) {
	case DNS_TYPE_TXT:
		return put_text(b, t, owner);
	case DNS_TYPE_HTTPS:
		return build_rr(
		    b, MSG_ANSWER, owner, type, DNS_CLASS_IN, t->ttl, https, sizeof(https));
	case DNS_TYPE_MX:
		return put_mx(b, t, owner);
	case DNS_TYPE_PTR:
		return build_rr_name(b, MSG_ANSWER, owner, type, DNS_CLASS_IN, t->ttl, owner);
	default:
		return put_address(b, t, owner, type);
	}
}

static bool
put_soa(struct build *b)
{
	static const uint8_t soa[22] = { [21] = TRUTH_NEGATIVE_TTL };
	uint8_t zone[DNS_NAME_MAX];

	assert(name_from_text("sim.example", zone) > 0);
	return build_rr(b, MSG_AUTHORITY, zone, DNS_TYPE_SOA, DNS_CLASS_IN, TRUTH_NEGATIVE_TTL, soa,
	    sizeof(soa));
}

/* The chain of OWNER ends where nothing is. */
static bool
put_elsewhere(struct build *b, const struct truth *t, const uint8_t *owner)
{
	uint8_t end[DNS_NAME_MAX];

	memcpy(end, t->target, name_len(t->target));
	end[1] = (uint8_t)letters[TRUTH_EMPTY];
	return build_rr_name(b, MSG_ANSWER, owner, DNS_TYPE_CNAME, DNS_CLASS_IN, t->ttl, end) &&
	    put_soa(b);
}

/* All that is true about question Q. */
static bool
put_truth(struct build *b, const struct msg *q, const struct truth *t)
{
	if (t->split && q->qtype == DNS_TYPE_AAAA)
		return put_elsewhere(b, t, msg_qname(q));
	if (t->alias &&
	    !build_rr_name(
		b, MSG_ANSWER, msg_qname(q), DNS_TYPE_CNAME, DNS_CLASS_IN, t->ttl, t->target))
		return false;
	if (t->open)
		return true;
	if (t->kind == TRUTH_GONE)
		b->rcode = DNS_NXDOMAIN;
	if (t->kind == TRUTH_BROKEN ||
	    (q->qtype == DNS_TYPE_AAAA &&
		(t->kind == TRUTH_BROKEN_AAAA ||
		    (t->kind == TRUTH_BOGUS && !(q->flags & DNS_CD))))) {
		b->rcode = DNS_SERVFAIL;
		return true;
	}
	if (truth_has(t->kind, q->qtype) ||
	    (q->qtype == DNS_TYPE_AAAA && (t->kind == TRUTH_EXCLUDED || t->kind == TRUTH_BOGUS)))
		return put_records(b, t, t->alias ? t->target : msg_qname(q), q->qtype);
	return put_soa(b);
}

size_t
truth_reply(uint8_t *out, size_t cap, const struct msg *q, const struct truth_reply *how)
{
	static const uint8_t root[1] = { 0 };
	struct build_opt opt = {
		.present = !how->no_opt && q->edns.present, .bufsize = 1232, .ede = DNS_EDE_NONE
	};
	bool address = q->qtype == DNS_TYPE_A || q->qtype == DNS_TYPE_AAAA;
	uint8_t cookie[16] = "........SERVERPT";
	const uint8_t *theirs;
	struct truth t;
	struct build b;
	size_t len = 0;
	bool ok;

	theirs = msg_option(q, EDNS_COOKIE, &len);
	if (theirs != NULL && len >= 8) {
		memcpy(cookie, theirs, 8);
		opt.cookie = cookie;
		opt.cookie_len = sizeof(cookie);
	}
	truth_of(msg_qname(q), &t);
	build_start(&b, out, cap,
	    &(struct build_question){ .id = q->id,
		.flags = (uint16_t)(DNS_QR | DNS_RD | DNS_RA | (how->tc ? DNS_TC : 0)),
		.qname = msg_qname(q),
		.qtype = q->qtype,
		.qclass = q->qclass });
	b.rcode = how->rcode;
	if (how->lame)
		ok = build_rr_name(
		    &b, MSG_AUTHORITY, root, DNS_TYPE_NS, DNS_CLASS_IN, 60, msg_qname(q));
	else if ((how->forged || how->part) && address)
		ok = put_lie(&b, q, t.ttl, how->part);
	else if (how->rcode != DNS_NOERROR || how->tc)
		ok = true;
	else
		ok = t.ours || t.reverse ? put_truth(&b, q, &t) : put_soa(&b);
	assert(ok);
	return build_finish(&b, cap, &opt);
}
