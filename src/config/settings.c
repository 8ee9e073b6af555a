/* SPDX-License-Identifier: BSD-2-Clause */
#include "config/settings.h"

#include <string.h>

#include "config/policy_lines.h"

bool
settings_init(struct settings *s)
{
	memset(s, 0, sizeof(*s));
	s->policy_lines = policy_lines_new();
	return s->policy_lines != NULL;
}

void
settings_fini(struct settings *s)
{
	policy_lines_free(s->policy_lines);
	s->policy_lines = NULL;
	origin_fini(&s->origin);
	places_fini(&s->places);
	policies_unref(s->conf.core.policies);
	s->conf.core.policies = NULL;
}
