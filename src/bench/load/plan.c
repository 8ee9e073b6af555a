/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/load/plan.h"

#include <stddef.h>
#include <string.h>

const struct bench_transport *
bench_plan_transport(const char *name)
{
	static const struct bench_transport *const all[] = { &bench_udp, &bench_tcp };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (strcmp(all[i]->name, name) == 0)
			return all[i];
	}
	return NULL;
}
