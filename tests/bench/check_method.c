/* SPDX-License-Identifier: BSD-2-Clause */
/* What the methods have in common: is the pace kept, why is a trial not good. */

#include "bench/method.h"

#include <arpa/inet.h>
#include <math.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "bench/load/plan.h"
#include "bench/played.h"
#include "support/tests.h"

#define START (1000 * NS_PER_SEC)

static struct bench_settings settings;
static struct bench_tally tally;
static atomic_bool stop;
static struct bench_job job;

static void
setup(void)
{
	played_job(&job, &settings, &tally, &stop);
}

static void
teardown(void)
{
	bench_run_free(job.run);
}

/* --- Pace ------------------------------------------------------------------------------------- */

/* N questions, sent in NS from the first to the last. */
static void
sent_in(uint64_t n, uint64_t ns)
{
	bench_tally_clear(&tally);
	tally.sent = n;
	tally.first_ns = START;
	tally.last_ns = START + ns;
}

START_TEST(pace_error_is_in_percent)
{
	sent_in(1001, NS_PER_SEC); /* at 1000/s the last is due after a second */
	ck_assert_double_eq_tol(bench_method_pace_error(&tally, 1000), 0, 1e-9);
	sent_in(1001, NS_PER_SEC + NS_PER_SEC / 50);
	ck_assert_double_eq_tol(bench_method_pace_error(&tally, 1000), 2, 1e-9);
	sent_in(1001, NS_PER_SEC / 2);
	ck_assert_double_eq_tol(bench_method_pace_error(&tally, 1000), -50, 1e-9);
	sent_in(18000001, 60 * NS_PER_SEC);
	ck_assert_double_eq_tol(bench_method_pace_error(&tally, 300000), 0, 1e-9);
	sent_in(0, 0);
	tally.first_ns = UINT64_MAX;
	tally.last_ns = 0;
	ck_assert(bench_method_pace_error(&tally, 1000) == 0);
	sent_in(1, 0);
	ck_assert(bench_method_pace_error(&tally, 1000) == 0);
}
END_TEST

/* Of a burst all are due with the first: ten bursts of 100 at 1000/s take 0.9 s. */
START_TEST(pace_error_of_bursts)
{
	sent_in(1000, NS_PER_SEC * 9 / 10);
	tally.burst = 100;
	ck_assert_double_eq_tol(bench_method_pace_error(&tally, 1000), 0, 1e-9);
	sent_in(100, 0); /* a single one takes no time */
	tally.burst = 100;
	ck_assert(bench_method_pace_error(&tally, 1000) == 0);
}
END_TEST

START_TEST(pace_is_kept_within_one_percent)
{
	sent_in(1001, NS_PER_SEC + NS_PER_SEC / 100);
	ck_assert(bench_method_kept_pace(&tally, 1000, NS_PER_SEC));
	sent_in(1001, NS_PER_SEC + NS_PER_SEC / 90);
	ck_assert(!bench_method_kept_pace(&tally, 1000, NS_PER_SEC));
	sent_in(1001, NS_PER_SEC - NS_PER_SEC / 90);
	ck_assert(!bench_method_kept_pace(&tally, 1000, NS_PER_SEC));
	/* in time as a whole, but one batch in 500 far behind */
	sent_in(1001, NS_PER_SEC);
	for (unsigned i = 0; i < 1000; i++)
		bench_histogram_add(&tally.lag, i % 500 == 0 ? NS_PER_SEC / 8 : 1000);
	ck_assert(!bench_method_kept_pace(&tally, 1000, NS_PER_SEC));
	ck_assert(bench_method_kept_pace(&tally, 1000, 3 * NS_PER_SEC)); /* by a longer timeout */
	tally.no_room = 1; /* what the server had wait is no lag */
	ck_assert(!bench_method_kept_pace(&tally, 1000, NS_PER_SEC));
	/* a single question tells */
	sent_in(1001, NS_PER_SEC);
	bench_histogram_add_many(&tally.lag, 1000, 1000000);
	bench_histogram_add(&tally.lag, NS_PER_SEC / 20 + NS_PER_MS);
	ck_assert(!bench_method_kept_pace(&tally, 1000, NS_PER_SEC));
	ck_assert(bench_method_kept_pace(&tally, 1000, NS_PER_SEC + 50 * NS_PER_MS));
	/* questions that were taken out had their time */
	sent_in(501, NS_PER_SEC);
	tally.paused = 500;
	ck_assert(bench_method_kept_pace(&tally, 1000, NS_PER_SEC));
}
END_TEST

/* --- Judging ---------------------------------------------------------------------------------- */

/* A trial without a fault. */
static void
sound(void)
{
	sent_in(1001, NS_PER_SEC);
	tally.replies[BENCH_VALID] = 1001;
}

START_TEST(sound_run_has_no_reasons)
{
	sound();
	bench_method_judge(&job, 1000);
	ck_assert_str_eq(played_failures(job.run), "");
	ck_assert_int_eq(bench_run_status(job.run), 0);
}
END_TEST

START_TEST(run_that_sent_nothing_fails)
{
	bench_method_judge(&job, 1000);
	ck_assert_str_eq(played_failures(job.run), "no question could be sent\n");
	ck_assert_int_eq(bench_run_status(job.run), 1);
}
END_TEST

START_TEST(invalid_answers_are_a_reason)
{
	sound();
	tally.replies[BENCH_VALID] = 1000;
	bench_method_judge(&job, 1000);
	ck_assert_str_eq(
	    played_failures(job.run), "1 of 1001 questions got no valid answer in time\n");
	ck_assert_int_eq(bench_run_status(job.run), 1);
}
END_TEST

/* Where nothing is right something is set up wrongly: what is asked of who runs it. */
START_TEST(hint_follows_most_of_the_answers)
{
	static const struct {
		enum bench_verdict v;
		const char *told;
	} cases[] = {
		{ BENCH_TRUNCATED, "most are \"truncated\": is --bufsize needed?" },
		{ BENCH_RCODE, "most are \"wrong rcode\": may this machine ask the server" },
		{ BENCH_NO_DATA, "most are \"no data\": may the server's prefix represent" },
		{ BENCH_WRONG_DATA, "most are \"wrong data\": are --prefix and --aaaa those" },
	};

	sound();
	tally.replies[BENCH_VALID] = 0;
	bench_method_hint(&job);
	ck_assert_str_eq(played_failures(job.run), ""); /* silence says nothing */
	for (unsigned v = BENCH_VALID + 1; v < BENCH_VERDICTS; v++)
		tally.replies[v] = 200;
	tally.replies[cases[_i].v] = 201;
	bench_method_hint(&job);
	ck_assert_msg(strstr(played_failures(job.run), cases[_i].told) != NULL, "%s",
	    played_failures(job.run));
}
END_TEST

START_TEST(hint_is_for_nothing_right)
{
	sound();
	tally.replies[BENCH_VALID] = 1;
	tally.replies[BENCH_NO_DATA] = 1000;
	bench_method_hint(&job);
	ck_assert_str_eq(played_failures(job.run), "");
}
END_TEST

START_TEST(dropped_replies_are_a_reason)
{
	sound();
	tally.faults.dropped = 7;
	bench_method_judge(&job, 1000);
	ck_assert_str_eq(
	    played_failures(job.run), "7 replies were dropped by this machine for want of room\n");
}
END_TEST

/*
 * Every question answered, but something else came as well: that is said, and not "0 of". Over a
 * connection all of it is the server's.
 */
START_TEST(more_answers_than_questions_are_a_reason)
{
	static const struct {
		uint64_t *n;
		const char *reason;
	} cases[] = {
		{ &tally.duplicate, "3 questions were answered more than once\n" },
		{ &tally.other, "3 replies repeated another question\n" },
		{ &tally.stray, "3 replies were to nothing that was asked\n" },
		{ &tally.malformed, "3 messages were malformed\n" },
		{ &tally.no_reply, "3 messages were no replies\n" },
		{ &tally.faults.unsent, "3 questions could not be sent\n" },
	};

	settings.plan.transport = &bench_tcp;
	sound();
	*cases[_i].n = 3;
	bench_method_judge(&job, 1000);
	ck_assert_str_eq(played_failures(job.run), cases[_i].reason);
}
END_TEST

/* Datagrams that anybody may have sent are never held against the server. */
START_TEST(foreign_datagrams_are_no_fault_of_the_server)
{
	uint64_t *const kinds[] = { &tally.other, &tally.stray, &tally.malformed, &tally.no_reply,
		&tally.faults.elsewhere };

	sent_in(100001, 100 * NS_PER_SEC);
	tally.replies[BENCH_VALID] = tally.sent;
	*kinds[_i] = 100;
	bench_method_judge(&job, 1000);
	ck_assert_str_eq(played_failures(job.run), "");
	ck_assert_uint_eq(bench_method_flaws(&tally, 1000, &settings.plan), 0);
	ck_assert(bench_method_good(&tally, &settings.plan));
	*kinds[_i] = 101; /* more than a thousandth */
	ck_assert_uint_eq(bench_method_flaws(&tally, 1000, &settings.plan), BENCH_FLAW_FOREIGN);
	bench_method_judge(&job, 1000);
	ck_assert_str_eq(played_failures(job.run),
	    "the tester was disturbed: 101 datagrams that belong to no question came to its "
	    "ports\n");
	/* One for each question without an answer: that is how the server answers. */
	tally.replies[BENCH_VALID] -= 101;
	ck_assert_uint_eq(bench_method_flaws(&tally, 1000, &settings.plan), 0);
	ck_assert(!bench_method_good(&tally, &settings.plan));
	sound();
	*kinds[_i] = 10; /* more than a thousandth, but few */
	ck_assert_uint_eq(bench_method_flaws(&tally, 1000, &settings.plan), 0);
	*kinds[_i] = 11;
	ck_assert_uint_eq(bench_method_flaws(&tally, 1000, &settings.plan), BENCH_FLAW_FOREIGN);
	settings.plan.transport = &bench_tcp;
	ck_assert_uint_eq(bench_method_flaws(&tally, 1000, &settings.plan), 0);
}
END_TEST

/* As many questions late at once as a buffer holds may be lost, whatever the server does. */
START_TEST(crowd_is_the_testers)
{
	sent_in(60001, 5 * NS_PER_SEC);
	tally.replies[BENCH_VALID] = tally.sent - 300;
	tally.missing_behind = 300;
	tally.overdue_at_once = BENCH_BUFFER_HOLDS - 1;
	ck_assert_uint_eq(bench_method_flaws(&tally, 12000, &settings.plan), 0);
	tally.overdue_at_once++;
	ck_assert_uint_eq(bench_method_flaws(&tally, 12000, &settings.plan), BENCH_FLAW_CROWD);
	bench_method_judge(&job, 12000);
	ck_assert_str_eq(played_failures(job.run),
	    "the tester stood still: 300 of 60001 questions got no valid answer in time, but up to "
	    "277 were late at once, which a server need not hold\n");
	/* Of 100 that are missing one may have been in time, as the buffer was full. */
	tally.missing_behind = 297;
	ck_assert_uint_eq(bench_method_flaws(&tally, 12000, &settings.plan), BENCH_FLAW_CROWD);
	/* With one less what is missing is not the crowd's alone. */
	tally.missing_behind = 296;
	ck_assert_uint_eq(bench_method_flaws(&tally, 12000, &settings.plan), 0);
	/* A crowd, beyond a batch and what is due in a millisecond. */
	tally.missing_behind = 300;
	tally.overdue_at_once = 0;
	tally.crowd = 12 + BENCH_CROWD + BENCH_BUFFER_HOLDS - 1;
	ck_assert_uint_eq(bench_method_flaws(&tally, 12000, &settings.plan), 0);
	tally.crowd++;
	ck_assert_uint_eq(bench_method_flaws(&tally, 12000, &settings.plan), BENCH_FLAW_CROWD);
	settings.plan.burst = 500; /* as was asked for */
	ck_assert_uint_eq(bench_method_flaws(&tally, 12000, &settings.plan), 0);
	settings.plan.burst = 1;
	settings.plan.transport = &bench_tcp; /* which loses nothing */
	ck_assert_uint_eq(bench_method_flaws(&tally, 12000, &settings.plan), 0);
	settings.plan.transport = &bench_udp;
	tally.replies[BENCH_VALID] = tally.sent; /* all was answered all the same */
	ck_assert_uint_eq(bench_method_flaws(&tally, 12000, &settings.plan), 0);
}
END_TEST

/* Neither a crowd nor others' datagrams make an answer wrong. */
START_TEST(wrong_answers_are_never_excused)
{
	for (unsigned v = BENCH_VALID + 1; v < BENCH_VERDICTS; v++) {
		sent_in(60001, 5 * NS_PER_SEC);
		tally.replies[v] = 1;
		tally.replies[BENCH_VALID] = tally.sent - 301;
		tally.missing_behind = tally.overdue_at_once = 300;
		tally.stray = 10000;
		ck_assert_uint_eq(bench_method_flaws(&tally, 12000, &settings.plan), 0);
	}
	bench_method_judge(&job, 12000);
	ck_assert_str_eq(
	    played_failures(job.run), "301 of 60001 questions got no valid answer in time\n");
}
END_TEST

/* Above 1 % of questions that were not asked the run is not good. */
START_TEST(questions_taken_out_spoil_a_run)
{
	sent_in(9900, 10 * NS_PER_SEC);
	tally.replies[BENCH_VALID] = tally.sent;
	tally.paused = 100;
	tally.last_ns = START + 9999 * NS_PER_MS;
	bench_method_judge(&job, 1000);
	ck_assert_str_eq(played_failures(job.run), "");
	ck_assert_uint_eq(bench_method_flaws(&tally, 1000, &settings.plan), 0);
	tally.paused = 101;
	bench_method_judge(&job, 1000);
	ck_assert_str_eq(played_failures(job.run),
	    "the tester was kept from running: 1.0 % of the questions were not asked or do not "
	    "count, so the run says little of the server\n");
	ck_assert_int_eq(bench_run_status(job.run), 1);
	ck_assert_uint_eq(bench_method_flaws(&tally, 1000, &settings.plan), BENCH_FLAW_TAKEN_OUT);
}
END_TEST

START_TEST(pace_not_kept)
{
	sound();
	tally.last_ns += NS_PER_SEC / 10;
	bench_histogram_add(&tally.lag, 5 * NS_PER_MS);
	bench_method_judge(&job, 0); /* a closed loop has none */
	ck_assert_str_eq(played_failures(job.run), "");
	bench_method_judge(&job, 1000);
	ck_assert_str_eq(played_failures(job.run),
	    "the pace was not kept: sending took 10.00 % more than its time, "
	    "the question that was latest left 5.0 ms late\n");
}
END_TEST

/*
 * It is the server that is too slow, or so it seems; that matters only where the pace was not kept.
 */
START_TEST(pace_of_the_server)
{
	sound();
	tally.no_room = 3;
	bench_method_judge(&job, 1000);
	ck_assert_str_eq(played_failures(job.run), "");
	tally.last_ns += NS_PER_SEC / 10;
	bench_method_judge(&job, 1000);
	ck_assert_ptr_nonnull(
	    strstr(played_failures(job.run), "the pace was not kept since questions had to wait"));
}
END_TEST

START_TEST(lack_of_ports_is_a_reason)
{
	sound();
	tally.faults.no_port = 2;
	bench_method_judge(&job, 1000);
	ck_assert_str_eq(played_failures(job.run),
	    "2 times this machine had no port or descriptor for a connection\n");
}
END_TEST

START_TEST(several_reasons_are_all_told)
{
	sound();
	tally.last_ns -= NS_PER_SEC / 10;
	tally.faults.dropped = 1;
	tally.replies[BENCH_VALID] = 1;
	bench_method_judge(&job, 1000);
	ck_assert_str_eq(played_failures(job.run),
	    "1 replies were dropped by this machine for want of room\n"
	    "the pace was not kept: sending took 10.00 % less than its time, "
	    "the question that was latest left 0.0 ms late\n"
	    "1000 of 1001 questions got no valid answer in time\n");
}
END_TEST

/* --- Findings --------------------------------------------------------------------------------- */

static void
expect_count(const char *name, json_int_t want)
{
	const json_t *v = played_found(job.run, name);

	ck_assert_msg(v != NULL, "no \"%s\"", name);
	ck_assert_msg(json_integer_value(v) == want, "%s: %lld, not %lld", name,
	    (long long)json_integer_value(v), (long long)want);
}

START_TEST(findings_tell_every_fault)
{
	sent_in(100, NS_PER_SEC);
	tally.end_ns = START + 2 * NS_PER_SEC;
	for (unsigned i = 0; i < BENCH_VERDICTS; i++)
		tally.replies[i] = 50u >> i; /* 50 + 25 + 12 + 6 + 3 = 96 */
	tally.late = 3;
	tally.duplicate = 11;
	tally.other = 12;
	tally.stray = 13;
	tally.malformed = 14;
	tally.no_reply = 22;
	tally.faults = (struct bench_faults){ .unsent = 15,
		.refused = 16,
		.dropped = 17,
		.closed = 18,
		.stalled = 19,
		.no_port = 20,
		.connections = 21 };
	for (unsigned i = 1; i <= 50; i++)
		bench_histogram_add_many(&tally.rtt, i * 2, 2); /* ns */
	bench_method_tally(&job);
	expect_count("sent", 100);
	expect_count("received", 50 + 25 + 12 + 6 + 3 + 3 + 11 + 12 + 13 + 14 + 22);
	expect_count("valid", 50);
	expect_count("truncated", 25);
	expect_count("wrong rcode", 12);
	expect_count("no data", 6);
	expect_count("wrong data", 3);
	expect_count("late", 3);
	expect_count("lost", 1);
	expect_count("duplicate", 11);
	expect_count("other question", 12);
	expect_count("stray", 13);
	expect_count("malformed", 14);
	expect_count("no reply", 22);
	expect_count("unsent", 15);
	expect_count("refused", 16);
	expect_count("dropped here", 17);
	expect_count("closed", 18);
	ck_assert_double_eq_tol(played_value(job.run, "valid per second"), 25, 1e-9);
	ck_assert_double_eq_tol(played_value(job.run, "rtt mean"), 0.051, 1e-9);
	ck_assert_double_eq_tol(played_value(job.run, "rtt median"), 0.050, 1e-9);
	ck_assert_double_eq_tol(played_value(job.run, "rtt p99"), 0.1, 1e-9);
	ck_assert_double_eq_tol(played_value(job.run, "rtt max"), 0.1, 1e-9);
	ck_assert_double_eq_tol(played_value(job.run, "rtt deviation"), 0.001 * sqrt(833), 1e-9);
}
END_TEST

/* What datagrams have not. */
START_TEST(findings_of_connections)
{
	settings.plan.transport = _i == 0 ? &bench_udp : &bench_tcp;
	sent_in(100, NS_PER_SEC);
	tally.faults = (struct bench_faults){ .stalled = 19, .no_port = 20, .connections = 21 };
	bench_method_tally(&job);
	ck_assert((played_found(job.run, "connections") != NULL) == (_i == 1));
	if (_i == 0)
		return;
	expect_count("connections", 21);
	expect_count("stalled", 19);
	expect_count("without a port", 20);
}
END_TEST

/* Without any answer there is no time to tell. */
START_TEST(findings_of_silence)
{
	sent_in(100, NS_PER_SEC);
	bench_method_tally(&job);
	bench_method_rtt(&job);
	expect_count("lost", 100);
	ck_assert_ptr_null(played_found(job.run, "valid per second"));
	ck_assert_ptr_null(played_found(job.run, "rtt mean"));
	ck_assert_uint_eq(json_array_size(json_object_get(bench_run_tree(job.run), "tables")), 0);
}
END_TEST

START_TEST(table_of_rtt)
{
	for (unsigned i = 1; i <= 200; i++)
		bench_histogram_add(&tally.rtt, i);
	bench_method_rtt(&job);
	json_t *table = json_array_get(json_object_get(bench_run_tree(job.run), "tables"), 0);
	json_t *rows = json_object_get(table, "rows");
	double before = -1;
	ck_assert_uint_ge(json_array_size(rows), 10);
	for (size_t i = 0; i < json_array_size(rows); i++) {
		double percent = json_real_value(json_array_get(json_array_get(rows, i), 0));
		double us = json_real_value(json_array_get(json_array_get(rows, i), 1));

		ck_assert(percent > before && percent <= 100);
		ck_assert_double_eq_tol(us, percent == 0 ? 0.001 : ceil(percent * 2) / 1000, 1e-9);
		before = percent;
	}
	ck_assert(before == 100);
	ck_assert_uint_eq(json_array_size(rows), 15); /* none beyond 99.5 % but the largest */
}
END_TEST

START_TEST(settings_of_a_run)
{
	json_t *set = json_object_get(bench_run_tree(job.run), "settings");

	ck_assert(netaddr_parse("192.0.2.1", 53, &settings.plan.server));
	settings.plan.load.zone.aaaa_percent = 25;
	bench_method_settings(&job);
	ck_assert_str_eq(json_string_value(json_object_get(set, "server")), "192.0.2.1#53");
	ck_assert_str_eq(json_string_value(json_object_get(set, "transport")), "udp");
	ck_assert_str_eq(json_string_value(json_object_get(set, "prefix")), "any");
	ck_assert_int_eq(json_integer_value(json_object_get(set, "aaaa_percent")), 25);
	ck_assert_double_eq_tol(json_real_value(json_object_get(set, "timeout_s")), 1, 1e-9);
	settings.plan.load.prefix = pref64_well_known();
	settings.plan.load.any_prefix = false;
	bench_method_settings(&job);
	ck_assert_str_eq(json_string_value(json_object_get(set, "prefix")), "64:ff9b::/96");
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, pace_error_is_in_percent);
	tcase_add_test(tc, pace_error_of_bursts);
	tcase_add_test(tc, pace_is_kept_within_one_percent);
	tcase_add_test(tc, sound_run_has_no_reasons);
	tcase_add_test(tc, run_that_sent_nothing_fails);
	tcase_add_test(tc, invalid_answers_are_a_reason);
	tcase_add_loop_test(tc, hint_follows_most_of_the_answers, 0, 4);
	tcase_add_test(tc, hint_is_for_nothing_right);
	tcase_add_test(tc, dropped_replies_are_a_reason);
	tcase_add_test(tc, lack_of_ports_is_a_reason);
	tcase_add_test(tc, pace_of_the_server);
	tcase_add_loop_test(tc, findings_of_connections, 0, 2);
	tcase_add_loop_test(tc, more_answers_than_questions_are_a_reason, 0, 6);
	tcase_add_loop_test(tc, foreign_datagrams_are_no_fault_of_the_server, 0, 5);
	tcase_add_test(tc, crowd_is_the_testers);
	tcase_add_test(tc, wrong_answers_are_never_excused);
	tcase_add_test(tc, questions_taken_out_spoil_a_run);
	tcase_add_test(tc, pace_not_kept);
	tcase_add_test(tc, several_reasons_are_all_told);
	tcase_add_test(tc, findings_tell_every_fault);
	tcase_add_test(tc, findings_of_silence);
	tcase_add_test(tc, table_of_rtt);
	tcase_add_test(tc, settings_of_a_run);
}
