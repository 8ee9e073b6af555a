/* SPDX-License-Identifier: BSD-2-Clause */
#include "fakedns/seen.h"

#include <stdlib.h>

#include "base/hash.h"

struct seen_name {
	uint64_t hash;
	uint64_t first_ns;
	uint32_t next; /* index + 1 of the next one of the chain; 0: none */
};

struct fake_seen {
	uint32_t mask;   /* names remembered - 1 */
	uint32_t count;  /* names that came, which wraps as the indices do */
	uint32_t *first; /* chains of index + 1, by hash, the youngest first */
	struct seen_name all[];
};

struct fake_seen *
fake_seen_new(uint32_t cap)
{
	struct fake_seen *s = calloc(1, sizeof(*s) + cap * sizeof(s->all[0]));

	if (s == NULL)
		return NULL;
	s->mask = cap - 1;
	s->first = calloc(cap, sizeof(s->first[0]));
	if (s->first != NULL)
		return s;
	free(s);
	return NULL;
}

void
fake_seen_free(struct fake_seen *s)
{
	if (s == NULL)
		return;
	free(s->first);
	free(s);
}

/* Take INDEX, the oldest of all, out of its chain, which it ends; a place never used is in none. */
static void
forget(struct fake_seen *s, uint32_t index)
{
	uint32_t *link = &s->first[s->all[index].hash & s->mask];

	while (*link != 0 && *link != index + 1)
		link = &s->all[*link - 1].next;
	*link = 0;
}

uint64_t
fake_seen_first(struct fake_seen *s, const uint8_t *name, size_t len, uint64_t now_ns)
{
	uint64_t hash = hash_bytes(name, len, 0);
	uint32_t *chain = &s->first[hash & s->mask];

	for (uint32_t at = *chain; at != 0; at = s->all[at - 1].next) {
		if (s->all[at - 1].hash == hash)
			return s->all[at - 1].first_ns;
	}
	uint32_t index = s->count++ & s->mask;
	forget(s, index);
	s->all[index] = (struct seen_name){ hash, now_ns, *chain };
	*chain = index + 1;
	return now_ns;
}
