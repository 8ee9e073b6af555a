/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/heavy.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

void
heavy_init(struct heavy *h, uint64_t seed)
{
	h->seed = seed;
	h->n_all = 0;
	h->n = 0;
	memset(h->buckets, 0, sizeof(h->buckets));
}

static uint64_t
count_at(const struct heavy *h, uint32_t place)
{
	return h->items[h->heap[place]].count;
}

static void
put(struct heavy *h, uint32_t place, uint16_t index)
{
	h->heap[place] = index;
	h->items[index].place = (uint16_t)place;
}

/* The item in PLACE has a higher count than before: its order among those below it. */
static void
sink(struct heavy *h, uint32_t place)
{
	uint16_t index = h->heap[place];
	uint64_t count = h->items[index].count;

	for (uint32_t below = 2 * place + 1; below < h->n; below = 2 * place + 1) {
		below += below + 1 < h->n && count_at(h, below + 1) < count_at(h, below);
		if (count_at(h, below) >= count)
			break;
		put(h, place, h->heap[below]);
		place = below;
	}
	put(h, place, index);
}

/* The item in PLACE, a new one with the lowest count that there is. */
static void
rise(struct heavy *h, uint32_t place)
{
	uint16_t index = h->heap[place];

	while (place > 0 && count_at(h, (place - 1) / 2) > h->items[index].count) {
		put(h, place, h->heap[(place - 1) / 2]);
		place = (place - 1) / 2;
	}
	put(h, place, index);
}

static uint16_t *
bucket(struct heavy *h, uint64_t hash)
{
	return &h->buckets[hash % HEAVY_BUCKETS];
}

static struct heavy_item *
find(struct heavy *h, const void *key, size_t len, uint64_t hash)
{
	for (uint16_t at = *bucket(h, hash); at != 0; at = h->items[at - 1].next) {
		struct heavy_item *item = &h->items[at - 1];

		if (item->hash == hash && item->len == len && memcmp(item->key, key, len) == 0)
			return item;
	}
	return NULL;
}

/* Take the item with INDEX out of its bucket. */
static void
forget(struct heavy *h, uint16_t index)
{
	uint16_t *at = bucket(h, h->items[index].hash);

	while (*at != index + 1)
		at = &h->items[*at - 1].next;
	*at = h->items[index].next;
}

void
heavy_add(struct heavy *h, const void *key, size_t len)
{
	uint64_t hash = hash_bytes(key, len, h->seed);
	struct heavy_item *item = find(h, key, len, hash);
	bool is_new = h->n < HEAVY_N;
	uint16_t index;

	h->n_all++;
	if (item != NULL) {
		item->count++;
		sink(h, item->place);
		return;
	}
	index = is_new ? (uint16_t)h->n : h->heap[0];
	item = &h->items[index];
	if (is_new)
		item->count = 0;
	else
		forget(h, index);
	item->error = item->count;
	item->count++;
	item->hash = hash;
	item->len = (uint16_t)len;
	memcpy(item->key, key, len);
	item->next = *bucket(h, hash);
	*bucket(h, hash) = (uint16_t)(index + 1);
	if (is_new) {
		put(h, h->n++, index);
		rise(h, h->n - 1);
	} else {
		sink(h, 0);
	}
}

uint64_t
heavy_unseen(const struct heavy *h)
{
	return h->n < HEAVY_N ? 0 : count_at(h, 0);
}

static int
by_key(const void *a, const void *b)
{
	const struct heavy_item *x = ((const struct heavy_sum *)a)->item;
	const struct heavy_item *y = ((const struct heavy_sum *)b)->item;
	int order = (x->len > y->len) - (x->len < y->len);

	return order != 0 ? order : memcmp(x->key, y->key, x->len);
}

/* The highest count first; of the same one, that which is surer. */
static int
by_count(const void *a, const void *b)
{
	const struct heavy_sum *x = a, *y = b;
	int order = (x->count < y->count) - (x->count > y->count);

	if (order == 0)
		order = (x->error > y->error) - (x->error < y->error);
	return order != 0 ? order : by_key(a, b);
}

/* One sum for each key of the N at ALL, in the order of keys. Returns how many. */
static size_t
join(struct heavy_sum *all, size_t n)
{
	size_t n_sums = 0;

	for (size_t i = 0; i < n; i++) {
		if (n_sums > 0 && by_key(&all[n_sums - 1], &all[i]) == 0) {
			all[n_sums - 1].count += all[i].count;
			all[n_sums - 1].error += all[i].error;
		} else {
			all[n_sums++] = all[i];
		}
	}
	return n_sums;
}

struct heavy_sum *
heavy_merge(const struct heavy *const *each, size_t n, size_t *n_out)
{
	uint64_t unseen = 0;
	size_t n_items = 0, at = 0;
	struct heavy_sum *all;

	*n_out = 0;
	for (size_t i = 0; i < n; i++)
		n_items += each[i] != NULL ? each[i]->n : 0;
	all = n_items > 0 ? calloc(n_items, sizeof(*all)) : NULL;
	if (all == NULL)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		uint64_t own = each[i] != NULL ? heavy_unseen(each[i]) : 0;

		unseen += own;
		/*
		 * A key may be unseen wherever it has no counter: that is added below as if it
		 * were so everywhere, so here it is taken off. The sum may pass zero meanwhile.
		 */
		for (uint32_t k = 0; each[i] != NULL && k < each[i]->n; k++) {
			const struct heavy_item *item = &each[i]->items[k];

			all[at++] =
			    (struct heavy_sum){ item->count - own, item->error - own, item };
		}
	}
	qsort(all, n_items, sizeof(*all), by_key);
	*n_out = join(all, n_items);
	for (size_t i = 0; i < *n_out; i++) {
		all[i].count += unseen;
		all[i].error += unseen;
	}
	qsort(all, *n_out, sizeof(*all), by_count);
	return all;
}
