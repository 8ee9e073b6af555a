/* SPDX-License-Identifier: BSD-2-Clause */
#include "support/benchrig.h"

#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/host/dut.h"
#include "bench/options.h"
#include "bench/played.h"
#include "support/text.h"

#define WORDS 32
#define TEXT 512
#define TRIES 100

void
benchrig_init(struct benchrig *rig)
{
	static const uint8_t zone[] = "\011dns64perf\004test";

	memset(rig, 0, sizeof(*rig));
	fake_zone_init(&rig->fake.policy.zone, zone);
	rig->fake.policy.zone.aaaa_percent = 100;
	rig->fake.policy.zone.enum_percent = 100;
	rig->fake.policy.ttl = 300;
	rig->fake.policy.negative_ttl = 60;
	rig->fake.n_threads = 1;
	rig->fake.n_listen = 1;
	ck_assert(netaddr_parse("127.0.0.1", 0, &rig->fake.listen[0]));
}

static void
read_options(struct benchrig *rig, const char *words)
{
	static char text[TEXT]; /* settings borrow from it */
	char *argv[WORDS];
	int argc;

	(void)snprintf(text, sizeof(text), "dns64bench %s -s 127.0.0.1 -p %u", words,
	    fake_server_settings(rig->server)->listen[0].port);
	argc = text_words(text, argv, WORDS);
	ck_assert_int_eq(bench_options_read(argc, argv, &rig->settings, stderr), CMDLINE_RUN);
	rig->job.run = bench_run_new(argv[1], argc, argv);
	ck_assert_ptr_nonnull(rig->job.run);
}

void
benchrig_start(struct benchrig *rig, const char *words)
{
	struct netaddr failed;
	int err = -EADDRINUSE;

	/* A port that is free for UDP may be taken for TCP. */
	for (int i = 0; i < TRIES && err == -EADDRINUSE; i++)
		err = fake_server_new(&rig->fake, &rig->server, &failed);
	ck_assert_int_eq(err, 0);
	ck_assert_int_eq(fake_server_start(rig->server), 0);
	read_options(rig, words);
	rig->job.settings = &rig->settings;
	rig->job.stop = &rig->stop;
	rig->job.tally = calloc(1, sizeof(*rig->job.tally));
	ck_assert_ptr_nonnull(rig->job.tally);
}

void
benchrig_begin(struct benchrig *rig, const char *words)
{
	benchrig_init(rig);
	benchrig_start(rig, words);
}

void
benchrig_watch(struct benchrig *rig)
{
	char error[BENCH_DUT_ERROR];

	(void)snprintf(rig->pid, sizeof(rig->pid), "%d", (int)getpid());
	rig->job.dut = bench_dut_new("", BENCH_DUT_BY_PIDS, rig->pid, error);
	ck_assert_msg(rig->job.dut != NULL, "%s", error);
}

void
benchrig_stop(struct benchrig *rig, struct fake_counters *counters)
{
	struct fake_counters sum;

	fake_server_stop(rig->server, counters != NULL ? counters : &sum);
	fake_server_free(rig->server);
	if (rig->job.dut != NULL)
		bench_dut_free(rig->job.dut);
	bench_run_free(rig->job.run);
	free(rig->job.tally);
}

static json_t *
table_of(const struct benchrig *rig, size_t i)
{
	return json_array_get(json_object_get(bench_run_tree(rig->job.run), "tables"), i);
}

size_t
benchrig_rows(const struct benchrig *rig, size_t table)
{
	return json_array_size(json_object_get(table_of(rig, table), "rows"));
}

double
benchrig_cell(const struct benchrig *rig, size_t table, size_t row, const char *column)
{
	const json_t *value = played_at(table_of(rig, table), row, column);

	ck_assert_msg(json_is_number(value), "%s in row %zu is no number", column, row);
	return json_number_value(value);
}

double
benchrig_finding(const struct benchrig *rig, const char *name)
{
	const json_t *value = played_found(rig->job.run, name);

	return value != NULL ? json_number_value(value) : -1;
}

const char *
benchrig_failed(const struct benchrig *rig, size_t i)
{
	const json_t *list = json_object_get(bench_run_tree(rig->job.run), "failed");

	return json_string_value(json_array_get(list, i));
}
