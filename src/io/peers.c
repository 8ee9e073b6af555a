/* SPDX-License-Identifier: BSD-2-Clause */
#include "io/peers.h"

#include <errno.h>
#include <stdlib.h>

#include "base/hash.h"

int
peers_init(struct peers *p, uint32_t cap, uint64_t seed)
{
	size_t n_chains = 16;

	while (n_chains < cap && n_chains < (size_t)1 << 30)
		n_chains *= 2;
	p->peers = calloc((size_t)cap + 1, sizeof(*p->peers));
	p->chains = calloc(n_chains, sizeof(*p->chains));
	if (p->peers == NULL || p->chains == NULL) {
		peers_fini(p);
		return -ENOMEM;
	}
	p->cap = cap;
	p->mask = (uint32_t)(n_chains - 1);
	p->seed = seed;
	for (size_t i = 0; i < n_chains; i++)
		p->chains[i] = PEERS_NONE;
	for (uint32_t i = 0; i < cap; i++)
		p->peers[i].next = i + 1 < cap ? i + 1 : PEERS_NONE;
	p->free = cap > 0 ? 0 : PEERS_NONE;
	return 0;
}

void
peers_fini(struct peers *p)
{
	free(p->peers);
	free(p->chains);
	p->peers = NULL;
	p->chains = NULL;
}

static uint32_t *
chain_of(struct peers *p, const struct netaddr *addr)
{
	return &p->chains[(uint32_t)hash_bytes(addr, sizeof(*addr), p->seed) & p->mask];
}

uint32_t
peers_take(struct peers *p, const struct netaddr *addr, uint32_t max)
{
	struct netaddr key = *addr;
	uint32_t *chain, i;

	key.port = 0;
	chain = chain_of(p, &key);
	for (i = *chain; i != PEERS_NONE; i = p->peers[i].next)
		if (netaddr_equal(&p->peers[i].addr, &key))
			break;
	if (i != PEERS_NONE) {
		if (p->peers[i].n >= max)
			return PEERS_NONE;
		p->peers[i].n++;
		return i;
	}
	i = p->free;
	if (i == PEERS_NONE || max == 0)
		return PEERS_NONE;
	p->free = p->peers[i].next;
	p->peers[i] = (struct peer){ .addr = key, .n = 1, .next = *chain };
	*chain = i;
	return i;
}

void
peers_give(struct peers *p, uint32_t number)
{
	struct peer *peer = &p->peers[number];
	uint32_t *at;

	if (--peer->n > 0)
		return;
	for (at = chain_of(p, &peer->addr); *at != number; at = &p->peers[*at].next)
		continue;
	*at = peer->next;
	peer->next = p->free;
	p->free = number;
}
