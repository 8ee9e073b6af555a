/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/course.h"

#include <time.h>

#include "base/clock.h"

#define LOOK_NS (20 * NS_PER_MS) /* between two checks whether to stop */

/* Sleep until THEN_NS, but not long. */
static void
doze(uint64_t now_ns, uint64_t then_ns)
{
	uint64_t ns = then_ns - now_ns < LOOK_NS ? then_ns - now_ns : LOOK_NS;
	struct timespec pause = { .tv_nsec = (long)ns };

	(void)nanosleep(&pause, NULL);
}

/* The wall clock is read each time, as it may be corrected meanwhile. */
bool
bench_course_await(const struct bench_job *job, uint64_t early_ns, uint64_t *start_ns)
{
	uint64_t at_ns = job->settings->start_at_ns, wall_ns = clock_wall_ns(), now_ns;

	*start_ns = 0;
	if (at_ns == 0)
		return !*job->stop;
	if (at_ns <= wall_ns) {
		bench_run_fail(job->run,
		    "--start-at was %.3f s before the run was ready: the server was asked first",
		    (double)(wall_ns - at_ns) / (double)NS_PER_SEC);
		return false;
	}
	do {
		now_ns = clock_now_ns();
		wall_ns = clock_wall_ns();
		*start_ns = at_ns > wall_ns ? now_ns + (at_ns - wall_ns) : now_ns;
		if (now_ns + early_ns < *start_ns)
			doze(now_ns, *start_ns - early_ns);
	} while (!*job->stop && now_ns + early_ns < *start_ns);
	return !*job->stop;
}

/* A trial ends itself. The last look is left out, as the end of its row is that of the trial. */
static void
follow(const struct bench_job *job, struct bench_trial *t, const struct bench_course *c)
{
	uint64_t now_ns = clock_now_ns();
	uint64_t start_ns = c->start_ns > now_ns ? c->start_ns : now_ns;
	uint64_t end_ns = start_ns + c->length_ns;

	for (uint64_t then_ns = start_ns + c->interval_ns; then_ns < end_ns;
	     then_ns += c->interval_ns) {
		while ((now_ns = clock_now_ns()) < then_ns) {
			if (*job->stop || bench_trial_ended(t))
				return;
			doze(now_ns, then_ns);
		}
		c->look(c->ctx, now_ns);
	}
}

int
bench_course_run(const struct bench_job *job, struct bench_trial *t, const struct bench_course *c,
    struct bench_tally *rest)
{
	bench_trial_set_start(t, c->start_ns);
	int err = bench_trial_start(t, c->first, c->n, job->stop);

	if (err == 0)
		follow(job, t, c);
	bench_trial_join(t, rest);
	return err;
}
