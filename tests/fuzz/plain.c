/* SPDX-License-Identifier: BSD-2-Clause */
#include "fuzz/plain.h"

#include <string.h>

/* Where the labels of names begin that were seen. */
struct labels {
	const struct msg *m;
	bool at[DNS_MSG_MAX];
	bool plain;
};

/* A name stands at POS. Returns where it ends; END if it runs out. */
static size_t
take_name(struct labels *l, size_t pos, size_t end)
{
	const uint8_t *bytes = l->m->bytes;

	while (pos < end && bytes[pos] <= DNS_LABEL_MAX) {
		l->at[pos] = true;
		if (bytes[pos] == 0)
			return pos + 1;
		pos += bytes[pos] + 1u;
	}
	if (end < NAME_POINTER_LEN || pos > end - NAME_POINTER_LEN)
		return end;
	l->plain &= name_pointee(bytes + pos) < pos && l->at[name_pointee(bytes + pos)];
	return pos + NAME_POINTER_LEN;
}

static void
take_rdata(struct labels *l, const struct rr *rr)
{
	size_t at = rr->rdata;

	switch (rr->type) {
	case DNS_TYPE_SOA:
	case DNS_TYPE_MINFO:
	case DNS_TYPE_RP:
		at = take_name(l, at, rr->end);
		(void)take_name(l, at, rr->end);
		break;
	case DNS_TYPE_MX:
	case DNS_TYPE_AFSDB:
	case DNS_TYPE_RT:
	case DNS_TYPE_KX:
		(void)take_name(l, at + 2, rr->end);
		break;
	case DNS_TYPE_SRV:
		(void)take_name(l, at + 6, rr->end);
		break;
	case DNS_TYPE_CNAME:
	case DNS_TYPE_DNAME:
	case DNS_TYPE_NS:
	case DNS_TYPE_PTR:
		(void)take_name(l, at, rr->end);
		break;
	default:
		break;
	}
}

bool
plain(const struct msg *m)
{
	static struct labels l;
	struct msg_walk w = msg_walk_all(m);
	struct rr rr;

	memset(&l, 0, offsetof(struct labels, at) + m->len);
	l.m = m;
	l.plain = true;
	if (m->qdcount > 0)
		(void)take_name(&l, HEADER_QNAME, m->len);
	while (msg_walk_next(&w, &rr)) {
		(void)take_name(&l, rr.at, rr.rdata);
		take_rdata(&l, &rr);
	}
	return l.plain;
}
