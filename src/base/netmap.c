/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/netmap.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_SHIFT 60 /* 16 entries at first */
#define LAST_SHIFT 33  /* 2^31 entries at most */
#define N_FIRST_BYTES 256
#define N_LENS 129 /* of IPv6 */

/* The key of a network: its address as numbers, most significant bit first, and its tag. */
struct key {
	uint64_t hi;  /* IPv6: the first 8 bytes; IPv4: all 4 */
	uint64_t lo;  /* IPv6: the last 8 bytes; IPv4: 0 */
	uint64_t tag; /* family and length; never 0 */
};

struct netmap_entry {
	uint64_t hi;
	uint64_t lo;
	uint32_t tag; /* as in the key; 0: free */
	uint32_t value;
};

static inline uint64_t
load8(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return be64toh(v);
}

static inline uint64_t
load4(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return be32toh(v);
}

static inline uint64_t
tag_of(unsigned family, unsigned len)
{
	return family << 8 | len;
}

/* The entry with this key, or the free one where it would go. The table is never full. */
static inline struct netmap_entry *
probe(const struct netmap *m, uint64_t hi, uint64_t lo, uint64_t tag)
{
	/* Fibonacci hashing (Knuth, TAOCP 6.4): 2^64 divided by the golden ratio. */
	const uint64_t spread = 0x9e3779b97f4a7c15;
	uint64_t at = (lo * spread + hi + tag) * spread >> m->shift;

	for (;; at = (at + 1) & m->mask) {
		struct netmap_entry *e = &m->table[at];

		if (e->tag == 0 || (e->hi == hi && e->lo == lo && e->tag == tag))
			return e;
	}
}

static struct key
key_of(const struct net *net)
{
	struct key key = { .tag = tag_of(net->family, net->len) };

	if (net->family == NETADDR_IPV4) {
		key.hi = load4(net->addr);
	} else {
		key.hi = load8(net->addr);
		key.lo = load8(net->addr + 8);
	}
	return key;
}

void
netmap_init(struct netmap *m)
{
	*m = (struct netmap){ 0 };
}

void
netmap_fini(struct netmap *m)
{
	free(m->table);
	free(m->v4);
	free(m->v6);
	netmap_init(m);
}

/* Double the table, or allocate the first one. Returns 0 or -ENOMEM. */
static int
grow(struct netmap *m)
{
	struct netmap big = *m;

	big.shift = m->table == NULL ? FIRST_SHIFT : m->shift - 1;
	if (big.shift < LAST_SHIFT)
		return -ENOMEM;
	big.mask = (uint32_t)(((uint64_t)1 << (64 - big.shift)) - 1);
	big.table = calloc((size_t)big.mask + 1, sizeof(*big.table));
	if (big.table == NULL)
		return -ENOMEM;
	for (size_t i = 0; m->table != NULL && i <= m->mask; i++) {
		const struct netmap_entry *e = &m->table[i];

		if (e->tag != 0)
			*probe(&big, e->hi, e->lo, e->tag) = *e;
	}
	free(m->table);
	*m = big;
	return 0;
}

/* Make room for one more network and for the lengths of its family. Returns 0 or -ENOMEM. */
static int
reserve(struct netmap *m, const struct net *net)
{
	if (net->family == NETADDR_IPV4 && m->v4 == NULL) {
		m->v4 = calloc(N_FIRST_BYTES, sizeof(*m->v4));
		if (m->v4 == NULL)
			return -ENOMEM;
	}
	if (net->family == NETADDR_IPV6 && m->v6 == NULL) {
		m->v6 = calloc(N_LENS + 1, sizeof(*m->v6));
		if (m->v6 == NULL)
			return -ENOMEM;
	}
	return m->table == NULL || m->n >= m->mask / 3 ? grow(m) : 0;
}

/* Note that NET's length is in use; one shorter than 8 bits is so under several first bytes. */
static void
note_len4(uint64_t *lens, const struct net *net)
{
	unsigned n = net->len < 8 ? 1U << (8 - net->len) : 1;

	for (unsigned i = 0; i < n; i++)
		lens[net->addr[0] + i] |= (uint64_t)1 << (32 - net->len);
}

/* The number whose N top bits are set and no others, 0 <= N <= 64. */
static uint64_t
top_bits(unsigned n)
{
	return n > 0 ? UINT64_MAX << (64 - n) : 0;
}

static void
note_len6(struct netmap *m, unsigned len)
{
	const struct netmap_len noted = {
		.hi = top_bits(len < 64 ? len : 64),
		.lo = top_bits(len > 64 ? len - 64 : 0),
		.tag = tag_of(NETADDR_IPV6, len),
	};
	struct netmap_len *at = m->v6;

	while (at->tag > noted.tag)
		at++;
	if (at->tag == noted.tag)
		return;
	memmove(at + 1, at, (size_t)(m->v6 + m->n_v6 - at) * sizeof(*at));
	*at = noted;
	m->n_v6++;
}

static int
put(struct netmap *m, const struct net *net, uint32_t value, bool replace)
{
	struct key key = key_of(net);
	struct netmap_entry *e;
	int err = reserve(m, net);

	if (err != 0)
		return err;
	e = probe(m, key.hi, key.lo, key.tag);
	if (e->tag != 0 && !replace)
		return -EEXIST;
	if (e->tag == 0) {
		m->n++;
		if (net->family == NETADDR_IPV4)
			note_len4(m->v4, net);
		else
			note_len6(m, net->len);
	}
	*e = (struct netmap_entry){
		.hi = key.hi, .lo = key.lo, .tag = (uint32_t)key.tag, .value = value
	};
	return 0;
}

int
netmap_add(struct netmap *m, const struct net *net, uint32_t value)
{
	return put(m, net, value, false);
}

int
netmap_set(struct netmap *m, const struct net *net, uint32_t value)
{
	return put(m, net, value, true);
}

uint32_t
netmap_get(const struct netmap *m, const struct net *net, uint32_t fallback)
{
	struct key key = key_of(net);
	const struct netmap_entry *e;

	if (m->table == NULL)
		return fallback;
	e = probe(m, key.hi, key.lo, key.tag);
	return e->tag != 0 ? e->value : fallback;
}

uint32_t
netmap_search4(const struct netmap *m, const uint8_t addr[static 4], uint32_t fallback)
{
	uint64_t v4 = load4(addr);

	/* The lowest bit stands for the longest prefix; its number is 32 - length. */
	for (uint64_t bits = m->v4[addr[0]]; bits != 0; bits &= bits - 1) {
		unsigned out = (unsigned)__builtin_ctzll(bits);
		const struct netmap_entry *e;

		v4 = v4 >> out << out;
		e = probe(m, v4, 0, tag_of(NETADDR_IPV4, 32 - out));
		if (e->tag != 0)
			return e->value;
	}
	return fallback;
}

uint32_t
netmap_search6(const struct netmap *m, const uint8_t addr[static 16], uint32_t fallback)
{
	uint64_t hi = load8(addr);
	uint64_t lo = load8(addr + 8);

	/* Lengths get shorter, so each mask clears only more of the address. */
	for (const struct netmap_len *len = m->v6; len->tag != 0; len++) {
		const struct netmap_entry *e;

		hi &= len->hi;
		lo &= len->lo;
		e = probe(m, hi, lo, len->tag);
		if (e->tag != 0)
			return e->value;
	}
	return fallback;
}

bool
net_holds(const struct net *net, const uint8_t *addr)
{
	size_t whole = net->len / 8;
	unsigned rest = net->len % 8;

	if (memcmp(net->addr, addr, whole) != 0)
		return false;
	return rest == 0 || (net->addr[whole] ^ addr[whole]) >> (8 - rest) == 0;
}
