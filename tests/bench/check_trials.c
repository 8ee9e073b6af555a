/* SPDX-License-Identifier: BSD-2-Clause */
/* Trials that are measured or were kept: the same trials, the same result, new names; their table.
 */

#include "bench/trials.h"

#include <math.h>
#include <string.h>

#include "bench/madeup.h"
#include "bench/played.h"
#include "support/tests.h"

#define LINE \
	"search -s 192.0.2.1 --low 1000 --high 200000 --resolution 3 --repetitions 3 -d 0.1 " \
	"--threads 1"
#define REPETITIONS 3
#define LIMIT 43210

static struct madeup run;
static uint32_t limit;
static bool moody;         /* sometimes the tester is at fault */
static unsigned cached_at; /* the trial whose names the server knew; 0: none */
static json_t *server;     /* owned: its figures; NULL: none */

/* Its mood depends on the trial alone, so that what is measured anew is the same. */
static json_t *
measure(const struct bench_job *job, struct bench_probe *p, enum bench_outcome *outcome)
{
	(void)job;
	*outcome = p->rate <= limit + p->repetition * 777 ? BENCH_PASSED : BENCH_FAILED;
	if (cached_at == run.n_measured)
		*outcome = BENCH_CACHED;
	if (moody && p->repetition == 2 && p->rate > 50000)
		*outcome = BENCH_NO_VERDICT;
	ck_assert_uint_eq(p->n, bench_bisect_questions(p->rate, 0.1));
	json_t *f = json_pack("{sI,si}", "sent", (json_int_t)p->n, "unknown", 7);
	if (server != NULL)
		(void)json_object_set(f, "server", server);
	return f;
}

static void
set_up(void)
{
	madeup_begin(&run, LINE, measure);
	limit = LIMIT;
	moody = true;
	cached_at = 0;
	server = NULL;
}

static void
tear_down(void)
{
	madeup_end(&run);
	json_decref(server);
}

/* Run it; the rates that were found, and how many trials there were. */
static size_t
results(double rates[static REPETITIONS])
{
	struct bench_run *r = madeup_run(&run, bench_search);
	size_t n = played_rows(r, "trials");

	ck_assert_str_eq(played_failure(r), "");
	ck_assert_uint_eq(played_rows(r, "searches"), REPETITIONS);
	for (size_t i = 0; i < REPETITIONS; i++)
		rates[i] = played_number(r, "searches", i, "rate_passed");
	ck_assert_double_eq_tol(played_number(r, "trials", 0, "seconds"), 0.25, 1e-9);
	bench_run_free(r);
	return n;
}

START_TEST(goes_on_after_every_trial)
{
	double whole[REPETITIONS], then[REPETITIONS];
	size_t n = results(whole);

	ck_assert_uint_eq(n, run.n_measured);
	for (unsigned end_at = 1; end_at <= n; end_at++) {
		madeup_again(&run);
		run.end_at = end_at;
		bench_run_free(madeup_run(&run, bench_search));
		run.end_at = run.n_measured = 0;
		run.next_name++; /* those of the trial that was cut off may have been asked for */
		ck_assert_uint_eq(results(then), n);
		ck_assert_uint_eq(run.n_measured, n - end_at + 1);
		ck_assert_mem_eq(then, whole, sizeof(then));
	}
	/* When all was measured nothing is any more. */
	run.n_measured = 0;
	limit = 1;
	ck_assert_uint_eq(results(then), n);
	ck_assert_uint_eq(run.n_measured, 0);
	ck_assert_mem_eq(then, whole, sizeof(then));
	for (unsigned i = 0; i < REPETITIONS; i++) {
		ck_assert_double_le(whole[i], LIMIT + (i + 1) * 777);
		ck_assert_double_gt(whole[i], LIMIT * 0.97);
	}
}
END_TEST

/* Where the server knew the names the search ends, and who goes on has that trial anew. */
START_TEST(cached_trial_ends_the_search)
{
	double whole[REPETITIONS], then[REPETITIONS];

	moody = false;
	size_t n = results(whole);
	madeup_again(&run);
	cached_at = 3;
	struct bench_run *r = madeup_run(&run, bench_search);
	ck_assert_uint_eq(played_rows(r, "trials"), 3);
	ck_assert_str_eq(json_string_value(played_cell(r, "trials", 2, "verdict")), "cached");
	bench_run_free(r);
	cached_at = run.n_measured = 0;
	ck_assert_uint_eq(results(then), n);
	ck_assert_uint_eq(run.n_measured, n - 2);
	ck_assert_mem_eq(then, whole, sizeof(then));
}
END_TEST

/* A trial that the search would not have asked for, or one without a verdict. */
START_TEST(tells_trials_that_do_not_fit)
{
	static const char *const lines[] = {
		"{\"repetition\":1,\"rate\":1001,\"verdict\":\"passed\",\"seconds\":1}\n",
		"{\"repetition\":2,\"rate\":1000,\"verdict\":\"passed\",\"seconds\":1}\n",
		"{\"repetition\":1,\"rate\":1000,\"verdict\":\"perhaps\",\"seconds\":1}\n",
		"{\"repetition\":1,\"rate\":1000,\"seconds\":1}\n",
		"{}\n",
	};

	run.end_at = 1;
	bench_run_free(madeup_run(&run, bench_search));
	madeup_append(&run, lines[_i]);
	struct bench_run *r = madeup_run(&run, bench_search);
	ck_assert_msg(strstr(played_failure(r), "damaged") != NULL &&
		strstr(played_failure(r), "line 3") != NULL,
	    "%s", played_failure(r));
	bench_run_free(r);
}
END_TEST

/* A server that is restarted may be asked for the same names, from the first one on. */
START_TEST(takes_the_same_names)
{
	double rates[REPETITIONS];

	strcat(run.line, " --restart true");
	ck_assert_uint_eq(results(rates), run.n_measured);
	ck_assert_double_le(rates[0], LIMIT + 777);
}
END_TEST

/* A row has null for what the record lacks; a server that is watched has columns of its own. */
START_TEST(record_becomes_a_row)
{
	static const char *const names[] = { "server_cpu", "server_cpu_per_answer", "server_rss" };

	run.watched = true;
	server = _i == 0 ? json_pack("[i,i,i]", 1, 2, 3) : _i == 1 ? json_pack("[i]", 1) : NULL;
	struct bench_run *r = madeup_run(&run, bench_search);
	ck_assert_double_eq_tol(played_number(r, "trials", 0, "repetition"), 1, 1e-9);
	ck_assert_double_eq_tol(played_number(r, "trials", 0, "rate"), 1000, 1e-9);
	ck_assert_double_eq_tol(played_number(r, "trials", 0, "sent"), 100, 1e-9);
	ck_assert_str_eq(json_string_value(played_cell(r, "trials", 0, "verdict")), "passed");
	ck_assert(json_is_null(played_cell(r, "trials", 0, "rtt_p50")));
	for (int i = 0; i < 3; i++) {
		const json_t *v = played_cell(r, "trials", 0, names[i]);

		ck_assert_int_eq(json_integer_value(v), _i == 0 || (_i == 1 && i == 0) ? i + 1 : 0);
	}
	bench_run_free(r);
}
END_TEST

START_TEST(record_has_numbers)
{
	json_t *r = json_pack("{si,ss,s[i]}", "repetition", 0, "verdict", "passed", "server", 1);

	ck_assert(isnan(bench_record_number(r, "rtt_p50", 0)));
	ck_assert_double_eq_tol(bench_record_number(r, NULL, 0), 1, 1e-9);
	ck_assert(isnan(bench_record_number(r, NULL, 1)));
	ck_assert(isnan(bench_record_number(NULL, NULL, 0)));
	ck_assert(!bench_record_counts(r)); /* a self-test */
	(void)json_object_set_new(r, "repetition", json_integer(1));
	ck_assert(bench_record_counts(r) && bench_record_is(r, BENCH_PASSED));
	ck_assert(!bench_record_is(r, BENCH_FAILED));
	(void)json_object_set_new(r, "verdict", json_string("failed"));
	ck_assert(bench_record_counts(r));
	(void)json_object_set_new(r, "verdict", json_string("tester"));
	ck_assert(!bench_record_counts(r) && bench_record_is(r, BENCH_NO_VERDICT));
	json_decref(r);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_set_timeout(tc, 120);
	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, goes_on_after_every_trial);
	tcase_add_test(tc, cached_trial_ends_the_search);
	tcase_add_loop_test(tc, tells_trials_that_do_not_fit, 0, 5);
	tcase_add_test(tc, takes_the_same_names);
	tcase_add_loop_test(tc, record_becomes_a_row, 0, 3);
	tcase_add_test(tc, record_has_numbers);
}
