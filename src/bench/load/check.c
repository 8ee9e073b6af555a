/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/load/check.h"

#include <string.h>

#include "dns/answer.h"
#include "dns/wire.h"
#include "tools/fake_name.h"

bool
bench_check_parse(struct msg *m, const uint8_t *bytes, size_t len)
{
	return msg_parse(m, bytes, len) == MSG_OK && (m->flags & DNS_QR) != 0 &&
	    (m->flags & DNS_OPCODE) == 0;
}

bool
bench_check_is_for(const struct bench_load *l, struct bench_question q, const struct msg *m)
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
bench_check(const struct bench_load *l, struct bench_question q, const struct msg *m)
{
	bool missing = q.kind == BENCH_MISSING || q.kind == BENCH_NO_NUMBER;

	if ((m->flags & DNS_TC) != 0)
		return BENCH_TRUNCATED;
	if (q.kind == BENCH_REPLAY)
		return m->rcode == DNS_NOERROR || m->rcode == DNS_NXDOMAIN ? BENCH_VALID
									   : BENCH_RCODE;
	if (m->rcode != (missing ? DNS_NXDOMAIN : DNS_NOERROR))
		return BENCH_RCODE;
	return missing ? BENCH_VALID : check_data(l, q, m);
}

const char *
bench_check_name(enum bench_verdict v)
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
