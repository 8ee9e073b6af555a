/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/load/load.h"

#include <string.h>

#include "base/hash.h"
#include "dns/answer.h"
#include "dns/edit.h"
#include "dns/wire.h"
#include "tools/fake_name.h"

#define STEP \
	37 /* prime to 100: n * STEP mod 100 takes every value once, those in a row far apart */

void
bench_load_init(struct bench_load *l)
{
	static const uint8_t zone[] = "\011dns64perf\004test";

	memset(l, 0, sizeof(*l));
	fake_zone_init(&l->zone, zone);
	l->base = 0x0a000000;
	l->size = 1U << 24;
	l->hot = 1;
	l->any_prefix = true;
}

bool
bench_load_mix(struct bench_load *l, enum bench_kind kind, unsigned percent)
{
	unsigned left = percent;

	l->hits |= kind == BENCH_HIT && percent > 0;
	/* The new names are last, so that a share does not depend on the ones set after it. */
	for (unsigned i = 0; i < 100 && left > 0; i++) {
		if (l->mix[i] != BENCH_NEW)
			continue;
		l->mix[i] = (uint8_t)kind;
		left--;
	}
	return left == 0;
}

static bool
is_other(enum bench_kind kind)
{
	return kind >= BENCH_OTHER && kind <= BENCH_OTHER_LAST;
}

/* Kinds whose questions are all different take them from the namespace. */
static bool
takes_name(enum bench_kind kind)
{
	return kind == BENCH_NEW || kind == BENCH_MISSING || kind == BENCH_ADDRESS ||
	    kind == BENCH_REVERSE || is_other(kind);
}

uint64_t
bench_load_names(const struct bench_load *l, uint64_t n)
{
	bool takes = false, hits = false;

	for (unsigned i = 0; i < 100; i++) {
		takes |= takes_name(l->mix[i]);
		hits |= l->mix[i] == BENCH_HIT;
	}
	return (takes ? n : 0) + (hits ? l->hot : 0);
}

/* A pseudorandom number from 0 to BELOW - 1, the same for the same N. */
static uint64_t
drawn(const struct bench_load *l, uint64_t n, uint64_t below)
{
	return hash_bytes(&n, sizeof(n), l->seed) % below;
}

static uint64_t
drawn_number(const struct bench_load *l, uint64_t n, const struct bench_range *r)
{
	return r->first + drawn(l, n, r->last - r->first + 1);
}

/* Which of the hot names question N is for; 0 is the most popular. */
static uint64_t
drawn_hot(const struct bench_load *l, uint64_t n)
{
	if (l->zipf == NULL)
		return drawn(l, n, l->hot);
	return bench_zipf_rank(
	    l->zipf, hash_bytes(&n, sizeof(n), l->seed), hash_bytes(&n, sizeof(n), ~l->seed));
}

struct bench_question
bench_load_question(const struct bench_load *l, uint64_t n)
{
	struct bench_question q = { .kind = l->mix[n % 100 * STEP % 100] };
	/* Behind the last name comes the first again. */
	uint64_t names = l->hits && l->size > l->hot ? l->size - l->hot : l->size;

	n += l->first;
	if (q.kind == BENCH_HIT)
		q.number = l->size - 1 - drawn_hot(l, n);
	else if (q.kind == BENCH_NUMBER)
		q.number = drawn_number(l, n, &l->numbers);
	else if (q.kind == BENCH_NO_NUMBER)
		q.number = drawn_number(l, n, &l->missing);
	else
		q.number = n % (q.kind == BENCH_REPLAY ? l->replay->n : names);
	return q;
}

void
bench_load_address(const struct bench_load *l, struct bench_question q, uint8_t out[static 4])
{
	wire_set_u32(out, l->base + (uint32_t)(q.number % l->size));
}

uint16_t
bench_load_type(const struct bench_load *l, struct bench_question q)
{
	static const uint16_t types[BENCH_KINDS] = {
		[BENCH_NEW] = DNS_TYPE_AAAA,
		[BENCH_HIT] = DNS_TYPE_AAAA,
		[BENCH_MISSING] = DNS_TYPE_AAAA,
		[BENCH_ADDRESS] = DNS_TYPE_A,
		[BENCH_REVERSE] = DNS_TYPE_PTR,
		[BENCH_NUMBER] = DNS_TYPE_NAPTR,
		[BENCH_NO_NUMBER] = DNS_TYPE_NAPTR,
	};

	if (is_other(q.kind))
		return l->other[q.kind - BENCH_OTHER];
	return q.kind == BENCH_REPLAY ? bench_replay_at(l->replay, q.number)->type : types[q.kind];
}

static size_t
put_suffix(uint8_t *out, size_t at, const uint8_t *suffix, size_t len)
{
	memcpy(out + at, suffix, len);
	return at + len;
}

/* "010-000-000-001" in the zone, with "nx-" before it if it must not exist. */
static size_t
write_host(const struct bench_load *l, struct bench_question q, uint8_t out[static DNS_NAME_MAX])
{
	uint8_t v4[4];
	size_t at = 1;

	bench_load_address(l, q, v4);
	if (q.kind == BENCH_MISSING) {
		memcpy(out + at, "nx-", 3);
		at += 3;
	}
	for (unsigned i = 0; i < 4; i++) {
		out[at] = (uint8_t)('0' + v4[i] / 100);
		out[at + 1] = (uint8_t)('0' + v4[i] / 10 % 10);
		out[at + 2] = (uint8_t)('0' + v4[i] % 10);
		out[at + 3] = '-';
		at += 4;
	}
	out[0] = (uint8_t)(at - 2); /* without the last "-" */
	return put_suffix(out, at - 1, l->zone.name, l->zone.len);
}

/* The nibbles of the IPv6 address from the last to the first, below ip6.arpa (RFC 3596). */
static size_t
write_reverse(const struct bench_load *l, struct bench_question q, uint8_t out[static DNS_NAME_MAX])
{
	static const uint8_t suffix[] = "\003ip6\004arpa";
	static const char hex[] = "0123456789abcdef";
	uint8_t v4[4], v6[16];
	size_t at = 0;

	bench_load_address(l, q, v4);
	pref64_embed(&l->prefix, v4, v6);
	for (unsigned i = 16; i-- > 0;) {
		out[at++] = 1;
		out[at++] = (uint8_t)hex[v6[i] & 0xf];
		out[at++] = 1;
		out[at++] = (uint8_t)hex[v6[i] >> 4];
	}
	return put_suffix(out, at, suffix, sizeof(suffix));
}

/* 1234 is "4.3.2.1.e164.arpa" (RFC 6116 section 3.2). */
static size_t
write_number(uint64_t number, unsigned digits, uint8_t out[static DNS_NAME_MAX])
{
	static const uint8_t suffix[] = "\004e164\004arpa";
	size_t at = 0;

	for (unsigned i = 0; i < digits; i++, number /= 10) {
		out[at++] = 1;
		out[at++] = (uint8_t)('0' + number % 10);
	}
	return put_suffix(out, at, suffix, sizeof(suffix));
}

size_t
bench_load_name(
    const struct bench_load *l, struct bench_question q, uint8_t out[static DNS_NAME_MAX])
{
	if (q.kind == BENCH_REVERSE)
		return write_reverse(l, q, out);
	if (q.kind == BENCH_NUMBER)
		return write_number(q.number, l->numbers.digits, out);
	if (q.kind == BENCH_NO_NUMBER)
		return write_number(q.number, l->missing.digits, out);
	return q.kind == BENCH_REPLAY ? bench_replay_name(l->replay, q.number, out)
				      : write_host(l, q, out);
}

size_t
bench_load_write(const struct bench_load *l, struct bench_question q, uint16_t id,
    uint8_t out[static BENCH_QUESTION_MAX])
{
	const struct edit_opt opt = {
		.bufsize = l->bufsize, .ede = DNS_EDE_NONE, .do_bit = l->dnssec_ok
	};
	size_t qname_len = bench_load_name(l, q, header_put_qname(out));
	size_t len = header_question_end(qname_len);

	header_start(out, id, DNS_RD);
	header_set_qtype(out, qname_len, bench_load_type(l, q));
	header_set_qclass(out, qname_len, DNS_CLASS_IN);
	return l->bufsize == 0 ? len : edit_append_opt(out, len, BENCH_QUESTION_MAX, &opt);
}

/* --- Replies ---------------------------------------------------------------------------------- */

bool
bench_load_parse(struct msg *m, const uint8_t *bytes, size_t len)
{
	return msg_parse(m, bytes, len) == MSG_OK && (m->flags & DNS_QR) != 0 &&
	    (m->flags & DNS_OPCODE) == 0;
}

bool
bench_load_is_for(const struct bench_load *l, struct bench_question q, const struct msg *m)
{
	uint8_t name[DNS_NAME_MAX];
	size_t len = bench_load_name(l, q, name);

	return m->qdcount == 1 && m->qname_len == len && m->qtype == bench_load_type(l, q) &&
	    m->qclass == DNS_CLASS_IN && memcmp(msg_qname(m), name, len) == 0;
}

/* Is the address under the prefix, or, without one, under any that RFC 6052 section 2.2 allows? */
static bool
embeds(const struct bench_load *l, const uint8_t v6[static 16], const uint8_t v4[static 4])
{
	static const uint8_t lengths[] = { 96, 64, 56, 48, 40, 32 };
	uint8_t found[4];

	if (!l->any_prefix)
		return pref64_extract(&l->prefix, v6, found) &&
		    memcmp(found, v4, sizeof(found)) == 0;
	for (size_t i = 0; i < sizeof(lengths); i++) {
		struct pref64 p = { .len = lengths[i] };

		memcpy(p.addr, v6, p.len / 8);
		if (pref64_extract(&p, v6, found) && memcmp(found, v4, sizeof(found)) == 0)
			return true;
	}
	return false;
}

/* For a name with AAAA of its own only that is right (RFC 6147 section 5.1.1). */
static bool
is_right_aaaa(const struct bench_load *l, struct bench_question q, const uint8_t v6[static 16])
{
	uint8_t name[DNS_NAME_MAX], v4[4], native[16];

	bench_load_address(l, q, v4);
	if (l->zone.aaaa_percent == 0)
		return embeds(l, v6, v4);
	bench_load_name(l, q, name);
	if (!fake_zone_has_aaaa(&l->zone, name + 1, name[0]))
		return embeds(l, v6, v4);
	fake_native_address(v4, native);
	return memcmp(v6, native, sizeof(native)) == 0;
}

/* Check the RDATA; the names in PTR and NAPTR are the upstream's choice and not checked. */
static bool
is_right(
    const struct bench_load *l, struct bench_question q, const struct msg *m, const struct rr *rr)
{
	const uint8_t *rdata = m->bytes + rr->rdata;
	uint8_t v4[4];

	if (rr->type == DNS_TYPE_AAAA)
		return rr->rdlen == DNS_AAAA_LEN && is_right_aaaa(l, q, rdata);
	if (rr->type != DNS_TYPE_A)
		return rr->rdlen > 0;
	bench_load_address(l, q, v4);
	return rr->rdlen == sizeof(v4) && memcmp(rdata, v4, sizeof(v4)) == 0;
}

static enum bench_verdict
check_data(const struct bench_load *l, struct bench_question q, const struct msg *m)
{
	struct answer a;
	struct msg_walk w = msg_walk(m, MSG_ANSWER);
	struct rr rr;

	answer_scan(m, m->qtype, &a);
	if (a.kind != ANSWER_DATA)
		return BENCH_NO_DATA;
	while (msg_walk_next(&w, &rr)) {
		if (rr.type == m->qtype && !is_right(l, q, m, &rr))
			return BENCH_WRONG_DATA;
	}
	return BENCH_VALID;
}

enum bench_verdict
bench_load_judge(const struct bench_load *l, struct bench_question q, const struct msg *m)
{
	bool missing = q.kind == BENCH_MISSING || q.kind == BENCH_NO_NUMBER;

	if ((m->flags & DNS_TC) != 0)
		return BENCH_TRUNCATED;
	if (q.kind == BENCH_REPLAY)
		return m->rcode == DNS_NOERROR || m->rcode == DNS_NXDOMAIN ? BENCH_VALID
									   : BENCH_RCODE;
	if (m->rcode != (missing ? DNS_NXDOMAIN : DNS_NOERROR))
		return BENCH_RCODE;
	return missing || is_other(q.kind) ? BENCH_VALID : check_data(l, q, m);
}

const char *
bench_verdict_name(enum bench_verdict v)
{
	static const char *const names[BENCH_VERDICTS] = {
		[BENCH_VALID] = "valid",
		[BENCH_TRUNCATED] = "truncated",
		[BENCH_RCODE] = "wrong rcode",
		[BENCH_NO_DATA] = "no data",
		[BENCH_WRONG_DATA] = "wrong data",
	};

	return names[v];
}
