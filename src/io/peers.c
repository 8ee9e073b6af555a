/* SPDX-License-Identifier: BSD-2-Clause */
#include "io/peers.h"

#include <errno.h>
#include <stdlib.h>

#include "base/hash.h"

#define PEERS_LOOK 16 /* networks of one rank that are searched for an idle connection */

int
peers_init(struct peers *p, uint32_t cap, uint64_t seed)
{
	size_t n_chains = 16;

	while (n_chains < cap && n_chains < (size_t)1 << 30)
		n_chains *= 2;
	/* Zeroed pages, touched as networks come. */
	p->peers = calloc((size_t)cap + 1, sizeof(*p->peers));
	p->chains = calloc(n_chains, sizeof(*p->chains));
	p->ranks = calloc((size_t)cap + 1, sizeof(*p->ranks));
	if (p->peers == NULL || p->chains == NULL || p->ranks == NULL) {
		peers_fini(p);
		return -ENOMEM;
	}
	p->cap = cap;
	p->mask = (uint32_t)(n_chains - 1);
	p->most = 0;
	p->seed = seed;
	for (size_t i = 0; i < n_chains; i++)
		p->chains[i] = PEERS_NONE;
	for (uint32_t i = 0; i < cap; i++)
		p->peers[i].next = i + 1 < cap ? i + 1 : PEERS_NONE;
	for (uint32_t i = 0; i <= cap; i++)
		list_init(&p->ranks[i]);
	p->free = cap > 0 ? 0 : PEERS_NONE;
	return 0;
}

void
peers_fini(struct peers *p)
{
	free(p->peers);
	free(p->chains);
	free(p->ranks);
	p->peers = NULL;
	p->chains = NULL;
	p->ranks = NULL;
}

static uint32_t *
chain_of(struct peers *p, const struct netaddr_block *net)
{
	return &p->chains[(uint32_t)hash_bytes(net, sizeof(*net), p->seed) & p->mask];
}

/* The entry of NET in its CHAIN, or PEERS_NONE. */
static uint32_t
peers_find(const struct peers *p, uint32_t chain, const struct netaddr_block *net)
{
	uint32_t i = chain;

	while (i != PEERS_NONE && !netaddr_block_equal(&p->peers[i].net, net))
		i = p->peers[i].next;
	return i;
}

/* Put PEER, whose number of connections has changed by one, in its rank. */
static void
peers_rank(struct peers *p, struct peer *peer)
{
	list_unlink(&peer->rank);
	if (peer->n > 0)
		list_push(&p->ranks[peer->n], &peer->rank);
	if (peer->n > p->most)
		p->most = peer->n;
	else if (p->most > 0 && list_empty(&p->ranks[p->most]))
		p->most--; /* where the last of that rank has gone */
}

uint32_t
peers_take(struct peers *p, const struct netaddr *addr)
{
	const struct netaddr_block net = netaddr_block(addr);
	uint32_t *chain = chain_of(p, &net);
	uint32_t i = peers_find(p, *chain, &net);

	if (i == PEERS_NONE) {
		i = p->free;
		if (i == PEERS_NONE)
			return PEERS_NONE;
		p->free = p->peers[i].next;
		p->peers[i] = (struct peer){ .net = net, .next = *chain };
		list_init(&p->peers[i].rank);
		list_init(&p->peers[i].idle);
		list_init(&p->peers[i].busy);
		*chain = i;
	}
	p->peers[i].n++;
	peers_rank(p, &p->peers[i]);
	return i;
}

void
peers_seat(struct peers *p, uint32_t number, struct list *seat, bool busy)
{
	struct peer *peer = &p->peers[number];

	list_unlink(seat);
	list_push(busy ? &peer->busy : &peer->idle, seat);
	list_unlink(&peer->rank);
	list_push(&p->ranks[peer->n], &peer->rank);
}

void
peers_give(struct peers *p, uint32_t number, struct list *seat)
{
	struct peer *peer = &p->peers[number];
	uint32_t *at;

	list_unlink(seat);
	peer->n--;
	peers_rank(p, peer);
	if (peer->n > 0)
		return;
	for (at = chain_of(p, &peer->net); *at != number; at = &p->peers[*at].next)
		continue;
	*at = peer->next;
	peer->next = p->free;
	p->free = number;
}

uint32_t
peers_count(struct peers *p, const struct netaddr *addr)
{
	const struct netaddr_block net = netaddr_block(addr);
	uint32_t i = peers_find(p, *chain_of(p, &net), &net);

	return i == PEERS_NONE ? 0 : p->peers[i].n;
}

struct list *
peers_idlest(struct peers *p, const struct netaddr *addr)
{
	const struct netaddr_block net = netaddr_block(addr);
	uint32_t i = peers_find(p, *chain_of(p, &net), &net);

	if (i == PEERS_NONE || list_empty(&p->peers[i].idle))
		return NULL;
	return p->peers[i].idle.next;
}

struct list *
peers_yielding(struct peers *p, uint32_t n)
{
	struct list *rank = &p->ranks[p->most], *link = rank->next;

	if (p->most <= n)
		return NULL;
	for (unsigned i = 0; i < PEERS_LOOK && link != rank; i++, link = link->next) {
		struct peer *peer = LIST_OBJECT(link, struct peer, rank);

		if (!list_empty(&peer->idle))
			return peer->idle.next;
	}
	if (p->most < n + 2)
		return NULL;
	return LIST_OBJECT(rank->next, struct peer, rank)->busy.next;
}
