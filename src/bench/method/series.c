/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/method/series.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const verdicts[BENCH_OUTCOMES] = {
	[BENCH_PASSED] = "passed",
	[BENCH_FAILED] = "failed",
	[BENCH_NO_VERDICT] = "tester",
};

static bool PRINTF_LIKE(2, 3) complain(struct bench_series *s, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	(void)vsnprintf(s->error, sizeof(s->error), format, ap);
	va_end(ap);
	return false;
}

const char *
bench_series_verdict(enum bench_outcome o)
{
	return verdicts[o];
}

uint64_t
bench_series_questions(uint32_t rate, double duration)
{
	uint64_t n = (uint64_t)(rate * duration);

	return n > 0 ? n : 1;
}

uint64_t
bench_series_most(const struct bench_bisect *b, unsigned repetitions, double duration, bool again)
{
	uint64_t sum;
	unsigned n = bench_bisect_most(b, &sum);

	/*
	 * Each trial at least one; what a fraction of a second leaves over is in the rounding up.
	 */
	return again ? bench_series_questions(b->high, duration)
		     : (uint64_t)((double)sum * duration * repetitions) + (uint64_t)n * repetitions;
}

/* --- Trials that were measured before --------------------------------------------------------- */

static bool
is_verdict(const json_t *record, enum bench_outcome *outcome)
{
	const char *word = json_string_value(json_object_get(record, "verdict"));

	for (unsigned i = 0; word != NULL && i < BENCH_OUTCOMES; i++) {
		if (strcmp(word, verdicts[i]) == 0) {
			*outcome = (enum bench_outcome)i;
			return true;
		}
	}
	return false;
}

/* The names of a trial that was begun count as used, whether it was completed or not. */
static void
skip_names(struct bench_series *s, const json_t *begun)
{
	uint64_t first = (uint64_t)json_integer_value(json_object_get(begun, "first"));
	uint64_t end = first + (uint64_t)json_integer_value(json_object_get(begun, "questions"));

	s->next = end > s->next ? end : s->next;
}

/* The next trial of the state file; NULL if there are no more. */
static json_t *
recorded(struct bench_series *s)
{
	json_t *record, *begun;

	while (s->journal != NULL && s->at < bench_journal_count(s->journal)) {
		record = bench_journal_get(s->journal, s->at++);
		begun = json_object_get(record, "begin");
		if (begun == NULL)
			return record;
		skip_names(s, begun);
	}
	return NULL;
}

/* Is RECORD the trial that the search wants? */
static bool
fits(struct bench_series *s, const json_t *record, const struct bench_probe *p,
    enum bench_outcome *outcome)
{
	json_int_t repetition = json_integer_value(json_object_get(record, "repetition"));
	json_int_t rate = json_integer_value(json_object_get(record, "rate"));

	if (repetition == p->repetition && rate == p->rate && is_verdict(record, outcome))
		return true;
	return complain(s,
	    "the state file is damaged: trial of repetition %" JSON_INTEGER_FORMAT
	    " at %" JSON_INTEGER_FORMAT "/s (line %zu) where repetition %u at %" PRIu32
	    "/s was expected",
	    repetition, rate, s->at + 1, p->repetition, p->rate);
}

/* --- Trials that are measured now ------------------------------------------------------------- */

static bool
keep(struct bench_series *s, const json_t *record)
{
	int err = record == NULL ? -1
	    : s->journal != NULL ? bench_journal_add(s->journal, record)
				 : 0;

	return err == 0 ||
	    complain(s, "the state file cannot be written: %s",
		record == NULL ? "out of memory" : strerror(-err));
}

/* Record, before the first question, which names a trial uses: it may be interrupted. */
static bool
keep_begin(struct bench_series *s, const struct bench_probe *p)
{
	if (s->journal == NULL || s->again)
		return true;
	json_t *record =
	    json_pack("{s{si,sI,sI,sI}}", "begin", "repetition", (int)p->repetition, "rate",
		(json_int_t)p->rate, "first", (json_int_t)p->first, "questions", (json_int_t)p->n);
	bool good = keep(s, record);

	json_decref(record);
	return good;
}

/* Measure a trial and return its record, the caller's. NULL: the search ends. */
static json_t *
measured(struct bench_series *s, struct bench_probe *p, enum bench_outcome *outcome)
{
	p->first = s->again ? 0 : s->next;
	if (!keep_begin(s, p))
		return NULL;
	if (!s->again)
		s->next = p->first + p->n;
	json_t *figures = s->measure(s->ctx, p, outcome);
	if (figures == NULL)
		return NULL;
	json_t *record = json_pack("{si,sI,ss,sf}", "repetition", (int)p->repetition, "rate",
	    (json_int_t)p->rate, "verdict", verdicts[*outcome], "seconds", p->passed_s);
	int err = record != NULL ? json_object_update(record, figures) : -1;

	json_decref(figures);
	if (err == 0 && keep(s, record))
		return record;
	json_decref(record);
	return NULL;
}

/* --- The search ------------------------------------------------------------------------------- */

static bool
try_rate(struct bench_series *s, struct bench_bisect *b, struct bench_probe *p)
{
	enum bench_outcome outcome = BENCH_FAILED;
	json_t *record = json_incref(recorded(s));
	bool is_new = record == NULL;

	if (is_new)
		record = measured(s, p, &outcome);
	if (record == NULL || (!is_new && !fits(s, record, p, &outcome))) {
		json_decref(record);
		return false;
	}
	bench_bisect_put(b, p->rate, outcome);
	s->told(s->ctx, record, outcome, is_new);
	json_decref(record);
	return true;
}

bool
bench_series_search(struct bench_series *s, unsigned repetition, struct bench_bisect *b)
{
	struct bench_probe p = { .repetition = repetition };

	while ((p.rate = bench_bisect_next(b)) != 0) {
		p.n = bench_series_questions(p.rate, s->duration);
		if (!try_rate(s, b, &p))
			return false;
	}
	return true;
}
