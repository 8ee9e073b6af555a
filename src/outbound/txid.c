/* SPDX-License-Identifier: BSD-2-Clause */
#include "outbound/txid.h"

void
txid_init(struct txid *t)
{
	t->n_used = 0;
	for (uint32_t i = 0; i < TXID_COUNT; i++) {
		t->ids[i] = (uint16_t)i;
		t->place[i] = (uint16_t)i;
		t->owner[i] = (struct txid_owner){ .socket = TXID_NO_SOCKET };
	}
}

/* Exchange the IDs at two places. */
static void
swap(struct txid *t, uint32_t a, uint32_t b)
{
	uint16_t id_a = t->ids[a];
	uint16_t id_b = t->ids[b];

	t->ids[a] = id_b;
	t->ids[b] = id_a;
	t->place[id_b] = (uint16_t)a;
	t->place[id_a] = (uint16_t)b;
}

bool
txid_take(struct txid *t, struct rng *rng, const struct txid_owner *owner, uint16_t *id)
{
	uint32_t border = t->n_used;

	if (border == TXID_COUNT)
		return false;
	swap(t, border, border + rng_below(rng, TXID_COUNT - border));
	t->n_used++;
	*id = t->ids[border];
	t->owner[*id] = *owner;
	return true;
}

void
txid_give(struct txid *t, uint16_t id)
{
	t->n_used--;
	swap(t, t->place[id], t->n_used);
}

bool
stale_id_has(const struct stale_id *o, uint16_t id)
{
	uint32_t n = o->n < STALE_ID_EACH ? o->n : STALE_ID_EACH;

	for (uint32_t i = 0; i < n; i++) {
		if (o->ids[i] == id)
			return true;
	}
	return false;
}
