/* SPDX-License-Identifier: BSD-2-Clause */
/* What is made of the options before a run: tables and recordings, and what is said of them. */

#include "bench/workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/tests.h"

static struct bench_settings s;
static char errors[1024];

static void
start(void)
{
	memset(&s, 0, sizeof(s));
	bench_load_init(&s.plan.load);
	s.plan.transport = &bench_udp;
	errors[0] = '\0';
}

/* Open the workload; what was told is in errors. */
static bool
opens(void)
{
	FILE *f = fmemopen(errors, sizeof(errors), "w");

	ck_assert_ptr_nonnull(f);
	bool good = bench_workload_open(&s, f);
	(void)fclose(f);
	return good;
}

/* What is put of it, the caller's. */
static json_t *
put(void)
{
	return bench_settings_json(&s);
}

START_TEST(usual_load_needs_nothing)
{
	start();
	ck_assert(opens());
	ck_assert_ptr_null(s.plan.load.zipf);
	json_t *to = put();
	ck_assert_ptr_null(json_object_get(to, "popularity"));
	json_decref(to);
	bench_workload_close(&s);
}
END_TEST

/* A name becomes an address, of the family of those who ask; the settings have both. */
START_TEST(server_is_found_by_its_name)
{
	char text[NETADDR_TEXT];

	start();
	s.plan.server.port = 5353;
	s.server_name = "localhost";
	ck_assert(bench_clients_parse("127.0.0.0/8", &s.plan.clients.network[0]));
	s.plan.clients.n = 1;
	ck_assert_msg(opens(), "%s", errors);
	ck_assert_str_eq(netaddr_format(&s.plan.server, text), "127.0.0.1#5353");
	json_t *to = put();
	ck_assert_str_eq(json_string_value(json_object_get(to, "server_name")), "localhost");
	ck_assert_str_eq(json_string_value(json_object_get(to, "server")), "127.0.0.1#5353");
	json_decref(to);
	bench_workload_close(&s);
	start();
	s.server_name = "nosuch..name";
	ck_assert(!opens());
	ck_assert_int_eq(strncmp(errors, "dns64bench: --server: nosuch..name: ", 36), 0);
}
END_TEST

/* 1 in 9.788, the sum of 1/R up to 10,000, is for the first. */
START_TEST(popularity_is_a_table_and_its_shares)
{
	start();
	s.zipf = 1;
	s.plan.load.hot = 10000;
	json_t *to = put(); /* before it is opened */
	ck_assert_str_eq(json_string_value(json_object_get(to, "popularity")), "zipf:1");
	ck_assert_ptr_null(json_object_get(to, "top_1_percent"));
	json_decref(to);
	ck_assert(opens());
	ck_assert_uint_eq(s.plan.load.zipf->n, 10000);
	to = put();
	ck_assert_str_eq(json_string_value(json_object_get(to, "popularity")), "zipf:1");
	ck_assert_double_eq_tol(
	    json_real_value(json_object_get(to, "top_1_percent")), 10.217, 0.001);
	ck_assert_double_eq_tol(
	    json_real_value(json_object_get(to, "top_1000_percent")), 76.479, 0.001);
	ck_assert_ptr_nonnull(json_object_get(to, "top_10_percent"));
	ck_assert_ptr_nonnull(json_object_get(to, "top_100_percent"));
	json_decref(to);
	bench_workload_close(&s);
	ck_assert_ptr_null(s.plan.load.zipf);
	/* Of 100 names all are no "top". */
	s.plan.load.hot = 100;
	ck_assert(opens());
	to = put();
	ck_assert_ptr_null(json_object_get(to, "top_100_percent"));
	json_decref(to);
	bench_workload_close(&s);
}
END_TEST

/* A recording of the corpus: three questions in 2.25 s. */
static const char *
recording(const char *file)
{
	static char path[512];

	(void)snprintf(path, sizeof(path), "%s/fuzz/corpus/replay/%s", getenv("TEST_SRCDIR"), file);
	return path;
}

START_TEST(recording_is_replayed)
{
	start();
	s.method = BENCH_RATE;
	s.replay = recording("pcap-ethernet");
	s.speed = 4;
	s.plan.n_questions = 0;
	ck_assert_msg(opens(), "%s", errors);
	ck_assert_uint_eq(s.plan.load.replay->n, 3);
	ck_assert_ptr_eq(s.plan.timing, s.plan.load.replay);
	ck_assert_uint_eq(s.plan.rate, 6); /* 5.33 */
	ck_assert_uint_eq(s.plan.n_questions, 3);
	bench_workload_close(&s);
	ck_assert_ptr_null(s.plan.timing);
	/* For a time: again from the beginning. */
	start();
	s.method = BENCH_RATE;
	s.replay = recording("pcap-ethernet");
	s.speed = 1;
	s.duration = 4.5;
	s.plan.n_questions = 0;
	ck_assert(opens());
	ck_assert_uint_eq(s.plan.n_questions, 6);
	bench_workload_close(&s);
	/* At a rate its times do not matter. */
	s.plan.rate = 100;
	s.plan.n_questions = 0;
	ck_assert(opens());
	ck_assert_ptr_null(s.plan.timing);
	ck_assert_uint_eq(s.plan.n_questions, 450);
	bench_workload_close(&s);
	s.replay = recording("dnsperf");
	ck_assert(opens());
	bench_workload_close(&s);
}
END_TEST

/* From networks each client of a recording asks by a lane of its own, unless --sources are given.
 */
START_TEST(clients_of_a_recording_stay_clients)
{
	for (unsigned i = 0; i < 3; i++) {
		start();
		s.method = BENCH_RATE;
		s.replay = recording(i < 2 ? "log-text" : "dnsperf");
		s.speed = 1;
		s.plan.rate = 10;
		s.plan.n_threads = 1;
		s.plan.n_lanes = 16;
		s.sources_given = i == 1;
		s.plan.n_questions = 0;
		ck_assert(bench_clients_parse("127.0.0.0/8", &s.plan.clients.network[0]));
		s.plan.clients.n = 1;
		ck_assert_msg(opens(), "%s", errors);
		ck_assert_int_eq(s.plan.by_client, i < 2);
		ck_assert_uint_eq(s.plan.n_lanes, i == 0 ? 2 : 16);
		if (i == 0) {
			ck_assert_uint_eq(bench_plan_lane(&s.plan, 1), 0);
			ck_assert_uint_eq(bench_plan_lane(&s.plan, 2), 1);
			ck_assert_uint_eq(bench_plan_lane(&s.plan, 3), 0);
		}
		bench_workload_close(&s);
	}
	s.replay = recording("log-text");
	s.plan.n_threads = 2;
	ck_assert(!opens());
	ck_assert_str_eq(
	    errors, "dns64bench: --threads: one asks for all clients of a recording\n");
}
END_TEST

/* Arrivals by chance are a table. */
START_TEST(arrivals_are_drawn)
{
	start();
	s.poisson = true;
	s.seed = 5;
	ck_assert(opens());
	ck_assert_ptr_nonnull(s.plan.arrivals);
	json_t *to = put();
	ck_assert_str_eq(json_string_value(json_object_get(to, "arrivals")), "poisson");
	ck_assert_int_eq(json_integer_value(json_object_get(to, "seed")), 5);
	json_decref(to);
	bench_workload_close(&s);
	ck_assert_ptr_null(s.plan.arrivals);
}
END_TEST

START_TEST(recording_that_cannot_be_replayed)
{
	start();
	s.method = BENCH_SOAK;
	s.replay = recording("dnsperf");
	ck_assert(!opens());
	ck_assert_ptr_nonnull(strstr(errors, "dnsperf: has no times, so --rate is needed\n"));
	ck_assert_ptr_null(s.plan.load.replay);
	s.replay = recording("pcap-cut");
	ck_assert(!opens());
	ck_assert_ptr_nonnull(strstr(errors, "dns64bench: --replay: "));
	ck_assert_ptr_nonnull(strstr(errors, "pcap-cut: offset 206: the packet is cut off\n"));
	s.replay = recording("nosuch");
	ck_assert(!opens());
	ck_assert_ptr_nonnull(strstr(errors, "No such file"));
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_test(tc, usual_load_needs_nothing);
	tcase_add_test(tc, server_is_found_by_its_name);
	tcase_add_test(tc, popularity_is_a_table_and_its_shares);
	tcase_add_test(tc, recording_is_replayed);
	tcase_add_test(tc, clients_of_a_recording_stay_clients);
	tcase_add_test(tc, arrivals_are_drawn);
	tcase_add_test(tc, recording_that_cannot_be_replayed);
}
