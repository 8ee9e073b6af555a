/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/workload.h"

/* --- Popularity ------------------------------------------------------------------------------- */

static bool
open_zipf(struct bench_settings *s, FILE *errors)
{
	struct bench_load *l = &s->plan.load;

	if (s->zipf <= 0)
		return true;
	l->zipf = bench_zipf_new(s->zipf, (uint32_t)l->hot);
	if (l->zipf == NULL)
		(void)fprintf(errors, "dns64bench: --popularity: no memory for so many names\n");
	return l->zipf != NULL;
}

/* --- All -------------------------------------------------------------------------------------- */

bool
bench_workload_open(struct bench_settings *s, FILE *errors)
{
	char error[BENCH_CLIENTS_ERROR];

	if (!bench_clients_check(&s->plan.clients, error)) {
		(void)fprintf(errors, "dns64bench: --clients-from: %s\n", error);
		return false;
	}
	return open_zipf(s, errors);
}

void
bench_workload_close(struct bench_settings *s)
{
	bench_zipf_free((struct bench_zipf *)(uintptr_t)s->plan.load.zipf);
	s->plan.load.zipf = NULL;
}
