/* SPDX-License-Identifier: BSD-2-Clause */
/* Searches for the highest rate: the names they take, their results, matrices of them. */

#include "bench/method.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "bench/madeup.h"
#include "bench/options.h"
#include "bench/played.h"
#include "dns/name.h"
#include "support/benchrig.h"
#include "support/tests.h"

/* --- names ------------------------------------------------------------------------------------ */

/* Names for a search: enough, or how many would do is told. */

/* A search with MORE options, up to a NULL, is there a name for each question? TEXT: what was told.
 */
static bool
fits(const char *const *more, struct bench_settings *s, char text[static 500])
{
	static const char *const common[] = { "dns64bench", "search", "-s", "127.0.0.1" };
	char *argv[20];
	int argc = 0;
	FILE *errors = fmemopen(memset(text, 0, 500), 499, "w");

	ck_assert_ptr_nonnull(errors);
	for (size_t i = 0; i < sizeof(common) / sizeof(common[0]); i++)
		argv[argc++] = (char *)(uintptr_t)common[i];
	for (; *more != NULL; more++)
		argv[argc++] = (char *)(uintptr_t)*more;
	argv[argc] = NULL;
	ck_assert_int_eq(bench_options_read(argc, argv, s, errors), CMDLINE_RUN);
	bool good = bench_search_fits(s, errors);
	(void)fclose(errors);
	return good;
}

/* Too few names for the whole search, or for a trial after each restart: what would do is told. */
START_TEST(too_few_names_are_told)
{
	static const struct {
		const char *options[8];
		const char *told;
	} cases[] = {
		{ { NULL }, "no network has them; a lower --high than 1000000, or --restart" },
		{ { "-d", "5", "--repetitions", "5", "--high", "100000" }, ": a /7 has them" },
		{ { "--restart", "true", "--high", "1000000" }, "up to 60000000: a /6 has them" },
		{ { "--restart", "true", "--namespace", "10.0.0.0/16", "--high", "1093" },
		    ": a /15 has them" },
		{ { "--restart", "true", "--namespace", "10.0.0.0/16" },
		    "up to 60000000: a /6 has" },
		{ { "--restart", "true", "--low", "300000", "--high", "300000" },
		    ": a /7 has them" },
		/* Once this went below --low, and for ever. */
		{ { "--low", "200000" }, "a lower --high than 1000000, or --restart" },
	};
	struct bench_settings s;
	char text[500];

	ck_assert(!fits(cases[_i].options, &s, text));
	ck_assert_msg(strstr(text, cases[_i].told) != NULL, "%s", text);
	ck_assert_msg(strncmp(text, "dns64bench: --namespace: ", 25) == 0, "%s", text);
	ck_assert_ptr_eq(strchr(text, '\n'), text + strlen(text) - 1); /* one line */
}
END_TEST

/* Without --high the search goes about as far as there are names, if that is far enough. */
START_TEST(goes_as_far_as_names)
{
	static const char *const plain[] = { "--restart", "true", NULL };
	static const char *const hits[] = { "--restart", "true", "--hits", "100", NULL };
	static const char *const few[] = { "-d", "5", "--repetitions", "1", NULL };
	static const char *const hot[] = { "--restart", "true", "--hits", "50", "--hot", "16",
		NULL };
	struct bench_settings s;
	char text[500];

	ck_assert(fits(plain, &s, text));
	ck_assert_uint_le(s.high, 279620);
	ck_assert_uint_gt(s.high, 279620 * 94 / 100);
	ck_assert(fits(hot, &s, text));
	ck_assert_uint_le(s.high, 279620);
	ck_assert(fits(few, &s, text));
	ck_assert_uint_gt(s.high, 300000);
	ck_assert_uint_lt(s.high, 400000);
	ck_assert(fits(hits, &s, text));
	ck_assert_uint_eq(s.high, 1000000);
}
END_TEST

/* The names must do for all shares of hits; other shares of AAAA have names of their own. */
START_TEST(names_are_counted_for_each_zone)
{
	static const char common[] = "-s 192.0.2.1 --namespace 10.0.0.0/24 --low 100 --high 100 "
				     "-d 1 --repetitions 1 --hot 20";
	struct bench_settings settings;
	char text[300];
	FILE *null = fopen("/dev/null", "we");

	(void)snprintf(text, sizeof(text), "matrix %s --hits 0,50 --aaaa 0,50,100", common);
	played_settings(text, &settings);
	ck_assert(bench_search_fits(&settings, null));
	(void)snprintf(text, sizeof(text), "matrix %s --hits 0,50,60 --aaaa 0", common);
	played_settings(text, &settings);
	ck_assert(!bench_search_fits(&settings, null));
	(void)fclose(null);
}
END_TEST

static void
add_names(TCase *tc)
{
	tcase_add_loop_test(tc, too_few_names_are_told, 0, 7);
	tcase_add_test(tc, goes_as_far_as_names);
	tcase_add_test(tc, names_are_counted_for_each_zone);
}

/* --- one cell --------------------------------------------------------------------------------- */

/* Searches whose trials are given. */

#define LINE \
	"search -s 192.0.2.1 -d 0.8 --low 50 --high 100 --resolution 10 --repetitions 2 " \
	"--timeout 5"

struct trial {
	unsigned repetition, rate;
	enum bench_outcome outcome;
};

/* Two searches. */
static const struct trial by_server[] = { { 1, 50, BENCH_PASSED }, { 1, 71, BENCH_FAILED },
	{ 1, 60, BENCH_PASSED }, { 1, 65, BENCH_FAILED }, { 2, 71, BENCH_PASSED },
	{ 2, 84, BENCH_FAILED }, { 2, 77, BENCH_FAILED }, { 0, 0, BENCH_FAILED } };

/* The end of the second one is the tester's. */
static const struct trial by_tester[] = { { 1, 50, BENCH_PASSED }, { 1, 71, BENCH_FAILED },
	{ 1, 60, BENCH_PASSED }, { 1, 65, BENCH_FAILED }, { 2, 71, BENCH_NO_VERDICT },
	{ 2, 60, BENCH_PASSED }, { 2, 65, BENCH_PASSED }, { 0, 0, BENCH_FAILED } };

static struct madeup one;
static const struct trial *given; /* up to one without a rate; NULL: all up to 50 pass */

/* Each has an RTT and a server's CPU. */
static json_t *
measure(const struct bench_job *job, struct bench_probe *p, enum bench_outcome *outcome)
{
	const struct trial *t = given;

	(void)job;
	*outcome = p->rate <= 50 ? BENCH_PASSED : BENCH_FAILED;
	for (; t != NULL && (t->repetition != p->repetition || t->rate != p->rate); t++)
		ck_assert_uint_gt(t->rate, 0);
	if (t != NULL)
		*outcome = t->outcome;
	return json_pack("{si,si,sf,s[f,f,f,i]}", "sent", 40, "valid", 40, "rtt_p50",
	    10.0 * p->rate, "server", (double)p->rate, p->rate / 10 + 0.5, 8.0, 9);
}

static void
begin_one(void)
{
	madeup_begin(&one, LINE, measure);
	given = by_server;
}

static void
end_one(void)
{
	madeup_end(&one);
}

static struct bench_run *
search(void)
{
	return madeup_run(&one, bench_search);
}

/* Results of 60 and 71, at which the first has failed: by hand. The figures besides are those of
 * the trials that found them.
 */
START_TEST(statistics_are_those_of_the_papers)
{
	static const struct {
		const char *name;
		double value;
	} found[] = {
		{ "median", 65.5 },
		{ "mean", 65.5 },
		{ "deviation", 7.778175 }, /* 11 / sqrt(2) */
		{ "MAD", 5.5 * 1.4826 },
		/* t of 99.9 % and one degree of freedom is 636.619. */
		{ "margin 99.9 %", 636.619249 * 5.5 },
		{ "rtt median", 655 },
		{ "rtt median deviation", 77.781746 },
		{ "server CPU", 65.5 },
		{ "server CPU per answer", 7 },
	};
	struct bench_run *r = search();

	ck_assert_str_eq(played_failure(r), "");
	for (size_t i = 0; i < sizeof(found) / sizeof(found[0]); i++)
		ck_assert_double_eq_tol(
		    played_value(r, found[i].name), found[i].value, 1e-5 * found[i].value);
	ck_assert_ptr_null(played_found(r, "rtt p99"));
	ck_assert_str_eq(played_text(r, "failed below a rate that passed"),
	    "65/s in repetition 1, while 71/s passed in repetition 2 (1 trial in all)");
	bench_run_free(r);
}
END_TEST

/* A search whose end is the tester's does not count: neither its rate nor what was besides. */
START_TEST(search_spoilt_by_the_tester_does_not_count)
{
	given = by_tester;
	struct bench_run *r = search();

	ck_assert_str_eq(played_failure(r), "");
	ck_assert_double_eq_tol(played_value(r, "searches"), 1, 1e-9);
	ck_assert_double_eq_tol(played_value(r, "median"), 60, 1e-9);
	ck_assert_double_eq_tol(played_value(r, "max"), 60, 1e-9);
	ck_assert_double_eq_tol(played_value(r, "rtt median"), 600, 1e-9);
	ck_assert_str_eq(
	    played_text(r, "searches spoilt by the tester"), "1 of 2, which do not count");
	ck_assert_uint_eq(played_rows(r, "searches"), 2);
	ck_assert_uint_eq(one.n_measured, 4 + 6 + 2); /* the tester's was repeated */
	bench_run_free(r);
}
END_TEST

/* What is not what RFC 8219 wants to be measured does not look so. */
START_TEST(percentiles_are_of_the_rfc_only)
{
	struct bench_run *r = search();

	ck_assert_str_eq(
	    played_text(r, "repetitions"), "2 trials of 0.8 s, not RFC 8219 (20 of 60 s)");
	ck_assert_ptr_null(played_found(r, "p1"));
	ck_assert_ptr_null(played_found(r, "p99"));
	ck_assert_ptr_null(played_found(r, "calculated rate"));
	bench_run_free(r);
	strcat(one.line, " --calculated-rate");
	r = search();
	ck_assert_double_eq_tol(played_value(r, "calculated rate"), 65.5 * 0.8 / 5.8, 1e-6);
	bench_run_free(r);
}
END_TEST

/* Twenty searches of 60 s, each of which passes 50 and fails at 51. */
START_TEST(rfc_has_its_percentiles)
{
	given = NULL;
	strcat(one.line, " --high 51 -d 60 --repetitions 20");
	struct bench_run *r = search();

	ck_assert_str_eq(played_failure(r), "");
	ck_assert_double_eq_tol(played_value(r, "p1"), 50, 1e-9);
	ck_assert_double_eq_tol(played_value(r, "p99"), 50, 1e-9);
	ck_assert_ptr_null(played_found(r, "repetitions"));
	ck_assert_ptr_null(played_found(r, "failed below a rate that passed"));
	bench_run_free(r);
}
END_TEST

/* Interrupted: no trial counts, and that is no failure of the search. */
START_TEST(interrupted_search_counts_no_trial)
{
	one.end_at = 1;
	struct bench_run *r = search();

	ck_assert_str_eq(played_failure(r), "");
	ck_assert_uint_eq(played_rows(r, "trials"), 0);
	bench_run_free(r);
}
END_TEST

/* Without --first the names go on as they began; with it that, as all settings, must hold. */
START_TEST(other_settings_are_refused)
{
	static const struct {
		const char *options, *failure;
	} cases[] = {
		{ "", "" },
		{ " --first 8", "first was 7 and is 8 now" },
		{ " --aaaa 80", "aaaa_percent was 0 and is 80 now" },
	};
	char line[MADEUP_LINE];

	memcpy(line, one.line, sizeof(line));
	strcat(one.line, " --first 7");
	bench_run_free(search());
	(void)snprintf(one.line, sizeof(one.line), "%s%s", line, cases[_i].options);
	one.n_measured = 0;
	struct bench_run *r = search();
	ck_assert_msg(
	    strstr(played_failure(r), cases[_i].failure) != NULL, "%s", played_failure(r));
	ck_assert_uint_eq(one.n_measured, 0);
	ck_assert_int_eq(*played_failure(r) == '\0', _i == 0);
	bench_run_free(r);
}
END_TEST

/* The tester can ask for 180 in a second, and the server answer 60. */
static json_t *
measure_both(const struct bench_job *job, struct bench_probe *p, enum bench_outcome *outcome)
{
	(void)job;
	*outcome = p->rate <= (p->repetition == 0 ? 180 : 60) ? BENCH_PASSED : BENCH_FAILED;
	return json_pack("{si,si}", "sent", 40, "valid", 40);
}

/*
 * The self-test asks for the same names each time, as nothing caches them (madeup looks at that):
 * it takes none from the searches, which ask for new ones each time. What it passes limits them.
 */
START_TEST(self_test_takes_no_names)
{
	one.trial = measure_both;
	strcat(one.line, " --upstream 192.0.2.2");
	struct bench_run *r = search();

	ck_assert_str_eq(played_failure(r), "");
	ck_assert_double_eq_tol(played_value(r, "self-test"), 170, 1e-9);
	ck_assert_double_eq_tol(played_value(r, "measurable"), 77, 1e-9); /* of 170 / 2.2 */
	for (size_t i = 0; i < played_rows(r, "trials"); i++) {
		unsigned repetition = (unsigned)played_number(r, "trials", i, "repetition");

		ck_assert_int_eq(repetition == 0, i < 5); /* 220, 110, 156, 185, 170 */
		ck_assert_double_le(
		    played_number(r, "trials", i, "rate"), repetition == 0 ? 220 : 77);
	}
	ck_assert_uint_gt(one.next_name, 0);
	bench_run_free(r);
}
END_TEST

static void
add_one(TCase *tc)
{
	tcase_add_checked_fixture(tc, begin_one, end_one);
	tcase_add_test(tc, statistics_are_those_of_the_papers);
	tcase_add_test(tc, search_spoilt_by_the_tester_does_not_count);
	tcase_add_test(tc, percentiles_are_of_the_rfc_only);
	tcase_add_test(tc, rfc_has_its_percentiles);
	tcase_add_test(tc, interrupted_search_counts_no_trial);
	tcase_add_test(tc, self_test_takes_no_names);
	tcase_add_loop_test(tc, other_settings_are_refused, 0, 3);
}

/* --- real ------------------------------------------------------------------------------------- */

/* Whole searches against a server on loopback that has AAAA for all names. */

#define REAL "search -d 0.8 --low 50 --high 100 --resolution 50 --repetitions 2 --timeout 5 "

static struct benchrig rig;

/* A search with OPTIONS, and with a self-test by UPSTREAM unless that is NULL. */
static const struct bench_run *
search_real(const char *options, const char *upstream)
{
	char line[MADEUP_LINE];

	(void)snprintf(line, sizeof(line), REAL "%s", options);
	benchrig_begin(&rig, line);
	rig.job.out = stderr;
	if (upstream != NULL)
		ck_assert(netaddr_parse(upstream, fake_server_settings(rig.server)->listen[0].port,
		    &rig.settings.upstream));
	bench_search(&rig.job);
	return rig.job.run;
}

/* On a machine that is busy otherwise the tester may not keep its pace: then the same anew, for
 * long.
 */
static const struct bench_run *
search_in_pace(const char *options, const char *upstream)
{
	const uint64_t end_ns = clock_now_ns() + 200 * NS_PER_SEC;
	const struct bench_run *r = search_real(options, upstream);

	while (clock_now_ns() < end_ns &&
	    (strstr(played_failure(r), "tester") != NULL ||
		strstr(played_failure(r), "pace") != NULL)) {
		benchrig_stop(&rig, NULL);
		r = search_real(options, upstream);
	}
	return r;
}

/* The upper rate passes, which is told; the self-test before it too, with and without restarts. */
START_TEST(upper_rate_that_passes_is_told)
{
	const struct bench_run *r =
	    search_in_pace(_i == 0 ? "--aaaa 100 --restart true" : "--aaaa 100", "127.0.0.1");

	ck_assert_str_eq(played_failure(r), "");
	ck_assert_double_eq_tol(played_value(r, "median"), 100, 1e-9);
	ck_assert_double_eq_tol(played_value(r, "self-test, at least"), 220, 1e-9);
	ck_assert_double_eq_tol(played_value(r, "measurable"), 100, 1e-9);
	ck_assert_str_eq(played_text(r, "at least"), "--high passed in 2 of 2 searches");
	ck_assert_uint_eq(played_rows(r, "searches"), 2);
	benchrig_stop(&rig, NULL);
}
END_TEST

/* Answers that are none, as those names have no AAAA: it is over at once. */
START_TEST(wrong_answers_end_the_search)
{
	const struct bench_run *r = search_in_pace("--prefix 64:ff9b::/96", NULL);

	ck_assert_msg(strstr(played_failure(r), "fails at --low 50 already: 0 of 40") != NULL, "%s",
	    played_failure(r));
	ck_assert_uint_eq(played_rows(r, "searches"), 0);
	ck_assert_uint_ge(played_rows(r, "trials"), 1); /* 2 if the first had no verdict */
	ck_assert_ptr_null(played_found(r, "median"));
	benchrig_stop(&rig, NULL);
}
END_TEST

/* A restart that fails, or an upstream that does not answer, ends the search. */
START_TEST(nothing_can_be_measured)
{
	const struct bench_run *r = _i == 0 ? search_real("--restart false", NULL)
					    : search_real("--timeout 1", "127.0.0.2");

	ck_assert_msg(strstr(played_failure(r), _i == 0 ? "exit code 1" : "self-test:") != NULL,
	    "%s", played_failure(r));
	ck_assert_uint_eq(played_rows(r, "searches"), 0);
	ck_assert_uint_eq(played_rows(r, "trials") > 0, _i == 1);
	benchrig_stop(&rig, NULL);
}
END_TEST

static void
add_real(TCase *tc)
{
	tcase_set_timeout(tc, 300);
	tcase_add_loop_test(tc, upper_rate_that_passes_is_told, 0, 2);
	tcase_add_test(tc, wrong_answers_end_the_search);
	tcase_add_loop_test(tc, nothing_can_be_measured, 0, 2);
}

/* --- matrix ----------------------------------------------------------------------------------- */

/* Hits by names with AAAA, of a server that is made up. */

#define MATRIX \
	"matrix -s 192.0.2.1 --low 500 --high 20000 --resolution 1 --repetitions 3 -d 0.1 " \
	"--hits 0,40,100 --aaaa 100,20"
#define N_HITS 3
#define N_AAAA 2
#define N_CELLS (N_HITS * N_AAAA)
#define REPETITIONS 3

static struct madeup matrix;
static unsigned bad_hits, tester_hits, late_hits, last_aaaa;
static bool tester_always;
static unsigned bad_repetition; /* bad_hits in this one only; 0: in all */

/* What the server can do: more with hits, a little more with AAAA, and by repetition. */
static uint32_t
able(unsigned hits, unsigned aaaa, unsigned repetition)
{
	return 1000 + 100 * hits + 10 * aaaa + 30 * repetition;
}

/* The settings are those of the cell: hits as the load has them, AAAA as the zone's name says. */
static void
check_settings(
    const struct bench_job *job, const struct bench_probe *p, unsigned *hits, unsigned *aaaa)
{
	const struct bench_load *l = &job->settings->plan.load;
	char zone[NAME_TEXT], want[NAME_TEXT];

	*hits = (unsigned)json_integer_value(json_object_get(p->cell, "hits"));
	*aaaa = (unsigned)json_integer_value(json_object_get(p->cell, "aaaa"));
	unsigned n = 0;
	for (unsigned i = 0; i < 100; i++)
		n += l->mix[i] == BENCH_HIT;
	ck_assert_uint_eq(n, *hits);
	ck_assert_uint_eq(l->zone.aaaa_percent, *aaaa);
	(void)snprintf(want, sizeof(want), "aaaa-%u.dns64perf.test.", *aaaa);
	ck_assert_str_eq(name_to_text(l->zone.name, zone), want);
	ck_assert_uint_eq(l->zone.len, name_len(l->zone.name));
}

/* Each zone begins with the first name. */
static void
check_names(const struct bench_probe *p, unsigned aaaa)
{
	if (aaaa == last_aaaa)
		return;
	last_aaaa = aaaa;
	matrix.next_name = 0;
	if (matrix.end_at == 0 && matrix.n_measured > 1)
		ck_assert_uint_eq(p->first, 0);
}

static json_t *
measure_cell(const struct bench_job *job, struct bench_probe *p, enum bench_outcome *outcome)
{
	unsigned hits, aaaa;

	check_settings(job, p, &hits, &aaaa);
	check_names(p, aaaa);
	*outcome = hits != bad_hits && p->rate <= able(hits, aaaa, p->repetition) ? BENCH_PASSED
										  : BENCH_FAILED;
	if (bad_repetition > 0 && p->repetition != bad_repetition)
		*outcome = p->rate <= able(hits, aaaa, p->repetition) ? BENCH_PASSED : BENCH_FAILED;
	if (hits == tester_hits && (p->repetition == 2 || tester_always) && p->rate > 3000)
		*outcome = BENCH_NO_VERDICT;
	return json_pack("{sI,sf,s[i,f,i,i]}", "sent", (json_int_t)p->n, "lag_max",
	    hits == late_hits ? 15000.0 : 10000.0, "server",
	    (int)hits + 1 + 10 * ((int)p->repetition - 2), aaaa / 4.0, 1, 2);
}

static void
begin_matrix(void)
{
	madeup_begin(&matrix, MATRIX, measure_cell);
	matrix.watched = true;
	bad_hits = tester_hits = late_hits = 101;
	tester_always = false;
	bad_repetition = last_aaaa = 0;
}

static void
end_matrix(void)
{
	madeup_end(&matrix);
}

static struct bench_run *
run(void)
{
	return madeup_run(&matrix, bench_search);
}

static const char *
limit_of(const struct bench_run *r, size_t search)
{
	return json_string_value(played_cell(r, "searches", search, "limit"));
}

/* Within the resolution. */
static void
is_about(double rate, unsigned hits, unsigned aaaa, unsigned repetition)
{
	double most = able(hits, aaaa, repetition);

	ck_assert_double_le(rate, most);
	ck_assert_double_ge(rate, most * 0.99 - 1);
}

/* Hits by AAAA as they were given, and of each all its searches. */
static void
check_cells(const struct bench_run *r)
{
	static const unsigned hits[] = { 0, 40, 100 }, aaaa[] = { 100, 20 };

	ck_assert_str_eq(played_failure(r), "");
	ck_assert_uint_eq(played_rows(r, "searches"), N_CELLS * REPETITIONS);
	for (unsigned i = 0; i < N_CELLS * REPETITIONS; i++) {
		unsigned h = hits[i / REPETITIONS % N_HITS], a = aaaa[i / REPETITIONS / N_HITS];
		unsigned repetition = i % REPETITIONS + 1;

		ck_assert_double_eq_tol(played_number(r, "searches", i, "hits"), h, 1e-9);
		ck_assert_double_eq_tol(played_number(r, "searches", i, "aaaa"), a, 1e-9);
		ck_assert_double_eq_tol(
		    played_number(r, "searches", i, "repetition"), repetition, 1e-9);
		is_about(played_number(r, "searches", i, "rate_passed"), h, a, repetition);
		ck_assert_str_eq(limit_of(r, i), "server");
	}
}

START_TEST(each_cell_has_its_rate)
{
	struct bench_run *r = run();

	check_cells(r);
	ck_assert_uint_eq(played_rows(r, "trials"), matrix.n_measured);
	bench_run_free(r);
}
END_TEST

/* Ended at any trial it goes on there, with the cell that it was in. */
START_TEST(goes_on_after_any_trial)
{
	bench_run_free(run());
	unsigned whole = matrix.n_measured;

	for (unsigned at = 1; at <= whole; at += 1 + at / 8) {
		madeup_again(&matrix);
		matrix.end_at = at;
		bench_run_free(run());
		matrix.end_at = matrix.n_measured = 0;
		struct bench_run *r = run();
		check_cells(r);
		ck_assert_uint_eq(matrix.n_measured, whole - at + 1);
		ck_assert_uint_eq(played_rows(r, "trials"), whole);
		bench_run_free(r);
	}
}
END_TEST

/* A record of another cell than that which comes is damage, not a result. */
START_TEST(state_with_another_cell_is_refused)
{
	matrix.end_at = 2;
	bench_run_free(run());
	madeup_replace(&matrix, "\"aaaa\":100}", "\"aaaa\":101}");
	struct bench_run *r = run();
	ck_assert_msg(
	    strstr(played_failure(r), "of another cell (line 3)") != NULL, "%s", played_failure(r));
	bench_run_free(r);
}
END_TEST

START_TEST(state_of_other_lists_is_refused)
{
	static const struct {
		const char *was, *is, *told;
	} cases[] = {
		{ "--hits 0,40,100", "--hits 0,41,100",
		    "hits_percent was \"0,40,100\" and is \"0,41" },
		{ "--aaaa 100,20", "--aaaa 20,100",
		    "aaaa_percent was \"100,20\" and is \"20,100\"" },
		{ "--repetitions 3", "--repetitions 4", "repetitions was 3 and is 4" },
	};

	matrix.end_at = 2;
	bench_run_free(run());
	madeup_edit(&matrix, cases[_i].was, cases[_i].is);
	struct bench_run *r = run();
	ck_assert_msg(strstr(played_failure(r), cases[_i].told) != NULL, "%s", played_failure(r));
	bench_run_free(r);
}
END_TEST

/* A cell whose lowest rate fails has no rate; the others have theirs. */
START_TEST(failing_cell_does_not_end_the_others)
{
	bad_hits = 40;
	struct bench_run *r = run();

	ck_assert_str_eq(played_failure(r), "--low failed in 2 of 6 cells");
	ck_assert_uint_eq(played_rows(r, "searches"), (N_CELLS - 2) * REPETITIONS);
	for (size_t i = 0; i < played_rows(r, "searches"); i++) {
		ck_assert_double_gt(fabs(played_number(r, "searches", i, "hits") - bad_hits), 1);
		ck_assert_str_eq(limit_of(r, i), "server");
	}
	bench_run_free(r);
}
END_TEST

/* One result of a cell that is not the server's makes its figures wrong. */
START_TEST(one_failing_search_is_told)
{
	bad_hits = 40;
	bad_repetition = 2;
	struct bench_run *r = run();

	ck_assert_str_eq(played_failure(r), "--low failed in 2 of 6 cells");
	ck_assert_double_eq_tol(
	    played_number(r, "searches", REPETITIONS + 1, "rate_passed"), 0, 1e-9);
	ck_assert_str_eq(limit_of(r, REPETITIONS + 1), "low");
	is_about(played_number(r, "searches", REPETITIONS + 2, "rate_passed"), 40, 100, 3);
	bench_run_free(r);
}
END_TEST

/* A search whose end is the tester's is no result of its cell; if all are, it has none. */
START_TEST(searches_by_the_tester_do_not_count)
{
	tester_hits = 40;
	tester_always = _i == 1;
	struct bench_run *r = run();

	ck_assert_str_eq(played_failure(r),
	    _i == 0 ? ""
		    : "the tester is the limit in 2 of 6 cells: it did not keep its pace, or lost "
		      "replies");
	ck_assert_str_eq(played_text(r, "searches spoilt by the tester"),
	    _i == 0 ? "2 of 18, which do not count" : "6 of 18, which do not count");
	/* The table of searches has them all the same. */
	ck_assert_uint_eq(played_rows(r, "searches"), N_CELLS * REPETITIONS);
	for (unsigned i = 0; i < REPETITIONS; i++) {
		bool spoilt = _i == 1 || i == 1;

		ck_assert_str_eq(limit_of(r, REPETITIONS + i), spoilt ? "tester" : "server");
	}
	bench_run_free(r);
}
END_TEST

/* A trial that counts, but in which questions left over 1 % of the timeout late. */
START_TEST(late_questions_are_told)
{
	struct bench_run *r = run();

	ck_assert_ptr_null(played_found(r, "note"));
	bench_run_free(r);
	madeup_again(&matrix);
	late_hits = 40;
	r = run();
	ck_assert_str_eq(
	    played_text(r, "note"), "a question left 15 ms late, over 1 % of the timeout");
	bench_run_free(r);
}
END_TEST

/* What a later repetition can do, the first could not: each cell says so. */
START_TEST(rate_that_failed_below_one_that_passed_is_told)
{
	struct bench_run *r = run();
	const char *text = played_text(r, "failed below a rate that passed");

	ck_assert_msg(strncmp(text, "hits 0, aaaa 100: 20", 20) == 0, "%s", text);
	ck_assert_msg(strstr(text, "/s in repetition 1, while 20") != NULL, "%s", text);
	bench_run_free(r);
}
END_TEST

/* What is less than the RFC wants says so. */
START_TEST(less_than_the_rfc_wants_is_told)
{
	static const struct {
		unsigned repetitions;
		double duration;
		bool rfc;
	} cases[] = { { 20, 60, true }, { 19, 60, false }, { 20, 59, false } };

	(void)snprintf(matrix.line, sizeof(matrix.line),
	    "matrix -s 192.0.2.1 --low 100 --high 100 --repetitions %u -d %g --hits 0 --aaaa 0",
	    cases[_i].repetitions, cases[_i].duration);
	struct bench_run *r = run();
	ck_assert_int_eq(played_found(r, "repetitions") == NULL, cases[_i].rfc);
	bench_run_free(r);
}
END_TEST

/* The lists that the paper and the RFC have. */
START_TEST(lists_are_those_of_the_paper)
{
	struct bench_settings settings;

	played_settings("matrix -s 192.0.2.1", &settings);
	ck_assert_uint_eq(settings.hits.n, 6);
	ck_assert_uint_eq(settings.aaaa.n, 6);
	for (unsigned i = 0; i < 6; i++) {
		ck_assert_uint_eq(settings.hits.percent[i], 20 * i);
		ck_assert_uint_eq(settings.aaaa.percent[i], 20 * i);
	}
}
END_TEST

static void
add_matrix(TCase *tc)
{
	tcase_set_timeout(tc, 120);
	tcase_add_checked_fixture(tc, begin_matrix, end_matrix);
	tcase_add_test(tc, each_cell_has_its_rate);
	tcase_add_test(tc, goes_on_after_any_trial);
	tcase_add_test(tc, state_with_another_cell_is_refused);
	tcase_add_loop_test(tc, state_of_other_lists_is_refused, 0, 3);
	tcase_add_test(tc, failing_cell_does_not_end_the_others);
	tcase_add_test(tc, one_failing_search_is_told);
	tcase_add_loop_test(tc, searches_by_the_tester_do_not_count, 0, 2);
	tcase_add_test(tc, late_questions_are_told);
	tcase_add_test(tc, rate_that_failed_below_one_that_passed_is_told);
	tcase_add_loop_test(tc, less_than_the_rfc_wants_is_told, 0, 3);
	tcase_add_test(tc, lists_are_those_of_the_paper);
}

void
tests_add(TCase *tc)
{
	add_names(tc);
	add_one(tests_case("one"));
	add_real(tests_case("real"));
	add_matrix(tests_case("matrix"));
}
