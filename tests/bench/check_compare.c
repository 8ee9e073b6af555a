/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of runs side by side: what is said of them, and what is refused. */

#include "bench/compare.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/rng.h"
#include "bench/figures.h"
#include "bench/options.h"
#include "support/scratch.h"
#include "support/tests.h"

#define ROUNDS 12
#define PAIRS_OF_RUNS 200U

static char a[SCRATCH_PATH], b[SCRATCH_PATH], both[3 * SCRATCH_PATH];
static char said[1000];
static char text[8][128];
static struct bench_run *result;

static void
setup(void)
{
	(void)close(scratch_file(a));
	(void)close(scratch_file(b));
}

static void
teardown(void)
{
	bench_run_free(result);
	result = NULL;
	(void)unlink(a);
	(void)unlink(b);
}

/* Write a search to PATH that found these N RATES; its timeout is TIMEOUT. */
static void
write_search(const char *path, const double *rates, size_t n, double timeout)
{
	static const struct bench_column columns[] = { { "repetition", "repetition", "", 0 },
		{ "rate_passed", "highest rate", "1/s", 0 } };
	char name[] = "dns64bench";
	char *argv[] = { name, NULL };
	struct bench_run *r = bench_run_new("search", 1, argv);
	struct bench_table *t = bench_run_table(r, "searches", "", columns, 2);

	bench_run_set(r, "timeout_s", json_real(timeout));
	bench_run_set(r, "zone", json_string("dns64perf.test"));
	bench_run_set(r, "restart",
	    json_sprintf("%0120d%g", 0, timeout)); /* longer than what is told of it */
	for (size_t i = 0; i < n; i++)
		bench_table_add(
		    t, json_pack("[I,I]", (json_int_t)i + 1, (json_int_t)lround(rates[i])));
	ck_assert_int_eq(bench_run_write_json(r, path), 0);
	bench_run_free(r);
}

/* Write a run of METHOD that found RATE in UNIT. */
static void
write_rate(const char *path, const char *method, double rate, const char *unit)
{
	char name[] = "dns64bench";
	char *argv[] = { name, NULL };
	struct bench_run *r = bench_run_new(method, 1, argv);

	bench_run_find(r, "valid per second", json_real(rate), unit);
	ck_assert_int_eq(bench_run_write_json(r, path), 0);
	bench_run_free(r);
}

/* Compare WORDS, up to a NULL, by the command line; what is refused is SAID. */
static bool
compare(const char *const *words)
{
	struct bench_settings s;
	char *argv[10];
	int argc = 2;

	(void)strcpy(text[0], "dns64bench");
	(void)strcpy(text[1], "compare");
	for (; *words != NULL; words++)
		(void)snprintf(text[argc++], sizeof(text[0]), "%s", *words);
	for (int i = 0; i < argc; i++)
		argv[i] = text[i];
	argv[argc] = NULL;
	ck_assert_int_eq(bench_options_read(argc, argv, &s, stderr), CMDLINE_RUN);
	bench_run_free(result);
	result = bench_run_new("compare", argc, argv);
	FILE *errors = fmemopen(memset(said, 0, sizeof(said)), sizeof(said) - 1, "w");
	bool good = bench_compare(&s, result, errors);
	(void)fclose(errors);
	return good;
}

/* The text of the finding NAME; "" if there is none. */
static const char *
finding(const char *name)
{
	const json_t *list = json_object_get(bench_run_tree(result), "findings");

	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *f = json_array_get(list, i);

		if (strcmp(json_string_value(json_object_get(f, "name")), name) == 0)
			return json_string_value(json_object_get(f, "value"));
	}
	return "";
}

static const char *
setting(const char *key)
{
	const char *value = json_string_value(
	    json_object_get(json_object_get(bench_run_tree(result), "settings"), key));

	return value != NULL ? value : "";
}

static void
contains(const char *whole, const char *part)
{
	ck_assert_msg(strstr(whole, part) != NULL, "\"%s\" in \"%s\"", part, whole);
}

/* --- What is said ----------------------------------------------------------------------------- */

static const double slow[] = { 1000, 1010, 990, 1005, 1002, 996 },
		    fast[] = { 1071, 1080, 1062, 1074, 1075, 1066 };

START_TEST(faster_run_is_told_with_its_interval)
{
	const char *const words[] = { "A=", "B=", NULL };
	char first[80], second[80];
	const char *named[] = { first, second, NULL };

	(void)snprintf(first, sizeof(first), "%s%s", words[0], a);
	(void)snprintf(second, sizeof(second), "%s%s", words[1], b);
	write_search(a, slow, 6, 1);
	write_search(b, fast, 6, 1);
	ck_assert(compare(named));
	contains(finding("rate"), "B is 7.1 % faster than A (95 % interval 6.");
	ck_assert_str_eq(setting("settings"), "the same in all of them");
	contains(finding("note"), "not measured in turn");
	ck_assert_int_eq(bench_run_status(result), 0);
	named[0] = second;
	named[1] = first;
	ck_assert(compare(named));
	contains(finding("rate"), "A is 6.6 % slower than B (95 % interval 6.");
}
END_TEST

/* A ratio to a rate that is only the highest tried is none of servers. */
START_TEST(rate_that_is_a_lower_bound_is_told)
{
	const char *const words[] = { a, b, NULL };
	char name[] = "dns64bench", want[200];
	char *argv[] = { name, NULL };
	struct bench_run *r = bench_run_new("rate", 1, argv);

	bench_run_find(r, "valid per second", json_real(1000), "1/s");
	bench_run_find(r, "at least", json_string("--high passed in 1 of 1 searches"), "");
	ck_assert_int_eq(bench_run_write_json(r, a), 0);
	bench_run_free(r);
	write_rate(b, "rate", 500, "1/s");
	ck_assert(compare(words));
	(void)snprintf(
	    want, sizeof(want), "%s: --high passed in 1 of 1 searches: its server may do more", a);
	ck_assert_str_eq(finding("at least"), want);
}
END_TEST

START_TEST(same_run_shows_no_difference)
{
	const char *const words[] = { a, a, NULL };

	write_search(a, slow, 6, 1);
	ck_assert(compare(words));
	contains(finding("rate"), "no difference is shown: ratio 1.000 (95 % interval 1.000 to");
}
END_TEST

START_TEST(few_repetitions_have_no_interval)
{
	const char *const words[] = { a, b, NULL };

	write_search(a, slow, 4, 1);
	write_search(b, fast, 6, 1);
	ck_assert(compare(words));
	contains(finding("rate"), "in 4 rounds: the interval cannot be told of fewer than 5");
}
END_TEST

START_TEST(settings_that_differ_are_told)
{
	const char *const words[] = { a, b, NULL };

	write_search(a, slow, 6, 1);
	write_search(b, fast, 6, 2.5);
	ck_assert(compare(words));
	contains(setting("settings.timeout_s"), ": 1; ");
	contains(setting("settings.timeout_s"), ": 2.5");
	ck_assert_str_ne(setting("settings.restart"), "");
	ck_assert_str_eq(setting("settings.zone"), "");
	ck_assert_str_eq(setting("settings"), "");
}
END_TEST

/* Files of a side are rounds; one that is missing has its partner left out. */
START_TEST(files_are_rounds)
{
	const char *words[] = { both, b, NULL };

	write_search(a, slow, 6, 1);
	write_search(b, fast, 6, 1);
	(void)snprintf(both, sizeof(both), "A=,%s", a);
	ck_assert(compare(words)); /* the second file of the one, the first of the other */
	contains(finding("rate"), "have no round in common");
	(void)snprintf(both, sizeof(both), "A=%s,,%s", a, a);
	ck_assert(compare(words));
	contains(setting("run 1"), "A: 3 files from ");
	ck_assert_str_eq(finding("note"), "");
	contains(finding("rate"), " 7.1 % faster than A");
}
END_TEST

/* A single list of files has its figures told, and no ratio. */
START_TEST(list_alone_is_told)
{
	const char *words[] = { both, NULL };

	write_search(a, slow, 6, 1);
	(void)snprintf(both, sizeof(both), "A=%s,", a);
	ck_assert(compare(words));
	const json_t *t = bench_run_table_of(bench_run_tree(result), "figures");
	ck_assert_double_eq_tol(json_number_value(bench_figures_cell(t, 0, "median")), 1001, 1e-9);
	ck_assert(json_is_null(bench_figures_cell(t, 0, "ratio")));
	ck_assert_str_eq(finding("rate"), "");
}
END_TEST

/* Distributions one above the other, at the points that both have. */
START_TEST(curves_are_overlaid)
{
	static const struct bench_column columns[] = { { "percentile", "percentile", "%", 3 },
		{ "rtt", "RTT", "us", 1 } };
	const char *const words[] = { a, b, NULL };
	char name[] = "dns64bench";
	char *argv[] = { name, NULL };

	for (int i = 0; i < 2; i++) {
		struct bench_run *r = bench_run_new("rate", 1, argv);
		struct bench_table *t = bench_run_table(r, "rtt", "", columns, 2);

		bench_table_add(t, json_pack("[f,f]", 50.0, 20.0 + i));
		bench_table_add(t, json_pack("[f,f]", i == 0 ? 99.0 : 99.9, 30.0));
		bench_run_find(r, "valid per second", json_real(1), "1/s");
		ck_assert_int_eq(bench_run_write_json(r, i == 0 ? a : b), 0);
		bench_run_free(r);
	}
	ck_assert(compare(words));
	const json_t *t = bench_run_table_of(bench_run_tree(result), "rtt");
	ck_assert_double_eq(json_number_value(bench_figures_cell(t, 0, "rtt_1")), 20);
	ck_assert_double_eq(json_number_value(bench_figures_cell(t, 0, "rtt_2")), 21);
	ck_assert_double_eq(json_number_value(bench_figures_cell(t, 1, "rtt_1")), 30);
	ck_assert(json_is_null(bench_figures_cell(t, 1, "rtt_2")));
	ck_assert_str_eq(bench_figures_column(t, "rtt_2").unit, "us");
	ck_assert_str_eq(finding("RTT median"),
	    "ratio 1.050 in 1 round: the interval cannot be told of fewer than 5");
}
END_TEST

/* Names that are no UTF-8 have question marks, and lose nothing. */
START_TEST(names_may_have_any_octets)
{
	const char *words[] = { both, b, NULL };

	write_search(a, slow, 6, 1);
	write_search(b, slow, 6, 2);
	(void)snprintf(both, sizeof(both), "\303=%s", a);
	ck_assert(compare(words));
	ck_assert_int_eq(bench_run_status(result), 0);
	contains(setting("settings.timeout_s"), "?: 1; ");
}
END_TEST

/* A bound that is broken, or that nobody can judge, fails the comparison. */
START_TEST(bounds_are_judged)
{
	const char *const below[] = { "--fail-if", "rate < 1.08", a, b, NULL },
			  *const above[] = { "--fail-if", "rate>1.05", a, b, NULL },
			  *const kept[] = { "--fail-if", "rate < 1.06", "--fail-if", "rate > 1.08",
				  a, b, NULL },
			  *const none[] = { "--fail-if", "cpu > 1", a, b, NULL };

	write_search(a, slow, 6, 1);
	write_search(b, fast, 6, 1);
	ck_assert(compare(below));
	ck_assert_int_eq(bench_run_status(result), 1);
	ck_assert(compare(above));
	ck_assert_int_eq(bench_run_status(result), 1);
	ck_assert(compare(kept));
	ck_assert_int_eq(bench_run_status(result), 0);
	ck_assert(compare(none)); /* nobody can say */
	ck_assert_int_eq(bench_run_status(result), 1);
}
END_TEST

/* A round in which the server found no rate is no round less: it is worse than any bound. */
START_TEST(nothing_found_breaks_a_bound)
{
	static const double half[] = { 1071, 0, 1062, 0, 1075, 0 };
	const char *const words[] = { "--fail-if", "rate < 0.97", a, b, NULL };

	write_search(a, slow, 6, 1);
	write_search(b, half, 6, 1);
	ck_assert(compare(words));
	ck_assert_int_eq(bench_run_status(result), 1);
	contains(
	    json_string_value(json_array_get(json_object_get(bench_run_tree(result), "failed"), 0)),
	    "rate < 0.97: in 3 rounds ");
	/* Nothing at all, in a round of its own. */
	(void)snprintf(both, sizeof(both), "B=%s,%s", a, b);
	char first[2 * SCRATCH_PATH + 10];
	(void)snprintf(first, sizeof(first), "A=%s,%s", a, a);
	const char *const rounds[] = { "--fail-if", "rate < 0.97", first, both, NULL };
	write_search(b, half, 0, 1);
	ck_assert(compare(rounds));
	ck_assert_int_eq(bench_run_status(result), 1);
	/* Fewer repetitions are no fault. */
	const char *const fewer[] = { "--fail-if", "rate < 0.97", a, b, NULL };
	write_search(b, fast, 4, 1);
	ck_assert(compare(fewer));
	ck_assert_int_eq(bench_run_status(result), 0);
}
END_TEST

/* A run that is not good is told with its file. */
START_TEST(failed_runs_are_told)
{
	const char *const words[] = { a, b, NULL };
	char name[] = "dns64bench";
	char *argv[] = { name, NULL };
	struct bench_run *r = bench_run_new("rate", 1, argv);

	bench_run_find(r, "valid per second", json_real(1), "1/s");
	bench_run_fail(r, "the pace was not kept");
	ck_assert_int_eq(bench_run_write_json(r, a), 0);
	bench_run_free(r);
	write_rate(b, "rate", 2, "1/s");
	ck_assert(compare(words));
	contains(finding("not a good run"), a);
	contains(finding("not a good run"), ": the pace was not kept");
}
END_TEST

/* --- What is refused -------------------------------------------------------------------------- */

START_TEST(what_cannot_be_compared_is_refused)
{
	const char *const words[] = { a, b, NULL }, *const one[] = { a, NULL };

	write_rate(a, "rate", 1, "1/s");
	write_rate(b, "soak", 1, "1/s");
	ck_assert(!compare(words));
	contains(said, " is a run of rate, and ");
	contains(said, " one of soak");
	write_rate(b, "rate", 1, "1/min");
	ck_assert(!compare(words));
	contains(said, b);
	contains(said, ": rate is in 1/min, and in others in 1/s");
	ck_assert(!compare(one));
	contains(said, "2 to 8 runs");
	FILE *f = fopen(b, "we");
	ck_assert_ptr_nonnull(f);
	(void)fputs("{ \"program\": \"other\" }", f);
	(void)fclose(f);
	ck_assert(!compare(words));
	contains(said, b);
	contains(said, "not a run of dns64bench");
}
END_TEST

/* --- How often it is right -------------------------------------------------------------------- */

/* A value of the normal distribution (Box and Muller). */
static double
normal(struct rng *rng)
{
	double u = (rng_below(rng, 1U << 30) + 1.0) / (1U << 30);
	double v = (double)rng_below(rng, 1U << 30) / (1U << 30);

	return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

/* Of so many pairs of runs, the second RATIO as fast, how many BEGIN their sentence so. */
static unsigned
count(double ratio, const char *begin)
{
	const char *const words[] = { a, b, NULL };
	double first[ROUNDS], second[ROUNDS];
	unsigned n = 0;
	struct rng rng;

	rng_init_seeded(&rng, 1);
	for (unsigned i = 0; i < PAIRS_OF_RUNS; i++) {
		for (unsigned k = 0; k < ROUNDS; k++) {
			first[k] = 35000 * (1 + 0.03 * normal(&rng));
			second[k] = 35000 * ratio * (1 + 0.03 * normal(&rng));
		}
		write_search(a, first, ROUNDS, 1);
		write_search(b, second, ROUNDS, 1);
		ck_assert(compare(words));
		n += strstr(finding("rate"), begin) != NULL;
	}
	return n;
}

/*
 * Of a server and itself 19 of 20 runs show no difference: that is what the interval says, and what
 * thousands of them come to (check_paired).
 */
START_TEST(equal_runs_rarely_differ)
{
	ck_assert_uint_ge(count(1, "no difference is shown"), PAIRS_OF_RUNS * 19 / 20);
}
END_TEST

/* Of a server that is 5 % slower 9 of 10 runs say so. */
START_TEST(slower_runs_mostly_differ)
{
	ck_assert_uint_ge(count(0.95, " % slower than "), PAIRS_OF_RUNS * 9 / 10);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_set_timeout(tc, 300);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, faster_run_is_told_with_its_interval);
	tcase_add_test(tc, rate_that_is_a_lower_bound_is_told);
	tcase_add_test(tc, same_run_shows_no_difference);
	tcase_add_test(tc, few_repetitions_have_no_interval);
	tcase_add_test(tc, settings_that_differ_are_told);
	tcase_add_test(tc, files_are_rounds);
	tcase_add_test(tc, list_alone_is_told);
	tcase_add_test(tc, curves_are_overlaid);
	tcase_add_test(tc, names_may_have_any_octets);
	tcase_add_test(tc, bounds_are_judged);
	tcase_add_test(tc, nothing_found_breaks_a_bound);
	tcase_add_test(tc, failed_runs_are_told);
	tcase_add_test(tc, what_cannot_be_compared_is_refused);
	tcase_add_test(tc, equal_runs_rarely_differ);
	tcase_add_test(tc, slower_runs_mostly_differ);
}
