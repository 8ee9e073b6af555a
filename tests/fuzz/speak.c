/* SPDX-License-Identifier: BSD-2-Clause */
#include "fuzz/speak.h"

#include <string.h>

#include "dns/build.h"
#include "dns/header.h"
#include "dns/msg.h"

#define NAMES 16

#define LONG "a23456789.b23456789.c23456789.d23456789.e23456789.f23456789.g23456789.example.org"

static const char *const names[NAMES] = { "www.example.com", "a.www.example.com", "example.com",
	"b.example.com", "www.example.net", "c.d.www.example.net", "ipv4only.arpa",
	"170.0.0.192.in-addr.arpa", "33.2.0.192.in-addr.arpa",
	"1.2.2.0.0.0.0.c.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.b.9.f.f.4.6.0.0.ip6.arpa", "localhost",
	"version.bind", "id.server", LONG, "example.org", "" };

static const uint16_t types[] = { DNS_TYPE_AAAA, DNS_TYPE_A, DNS_TYPE_PTR, DNS_TYPE_HTTPS,
	DNS_TYPE_SVCB, DNS_TYPE_ANY, DNS_TYPE_TXT, DNS_TYPE_SOA, DNS_TYPE_DS, DNS_TYPE_CNAME,
	DNS_TYPE_RRSIG, DNS_TYPE_NS, DNS_TYPE_AXFR, DNS_TYPE_OPT, DNS_TYPE_TKEY, 65280 };

const uint8_t *
speak_name(uint8_t which)
{
	static uint8_t wire[NAMES][DNS_NAME_MAX];
	uint8_t *name = wire[which % NAMES];

	if (name[0] == 0)
		(void)!name_from_text(names[which % NAMES], name);
	return name;
}

/* --- Questions -------------------------------------------------------------------------------- */

enum how {
	CD = 1,
	DO = 2,
	EDNS = 4,
	COOKIE = 8,
	OLD_COOKIE = 16,
	LARGE = 32,
	SIGNED = 64,
	CH = 128
};

size_t
speak_question(struct script *s, uint8_t msg[static SPEAK_MAX])
{
	static const uint8_t cookie[DNS_COOKIE_CLIENT + 16] = "clientsC\1\0\0\0\0\0\0\1hashhash";
	static const uint8_t root = 0;
	struct build b;
	unsigned how = script_byte(s);
	const uint8_t *name = speak_name(script_byte(s));
	const struct build_question q = { .id = script_byte(s),
		.flags = DNS_RD | ((how & CD) != 0 ? DNS_CD : 0),
		.qname = name,
		.qtype = types[script_byte(s) % 16],
		.qclass = (how & CH) != 0 ? DNS_CLASS_CH : DNS_CLASS_IN };
	const struct build_opt opt = { .present = (how & EDNS) != 0,
		.do_bit = (how & DO) != 0,
		.bufsize = (how & LARGE) != 0 ? 4096 : 512,
		.ede = DNS_EDE_NONE,
		.cookie = cookie,
		.cookie_len = (how & OLD_COOKIE) != 0 ? sizeof(cookie)
		    : (how & COOKIE) != 0             ? DNS_COOKIE_CLIENT
						      : 0 };

	build_start(&b, msg, SPEAK_MAX, &q);
	size_t len = build_finish(&b, DNS_UDP_MIN, &opt);
	header_set(msg, HEADER_FLAGS, q.flags);
	if ((how & SIGNED) == 0)
		return len;
	header_set(msg, HEADER_ARCOUNT, (uint16_t)(opt.present + 1));
	msg[len++] = root;
	wire_set_u16(msg + len, DNS_TYPE_TSIG);
	wire_set_u16(msg + len + 2, DNS_CLASS_ANY);
	memset(msg + len + 4, 0, 4 + 2 + 17);
	wire_set_u16(msg + len + 8, 17);
	return len + DNS_RR_FIXED + 17;
}

/* --- Replies ---------------------------------------------------------------------------------- */

enum flags { RCODE = 7, CUT = 8, SECURE = 16, WITH_OPT = 32, WITH_EDE = 64, OTHER_CASE = 128 };
enum record { SECTION = 0x30, OF_QUESTION = 0x40, SHORT = 0x80 };

/* A reply that is being written. */
struct out {
	uint8_t *msg;
	size_t len;
	unsigned section;
	size_t owner; /* offset of the name at the chain's end */
};

static void
put(struct out *o, const void *bytes, size_t len)
{
	FUZZ_CHECK(o->len + len <= SPEAK_MAX);
	memcpy(o->msg + o->len, bytes, len);
	o->len += len;
}

/* What stands before RDATA, whose length is not known yet. Returns where it stands. */
static size_t
put_head(struct out *o, unsigned how, uint16_t type)
{
	unsigned section = (how & SECTION) >> 4 < 2 ? (how & SECTION) >> 4 : 2;
	enum header_field count = HEADER_ANCOUNT;
	size_t owner = (how & OF_QUESTION) != 0 ? HEADER_QNAME : o->owner;
	uint8_t head[NAME_POINTER_LEN + DNS_RR_FIXED] = { 0 };

	if (section > o->section)
		o->section = section;
	count = (enum header_field)(HEADER_ANCOUNT + 2 * o->section);
	header_set(o->msg, count, (uint16_t)(header_get(o->msg, count) + 1));
	wire_set_u16(head, name_pointer(owner));
	wire_set_u16(head + 2, type);
	wire_set_u16(head + 4, DNS_CLASS_IN);
	wire_set_u32(head + 6, (how & SHORT) != 0 ? how & 1 : 300);
	put(o, head, sizeof(head));
	return o->len;
}

static void
put_record(struct out *o, struct script *s)
{
	static const uint16_t kinds[16] = { DNS_TYPE_A, DNS_TYPE_AAAA, DNS_TYPE_CNAME, DNS_TYPE_SOA,
		DNS_TYPE_HTTPS, DNS_TYPE_PTR, DNS_TYPE_DNAME, DNS_TYPE_RRSIG, DNS_TYPE_A,
		DNS_TYPE_AAAA, DNS_TYPE_NS, DNS_TYPE_TXT, DNS_TYPE_SVCB, DNS_TYPE_NSEC, DNS_TYPE_MX,
		65280 };
	static const uint8_t zero[64];
	unsigned how = script_byte(s);
	uint16_t type = kinds[how % 16];
	uint8_t which = script_byte(s);
	const uint8_t *name = speak_name(which);
	size_t at = put_head(o, how, type);

	if (type == DNS_TYPE_CNAME && o->section == 0)
		o->owner = o->len;

	switch (type) {
	case DNS_TYPE_A:
		put(o, (const uint8_t[]){ (how & 8) != 0 ? 127 : 192, 0, 2, which }, 4);
		break;
	case DNS_TYPE_AAAA:
		put(o, zero, (how & 8) != 0 ? 10 : 12);
		if ((how & 8) != 0)
			put(o, "\xff\xff", 2);
		put(o, (const uint8_t[]){ 192, 0, 2, which }, 4);
		break;
	case DNS_TYPE_CNAME:
	case DNS_TYPE_DNAME:
	case DNS_TYPE_NS:
	case DNS_TYPE_PTR:
		put(o, name, name_len(name));
		break;
	case DNS_TYPE_SOA:
		put(o, name, name_len(name));
		put(o, zero, 1 + DNS_SOA_NUMBERS);
		o->msg[o->len - 1] = which;
		break;
	case DNS_TYPE_HTTPS:
	case DNS_TYPE_SVCB:
	case DNS_TYPE_MX:
		put(o, (const uint8_t[]){ 0, which & 1 }, 2);
		put(o, name, name_len(name));
		break;
	case DNS_TYPE_RRSIG:
		put(o, zero, 18);
		wire_set_u16(o->msg + at, types[which % 16]);
		put(o, name, name_len(name));
		break;
	default:
		put(o, zero, which % 64);
		break;
	}
	wire_set_u16(o->msg + at - 2, (uint16_t)(o->len - at));
}

/* An OPT with the cookie of the question M, and a server's with it. */
static void
put_opt(struct out *o, unsigned flags, const struct msg *m)
{
	uint8_t opt[DNS_OPT_LEN + 4 + DNS_COOKIE_MIN + 4 + 2];
	size_t len = DNS_OPT_LEN, cookie_len = 0;
	const uint8_t *cookie = msg_option(m, EDNS_COOKIE, &cookie_len);

	if (cookie != NULL && cookie_len >= DNS_COOKIE_CLIENT) {
		wire_set_u16(opt + len, EDNS_COOKIE);
		wire_set_u16(opt + len + 2, DNS_COOKIE_MIN);
		memcpy(opt + len + 4, cookie, DNS_COOKIE_CLIENT);
		memcpy(opt + len + 4 + DNS_COOKIE_CLIENT, "serverSC", 8);
		len += 4 + DNS_COOKIE_MIN;
	}
	if ((flags & WITH_EDE) != 0) {
		wire_set_u16(opt + len, EDNS_EDE);
		wire_set_u16(opt + len + 2, 2);
		wire_set_u16(opt + len + 4, DNS_EDE_BOGUS);
		len += 6;
	}
	build_set_opt(opt, 1232, DNS_NOERROR, true, (uint16_t)(len - DNS_OPT_LEN));
	put(o, opt, len);
	header_set(o->msg, HEADER_ARCOUNT, (uint16_t)(header_get(o->msg, HEADER_ARCOUNT) + 1));
}

size_t
speak_reply(struct script *s, const struct fuzz_question *q, uint8_t msg[static SPEAK_MAX])
{
	static const uint8_t rcodes[] = { DNS_NOERROR, DNS_NXDOMAIN, DNS_SERVFAIL, DNS_REFUSED,
		DNS_FORMERR, DNS_NOTIMP, DNS_NOERROR, DNS_NOERROR };
	struct out o = { .msg = msg, .owner = HEADER_QNAME };
	unsigned flags = script_byte(s), n = script_byte(s) % 8;
	struct msg m;

	FUZZ_CHECK(msg_parse(&m, q->bytes, q->len) == MSG_OK);
	put(&o, q->bytes, HEADER_QNAME + m.qname_len + HEADER_QUESTION_FIXED);
	memset(msg + HEADER_ANCOUNT, 0, DNS_HEADER_LEN - HEADER_ANCOUNT);
	header_set(msg, HEADER_FLAGS,
	    (uint16_t)(DNS_QR | DNS_RD | DNS_RA | ((flags & CUT) != 0 ? DNS_TC : 0) |
		((flags & SECURE) != 0 ? DNS_AD : 0) | rcodes[flags & RCODE]));
	if ((flags & OTHER_CASE) != 0 && m.qname_len > 1)
		msg[HEADER_QNAME + 1] ^= 0x20;
	while (n-- > 0 && o.len < SPEAK_MAX / 2)
		put_record(&o, s);
	if ((flags & WITH_OPT) != 0)
		put_opt(&o, flags, &m);
	return o.len;
}
