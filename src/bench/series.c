/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/series.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* --- The binary search ------------------------------------------------------------------------ */

void
bench_bisect_init(
    struct bench_bisect *b, uint32_t low, uint32_t high, double resolution, enum bench_begin begin)
{
	*b = (struct bench_bisect){
		.low = low, .high = high, .resolution = resolution, .begin = begin
	};
}

static bool
narrow(const struct bench_bisect *b)
{
	uint32_t width = b->high - b->low;

	return width <= 1 || (double)width <= b->low * b->resolution / 100;
}

/* The geometric mean of the ends of the interval; never one of them. */
static uint32_t
between(const struct bench_bisect *b)
{
	uint32_t middle = (uint32_t)lround(sqrt((double)b->low * b->high));

	if (middle <= b->low)
		return b->low + 1;
	return middle < b->high ? middle : b->high - 1;
}

uint32_t
bench_bisect_next(const struct bench_bisect *b)
{
	if (b->failed_low || b->passed_high)
		return 0;
	if (b->spoilt > 0)
		return b->rate;
	if (b->begin == BENCH_BEGIN_HIGH && !b->high_known)
		return b->high;
	if (b->begin != BENCH_BEGIN_BETWEEN && !b->low_known)
		return b->low;
	if (!narrow(b))
		return between(b);
	if (!b->low_known)
		return b->low;
	return b->high_known ? 0 : b->high;
}

static void
pass(struct bench_bisect *b, uint32_t rate)
{
	if (rate == b->high)
		b->passed_high = true;
	b->low = rate;
	b->low_known = true;
}

static void
fail(struct bench_bisect *b, uint32_t rate, bool by_tester)
{
	if (rate == b->low && !b->low_known)
		b->failed_low = true;
	b->high = rate;
	b->high_known = true;
	b->by_tester = by_tester;
}

void
bench_bisect_put(struct bench_bisect *b, uint32_t rate, enum bench_outcome outcome)
{
	b->rate = rate;
	if (outcome == BENCH_NO_VERDICT && ++b->spoilt <= BENCH_REPEATS)
		return;
	b->spoilt = 0;
	if (outcome == BENCH_PASSED)
		pass(b, rate);
	else
		fail(b, rate, outcome == BENCH_NO_VERDICT);
}

uint32_t
bench_bisect_result(const struct bench_bisect *b, enum bench_limit *limit)
{
	*limit = BENCH_LIMIT_SERVER;
	if (b->passed_high)
		*limit = BENCH_LIMIT_HIGH;
	else if (b->by_tester)
		*limit = BENCH_LIMIT_TESTER;
	else if (b->failed_low)
		*limit = BENCH_LIMIT_LOW;
	return b->low_known ? b->low : 0;
}

unsigned
bench_bisect_most(const struct bench_bisect *b, uint64_t *sum)
{
	struct bench_bisect copy = *b;
	unsigned n = 0;
	uint32_t rate;

	*sum = 0;
	for (; (rate = bench_bisect_next(&copy)) != 0; n++) {
		*sum += rate;
		bench_bisect_put(&copy, rate, BENCH_PASSED);
	}
	return n;
}

/* --- The self-test ---------------------------------------------------------------------------- */

#define BIT 1e-6 /* rounding error of a product of two rates */

bool
bench_selftest_asks_aaaa(const struct bench_settings *s)
{
	return s->plan.load.zone.aaaa_percent == 100;
}

struct bench_plan
bench_selftest_plan(const struct bench_settings *s)
{
	struct bench_plan p = s->plan;

	p.server = s->upstream;
	p.clients.n = 0; /* the upstream has one client */
	/* As a DNS64 server asks: questions do not come by the dozen in what one call reads. */
	p.transport = &bench_udp;
	p.window = p.per_connection = 0;
	p.singles = true;
	p.pause_ns = bench_plan_pause(&s->plan);
	p.timeout_ns = s->plan.timeout_ns / BENCH_SELFTEST_TIMEOUT_PART;
	memset(p.load.mix, bench_selftest_asks_aaaa(s) ? BENCH_NEW : BENCH_ADDRESS,
	    sizeof(p.load.mix));
	return p;
}

uint32_t
bench_selftest_rate(uint32_t rate, double delta)
{
	double r = ceil(2 * (1 + delta) * rate - BIT);

	return r < BENCH_RATE_MAX ? (uint32_t)r : BENCH_RATE_MAX;
}

uint32_t
bench_selftest_cap(uint32_t rate, double delta)
{
	return (uint32_t)floor(rate / (2 * (1 + delta)) + BIT);
}

/* --- Searches one after another --------------------------------------------------------------- */

static const char *const verdicts[BENCH_OUTCOMES] = {
	[BENCH_PASSED] = "passed",
	[BENCH_FAILED] = "failed",
	[BENCH_NO_VERDICT] = "tester",
	[BENCH_CACHED] = "cached",
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

bool
bench_series_counts(const json_t *record)
{
	enum bench_outcome o;

	return is_verdict(record, &o) && (o == BENCH_PASSED || o == BENCH_FAILED);
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
fits(struct bench_series *s, const json_t *record, const struct bench_probe *p,
    enum bench_outcome *outcome)
{
	json_int_t repetition = json_integer_value(json_object_get(record, "repetition"));
	json_int_t rate = json_integer_value(json_object_get(record, "rate"));
	bool of_cell = is_of(record, p->cell);

	if (repetition == p->repetition && rate == p->rate && of_cell &&
	    is_verdict(record, outcome))
		return true;
	return complain(s,
	    "the state file is damaged: trial of repetition %" JSON_INTEGER_FORMAT
	    " at %" JSON_INTEGER_FORMAT "/s%s (line %zu) where repetition %u at %" PRIu32
	    "/s was expected",
	    repetition, rate, of_cell ? "" : " of another cell", s->at + 1, p->repetition, p->rate);
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

	if (err == 0 && p->cell != NULL)
		err = json_object_update(record, p->cell);
	json_decref(figures);
	/* Who goes on does that trial again, with other names. */
	if (err == 0 && (*outcome == BENCH_CACHED || keep(s, record)))
		return record;
	json_decref(record);
	return NULL;
}

/* --- Trials and searches ---------------------------------------------------------------------- */

bool
bench_series_trial(struct bench_series *s, struct bench_bisect *b, struct bench_probe *p)
{
	enum bench_outcome outcome = BENCH_FAILED;
	json_t *record = json_incref(recorded(s));
	bool is_new = record == NULL;

	p->n = bench_series_questions(p->rate, s->duration);
	if (is_new)
		record = measured(s, p, &outcome);
	if (record == NULL || (!is_new && !fits(s, record, p, &outcome))) {
		json_decref(record);
		return false;
	}
	if (b != NULL && outcome != BENCH_CACHED)
		bench_bisect_put(b, p->rate, outcome);
	s->told(s->ctx, record, outcome, is_new);
	json_decref(record);
	return outcome != BENCH_CACHED;
}

bool
bench_series_search(
    struct bench_series *s, json_t *cell, unsigned repetition, struct bench_bisect *b)
{
	struct bench_probe p = { .cell = cell, .repetition = repetition };

	while ((p.rate = bench_bisect_next(b)) != 0) {
		if (!bench_series_trial(s, b, &p))
			return false;
	}
	return true;
}
