/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench_enum: telephone numbers (RFC 6116) by more and more clients, as enumperf asks for them
 * (C. Shen and H. Schulzrinne, "Evaluation and Comparison of BIND, PDNS and Navitas as ENUM
 * Server", section 3.3): drawn from a range, a share of them from one where none exists, each
 * client with one question open.
 */
#include <inttypes.h>
#include <stdio.h>

#include "bench/method/method.h"
#include "bench/method/steps.h"

static json_t *
range_json(const struct bench_range *r)
{
	char text[2 * BENCH_DIGITS_MAX + 2 + 32];

	(void)snprintf(text, sizeof(text), "%0*" PRIu64 "-%0*" PRIu64, (int)r->digits, r->first,
	    (int)r->digits, r->last);
	return json_string(text);
}

void
bench_enum(const struct bench_job *job)
{
	const struct bench_settings *s = job->settings;
	const struct bench_plan *p = &s->plan;

	bench_method_settings(job);
	bench_run_set(job->run, "numbers", range_json(&p->load.numbers));
	bench_run_set(job->run, "missing_percent", json_integer(s->missing_percent));
	if (s->missing_percent > 0)
		bench_run_set(job->run, "missing_numbers", range_json(&p->load.missing));
	bench_run_set(job->run, "duration_s", json_real(s->duration));
	bench_run_set(job->run, "window", json_integer(p->window > 0 ? p->window : 1));
	if (bench_method_ready(job, BENCH_READY_WAIT) && !*job->stop)
		bench_steps(job, UINT64_MAX);
}
