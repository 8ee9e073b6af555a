/* SPDX-License-Identifier: BSD-2-Clause */
/* Clients that ask one question after another, in front of a fakedns. */

#include "bench/method.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "bench/load/plan.h"
#include "bench/load/trial.h"
#include "support/benchrig.h"
#include "support/scratch.h"
#include "support/tests.h"

/* --- steps ------------------------------------------------------------------------------------ */

/* More and more clients in a closed loop, in front of a fakedns. */

/* The rows together are the whole, and fakedns saw as many. On a busy machine they may be few. */
START_TEST(rows_add_up_to_the_whole)
{
	struct fake_counters c;
	struct benchrig rig;
	double sum = 0;

	benchrig_begin(&rig, "closed --aaaa 100 --clients 1,4,2 -d 0.15 --timeout 20");
	benchrig_watch(&rig);
	bench_closed_steps(&rig.job, 1 << 20);
	ck_assert_uint_eq(benchrig_rows(&rig, 0), 3);
	ck_assert_double_eq(benchrig_cell(&rig, 0, 1, "clients"), 4);
	for (size_t i = 0; i < 3; i++) {
		double rate = benchrig_cell(&rig, 0, i, "rate");

		sum += rate * 0.15;
		ck_assert_double_gt(rate, 0);
		ck_assert_double_le(rate, benchrig_finding(&rig, "highest rate"));
		ck_assert_double_gt(benchrig_cell(&rig, 0, i, "rtt"), 1);
		ck_assert_double_gt(benchrig_cell(&rig, 0, i, "server_cpu_per_answer"), 0.1);
	}
	ck_assert_double_eq(benchrig_finding(&rig, "sent"), benchrig_finding(&rig, "valid"));
	/* A busy machine asks for a part of that time only; check_tally has rates to the digit. */
	ck_assert_double_ge(sum, benchrig_finding(&rig, "valid") * 0.05);
	ck_assert_ptr_null(benchrig_failed(&rig, 0));
	double sent = benchrig_finding(&rig, "sent");
	benchrig_stop(&rig, &c);
	ck_assert_double_eq(sent, (double)c.questions);
}
END_TEST

/* Several threads, several questions open on each client: no question is asked twice. */
START_TEST(numbers_suffice_or_not)
{
	struct fake_counters c;
	struct benchrig rig;

	benchrig_begin(&rig, "closed --aaaa 100 --clients 2,4 -t 2 -d 30 --window 3 --timeout 20");
	bench_closed_steps(&rig.job, 1001);
	ck_assert_double_eq(benchrig_finding(&rig, "sent"), 1001);
	ck_assert_uint_eq(benchrig_rows(&rig, 0), 1);
	ck_assert_double_gt(benchrig_cell(&rig, 0, 0, "rtt_p50"), 1);
	ck_assert_double_le(
	    benchrig_cell(&rig, 0, 0, "rtt_p50"), benchrig_cell(&rig, 0, 0, "rtt_p99"));
	ck_assert_str_eq(
	    benchrig_failed(&rig, 0), "there were not names enough for so many questions");
	benchrig_stop(&rig, &c);
	ck_assert_uint_eq(c.questions, 1001);
}
END_TEST

/*
 * Replies after the timeout: each is counted as such, and its client has long gone on. They would
 * stop it for good if they counted down its open questions once more.
 */
START_TEST(late_replies_do_not_stop_their_client)
{
	struct benchrig rig;

	benchrig_init(&rig);
	rig.fake.pattern.delay_ms = 30;
	benchrig_start(&rig, "closed --aaaa 100 --clients 1 -d 1 --timeout 0.02");
	bench_closed_steps(&rig.job, 1 << 20);
	ck_assert_double_ge(benchrig_finding(&rig, "sent"), 5);
	ck_assert_double_ge(benchrig_cell(&rig, 0, 0, "late"), 2);
	ck_assert_double_eq(benchrig_cell(&rig, 0, 0, "lost") + benchrig_cell(&rig, 0, 0, "late") +
		benchrig_finding(&rig, "valid"),
	    benchrig_finding(&rig, "sent"));
	ck_assert_ptr_nonnull(strstr(benchrig_failed(&rig, 0), "no valid answer in time"));
	benchrig_stop(&rig, NULL);
}
END_TEST

START_TEST(lost_replies_do_not_stop_their_client)
{
	struct fake_counters c;
	struct benchrig rig;

	benchrig_init(&rig);
	rig.fake.pattern.loss = 30 * FAKE_LOSS_ALL / 100;
	benchrig_start(&rig, "closed --aaaa 100 --clients 8 -d 0.3 --timeout 4");
	bench_closed_steps(&rig.job, 1 << 20);
	double lost = benchrig_cell(&rig, 0, 0, "lost"), late = benchrig_cell(&rig, 0, 0, "late");
	ck_assert_ptr_nonnull(strstr(benchrig_failed(&rig, 0), "no valid answer in time"));
	benchrig_stop(&rig, &c);
	ck_assert_double_gt(lost, 0);
	ck_assert_double_eq(lost + late, (double)c.lost + late);
}
END_TEST

START_TEST(told_to_stop_it_writes_no_row)
{
	struct benchrig rig;

	benchrig_begin(&rig, "closed --aaaa 100 --clients 1,2 -d 30");
	benchrig_watch(&rig); /* it has not ended, though no step looked at it */
	rig.stop = true;
	bench_closed_steps(&rig.job, 1 << 20);
	ck_assert_uint_eq(benchrig_rows(&rig, 0), 0);
	ck_assert_ptr_null(benchrig_failed(&rig, 0));
	benchrig_stop(&rig, NULL);
}
END_TEST

static void
add_steps(TCase *tc)
{
	tcase_set_timeout(tc, 300);
	tcase_add_test(tc, rows_add_up_to_the_whole);
	tcase_add_test(tc, numbers_suffice_or_not);
	tcase_add_test(tc, late_replies_do_not_stop_their_client);
	tcase_add_test(tc, lost_replies_do_not_stop_their_client);
	tcase_add_test(tc, told_to_stop_it_writes_no_row);
}

/* --- closed ----------------------------------------------------------------------------------- */

/* dns64perf2's experiments in front of a fakedns, and that each client asks its part. */

#define BLOCK (256 * 256)
#define CLIENTS 3
#define SAMPLES_MOST \
	20 /* questions that find out whether names are known before they are asked for */

static struct benchrig rig;

/* The raw file at PATH has each of the first N names of the namespace, and no other, once. */
static void
check_names(const char *path, unsigned n)
{
	bool *asked = calloc(n, sizeof(*asked));
	FILE *f = fopen(path, "re");
	char line[200];
	unsigned lines = 0, a, b, c;

	ck_assert(asked != NULL && f != NULL);
	ck_assert_ptr_nonnull(fgets(line, sizeof(line), f)); /* the head */
	for (; fgets(line, sizeof(line), f) != NULL; lines++) {
		ck_assert_msg(sscanf(line, "%*u,010-%u-%u-%u.", &a, &b, &c) == 3, "%s", line);
		unsigned name = (a << 16) + (b << 8) + c;
		ck_assert_msg(name < n && !asked[name], "once more, or beyond: %s", line);
		asked[name] = true;
	}
	ck_assert_uint_eq(lines, n);
	(void)fclose(f);
	free(asked);
}

/* N = 256 * 1000 / T for the time T in ms; no name was asked for twice, and none left out. */
START_TEST(experiments_ask_every_name_once)
{
	struct fake_counters c;
	char path[SCRATCH_PATH];

	benchrig_begin(
	    &rig, "closed --aaaa 100 --clients 32,5 -N 10.0.0.0/14 --first 0 --timeout 100");
	(void)close(scratch_file(path));
	ck_assert_int_eq(bench_raw_open(path, &rig.settings.plan.raw), 0);
	bench_closed(&rig.job);
	ck_assert_int_eq(bench_raw_close(rig.settings.plan.raw), 0);
	check_names(path, 2 * BLOCK);
	(void)unlink(path);
	ck_assert_uint_eq(benchrig_rows(&rig, 0), 2);
	for (size_t i = 0; i < 2; i++) {
		double time = benchrig_cell(&rig, 0, i, "time");

		ck_assert_double_eq(benchrig_cell(&rig, 0, i, "clients"), i == 0 ? 32 : 5);
		ck_assert_double_eq(benchrig_cell(&rig, 0, i, "experiments"), 256);
		ck_assert_double_ge(time, benchrig_cell(&rig, 0, i, "time_min"));
		ck_assert_double_le(time, benchrig_cell(&rig, 0, i, "time_max"));
		ck_assert_double_gt(benchrig_cell(&rig, 0, i, "time_min"), 0.1);
		ck_assert_double_ge(
		    benchrig_cell(&rig, 0, i, "time_p1"), benchrig_cell(&rig, 0, i, "time_min"));
		ck_assert_double_ge(
		    benchrig_cell(&rig, 0, i, "time_median"), benchrig_cell(&rig, 0, i, "time_p1"));
		ck_assert_double_ge(benchrig_cell(&rig, 0, i, "time_p99"),
		    benchrig_cell(&rig, 0, i, "time_median"));
		ck_assert_double_ge(
		    benchrig_cell(&rig, 0, i, "time_max"), benchrig_cell(&rig, 0, i, "time_p99"));
		/* t of 99.9 % and 255 degrees of freedom, by the square root of 256. */
		ck_assert_double_eq_tol(benchrig_cell(&rig, 0, i, "time_margin"),
		    3.330 / 16 * benchrig_cell(&rig, 0, i, "time_deviation"), 1e-2);
		ck_assert_double_le(benchrig_cell(&rig, 0, i, "time_mad"),
		    1.4826 *
			(benchrig_cell(&rig, 0, i, "time_max") -
			    benchrig_cell(&rig, 0, i, "time_min")));
		ck_assert_double_eq_tol(benchrig_cell(&rig, 0, i, "rate") * time, 256 * 1000, 0.1);
	}
	ck_assert_double_eq(benchrig_finding(&rig, "valid"), 2 * BLOCK);
	ck_assert_ptr_null(benchrig_failed(&rig, 0));
	benchrig_stop(&rig, &c);
	/* One before, which may have been asked again, where it was answered late; and samples. */
	ck_assert_uint_ge(c.questions, 2 * BLOCK + 1);
	ck_assert_uint_le(c.questions, 2 * BLOCK + 8 + SAMPLES_MOST);
}
END_TEST

/* Stop this process, tester and server, for STOPPED_MS after so much: a child does that. */
static pid_t
stop_for(unsigned before_ms, unsigned stopped_ms)
{
	pid_t child = fork();

	ck_assert_int_ge(child, 0);
	if (child > 0)
		return child;
	(void)usleep(before_ms * 1000);
	(void)kill(getppid(), SIGSTOP);
	(void)usleep(stopped_ms * 1000);
	(void)kill(getppid(), SIGCONT);
	_exit(0);
}

#define STOPPED_MS 1200
#define TRIES 5 /* to stop it when it is at work */

/*
 * Run WORDS and stop this process meanwhile. Returns for how many ms it was not stopped, which is
 * the most that all measured times together can be, however busy the machine.
 */
static double
ms_beside_a_stop(const char *words, unsigned delay_ms)
{
	benchrig_init(&rig);
	rig.fake.pattern.delay_ms = delay_ms;
	benchrig_start(&rig, words);
	uint64_t begin_ns = clock_now_ns();
	pid_t child = stop_for(300, STOPPED_MS);
	bench_closed(&rig.job);
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
	return (double)(clock_now_ns() - begin_ns) / (double)NS_PER_MS - STOPPED_MS;
}

/* The time of an experiment in which the tester stood still is not the server's. */
START_TEST(experiment_with_a_pause_is_left_out)
{
	double ran_ms, left_out;

	/*
	 * 256 experiments of 4 ms take more than a second. A machine that stands still itself may
	 * have begun none of them when the tester is stopped.
	 */
	for (int i = 1;; i++) {
		ran_ms =
		    ms_beside_a_stop("closed --aaaa 100 --clients 64 --blocks 1 --timeout 8", 4);
		left_out = benchrig_finding(&rig, "experiments left out");
		if (left_out >= 1 || i == TRIES)
			break;
		benchrig_stop(&rig, NULL);
	}
	double n = benchrig_cell(&rig, 0, 0, "experiments");

	ck_assert_double_ge(left_out, 1);
	ck_assert_double_eq(n + left_out, 256);
	ck_assert_double_lt(benchrig_cell(&rig, 0, 0, "time") * n, ran_ms);
	ck_assert_double_ge(benchrig_finding(&rig, "pauses of the tester"), 0);
	ck_assert_ptr_null(benchrig_failed(&rig, 0));
	benchrig_stop(&rig, NULL);
}
END_TEST

/* Nor are the answers that it could not ask for: the rate is that of the time in which it ran. */
START_TEST(pause_takes_nothing_from_the_rate)
{
	double ran_ms = ms_beside_a_stop("closed --aaaa 100 --clients 4 -d 4 --timeout 8", 1);

	/* The pause counts from when the tester was due. */
	ran_ms += 0.1 * STOPPED_MS;
	ck_assert_double_gt(benchrig_finding(&rig, "highest rate") * ran_ms / 1000,
	    benchrig_finding(&rig, "valid"));
	ck_assert_double_ge(benchrig_finding(&rig, "pauses of the tester"), 0);
	ck_assert_ptr_null(benchrig_failed(&rig, 0));
	benchrig_stop(&rig, NULL);
}
END_TEST

/* If that is most of the time, the rest says little. */
START_TEST(pause_of_most_of_the_time_is_a_reason)
{
	for (int i = 1;; i++) {
		(void)ms_beside_a_stop("closed --aaaa 100 --clients 4 -d 2 --timeout 8", 1);
		if (benchrig_failed(&rig, 0) != NULL || i == TRIES)
			break;
		benchrig_stop(&rig, NULL);
	}
	ck_assert_ptr_nonnull(benchrig_failed(&rig, 0));
	ck_assert_ptr_nonnull(strstr(benchrig_failed(&rig, 0), "kept from running"));
	benchrig_stop(&rig, NULL);
}
END_TEST

/* Behind the end of asking nobody is kept from it: 300 ms of 400 are not taken from. */
START_TEST(pause_behind_the_end_is_none_of_the_step)
{
	for (int i = 1;; i++) {
		(void)ms_beside_a_stop("closed --aaaa 100 --clients 4 -d 0.4 --timeout 8", 1);
		if (benchrig_failed(&rig, 0) == NULL || i == TRIES)
			break;
		benchrig_stop(&rig, NULL);
	}
	ck_assert_ptr_null(benchrig_failed(&rig, 0));
	benchrig_stop(&rig, NULL);
}
END_TEST

START_TEST(clients_ask_all_at_once)
{
	benchrig_init(&rig);
	rig.fake.pattern.delay_ms = 5;
	benchrig_start(&rig, "closed --aaaa 100 --clients 256 --timeout 20");
	bench_closed(&rig.job);
	/* One question each: all at once, so an experiment takes little more than one delay, not
	 * 256. */
	ck_assert_double_ge(benchrig_cell(&rig, 0, 0, "time_min"), 5);
	ck_assert_double_le(benchrig_cell(&rig, 0, 0, "time_min"), 640);
	benchrig_stop(&rig, NULL);
}
END_TEST

START_TEST(told_to_stop_it_has_no_experiment)
{
	benchrig_begin(&rig, "closed --aaaa 100 --blocks 100");
	rig.stop = true;
	bench_closed(&rig.job);
	ck_assert_uint_eq(benchrig_rows(&rig, 0), 0);
	ck_assert_ptr_null(benchrig_failed(&rig, 0));
	benchrig_stop(&rig, NULL);
}
END_TEST

START_TEST(experiment_by_time_has_a_row)
{
	benchrig_begin(&rig, "closed --aaaa 100 --clients 2 -d 0.1 --window 2 --timeout 20");
	bench_closed(&rig.job);
	ck_assert_uint_eq(benchrig_rows(&rig, 0), 1);
	ck_assert_double_gt(benchrig_cell(&rig, 0, 0, "rtt"), 1);
	ck_assert_ptr_null(benchrig_failed(&rig, 0));
	benchrig_stop(&rig, NULL);
}
END_TEST

/* A server that answers only the client that it sees first. */
struct partial {
	int fd;
	unsigned n_ports;
	in_port_t port[CLIENTS];
	unsigned questions[CLIENTS]; /* of each */
	unsigned left;
};

static void
serve(struct partial *p, const struct sockaddr_in *from, uint8_t *message, size_t len)
{
	unsigned i = 0;

	while (i < p->n_ports && p->port[i] != from->sin_port)
		i++;
	if (i == p->n_ports)
		p->port[p->n_ports++] = from->sin_port;
	p->questions[i]++;
	message[2] |= 0x80; /* QR: a reply, if an empty one */
	if (i == 0)
		(void)sendto(p->fd, message, len, 0, (const struct sockaddr *)from, sizeof(*from));
}

static void *
run_partial(void *arg)
{
	struct partial *p = arg;
	uint8_t message[1232];
	struct sockaddr_in from;

	for (; p->left > 0; p->left--) {
		socklen_t from_len = sizeof(from);
		ssize_t n = recvfrom(
		    p->fd, message, sizeof(message), 0, (struct sockaddr *)&from, &from_len);

		if (n > 0)
			serve(p, &from, message, (size_t)n);
	}
	return NULL;
}

/* The fast one would have asked nearly all of them, if there were no parts. */
START_TEST(fast_client_asks_only_its_part)
{
	struct partial p = { .fd = socket(AF_INET, SOCK_DGRAM, 0), .left = 32 };
	struct bench_plan plan = { .transport = &bench_udp,
		.n_threads = 1,
		.n_lanes = CLIENTS,
		.window = 1,
		.even = true,
		.duration_ns = UINT64_MAX,
		.timeout_ns = 5000000,
		.pause_ns = NS_PER_SEC / 2 };
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(a);
	static struct bench_tally t;
	atomic_bool stop = false;
	struct bench_trial *trial;
	pthread_t thread;

	ck_assert_int_eq(bind(p.fd, (struct sockaddr *)&a, len), 0);
	ck_assert_int_eq(getsockname(p.fd, (struct sockaddr *)&a, &len), 0);
	bench_load_init(&plan.load);
	ck_assert(netaddr_parse("127.0.0.1", ntohs(a.sin_port), &plan.server));
	ck_assert_int_eq(pthread_create(&thread, NULL, run_partial, &p), 0);
	ck_assert_int_eq(bench_trial_new(&plan, &trial), 0);
	ck_assert_int_eq(bench_trial_run(trial, 0, 32, &stop, &t), 0);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	bench_trial_free(trial);
	(void)close(p.fd);
	ck_assert_uint_eq(t.sent, 32);
	ck_assert_uint_eq(t.n_numbers, 32);
	ck_assert_uint_eq(p.n_ports, CLIENTS);
	for (unsigned i = 0; i < CLIENTS; i++) {
		ck_assert_uint_ge(p.questions[i], 10);
		ck_assert_uint_le(p.questions[i], 11);
	}
}
END_TEST

static void
add_closed(TCase *tc)
{
	tcase_set_timeout(tc, 300);
	tcase_add_test(tc, experiments_ask_every_name_once);
	/* All 65,536 names for one pause: valgrind, which sets that, would take minutes more. */
	if (getenv("CHECK_SLOW") == NULL)
		tcase_add_test(tc, experiment_with_a_pause_is_left_out);
	tcase_add_test(tc, pause_takes_nothing_from_the_rate);
	tcase_add_test(tc, pause_of_most_of_the_time_is_a_reason);
	tcase_add_test(tc, pause_behind_the_end_is_none_of_the_step);
	tcase_add_test(tc, clients_ask_all_at_once);
	tcase_add_test(tc, told_to_stop_it_has_no_experiment);
	tcase_add_test(tc, experiment_by_time_has_a_row);
	tcase_add_test(tc, fast_client_asks_only_its_part);
}

/* --- enum ------------------------------------------------------------------------------------- */

/* Telephone numbers: those that exist and those that do not, as fakedns knows them. */

/* The numbers from 0360 to 0369 exist. */
static void
measure(const char *words)
{
	benchrig_init(&rig);
	rig.fake.policy.zone.enum_first = 360;
	rig.fake.policy.zone.enum_last = 369;
	rig.fake.policy.zone.enum_digits = 4;
	benchrig_start(&rig, words);
	bench_enum(&rig.job);
}

START_TEST(existing_and_missing)
{
	measure("enum --numbers 0360-0369 --missing 30 --missing-numbers 0370-9999 --clients 1-5/2 "
		"-d 0.1 --timeout 20");
	const json_t *settings = json_object_get(bench_run_tree(rig.job.run), "settings");
	ck_assert_str_eq(json_string_value(json_object_get(settings, "numbers")), "0360-0369");
	ck_assert_str_eq(
	    json_string_value(json_object_get(settings, "missing_numbers")), "0370-9999");
	ck_assert_uint_eq(benchrig_rows(&rig, 0), 3);
	for (size_t i = 0; i < 3; i++) {
		ck_assert_double_eq(benchrig_cell(&rig, 0, i, "clients"), (double)(1 + 2 * i));
		ck_assert_double_gt(benchrig_cell(&rig, 0, i, "rate"), 0);
		ck_assert_double_eq(benchrig_cell(&rig, 0, i, "wrong"), 0);
	}
	ck_assert_ptr_null(benchrig_failed(&rig, 0));
	benchrig_stop(&rig, NULL);
}
END_TEST

/*
 * Of each hundred questions in a row just so many are for what is said to be missing. How long it
 * takes to ask for so many is the machine's business.
 */
START_TEST(each_hundred_questions_have_the_missing_share)
{
	double sent = 0;

	for (double seconds = 0.1; sent < 200; seconds *= 2) {
		char words[200];

		(void)snprintf(words, sizeof(words),
		    "enum --numbers 0360-0369 --missing 30 --missing-numbers 0360-0369"
		    " --clients 32 -d %g --timeout 20",
		    seconds);
		measure(words);
		sent = benchrig_finding(&rig, "sent");
		double wrong = benchrig_finding(&rig, "wrong rcode");
		ck_assert_double_le(wrong, sent * 0.3 + 30);
		ck_assert_double_ge(wrong, sent * 0.3 - 30);
		if (wrong > 0)
			ck_assert_ptr_nonnull(
			    strstr(benchrig_failed(&rig, 0), "no valid answer in time"));
		benchrig_stop(&rig, NULL);
	}
}
END_TEST

static void
add_enum(TCase *tc)
{
	tcase_set_timeout(tc, 300);
	tcase_add_test(tc, existing_and_missing);
	tcase_add_test(tc, each_hundred_questions_have_the_missing_share);
}

void
tests_add(TCase *tc)
{
	add_steps(tc);
	add_closed(tc);
	add_enum(tc);
}
