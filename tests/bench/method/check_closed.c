/* SPDX-License-Identifier: BSD-2-Clause */
/* dns64perf2's experiments in front of a fakedns, and that each client asks its part. */

#include <arpa/inet.h>
#include <check.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench/load/plan.h"
#include "bench/load/trial.h"
#include "support/benchrig.h"

#define BLOCK (256 * 256)
#define CLIENTS 3

static struct benchrig rig;

/* N = 256 * 1000 / T for the time T in ms; no name was asked for twice, and none left out. */
START_TEST(experiments_ask_every_name_once)
{
	struct fake_counters c;

	benchrig_init(&rig);
	benchrig_start(&rig, "closed --aaaa 100 --clients 32,5 -N 10.0.0.0/14 --timeout 20");
	bench_closed(&rig.job);
	ck_assert_uint_eq(benchrig_rows(&rig, 0), 2);
	for (size_t i = 0; i < 2; i++) {
		double time = benchrig_cell(&rig, 0, i, "time");

		ck_assert_double_eq(benchrig_cell(&rig, 0, i, "clients"), i == 0 ? 32 : 5);
		ck_assert_double_eq(benchrig_cell(&rig, 0, i, "experiments"), 256);
		ck_assert_double_ge(time, benchrig_cell(&rig, 0, i, "time_min"));
		ck_assert_double_le(time, benchrig_cell(&rig, 0, i, "time_max"));
		ck_assert_double_gt(benchrig_cell(&rig, 0, i, "time_min"), 0.1);
		ck_assert_double_eq_tol(benchrig_cell(&rig, 0, i, "rate") * time, 256 * 1000, 0.1);
	}
	ck_assert_double_eq(benchrig_finding(&rig, "valid"), 2 * BLOCK);
	ck_assert_ptr_null(benchrig_failed(&rig, 0));
	benchrig_stop(&rig, &c);
	/* The one before may have been asked again, where it was answered late. */
	ck_assert_uint_ge(c.questions, 2 * BLOCK + 1);
	ck_assert_uint_le(c.questions, 2 * BLOCK + 8);
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

START_TEST(told_to_stop_it_writes_no_row)
{
	benchrig_init(&rig);
	benchrig_start(&rig, "closed --aaaa 100 --blocks 100");
	rig.stop = true;
	bench_closed(&rig.job);
	ck_assert_uint_eq(benchrig_rows(&rig, 0), 0);
	ck_assert_ptr_null(benchrig_failed(&rig, 0));
	benchrig_stop(&rig, NULL);
}
END_TEST

START_TEST(experiment_by_time_has_a_row)
{
	benchrig_init(&rig);
	benchrig_start(&rig, "closed --aaaa 100 --clients 2 -d 0.1 --window 2 --timeout 20");
	bench_closed(&rig.job);
	ck_assert_uint_eq(benchrig_rows(&rig, 0), 1);
	ck_assert_double_gt(benchrig_cell(&rig, 0, 0, "rtt_p99"), 1);
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
		.timeout_ns = 5000000 };
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

int
main(void)
{
	Suite *s = suite_create("bench_closed");
	TCase *tc = tcase_create("closed");

	tcase_set_timeout(tc, 300);
	tcase_add_test(tc, experiments_ask_every_name_once);
	tcase_add_test(tc, clients_ask_all_at_once);
	tcase_add_test(tc, told_to_stop_it_writes_no_row);
	tcase_add_test(tc, experiment_by_time_has_a_row);
	tcase_add_test(tc, fast_client_asks_only_its_part);
	suite_add_tcase(s, tc);

	SRunner *sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	int failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
