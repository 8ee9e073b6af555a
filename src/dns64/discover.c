/* SPDX-License-Identifier: BSD-2-Clause */
#include "dns64/discover.h"

#include <string.h>

#include "dns/answer.h"
#include "dns/proto.h"
#include "dns64/special.h"

static const uint8_t lengths[] = { 96, 64, 56, 48, 40, 32 };

#define LENGTHS (sizeof(lengths) / sizeof(lengths[0]))

/* Addresses that are looked at together. */
struct set {
	const uint8_t (*addrs)[16];
	size_t n;
};

/* Can a translator have P? Not IPv4-mapped and -compatible, link-local and multicast addresses. */
static bool
is_believable(const struct pref64 *p)
{
	static const uint8_t zeros[10];

	if (memcmp(p->addr, zeros, sizeof(zeros)) == 0 || p->addr[0] == 0xff)
		return false;
	return !(p->addr[0] == 0xfe && p->addr[1] >> 6 == 2);
}

/* Which well-known address V6 has under P: its last octet. 0: none. */
static uint8_t
well_known_under(const struct pref64 *p, const uint8_t v6[static 16])
{
	uint8_t v4[4];

	return pref64_extract(p, v6, v4) && special_is_wka(v4) ? v4[3] : 0;
}

/* Is the other well-known address than the one that V6 has under P among the addresses? */
static bool
is_confirmed(const struct set *s, const struct pref64 *p, const uint8_t v6[static 16])
{
	uint8_t one = well_known_under(p, v6);

	for (size_t i = 0; i < s->n; i++) {
		uint8_t other = well_known_under(p, s->addrs[i]);

		if (other != 0 && other != one)
			return true;
	}
	return false;
}

/* Write each prefix under which V6 has a well-known address to FOUND. Returns how many. */
static unsigned
prefixes_of(const uint8_t v6[static 16], struct pref64 found[static LENGTHS])
{
	unsigned n = 0;

	for (size_t i = 0; i < LENGTHS; i++) {
		struct pref64 *p = &found[n];

		if (pref64_of(v6, lengths[i], p) == PREF64_OK && is_believable(p) &&
		    well_known_under(p, v6) != 0)
			n++;
	}
	return n;
}

static void
add(struct discover *d, const struct pref64 *p)
{
	for (unsigned i = 0; i < d->n; i++) {
		if (pref64_same(&d->prefixes[i], p))
			return;
	}
	if (d->n == DISCOVER_MAX)
		d->more = true;
	else
		d->prefixes[d->n++] = *p;
}

/* Look at V6, one of the addresses of S. */
static void
look_at(struct discover *d, const struct set *s, const uint8_t v6[static 16])
{
	struct pref64 found[LENGTHS], *right = NULL;
	unsigned n = prefixes_of(v6, found), n_right = 0;

	if (n == 0) {
		d->n_foreign++;
		return;
	}
	for (unsigned i = 0; i < n; i++) {
		if (n > 1 && !is_confirmed(s, &found[i], v6))
			continue;
		right = &found[i];
		n_right++;
	}
	if (n_right == 1)
		add(d, right);
	else
		d->n_ambiguous++;
}

enum discover_verdict
discover_addresses(const uint8_t (*addrs)[16], size_t n, uint32_t ttl, struct discover *d)
{
	struct set s = { .addrs = addrs, .n = n < DISCOVER_ADDRESSES ? n : DISCOVER_ADDRESSES };

	*d = (struct discover){ .more = n > s.n };
	for (size_t i = 0; i < s.n; i++)
		look_at(d, &s, addrs[i]);
	if (d->n > 0) {
		d->ttl = ttl < DNS_TTL_MAX ? ttl : DNS_TTL_MAX;
		return DISCOVER_FOUND;
	}
	if (n == 0)
		return DISCOVER_NO_DNS64;
	return d->n_ambiguous > 0 ? DISCOVER_AMBIGUOUS : DISCOVER_FOREIGN;
}

enum discover_verdict
discover_reply(const struct msg *m, struct discover *d)
{
	struct msg_walk w = msg_walk(m, MSG_ANSWER);
	uint8_t addrs[DISCOVER_ADDRESSES][16];
	enum discover_verdict verdict;
	struct answer a;
	size_t n = 0;
	bool more = false;
	struct rr rr;

	*d = (struct discover){ .n = 0 };
	if (m->flags & DNS_TC || (m->rcode != DNS_NOERROR && m->rcode != DNS_NXDOMAIN))
		return DISCOVER_FAILED;
	answer_scan(m, DNS_TYPE_AAAA, &a);
	if (a.kind == ANSWER_BROKEN)
		return DISCOVER_FAILED;
	while (msg_walk_next(&w, &rr)) {
		if (rr.type != DNS_TYPE_AAAA || rr.rdlen != DNS_AAAA_LEN ||
		    rr.class != DNS_CLASS_IN || !answer_owns(m, &a, &rr))
			continue;
		if (n < DISCOVER_ADDRESSES)
			memcpy(addrs[n++], m->bytes + rr.rdata, DNS_AAAA_LEN);
		else
			more = true;
	}
	verdict = discover_addresses((const uint8_t(*)[16])addrs, n, a.ttl, d);
	d->more = d->more || more;
	return verdict;
}
