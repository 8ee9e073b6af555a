/* SPDX-License-Identifier: BSD-2-Clause */
#include "io/evbase.h"

struct event_base *
evbase_new(void)
{
	struct event_config *config = event_config_new();
	struct event_base *base = NULL;

	if (config == NULL)
		return NULL;
	if (event_config_set_flag(config, EVENT_BASE_FLAG_NOLOCK | EVENT_BASE_FLAG_IGNORE_ENV) == 0)
		base = event_base_new_with_config(config);
	event_config_free(config);
	return base;
}
