/* SPDX-License-Identifier: BSD-2-Clause */
/* The search for the highest rate, and the names that it takes. */

#include "bench/method.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "bench/options.h"
#include "fakedns/server.h"
#include "support/scratch.h"
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

static void
add_names(TCase *tc)
{
	tcase_add_loop_test(tc, too_few_names_are_told, 0, 7);
	tcase_add_test(tc, goes_as_far_as_names);
}

/* --- search ----------------------------------------------------------------------------------- */

/* Whole searches against a server on loopback that has AAAA for all names. */

static struct fake_settings fake;
static struct fake_server *server;
static struct bench_tally tally;
static atomic_bool stop;
static char state[SCRATCH_PATH], port[16], upstream[32];

static void
set_up(void)
{
	static const uint8_t zone[] = "\011dns64perf\004test";
	struct netaddr failed;

	memset(&fake, 0, sizeof(fake));
	fake_zone_init(&fake.policy.zone, zone);
	fake.policy.zone.aaaa_percent = 100;
	fake.policy.ttl = 300;
	fake.policy.negative_ttl = 60;
	fake.n_threads = 1;
	fake.n_listen = 1;
	ck_assert(netaddr_parse("127.0.0.1", 0, &fake.listen[0]));
	ck_assert_int_eq(fake_server_new(&fake, &server, &failed), 0);
	ck_assert_int_eq(fake_server_start(server), 0);
	(void)snprintf(port, sizeof(port), "%u", fake_server_settings(server)->listen[0].port);
	(void)snprintf(upstream, sizeof(upstream), "127.0.0.1#%s", port);
	(void)close(scratch_file(state));
	stop = false;
}

static void
tear_down(void)
{
	struct fake_counters sum;

	fake_server_stop(server, &sum);
	fake_server_free(server);
	(void)unlink(state);
}

/* A search from 50 to 100 with MORE options, up to a NULL. */
static struct bench_run *
search(const char *const *more)
{
	static const char *const common[] = { "dns64bench", "search", "-s", "127.0.0.1", "-d",
		"0.8", "--low", "50", "--high", "100", "--resolution", "50", "--repetitions", "2",
		"--transport", "udp", "-p", port, "--timeout", "5" };
	char *argv[40];
	int argc = 0;
	struct bench_settings s;

	for (size_t i = 0; i < sizeof(common) / sizeof(common[0]); i++)
		argv[argc++] = (char *)(uintptr_t)common[i];
	for (; *more != NULL; more++)
		argv[argc++] = (char *)(uintptr_t)*more;
	argv[argc] = NULL;
	ck_assert_int_eq(bench_options_read(argc, argv, &s, stderr), CMDLINE_RUN);
	bench_search_resume(&s);
	struct bench_run *r = bench_run_new("search", argc, argv);
	struct bench_job job = { .settings = &s, .run = r, .stop = &stop, .tally = &tally };
	ck_assert_ptr_nonnull(r);
	bench_search(&job);
	return r;
}

/* The value of a finding, NULL if there is none. */
static const json_t *
finding(const struct bench_run *r, const char *name)
{
	const json_t *list = json_object_get(bench_run_tree(r), "findings");

	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *f = json_array_get(list, i);

		if (strcmp(json_string_value(json_object_get(f, "name")), name) == 0)
			return json_object_get(f, "value");
	}
	return NULL;
}

static const char *
failure(const struct bench_run *r)
{
	const char *text =
	    json_string_value(json_array_get(json_object_get(bench_run_tree(r), "failed"), 0));

	return text != NULL ? text : "";
}

static size_t
n_rows(const struct bench_run *r, size_t table)
{
	const json_t *tables = json_object_get(bench_run_tree(r), "tables");

	return json_array_size(json_object_get(json_array_get(tables, table), "rows"));
}

/* On a machine that is busy otherwise the tester may not keep its pace: then the same anew, for
 * long. */
static struct bench_run *
search_in_pace(const char *const *more)
{
	const uint64_t end_ns = clock_now_ns() + 200 * NS_PER_SEC;
	struct bench_run *r = search(more);

	while (clock_now_ns() < end_ns &&
	    (strstr(failure(r), "tester") != NULL || strstr(failure(r), "pace") != NULL)) {
		bench_run_free(r);
		ck_assert_int_eq(truncate(state, 0), 0);
		r = search(more);
	}
	return r;
}

/* The upper rate passes, which is told; the self-test before it too. */
START_TEST(upper_rate_that_passes_is_told)
{
	const char *const options[] = { "--aaaa", "100", "--upstream", upstream, "--state", state,
		"--restart", "true", NULL };
	struct bench_run *r = search_in_pace(options);

	ck_assert_str_eq(failure(r), "");
	ck_assert_double_eq_tol(json_number_value(finding(r, "median")), 100, 1e-9);
	ck_assert_int_eq(json_integer_value(finding(r, "self-test, at least")), 220);
	ck_assert_int_eq(json_integer_value(finding(r, "measurable")), 100);
	ck_assert_str_eq(
	    json_string_value(finding(r, "at least")), "--high passed in 2 of 2 searches");
	ck_assert_uint_eq(n_rows(r, 0), 2);
	size_t n_trials = n_rows(r, 1);
	bench_run_free(r);

	/* With all in the state file nobody is asked any more. */
	struct fake_counters sum;
	fake_server_stop(server, &sum);
	r = search(options);
	ck_assert_str_eq(failure(r), "");
	ck_assert_double_eq_tol(json_number_value(finding(r, "median")), 100, 1e-9);
	ck_assert_uint_eq(n_rows(r, 1), n_trials);
	bench_run_free(r);
	ck_assert_int_eq(fake_server_start(server), 0);
}
END_TEST

/* A trial that was measured. */
struct trial {
	int repetition, rate;
	enum bench_outcome outcome;
};

/* Two searches. */
static const struct trial by_server[] = { { 1, 50, BENCH_PASSED }, { 1, 71, BENCH_FAILED },
	{ 1, 60, BENCH_PASSED }, { 1, 65, BENCH_FAILED }, { 2, 71, BENCH_PASSED },
	{ 2, 84, BENCH_FAILED }, { 2, 77, BENCH_FAILED } };

/* The end of the second one is the tester's. */
static const struct trial by_tester[] = { { 1, 50, BENCH_PASSED }, { 1, 71, BENCH_FAILED },
	{ 1, 60, BENCH_PASSED }, { 1, 65, BENCH_FAILED }, { 2, 71, BENCH_NO_VERDICT },
	{ 2, 71, BENCH_NO_VERDICT }, { 2, 71, BENCH_NO_VERDICT }, { 2, 71, BENCH_NO_VERDICT },
	{ 2, 71, BENCH_NO_VERDICT }, { 2, 71, BENCH_NO_VERDICT }, { 2, 60, BENCH_PASSED },
	{ 2, 65, BENCH_PASSED } };

/* A state file with N TRIALS of two searches that are done, each with an RTT and a server's CPU. */
static void
write_trials(const struct trial *trials, size_t n)
{
	const char *const options[] = { "--resolution", "10", "--state", state, NULL };
	FILE *f;

	stop = true;
	bench_run_free(search(options));
	stop = false;
	f = fopen(state, "ae");
	ck_assert_ptr_nonnull(f);
	for (size_t i = 0; i < n; i++)
		ck_assert_int_gt(
		    fprintf(f,
			"{\"repetition\":%d,\"rate\":%d,\"verdict\":\"%s\",\"seconds\":1.0,"
			"\"sent\":40,\"valid\":40,\"rtt_p50\":%d.0,"
			"\"server\":[%d.0,%d.5,8.0,9]}\n",
			trials[i].repetition, trials[i].rate,
			bench_series_verdict(trials[i].outcome), trials[i].rate * 10,
			trials[i].rate, trials[i].rate / 10),
		    0);
	ck_assert_int_eq(fclose(f), 0);
}

/* Results of 60 and 71, at which the first has failed: by hand. The figures besides are those of
 * the trials that found them. */
START_TEST(statistics_are_those_of_the_papers)
{
	const char *const options[] = { "--resolution", "10", "--state", state, NULL };

	write_trials(by_server, sizeof(by_server) / sizeof(by_server[0]));
	struct bench_run *r = search(options);
	ck_assert_str_eq(failure(r), "");
	ck_assert_double_eq_tol(json_number_value(finding(r, "median")), 65.5, 1e-9);
	ck_assert_double_eq_tol(json_number_value(finding(r, "mean")), 65.5, 1e-9);
	ck_assert_double_eq_tol(json_number_value(finding(r, "deviation")), 11 / sqrt(2), 1e-6);
	ck_assert_double_eq_tol(json_number_value(finding(r, "MAD")), 5.5 * 1.4826, 1e-6);
	/* t of 99.9 % and one degree of freedom is 636.62. */
	ck_assert_double_eq_tol(json_number_value(finding(r, "margin 99.9 %")), 636.62 * 5.5, 0.1);
	ck_assert_double_eq_tol(json_number_value(finding(r, "rtt median")), 655, 1e-9);
	ck_assert_double_eq_tol(
	    json_number_value(finding(r, "rtt median deviation")), 110 / sqrt(2), 1e-6);
	ck_assert_ptr_null(finding(r, "rtt p99"));
	ck_assert_double_eq_tol(json_number_value(finding(r, "server CPU")), 65.5, 1e-9);
	ck_assert_double_eq_tol(json_number_value(finding(r, "server CPU per answer")), 7, 1e-9);
	ck_assert_str_eq(json_string_value(finding(r, "failed below a rate that passed")),
	    "65/s in repetition 1, while 71/s passed in repetition 2 (1 trial in all)");
	bench_run_free(r);
}
END_TEST

/* A search whose end is the tester's does not count: neither its rate nor what was besides. */
START_TEST(search_spoilt_by_the_tester_does_not_count)
{
	const char *const options[] = { "--resolution", "10", "--state", state, NULL };

	write_trials(by_tester, sizeof(by_tester) / sizeof(by_tester[0]));
	struct bench_run *r = search(options);
	ck_assert_str_eq(failure(r), "");
	ck_assert_int_eq(json_integer_value(finding(r, "searches")), 1);
	ck_assert_double_eq_tol(json_number_value(finding(r, "median")), 60, 1e-9);
	ck_assert_double_eq_tol(json_number_value(finding(r, "max")), 60, 1e-9);
	ck_assert_double_eq_tol(json_number_value(finding(r, "rtt median")), 600, 1e-9);
	ck_assert_str_eq(json_string_value(finding(r, "searches spoilt by the tester")),
	    "1 of 2, which do not count");
	ck_assert_uint_eq(n_rows(r, 0), 2);
	bench_run_free(r);
}
END_TEST

/* What is not what RFC 8219 wants to be measured does not look so. */
START_TEST(percentiles_are_of_the_rfc_only)
{
	const char *const options[] = { "--resolution", "10", "--state", state, NULL },
			  *const more[] = { "--resolution", "10", "--state", state,
				  "--calculated-rate", NULL };

	write_trials(by_server, sizeof(by_server) / sizeof(by_server[0]));
	struct bench_run *r = search(options);
	ck_assert_str_eq(json_string_value(finding(r, "repetitions")),
	    "2 trials of 0.8 s, not RFC 8219 (20 of 60 s)");
	ck_assert_ptr_null(finding(r, "p1"));
	ck_assert_ptr_null(finding(r, "p99"));
	ck_assert_ptr_null(finding(r, "calculated rate"));
	bench_run_free(r);
	r = search(more);
	ck_assert_double_eq_tol(
	    json_number_value(finding(r, "calculated rate")), 65.5 * 0.8 / 5.8, 1e-6);
	bench_run_free(r);
}
END_TEST

/* Twenty searches of 60 s, each of which passes 50 and fails at 51. */
START_TEST(rfc_has_its_percentiles)
{
	const char *const options[] = { "--high", "51", "-d", "60", "--repetitions", "20",
		"--state", state, NULL };

	stop = true;
	bench_run_free(search(options));
	stop = false;
	FILE *f = fopen(state, "ae");
	ck_assert_ptr_nonnull(f);
	for (int i = 0; i < 40; i++)
		(void)fprintf(f,
		    "{\"repetition\":%d,\"rate\":%d,\"verdict\":\"%s\",\"seconds\":61.0}\n",
		    i / 2 + 1, 50 + i % 2, i % 2 == 0 ? "passed" : "failed");
	ck_assert_int_eq(fclose(f), 0);
	struct bench_run *r = search(options);
	ck_assert_str_eq(failure(r), "");
	ck_assert_double_eq_tol(json_number_value(finding(r, "p1")), 50, 1e-9);
	ck_assert_double_eq_tol(json_number_value(finding(r, "p99")), 50, 1e-9);
	ck_assert_ptr_null(finding(r, "repetitions"));
	ck_assert_ptr_null(finding(r, "failed below a rate that passed"));
	bench_run_free(r);
}
END_TEST

/* Answers that are none, as those names have no AAAA: it is over at once. */
START_TEST(wrong_answers_end_the_search)
{
	const char *const options[] = { "--prefix", "64:ff9b::/96", NULL };
	struct bench_run *r = search_in_pace(options);

	ck_assert_msg(
	    strstr(failure(r), "fails at --low 50 already: 0 of 40") != NULL, "%s", failure(r));
	ck_assert_uint_eq(n_rows(r, 0), 0);
	ck_assert_uint_ge(n_rows(r, 1), 1); /* 2 if the first one was without a verdict */
	ck_assert_ptr_null(finding(r, "median"));
	bench_run_free(r);
}
END_TEST

/* A restart that fails ends the search. */
START_TEST(failing_restart_ends_the_search)
{
	const char *const options[] = { "--restart", "exit 4", NULL };
	struct bench_run *r = search(options);

	ck_assert_msg(strstr(failure(r), "exit code 4") != NULL, "%s", failure(r));
	ck_assert_uint_eq(n_rows(r, 1), 0);
	bench_run_free(r);
}
END_TEST

/* An upstream that does not answer: nothing can be measured. */
START_TEST(silent_upstream_ends_the_search)
{
	const char *const options[] = { "--upstream", "127.0.0.1#1", "--timeout", "1", NULL };
	struct bench_run *r = search(options);

	ck_assert_msg(strstr(failure(r), "self-test:") != NULL, "%s", failure(r));
	ck_assert_uint_eq(n_rows(r, 0), 0);
	bench_run_free(r);
}
END_TEST

/* Interrupted: no trial counts, and that is no failure of the search. */
START_TEST(interrupted_search_counts_no_trial)
{
	const char *const options[] = { "--state", state, NULL };

	stop = true;
	struct bench_run *r = search(options);
	ck_assert_str_eq(failure(r), "");
	ck_assert_uint_eq(n_rows(r, 1), 0);
	bench_run_free(r);
}
END_TEST

/* Without --first the names go on as they began; with it that holds. */
START_TEST(names_begin_as_in_the_journal_unless_told)
{
	const char *const options[] = { "--first", "7", "--state", state, NULL },
			  *const more[] = { "--state", state, NULL },
			  *const others[] = { "--first", "8", "--state", state, NULL };

	stop = true;
	bench_run_free(search(options));
	struct bench_run *r = search(more);
	ck_assert_int_eq(json_integer_value(json_object_get(
			     json_object_get(bench_run_tree(r), "settings"), "first")),
	    7);
	bench_run_free(r);
	r = search(others);
	ck_assert_msg(strstr(failure(r), "first was 7 and is 8 now") != NULL, "%s", failure(r));
	bench_run_free(r);
}
END_TEST

START_TEST(journal_of_other_settings_is_refused)
{
	const char *const options[] = { "--aaaa", "100", "--state", state, NULL },
			  *const others[] = { "--aaaa", "80", "--state", state, NULL };

	stop = true;
	bench_run_free(search(options));
	struct bench_run *r = search(others);
	ck_assert_msg(
	    strstr(failure(r), "aaaa_percent was 100 and is 80 now") != NULL, "%s", failure(r));
	bench_run_free(r);
}
END_TEST

static void
add_search(TCase *tc)
{
	tcase_set_timeout(tc, 300);
	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, upper_rate_that_passes_is_told);
	tcase_add_test(tc, statistics_are_those_of_the_papers);
	tcase_add_test(tc, search_spoilt_by_the_tester_does_not_count);
	tcase_add_test(tc, percentiles_are_of_the_rfc_only);
	tcase_add_test(tc, rfc_has_its_percentiles);
	tcase_add_test(tc, wrong_answers_end_the_search);
	tcase_add_test(tc, failing_restart_ends_the_search);
	tcase_add_test(tc, silent_upstream_ends_the_search);
	tcase_add_test(tc, interrupted_search_counts_no_trial);
	tcase_add_test(tc, names_begin_as_in_the_journal_unless_told);
	tcase_add_test(tc, journal_of_other_settings_is_refused);
}

void
tests_add(TCase *tc)
{
	add_names(tc);
	add_search(tests_case("search"));
}
