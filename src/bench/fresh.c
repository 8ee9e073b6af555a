/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/fresh.h"

#include <string.h>

#include "base/clock.h"

#define NAMES 8 /* that are asked for: those before the first of the run */

/* The median of the times of valid answers for the names, of KIND, from SERVER; 0: not all came. */
static uint64_t
median(const struct bench_job *job, const struct netaddr *server, enum bench_kind kind)
{
	struct bench_plan plan = job->settings->plan;
	struct bench_load *l = &plan.load;
	uint64_t names = l->hits && l->size > l->hot ? l->size - l->hot : l->size;

	plan.server = *server;
	plan.n_threads = plan.n_lanes = plan.window = 1;
	plan.rate = 0;
	plan.raw = NULL;
	plan.n_questions = NAMES;
	plan.duration_ns = NAMES * plan.timeout_ns + NS_PER_SEC;
	l->first = (l->first % names + names - NAMES % names) % names;
	memset(l->mix, (int)kind, sizeof(l->mix));
	if (!bench_method_trial(job, &plan, 0, NAMES) || job->tally->replies[BENCH_VALID] < NAMES)
		return 0;
	return bench_histogram_percentile(&job->tally->rtt, 50);
}

bool
bench_fresh_is_known(uint64_t new_ns, uint64_t again_ns, uint64_t upstream_ns)
{
	if (new_ns == 0 || again_ns == 0 || upstream_ns == 0)
		return false;
	return again_ns < upstream_ns + upstream_ns / 2 && new_ns < again_ns + upstream_ns / 2;
}

void
bench_fresh_check(const struct bench_job *job)
{
	const struct bench_settings *s = job->settings;

	if (s->upstream.family == NETADDR_NONE || s->method == BENCH_ENUM)
		return;
	uint64_t new_ns = median(job, &s->plan.server, BENCH_NEW);
	uint64_t again_ns = new_ns > 0 ? median(job, &s->plan.server, BENCH_NEW) : 0;
	uint64_t upstream_ns = again_ns > 0 ? median(job, &s->upstream, BENCH_ADDRESS) : 0;
	if (bench_fresh_is_known(new_ns, again_ns, upstream_ns))
		bench_run_find(job->run, "warning",
		    json_string("the server has answers for the first names already: another "
				"--first, or a restart, measures it without them"),
		    "");
}
