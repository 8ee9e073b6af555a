/* SPDX-License-Identifier: BSD-2-Clause */
#include "policy/prefix_index.h"

#include <stdlib.h>

#include "core/stats.h"
#include "policy/policy.h"

struct prefix_index {
	size_t end;
	struct pref64 prefix[STATS_PREFIXES]; /* the first has none */
};

struct prefix_index *
prefix_index_new(void)
{
	struct prefix_index *n = calloc(1, sizeof(*n));

	if (n != NULL)
		n->end = PREFIX_INDEX_OTHERS + 1;
	return n;
}

void
prefix_index_free(struct prefix_index *n)
{
	free(n);
}

/* The number of PREFIX, which is given now if it has none yet. */
static uint8_t
number(struct prefix_index *n, const struct pref64 *prefix)
{
	for (size_t i = PREFIX_INDEX_OTHERS + 1; i < n->end; i++) {
		if (pref64_same(&n->prefix[i], prefix))
			return (uint8_t)i;
	}
	if (n->end == STATS_PREFIXES)
		return PREFIX_INDEX_OTHERS;
	n->prefix[n->end] = *prefix;
	return (uint8_t)n->end++;
}

/* Write NUMBER to *TO, unless it is there: then loops may read it. */
static void
put(uint8_t *to, uint8_t number)
{
	if (*to != number)
		*to = number;
}

void
prefix_index_give(struct prefix_index *n, struct policies *ps)
{
	struct policies_prefix *prefixes = ps->site.prefixes;

	for (size_t i = 0; i < ps->site.n_used && n != NULL; i++)
		put(&prefixes[i].number, number(n, &prefixes[i].prefix));
	for (size_t i = 0; i < ps->n; i++) {
		struct policy *p = &ps->table[i];

		for (uint8_t k = 0; k < p->synth.n_prefixes; k++)
			put(&p->numbers[k], prefixes[p->places[k]].number);
	}
}

size_t
prefix_index_end(const struct prefix_index *n)
{
	return n == NULL ? PREFIX_INDEX_OTHERS + 1 : n->end;
}

const struct pref64 *
prefix_index_prefix(const struct prefix_index *n, size_t i)
{
	return &n->prefix[i];
}
