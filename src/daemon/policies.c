/* SPDX-License-Identifier: BSD-2-Clause */
#include "daemon/policies.h"

#include <string.h>

struct policies *
policies_make(const struct settings *s)
{
	struct policies *ps = policies_new(1);
	struct netmap *excluded = ps != NULL ? policies_excluded(ps, false) : NULL;
	struct policy *p;

	if (excluded == NULL)
		goto failed;
	p = &ps->table[0];
	p->excluded = excluded;
	for (size_t i = 0; i < s->n_excluded; i++) {
		if (netmap_set(excluded, &s->excluded[i], 1) != 0)
			goto failed;
	}
	p->n_prefixes = (uint8_t)s->n_prefixes;
	memcpy(p->prefixes, s->prefixes, s->n_prefixes * sizeof(p->prefixes[0]));
	if (policies_finish(ps) == 0)
		return ps;
failed:
	policies_unref(ps);
	return NULL;
}
