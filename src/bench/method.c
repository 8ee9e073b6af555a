/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/method.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "bench/load/trial.h"
#include "dns/mnemonic.h"

#define US 1000.0 /* ns */
#define N_OF(a) (sizeof(a) / sizeof((a)[0]))
#define N_CONNECTIONS 3 /* counts that only connections have, the last ones */

static bool
has_connections(const struct bench_plan *p)
{
	return p->transport != NULL && p->transport->stream;
}

bool
bench_method_trial(
    const struct bench_job *job, const struct bench_plan *plan, uint64_t first, uint64_t n)
{
	struct bench_trial *trial;
	int err = bench_trial_new(plan, &trial);

	if (err == 0) {
		err = bench_trial_run(trial, first, n, job->stop, job->tally);
		bench_trial_free(trial);
	}
	if (err != 0)
		bench_run_fail(job->run, "the trial could not be started: %s", strerror(-err));
	return err == 0;
}

void
bench_method_settings(const struct bench_job *job)
{
	json_t *all = bench_settings_json(job->settings), *value;
	const char *key;

	json_object_foreach(all, key, value)
	{
		bench_run_set(job->run, key, json_incref(value));
	}
	json_decref(all);
}

static void
find_count(const struct bench_job *job, const char *name, uint64_t n)
{
	bench_run_find(job->run, name, json_integer((json_int_t)n), "");
}

static void
find_us(const struct bench_job *job, const char *name, double ns)
{
	bench_run_find(job->run, name, json_real(ns / US), "us");
}

/* A count, for a finding or a reason to fail. */
struct count {
	uint64_t n;
	const char *text;
};

uint64_t
bench_method_lost(const struct bench_job *job)
{
	const struct bench_tally *t = job->tally;

	return *job->stop ? t->overdue - t->late : bench_tally_lost(t);
}

/* Which rcodes the wrong ones were, by name. */
static void
find_rcodes(const struct bench_job *job)
{
	char name[MNEMONIC_TEXT], text[MNEMONIC_TEXT + 8];

	for (uint16_t i = 0; i < BENCH_RCODES; i++) {
		if (job->tally->rcodes[i] == 0)
			continue;
		(void)snprintf(text, sizeof(text), "rcode %s", mnemonic_rcode(i, name));
		find_count(job, text, job->tally->rcodes[i]);
	}
}

static void
find_counts(const struct bench_job *job, const struct count *counts, size_t n)
{
	for (size_t i = 0; i < n; i++)
		find_count(job, counts[i].text, counts[i].n);
}

void
bench_method_counts(const struct bench_job *job)
{
	const struct bench_tally *t = job->tally;
	const struct bench_faults *f = &t->faults;
	uint64_t lost = bench_method_lost(job), unfinished = bench_tally_lost(t) - lost;
	const struct count replies[] = { { t->late, "late" }, { lost, "lost" },
		{ unfinished, "unfinished" } };
	const struct count others[] = { { t->duplicate, "duplicate" },
		{ t->other, "other question" }, { t->stray, "stray" },
		{ t->malformed, "malformed" }, { t->no_reply, "no reply" }, { f->unsent, "unsent" },
		{ f->refused, "refused" }, { f->elsewhere, "from elsewhere" },
		{ t->paused, "taken out" }, { f->closed, "closed" }, { f->dropped, "dropped here" },
		{ f->connections, "connections" }, { f->stalled, "stalled" },
		{ f->no_port, "without a port" } };
	size_t n = N_OF(others) - (has_connections(&job->settings->plan) ? 0 : N_CONNECTIONS);

	find_count(job, "sent", t->sent);
	find_count(job, "received", bench_tally_received(t));
	for (unsigned i = 0; i < BENCH_VERDICTS; i++)
		find_count(job, bench_verdict_name((enum bench_verdict)i), t->replies[i]);
	find_rcodes(job);
	find_counts(job, replies, N_OF(replies) - (unfinished > 0 ? 0 : 1));
	find_counts(job, others, n);
}

void
bench_method_tally(const struct bench_job *job)
{
	const struct bench_tally *t = job->tally;

	bench_method_counts(job);
	if (bench_tally_rate(t) > 0)
		bench_run_find(job->run, "valid per second", json_real(bench_tally_rate(t)), "1/s");
	if (t->rtt.n == 0)
		return;
	find_us(job, "rtt mean", bench_histogram_mean(&t->rtt));
	find_us(job, "rtt deviation", bench_histogram_deviation(&t->rtt));
	find_us(job, "rtt median", (double)bench_histogram_percentile(&t->rtt, 50));
	if (bench_stats_carries(t->rtt.n, 99))
		find_us(job, "rtt p99", (double)bench_histogram_percentile(&t->rtt, 99));
	find_us(job, "rtt max", (double)t->rtt.max_ns);
}

void
bench_method_late(const struct bench_job *job, double late_ns)
{
	if (late_ns > (double)job->settings->plan.timeout_ns / BENCH_PACE_LAG_TOLD)
		bench_run_find(job->run, "note",
		    json_sprintf("a question left %.3g ms late, over 1 %% of the timeout",
			late_ns / (double)NS_PER_MS),
		    "");
}

void
bench_method_pauses(const struct bench_job *job)
{
	const struct bench_tally *t = job->tally;

	if (t->pauses > 0)
		bench_run_find(job->run, "pauses of the tester",
		    json_sprintf("%" PRIu64 ", %.3g s in all: %" PRIu64 " questions taken out",
			t->pauses, (double)t->pause_ns / (double)NS_PER_SEC, t->paused),
		    "");
	bench_method_late(job, (double)t->lag.max_ns);
	if (t->gaps.n == 0)
		return;
	find_count(job, "late at once", t->overdue_at_once);
	find_count(job, "largest burst", t->crowd);
}

json_t *
bench_method_percentile(const struct bench_tally *t, double percent)
{
	return bench_run_real(
	    bench_stats_carries(t->rtt.n, percent), bench_tally_rtt_us(t, percent));
}

void
bench_method_histogram(const struct bench_job *job)
{
	json_t *buckets = json_array();
	struct bench_bucket b;

	for (unsigned at = 0; bench_histogram_next(&job->tally->rtt, &at, &b);)
		(void)json_array_append_new(buckets,
		    json_pack(
			"[I,I,I]", (json_int_t)b.low_ns, (json_int_t)b.high_ns, (json_int_t)b.n));
	bench_run_histogram(job->run, "rtt", "ns", buckets);
}

/* A table of the percentiles of H, in us; none if it is empty. */
static void
add_distribution(const struct bench_job *job, const struct bench_histogram *h, const char *name,
    const char *title, const struct bench_column columns[static 2])
{
	static const double percents[] = { 0, 1, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99,
		99.9, 99.99, 99.999, 100 };
	struct bench_table *table =
	    h->n > 0 ? bench_run_table(job->run, name, title, columns, 2) : NULL;

	for (size_t i = 0; i < N_OF(percents); i++) {
		if (bench_stats_carries(h->n, percents[i]))
			bench_table_add(table,
			    json_pack("[f,f]", percents[i],
				(double)bench_histogram_percentile(h, percents[i]) / US));
	}
}

void
bench_method_rtt(const struct bench_job *job)
{
	static const struct bench_column rtt[] = { { "percentile", "percentile", "%", 3 },
		{ "rtt", "RTT", "us", 1 } };
	/* Without a unit, as it is not drawn: it is of the tester. */
	static const struct bench_column gaps[] = { { "percentile", "percentile (%)", "", 3 },
		{ "gap", "gap (us)", "", 1 } };

	if (job->tally->rtt.n > 0)
		bench_method_histogram(job);
	add_distribution(job, &job->tally->rtt, "rtt", "RTT of valid answers", rtt);
	add_distribution(job, &job->tally->gaps, "gaps",
	    "Gaps between two questions of a thread; 0 within a batch", gaps);
}

double
bench_method_pace_error(const struct bench_tally *t, uint32_t rate)
{
	struct bench_pace pace = { .rate = rate,
		.burst = t->burst > 0 ? t->burst : 1,
		.timing = t->timing,
		.arrivals = t->arrivals };
	uint64_t n = t->sent + t->paused; /* those taken out had their time, too */
	/* The questions of the last burst are all due with its first. */
	double nominal = n > 0 ? (double)bench_pace_time(&pace, n - 1) : 0;

	return nominal > 0 ? ((double)bench_tally_send_ns(t) - nominal) / nominal * 100 : 0;
}

bool
bench_method_kept_pace(const struct bench_tally *t, uint32_t rate, uint64_t timeout_ns)
{
	double error = bench_method_pace_error(t, rate);

	return error <= BENCH_PACE_PERCENT && error >= -BENCH_PACE_PERCENT &&
	    t->lag.max_ns <= timeout_ns / BENCH_PACE_LAG;
}

/* --- Whose fault it is ------------------------------------------------------------------------ */

/* Questions without a right answer in time. */
static uint64_t
failed(const struct bench_tally *t)
{
	return t->sent - t->replies[BENCH_VALID];
}

/* The part of the questions that was taken out. */
static double
taken_out(const struct bench_tally *t)
{
	return t->paused > 0 ? (double)t->paused / (double)(t->sent + t->paused) : 0;
}

/* Could the tester's own crowds have lost what is missing? */
static bool
is_crowd(const struct bench_tally *t, uint32_t rate, const struct bench_plan *p)
{
	uint64_t usual = bench_plan_crowd(p, rate), missing = bench_tally_missing(t);
	uint64_t crowd = t->crowd > usual ? t->crowd - usual : 0;

	if (rate == 0 || has_connections(p) || bench_tally_wrong(t) > 0)
		return false;
	return (t->overdue_at_once >= BENCH_BUFFER_HOLDS || crowd >= BENCH_BUFFER_HOLDS) &&
	    missing > 0 && missing - t->missing_behind <= missing / BENCH_CROWD_BESIDES;
}

static bool
is_foreign(const struct bench_tally *t, const struct bench_plan *p)
{
	uint64_t n = bench_tally_foreign(t);

	return !has_connections(p) && bench_tally_wrong(t) == 0 && n > BENCH_FOREIGN_LEAST &&
	    (double)n > BENCH_FOREIGN_PART * (double)t->sent && n > bench_tally_missing(t);
}

unsigned
bench_method_flaws(const struct bench_tally *t, uint32_t rate, const struct bench_plan *p)
{
	bool kept = rate == 0 || bench_method_kept_pace(t, rate, p->timeout_ns);
	/* Questions that waited for answers to earlier ones are the server's doing. */
	bool waited = t->no_room > 0, late = t->lag.max_ns > p->timeout_ns / BENCH_PACE_LAG;
	const struct {
		bool is;
		enum bench_flaw flaw;
	} all[] = {
		{ t->sent == 0, BENCH_FLAW_NOTHING },
		{ t->pauses > 0, BENCH_FLAW_PAUSED },
		{ taken_out(t) > BENCH_TAKEN_OUT, BENCH_FLAW_TAKEN_OUT },
		{ t->faults.dropped > 0, BENCH_FLAW_DROPPED },
		{ t->faults.no_port > 0, BENCH_FLAW_NO_PORT },
		{ !waited && t->faults.unsent > 0, BENCH_FLAW_UNSENT },
		{ late || (!waited && !kept), BENCH_FLAW_PACE },
		{ is_crowd(t, rate, p), BENCH_FLAW_CROWD },
		{ is_foreign(t, p), BENCH_FLAW_FOREIGN },
	};
	unsigned flaws = 0;

	for (size_t i = 0; i < N_OF(all); i++)
		flaws |= all[i].is ? (unsigned)all[i].flaw : 0;
	return flaws;
}

bool
bench_method_good(const struct bench_tally *t, const struct bench_plan *p)
{
	return bench_tally_good(t) && (!has_connections(p) || bench_tally_foreign(t) == 0);
}

/* --- Judging ---------------------------------------------------------------------------------- */

/* A reason to fail for each of the COUNTS that is not 0. */
static void
fail_counts(const struct bench_job *job, const struct count *counts, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (counts[i].n > 0)
			bench_run_fail(job->run, "%" PRIu64 " %s", counts[i].n, counts[i].text);
	}
}

void
bench_method_judge_extras(const struct bench_job *job)
{
	const struct bench_tally *t = job->tally;
	const struct count extras[] = {
		{ t->duplicate, "questions were answered more than once" },
		{ t->other, "replies repeated another question" },
		{ t->stray, "replies were to nothing that was asked" },
		{ t->malformed, "messages were malformed" },
		{ t->no_reply, "messages were no replies" },
	};

	/* Over a connection all of it is the server's. */
	fail_counts(job, extras, has_connections(&job->settings->plan) ? N_OF(extras) : 1);
	if (is_foreign(t, &job->settings->plan))
		bench_run_fail(job->run,
		    "the tester was disturbed: %" PRIu64 " datagrams that belong to no question "
		    "came to its ports",
		    bench_tally_foreign(t));
}

void
bench_method_judge_sending(const struct bench_job *job, uint32_t rate)
{
	const struct bench_tally *t = job->tally;
	double error = rate > 0 ? bench_method_pace_error(t, rate) : 0;
	const struct count faults[] = {
		{ t->faults.unsent, "questions could not be sent" },
		{ t->faults.dropped, "replies were dropped by this machine for want of room" },
		{ t->faults.no_port,
		    "times this machine had no port or descriptor for a connection" },
	};

	if (t->sent == 0)
		bench_run_fail(job->run, "no question could be sent");
	if (taken_out(t) > BENCH_TAKEN_OUT)
		bench_run_fail(job->run,
		    "the tester was kept from running: %.1f %% of the questions were not asked or "
		    "do not count, so the run says little of the server",
		    100 * taken_out(t));
	fail_counts(job, faults, N_OF(faults));
	if (rate == 0 || bench_method_kept_pace(t, rate, job->settings->plan.timeout_ns))
		return;
	bench_run_fail(job->run,
	    "the pace was not kept: sending took %.2f %% %s than its time, "
	    "the question that was latest left %.1f ms late",
	    fabs(error), error < 0 ? "less" : "more", (double)t->lag.max_ns / (double)NS_PER_MS);
	if (t->no_room > 0)
		bench_run_fail(job->run,
		    "the pace was not kept since questions had to wait for answers to "
		    "earlier ones: the server is too slow, or --window or --sources too small");
}

void
bench_method_hint(const struct bench_job *job)
{
	static const char *const questions[BENCH_VERDICTS] = {
		[BENCH_TRUNCATED] = "is --bufsize needed?",
		[BENCH_RCODE] = "may this machine ask the server, and has that an upstream that "
				"knows the names, as fakedns(8)?",
		[BENCH_NO_DATA] = "may the server's prefix represent the addresses of --namespace?",
		[BENCH_WRONG_DATA] =
		    "are --prefix and --aaaa those of the server and its upstream?",
	};
	const uint64_t *n = job->tally->replies;
	unsigned most = BENCH_VALID;

	for (unsigned v = BENCH_VALID + 1; v < BENCH_VERDICTS; v++)
		most = n[v] > n[most] ? v : most;
	if (n[BENCH_VALID] == 0 && most != BENCH_VALID)
		bench_run_fail(job->run, "not one answer is right, most are \"%s\": %s",
		    bench_verdict_name((enum bench_verdict)most), questions[most]);
}

bool
bench_method_judge_crowd(const struct bench_job *job, uint32_t rate)
{
	const struct bench_tally *t = job->tally;
	bool crowd = is_crowd(t, rate, &job->settings->plan);

	if (crowd)
		bench_run_fail(job->run,
		    "the tester stood still: %" PRIu64 " of %" PRIu64
		    " questions got no valid answer in time, but up to %" PRIu64
		    " were late at once, which a server need not hold",
		    failed(t), t->sent, t->overdue_at_once);
	return crowd;
}

void
bench_method_judge(const struct bench_job *job, uint32_t rate)
{
	const struct bench_tally *t = job->tally;

	bench_method_judge_sending(job, rate);
	if (!bench_method_judge_crowd(job, rate) && failed(t) > 0)
		bench_run_fail(job->run,
		    "%" PRIu64 " of %" PRIu64 " questions got no valid answer in time", failed(t),
		    t->sent);
	bench_method_hint(job);
	bench_method_judge_extras(job);
}
