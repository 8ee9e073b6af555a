/* SPDX-License-Identifier: BSD-2-Clause */
#include "dns/edit.h"

#include <string.h>

#include "dns/name.h"

void
edit_set_ttls(uint8_t *bytes, const struct msg *m, uint32_t ttl)
{
	struct msg_walk w = msg_walk_all(m);
	struct rr rr;

	while (msg_walk_next(&w, &rr)) {
		if (rr.type != DNS_TYPE_OPT)
			edit_set_ttl(bytes, &rr, ttl);
	}
}

void
edit_limit_ttls(uint8_t *bytes, size_t len, uint32_t most)
{
	struct msg_walk w;
	struct rr rr;
	struct msg m;

	if (msg_parse(&m, bytes, len) != MSG_OK)
		return;
	w = msg_walk_all(&m);
	while (msg_walk_next(&w, &rr)) {
		if (rr.type != DNS_TYPE_OPT && rr.ttl > most)
			edit_set_ttl(bytes, &rr, most);
	}
}

void
edit_age(uint8_t *bytes, const struct msg *m, uint32_t age_s)
{
	struct msg_walk w = msg_walk_all(m);
	struct rr rr;

	while (msg_walk_next(&w, &rr)) {
		if (rr.type != DNS_TYPE_OPT)
			edit_set_ttl(bytes, &rr, rr.ttl > age_s ? rr.ttl - age_s : 0);
	}
}

size_t
edit_copy_without_opt(uint8_t *out, size_t cap, const struct msg *m)
{
	size_t len = m->edns.present ? m->edns.at : m->len;

	/* As a rule the OPT is the last record. */
	if (UNLIKELY(m->edns.present && m->edns.end != m->len)) {
		const struct build_question q = {
			.id = m->id, .flags = m->flags, .qname = msg_qname(m)
		};
		const struct build_opt no_opt = { .present = false, .ede = DNS_EDE_NONE };

		len = build_relay(out, cap, m, &q, &no_opt);
		/* build_relay has no room for an rcode over 15 and writes another one. */
		header_set_flags(out, m->flags | (header_flags(out) & DNS_TC));
		return len;
	}
	if (UNLIKELY(len > cap))
		return 0;
	memcpy(out, m->bytes, len);
	if (m->edns.present)
		header_set(out, HEADER_ARCOUNT, (uint16_t)(m->count[MSG_ADDITIONAL] - 1));
	return len;
}

size_t
edit_append_option(uint8_t *bytes, size_t cap, const struct msg *m, enum edns_option code,
    const uint8_t *data, size_t n)
{
	size_t options_len = m->edns.options_len + 4 + n;
	uint8_t *p = bytes + m->len;

	if (!m->edns.present || m->edns.end != m->len || cap < m->len || cap - m->len < 4 + n ||
	    options_len > UINT16_MAX)
		return m->len;
	wire_set_u16(p, (uint16_t)code);
	wire_set_u16(p + 2, (uint16_t)n);
	memcpy(p + 4, data, n);
	wire_set_u16(bytes + m->edns.at + DNS_OPT_LEN - 2, (uint16_t)options_len);
	return m->len + 4 + n;
}

size_t
edit_append(uint8_t *bytes, size_t len, size_t cap, const struct edit_rr *rr)
{
	struct wire_writer w = { .buf = bytes, .cap = cap, .len = len };

	if (cap < len)
		return 0;
	wire_put_bytes(&w, rr->owner, name_len(rr->owner));
	wire_put_u16(&w, rr->type);
	wire_put_u16(&w, rr->class);
	wire_put_u32(&w, rr->ttl);
	wire_put_u16(&w, rr->rdlen);
	wire_put_bytes(&w, rr->rdata, rr->rdlen);
	if (w.full)
		return 0;
	header_add(bytes, HEADER_ARCOUNT);
	return w.len;
}
