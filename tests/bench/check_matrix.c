/* SPDX-License-Identifier: BSD-2-Clause */
/* The matrix of hits by names with AAAA, of a server that is made up. */

#include "bench/method.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bench/played.h"
#include "dns/name.h"
#include "support/scratch.h"
#include "support/tests.h"

#define LINE \
	"matrix -s 192.0.2.1 --low 500 --high 20000 --resolution 1 --repetitions 3 -d 0.1 " \
	"--hits 0,40,100 --aaaa 100,20"
#define N_HITS 3
#define N_AAAA 2
#define N_CELLS (N_HITS * N_AAAA)
#define REPETITIONS 3

static char path[SCRATCH_PATH], line[500];
static struct bench_settings settings;
static atomic_bool stop;

/* What was asked, and how. */
static unsigned n_measured, end_at, bad_hits, tester_hits, late_hits;
static bool tester_always;
static unsigned bad_repetition; /* bad_hits in this one only; 0: in all */
static uint64_t next_name;
static unsigned last_aaaa;

static void
set_up(void)
{
	(void)close(scratch_file(path));
	(void)snprintf(line, sizeof(line), LINE " --state %s", path);
	n_measured = end_at = 0;
	bad_hits = tester_hits = late_hits = 101;
	tester_always = false;
	bad_repetition = 0;
	next_name = 0;
	last_aaaa = 0;
	stop = false;
}

static void
tear_down(void)
{
	(void)unlink(path);
}

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

/* No name is asked for twice in a zone; each zone begins with the first. */
static void
check_names(const struct bench_probe *p, unsigned aaaa)
{
	if (aaaa != last_aaaa) {
		last_aaaa = aaaa;
		next_name = 0;
		if (end_at == 0 && n_measured > 1)
			ck_assert_uint_eq(p->first, 0);
	}
	ck_assert_uint_ge(p->first, next_name);
	next_name = p->first + p->n;
}

static json_t *
measure(const struct bench_job *job, struct bench_probe *p, enum bench_outcome *outcome)
{
	unsigned hits, aaaa;

	if (++n_measured == end_at)
		return NULL;
	check_settings(job, p, &hits, &aaaa);
	check_names(p, aaaa);
	p->passed_s = 0.1;
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

static struct bench_run *
run(void)
{
	played_settings(line, &settings);
	return played_run(bench_matrix, &settings, measure, &stop, true);
}

/* The median of the repetitions, within the resolution. */
static void
is_about(double rate, unsigned hits, unsigned aaaa, unsigned repetition)
{
	double most = able(hits, aaaa, repetition);

	ck_assert_double_le(rate, most);
	ck_assert_double_ge(rate, most * 0.99 - 1);
}

/* Hits by AAAA as they were given; the first cell's row is the first one's. */
static void
check_cells(const struct bench_run *r)
{
	static const unsigned hits[] = { 0, 40, 100 }, aaaa[] = { 100, 20 };

	ck_assert_str_eq(played_failure(r), "");
	ck_assert_uint_eq(played_rows(r, "cells"), N_CELLS);
	ck_assert_uint_eq(played_rows(r, "searches"), N_CELLS * REPETITIONS);
	for (size_t i = 0; i < N_CELLS; i++) {
		unsigned h = hits[i % N_HITS], a = aaaa[i / N_HITS];
		char column[40];

		ck_assert_double_eq_tol(played_number(r, "cells", i, "hits"), h, 1e-9);
		ck_assert_double_eq_tol(played_number(r, "cells", i, "aaaa"), a, 1e-9);
		is_about(played_number(r, "cells", i, "rate_median"), h, a, 2);
		is_about(played_number(r, "cells", i, "rate_min"), h, a, 1);
		is_about(played_number(r, "cells", i, "rate_max"), h, a, 3);
		ck_assert_str_eq(json_string_value(played_cell(r, "cells", i, "limit")), "server");
		ck_assert_double_eq_tol(played_number(r, "cells", i, "server_cpu"), h + 1, 1e-9);
		ck_assert_double_eq_tol(
		    played_number(r, "cells", i, "server_cpu_per_answer"), a / 4.0, 1e-9);
		ck_assert_double_eq_tol(
		    played_number(r, "cells", i, "server_cpu_deviation"), 10, 1e-9);
		/* The table that is drawn has the same. */
		(void)snprintf(column, sizeof(column), "rate_aaaa%u_median", a);
		ck_assert_double_eq_tol(played_number(r, "matrix", i % N_HITS, column),
		    played_number(r, "cells", i, "rate_median"), 1e-9);
		(void)snprintf(column, sizeof(column), "rate_aaaa%u_max", a);
		ck_assert_double_eq_tol(played_number(r, "matrix", i % N_HITS, column),
		    played_number(r, "cells", i, "rate_max"), 1e-9);
		ck_assert_double_eq_tol(played_number(r, "matrix", i % N_HITS, "hits"), h, 1e-9);
	}
}

START_TEST(each_cell_has_its_rate)
{
	struct bench_run *r = run();

	check_cells(r);
	ck_assert_uint_eq(played_rows(r, "trials"), n_measured);
	bench_run_free(r);
}
END_TEST

/* Ended at any trial it goes on there, with the cell that it was in. */
START_TEST(goes_on_after_any_trial)
{
	bench_run_free(run());
	unsigned whole = n_measured;

	for (unsigned at = 1; at <= whole; at += 1 + at / 8) {
		ck_assert_int_eq(truncate(path, 0), 0);
		n_measured = 0;
		end_at = at;
		bench_run_free(run());
		end_at = 0;
		n_measured = 0;
		struct bench_run *r = run();
		check_cells(r);
		ck_assert_uint_eq(n_measured, whole - at + 1);
		ck_assert_uint_eq(played_rows(r, "trials"), whole);
		bench_run_free(r);
	}
}
END_TEST

/* A record of another cell than that which comes is damage, not a result. */
START_TEST(state_with_another_cell_is_refused)
{
	end_at = 2;
	bench_run_free(run());
	char text[10000], *cell;
	FILE *f = fopen(path, "r+e");
	ck_assert_ptr_nonnull(f);
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	cell = strstr(text, "\"aaaa\":100}");
	ck_assert_ptr_nonnull(cell);
	ck_assert_int_eq(fseek(f, cell - text, SEEK_SET), 0);
	(void)fputs("\"aaaa\":101}", f);
	ck_assert_int_eq(fclose(f), 0);
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

	end_at = 2;
	bench_run_free(run());
	memcpy(strstr(line, cases[_i].was), cases[_i].is, strlen(cases[_i].is));
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
	ck_assert_uint_eq(played_rows(r, "cells"), N_CELLS);
	for (size_t i = 0; i < N_CELLS; i++) {
		bool bad = i % N_HITS == 1;

		ck_assert_int_eq(json_is_null(played_cell(r, "cells", i, "rate_median")), bad);
		ck_assert_str_eq(
		    json_string_value(played_cell(r, "cells", i, "limit")), bad ? "low" : "server");
	}
	ck_assert(json_is_null(played_cell(r, "matrix", 1, "rate_aaaa20_median")));
	ck_assert(json_is_number(played_cell(r, "matrix", 2, "rate_aaaa20_median")));
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
	ck_assert_double_eq_tol(played_number(r, "cells", 1, "rate_min"), 0, 1e-9);
	is_about(played_number(r, "cells", 1, "rate_max"), 40, 100, 3);
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
	ck_assert_str_eq(json_string_value(played_found(r, "searches spoilt by the tester")),
	    _i == 0 ? "2 of 18, which do not count" : "6 of 18, which do not count");
	ck_assert_double_eq_tol(played_number(r, "cells", 1, "searches"), _i == 0 ? 2 : 0, 1e-9);
	ck_assert_int_eq(json_is_null(played_cell(r, "cells", 1, "rate_median")), _i == 1);
	ck_assert_str_eq(
	    json_string_value(played_cell(r, "cells", 1, "limit")), _i == 0 ? "server" : "tester");
	/* The table of searches has them all the same. */
	ck_assert_uint_eq(played_rows(r, "searches"), N_CELLS * REPETITIONS);
	if (_i == 0) {
		is_about(played_number(r, "cells", 1, "rate_min"), 40, 100, 1);
		is_about(played_number(r, "cells", 1, "rate_max"), 40, 100, 3);
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
	ck_assert_int_eq(truncate(path, 0), 0);
	late_hits = 40;
	r = run();
	ck_assert_str_eq(json_string_value(played_found(r, "note")),
	    "a question left 15 ms late, over 1 % of the timeout");
	bench_run_free(r);
}
END_TEST

/* What a later repetition can do, the first could not: each cell says so. */
START_TEST(rate_that_failed_below_one_that_passed_is_told)
{
	struct bench_run *r = run();
	const char *text = json_string_value(played_found(r, "failed below a rate that passed"));

	ck_assert_ptr_nonnull(text);
	ck_assert_msg(strncmp(text, "hits 0, aaaa 100: 20", 20) == 0, "%s", text);
	ck_assert_msg(strstr(text, "/s in repetition 1, while 20") != NULL, "%s", text);
	bench_run_free(r);
}
END_TEST

/* With more shares of AAAA than of hits they are the rows of what is drawn. */
START_TEST(longer_side_is_the_rows)
{
	(void)snprintf(line, sizeof(line),
	    "matrix -s 192.0.2.1 --low 500 --high 20000 --resolution 1 --repetitions 1 -d 0.1 "
	    "--hits 40 --aaaa 0,20,100");
	struct bench_run *r = run();

	ck_assert_uint_eq(played_rows(r, "matrix"), 3);
	for (size_t i = 0; i < 3; i++) {
		ck_assert(json_equal(
		    played_cell(r, "matrix", i, "aaaa"), played_cell(r, "cells", i, "aaaa")));
		ck_assert(json_equal(played_cell(r, "matrix", i, "rate_hits40_median"),
		    played_cell(r, "cells", i, "rate_median")));
	}
	bench_run_free(r);
}
END_TEST

/* What is as the RFC wants has percentiles; what is less has its ends, and says so. */
START_TEST(percentiles_are_those_of_the_rfc)
{
	static const struct {
		unsigned repetitions;
		double duration;
		bool rfc;
	} cases[] = { { 20, 60, true }, { 19, 60, false }, { 20, 59, false } };

	(void)snprintf(line, sizeof(line),
	    "matrix -s 192.0.2.1 --low 100 --high 100 --repetitions %u -d %g --hits 0 --aaaa 0",
	    cases[_i].repetitions, cases[_i].duration);
	struct bench_run *r = run();
	ck_assert(
	    json_is_number(played_cell(r, "cells", 0, cases[_i].rfc ? "rate_p1" : "rate_min")));
	ck_assert(json_is_number(
	    played_cell(r, "matrix", 0, cases[_i].rfc ? "rate_aaaa0_p99" : "rate_aaaa0_max")));
	ck_assert_int_eq(played_found(r, "repetitions") == NULL, cases[_i].rfc);
	bench_run_free(r);
}
END_TEST

/* The lists that the paper and the RFC have. */
START_TEST(lists_are_those_of_the_paper)
{
	played_settings("matrix -s 192.0.2.1", &settings);
	ck_assert_uint_eq(settings.hits.n, 6);
	ck_assert_uint_eq(settings.aaaa.n, 6);
	for (unsigned i = 0; i < 6; i++) {
		ck_assert_uint_eq(settings.hits.percent[i], 20 * i);
		ck_assert_uint_eq(settings.aaaa.percent[i], 20 * i);
	}
}
END_TEST

/* The names must do for all shares of hits; other shares of AAAA have names of their own. */
START_TEST(names_are_counted_for_each_zone)
{
	static const char common[] = "-s 192.0.2.1 --namespace 10.0.0.0/24 --low 100 --high 100 "
				     "-d 1 --repetitions 1 --hot 20";
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

void
tests_add(TCase *tc)
{
	tcase_set_timeout(tc, 120);
	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, each_cell_has_its_rate);
	tcase_add_test(tc, goes_on_after_any_trial);
	tcase_add_test(tc, state_with_another_cell_is_refused);
	tcase_add_loop_test(tc, state_of_other_lists_is_refused, 0, 3);
	tcase_add_test(tc, failing_cell_does_not_end_the_others);
	tcase_add_test(tc, one_failing_search_is_told);
	tcase_add_loop_test(tc, searches_by_the_tester_do_not_count, 0, 2);
	tcase_add_test(tc, late_questions_are_told);
	tcase_add_test(tc, rate_that_failed_below_one_that_passed_is_told);
	tcase_add_test(tc, longer_side_is_the_rows);
	tcase_add_loop_test(tc, percentiles_are_those_of_the_rfc, 0, 3);
	tcase_add_test(tc, lists_are_those_of_the_paper);
	tcase_add_test(tc, names_are_counted_for_each_zone);
}
