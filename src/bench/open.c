/* SPDX-License-Identifier: BSD-2-Clause */
/* Questions at a fixed rate, whatever becomes of the answers: bench_rate and bench_soak. */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "bench/course.h"
#include "bench/load/trial.h"
#include "bench/method.h"
#include "bench/progress.h"
#include "bench/server.h"
#include "bench/stats.h"
#include "bench/watch.h"

/* --- A fixed rate ----------------------------------------------------------------------------- */

/* As dns64perf++ asks them. */

static void
put_pace(const struct bench_job *job)
{
	const struct bench_tally *t = job->tally;
	uint32_t rate = job->settings->plan.rate;
	double seconds = (double)bench_tally_send_ns(t) / (double)NS_PER_SEC;

	bench_run_find(job->run, "sending time", json_real(seconds), "s");
	bench_run_find(job->run, "timing error", json_real(bench_method_pace_error(t, rate)), "%");
	if (bench_stats_carries(t->lag.n, 99.9))
		bench_run_find(job->run, "lag p99.9",
		    json_real((double)bench_histogram_percentile(&t->lag, 99.9) / 1000), "us");
	bench_run_find(job->run, "lag max", json_real((double)t->lag.max_ns / 1000), "us");
	bench_method_pauses(job);
}

void
bench_rate(const struct bench_job *job)
{
	const struct bench_settings *s = job->settings;
	struct bench_plan plan = s->plan;
	struct bench_usage begin, used;
	struct bench_progress progress;
	uint64_t start_ns;
	int err = 0;

	bench_method_settings(job);
	if (!bench_server_ready(job, BENCH_READY_WAIT))
		return;
	bench_server_try_names(job, plan.n_questions);
	if (!bench_course_await(job, 0, &start_ns))
		return;
	if (s->raw != NULL)
		err = bench_raw_open(s->raw, &plan.raw);
	bench_watch_begin(job, &begin);
	struct bench_sampler *sampler = err == 0 ? bench_watch_sample(job) : NULL;
	bench_progress_init(&progress, stderr, 0);
	bench_progress_begin(&progress, (double)plan.n_questions / plan.rate,
	    "%" PRIu64 " questions at %" PRIu32 "/s", plan.n_questions, plan.rate);
	bool done = err == 0 && bench_method_trial(job, &plan, 0, plan.n_questions);
	bench_progress_end(&progress);
	uint64_t end_ns = done ? bench_watch_end(job->tally) : 0;
	double deviation = bench_watch_sampled(sampler, end_ns);
	if (done) {
		bench_watch_since(job, &begin, &used);
		bench_watch_cut(&used, end_ns);
		bench_method_tally(job);
		put_pace(job);
		bench_watch_find(job, &used, job->tally->replies[BENCH_VALID]);
		if (deviation >= 0)
			bench_run_find(job->run, "server CPU deviation", json_real(deviation), "%");
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

/* --- For hours -------------------------------------------------------------------------------- */

/*
 * A steady mixed load for hours, and what becomes of the server meanwhile.
 *
 * It is one trial, whose workers never pause: at each row they turn to a fresh tally and leave the
 * other one to us. So there is no gap in the sending, and no question is lost between two rows.
 */

#define LOOK_NS (20 * NS_PER_MS) /* between two checks whether to stop */
#define US 1000.0                /* ns */
#define MIB 1048576.0
#define HOUR 3600.0 /* s */
#define LOST_PERCENT \
	0.01 /* this share of the questions may have no reply in time: UDP loses some */

static const struct bench_column columns[] = {
	{ "elapsed", "elapsed", "s", 1 }, { "rate", "answers", "1/s", 0 },
	{ "rtt_p50", "p50", "us", 1 }, { "rtt_p99", "p99", "us", 1 }, { "rtt_max", "max", "us", 1 },
	{ "wrong", "wrong", "", 0 },
	{ "overdue", "overdue", "", 0 },     /* no answer within the timeout */
	{ "late", "late", "", 0 },           /* of those, answered afterwards */
	{ "taken_out", "taken out", "", 0 }, /* not asked, or not counted: the tester paused */
};

struct soak {
	const struct bench_job *job;
	struct bench_trial *trial; /* owned */
	struct bench_table *table;
	struct bench_tally *total;       /* owned: of the whole run */
	struct bench_point *rss;         /* owned: MiB by hours, */
	struct bench_point *descriptors; /* owned: open descriptors by hours */
	size_t n_points, cap;
	uint64_t start_ns;
	uint64_t row_ns;          /* the last row, or the start */
	struct bench_usage begin; /* what the server had used at the start */
	struct bench_usage used;  /* what it has used since then, at the last row */
	struct bench_progress progress;
};

static double
seconds(uint64_t ns)
{
	return (double)ns / (double)NS_PER_SEC;
}

static void
add_point(struct soak *s, double hours, const struct bench_usage *u)
{
	if (s->n_points == s->cap)
		return;
	s->rss[s->n_points] = (struct bench_point){ hours, (double)u->rss / MIB };
	s->descriptors[s->n_points] = (struct bench_point){ hours, u->descriptors };
	s->n_points++;
}

/* Add a row of what has happened from the last one to NOW_NS, which is in job->tally. */
static void
add_row(struct soak *s, uint64_t now_ns)
{
	const struct bench_tally *t = s->job->tally;
	uint64_t valid = t->replies[BENCH_VALID];
	struct bench_usage in_row;

	if (s->total->sent == 0 && t->sent > 0) {
		s->row_ns = t->first_ns; /* without the time that the threads took to start */
		/* The first look at the server may have taken longer than that. */
		if (t->first_ns < s->start_ns)
			s->start_ns = t->first_ns;
	}
	double elapsed = seconds(now_ns - s->start_ns);
	double span = now_ns > s->row_ns ? seconds(now_ns - s->row_ns) : 0;
	bench_watch_step(s->job, &s->begin, &s->used, &in_row);
	bench_watch_cut(&s->used, now_ns);
	bench_watch_cut(&in_row, now_ns);
	json_t *row = json_pack("[f,f,o,o,f,I,I,I,I]", elapsed, span > 0 ? (double)valid / span : 0,
	    bench_method_percentile(t, 50), bench_method_percentile(t, 99),
	    (double)t->rtt.max_ns / US, (json_int_t)bench_tally_wrong(t), (json_int_t)t->overdue,
	    (json_int_t)t->late, (json_int_t)t->paused);
	bench_watch_row(s->job, row, &in_row, valid);
	bench_table_add(s->table, row);
	bench_tally_merge(s->total, t);
	add_point(s, elapsed / HOUR, &s->used);
	s->row_ns = now_ns;
}

/* Wait for the end of a row. False: it is the last one. */
static bool
wait_until(const struct soak *s, uint64_t then_ns)
{
	uint64_t now_ns;

	while (!*s->job->stop && (now_ns = clock_now_ns()) < then_ns) {
		uint64_t ns = then_ns - now_ns < LOOK_NS ? then_ns - now_ns : LOOK_NS;
		struct timespec pause = { .tv_nsec = (long)ns };

		(void)nanosleep(&pause, NULL);
	}
	return !*s->job->stop;
}

static void
say(struct soak *s, uint64_t end_ns)
{
	uint64_t now_ns = clock_now_ns();

	bench_progress_begin(&s->progress, now_ns < end_ns ? seconds(end_ns - now_ns) : 0,
	    "%zu rows at %" PRIu32 "/s", s->n_points, s->job->settings->plan.rate);
}

static void
run(struct soak *s)
{
	const struct bench_settings *settings = s->job->settings;
	uint64_t interval_ns = (uint64_t)(settings->interval * (double)NS_PER_SEC);
	uint64_t end_ns = s->start_ns + (uint64_t)(settings->duration * (double)NS_PER_SEC);

	bench_progress_init(&s->progress, stderr, 0);
	say(s, end_ns);
	for (uint64_t then_ns = s->start_ns + interval_ns; then_ns < end_ns;
	     then_ns += interval_ns) {
		if (!wait_until(s, then_ns))
			break;
		bench_trial_take(s->trial, s->job->tally);
		bench_progress_end(&s->progress);
		add_row(s, clock_now_ns());
		say(s, end_ns);
	}
	bench_trial_join(s->trial, s->job->tally);
	bench_progress_end(&s->progress);
	uint64_t last_ns = bench_watch_end(s->job->tally);
	add_row(s, last_ns > s->row_ns ? last_ns : clock_now_ns());
}

/* The trend of the second half: in the first one caches and pools grow. */
static void
find_growth(
    const struct soak *s, const char *name, const struct bench_point *points, const char *unit)
{
	size_t from = s->n_points / 2;
	double slope;

	if (bench_stats_slope(points + from, s->n_points - from, &slope))
		bench_run_find(s->job->run, name, json_real(slope), unit);
}

static void
judge(const struct bench_job *job)
{
	const struct bench_tally *t = job->tally;
	struct bench_run *r = job->run;
	uint64_t wrong = bench_tally_wrong(t);
	double may = job->settings->plan.transport->carrier == NULL ? LOST_PERCENT : 0;

	bench_method_judge_sending(job, job->settings->plan.rate);
	bench_method_judge_extras(job);
	if (wrong > 0)
		bench_run_fail(r, "%" PRIu64 " of %" PRIu64 " answers were wrong", wrong, t->sent);
	if ((double)t->overdue > (double)t->sent * may / 100)
		bench_run_fail(r,
		    "%" PRIu64 " of %" PRIu64 " questions had no answer in time, more than"
		    " %g %%",
		    t->overdue, t->sent, may);
}

static void
conclude(const struct soak *s)
{
	struct bench_job whole = *s->job;

	whole.tally = s->total;
	bench_method_tally(&whole);
	bench_method_rtt(&whole);
	bench_method_pauses(&whole);
	bench_watch_find(s->job, &s->used, s->total->replies[BENCH_VALID]);
	if (s->job->dut != NULL) {
		find_growth(s, "RSS growth per hour", s->rss, "MiB");
		if (s->used.uncounted == 0)
			find_growth(s, "descriptor growth per hour", s->descriptors, "");
	}
	bench_watch_threads(s->job, &s->used, s->total->replies[BENCH_VALID]);
	if (!*s->job->stop)
		judge(&whole);
}

/* Let N questions be asked. False: that could not begin, and the run says why. */
static bool
start(struct soak *s, uint64_t n)
{
	const struct bench_job *job = s->job;
	uint64_t start_ns;

	if (!bench_course_await(job, BENCH_COURSE_EARLY_NS, &start_ns))
		return false;
	int err = bench_trial_new(&job->settings->plan, &s->trial);

	if (err == 0)
		bench_trial_set_start(s->trial, start_ns);
	if (err == 0 && (err = bench_trial_start(s->trial, 0, n, job->stop)) != 0)
		bench_trial_join(s->trial, job->tally);
	if (err != 0)
		bench_run_fail(job->run, "the load could not be started: %s", strerror(-err));
	return err == 0;
}

static void
measure(struct soak *s)
{
	const struct bench_job *job = s->job;
	uint64_t n = bench_plan_questions(&job->settings->plan, job->settings->duration);

	bench_tally_clear(s->total);
	if (start(s, n)) {
		bench_watch_begin(job, &s->begin);
		s->start_ns = s->row_ns = clock_now_ns();
		run(s);
		conclude(s);
	}
	bench_trial_free(s->trial);
}

void
bench_soak(const struct bench_job *job)
{
	struct soak s = { .job = job };

	bench_method_settings(job);
	if (!bench_server_ready(job, BENCH_READY_WAIT) || *job->stop)
		return;
	bench_server_try_names(
	    job, bench_plan_questions(&job->settings->plan, job->settings->duration));
	s.cap = (size_t)(job->settings->duration / job->settings->interval) + 2;
	s.total = malloc(sizeof(*s.total));
	s.rss = calloc(s.cap, sizeof(*s.rss));
	s.descriptors = calloc(s.cap, sizeof(*s.descriptors));
	if (s.total != NULL && s.rss != NULL && s.descriptors != NULL) {
		s.table = bench_watch_table(job, "soak", "The load over time", columns,
		    sizeof(columns) / sizeof(columns[0]));
		bench_table_live(s.table, job->out);
		measure(&s);
	} else {
		bench_run_fail(job->run, "no memory for so many rows");
	}
	free(s.total);
	free(s.rss);
	free(s.descriptors);
}
