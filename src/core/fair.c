/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/fair.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MIN_BITS 10

int
fair_init(struct fair *f, uint64_t secret, uint32_t cap)
{
	int rc;

	memset(f, 0, sizeof(*f));
	f->bits = MIN_BITS;
	while (UINT32_C(1) << f->bits < cap)
		f->bits++;
	f->spread = secret | 1;
	for (unsigned i = 0; i < FAIR_CLASSES; i++)
		list_init(&f->classes[i]);
	rc = pool_init(&f->nets, sizeof(struct fair_net), cap);
	if (rc != 0)
		return rc;
	/* Zeroed pages, touched as networks come. */
	f->buckets = calloc((size_t)1 << f->bits, sizeof(f->buckets[0]));
	f->same = calloc((size_t)FAIR_ROWS << f->bits, sizeof(f->same[0]));
	if (f->buckets != NULL && f->same != NULL)
		return 0;
	fair_fini(f);
	return -ENOMEM;
}

void
fair_fini(struct fair *f)
{
	free(f->same);
	free(f->buckets);
	f->same = NULL;
	f->buckets = NULL;
	pool_fini(&f->nets);
}

/*
 * A client chooses its address. The top bits of a product with a secret odd factor collide for two
 * chosen ones no more often than by chance.
 */
static inline struct fair_net **
bucket_of(const struct fair *f, const struct netaddr_block *block)
{
	return &f->buckets[((block->prefix ^ block->kind << 7) * f->spread) >> (64 - f->bits)];
}

/* Put NET, which is in no class, into that of its number. */
static inline void
sort_in(struct fair *f, struct fair_net *net)
{
	unsigned class = fair_class(net->n);

	list_push(&f->classes[class], &net->link);
	f->full[class / 64] |= UINT64_C(1) << class % 64;
}

/* Take NET out of the class of N questions. */
static inline void
sort_out(struct fair *f, struct fair_net *net, uint32_t n)
{
	unsigned class = fair_class(n);

	list_unlink(&net->link);
	if (list_empty(&f->classes[class]))
		f->full[class / 64] &= ~(UINT64_C(1) << class % 64);
}

/* NET, which had N questions, is in the class of its present number from now on. */
static inline void
sort_again(struct fair *f, struct fair_net *net, uint32_t n)
{
	if (fair_class(n) == fair_class(net->n))
		return;
	sort_out(f, net, n);
	sort_in(f, net);
}

/* The network BLOCK in its BUCKET; NULL: nothing of it waits. */
static inline struct fair_net *
find(struct fair_net *const *bucket, const struct netaddr_block *block)
{
	struct fair_net *net = *bucket;

	while (net != NULL && !netaddr_block_equal(&net->block, block))
		net = net->next;
	return net;
}

/* A network with one question. There is room for as many as there are questions. */
static inline struct fair_net *
new_net(struct fair *f, struct fair_net **bucket, const struct netaddr_block *block)
{
	struct fair_net *net = pool_take(&f->nets);

	if (UNLIKELY(net == NULL))
		return NULL;
	list_init(&net->waiting);
	net->block = *block;
	net->n = 1;
	net->next = *bucket;
	*bucket = net;
	sort_in(f, net);
	return net;
}

/* Find the counters of QUESTION from PREFIX. True: it may be counted there. */
static inline bool
may_count(const struct fair *f, uint64_t prefix, uint64_t question, uint32_t max_same,
    struct fair_place *p)
{
	uint64_t h = prefix * f->spread ^ question;
	uint16_t a, b;

	p->same[0] = (uint32_t)(h >> (64 - f->bits));
	p->same[1] = (uint32_t)(h * f->spread >> (64 - f->bits)) + (UINT32_C(1) << f->bits);
	a = f->same[p->same[0]];
	b = f->same[p->same[1]];
	return (a < b ? a : b) < max_same && a < UINT16_MAX && b < UINT16_MAX;
}

enum fair_verdict
fair_enter(struct fair *f, const struct netaddr *peer, uint64_t question, uint32_t max_net,
    uint32_t max_same, struct fair_place *p)
{
	const struct netaddr_block block = netaddr_block(peer);
	struct fair_net **bucket, *net;

	if (max_same != 0 && UNLIKELY(!may_count(f, block.prefix, question, max_same, p)))
		return FAIR_SAME;
	bucket = bucket_of(f, &block);
	net = find(bucket, &block);
	if (net == NULL) {
		net = new_net(f, bucket, &block);
		if (UNLIKELY(net == NULL))
			return FAIR_CEILING;
	} else if (UNLIKELY(max_net != 0 && net->n >= max_net)) {
		return FAIR_CEILING;
	} else {
		net->n++;
		sort_again(f, net, net->n - 1);
	}
	p->net = net;
	list_push(&net->waiting, &p->link);
	p->counted = max_same != 0;
	if (p->counted) {
		f->same[p->same[0]]++;
		f->same[p->same[1]]++;
	}
	return FAIR_WELCOME;
}

/* NET has no questions any more: forget it. */
static inline void
drop(struct fair *f, struct fair_net *net)
{
	struct fair_net **at = bucket_of(f, &net->block);

	while (*at != net)
		at = &(*at)->next;
	*at = net->next;
	sort_out(f, net, 1);
	pool_give(&f->nets, net);
}

void
fair_leave(struct fair *f, struct fair_place *p)
{
	struct fair_net *net = p->net;

	if (net == NULL)
		return;
	p->net = NULL;
	list_unlink(&p->link);
	if (p->counted) {
		f->same[p->same[0]]--;
		f->same[p->same[1]]--;
	}
	net->n--;
	if (net->n == 0)
		drop(f, net);
	else
		sort_again(f, net, net->n + 1);
}

struct fair_net *
fair_fullest(const struct fair *f)
{
	unsigned word = sizeof(f->full) / sizeof(f->full[0]);
	unsigned class;

	while (word > 0 && f->full[word - 1] == 0)
		word--;
	if (word == 0)
		return NULL;
	class = 64 * word - 1 - (unsigned)__builtin_clzll(f->full[word - 1]);
	return LIST_OBJECT(f->classes[class].next, struct fair_net, link);
}
