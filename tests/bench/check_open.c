/* SPDX-License-Identifier: BSD-2-Clause */
/* Rate, soak and ramp in front of a fakedns, and their rows. */

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "bench/options.h"
#include "bench/played.h"
#include "support/benchrig.h"
#include "support/tests.h"

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))

static struct benchrig rig;

static double
sum_of(const char *column)
{
	double sum = 0;

	for (size_t i = 0; i < benchrig_rows(&rig, 0); i++)
		sum += benchrig_cell(&rig, 0, i, column);
	return sum;
}

/* That questions left late is the machine's business, while it runs all these tests. */
static void
only_pace_failed(void)
{
	const char *why;

	for (size_t i = 0; (why = benchrig_failed(&rig, i)) != NULL; i++)
		ck_assert_msg(strncmp(why, "the pace", 8) == 0, "%s", why);
}

/* All rows together have all questions, of two threads, whatever row they fell into. */
START_TEST(rows_add_up)
{
	struct fake_counters c;
	double elapsed = 0, answers = 0, first = 0;

	benchrig_begin(&rig,
	    "soak --aaaa 100 -r 4000 -t 2 -d 0.75 --interval 0.1 --hot 20 -N 10.0.0.0/24"
	    " --timeout 20");
	benchrig_watch(&rig);
	bench_soak(&rig.job);
	ck_assert_uint_ge(benchrig_rows(&rig, 0), 3);
	for (size_t i = 0; i < benchrig_rows(&rig, 0); i++) {
		double now = benchrig_cell(&rig, 0, i, "elapsed");
		double in_row = benchrig_cell(&rig, 0, i, "rate") * (now - elapsed);

		ck_assert_double_gt(now, elapsed);
		if (answers == 0)
			first = in_row;
		answers += in_row;
		elapsed = now;
	}
	/* 3,000 questions are more than the 256 names: they come again. */
	ck_assert_double_eq(benchrig_finding(&rig, "sent"), 3000);
	ck_assert_double_eq(benchrig_finding(&rig, "valid"), 3000);
	/* Up to rounding. The first rate is from the first question on, which on a busy machine
	 * came late. */
	ck_assert_double_ge(answers, 2990);
	ck_assert_double_lt(answers - first, 3000);
	ck_assert_double_eq(sum_of("wrong") + sum_of("overdue") + sum_of("late"), 0);
	ck_assert_double_gt(benchrig_finding(&rig, "server RSS"), 1);
	ck_assert_double_ge(benchrig_finding(&rig, "server context switches"), 0);
	only_pace_failed();
	benchrig_stop(&rig, &c);
	/* Before, one name, then all hot ones; again where they were answered late. */
	ck_assert_uint_ge(c.questions, 3000 + 1 + 20);
	ck_assert_uint_le(c.questions, 3000 + 8 * (1 + 20));
}
END_TEST

/* The seconds of a rate have all of it, and so has the histogram. */
START_TEST(seconds_add_up)
{
	json_int_t n = 0;
	const json_t *h, *buckets;

	benchrig_begin(&rig, "rate --aaaa 100 -r 1000 -t 2 -n 2500 --timeout 20");
	benchrig_watch(&rig);
	bench_rate(&rig.job);
	ck_assert_uint_ge(benchrig_rows(&rig, 0), 2);
	ck_assert_uint_le(benchrig_rows(&rig, 0), 3);
	double taken_out = benchrig_finding(&rig, "taken out");
	ck_assert_double_eq(sum_of("asked") + taken_out, 2500);
	ck_assert_double_eq(sum_of("valid"), benchrig_finding(&rig, "valid"));
	ck_assert_double_eq(sum_of("wrong") + sum_of("overdue"), 0);
	ck_assert_double_gt(benchrig_cell(&rig, 0, 0, "rtt_p50"), 0);
	ck_assert_double_ge(
	    benchrig_cell(&rig, 0, 0, "rtt_max"), benchrig_cell(&rig, 0, 0, "rtt_p99"));
	ck_assert_double_eq_tol(
	    benchrig_cell(&rig, 0, benchrig_rows(&rig, 0) - 1, "elapsed"), 2.5, 0.4);
	ck_assert_double_ge(benchrig_cell(&rig, 0, 0, "server_cpu"), 0);
	h = json_array_get(json_object_get(bench_run_tree(rig.job.run), "histograms"), 0);
	buckets = json_object_get(h, "buckets");
	for (size_t i = 0; i < json_array_size(buckets); i++) {
		const json_t *b = json_array_get(buckets, i),
			     *next = json_array_get(buckets, i + 1);

		n += json_integer_value(json_array_get(b, 2));
		ck_assert_int_gt(json_integer_value(json_array_get(b, 2)), 0);
		ck_assert(next == NULL ||
		    json_integer_value(json_array_get(b, 1)) <
			json_integer_value(json_array_get(next, 0)));
	}
	ck_assert_double_eq((double)n, benchrig_finding(&rig, "valid"));
	only_pace_failed();
	benchrig_stop(&rig, NULL);
}
END_TEST

/* What is wrong has a name. */
START_TEST(rcodes_are_told_by_name)
{
	benchrig_init(&rig);
	rig.fake.policy.forced = true;
	rig.fake.policy.rcode = DNS_REFUSED;
	benchrig_start(&rig, "rate -r 1000 -n 50 --timeout 20");
	bench_rate(&rig.job);
	ck_assert_double_eq(benchrig_finding(&rig, "wrong rcode"), 50);
	ck_assert_double_eq(benchrig_finding(&rig, "rcode REFUSED"), 50);
	ck_assert_double_lt(benchrig_finding(&rig, "rcode SERVFAIL"), 0);
	benchrig_stop(&rig, NULL);
}
END_TEST

/* What was asked before a row and lost after it is lost once. */
START_TEST(loss_across_rows_is_counted_once)
{
	struct fake_counters c;
	bool told = false;
	const char *why;

	benchrig_init(&rig);
	rig.fake.pattern.loss = 5 * FAKE_LOSS_ALL / 100;
	benchrig_start(&rig, "soak --aaaa 100 -r 2000 -d 3 --interval 0.5 --timeout 1.5");
	bench_soak(&rig.job);
	double overdue = sum_of("overdue"), late = sum_of("late");
	for (size_t i = 0; (why = benchrig_failed(&rig, i)) != NULL; i++)
		told |= strstr(why, "had no answer in time") != NULL;
	ck_assert_msg(told, "%s", benchrig_failed(&rig, 0));
	ck_assert_double_eq(overdue - late, benchrig_finding(&rig, "lost"));
	benchrig_stop(&rig, &c);
	ck_assert_double_gt(overdue, 0);
	/* fakedns may have ignored those of before, too. */
	ck_assert_double_le(overdue - late, (double)c.lost);
	ck_assert_double_ge(overdue - late, (double)c.lost - 20);
}
END_TEST

START_TEST(wrong_answers_fail_the_soak)
{
	bool told = false;
	const char *why;

	benchrig_init(&rig);
	rig.fake.policy.zone.aaaa_percent = 0; /* no AAAA, and nobody makes one */
	benchrig_start(
	    &rig, "soak -r 1000 -d 0.2 --interval 0.1 --hits 0 --missing 50 --timeout 20");
	bench_soak(&rig.job);
	for (size_t i = 0; (why = benchrig_failed(&rig, i)) != NULL; i++)
		told |= strstr(why, "answers were wrong") != NULL;
	ck_assert(told);
	/* A and what does not exist are right: 58 of a hundred. */
	ck_assert_double_eq(benchrig_finding(&rig, "valid"), 116);
	ck_assert_double_eq(sum_of("wrong"), 84);
	benchrig_stop(&rig, NULL);
}
END_TEST

static void *
stop_soon(void *arg)
{
	struct timespec ts = { .tv_sec = 1, .tv_nsec = 500000000 };

	(void)nanosleep(&ts, NULL);
	atomic_store(&rig.stop, true);
	return arg;
}

START_TEST(told_to_stop_it_keeps_its_rows)
{
	pthread_t thread;

	benchrig_begin(&rig, "soak --aaaa 100 -r 1000 -d 600 --interval 0.1");
	ck_assert_int_eq(pthread_create(&thread, NULL, stop_soon, NULL), 0);
	bench_soak(&rig.job);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	ck_assert_uint_ge(benchrig_rows(&rig, 0), 1);
	ck_assert_double_gt(benchrig_finding(&rig, "sent"), 10);
	ck_assert_double_eq(benchrig_finding(&rig, "lost"), 0);
	ck_assert_ptr_null(benchrig_failed(&rig, 0));
	benchrig_stop(&rig, NULL);
}
END_TEST

static unsigned
percent_of(const struct bench_settings *s, enum bench_kind kind)
{
	unsigned n = 0;

	for (unsigned i = 0; i < 100; i++)
		n += s->plan.load.mix[i] == kind;
	return n;
}

START_TEST(default_mix_is_as_documented)
{
	static const struct {
		const char *argv[12];
		unsigned percent[BENCH_KINDS]; /* new, hits, missing, A, reverse */
	} row[] = {
		{ { "dns64bench", "soak", "-s", "::1", "-r", "9" }, { 66, 20, 6, 8, 0 } },
		{ { "dns64bench", "soak", "-s", "::1", "-r", "9", "--prefix", "64:ff9b::/96" },
		    { 60, 20, 6, 8, 6 } },
		{ { "dns64bench", "soak", "-s", "::1", "-r", "9", "--hits", "92", "--missing",
		      "0" },
		    { 0, 92, 0, 8, 0 } },
		{ { "dns64bench", "soak", "-s", "::1", "-r", "9", "--hits", "93", "--missing",
		      "0" },
		    { 0 } }, /* over 100 % */
		{ { "dns64bench", "soak", "-s", "::1", "-r", "9", "-d", "1000000", "--interval",
		      "0.5" },
		    { 0 } }, /* too many rows */
	};
	struct bench_settings s;
	char *argv[12] = { NULL };
	int argc = 0;

	for (; argc < 12 && row[_i].argv[argc] != NULL; argc++)
		argv[argc] = strdup(row[_i].argv[argc]);
	bool good = row[_i].percent[BENCH_ADDRESS] > 0;
	ck_assert_int_eq(
	    bench_options_read(argc, argv, &s, stderr), good ? CMDLINE_RUN : CMDLINE_WRONG);
	for (unsigned k = 0; good && k < BENCH_KINDS; k++)
		ck_assert_uint_eq(percent_of(&s, (enum bench_kind)k), row[_i].percent[k]);
	while (argc > 0)
		free(argv[--argc]);
}
END_TEST

/* --- ramp ------------------------------------------------------------------------------------- */

START_TEST(behind_is_the_first_of_two)
{
	struct bench_point s[] = { { 100, 100 }, { 200, 189 }, { 300, 300 }, { 400, 380 },
		{ 500, 474 }, { 600, 400 }, { 700, 700 } };

	ck_assert_uint_eq(bench_ramp_behind(s, N_OF(s)), 4);
	ck_assert_uint_eq(bench_ramp_behind(s, 4), 4); /* 95 % are not behind */
	ck_assert_uint_eq(bench_ramp_behind(s, 5), 4); /* the last one counts by itself */
	s[4].y = 500;
	ck_assert_uint_eq(bench_ramp_behind(s, N_OF(s)), N_OF(s));
	ck_assert_uint_eq(bench_ramp_behind(s, 0), 0);
}
END_TEST

#define TRIES 5     /* until nothing else kept the tester or its server from running */
#define SLOW_US 2e4 /* an answer that takes longer had to wait for a CPU */

/* Was no question late, and no answer slow, as on a machine that is busy otherwise? */
static bool
was_calm(void)
{
	bool calm = benchrig_rows(&rig, 0) > 0 && benchrig_finding(&rig, "taken out") == 0 &&
	    played_found(rig.job.run, "note") == NULL;

	for (size_t i = 0; i < benchrig_rows(&rig, 0); i++)
		calm &= json_number_value(played_cell(rig.job.run, "ramp", i, "rtt_p99")) < SLOW_US;
	return calm;
}

/* Play the ramp; STOP: end it when that thread does. */
static void
play_ramp(void *(*stop)(void *))
{
	pthread_t thread;

	if (stop == NULL) {
		bench_ramp(&rig.job);
		return;
	}
	ck_assert_int_eq(pthread_create(&thread, NULL, stop, NULL), 0);
	bench_ramp(&rig.job);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
}

/*
 * The ramp of WORDS, up to TRIES times until it was calm, and whether it was; LOSS: thousandths of
 * a percent. STOP: as above.
 */
static bool
run_ramp(const char *words, unsigned loss, void *(*stop)(void *))
{
	for (int i = 1;; i++) {
		benchrig_init(&rig);
		rig.fake.pattern.loss = loss;
		benchrig_start(&rig, words);
		play_ramp(stop);
		if (i == TRIES || was_calm())
			return was_calm();
		benchrig_stop(&rig, NULL);
	}
}

/* In three seconds up to 2,000/s: 333, 1,000 and 1,667. */
static void
check_seconds(void)
{
	for (size_t i = 0; i < 3; i++) {
		double due = 2000.0 * (double)(2 * i + 1) / 6;

		ck_assert_double_eq_tol(benchrig_cell(&rig, 0, i, "asked"), due, 0.1 * due);
		ck_assert_double_eq_tol(benchrig_cell(&rig, 0, i, "valid"), due, 0.1 * due);
		ck_assert_double_gt(benchrig_cell(&rig, 0, i, "rtt_p50"), 1);
		ck_assert_double_ge(
		    benchrig_cell(&rig, 0, i, "rtt_p99"), benchrig_cell(&rig, 0, i, "rtt_p50"));
	}
	ck_assert_double_eq_tol(benchrig_finding(&rig, "most answers"), 2000.0 * 5 / 6, 200);
	ck_assert_str_eq(played_text(rig.job.run, "answers fall behind"), "above the highest rate");
	ck_assert_ptr_null(benchrig_failed(&rig, 0));
}

/* Every question is asked once, in the second that it is due in, and answered. */
START_TEST(rows_grow)
{
	bool calm = run_ramp("ramp --aaaa 100 --high 2000 -d 3 --timeout 1 -t 2", 0, NULL);
	double sent = benchrig_finding(&rig, "sent"), valid = benchrig_finding(&rig, "valid");

	ck_assert_uint_eq(benchrig_rows(&rig, 0), 3);
	for (size_t i = 0; i < 3; i++)
		ck_assert_double_eq(benchrig_cell(&rig, 0, i, "elapsed"), (double)i + 1);
	/* Half of 3 s of 2,000 */
	ck_assert_double_eq(sent + benchrig_finding(&rig, "taken out"), 3000);
	ck_assert_double_eq(sum_of("taken_out"), benchrig_finding(&rig, "taken out"));
	ck_assert_double_eq(sum_of("overdue"), sent - valid);
	ck_assert_double_eq(sum_of("wrong"), 0);
	if (calm)
		check_seconds();
	benchrig_stop(&rig, NULL);
}
END_TEST

/* From the first second on, of a server that leaves one question in five without an answer. */
START_TEST(losses_are_found)
{
	bool calm =
	    run_ramp("ramp --aaaa 100 --high 1000 -d 2 --timeout 2", FAKE_LOSS_ALL / 5, NULL);
	double lost = benchrig_finding(&rig, "lost"), late = benchrig_finding(&rig, "late");

	ck_assert_uint_eq(benchrig_rows(&rig, 0), 2);
	ck_assert_double_gt(lost, 0);
	ck_assert_double_eq(
	    benchrig_finding(&rig, "valid") + lost + late, benchrig_finding(&rig, "sent"));
	ck_assert_double_eq(sum_of("overdue"), lost + late);
	if (calm) {
		ck_assert_double_eq_tol(lost, 200, 70); /* of 1,000 */
		/* A quarter of them is due then, but those whose answers were on their way. */
		ck_assert_double_eq_tol(benchrig_finding(&rig, "answers fall behind"), 250, 25);
		ck_assert_double_eq(benchrig_finding(&rig, "behind after"), 1);
	}
	benchrig_stop(&rig, NULL);
}
END_TEST

/* One that was cut short knows nothing of the rates that were to come: of 50 in its one second. */
START_TEST(interrupted_ramp_has_no_verdict)
{
	bool calm = run_ramp("ramp --aaaa 100 --high 6000 -d 60 --timeout 1", 0, stop_soon);
	const char *found = played_text(rig.job.run, "answers fall behind");

	ck_assert_str_ne(found, "above the highest rate");
	ck_assert_ptr_null(benchrig_failed(&rig, 0));
	if (calm) {
		ck_assert_msg(strncmp(found, "not up to ", 10) == 0, "%s", found);
		ck_assert_double_eq_tol(strtod(found + 10, NULL), 50, 10);
	}
	benchrig_stop(&rig, NULL);
}
END_TEST

static void
add_ramp(TCase *tc)
{
	tcase_set_timeout(tc, 300);
	tcase_add_test(tc, behind_is_the_first_of_two);
	tcase_add_test(tc, rows_grow);
	tcase_add_test(tc, losses_are_found);
	tcase_add_test(tc, interrupted_ramp_has_no_verdict);
}

void
tests_add(TCase *tc)
{
	tcase_set_timeout(tc, 300);
	tcase_add_test(tc, rows_add_up);
	tcase_add_test(tc, seconds_add_up);
	tcase_add_test(tc, rcodes_are_told_by_name);
	tcase_add_test(tc, loss_across_rows_is_counted_once);
	tcase_add_test(tc, wrong_answers_fail_the_soak);
	tcase_add_test(tc, told_to_stop_it_keeps_its_rows);
	tcase_add_loop_test(tc, default_mix_is_as_documented, 0, 5);
	add_ramp(tests_case("ramp"));
}
