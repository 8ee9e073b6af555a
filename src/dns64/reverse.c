/* SPDX-License-Identifier: BSD-2-Clause */
#include "dns64/reverse.h"

#include <string.h>

#include "dns/name.h"
#include "dns/wire.h"

#define NIBBLES 32  /* of an IPv6 address, a label each (RFC 3596 section 2.5) */
#define U_NIBBLE 16 /* the first of the two nibbles of bits 64-71 */

static const uint8_t ip6_arpa[] = "\003ip6\004arpa";
static const uint8_t in_addr_arpa[] = "\007in-addr\004arpa";

/* The labels of a name left of ip6.arpa, read from the right, as far as they are nibbles. */
struct nibbles {
	unsigned n_labels; /* all of them */
	unsigned n;        /* leading nibbles, at most NIBBLES */
	uint8_t addr[16];  /* they, the rest zero */
};

static int
nibble_of(const uint8_t *label)
{
	if (label[0] != 1)
		return -1;
	if (label[1] >= '0' && label[1] <= '9')
		return label[1] - '0';
	if (label[1] >= 'a' && label[1] <= 'f')
		return label[1] - 'a' + 10;
	if (label[1] >= 'A' && label[1] <= 'F')
		return label[1] - 'A' + 10;
	return -1;
}

/*
 * Read NAME, which is below ip6.arpa, to *OUT. Its labels come from the left, the nibbles of the
 * address are counted from the right; a label that is no nibble ends the run to its right.
 */
static void
read_nibbles(const uint8_t *name, struct nibbles *out)
{
	unsigned left = name_labels(name) - name_labels(ip6_arpa);

	*out = (struct nibbles){ .n_labels = left, .n = left < NIBBLES ? left : NIBBLES };
	for (; left > 0; name += 1 + name[0]) {
		int v = nibble_of(name);
		unsigned at = --left;

		if (v < 0)
			out->n = at < out->n ? at : out->n;
		else if (at < NIBBLES)
			out->addr[at / 2] |= (uint8_t)(at % 2 == 0 ? v << 4 : v);
	}
}

static const struct pref64 *
longest_match(const struct nibbles *q, const struct pref64 *prefixes, size_t n)
{
	const struct pref64 *best = NULL;

	for (size_t i = 0; i < n; i++) {
		const struct pref64 *p = &prefixes[i];

		if (q->n < p->len / 4u || !pref64_covers(p, q->addr))
			continue;
		if (best == NULL || p->len > best->len)
			best = p;
	}
	return best;
}

/* Tell which of the names of R's prefix the name is that Q was read from. */
static enum reverse_kind
classify(const struct nibbles *q, struct reverse *r)
{
	if (q->n != q->n_labels) /* too long, or a label is no nibble */
		return REVERSE_NXDOMAIN;
	if (q->n > U_NIBBLE && q->addr[U_NIBBLE / 2] != 0) /* RFC 6052 section 2.2, D16 */
		return REVERSE_NXDOMAIN;
	if (q->n < NIBBLES)
		return REVERSE_NODATA;
	return pref64_extract(r->prefix, q->addr, r->v4) ? REVERSE_ADDRESS : REVERSE_NXDOMAIN;
}

void
reverse_find(const uint8_t *name, const struct pref64 *prefixes, size_t n, struct reverse *r)
{
	struct nibbles q;

	*r = (struct reverse){ .kind = REVERSE_NONE };
	if (!name_is_below(name, ip6_arpa))
		return;
	read_nibbles(name, &q);
	r->prefix = longest_match(&q, prefixes, n);
	if (r->prefix != NULL)
		r->kind = classify(&q, r);
}

/* Write V as a label of one to three decimal digits. Returns the bytes written. */
static size_t
put_octet(uint8_t *out, uint8_t v)
{
	size_t len = 0;

	if (v >= 100)
		out[++len] = (uint8_t)('0' + v / 100);
	if (v >= 10)
		out[++len] = (uint8_t)('0' + v / 10 % 10);
	out[++len] = (uint8_t)('0' + v % 10);
	out[0] = (uint8_t)len;
	return len + 1;
}

size_t
reverse_name(const uint8_t v4[static 4], uint8_t out[static DNS_NAME_MAX])
{
	size_t len = 0;

	for (size_t i = 4; i-- > 0;)
		len += put_octet(out + len, v4[i]);
	memcpy(out + len, in_addr_arpa, sizeof(in_addr_arpa));
	return len + sizeof(in_addr_arpa);
}

size_t
reverse_zone(const struct pref64 *p, uint8_t out[static DNS_NAME_MAX])
{
	static const char digits[] = "0123456789abcdef";
	size_t len = 0;

	for (unsigned i = p->len / 4u; i-- > 0;) {
		unsigned byte = p->addr[i / 2];

		out[len++] = 1;
		out[len++] = (uint8_t)digits[i % 2 == 0 ? byte >> 4 : byte & 0xf];
	}
	memcpy(out + len, ip6_arpa, sizeof(ip6_arpa));
	return len + sizeof(ip6_arpa);
}

/* Is RR one of the PTR records at the end of the chain? */
static bool
is_result(const struct msg *m, const struct answer *a, const struct rr *rr)
{
	return rr->type == DNS_TYPE_PTR && rr->class == DNS_CLASS_IN && answer_owns(m, a, rr);
}

bool
reverse_answer(struct build *b, const uint8_t *qname, const struct msg *m, const struct answer *a)
{
	uint32_t ttl = a->ttl < REVERSE_CNAME_TTL ? a->ttl : REVERSE_CNAME_TTL; /* D16 */
	struct msg_walk w = msg_walk(m, MSG_ANSWER);
	struct rr rr;

	if (!build_rr_name(b, MSG_ANSWER, qname, DNS_TYPE_CNAME, DNS_CLASS_IN, ttl, a->target))
		return false;
	while (msg_walk_next(&w, &rr)) {
		if (!is_result(m, a, &rr))
			continue;
		if (!build_copy(b, MSG_ANSWER, m, &rr, rr.ttl < DNS_TTL_MAX ? rr.ttl : DNS_TTL_MAX))
			return false;
	}
	return true;
}
