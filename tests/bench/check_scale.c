/* SPDX-License-Identifier: BSD-2-Clause */
/* The highest rate by loops, of a server that is made up. */

#include "bench/scale.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/method.h"
#include "bench/played.h"
#include "support/scratch.h"
#include "support/tests.h"

START_TEST(limit_is_told)
{
	static const struct {
		double cpu;
		unsigned loops, others, cpus;
		const char *limit;
	} cases[] = {
		{ 90, 1, 2, 4, "CPU" },
		{ 89.9, 1, 2, 4, "not CPU" },
		{ 179, 2, 2, 4, "not CPU" },
		{ 180, 2, 2, 4, "CPU" },
		{ 180, 3, 2, 4, "cores" },
		{ 170, 3, 1, 4, "not CPU" },
	};

	ck_assert_str_eq(
	    bench_scale_limit(cases[_i].cpu, cases[_i].loops, cases[_i].others, cases[_i].cpus),
	    cases[_i].limit);
	ck_assert_str_eq(bench_scale_limit((double)NAN, 1, 1, 1), "server");
}
END_TEST

static char path[SCRATCH_PATH], line[500];
static struct bench_settings settings;
static atomic_bool stop;
static unsigned n_measured, end_at;

static void
set_up(void)
{
	(void)close(scratch_file(path));
	(void)snprintf(line, sizeof(line),
	    "scale -s 192.0.2.1 --loops 1,2,4 --low 500 --high 38000 --resolution 0.1 "
	    "--repetitions 3 -d 0.1 --restart true --state %s",
	    path);
	n_measured = end_at = 0;
	stop = false;
}

static void
tear_down(void)
{
	(void)unlink(path);
}

/* 10000 with one loop, 18000 with two, 40000 with four; each busy for 95 %, with two for 60 %. */
static json_t *
measure(const struct bench_job *job, struct bench_probe *p, enum bench_outcome *outcome)
{
	static const uint32_t able[] = { 0, 10000, 18000, 0, 40000 };
	unsigned loops = (unsigned)strtoul(getenv("BENCH_LOOPS"), NULL, 10);

	if (++n_measured == end_at)
		return NULL;
	ck_assert_int_eq(json_integer_value(json_object_get(p->cell, "loops")), loops);
	ck_assert_uint_eq(p->first, 0); /* the server has forgotten them */
	p->passed_s = 0.1;
	*outcome = p->rate <= able[loops] ? BENCH_PASSED : BENCH_FAILED;
	json_t *f = json_pack("{sI}", "sent", (json_int_t)p->n);
	if (job->dut != NULL)
		(void)json_object_set_new(f, "server",
		    json_pack("[f,f,i,i]", loops * (loops == 2 ? 60.0 : 95.0), 12.5, 1, 1));
	return f;
}

static struct bench_run *
run(bool watched)
{
	played_settings(line, &settings);
	return played_run(bench_scale, &settings, measure, &stop, watched);
}

static void
check_rows(const struct bench_run *r, bool watched)
{
	static const double loops[] = { 1, 2, 4 }, rates[] = { 10000, 18000, 38000 },
			    efficiencies[] = { 100, 90 };

	ck_assert_str_eq(played_failure(r), "");
	ck_assert_str_eq(
	    json_string_value(played_found(r, "at least")), "--high passed in 1 of 3 cells");
	ck_assert_uint_eq(played_rows(r, "scale"), 3);
	for (size_t i = 0; i < 3; i++) {
		double rate = played_number(r, "scale", i, "rate_median");

		ck_assert_double_eq_tol(played_number(r, "scale", i, "loops"), loops[i], 1e-9);
		ck_assert_double_eq_tol(rate, rates[i], rates[i] * 0.002);
		ck_assert_double_eq_tol(
		    played_number(r, "scale", i, "each"), rate / loops[i], 1e-6);
		ck_assert_double_eq_tol(played_number(r, "scale", i, "rate_ideal"),
		    played_number(r, "scale", 0, "each") * loops[i], 1e-6);
		if (i < 2)
			ck_assert_double_eq_tol(
			    played_number(r, "scale", i, "efficiency"), efficiencies[i], 0.3);
		else /* it can do more than --high */
			ck_assert(json_is_null(played_cell(r, "scale", i, "efficiency")));
		ck_assert_double_eq_tol(played_number(r, "scale", i, "mean"), rate, rate * 0.002);
		ck_assert_double_lt(played_number(r, "scale", i, "deviation"), rate * 0.002);
		if (!watched)
			continue;
		ck_assert_double_eq_tol(
		    played_number(r, "scale", i, "server_cpu_per_loop"), i == 1 ? 60 : 95, 1e-9);
		ck_assert_double_eq_tol(
		    played_number(r, "scale", i, "server_cpu_deviation"), 0, 1e-3);
	}
	ck_assert_str_eq(
	    json_string_value(played_cell(r, "scale", 0, "limit")), watched ? "CPU" : "server");
	ck_assert_str_eq(json_string_value(played_cell(r, "scale", 2, "limit")), "high");
	ck_assert(watched ||
	    strstr(json_string_value(json_object_get(
		       json_array_get(json_object_get(played_table(r, "scale"), "columns"), 11),
		       "name")),
		"limit") != NULL);
}

START_TEST(loops_have_their_rates)
{
	struct bench_run *r = run(_i == 1);

	check_rows(r, _i == 1);
	bench_run_free(r);
}
END_TEST

START_TEST(goes_on_after_any_trial)
{
	bench_run_free(run(true));
	unsigned whole = n_measured;

	for (unsigned at = 1; at <= whole; at += 3) {
		ck_assert_int_eq(truncate(path, 0), 0);
		n_measured = 0;
		end_at = at;
		bench_run_free(run(true));
		end_at = n_measured = 0;
		struct bench_run *r = run(true);
		check_rows(r, true);
		ck_assert_uint_eq(n_measured, whole - at + 1);
		bench_run_free(r);
	}
}
END_TEST

/* If the first number can do more than --high nobody knows what it does for each loop. */
START_TEST(without_its_limit_there_is_no_ideal)
{
	(void)snprintf(line, sizeof(line),
	    "scale -s 192.0.2.1 --loops 1,2 --low 500 --high 9000 --repetitions 1 -d 0.1 "
	    "--restart true");
	struct bench_run *r = run(false);

	for (size_t i = 0; i < 2; i++) {
		ck_assert(json_is_null(played_cell(r, "scale", i, "rate_ideal")));
		ck_assert(json_is_null(played_cell(r, "scale", i, "efficiency")));
	}
	bench_run_free(r);
}
END_TEST

/* Without --loops: as many as this machine has CPUs, and at least one. */
START_TEST(loops_are_those_of_the_machine)
{
	played_settings("scale -s 192.0.2.1 --restart true", &settings);
	ck_assert_uint_ge(settings.n_loops, 1);
	for (size_t i = 0; i < settings.n_loops; i++)
		ck_assert_uint_eq(settings.loops[i], i + 1);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_set_timeout(tc, 120);
	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_loop_test(tc, limit_is_told, 0, 6);
	tcase_add_loop_test(tc, loops_have_their_rates, 0, 2);
	tcase_add_test(tc, goes_on_after_any_trial);
	tcase_add_test(tc, without_its_limit_there_is_no_ideal);
	tcase_add_test(tc, loops_are_those_of_the_machine);
}
