/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Questions at a rate, whatever becomes of the answers: bench_rate, bench_soak, and bench_ramp,
 * whose rate grows.
 */

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "bench/course.h"
#include "bench/load/trial.h"
#include "bench/method.h"
#include "bench/progress.h"
#include "bench/server.h"
#include "bench/stats.h"
#include "bench/watch.h"

#define US 1000.0 /* ns */
#define MIB 1048576.0
#define HOUR 3600.0       /* s */
#define LOST_PERCENT 0.01 /* of a soak's questions may have no reply in time: UDP loses some */

/* --- Row after row ---------------------------------------------------------------------------- */

/*
 * It is one trial, whose workers never pause: at each row they turn to a fresh tally and leave the
 * other one to us. So there is no gap in the sending, and no question is lost between two rows.
 */

struct open;

/* What differs between the methods. */
struct kind {
	const char *name, *title; /* of the table */
	const struct bench_column *columns;
	size_t n_columns;
	size_t most; /* rows; the last has the rest */
	bool detail; /* the text leaves the rows out; else they are printed as they come */
	/*
	 * A row: what has become of questions, T, in the SPAN seconds up to ELAPSED; it may set the
	 * row's point.
	 */
	json_t *(*row)(struct open *o, const struct bench_tally *t, double elapsed, double span);
	/* Findings and verdict; WHOLE is the job with the tally of all. */
	void (*conclude)(const struct open *o, const struct bench_job *whole);
};

struct open {
	const struct bench_job *job;
	const struct kind *kind;
	struct bench_plan plan;
	struct bench_table *table;
	struct bench_trial *trial; /* owned */
	struct bench_tally *total; /* owned: of the whole run */
	struct bench_point
	    *points; /* owned, of each row: soak: MiB by hours; ramp: answers by due */
	size_t n_rows, cap;
	uint64_t start_ns;
	uint64_t row_ns; /* the last row, or the start */
	double due;  /* ramp: questions due up to then, but those whose answers are on the way */
	double best; /* ramp: the most answers per second of a row */
	double length_s; /* how long is asked */
	struct bench_watch watch;
	struct bench_progress progress;
};

static double
seconds(uint64_t ns)
{
	return (double)ns / (double)NS_PER_SEC;
}

static bool
is_ramp(const struct open *o)
{
	return o->job->settings->method == BENCH_RAMP;
}

static void
say(struct open *o)
{
	double passed = seconds(clock_now_ns() - o->start_ns);

	bench_progress_begin(&o->progress, o->length_s > passed ? o->length_s - passed : 0,
	    "%s%" PRIu32 "/s, row %zu", is_ramp(o) ? "up to " : "",
	    is_ramp(o) ? o->job->settings->high : o->plan.rate, o->n_rows + 1);
}

/* Add a row of what has happened from the last one to NOW_NS, which is in job->tally. */
static void
add_row(struct open *o, uint64_t now_ns)
{
	const struct bench_tally *t = o->job->tally;

	/* Without the time that the threads took to start. */
	o->start_ns = o->total->sent > 0 ? o->total->first_ns : o->start_ns;
	o->row_ns = o->row_ns < o->start_ns ? o->start_ns : o->row_ns;
	double elapsed = seconds(now_ns > o->start_ns ? now_ns - o->start_ns : 0);
	double span = now_ns > o->row_ns ? seconds(now_ns - o->row_ns) : 0;
	bench_watch_step(&o->watch, now_ns);
	json_t *row = o->kind->row(o, t, elapsed, span);
	bench_watch_row(&o->watch, row, t->replies[BENCH_VALID], false);
	bench_table_add(o->table, row);
	o->n_rows++;
	o->row_ns = now_ns;
}

static void
take_row(void *ctx, uint64_t now_ns)
{
	struct open *o = ctx;

	if (o->n_rows + 1 >= o->cap)
		return; /* the last row has the rest */
	bench_trial_take(o->trial, o->job->tally);
	bench_tally_merge(o->total, o->job->tally);
	bench_progress_end(&o->progress);
	add_row(o, now_ns);
	bench_watch_sample(&o->watch);
	say(o);
}

/*
 * Open the lanes when the time of --start-at has nearly come: a server closes connections that have
 * asked nothing for long. False: that was not possible, and the run says why, or it was stopped.
 */
static bool
open_trial(struct open *o, uint64_t *start_ns)
{
	if (!bench_course_await(o->job, BENCH_COURSE_OPEN_NS, start_ns))
		return false;
	int err = bench_trial_new(&o->plan, &o->trial);
	if (err != 0)
		bench_run_fail(o->job->run, "the load could not be started: %s", strerror(-err));
	return err == 0 && bench_course_await(o->job, BENCH_COURSE_EARLY_NS, start_ns);
}

/* The same, when there is memory for it. */
static bool
ask(struct open *o, uint64_t n, double interval)
{
	const struct bench_job *job = o->job;
	struct bench_course c = { .n = n,
		.length_ns = (uint64_t)(o->length_s * (double)NS_PER_SEC),
		.interval_ns = (uint64_t)(interval * (double)NS_PER_SEC),
		.look = take_row,
		.ctx = o };

	if (!open_trial(o, &c.start_ns))
		return false;
	bench_watch_begin(&o->watch, job);
	o->start_ns = o->row_ns = clock_now_ns();
	bench_progress_init(&o->progress, stderr, 0);
	say(o);
	int err = bench_course_run(job, o->trial, &c, job->tally);
	bench_progress_end(&o->progress);
	if (err != 0) {
		bench_run_fail(job->run, "the load could not be started: %s", strerror(-err));
		return false;
	}
	bench_tally_merge(o->total, job->tally);
	/* Of the second in which a ramp is cut short not all answers came. */
	if (is_ramp(o) && *job->stop)
		return true;
	/* A ramp's last second has the answers that came behind it. */
	uint64_t end_ns = is_ramp(o) ? o->start_ns + (uint64_t)(o->length_s * (double)NS_PER_SEC)
				     : bench_watch_end(o->total);
	add_row(o, end_ns > o->row_ns ? end_ns : clock_now_ns());
	return true;
}

/* The same, with the raw file. */
static bool
ask_raw(struct open *o, uint64_t n, double interval)
{
	const char *path = o->job->settings->raw;
	int err = path != NULL ? bench_raw_open(path, &o->plan.raw) : 0;
	bool good = err == 0 && ask(o, n, interval);

	if (o->plan.raw != NULL)
		err = bench_raw_close(o->plan.raw);
	if (err != 0)
		bench_run_fail(o->job->run, "%s: %s", path, strerror(-err));
	return good;
}

/* Ask N questions in LENGTH_S seconds as KIND does, with a row each INTERVAL seconds. */
static void
run(const struct bench_job *job, const struct kind *kind, uint64_t n, double length_s,
    double interval)
{
	struct open o = {
		.job = job, .kind = kind, .plan = job->settings->plan, .length_s = length_s
	};
	struct bench_job whole = *job;
	double rows = length_s / interval + 2;

	if (!bench_server_begin(job, n))
		return;
	o.table =
	    bench_watch_table(job, kind->name, kind->title, kind->columns, kind->n_columns, false);
	if (kind->detail)
		bench_table_detail(o.table);
	else
		bench_table_live(o.table, job->out);
	o.cap = rows < (double)kind->most ? (size_t)rows : kind->most;
	o.total = whole.tally = malloc(sizeof(*o.total));
	o.points = calloc(o.cap, sizeof(*o.points));
	if (o.total != NULL)
		bench_tally_clear(o.total);
	if (o.total == NULL || o.points == NULL)
		bench_run_fail(job->run, "no memory for so many rows");
	else if (ask_raw(&o, n, interval))
		kind->conclude(&o, &whole);
	bench_trial_free(o.trial);
	free(o.total);
	free(o.points);
}

#define N_OF(columns) (sizeof(columns) / sizeof((columns)[0]))

/* --- A fixed rate ----------------------------------------------------------------------------- */

/* As dns64perf++ asks them. */

static const struct bench_column second_columns[] = {
	{ "elapsed", "elapsed", "s", 1 },
	{ "asked", "asked", "", 0 },
	{ "valid", "valid", "", 0 },
	{ "wrong", "wrong", "", 0 },
	{ "overdue", "overdue", "", 0 }, /* no answer within the timeout */
	{ "rtt_p50", "p50", "us", 1 },
	{ "rtt_p99", "p99", "us", 1 },
	{ "rtt_max", "max", "us", 1 },
};

static json_t *
second_row(struct open *o, const struct bench_tally *t, double elapsed, double span)
{
	(void)o;
	(void)span;
	return json_pack("[f,I,I,I,I,o,o,o]", elapsed, (json_int_t)t->sent,
	    (json_int_t)t->replies[BENCH_VALID], (json_int_t)bench_tally_wrong(t),
	    (json_int_t)t->overdue, bench_method_percentile(t, 50), bench_method_percentile(t, 99),
	    bench_run_real(t->rtt.n > 0, (double)t->rtt.max_ns / US));
}

static void
put_pace(const struct bench_job *job)
{
	const struct bench_tally *t = job->tally;
	uint32_t rate = job->settings->plan.rate;

	bench_run_find(job->run, "sending time", json_real(seconds(bench_tally_send_ns(t))), "s");
	bench_run_find(job->run, "timing error", json_real(bench_method_pace_error(t, rate)), "%");
	if (bench_stats_carries(t->lag.n, 99.9))
		bench_run_find(job->run, "lag p99.9",
		    json_real((double)bench_histogram_percentile(&t->lag, 99.9) / US), "us");
	bench_run_find(job->run, "lag max", json_real((double)t->lag.max_ns / US), "us");
	bench_method_pauses(job);
}

static void
conclude_rate(const struct open *o, const struct bench_job *whole)
{
	bench_method_tally(whole);
	put_pace(whole);
	bench_watch_find(&o->watch, whole->tally->replies[BENCH_VALID], true);
	bench_method_rtt(whole);
	if (!*whole->stop)
		bench_method_judge(whole, o->plan.rate);
}

void
bench_rate(const struct bench_job *job)
{
	static const struct kind rate = { "seconds", "Second by second", second_columns,
		N_OF(second_columns), BENCH_SECONDS_ROWS, true, second_row, conclude_rate };
	uint64_t n = job->settings->plan.n_questions;

	run(job, &rate, n, (double)n / job->settings->plan.rate, 1);
}

/* --- For hours -------------------------------------------------------------------------------- */

/* A steady mixed load for hours, and what becomes of the server meanwhile. */

static const struct bench_column soak_columns[] = {
	{ "elapsed", "elapsed", "s", 1 }, { "rate", "answers", "1/s", 0 },
	{ "rtt_p50", "p50", "us", 1 }, { "rtt_p99", "p99", "us", 1 }, { "rtt_max", "max", "us", 1 },
	{ "wrong", "wrong", "", 0 }, { "overdue", "overdue", "", 0 },
	{ "late", "late", "", 0 },           /* of the overdue, answered afterwards */
	{ "taken_out", "taken out", "", 0 }, /* not asked, or not counted: the tester paused */
};

static json_t *
soak_row(struct open *o, const struct bench_tally *t, double elapsed, double span)
{
	o->points[o->n_rows] =
	    (struct bench_point){ elapsed / HOUR, (double)o->watch.used.rss / MIB };
	return json_pack("[f,f,o,o,f,I,I,I,I]", elapsed,
	    span > 0 ? (double)t->replies[BENCH_VALID] / span : 0, bench_method_percentile(t, 50),
	    bench_method_percentile(t, 99), (double)t->rtt.max_ns / US,
	    (json_int_t)bench_tally_wrong(t), (json_int_t)t->overdue, (json_int_t)t->late,
	    (json_int_t)t->paused);
}

/* The trend of the second half: in the first one caches and pools grow. */
static void
find_growth(const struct open *o)
{
	size_t from = o->n_rows / 2;
	double slope;

	if (o->job->dut != NULL && bench_stats_slope(o->points + from, o->n_rows - from, &slope))
		bench_run_find(o->job->run, "RSS growth per hour", json_real(slope), "MiB");
}

static void
judge_soak(const struct bench_job *job)
{
	const struct bench_tally *t = job->tally;
	struct bench_run *r = job->run;
	uint64_t wrong = bench_tally_wrong(t);
	uint32_t rate = job->settings->plan.rate;
	double may = job->settings->plan.transport->stream ? 0 : LOST_PERCENT;

	bench_method_judge_sending(job, rate);
	bench_method_judge_extras(job);
	if (wrong > 0)
		bench_run_fail(r, "%" PRIu64 " of %" PRIu64 " answers were wrong", wrong, t->sent);
	if ((double)t->overdue > (double)t->sent * may / 100 &&
	    !bench_method_judge_crowd(job, rate))
		bench_run_fail(r,
		    "%" PRIu64 " of %" PRIu64 " questions had no answer in time, more than"
		    " %g %%",
		    t->overdue, t->sent, may);
}

static void
conclude_soak(const struct open *o, const struct bench_job *whole)
{
	bench_method_tally(whole);
	bench_method_rtt(whole);
	bench_method_pauses(whole);
	bench_watch_find(&o->watch, whole->tally->replies[BENCH_VALID], false);
	find_growth(o);
	if (!*whole->stop)
		judge_soak(whole);
}

void
bench_soak(const struct bench_job *job)
{
	static const struct kind soak = { "soak", "The load over time", soak_columns,
		N_OF(soak_columns), BENCH_ROWS_MAX + 2, false, soak_row, conclude_soak };
	const struct bench_settings *s = job->settings;

	run(job, &soak, bench_plan_questions(&s->plan, s->duration), s->duration, s->interval);
}

/* --- A rate that grows ------------------------------------------------------------------------ */

/* A first look at a server: where do answers fall behind? */

static const struct bench_column ramp_columns[] = {
	{ "elapsed", "elapsed", "s", 0 },
	{ "asked", "asked", "1/s", 0 },
	{ "valid", "valid", "1/s", 0 },
	{ "rtt_p50", "p50", "us", 1 },
	{ "rtt_p99", "p99", "us", 1 },
	{ "wrong", "wrong", "", 0 },
	{ "overdue", "overdue", "", 0 }, /* no answer within the timeout */
	{ "taken_out", "taken out", "", 0 },
};

static json_t *
ramp_row(struct open *o, const struct bench_tally *t, double elapsed, double span)
{
	struct bench_pace pace = bench_pace_of(&o->plan, o->plan.rate, 0);
	/* Of the questions of the last RTT no answers can be there, until the end. */
	double rtt = elapsed < o->length_s ? bench_tally_rtt_us(t, 50) / 1e6 : 0;
	double until = elapsed > rtt ? elapsed - rtt : 0;
	uint64_t asked = bench_pace_due(&pace, (uint64_t)(until * (double)NS_PER_SEC));
	double due = (double)(asked < o->plan.n_questions ? asked : o->plan.n_questions);
	double valid = (double)t->replies[BENCH_VALID];

	span = span > 0 ? span : 0.001;
	o->points[o->n_rows] = (struct bench_point){ due - o->due - (double)t->paused, valid };
	o->due = due;
	o->best = fmax(o->best, valid / span);
	return json_pack("[I,f,f,o,o,I,I,I]", (json_int_t)o->n_rows + 1, (double)t->sent / span,
	    valid / span, bench_method_percentile(t, 50), bench_method_percentile(t, 99),
	    (json_int_t)bench_tally_wrong(t), (json_int_t)t->overdue, (json_int_t)t->paused);
}

static bool
is_behind(const struct bench_point *p)
{
	return p->y < p->x * BENCH_RAMP_BEHIND / 100;
}

size_t
bench_ramp_behind(const struct bench_point *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (is_behind(&p[i]) && (i + 1 == n || is_behind(&p[i + 1])))
			return i;
	}
	return n;
}

/* Where answers fall behind, and how many there were at best. */
static void
find_behind(const struct open *o)
{
	size_t at = bench_ramp_behind(o->points, o->n_rows);
	struct bench_run *r = o->job->run;

	bench_run_find(r, "most answers", json_real(o->best), "1/s");
	if (at < o->n_rows) {
		bench_run_find(r, "answers fall behind", json_real(o->points[at].x), "1/s");
		bench_run_find(r, "behind after", json_integer((json_int_t)at + 1), "s");
	} else if (!*o->job->stop) {
		bench_run_find(r, "answers fall behind", json_string("above the highest rate"), "");
	} else if (at > 0) {
		bench_run_find(r, "answers fall behind",
		    json_sprintf("not up to %.0f/s", o->points[at - 1].x), "");
	}
}

/* It is a look, not a measurement: that answers are missing is no failure, that all are is one. */
static void
conclude_ramp(const struct open *o, const struct bench_job *whole)
{
	const struct bench_tally *t = whole->tally;

	find_behind(o);
	bench_method_counts(whole); /* one rate, or one RTT, of all would say nothing */
	bench_method_pauses(whole);
	bench_watch_find(&o->watch, t->replies[BENCH_VALID], false);
	if (*whole->stop)
		return;
	bench_method_judge_sending(whole, 0); /* its pace is not that of one rate */
	if (t->sent > 0 && t->replies[BENCH_VALID] == 0)
		bench_run_fail(whole->run, "no question got a valid answer in time");
	bench_method_hint(whole);
	bench_method_judge_extras(whole);
}

void
bench_ramp(const struct bench_job *job)
{
	static const struct kind ramp = { "ramp", "The load by second", ramp_columns,
		N_OF(ramp_columns), BENCH_SECONDS_ROWS, false, ramp_row, conclude_ramp };

	run(job, &ramp, job->settings->plan.n_questions, job->settings->duration, 1);
}
