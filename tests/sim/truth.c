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

static const char letters[] = "bnaexstmq";
static const uint8_t forged_a[4] = { 203, 0, 113, 66 };
static const uint8_t forged_aaaa[16] = { 0x20, 0x01, 0x0d, 0xb8, 0x0b, 0xad };

void
truth_name(uint8_t out[static DNS_NAME_MAX], enum truth_kind kind, const char *c, uint32_t n)
{
	char text[64];

	snprintf(text, sizeof(text), "%s%c%u.sim.example", c, letters[kind], n);
	assert(name_from_text(text, out) > 0);
}

void
truth_of(const uint8_t *name, struct truth *t)
{
	static const uint8_t zone[] = "\003sim\007example";
	uint8_t lower[DNS_NAME_MAX];
	size_t len = name_len(name);
	const char *at;
	uint64_t h;

	memset(t, 0, sizeof(*t));
	name_lower(lower, name, len);
	t->alias = lower[1] == 'c' || lower[1] == 'o';
	t->open = lower[1] == 'o';
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
	t->a[0] = 198;
	t->a[1] = 51;
	memcpy(t->a + 2, &h, 2);
	memcpy(t->aaaa, "\x20\x01\x0d\xb8\x0a\xaa", 6);
	memcpy(t->aaaa + 8, &h, 8);
	t->ttl = (const uint32_t[]){ 0, 1, 60, 300 }[h >> 20 & 3];
}

bool
truth_has(enum truth_kind kind, uint16_t type)
{
	if (type == DNS_TYPE_AAAA)
		return kind == TRUTH_BOTH || kind == TRUTH_NATIVE;
	return type == DNS_TYPE_A &&
	    (kind == TRUTH_BOTH || kind == TRUTH_OLD || kind == TRUTH_BROKEN_AAAA ||
		kind == TRUTH_MUTE_AAAA);
}

bool
truth_is_mute(enum truth_kind kind, uint16_t type)
{
	return kind == TRUTH_MUTE || (kind == TRUTH_MUTE_AAAA && type == DNS_TYPE_AAAA);
}

bool
truth_is_forged(const uint8_t *address, size_t len)
{
	return len == 4 ? memcmp(address, forged_a, 4) == 0 : memcmp(address, forged_aaaa, 6) == 0;
}

static bool
put_address(
    struct build *b, const struct truth *t, const uint8_t *owner, uint16_t type, bool forged)
{
	if (type == DNS_TYPE_A)
		return build_rr(
		    b, MSG_ANSWER, owner, type, DNS_CLASS_IN, t->ttl, forged ? forged_a : t->a, 4);
	return build_rr(
	    b, MSG_ANSWER, owner, type, DNS_CLASS_IN, t->ttl, forged ? forged_aaaa : t->aaaa, 16);
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

/* All that is true about question Q. */
static bool
put_truth(struct build *b, const struct msg *q, const struct truth *t, bool forged)
{
	bool address = q->qtype == DNS_TYPE_A || q->qtype == DNS_TYPE_AAAA;

	if (forged && address)
		return put_address(b, t, msg_qname(q), q->qtype, true);
	if (t->alias &&
	    !build_rr_name(
		b, MSG_ANSWER, msg_qname(q), DNS_TYPE_CNAME, DNS_CLASS_IN, t->ttl, t->target))
		return false;
	if (t->open)
		return true;
	if (t->kind == TRUTH_GONE)
		b->rcode = DNS_NXDOMAIN;
	if (t->kind == TRUTH_BROKEN ||
	    (t->kind == TRUTH_BROKEN_AAAA && q->qtype == DNS_TYPE_AAAA)) {
		b->rcode = DNS_SERVFAIL;
		return true;
	}
	if (truth_has(t->kind, q->qtype))
		return put_address(b, t, t->alias ? t->target : msg_qname(q), q->qtype, false);
	return put_soa(b);
}

size_t
truth_reply(uint8_t *out, size_t cap, const struct msg *q, const struct truth_reply *how)
{
	static const uint8_t root[1] = { 0 };
	struct build_opt opt = {
		.present = !how->no_opt && q->edns.present, .bufsize = 1232, .ede = DNS_EDE_NONE
	};
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
	else if (how->rcode != DNS_NOERROR || how->tc)
		ok = true;
	else
		ok = t.ours ? put_truth(&b, q, &t, how->forged) : put_soa(&b);
	assert(ok);
	return build_finish(&b, cap, &opt);
}
