/* SPDX-License-Identifier: BSD-2-Clause */
/* Searches that go on where they were ended: the same trials, the same result, new names. */

#include "bench/method/series.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/scratch.h"

#define LOW 1000
#define HIGH 200000
#define REPETITIONS 3
#define TRIALS_MAX 100

/* A made-up server, and what it was asked. */
struct server {
	uint32_t limit;
	bool moody; /* sometimes the tester is at fault */
	unsigned n_measured;
	unsigned n_told;
	unsigned end_at; /* the trial that is cut off; 0: none */
	bool asked;      /* ... after its questions were sent */
	uint64_t last_name;
	uint32_t results[REPETITIONS];
};

static char path[SCRATCH_PATH];
static json_t *settings;

static void
set_up(void)
{
	(void)close(scratch_file(path));
	settings = json_pack("{ss}", "server", "::1#53");
}

static void
tear_down(void)
{
	json_decref(settings);
	(void)unlink(path);
}

/* Its mood depends on the trial alone, so that what is measured anew is the same. */
static enum bench_outcome
answer(const struct server *s, const struct bench_probe *p)
{
	uint32_t limit = s->limit + p->repetition * 777;

	if (s->moody && p->repetition == 2 && p->rate > 50000)
		return BENCH_NO_VERDICT;
	return p->rate <= limit ? BENCH_PASSED : BENCH_FAILED;
}

static json_t *
measure(void *ctx, struct bench_probe *p, enum bench_outcome *outcome)
{
	struct server *s = ctx;

	s->n_measured++;
	if (s->n_measured == s->end_at)
		return NULL;
	/* No name twice, also when a trial was cut off. */
	ck_assert_uint_ge(p->first, s->last_name);
	ck_assert_uint_eq(p->n, bench_series_questions(p->rate, 0.01));
	s->last_name = p->first + p->n;
	p->passed_s = 0.25;
	*outcome = answer(s, p);
	return json_pack("{sI}", "sent", (json_int_t)p->n);
}

static void
told(void *ctx, const json_t *record, enum bench_outcome outcome, bool measured_now)
{
	struct server *s = ctx;

	s->n_told++;
	ck_assert_str_eq(
	    json_string_value(json_object_get(record, "verdict")), bench_series_verdict(outcome));
	ck_assert_double_eq_tol(json_real_value(json_object_get(record, "seconds")), 0.25, 1e-9);
	ck_assert(json_is_integer(json_object_get(record, "sent")));
	ck_assert(!measured_now || s->n_measured > 0);
}

/* All repetitions, as far as they come. True if to the end; ERROR as the series has it. */
static bool
run(struct server *server, char error[static BENCH_SERIES_ERROR])
{
	char why[BENCH_JOURNAL_ERROR];
	struct bench_series s = {
		.duration = 0.01, .measure = measure, .told = told, .ctx = server
	};
	struct bench_bisect b;
	enum bench_limit limit;
	bool good = true;

	s.journal = bench_journal_open(path, settings, why);
	ck_assert_msg(s.journal != NULL, "%s", why);
	for (unsigned i = 0; i < REPETITIONS && good; i++) {
		bench_bisect_init(&b, LOW, HIGH, 3, i == 0 ? BENCH_BEGIN_LOW : BENCH_BEGIN_BETWEEN);
		good = bench_series_search(&s, i + 1, &b);
		if (good)
			server->results[i] = bench_bisect_result(&b, &limit);
	}
	bench_journal_close(s.journal);
	memcpy(error, s.error, sizeof(s.error));
	return good;
}

START_TEST(goes_on_after_every_trial)
{
	char error[BENCH_SERIES_ERROR];
	struct server whole = { .limit = 43210, .moody = true };

	ck_assert(run(&whole, error));
	ck_assert_uint_eq(whole.n_told, whole.n_measured);
	ck_assert_uint_lt(whole.n_measured, TRIALS_MAX);
	for (unsigned end_at = 1; end_at <= whole.n_measured; end_at++) {
		struct server first = { .limit = 43210, .moody = true, .end_at = end_at };
		struct server then = { .limit = 43210, .moody = true };

		ck_assert_int_eq(truncate(path, 0), 0);
		ck_assert(!run(&first, error));
		ck_assert_str_eq(error, "");
		/* The names of the trial that was cut off may have been asked for. */
		then.last_name = first.last_name + 1;
		ck_assert(run(&then, error));
		ck_assert_uint_eq(then.n_told, whole.n_told);
		ck_assert_uint_eq(then.n_measured, whole.n_measured - end_at + 1);
		ck_assert_mem_eq(then.results, whole.results, sizeof(then.results));
	}
}
END_TEST

/* When all was measured nothing is any more. */
START_TEST(complete_journal_measures_nothing)
{
	char error[BENCH_SERIES_ERROR];
	struct server first = { .limit = 43210, .moody = true }, then = { .limit = 1 };

	ck_assert(run(&first, error));
	ck_assert(run(&then, error));
	ck_assert_uint_eq(then.n_measured, 0);
	ck_assert_mem_eq(then.results, first.results, sizeof(then.results));
	for (unsigned i = 0; i < REPETITIONS; i++) {
		ck_assert_uint_le(then.results[i], 43210 + (i + 1) * 777);
		ck_assert_uint_gt(then.results[i], 43210 * 97 / 100);
	}
}
END_TEST

static void
append(const char *line)
{
	FILE *f = fopen(path, "ae");

	ck_assert_ptr_nonnull(f);
	(void)fputs(line, f);
	ck_assert_int_eq(fclose(f), 0);
}

/* A trial that the search would not have asked for, or one without a verdict. */
START_TEST(tells_trials_that_do_not_fit)
{
	static const char *const lines[] = {
		"{\"repetition\":1,\"rate\":1001,\"verdict\":\"passed\",\"seconds\":1,\"sent\":1}"
		"\n",
		"{\"repetition\":2,\"rate\":1000,\"verdict\":\"passed\",\"seconds\":1,\"sent\":1}"
		"\n",
		"{\"repetition\":1,\"rate\":1000,\"verdict\":\"perhaps\",\"seconds\":1,\"sent\":1}"
		"\n",
		"{\"repetition\":1,\"rate\":1000,\"seconds\":1,\"sent\":1}\n",
		"{}\n",
	};
	char error[BENCH_SERIES_ERROR];
	struct server server = { .limit = 43210, .moody = true, .end_at = 1 };

	ck_assert(!run(&server, error));
	append(lines[_i]);
	ck_assert(!run(&server, error));
	ck_assert_msg(strstr(error, "line 3") != NULL, "%s", error);
	ck_assert_ptr_nonnull(strstr(error, "damaged"));
}
END_TEST

/* Where each trial may ask for the same names it does so from the first. */
static json_t *
measure_again(void *ctx, struct bench_probe *p, enum bench_outcome *outcome)
{
	ck_assert_uint_eq(p->first, 0);
	*outcome = p->rate <= *(uint32_t *)ctx ? BENCH_PASSED : BENCH_FAILED;
	return json_object();
}

static void
told_nothing(void *ctx, const json_t *record, enum bench_outcome outcome, bool measured_now)
{
	(void)ctx;
	(void)outcome;
	ck_assert_ptr_nonnull(record);
	ck_assert(measured_now);
}

START_TEST(takes_the_same_names)
{
	uint32_t limit = 5000;
	struct bench_series s = { .duration = 1,
		.again = true,
		.measure = measure_again,
		.told = told_nothing,
		.ctx = &limit };
	struct bench_bisect b;
	enum bench_limit why;

	bench_bisect_init(&b, LOW, HIGH, 1, BENCH_BEGIN_BETWEEN);
	ck_assert(bench_series_search(&s, 1, &b));
	ck_assert_uint_le(bench_bisect_result(&b, &why), limit);
}
END_TEST

START_TEST(estimate_of_names_is_never_too_low)
{
	char error[BENCH_SERIES_ERROR];
	struct server server = { .limit = UINT32_MAX - 1000000 };
	struct bench_bisect b;

	bench_bisect_init(&b, LOW, HIGH, 3, BENCH_BEGIN_LOW);
	uint64_t most = bench_series_most(&b, REPETITIONS, 0.01, false);
	ck_assert_uint_eq(bench_series_most(&b, REPETITIONS, 0.01, true), 2000);
	(void)run(&server, error);
	ck_assert_uint_le(server.last_name, most);
	ck_assert_uint_gt(server.last_name, most / 2);
	ck_assert_uint_eq(bench_series_questions(1, 0.01), 1);
	ck_assert_uint_eq(bench_series_questions(1000, 60), 60000);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("bench_series");
	TCase *tc = tcase_create("all");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, goes_on_after_every_trial);
	tcase_add_test(tc, complete_journal_measures_nothing);
	tcase_add_loop_test(tc, tells_trials_that_do_not_fit, 0, 5);
	tcase_add_test(tc, takes_the_same_names);
	tcase_add_test(tc, estimate_of_names_is_never_too_low);
	suite_add_tcase(s, tc);

	SRunner *sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	int failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
