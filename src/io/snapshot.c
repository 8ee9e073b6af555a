/* SPDX-License-Identifier: BSD-2-Clause */
#include "io/snapshot.h"

#include <stdlib.h>

#include "base/secret.h"
#include "policy/policy.h"

struct snapshot *
snapshot_new(const struct conf *conf)
{
	struct snapshot *s = malloc(sizeof(*s));

	if (s == NULL)
		return NULL;
	atomic_init(&s->refs, 1);
	s->conf = *conf;
	secret_lock(s->conf.core.cookies.secrets, sizeof(s->conf.core.cookies.secrets));
	policies_ref(s->conf.core.policies);
	return s;
}

struct snapshot *
snapshot_ref(struct snapshot *s)
{
	atomic_fetch_add_explicit(&s->refs, 1, memory_order_relaxed);
	return s;
}

void
snapshot_unref(struct snapshot *s)
{
	if (s == NULL || atomic_fetch_sub_explicit(&s->refs, 1, memory_order_acq_rel) != 1)
		return;
	policies_unref(s->conf.core.policies);
	secret_wipe(s->conf.core.cookies.secrets, sizeof(s->conf.core.cookies.secrets));
	free(s);
}
