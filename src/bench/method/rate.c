/* SPDX-License-Identifier: BSD-2-Clause */
/* bench_rate: questions at a fixed rate, as dns64perf++ asks them. */
#include <string.h>

#include "base/clock.h"
#include "bench/method/method.h"
#include "bench/method/watch.h"

static void
put_settings(const struct bench_job *job)
{
	const struct bench_plan *p = &job->settings->plan;

	bench_method_settings(job);
	bench_run_set(job->run, "rate", json_integer(p->rate));
	bench_run_set(job->run, "questions", json_integer((json_int_t)p->n_questions));
	bench_run_set(job->run, "burst", json_integer(p->burst));
	bench_run_set(job->run, "sources", json_integer((json_int_t)p->n_lanes * p->n_threads));
}

static void
put_pace(const struct bench_job *job)
{
	const struct bench_tally *t = job->tally;
	uint32_t rate = job->settings->plan.rate;
	double seconds = (double)bench_tally_send_ns(t) / (double)NS_PER_SEC;

	bench_run_find(job->run, "sending time", json_real(seconds), "s");
	bench_run_find(job->run, "timing error", json_real(bench_method_pace_error(t, rate)), "%");
	bench_run_find(job->run, "lag p99.9",
	    json_real((double)bench_histogram_percentile(&t->lag, 99.9) / 1000), "us");
	bench_run_find(job->run, "lag max", json_real((double)t->lag.max_ns / 1000), "us");
}

void
bench_rate(const struct bench_job *job)
{
	const struct bench_settings *s = job->settings;
	struct bench_plan plan = s->plan;
	struct bench_usage begin, used;
	int err = 0;

	put_settings(job);
	if (!bench_method_ready(job, BENCH_READY_WAIT))
		return;
	if (s->raw != NULL)
		err = bench_raw_open(s->raw, &plan.raw);
	bench_watch_begin(job, &begin);
	if (err == 0 && bench_method_trial(job, &plan, 0, plan.n_questions)) {
		bench_watch_since(job, &begin, &used);
		bench_method_tally(job);
		put_pace(job);
		bench_watch_find(job, &used, job->tally->replies[BENCH_VALID]);
		bench_method_rtt(job);
		bench_watch_threads(job, &used, job->tally->replies[BENCH_VALID]);
		if (!*job->stop)
			bench_method_judge(job, plan.rate);
	}
	if (plan.raw != NULL)
		err = bench_raw_close(plan.raw);
	if (err != 0)
		bench_run_fail(job->run, "%s: %s", s->raw, strerror(-err));
}
