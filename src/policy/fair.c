/* SPDX-License-Identifier: BSD-2-Clause */
#include "policy/fair.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MIN_BITS 13 /* log2 of the counters in a row: two pairs share both once in 2^26 */
#define MIN_WIDE_BITS 12
#define CROWD_BITS 4 /* the table of wider networks has one entry for so many places, as bits */

_Static_assert(FAIR_CLASSES % 64 == 0, "whole words of bits");

int
fair_init(struct fair *f, uint64_t secret, uint32_t cap)
{
	unsigned bits = MIN_BITS, wide_bits;
	int rc;

	memset(f, 0, sizeof(*f));
	while (UINT32_C(1) << bits < cap)
		bits++;
	wide_bits = bits < MIN_WIDE_BITS + CROWD_BITS ? MIN_WIDE_BITS : bits - CROWD_BITS;
	f->shift = 64 - bits;
	f->row = UINT32_C(1) << bits;
	f->wide_shift = 64 - wide_bits;
	f->spread[0] = secret | 1;
	f->spread[1] = ((secret ^ secret >> 31) * UINT64_C(0xbf58476d1ce4e5b9)) | 1;
	for (unsigned i = 0; i < FAIR_CLASSES; i++)
		list_init(&f->classes[i]);
	rc = pool_init(&f->clients, sizeof(struct fair_client), cap);
	if (rc != 0)
		return rc;
	/* Zeroed pages, touched as networks come. */
	f->buckets = calloc((size_t)1 << bits, sizeof(f->buckets[0]));
	f->same = calloc((size_t)FAIR_ROWS << bits, sizeof(f->same[0]));
	for (unsigned i = 0; i < FAIR_WIDE; i++)
		f->wide[i] = calloc((size_t)1 << wide_bits, sizeof(f->wide[i][0]));
	if (f->buckets != NULL && f->same != NULL && f->wide[0] != NULL &&
	    f->wide[FAIR_WIDE - 1] != NULL)
		return 0;
	fair_fini(f);
	return -ENOMEM;
}

void
fair_fini(struct fair *f)
{
	for (unsigned i = 0; i < FAIR_WIDE; i++) {
		free(f->wide[i]);
		f->wide[i] = NULL;
	}
	free(f->same);
	free(f->buckets);
	f->same = NULL;
	f->buckets = NULL;
	pool_fini(&f->clients);
}

/* --- where a network is ----------------------------------------------------------------------- */

/* Family and interface of A. */
static inline uint64_t
kind_of(const struct netaddr *a)
{
	return (uint64_t)a->scope << 8 | a->family;
}

/*
 * A hash of A's address and interface, whose top bits are of use. A client chooses its address: two
 * products with secret odd factors collide for two chosen ones no more often than by chance.
 */
static inline uint64_t
hash_of(const struct fair *f, const struct netaddr *a)
{
	uint64_t h = (netaddr_head(a, 8) ^ kind_of(a) << 7) * f->spread[0];

	return (h ^ h >> 32 ^ netaddr_tail(a)) * f->spread[1];
}

static inline struct fair_client **
bucket_of(const struct fair *f, uint64_t hash)
{
	return &f->buckets[hash >> f->shift];
}

/* The client A in its BUCKET; NULL: it has nothing. */
static inline struct fair_client *
find(struct fair_client *const *bucket, const struct netaddr *a)
{
	struct fair_client *c = *bucket;

	while (c != NULL &&
	    (netaddr_tail(&c->addr) != netaddr_tail(a) ||
		netaddr_head(&c->addr, 8) != netaddr_head(a, 8) || kind_of(&c->addr) != kind_of(a)))
		c = c->next;
	return c;
}

/* The first BYTES bytes of A, its family and interface, as a number. */
static inline uint64_t
prefix_of(const struct netaddr *a, unsigned bytes)
{
	return netaddr_head(a, bytes) ^ kind_of(a) << 7;
}

/* The entry of A's network of LEVEL, which is wider than an address and has BYTES bytes. */
static inline struct fair_net *
wide_at(const struct fair *f, const struct netaddr *a, unsigned level, unsigned bytes)
{
	uint64_t h = prefix_of(a, bytes) * f->spread[level & 1];

	return &f->wide[level - 1][h >> f->wide_shift];
}

/* --- classes ---------------------------------------------------------------------------------- */

/* A network is sorted if it has so many. */
static inline uint32_t
least_sorted(const struct fair_net *net)
{
	return net->doublings == 0 ? 1 : (UINT32_C(1) << net->doublings) + 1;
}

static inline void
net_init(struct fair_net *net, unsigned level, unsigned doublings)
{
	list_init(&net->link);
	for (unsigned i = 0; i < FAIR_LISTS; i++)
		list_init(&net->of[i]);
	net->n = 0;
	net->level = (uint8_t)level;
	net->doublings = (uint8_t)doublings;
	net->more = least_sorted(net);
	net->fewer = 0;
}

/* Take NET, which is sorted, out of its class. */
static inline void
sort_out(struct fair *f, struct fair_net *net)
{
	/* Both its neighbours are the head: it is alone. */
	if (net->link.next == net->link.prev)
		f->full[net->class / 64] &= ~(UINT64_C(1) << net->class % 64);
	list_unlink(&net->link);
}

/* Put NET, which is not sorted, in CLASS. */
static inline void
sort_in(struct fair *f, struct fair_net *net, unsigned class)
{
	net->class = (uint8_t) class;
	list_push(&f->classes[class], &net->link);
	f->full[class / 64] |= UINT64_C(1) << class % 64;
}

/* NET has another number of places: put it in the class of that, and note when it leaves it. */
static __attribute__((noinline)) void
sort_again(struct fair *f, struct fair_net *net)
{
	unsigned shift = FAIR_UNIT_BITS - net->doublings;
	uint32_t weight = fair_weight(net), width, low, least = least_sorted(net);

	if (!list_empty(&net->link))
		sort_out(f, net);
	net->more = least;
	net->fewer = 0;
	if (net->n < least)
		return;
	sort_in(f, net, fair_class(weight));
	width = weight < 16 ? 1 : UINT32_C(1) << (28 - (unsigned)__builtin_clz(weight));
	low = weight & ~(width - 1);
	net->more = (low + width + (UINT32_C(1) << shift) - 1) >> shift;
	net->fewer = (low + (UINT32_C(1) << shift) - 1) >> shift;
	net->fewer = net->fewer > least ? net->fewer : least;
}

static inline void
grow(struct fair *f, struct fair_net *net)
{
	if (++net->n >= net->more)
		sort_again(f, net);
}

static inline void
shrink(struct fair *f, struct fair_net *net)
{
	if (--net->n < net->fewer)
		sort_again(f, net);
}

/* --- who comes and goes ----------------------------------------------------------------------- */

/* A client, who has one. There is room for as many as there are places. */
static inline struct fair_client *
new_client(struct fair *f, struct fair_client **bucket, const struct netaddr *addr)
{
	struct fair_client *c = pool_take(&f->clients);

	if (UNLIKELY(c == NULL))
		return NULL;
	net_init(&c->own, 0, 0);
	c->own.n = 1;
	c->own.more = 2;
	c->own.fewer = 1;
	sort_in(f, &c->own, fair_class(fair_weigh(1, 0)));
	for (unsigned i = 0; i < FAIR_WIDE; i++)
		c->wide[i] = NULL;
	c->addr = *addr;
	c->addr.port = 0;
	c->bucket = bucket;
	c->next = *bucket;
	*bucket = c;
	return c;
}

/* Count what C has for its wider networks, too. */
static __attribute__((noinline)) void
widen(struct fair *f, struct fair_client *c)
{
	const struct netaddr_level *level;
	unsigned n;

	level = netaddr_levels(&c->addr, &n);
	for (unsigned i = 1; i < n; i++) {
		struct fair_net *net = wide_at(f, &c->addr, i, level[i].bytes);

		if (UNLIKELY(net->of[0].next == NULL))
			net_init(net, i, level[i].doublings);
		c->wide[i - 1] = net;
		list_push(&net->of[0], &c->in[i - 1]);
		net->n += c->own.n - 1;
		grow(f, net);
	}
}

/* C loses the last it had: forget it. */
static inline void
drop(struct fair *f, struct fair_client *c)
{
	struct fair_client **at = c->bucket;

	while (*at != c)
		at = &(*at)->next;
	*at = c->next;
	sort_out(f, &c->own);
	for (unsigned i = 0; i < FAIR_WIDE && c->wide[i] != NULL; i++)
		list_unlink(&c->in[i]);
	pool_give(&f->clients, c);
}

/* Find the counters of QUESTION from the network of HASH. True: it may be counted there. */
static inline bool
may_count(const struct fair *f, uint64_t hash, uint64_t question, uint32_t max_same,
    uint32_t same[static FAIR_ROWS])
{
	uint64_t h = hash * f->spread[0] ^ question;
	uint16_t a, b;

	same[0] = (uint32_t)(h >> f->shift);
	same[1] = (uint32_t)(h * f->spread[0] >> f->shift) + f->row;
	a = f->same[same[0]];
	b = f->same[same[1]];
	return (a < b ? a : b) < max_same && a < UINT16_MAX && b < UINT16_MAX;
}

static inline void
count(struct fair *f, const uint32_t same[static FAIR_ROWS], int by)
{
	for (unsigned i = 0; i < FAIR_ROWS; i++)
		f->same[same[i]] = (uint16_t)(f->same[same[i]] + by);
}

/* Has PEER's address MAX_NET, or a wider network its multiple of that? */
static __attribute__((cold)) bool
is_full(const struct fair *f, const struct netaddr *peer, uint32_t max_net)
{
	struct fair_nets nets;

	fair_find(f, peer, &nets);
	for (unsigned i = 0; i < NETADDR_LEVELS; i++) {
		const struct fair_net *net = nets.at[i];

		if (net != NULL && net->n >> net->doublings >= max_net)
			return true;
	}
	return false;
}

enum fair_verdict
fair_enter(
    struct fair *f, const struct netaddr *peer, const struct fair_terms *t, struct fair_place *p)
{
	uint64_t hash = hash_of(f, peer);
	struct fair_client **bucket, *c;

	if (t->max_same != 0 && UNLIKELY(!may_count(f, hash, t->question, t->max_same, p->same[0])))
		return FAIR_SAME;
	if (UNLIKELY(t->max_net != 0 && is_full(f, peer, t->max_net)))
		return FAIR_CEILING;
	bucket = bucket_of(f, hash);
	c = find(bucket, peer);
	if (c == NULL) {
		c = new_client(f, bucket, peer);
		if (UNLIKELY(c == NULL))
			return FAIR_CEILING;
	} else {
		grow(f, &c->own);
	}
	if (UNLIKELY(c->wide[0] != NULL)) {
		for (unsigned i = 0; i < FAIR_WIDE && c->wide[i] != NULL; i++)
			grow(f, c->wide[i]);
	} else if (UNLIKELY(t->scarce)) {
		widen(f, c);
	}
	p->client = c;
	list_push(&c->own.of[FAIR_WAITING], &p->link);
	p->joined = false;
	p->counted = t->max_same != 0;
	if (p->counted)
		count(f, p->same[0], 1);
	return FAIR_WELCOME;
}

bool
fair_join(struct fair *f, uint64_t question, uint32_t max_same, struct fair_place *p)
{
	const struct netaddr *peer = &p->client->addr;
	const struct netaddr_level *level;
	unsigned n;

	if (!p->counted || p->joined)
		return true;
	level = netaddr_levels(peer, &n);
	for (unsigned i = 1; i < n; i++) {
		uint64_t prefix = prefix_of(peer, level[i].bytes) + i * f->spread[1];

		/* Who began is one of them, and not counted. */
		if (!may_count(
			f, prefix, question, (max_same << level[i].doublings) - 1, p->same[i]))
			return false;
	}
	p->joined = true;
	for (unsigned i = 1; i < n; i++)
		count(f, p->same[i], 1);
	return true;
}

bool
fair_same_over(const struct fair *f, const struct fair_place *p, uint32_t max_same)
{
	const struct netaddr_level *level;
	unsigned n;

	if (!p->counted)
		return false;
	level = netaddr_levels(&p->client->addr, &n);
	for (unsigned i = 0; i < (p->joined ? n : 1); i++) {
		uint16_t a = f->same[p->same[i][0]], b = f->same[p->same[i][1]];

		if ((a < b ? a : b) > max_same << level[i].doublings)
			return true;
	}
	return false;
}

/* P, of C, was counted for its wider networks among those that ask the same: no longer. */
static __attribute__((noinline)) void
unjoin(struct fair *f, const struct fair_client *c, const struct fair_place *p)
{
	unsigned n;

	if (netaddr_levels(&c->addr, &n) == NULL)
		return;
	for (unsigned i = 1; i < n; i++)
		count(f, p->same[i], -1);
}

void
fair_leave(struct fair *f, struct fair_place *p)
{
	struct fair_client *c = p->client;

	if (c == NULL)
		return;
	p->client = NULL;
	list_unlink(&p->link);
	if (p->counted)
		count(f, p->same[0], -1);
	if (UNLIKELY(p->joined))
		unjoin(f, c, p);
	for (unsigned i = 0; i < FAIR_WIDE && c->wide[i] != NULL; i++)
		shrink(f, c->wide[i]);
	if (c->own.n == 1)
		drop(f, c);
	else
		shrink(f, &c->own);
}

/* --- who has most ----------------------------------------------------------------------------- */

static void
move_back(struct fair *f, struct fair_net *net)
{
	if (list_empty(&net->link))
		return;
	list_unlink(&net->link);
	list_push(&f->classes[net->class], &net->link);
}

void
fair_touch(struct fair *f, struct fair_place *p, enum fair_list list)
{
	struct fair_client *c = p->client;

	list_unlink(&p->link);
	list_push(&c->own.of[list], &p->link);
	move_back(f, &c->own);
	for (unsigned i = 0; i < FAIR_WIDE && c->wide[i] != NULL; i++) {
		list_unlink(&c->in[i]);
		list_push(&c->wide[i]->of[0], &c->in[i]);
		move_back(f, c->wide[i]);
	}
}

unsigned
fair_below(const struct fair *f, unsigned class)
{
	while (class > 0) {
		unsigned word = (class - 1) / 64;
		uint64_t bits = f->full[word] & UINT64_MAX >> (63 - (class - 1) % 64);

		if (bits != 0)
			return 64 * word + 63 - (unsigned)__builtin_clzll(bits);
		class = 64 * word;
	}
	return FAIR_NONE;
}

unsigned
fair_above(const struct fair *f, unsigned class)
{
	while (class < FAIR_CLASSES) {
		unsigned word = class / 64;
		uint64_t bits = f->full[word] & UINT64_MAX << class % 64;

		if (bits != 0)
			return 64 * word + (unsigned)__builtin_ctzll(bits);
		class = 64 * (word + 1);
	}
	return FAIR_NONE;
}

void
fair_later(struct fair *f, struct fair_net *net)
{
	struct list *first = net->of[0].next;

	move_back(f, net);
	if (net->level == 0)
		return;
	list_unlink(first);
	list_push(&net->of[0], first);
}

void
fair_find(const struct fair *f, const struct netaddr *peer, struct fair_nets *nets)
{
	struct fair_client *c = find(bucket_of(f, hash_of(f, peer)), peer);
	const struct netaddr_level *level;
	unsigned n;

	memset(nets, 0, sizeof(*nets));
	nets->at[0] = c != NULL ? &c->own : NULL;
	level = netaddr_levels(peer, &n);
	for (unsigned i = 1; i < n; i++) {
		const struct fair_net *net = wide_at(f, peer, i, level[i].bytes);

		nets->at[i] = net->n > 0 ? net : NULL;
	}
}

void
fair_nets_of(const struct fair_client *c, struct fair_nets *nets)
{
	nets->at[0] = &c->own;
	for (unsigned i = 0; i < FAIR_WIDE; i++)
		nets->at[i + 1] = c->wide[i];
}

unsigned
fair_bits(const struct fair_net *net)
{
	unsigned n;

	return 8U * netaddr_levels(&fair_member(net)->addr, &n)[net->level].bytes;
}

struct netaddr
fair_network(const struct fair_net *net)
{
	return netaddr_network(&fair_member(net)->addr, fair_bits(net) / 8);
}
