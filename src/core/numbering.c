/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/numbering.h"

#include <stdlib.h>

#include "core/policy.h"

struct numbering {
	size_t end;
	struct pref64 prefix[NUMBERING_MAX]; /* the first has none */
};

struct numbering *
numbering_new(void)
{
	struct numbering *n = calloc(1, sizeof(*n));

	if (n != NULL)
		n->end = NUMBERING_OTHERS + 1;
	return n;
}

void
numbering_free(struct numbering *n)
{
	free(n);
}

/* The number of PREFIX, which is given now if it has none yet. */
static uint8_t
number(struct numbering *n, const struct pref64 *prefix)
{
	for (size_t i = NUMBERING_OTHERS + 1; i < n->end; i++) {
		if (pref64_same(&n->prefix[i], prefix))
			return (uint8_t)i;
	}
	if (n->end == NUMBERING_MAX)
		return NUMBERING_OTHERS;
	n->prefix[n->end] = *prefix;
	return (uint8_t)n->end++;
}

void
numbering_give(struct numbering *n, struct policies *ps)
{
	for (size_t i = 0; i < ps->n && n != NULL; i++) {
		struct policy *p = &ps->table[i];

		for (uint8_t k = 0; k < p->synth.n_prefixes; k++) {
			uint8_t right = number(n, &p->synth.prefixes[k]);

			if (p->numbers[k] != right)
				p->numbers[k] = right;
		}
	}
}

size_t
numbering_end(const struct numbering *n)
{
	return n == NULL ? NUMBERING_OTHERS + 1 : n->end;
}

const struct pref64 *
numbering_prefix(const struct numbering *n, size_t i)
{
	return &n->prefix[i];
}
