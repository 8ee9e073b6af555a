/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/trials.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/measure.h"
#include "bench/result/text.h"
#include "bench/watch.h"

#define US 1000.0 /* ns */

/* --- Records and rows ------------------------------------------------------------------------- */

static const char *const verdicts[BENCH_OUTCOMES] = {
	[BENCH_PASSED] = "passed",
	[BENCH_FAILED] = "failed",
	[BENCH_NO_VERDICT] = "tester",
	[BENCH_CACHED] = "cached",
};

bool
bench_record_is(const json_t *record, enum bench_outcome o)
{
	return bench_record_integer(record, "repetition") > 0 &&
	    strcmp(bench_text_get(record, "verdict"), verdicts[o]) == 0;
}

bool
bench_record_counts(const json_t *record)
{
	return bench_record_is(record, BENCH_PASSED) || bench_record_is(record, BENCH_FAILED);
}

json_int_t
bench_record_integer(const json_t *record, const char *key)
{
	return json_integer_value(json_object_get(record, key));
}

double
bench_record_number(const json_t *record, const char *key, size_t k)
{
	const json_t *v = key != NULL ? json_object_get(record, key)
				      : json_array_get(json_object_get(record, "server"), k);

	return json_is_number(v) ? json_number_value(v) : (double)NAN;
}

static bool
is_verdict(const json_t *record, enum bench_outcome *outcome)
{
	const char *word = bench_text_get(record, "verdict");

	for (unsigned i = 0; i < BENCH_OUTCOMES; i++) {
		if (strcmp(word, verdicts[i]) == 0) {
			*outcome = (enum bench_outcome)i;
			return true;
		}
	}
	return false;
}

/* Without units, so that they are not drawn one by one. */
static const struct bench_column columns[] = {
	{ "repetition", "repetition", "", 0 },
	{ "rate", "rate", "", 0 },
	{ "verdict", "verdict", "", 0 },
	{ "sent", "sent", "", 0 },
	{ "valid", "valid", "", 0 },
	{ "wrong", "wrong", "", 0 },
	{ "late", "late", "", 0 },
	{ "lost", "lost", "", 0 },
	{ "duplicate", "duplicate", "", 0 },
	{ "foreign", "foreign", "", 0 },
	{ "unsent", "unsent", "", 0 },
	{ "dropped", "dropped here", "", 0 },
	{ "pace_error", "timing error (%)", "", 2 },
	{ "lag_p999", "lag p99.9 (us)", "", 0 },
	{ "lag_max", "lag max (us)", "", 0 },
	{ "pauses", "pauses", "", 0 },
	{ "taken_out", "taken out", "", 0 },
	{ "late_at_once", "late at once", "", 0 },
	{ "burst", "largest burst", "", 0 },
	{ "rtt_p50", "RTT median (us)", "", 0 },
	{ "rtt_p99", "RTT p99 (us)", "", 0 },
	{ "rtt_p999", "RTT p99.9 (us)", "", 0 },
	{ "seconds", "time (s)", "", 1 },
	/* As bench_watch_row has them: */
	{ "server_cpu", "CPU (%)", "", 1 },
	{ "server_cpu_per_answer", "CPU/answer (us)", "", 2 },
	{ "server_rss", "RSS (MiB)", "", 1 },
};

#define N_COLUMNS (sizeof(columns) / sizeof(columns[0]) - BENCH_WATCH_COLUMNS)

static struct bench_table *
begin_table(const struct bench_trials *t)
{
	struct bench_table *table = bench_run_table(
	    t->job.run, "trials", "Trials (repetition 0: self-test)", t->columns, t->n_columns);

	bench_table_columns(
	    table, columns, N_COLUMNS + (t->job.dut != NULL ? BENCH_WATCH_COLUMNS : 0));
	return table;
}

/* VALUE, or null for none, to ROW. */
static void
add_value(json_t *row, json_t *value)
{
	(void)json_array_append_new(row, value != NULL ? json_incref(value) : json_null());
}

/* The self-test has no usage of the server. */
static void
add_row(const struct bench_trials *t, const json_t *record)
{
	const json_t *server = json_object_get(record, "server");
	json_t *row = json_array();

	for (size_t i = 0; i < t->n_columns; i++)
		add_value(row, json_object_get(record, t->columns[i].name));
	for (size_t i = 0; i < N_COLUMNS; i++)
		add_value(row, json_object_get(record, columns[i].name));
	for (size_t i = 0; t->job.dut != NULL && i < BENCH_WATCH_COLUMNS; i++)
		add_value(row, json_array_get(server, i));
	bench_table_add(t->table, row);
}

/* --- Trials that were measured before --------------------------------------------------------- */

/* The names of a trial that was begun count as used, whether it was completed or not. */
static void
skip_names(struct bench_trials *t, const json_t *begun)
{
	uint64_t first = (uint64_t)bench_record_integer(begun, "first");
	uint64_t end = first + (uint64_t)bench_record_integer(begun, "questions");

	t->next = end > t->next ? end : t->next;
}

/* The next trial of the state file; NULL if there are no more. */
static json_t *
recorded(struct bench_trials *t)
{
	json_t *record, *begun;

	while (t->journal != NULL && t->at < bench_journal_count(t->journal)) {
		record = bench_journal_get(t->journal, t->at++);
		begun = json_object_get(record, "begin");
		if (begun == NULL)
			return record;
		skip_names(t, begun);
	}
	return NULL;
}

/* Is RECORD of the cell? */
static bool
is_of(const json_t *record, json_t *cell)
{
	const char *key;
	json_t *value;

	json_object_foreach(cell, key, value)
	{
		if (!json_equal(json_object_get(record, key), value))
			return false;
	}
	return true;
}

/* Is RECORD the trial that the search wants? */
static bool
fits(const struct bench_trials *t, const json_t *record, const struct bench_probe *p,
    enum bench_outcome *outcome)
{
	json_int_t repetition = bench_record_integer(record, "repetition");
	json_int_t rate = bench_record_integer(record, "rate");
	bool of_cell = is_of(record, p->cell);

	if (repetition == p->repetition && rate == p->rate && of_cell &&
	    is_verdict(record, outcome))
		return true;
	bench_run_fail(t->job.run,
	    "the state file is damaged: trial of repetition %" JSON_INTEGER_FORMAT
	    " at %" JSON_INTEGER_FORMAT "/s%s (line %zu) where repetition %u at %" PRIu32
	    "/s was expected",
	    repetition, rate, of_cell ? "" : " of another cell", t->at + 1, p->repetition, p->rate);
	return false;
}

/* --- Trials that are measured now ------------------------------------------------------------- */

static bool
keep(const struct bench_trials *t, const json_t *record)
{
	int err = 0;

	if (record != NULL && t->journal != NULL)
		err = bench_journal_add(t->journal, record);
	if (record == NULL || err != 0)
		bench_run_fail(t->job.run, "the state file cannot be written: %s",
		    record == NULL ? "out of memory" : strerror(-err));
	return record != NULL && err == 0;
}

/* Record, before the first question, which names a trial uses: it may be interrupted. */
static bool
keep_begin(const struct bench_trials *t, const struct bench_probe *p)
{
	if (t->journal == NULL || t->reuse_names)
		return true;
	json_t *record =
	    json_pack("{s{si,sI,sI,sI}}", "begin", "repetition", (int)p->repetition, "rate",
		(json_int_t)p->rate, "first", (json_int_t)p->first, "questions", (json_int_t)p->n);
	bool good = keep(t, record);

	json_decref(record);
	return good;
}

/* Measure a trial and return its record, the caller's. NULL: the search ends. */
static json_t *
measured(struct bench_trials *t, struct bench_probe *p, enum bench_outcome *outcome)
{
	p->first = t->reuse_names ? 0 : t->next;
	if (!keep_begin(t, p))
		return NULL;
	if (!t->reuse_names)
		t->next = p->first + p->n;
	json_t *figures = bench_measure_trial(&t->job, t->tester, p, outcome);
	if (figures == NULL)
		return NULL;
	json_t *record = json_pack("{si,sI,ss,sf}", "repetition", (int)p->repetition, "rate",
	    (json_int_t)p->rate, "verdict", verdicts[*outcome], "seconds", p->passed_s);
	int err = record != NULL ? json_object_update(record, figures) : -1;

	if (err == 0 && p->cell != NULL)
		err = json_object_update(record, p->cell);
	json_decref(figures);
	/* Who goes on does that trial again, with other names. */
	if (err == 0 && (*outcome == BENCH_CACHED || keep(t, record)))
		return record;
	json_decref(record);
	return NULL;
}

/* --- Progress --------------------------------------------------------------------------------- */

/* How long the rest of this search and those after it will take, in s. */
static double
left(const struct bench_trials *t, const struct bench_bisect *b)
{
	uint64_t sum;

	return bench_progress_left(&t->progress, bench_bisect_most(b, &sum) + t->rest);
}

/* "repetition 3/20: 1000/s" or "trial 3/40: 1000/s", and MORE, to TEXT. */
static const char *
say(const struct bench_trials *t, const struct bench_bisect *b, uint32_t rate, const char *more,
    char text[static BENCH_PROGRESS_TEXT])
{
	int n = snprintf(text, BENCH_PROGRESS_TEXT, "%s: %" PRIu32 "/s%s", t->where, rate, more);

	if (b->list == NULL && b->low != b->high)
		(void)snprintf(text + n, BENCH_PROGRESS_TEXT - (size_t)n,
		    ", between %" PRIu32 " and %" PRIu32, b->low, b->high);
	return text;
}

static void
say_end(struct bench_trials *t, const struct bench_bisect *b, uint32_t rate, enum bench_outcome o)
{
	static const char *const words[BENCH_OUTCOMES] = {
		[BENCH_PASSED] = " passed",
		[BENCH_FAILED] = " failed",
		[BENCH_NO_VERDICT] = " no verdict: the tester was too slow or lost replies",
		[BENCH_CACHED] = " no verdict: the server knew the names",
	};
	char text[BENCH_PROGRESS_TEXT];

	bench_progress_tell(&t->progress, left(t, b), "%s", say(t, b, rate, words[o], text));
}

/* --- Searches --------------------------------------------------------------------------------- */

/* Do the trial *p, or take it from the journal; its outcome goes to *b. */
static bool
try_rate(struct bench_trials *t, struct bench_bisect *b, struct bench_probe *p)
{
	json_t *record = json_incref(recorded(t));
	enum bench_outcome outcome = BENCH_FAILED;
	bool is_new = record == NULL;
	char text[BENCH_PROGRESS_TEXT];

	p->n = bench_bisect_questions(p->rate, t->job.settings->duration);
	if (b->list != NULL)
		(void)snprintf(t->where, sizeof(t->where), "trial %zu/%zu",
		    (p->repetition - 1) * b->n + b->at + 1, t->job.settings->repetitions * b->n);
	if (is_new) {
		bench_progress_begin(
		    &t->progress, left(t, b), "%s", say(t, b, p->rate, " ...", text));
		record = measured(t, p, &outcome);
		bench_progress_end(&t->progress);
	}
	if (record == NULL || (!is_new && !fits(t, record, p, &outcome))) {
		json_decref(record);
		return false;
	}
	if (outcome != BENCH_CACHED)
		bench_bisect_put(b, p->rate, outcome);
	add_row(t, record);
	(void)json_array_append(t->records, record);
	t->n++;
	t->last = record;
	t->passed = outcome == BENCH_PASSED ? record : t->passed;
	t->seconds += json_number_value(json_object_get(record, "seconds"));
	if (p->repetition > 0) /* a self-test says nothing of the rest */
		bench_progress_count(
		    &t->progress, json_number_value(json_object_get(record, "seconds")));
	if (is_new)
		say_end(t, b, p->rate, outcome);
	json_decref(record);
	return outcome != BENCH_CACHED;
}

bool
bench_trials_search(
    struct bench_trials *t, json_t *cell, unsigned repetition, struct bench_bisect *b)
{
	struct bench_probe p = { .cell = cell, .repetition = repetition };

	t->n = 0;
	t->seconds = 0;
	t->last = t->passed = NULL;
	while ((p.rate = bench_bisect_next(b)) != 0) {
		if (!try_rate(t, b, &p))
			return false;
	}
	return true;
}

void
bench_trials_late(const struct bench_trials *t)
{
	double most = 0;
	size_t i;
	json_t *record;

	json_array_foreach(t->records, i, record)
	{
		double late = json_number_value(json_object_get(record, "lag_max")) * US;

		if (late > most && bench_record_counts(record))
			most = late;
	}
	bench_method_late(&t->job, most);
}

/* --- Life ------------------------------------------------------------------------------------- */

/* Open the file of --state, if there is one. */
static bool
open_state(struct bench_trials *t)
{
	const char *path = t->job.settings->state;
	char error[BENCH_JOURNAL_ERROR];

	if (path == NULL)
		return true;
	json_t *identity = bench_settings_identity(t->job.settings);
	t->journal = bench_journal_open(path, identity, error);
	json_decref(identity);
	if (t->journal == NULL)
		bench_run_fail(t->job.run, "%s", error);
	else if (bench_journal_count(t->journal) > 0)
		(void)fprintf(stderr, "dns64bench: going on with what %s has\n", path);
	return t->journal != NULL;
}

bool
bench_trials_begin(
    struct bench_trials *t, const struct bench_job *job, const struct bench_column *cell, size_t n)
{
	*t = (struct bench_trials){ .job = *job,
		.reuse_names = job->settings->restart != NULL,
		.columns = cell,
		.n_columns = n,
		.records = json_array() };
	bench_progress_init(&t->progress, stderr, job->settings->duration);
	t->table = begin_table(t);
	return open_state(t);
}

void
bench_trials_end(struct bench_trials *t)
{
	bench_journal_close(t->journal);
	json_decref(t->records);
}
